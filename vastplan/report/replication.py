"""Objects on two sites, for people: which site is the source, how old the copy is, and what is still to come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from vastplan.model.escaping import inert
from vastplan.model.formatting import span
from vastplan.model.replication import ABSENT, ARMED_FOR, Member, Readiness, Replication, ReplicationState
from vastplan.model.units import BYTES, show_amount
from vastplan.model.wording import counted, some

if TYPE_CHECKING:
    from vastplan.report.style import Style

TITLE = "On two sites"
_MANY, _NAMED = 5, 4
_RAN = ("Running", "Completed")
HEAD = ("object", "state", "site", "its report", "data as of", "arrived", "to come")
_COLOURS = {
    ReplicationState.IN_ORDER: "green", ReplicationState.SPLIT: "red", ReplicationState.FAILED_OVER: "red",
    ReplicationState.COPY_GONE: "red",
}  # fmt: skip


def replication_lines(rows: Iterable[Replication], style: Style) -> Iterator[str]:
    """No lines if nothing is on two sites."""
    each, together = split_rows(rows)
    if each or together:
        yield ""
        yield style.paint(TITLE, "bold")
    for row in each:
        state = style.paint(row.state.value, _COLOURS.get(row.state, "yellow"))
        yield f"  {inert(row.address)}: {state}{why(row)}"
        yield from (f"      {inert(side.site)}: {member(side)}" for side in row.members)
        if row.readiness is not None:
            yield f"      {readiness(row.readiness)}"
    for alike in together:
        state = style.paint(alike[0].state.value, _COLOURS.get(alike[0].state, "yellow"))
        yield f"  {state}: {of_many(alike)}"


def split_rows(rows: Iterable[Replication]) -> tuple[list[Replication], list[list[Replication]]]:
    """The rows that are reported one by one, and the groups of rows that are reported alike and therefore once."""
    alike: dict[tuple[object, ...], list[Replication]] = {}
    for row in rows:
        unread = tuple(sorted((side.site, side.unread) for side in row.members if side.unread))
        alike.setdefault((row.state, row.text, row.parted, unread), []).append(row)
    groups = [group for group in alike.values() if len(group) >= _MANY]
    return [row for group in alike.values() if len(group) < _MANY for row in group], groups


def of_many(alike: Sequence[Replication]) -> str:
    """One line for many rows: how many, which, the oldest copy and the bytes still to come."""
    first = alike[0]
    named = some([inert(row.address) for row in alike], _NAMED)
    oldest = min((row.as_of for row in alike if row.as_of), default="")
    amounts = [row.coming for row in alike if row.coming is not None]
    parts = [
        f"{counted(len(alike), 'object')}{why(first)}",
        *([f"the oldest copy as of {inert(oldest, 60)}"] if oldest else []),
        *([f"{show_amount(sum(amounts), BYTES)} to come in all"] if amounts else []),
        *(f"{inert(side.site)}: {_unread(side)}" for side in first.members if side.unread),
        *_of_readiness(alike),
        f"{named}{'; the JSON and the page list each' if len(alike) > _NAMED else ''}",
    ]
    return "; ".join(parts)


def why(row: Replication) -> str:
    """`: TEXT`, or "" without a text."""
    return f": {inert(row.text, 600)}" if row.text else ""


def line(row: Replication) -> str:
    """All of it in one line."""
    ready = [] if row.readiness is None else [readiness(row.readiness)]
    sides = (f"{inert(side.site)}: {member(side)}" for side in row.members)
    return "; ".join((row.state.value + why(row), *sides, *ready))


def readiness(ready: Readiness) -> str:
    """Whether it is armed, and how the last rehearsal ended; what to type where one is missing, old or counts no more."""
    arm, ago = inert(ready.arm, None), f"{span(ready.armed_ago)} ago"
    if not ready.counts:
        why = f"{inert(ready.lapsed, 200)} (it was armed {ago}): " if ready.armed else ""
        return f"not armed: {why}{arm}; {_rehearsal(ready)}"
    kept = f"{counted(ready.kept, 'workload')} kept{f', {ready.not_kept} not kept' if ready.not_kept else ''}"
    old = f" (old, arm again: {arm})" if ready.old else ""
    return f"armed for {inert(ready.target)} {ago}: {kept}{old}; {_rehearsal(ready)}"


def _rehearsal(ready: Readiness) -> str:
    if not ready.rehearsed:
        return f"not rehearsed: {inert(ready.rehearse, None)}"
    amiss = [f"{inert(name, 80)} {inert(phase, 40)}" for name, phase in ready.workloads.items() if phase not in _RAN]
    outcome = ", ".join(amiss) or ("all ran" if ready.workloads else "no workload was tried")
    return f"rehearsed {span(ready.rehearsed_ago)} ago in {span(ready.seconds)}: {outcome}"


def _of_readiness(alike: Sequence[Replication]) -> Iterator[str]:
    """How many of the rows are armed and rehearsed, and what to type for the first that is not."""
    every = [row.readiness for row in alike if row.readiness is not None]
    if every:
        missing = [ready.arm for ready in every if not ready.counts or ready.old]
        tried = sum(1 for ready in every if ready.rehearsed)
        yield f"{len(every) - len(missing)} of {len(every)} armed within {span(ARMED_FOR)}, {tried} rehearsed" + (
            f" (the first that is not armed: {inert(missing[0], None)})" if missing else ""
        )


def member(side: Member) -> str:
    """What one site reports."""
    if side.unread:
        return _unread(side)
    figures = (("data as of", side.as_of), ("arrived", side.arrived), ("to come", coming(side)))
    return "; ".join((member_state(side), *(f"{name} {inert(text, 60)}" for name, text in figures if text)))


def _unread(side: Member) -> str:
    return ABSENT if side.unread == ABSENT else f"cannot be read: {inert(side.unread, 200)}"


def member_state(side: Member) -> str:
    """Its role and state, its health and its link."""
    if side.unread:
        return _unread(side)
    words = [side.role or "no role", side.state or "no state", *(["suspended"] if side.suspended else [])]
    words += [side.health] if side.health else []
    words += [f"peer {side.peer}"] if side.peer else []
    return ", ".join(inert(word, 60) for word in words)


def coming(side: Member) -> str:
    """How much is still to come, "" if unknown."""
    return "" if side.coming is None else show_amount(side.coming, BYTES)


def replication_rows(row: Replication) -> Iterator[tuple[str, ...]]:
    """The rows of a table, in the order of `HEAD`: one for each site."""
    for side in row.members:
        yield (
            inert(row.address), f"{row.state.value}{why(row)}", inert(side.site), member_state(side),
            inert(side.as_of, 60), inert(side.arrived, 60), coming(side),
        )  # fmt: skip
