"""Objects on two sites, for people: which site is the source, how old the copy is, and what is still to come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from vastplan.model.escaping import inert
from vastplan.model.replication import ABSENT, Member, Replication, ReplicationState
from vastplan.model.units import BYTES, show_amount
from vastplan.model.wording import counted, some

if TYPE_CHECKING:
    from vastplan.report.style import Style

TITLE = "On two sites"
_MANY, _NAMED = 5, 4
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
        f"{named}{'; the JSON and the page list each' if len(alike) > _NAMED else ''}",
    ]
    return "; ".join(parts)


def why(row: Replication) -> str:
    """`: TEXT`, or "" without a text."""
    return f": {inert(row.text, 600)}" if row.text else ""


def line(row: Replication) -> str:
    """All of it in one line."""
    return "; ".join((row.state.value + why(row), *(f"{inert(side.site)}: {member(side)}" for side in row.members)))


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
