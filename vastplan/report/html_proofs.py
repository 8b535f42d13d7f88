"""What a plan proves and promises as tables of its page: who is kept apart, what is promised of what there is, checkpoints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from vastplan.model.budget import CheckpointBudget
from vastplan.model.commitment import Commitment
from vastplan.model.isolation import Isolation
from vastplan.model.plan import Plan
from vastplan.report.commitments import HEAD, cells
from vastplan.report.curve import figure
from vastplan.report.html_escape import Html, code, joined, tag
from vastplan.report.isolation import verdict, who

_MOST_CURVES = 20


def proofs(plan: Plan) -> Iterator[Html]:
    """The parts that have something to say."""
    sites = [one for one in plan.isolation if one.namespaces or one.unknown]
    if sites:
        yield tag("h2", "Isolation")
        for proof in sites:
            yield joined(tag("h3", f"{proof.site}: {verdict(proof)}"), _isolation(proof))
    if plan.commitments:
        yield tag("h2", "Promised")
        yield table(("site", "what", *HEAD[1:]), (_promised(row) for row in plan.commitments))
    if plan.budgets:
        yield tag("h2", "Checkpoints")
        for number, one in enumerate(plan.budgets):
            yield joined(tag("h3", one.address), budget(one, number, drawn=number < _MOST_CURVES))


def budget(one: CheckpointBudget, number: int, *, drawn: bool = True) -> Html:
    """One budget: its line, what the plan changes, and the curve that its interval lies on."""
    parts = [tag("p", one.line)]
    if one.changes:
        parts.append(tag("ul", *(tag("li", change, class_="warning") for change in one.changes), class_="notes"))
    if drawn and one.curve:
        parts.append(figure(one, number))
    return joined(*parts)


def table(head: Iterable[str], rows: Iterable[Html]) -> Html:
    """A table with a head of its own."""
    return tag(
        "figure",
        tag(
            "table",
            tag("thead", tag("tr", *(tag("th", name, scope="col") for name in head))),
            tag("tbody", *rows),
            class_="figures",
        ),
        tabindex=0,
        aria_label="table",
    )


def _isolation(proof: Isolation) -> Html:
    if proof.unknown:
        return tag("p", proof.unknown, class_="stop")
    opened: dict[str, list[str]] = {}
    for name, namespaces in proof.classes.items():
        for namespace in namespaces:
            opened.setdefault(namespace, []).append(name)
    rows = (
        _row(project, namespace, ", ".join([*opened.get(namespace, ()), *proof.shared]) or "none")
        for project, namespace in proof.namespaces.items()
    )
    items = [
        tag(
            "li", f"meet in {one.layer} ", code(one.element), f": {who(one)}",
            tag("ul", *(tag("li", " > ".join(chain)) for chain in one.chains)), class_="warning",
        )
        for one in proof.meetings
    ] + [tag("li", f"not followed: {one.reason}: ", code(one.address), class_="warning") for one in proof.open_ends]  # fmt: skip
    ends = tag("ul", *items, class_="notes") if items else ""
    return joined(table(("project", "namespace", "classes"), rows), ends)


def _promised(row: Commitment) -> Html:
    what, *texts = cells(row)
    return _row(row.site, what, *texts, said="stop" if row.over else "")


def _row(first: str, *others: str, said: str = "") -> Html:
    return tag("tr", tag("th", code(first), scope="row"), *(tag("td", one) for one in others), class_=said or False)
