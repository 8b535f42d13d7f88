"""Who changed what outside vastplan, where a system says it. Each system is asked once, about changed objects; no failure stops a plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from vastplan.engine.live.diff import leaves
from vastplan.model.address import Address
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.plan import Action, Author, FieldChange, is_outside_change, outside_move
from vastplan.model.site_ledger import Owned, path_text
from vastplan.model.value import from_json
from vastplan.schema.history import ChangedObject, Historian, Trace, WirePath, zoned_moment
from vastplan.schema.kind import Kind
from vastplan.schema.provider import Provider
from vastplan.schema.walk import wire

SILENT = "the system does not say who"
_UNREADABLE = (AttributeError, KeyError, TypeError, ValueError)


def attribute(
    actions: Iterable[Action],
    owned: Mapping[Address, Owned],
    kinds: Mapping[str, Kind],
    providers: Mapping[tuple[str, str], Provider | Exception],
    silent: str = SILENT,
) -> tuple[Action, ...]:
    """The actions with the time each object was last applied, and with the authors of the changes that they would undo.

    Reads from a system only where something changed outside vastplan. `silent` is why the author is unknown where nobody was found.
    """
    attributed = [
        replace(action, since=owned[action.address].applied) if action.address in owned else action
        for action in actions
    ]
    groups: dict[tuple[str, str], list[int]] = {}
    for number, action in enumerate(attributed):
        if is_outside_change(action) and action.address in owned:
            groups.setdefault((action.address.site, kinds[action.address.kind].system), []).append(number)
    for key, numbers in groups.items():
        sought = [
            ChangedObject(
                kinds[action.address.kind], owned[action.address].id, owned[action.address].locator, action.since
            )
            for action in (attributed[number] for number in numbers)
        ]
        traces, unknown = _traces(providers.get(key), sought, silent)
        for place, number in enumerate(numbers):
            attributed[number] = _with_authors(attributed[number], sought[place].kind, traces.get(place, ()), unknown)
    return tuple(attributed)


def _traces(provider: object, sought: list[ChangedObject], silent: str) -> tuple[dict[int, list[Trace]], str]:
    """The traces of each object, by its index in `sought`, and the reason for objects without one."""
    traces_by_place: dict[int, list[Trace]] = {}
    if isinstance(provider, Exception):
        return traces_by_place, str(provider)
    if not isinstance(provider, Historian):
        return traces_by_place, silent
    try:
        for place, trace in provider.history(sought):
            traces_by_place.setdefault(place, []).append(trace)
    except VastplanError as problem:
        return {}, inert(problem, 200)  # an incomplete history may name the wrong person
    except _UNREADABLE as problem:
        return {}, f"its records do not have the documented form ({type(problem).__name__})"
    return traces_by_place, silent


def _with_authors(action: Action, kind: Kind, traces: Iterable[Trace], unknown: str) -> Action:
    traces = list(traces)
    wires = {
        path_text(leaf.path): wire(kind.fields, leaf.path)
        for leaf in leaves(kind.fields, from_json(dict(action.desired)))
    }

    def of(change: FieldChange) -> FieldChange:
        if not outside_move(change):
            return change
        place = wires.get(change.path, ())
        return replace(change, author=_latest((trace for trace in traces if _touches(trace, place)), unknown))

    changes = tuple(of(change) for change in action.changes)
    if any(outside_move(change) for change in changes):
        return replace(action, changes=changes)
    return replace(action, author=_latest(traces, unknown))


def _latest(traces: Iterable[Trace], unknown: str) -> Author:
    timed = [(time, trace) for trace in traces if (time := zoned_moment(trace.when)) is not None]
    if not timed:
        return Author(untold=unknown)
    _, last = max(timed, key=lambda pair: pair[0])
    return Author(inert(last.who, 120), inert(last.when, 40), inert(last.how, 200))


def _touches(trace: Trace, place: WirePath) -> bool:
    """Whether a recorded change concerns a field: the whole object, a struct around the field, the field, or a part of it."""
    return not trace.paths or any(
        path[: len(place)] == place or place[: len(path)] == path for path in trace.paths if place
    )
