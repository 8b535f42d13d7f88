"""The page of one volume's checkpoint budget: its line, its findings, the curve, and every figure."""

from __future__ import annotations

from vastplan.report.budgets import figure_texts
from vastplan.report.html_escape import Html, code_html, tag
from vastplan.report.html_page import checks, document
from vastplan.report.html_proofs import budget, scrolling_table
from vastplan.report.html_style import STYLE
from vastplan.report.json_report import ShownBudget
from vastplan.report.view import worst_first


def budget_page(name: str, volume: ShownBudget) -> str:
    """The page; `name` is the document's."""
    head = tag(
        "header",
        tag("h1", "vastplan: ", code_html(name)),
        tag("p", f"Checkpoints of {volume.address}", class_="verdict"),
    )
    parts: list[Html] = [checks(worst_first(volume.findings))]
    if volume.budget is not None:
        rows = (
            tag("tr", tag("th", figure, scope="row"), tag("td", value))
            for figure, value in figure_texts(volume.budget.figures)
        )
        parts += [budget(volume.budget, 0), tag("h2", "Figures"), scrolling_table(("figure", "value"), rows)]
    return document(f"vastplan: {volume.address}", STYLE, [head, tag("main", *parts, id="main")])
