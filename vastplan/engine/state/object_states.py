"""The objects of a plan that are not well by what their own systems report, and the findings about them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from vastplan.engine.live.matches import Matches
from vastplan.engine.live.observe import Live
from vastplan.engine.live.users import Users, index_users
from vastplan.model.address import Address
from vastplan.model.finding import Finding, Severity
from vastplan.model.live_state import WELL, Condition, ObjectState, state_text, users_text
from vastplan.model.value import Unknown, references
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind

CODES = {Condition.GOING_AWAY: "VP354", Condition.NOT_WELL: "VP355", Condition.ON_ITS_WAY: "VP356"}


def going_away(matches: Matches) -> list[Live]:
    """The live objects of the document and of the ledger that are being deleted."""
    return [
        live for live in _not_well(matches) if live.state.condition is Condition.GOING_AWAY and _address(matches, live)
    ]


def object_states(matches: Matches, desired: Mapping[Address, Entry]) -> tuple[ObjectState, ...]:
    """The objects of the document and of the ledger that are not well, and those that the document refers to; by address."""
    rows: list[ObjectState] = []
    strangers: dict[tuple[str, str, str], Live] = {}
    unwell = _not_well(matches)
    users = index_users(matches.observed, {live.kind.name: live.kind for live in unwell if live.kind.used_by}.values())
    for live in unwell:
        address = _address(matches, live)
        if address is None:
            strangers[live.site, live.kind.name, live.id] = live
        else:
            rows.append(ObjectState(str(address), live.state, _users(users.of(live))))
    for live in _referred(matches, desired, strangers) if strangers else ():
        rows.append(ObjectState(str(matches.named(live).target), live.state, managed=False))
    return tuple(sorted(rows, key=lambda row: row.address))


def state_findings(
    rows: Iterable[ObjectState], matches: Matches, desired: Mapping[Address, Entry]
) -> Iterator[Finding]:
    """One for each object that is not well; a note for one that its system still works on."""
    for row in rows:
        condition, address = row.state.condition, Address.parse(row.address)
        entry = desired.get(address)
        severity = Severity.NOTE if condition is Condition.ON_ITS_WAY else Severity.WARNING
        yield Finding(
            CODES[condition],
            severity,
            f"it is {state_text(row.state)}{users_text(row)}",
            _to_do(condition, matches.kinds[address.kind]) if row.managed else "",
            row.address,
            None if entry is None else entry.where,
        )


def _to_do(condition: Condition, kind: Kind) -> str:
    """What to do about an object of the document or of the ledger."""
    if condition is not Condition.GOING_AWAY:
        return ""
    copied = (
        "copy what you need of its data before what holds it ends, because the delete cannot be taken back; "
        if kind.data_bearing
        else ""
    )
    return f"{copied}plan again once it is gone"


def _not_well(matches: Matches) -> list[Live]:
    return [
        live
        for collection in matches.observed.collections.values()
        for live in collection.objects
        if live.state is not WELL and live.state.condition is not Condition.WELL
    ]


def _address(matches: Matches, live: Live) -> Address | None:
    address = matches.address_of(live)
    return address if address is not None and (address in matches.desired or address in matches.owned) else None


def _referred(
    matches: Matches, desired: Mapping[Address, Entry], strangers: Mapping[tuple[str, str, str], Live]
) -> Iterator[Live]:
    """Those of some objects that an entry refers to, each once."""
    left = dict(strangers)
    for entry in desired.values():
        for ref in references(entry.values):
            live = None if ref.managed else matches.referred(ref)
            if live is not None and left.pop((live.site, live.kind.name, live.id), None) is not None:
                yield live


def _users(users: Iterable[Users]) -> tuple[str, ...]:
    return tuple(
        f"{user.kind.name} {user.locator}"
        for each in users
        if not isinstance(each.rooms, Unknown)
        for those in each.rooms.values()
        for user in those
    )
