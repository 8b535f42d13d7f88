"""What a plan proves and promises, as tables of its page: isolation, commitments, checkpoints, and objects on two sites."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from vastplan.model.budget import CheckpointBudget
from vastplan.model.commitment import Commitment
from vastplan.model.isolation import Isolation, WayState
from vastplan.model.isolation_trial import WayTried
from vastplan.model.plan import Plan
from vastplan.model.replication import Replication, ReplicationState
from vastplan.report.commitments import HEAD, commitment_cells
from vastplan.report.curve import curve_figure
from vastplan.report.html_escape import Html, code_html, joined, tag
from vastplan.report.html_page import html_table
from vastplan.report.isolation import classes_by_namespace, isolation_verdict, meeting_projects, unenforced_classes
from vastplan.report.isolation_trial import trial_lines
from vastplan.report.replication import HEAD as TWO_SITES
from vastplan.report.replication import TITLE, readiness
from vastplan.report.replication import replication_rows as sites_of
from vastplan.report.two_sites import pictures
from vastplan.report.ways import matrix, way_lines

_MOST_CURVES = 20


def proof_sections(plan: Plan) -> Iterator[Html]:
    """The parts that are not empty."""
    yield from isolation_sections(plan.isolation)
    if plan.commitments:
        yield tag("h2", "Promised")
        yield scrolling_table(("site", "what", *HEAD[1:]), (_commitment(row) for row in plan.commitments))
    if plan.budgets:
        yield tag("h2", "Checkpoints")
        for number, planned in enumerate(plan.budgets):
            yield joined(tag("h3", planned.address), budget(planned, number, drawn=number < _MOST_CURVES))
    if plan.replications:
        yield tag("h2", TITLE)
        yield two_site_section(plan.replications, plan.created)


def isolation_sections(proofs: Iterable[Isolation], tried: Iterable[WayTried] = ()) -> Iterator[Html]:
    """What is proven of each site, and what was tried."""
    shown = [proof for proof in proofs if proof.namespaces or proof.unknown]
    if shown:
        yield tag("h2", "Isolation")
    for proof in shown:
        yield joined(tag("h3", f"{proof.site}: {isolation_verdict(proof)}"), _isolation(proof))
    lines = [
        tag("li", f"tried on {one.site}: {text}", class_=bool(one.through) and "stop")
        for one in tried
        for text in trial_lines(one)
    ]
    if lines:
        yield tag("ul", *lines, class_="notes")


def two_site_section(rows: Sequence[Replication], now: str) -> Html:
    """Which side is the source and how old the copy was when it was read (`now`): as pictures, and as a table with a row for each site."""
    marked = ((cells, row.state is not ReplicationState.IN_ORDER) for row in rows for cells in sites_of(row))
    listed = scrolling_table(TWO_SITES, (_row(*cells, style="stop" if amiss else "") for cells, amiss in marked))
    ready = [tag("li", f"{row.address}: {readiness(row.readiness)}") for row in rows if row.readiness is not None]
    return joined(*pictures(rows, now), listed, tag("ul", *ready, class_="notes") if ready else "")


def budget(checkpoints: CheckpointBudget, number: int, *, drawn: bool = True) -> Html:
    """One budget: its line, what the plan changes, and the curve that its interval lies on."""
    parts = [tag("p", checkpoints.line)]
    if checkpoints.changes:
        parts.append(
            tag("ul", *(tag("li", change, class_="warning") for change in checkpoints.changes), class_="notes")
        )
    if drawn and checkpoints.curve:
        parts.append(curve_figure(checkpoints, number))
    return joined(*parts)


def scrolling_table(names: Iterable[str], rows: Iterable[Html]) -> Html:
    """A table that scrolls by itself in a narrow window."""
    return tag("figure", html_table(names, rows, style="figures"), tabindex=0, aria_label="table")


def _isolation(isolation: Isolation) -> Html:
    if isolation.unknown:
        return tag("p", isolation.unknown, class_="stop")
    classes = classes_by_namespace(isolation)
    rows = (_row(project, namespace, classes(namespace)) for project, namespace in isolation.namespaces.items())
    items = [tag("li", text, class_=state is WayState.OPEN and "warning") for state, text in way_lines(isolation)]
    items += [
        tag("li", "class ", code_html(name), f" is open to everybody: {state}", class_="warning")
        for name, state in unenforced_classes(isolation)
    ]
    items += [
        tag(
            "li", f"meet in {meeting.layer} ", code_html(meeting.element), f": {meeting_projects(meeting)}",
            tag("ul", *(tag("li", " > ".join(chain)) for chain in meeting.chains)), class_="warning",
        )
        for meeting in isolation.meetings
    ]  # fmt: skip
    items += [
        tag("li", f"not followed: {end.reason}: ", code_html(end.address), class_="warning")
        for end in isolation.open_ends
    ]
    ends = tag("ul", *items, class_="notes") if items else ""
    cells = matrix(isolation)
    reached = scrolling_table(cells[0], (_row(*row) for row in cells[1:])) if cells else ""
    return joined(reached, scrolling_table(("project", "namespace", "classes"), rows), ends)


def _commitment(row: Commitment) -> Html:
    name, *texts = commitment_cells(row)
    return _row(row.site, name, *texts, style="stop" if row.over else "")


def _row(first: str, *others: str, style: str = "") -> Html:
    cells_after = (tag("td", text) for text in others)
    return tag("tr", tag("th", code_html(first), scope="row"), *cells_after, class_=style or False)
