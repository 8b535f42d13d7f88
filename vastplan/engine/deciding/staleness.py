"""Whether a plan is stale: the values and figures that it was made from, compared with the live ones at apply. Pure.

Values are compared leaf by leaf, exactly. Figures of use are compared in bands, so that one byte or file written does not
make a plan stale: a figure of 1000 or more may grow up to twice that; any growth of a smaller one (bound claims, GPUs, nothing
at all) makes the plan stale. So does a figure that can no longer be determined; a smaller figure never does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from vastplan.engine.access.narrowing import Narrowing, narrowings
from vastplan.engine.guards.evidence_reads import kinds_to_index
from vastplan.engine.live.diff import leaves, same, value_at
from vastplan.engine.live.floors import too_low
from vastplan.engine.live.matches import Matches
from vastplan.engine.matching import usage
from vastplan.engine.matching.contents import LIMITING, ContentsIndex, index_contents
from vastplan.engine.matching.dependents import DependentsIndex, going, index_dependents
from vastplan.engine.matching.referrers import index_referrers
from vastplan.model.address import Address
from vastplan.model.errors import Stale
from vastplan.model.escaping import inert
from vastplan.model.outcome import StaleField
from vastplan.model.plan import GOING, Action, Plan, let_go
from vastplan.model.site_ledger import path_text
from vastplan.model.units import show_amount
from vastplan.model.value import Ref, SecretSource, Unknown, from_json, to_json
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind, Values
from vastplan.schema.markers import Marker

MANY, GROWTH = 1000, 2
"""A figure of at least `MANY` (bytes, files) may grow up to `GROWTH` times that; a smaller one may not grow."""
_HIDDEN = frozenset({Marker.SENSITIVE, Marker.WRITE_ONLY})
_NAMED = 4


def owned_values(kind: Kind, values: Values, owned: Mapping[str, str]) -> dict[str, Any]:
    """The live values of the owned leaves, by path, as JSON: all that the plan of a delete is made from.

    References are raw values, because the names of their targets may no longer be known when the delete begins.
    """
    return {
        path_text(leaf.path): to_json(leaf.value)
        for leaf in leaves(kind.fields, values)
        if path_text(leaf.path) in owned and not _hides(leaf.field, leaf.value)
    }


def moved_since(kind: Kind, action: Action, desired: Values, current: Values) -> tuple[StaleField, ...]:
    """The fields that changed since an update or replacement was planned. The plan has the former value of each field that it
    changes; the other fields were as the document says."""
    # The plan has a reference that is detached and attached again as that one reference, not as the value of its field.
    before = {change.path: change.before for change in action.changes if not let_go(change)}
    fields = []
    for leaf in leaves(kind.fields, desired):
        path, now = path_text(leaf.path), value_at(current, leaf.path)
        if _hides(leaf.field, leaf.value):
            continue
        if path in before:
            if from_json(to_json(now)) != from_json(before[path]):  # whether or not a reference is managed
                fields.append(StaleField(path, before[path], to_json(now), leaf.field.unit))
        elif not same(leaf.field, leaf.value, now):
            fields.append(StaleField(path, to_json(leaf.value), to_json(now), leaf.field.unit))
    return tuple(fields)


def moved_unseen(kind: Kind, then: Mapping[str, Any], values: Values) -> tuple[StaleField, ...]:
    """The fields of an object to delete that changed since the plan recorded them (`owned_values`)."""
    units = {path_text(leaf.path): leaf.field.unit for leaf in leaves(kind.fields, values)}
    now = owned_values(kind, values, dict.fromkeys(then, ""))
    return tuple(
        StaleField(path, value, now.get(path), units.get(path, ""))
        for path, value in then.items()
        if now.get(path) != value and path.partition(".")[0] not in kind.ignored_on_delete
    )


def outgrown(kind: Kind, action: Action, metrics: Mapping[str, Any]) -> tuple[StaleField, ...]:
    """The figures of use that have left the band in which the plan recorded them."""
    weighed = {figure.name: figure.value for figure in action.evidence}
    units = {fact.name: fact.unit for fact in kind.metrics}
    fields = []
    for name in kind.in_use:
        then, now, unit = weighed.get(name, 0), metrics[name], units.get(name, "")
        if grown(then, now):
            fields.append(StaleField(name, then, str(now) if isinstance(now, Unknown) else now, unit))
    return tuple(fields)


def grown(then: Any, now: Any) -> bool:
    """Whether a figure of use has left the band in which the plan recorded it, or can no longer be determined."""
    if not isinstance(now, int | float):
        return str(now) != str(then)
    before = then if isinstance(then, int | float) else 0
    return now > before * (GROWTH if before >= MANY else 1)


def overtaken(plan: Plan, matches: Matches) -> dict[Address, str]:
    """The actions whose evidence has grown since they were planned, with the reason: dependents, or clients that would be cut off."""
    actions = plan.by_address()
    dependents = index_dependents(matches.observed, going(matches.kinds, actions.values()))
    contents = index_contents(matches.observed, matches.kinds, actions.values())
    referrers = index_referrers(matches.observed, kinds_to_index(matches.kinds, actions))
    narrowed = narrowings(matches, actions, referrers, dependents)
    grown = {
        action.address: _outgrown_evidence(action, matches, dependents, contents, narrowed.get(action.address))
        for action in plan.actions
        if not action.blocked
    }
    return {address: text for address, text in grown.items() if text}


def _outgrown_evidence(
    action: Action,
    matches: Matches,
    dependents: DependentsIndex,
    contents: ContentsIndex,
    narrowing: Narrowing | None,
) -> str:
    live = matches.match(action.address).live
    now = [*usage.weighed(live, dependents)] if live is not None and action.verb in GOING else []
    now += narrowing.evidence if narrowing is not None else ()
    then = {figure.name: figure.value for figure in action.evidence}
    for figure in now:
        if grown(then.get(figure.name, 0), figure.value):
            return (
                f"{figure.name}: {then.get(figure.name, 0)} when the plan was made and {figure.value} now; plan again"
            )
    if live is None or not live.kind.contents or action.verb not in LIMITING:
        return ""
    before = {change.path: change.before for change in action.changes}
    block = too_low(live.kind, from_json(dict(action.desired)), before, contents.of(live))
    return f"{block.message}; plan again" if block is not None else ""


def stale(moved: tuple[StaleField, ...]) -> Stale:
    """The error for changed fields, with the planned and the live value of each."""
    values = "; ".join(
        f"{inert(field.path, 80)} was {_plain(field.planned, field.unit)} and is {_plain(field.live, field.unit)} now"
        for field in moved[:_NAMED]
    )
    more = f"; {len(moved) - _NAMED} more" if len(moved) > _NAMED else ""
    return Stale(
        f"it changed since the plan was made: {values or 'in fields that the document does not set'}{more}; plan again",
        moved,
    )


def _hides(field: Field, value: Any) -> bool:
    return (
        bool(field.markers & _HIDDEN)
        or field.secret
        or any(isinstance(scalar, SecretSource) for scalar in _scalars(value))
    )


def _scalars(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _scalars(item)
    else:
        yield value


def _plain(value: Any, unit: str) -> str:
    """A value as a person would write it, in one line without control characters."""
    value = from_json(value)
    if value is None:
        return "unset"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return inert("[" + ", ".join(_plain(item, unit) for item in value) + "]", 120)
    if isinstance(value, Ref):
        return inert(value, 80)
    return inert(show_amount(value, unit), 80)
