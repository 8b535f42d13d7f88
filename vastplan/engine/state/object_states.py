"""The objects of a plan that are not well by what their own systems report, and the findings about them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set

from vastplan.engine.live.matches import Matches
from vastplan.engine.live.observe import Live
from vastplan.engine.live.users import Users, index_users
from vastplan.model.address import Address
from vastplan.model.finding import Finding, Severity
from vastplan.model.live_state import WELL, Condition, ObjectState, state_text, users_text
from vastplan.model.value import Unknown, references
from vastplan.schema.entries import Entry

_AGAIN = "plan again once it is gone"
_COPY = f"copy what you need of its data before what holds it ends: no apply takes the delete back; {_AGAIN}"
_MENDS = "it may become well by itself: plan again"
_MEND = "mend it at {}: its fields are compared as usual, and no apply changes its state"


def leaving_objects(matches: Matches) -> list[Live]:
    """The live objects of the document and of the ledger that are being deleted."""
    return [live for live in _not_well(matches) if live.state.going_away and _address(matches, live)]


def object_states(matches: Matches, desired: Mapping[Address, Entry]) -> tuple[ObjectState, ...]:
    """The objects of the document and of the ledger that are not well, and those that the document refers to; by address."""
    rows: list[ObjectState] = []
    strangers: dict[tuple[str, str, str], Live] = {}
    unwell = _not_well(matches)
    users = index_users(
        matches.observed, {live.kind.name: live.kind for live in unwell if live.state.going_away}.values()
    )
    for live in unwell:
        address = _address(matches, live)
        if address is None:
            strangers[live.site, live.kind.name, live.id] = live
        else:
            rows.append(ObjectState(str(address), live.state, _users(users.of(live)) if live.state.going_away else ()))
    for live in _referred(matches, desired, strangers) if strangers else ():
        rows.append(ObjectState(str(matches.named(live).target), live.state, managed=False))
    return tuple(sorted(rows, key=lambda row: row.address))


def state_findings(
    rows: Iterable[ObjectState], matches: Matches, desired: Mapping[Address, Entry], elsewhere: Set[str]
) -> Iterator[Finding]:
    """One for each object that is going away or not well, without the addresses that are reported `elsewhere`."""
    for row in rows:
        address = Address.parse(row.address)
        kind, entry = matches.kinds[address.kind], desired.get(address)
        text, where = f"it is {state_text(row.state)}{users_text(row)}", None if entry is None else entry.where
        if row.state.going_away:
            yield Finding("VP354", Severity.WARNING, text, _COPY if kind.data_bearing else _AGAIN, row.address, where)
        elif row.state.condition is Condition.NOT_WELL and row.address not in elsewhere and not kind.mirrored:
            fix = _MENDS if row.state.mends else _MEND.format(address.site)
            yield Finding("VP355", Severity.WARNING, text, fix, row.address, where)


def unfinished_findings(rows: Iterable[ObjectState], desired: Mapping[Address, Entry]) -> Iterator[Finding]:
    """A note for each object of the document that its system still works on."""
    for row in rows:
        entry = desired.get(Address.parse(row.address))
        if row.state.condition is Condition.ON_ITS_WAY and entry is not None:
            text = f"it is {state_text(row.state)}{users_text(row)}"
            yield Finding("VP356", Severity.NOTE, text, "", row.address, entry.where)


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
    """Each user; where a kind of users could not be read, that and why."""
    texts: list[str] = []
    for each in users:
        if isinstance(each.rooms, Unknown):
            texts.append(f"{each.rule.name} that cannot be determined: {each.rooms.why}")
        else:
            texts += [f"{user.kind.name} {user.locator}" for those in each.rooms.values() for user in those]
    return tuple(texts)
