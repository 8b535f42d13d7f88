"""Data that an entry leaves behind: what held it is dropped or replaced, and the entry is created at another place. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from vastplan.engine.live.groups import on_any_site
from vastplan.engine.live.matches import Matches
from vastplan.engine.live.observe import Live
from vastplan.engine.matching.usage import figure_text, own_figures
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.escaping import inert
from vastplan.model.finding import Finding, Severity
from vastplan.model.plan import Action, Verb
from vastplan.model.shell import word
from vastplan.model.site_ledger import Owned
from vastplan.model.value import Unknown
from vastplan.schema.dependents import DataPlace
from vastplan.schema.entries import Entry

_COPY = "to take it along, copy it with a client of both places before the old one is deleted"


@dataclass(frozen=True, slots=True)
class _Left:
    """A live object with data that its entry leaves behind; `of` is that entry, or the object's own address."""

    address: Address
    of: str
    live: Live

    @property
    def figures(self) -> list[str]:
        """How much is used there, for people; empty where its system has no such figure."""
        return [
            f"cannot determine how much is {name}"
            if isinstance(figure, Unknown)
            else f"{name} {figure_text(figure, unit)}"
            for name, figure, unit in own_figures(self.live)
            if unit and not isinstance(figure, Mapping)
        ]

    def __str__(self) -> str:
        values = ((name, self.live.values.get(name)) for name in _place(self.live).fields)
        facts = [*(f"{name} {inert(value, 200)}" for name, value in values if isinstance(value, str)), *self.figures]
        return ", ".join(facts)


def left_data(
    matches: Matches, desired: Mapping[Address, Entry], actions: Mapping[Address, Action], typed: str
) -> Iterator[Finding]:
    """VP360: a warning for each entry whose new object starts without the data that the entry has at another place, in an object of
    this or of another kind.

    None for an entry that two sites share and whose object stays on one of them: its data is copied from there.
    """
    created = _created(matches, actions)
    if not created:
        return
    shared = {_entry_of(address, entry) for address, entry in desired.items() if matches.kinds[address.kind].grouped}
    left: dict[str, list[_Left]] = {}
    kept = set()
    for address, owned in matches.owned.items():
        if matches.kinds[address.kind].data_place is None or address in matches.formers:
            continue
        entry = desired.get(address)
        origin = (owned.origin if entry is None else entry.origin) or str(address)
        live = matches.match(address).live
        if entry is not None and not _leaves_its_place(actions.get(address), matches, created):
            kept.add((address.kind, on_any_site(origin)))
        elif live is not None and _holds_data(live, owned):
            left.setdefault(on_any_site(origin), []).append(_Left(address, origin, live))
    for address, action in created.items():
        entry = desired[address]
        key = _entry_of(address, entry)
        behind = left.get(key, ())
        if behind and not (key in shared and (address.kind, key) in kept):
            yield _finding(action, entry, behind, typed)


def _created(matches: Matches, actions: Mapping[Address, Action]) -> dict[Address, Action]:
    """The creates of objects that start without data: new ones, and replaced ones at another place."""
    created = {}
    for address, action in actions.items():
        place = matches.kinds[address.kind].data_place
        if place is None or (place.points_by and action.desired.get(place.points_by) is not None):
            continue
        moved = action.verb is Verb.REPLACE and (not place.stays or _changed(action, place))
        if moved or (action.verb is Verb.CREATE and address not in matches.owned):
            created[address] = action
    return created


def _leaves_its_place(action: Action | None, matches: Matches, created: Mapping[Address, Action]) -> bool:
    """Whether an action replaces an object by one at another place, or by one that only points to data."""
    if action is None or action.verb is not Verb.REPLACE:
        return False
    place = matches.kinds[action.address.kind].data_place
    points = place is not None and place.points_by != "" and action.desired.get(place.points_by) is not None
    return points or action.address in created


def _changed(action: Action, place: DataPlace) -> set[str]:
    """The fields of the place that an action changes."""
    return {change.path for change in action.changes if change.path in place.fields}


def _place(live: Live) -> DataPlace:
    place = live.kind.data_place
    assert place is not None
    return place


def _holds_data(live: Live, owned: Owned) -> bool:
    """Whether something is used there; what could not be read counts as used."""
    if _place(live).points_by in owned.fields:
        return False
    return any(live.metrics[name] != 0 for name in live.kind.in_use)


def _entry_of(address: Address, entry: Entry) -> str:
    return on_any_site(entry.origin or str(address))


def _finding(action: Action, entry: Entry, behind: Iterable[_Left], typed: str) -> Finding:
    address = action.address
    new = entry.origin or str(address)
    same = [old for old in behind if old.address == address]
    own = same or [old for old in behind if old.of == new]
    old = (own or [old for old in behind if old.address.site != address.site] or list(behind))[0]
    place = _place(old.live)
    whose = f"the data that it has now ({old})" if own else f"the data of {old.of} ({old})"
    way = place.to_site if old.address.site != address.site and old.address.kind == address.kind else ""
    if same and len(changed := _changed(action, place)) == 1:
        way = place.within.get(changed.pop(), "")
    if way:
        desired = {name: word(str(action.desired.get(name))) for name in place.fields}
        sites = {"old": word(old.of), "there": old.address.site, "here": address.site, "document": typed}
        way = "to take it along: " + way.format(**desired, **sites)
    text = f"it is created without {whose}: no apply takes data along"
    return Finding("VP360", Severity.WARNING, text, way or _COPY, new, entry.where)
