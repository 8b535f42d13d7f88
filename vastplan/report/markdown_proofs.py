"""What a plan proves and promises, for a comment: isolation, changed commitments, checkpoints, and objects on two sites.

A comment is short: commitments that stay the same and within what the site has are only in the other reports.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from vastplan.model.budget import CheckpointBudget
from vastplan.model.commitment import Commitment
from vastplan.model.isolation import Isolation
from vastplan.model.isolation_trial import WayTried
from vastplan.model.plan import Plan
from vastplan.model.replication import Replication, ReplicationState
from vastplan.report.budgets import alike_budgets, volume_names
from vastplan.report.commitments import commitment_cells
from vastplan.report.isolation import isolation_verdict, meeting_projects, unenforced_classes
from vastplan.report.isolation_trial import trial_lines
from vastplan.report.markdown_escape import code_span, prose
from vastplan.report.replication import TITLE, line, of_many, split_rows
from vastplan.report.values import counted
from vastplan.report.ways import matrix, way_lines

_SHOWN = 20  # lines of each part


def proof_lines(plan: Plan) -> Iterator[str]:
    """The parts that are not empty."""
    yield from isolation_part(plan.isolation)
    rows = [row for row in plan.commitments if row.over or row.before != row.after]
    quiet = len(plan.commitments) - len(rows)
    more = f"and {counted(quiet, 'sum')} that {'stays' if quiet == 1 else 'stay'}" if quiet else ""
    yield from _part("Promised", [_commitment(row) for row in rows], more)
    yield from _part("Checkpoints", [text for alike in alike_budgets(plan.budgets) for text in _budget(alike)])
    yield from _part(TITLE, two_site_lines(plan.replications))


def isolation_part(proofs: Iterable[Isolation], tried: Iterable[WayTried] = ()) -> Iterator[str]:
    """What is proven of each site, and what was tried; what went through comes first."""
    lines = [text for proof in proofs if proof.namespaces or proof.unknown for text in _isolation(proof)]
    rated = [
        (bool(one.through), f"Tried on {code_span(one.site, 60)}: {prose(text, 1000)}")
        for one in tried
        for text in trial_lines(one)
    ]
    through, refused = ([text for hole, text in rated if hole is wanted] for wanted in (True, False))
    yield from _part("Isolation", [*through, *lines, *refused])


def two_site_lines(rows: Iterable[Replication]) -> list[str]:
    """A line for each object or group; what is not in order comes first."""
    each, together = split_rows(rows)
    rated = [(row.state, f"{code_span(row.address)}: {prose(line(row), 1000)}") for row in each]
    rated += [(alike[0].state, prose(f"{alike[0].state.value}: {of_many(alike)}", 1000)) for alike in together]
    return [text for _, text in sorted(rated, key=lambda entry: entry[0] is ReplicationState.IN_ORDER)]


def _part(title: str, lines: list[str], more: str = "") -> Iterator[str]:
    if lines:
        hidden = len(lines) - _SHOWN
        ends = [*([f"and {hidden} more lines"] if hidden > 0 else []), *([more] if more else [])]
        yield f"\n#### {title}\n" + "".join(f"\n- {text}" for text in (*lines[:_SHOWN], *ends)) + "\n"


def _budget(alike: Sequence[CheckpointBudget]) -> Iterator[str]:
    yield f"{code_span(volume_names(alike))}: {prose(alike[0].line)}"
    for change in alike[0].changes:
        yield f"{code_span(volume_names(alike))} by this plan: {prose(change)}"


def _isolation(isolation: Isolation) -> Iterator[str]:
    if isolation.unknown:
        yield f"On {code_span(isolation.site, 60)}: {isolation_verdict(isolation)}: {prose(isolation.unknown)}"
        return
    yield f"On {code_span(isolation.site, 60)}: {isolation_verdict(isolation)}"
    yield from _reaches(isolation)
    for _, text in way_lines(isolation):
        yield prose(text, 2000)
    for name, state in unenforced_classes(isolation):
        yield f"Class {code_span(name)} is open to everybody: {prose(state)}"
    for meeting in isolation.meetings:
        yield f"They meet in {prose(meeting.layer)} {code_span(meeting.element)}: {prose(meeting_projects(meeting))}"
    for end in isolation.open_ends:
        yield f"Not followed: {prose(end.reason)}: {code_span(end.address)}"


def _reaches(isolation: Isolation) -> Iterator[str]:
    """The cells of the matrix that are not closed, a line for each project that reaches another."""
    (_, *columns), *rows = matrix(isolation) or [["", ""]]
    for row, *cells in rows:
        others = [(name, cell) for name, cell in zip(columns, cells, strict=True) if cell not in ("-", "closed")]
        if others:
            yield f"{code_span(row)} reaches {'; '.join(f'{code_span(name)}: {prose(cell)}' for name, cell in others)}"


def _commitment(row: Commitment) -> str:
    name, before, after, has, share = commitment_cells(row)
    over = " — **more than the site has**" if row.over else ""
    return f"On {code_span(row.site, 60)}: {prose(name)}: {code_span(before)} → {code_span(after)} of {code_span(has)} ({prose(share)}){over}"
