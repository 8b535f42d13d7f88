"""The page of one volume's checkpoint budget: its line, its findings, the curve, and every figure."""

from __future__ import annotations

from vastplan.report.budgets import shown
from vastplan.report.html_escape import Html, code, tag
from vastplan.report.html_page import document, finding, notes, worst
from vastplan.report.html_proofs import budget, table
from vastplan.report.html_style import STYLE
from vastplan.report.json_report import ShownBudget


def budget_page(name: str, told: ShownBudget) -> str:
    """The page; `name` is the document's."""
    head = tag(
        "header",
        tag("h1", "vastplan: ", code(name)),
        tag("p", f"Checkpoints of {told.address}", class_="verdict"),
    )
    parts: list[Html] = [notes("Checks", [finding(one) for one in worst(told.findings)])]
    if told.budget is not None:
        rows = (tag("tr", tag("th", name, scope="row"), tag("td", value)) for name, value in shown(told.budget.figures))
        parts += [budget(told.budget, 0), tag("h2", "Figures"), table(("figure", "value"), rows)]
    return document(f"vastplan: {told.address}", STYLE, [head, tag("main", *parts, id="main")])
