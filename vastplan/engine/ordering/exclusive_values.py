"""Values that two objects of a kind cannot have at once, such as overlapping IP ranges: which object has to free them first.

The order gets an edge where the holder is deleted or frees the values in the same plan; where it does neither, the taker is
blocked in the plan instead of being refused by the server in the middle of an apply.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate
from typing import Any

from vastplan.engine.live.matches import Matches
from vastplan.engine.live.observe import Live
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.escaping import inert
from vastplan.model.ip_ranges import Interval, interval_text, parse_interval
from vastplan.model.plan import Action, Block, Step, Verb
from vastplan.schema.entries import Entry
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind, Values

_Network = tuple[Any, ...]
_TAKING = (Verb.CREATE, Verb.UPDATE, Verb.REPLACE, Verb.ADOPT)


@dataclass(frozen=True, slots=True)
class Held:
    """A value that an action takes and a live object holds. `freed` is the step that frees it, `None` if this plan does not."""

    taker: Address
    freed: tuple[Address, Step] | None
    block: Block
    """The block on the taker, for when nothing frees the value, or only a step that comes after the taker."""


def held_values(
    matches: Matches, desired: Mapping[Address, Entry], actions: Mapping[Address, Action]
) -> Iterator[Held]:
    """Everything that an action takes while another object holds it. The cost is that of sorting plus the size of the result."""
    takers: dict[tuple[str, str], list[Action]] = {}
    for action in actions.values():
        field = _exclusive(matches.kinds[action.address.kind])
        if field is not None and action.address in desired and _takes(action, field):
            takers.setdefault((action.address.site, action.address.kind), []).append(action)
    for (site, name), taking in takers.items():
        kind = matches.kinds[name]
        field = _exclusive(kind)
        assert field is not None
        holders = _Holders(kind, field, matches.observed.objects(site, name))
        for action in taking:
            own = matches.match(action.address).live
            for holder, shared in holders.of(desired[action.address].values):
                if own is None or holder.id != own.id:
                    address = matches.address_of(holder)
                    freed = _freed(address, action.address, actions, desired, kind, field)
                    block = _overlap(field.name, shared, _name(holder, address, matches), freed is not None)
                    yield Held(action.address, freed, block)


def _exclusive(kind: Kind) -> Field | None:
    return next((field for field in kind.fields if field.exclusive is not None), None)


def _takes(action: Action, field: Field) -> bool:
    assert field.exclusive is not None
    if action.verb in (Verb.CREATE, Verb.REPLACE):
        return True
    named = {field.name, *field.exclusive.within}
    return action.verb in _TAKING and any(change.path.partition(".")[0] in named for change in action.changes)


def _freed(
    address: Address | None,
    taker: Address,
    actions: Mapping[Address, Action],
    desired: Mapping[Address, Entry],
    kind: Kind,
    field: Field,
) -> tuple[Address, Step] | None:
    """The step in which the object at an address frees all that the taker wants; `None` if this plan does not free it."""
    action = actions.get(address) if address is not None else None
    if address is None or action is None:
        return None
    if action.verb is Verb.DELETE:
        return address, Step.DELETE
    if address not in desired or not _takes(action, field):
        return None
    wanted, kept = desired[taker].values, desired[address].values
    keeps = _network(kind, field, wanted) == _network(kind, field, kept) and any(
        _common(interval, other) for interval in _intervals(field, wanted) for other in _intervals(field, kept)
    )
    return None if keeps else (address, Step.DELETE if action.verb is Verb.REPLACE else Step.WRITE)


def _overlap(field: str, shared: Interval, holder: str, freed: bool) -> Block:
    text = f"{field} share {interval_text(shared)} with {holder}"
    if not freed:
        return Block("overlap", f"{text}, which exists", "write other addresses, or free those first")
    text = f"{text}, which frees them only after this"
    return Block("overlap", text, "free them there in one apply, and use them here in the next")


def _name(holder: Live, address: Address | None, matches: Matches) -> str:
    name = f"{holder.kind.name} {inert(holder.name, 80)}"
    is_owned = address is not None and address in matches.owned
    return name if is_owned else f"{name} (not in the ledger)"


class _Holders:
    """The live objects of a kind by the intervals that they hold, sorted, so that those that overlap one are found quickly."""

    def __init__(self, kind: Kind, field: Field, lives: Iterable[Live]) -> None:
        self._kind, self._field = kind, field
        self._by_network: dict[_Network, list[tuple[Interval, Live]]] = {}
        for live in lives:
            network = _network(kind, field, live.values)
            for interval in _intervals(field, live.values):
                self._by_network.setdefault((interval[0], *network), []).append((interval, live))
        self._reach: dict[_Network, list[int]] = {}
        for network, holding in self._by_network.items():
            holding.sort(key=lambda item: item[0])
            self._reach[network] = list(accumulate((interval[2] for interval, _ in holding), max))

    def of(self, values: Values) -> Iterator[tuple[Live, Interval]]:
        """The live objects that hold a part of the intervals in `values`, each with the first part that both share."""
        reported: set[str] = set()
        network = _network(self._kind, self._field, values)
        for interval in _intervals(self._field, values):
            holding = self._by_network.get((interval[0], *network), [])
            reach = self._reach.get((interval[0], *network), [])
            index = bisect_right(holding, interval[2], key=lambda item: item[0][1]) - 1
            while index >= 0 and reach[index] >= interval[1]:
                other, live = holding[index]
                shared = _common(interval, other)
                if shared is not None and live.id not in reported:
                    reported.add(live.id)
                    yield live, shared
                index -= 1


def _intervals(field: Field, values: Values) -> list[Interval]:
    intervals = []
    for text in values.get(field.name) or ():
        try:
            intervals.append(parse_interval(str(text)))
        except ValueError:
            continue  # a value in another form is left to the server to check
    return intervals


def _network(kind: Kind, field: Field, values: Values) -> _Network:
    assert field.exclusive is not None
    scopes = [(kind.field(name), values.get(name)) for name in field.exclusive.within]
    return tuple(None if value in within.cleared else value for within, value in scopes)


def _common(first: Interval, second: Interval) -> Interval | None:
    start, end = max(first[1], second[1]), min(first[2], second[2])
    return (first[0], start, end) if first[0] == second[0] and start <= end else None
