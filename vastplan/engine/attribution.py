"""Who moved what, where a system tells: asked only about what moved, once a system, and never a reason to fail."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from vastplan.engine.diff import leaves
from vastplan.model.address import Address
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.plan import Action, Author, FieldChange, by_hand, moved_by_hand
from vastplan.model.site_ledger import Owned, path_text
from vastplan.model.value import from_json
from vastplan.schema.history import Historian, Sought, Trace, WirePath, moment
from vastplan.schema.kind import Kind
from vastplan.schema.provider import Provider
from vastplan.schema.walk import wire

SILENT = "the system does not tell"
_UNREADABLE = (AttributeError, KeyError, TypeError, ValueError)


def attribute(
    actions: Iterable[Action],
    owned: Mapping[Address, Owned],
    kinds: Mapping[str, Kind],
    providers: Mapping[tuple[str, str], Provider | Exception],
) -> tuple[Action, ...]:
    """The actions with when each object was last applied, and who made the changes that they would undo.

    Sends reads where something moved, and nothing otherwise.
    """
    all_ = [replace(one, since=owned[one.address].applied) if one.address in owned else one for one in actions]
    groups: dict[tuple[str, str], list[int]] = {}
    for number, action in enumerate(all_):
        if by_hand(action) and action.address in owned:
            groups.setdefault((action.address.site, kinds[action.address.kind].system), []).append(number)
    for key, numbers in groups.items():
        sought = [
            Sought(kinds[one.address.kind], owned[one.address].id, owned[one.address].locator, one.since)
            for one in (all_[number] for number in numbers)
        ]
        traces, silent = _asked(providers.get(key), sought)
        for place, number in enumerate(numbers):
            all_[number] = _told(all_[number], sought[place].kind, traces.get(place, ()), silent)
    return tuple(all_)


def _asked(provider: object, sought: list[Sought]) -> tuple[dict[int, list[Trace]], str]:
    """The traces of each object, by its place, and why there may be none."""
    found: dict[int, list[Trace]] = {}
    if isinstance(provider, Exception):
        return found, str(provider)
    if not isinstance(provider, Historian):
        return found, SILENT
    try:
        for place, trace in provider.history(sought):
            found.setdefault(place, []).append(trace)
    except VastplanError as problem:
        return {}, inert(problem, 200)  # half of a history may end with the wrong person
    except _UNREADABLE as problem:
        return {}, f"its records do not have the documented form ({type(problem).__name__})"
    return found, SILENT


def _told(action: Action, kind: Kind, traces: Iterable[Trace], silent: str) -> Action:
    traces = list(traces)
    wires = {
        path_text(leaf.path): wire(kind.fields, leaf.path)
        for leaf in leaves(kind.fields, from_json(dict(action.desired)))
    }

    def of(change: FieldChange) -> FieldChange:
        if not moved_by_hand(change):
            return change
        place = wires.get(change.path, ())
        return replace(change, author=_last((one for one in traces if _touches(one, place)), silent))

    changes = tuple(of(change) for change in action.changes)
    if any(moved_by_hand(change) for change in changes):
        return replace(action, changes=changes)
    return replace(action, author=_last(traces, silent))


def _last(traces: Iterable[Trace], silent: str) -> Author:
    known = [(time, one) for one in traces if (time := moment(one.when)) is not None]
    if not known:
        return Author(untold=silent)
    _, last = max(known, key=lambda pair: pair[0])
    return Author(inert(last.who, 120), inert(last.when, 40), inert(last.how, 200))


def _touches(trace: Trace, place: WirePath) -> bool:
    """Whether a change was about a place: of the whole object, above it, or inside it."""
    return not trace.paths or any(
        one[: len(place)] == place or place[: len(one)] == one for one in trace.paths if place
    )
