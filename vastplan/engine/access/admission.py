"""The clients that an object lets in, by its own fields and by what it refers to, and those that a change cuts off. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from vastplan.engine.live.matches import Matches
from vastplan.engine.live.observe import Live
from vastplan.model.address import Address
from vastplan.model.ip_ranges import lost_parts
from vastplan.model.plan import Action, FieldChange, Verb
from vastplan.model.value import Ref, from_json, references, to_json
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind, Values
from vastplan.schema.markers import Admits, AsWitness, Refers, Revokes, SameAs
from vastplan.schema.opening import open_to_all

_KEEPING = (Verb.UPDATE, Verb.ADOPT)
_EVERYBODY_ELSE = ["everybody else"]


def lost_clients(action: Action, kind: Kind, live: Live | None) -> dict[str, list[str]]:
    """By changed field, the clients that it would no longer let in."""
    if action.verb not in _KEEPING:
        return {}
    fields = kind.fields.by_name
    # A reference that is detached and attached again has a change of its own, beside the one that may narrow its field.
    changes = [
        (change, field.admits)
        for change in action.changes
        if (field := fields.get(change.path)) is not None and field.admits is not None and not change.known_after_apply
    ]
    if not changes:
        return {}
    before = to_json(live.values) if live is not None else {}
    after = {**before, **action.desired}
    lost = {
        change.path: _lost(
            change.path, admits, {**before, change.path: change.before}, {**after, change.path: change.after}
        )
        for change, admits in changes
    }
    return _once(lost, {change.path: admits for change, admits in changes})


def taken_away(action: Action, kind: Kind) -> dict[str, list[str]]:
    """By field, the access rights that an update or adoption removes, whoever uses them. A replace counts as a delete."""
    if action.verb not in _KEEPING:
        return {}
    fields = kind.fields.by_name
    gone = {
        change.path: revoked(field.revokes, change.before, change.after)
        for change in action.changes
        if (field := fields.get(change.path)) is not None and field.revokes is not None
    }
    return {path: texts for path, texts in gone.items() if texts}


def lost_rights(
    action: Action, kind: Kind, matches: Matches, actions: Mapping[Address, Action]
) -> dict[str, list[str]]:
    """`taken_away` without the targets in whose place the field gets one that gives as much (a policy that lets read by one that lets write)."""
    changes = {change.path: change for change in action.changes}
    gone = {
        path: [text for text in texts if not _given(text, changes[path], matches, actions)]
        for path, texts in taken_away(action, kind).items()
    }
    return {path: texts for path, texts in gone.items() if texts}


def _given(text: str, change: FieldChange, matches: Matches, actions: Mapping[Address, Action]) -> bool:
    was = next((ref for ref in references(from_json(change.before)) if str(ref.target) == text), None)
    live = _live_at(was.target, matches) if was is not None else None
    if live is None:
        return False
    of_kind = [ref for ref in references(from_json(change.after)) if ref.target.kind == live.kind.name]
    return any(_gives(values_after(ref, matches, actions) or {}, live) for ref in of_kind)


def _gives(values: Values, live: Live) -> bool:
    """Whether an object with these values gives every access right that a live object of its kind gives; false where one is not known."""
    rules = [
        (field.revokes, live.values.get(field.name), values.get(field.name))
        for field in live.kind.fields
        if field.revokes
    ]
    return bool(rules) and all(before is not None and not revoked(rule, before, after) for rule, before, after in rules)


def revoked(rule: Revokes, before: Any, after: Any) -> list[str]:
    """The items removed from a value that gives access."""
    if rule.lost is not None:
        return rule.lost(before, after)
    had = [before] if before in rule.of else [] if rule.of else before
    return [text for text in _values(had) if text not in _values(after)]


def taken_by_moves(
    action: Action, kind: Kind, live: Live, matches: Matches, actions: Mapping[Address, Action]
) -> dict[str, tuple[Revokes, list[str]]]:
    """The access rights that the object loses because it refers to another target: those of the target now that the new one lacks.

    The keys name the field, the new target and the target's field.
    """
    gone: dict[str, tuple[Revokes, list[str]]] = {}
    for change, refers in retargeted_fields(action, kind):
        before, after = _referred(live, change.path, refers, matches), from_json(change.after)
        if before is not None and isinstance(after, Ref):
            then = values_after(after, matches, actions) or {}
            for field in before.kind.fields:
                if field.revokes is not None:
                    texts = revoked(field.revokes, before.values.get(field.name), then.get(field.name))
                    gone[f"{change.path} {after.target.name} ({field.name})"] = field.revokes, texts
    return {key: (rule, texts) for key, (rule, texts) in gone.items() if texts}


def retargeted_fields(action: Action, kind: Kind) -> list[tuple[FieldChange, Refers]]:
    """The changes of fields that refer to what lets clients in (`admits`): the new target may let in others."""
    fields = kind.fields.by_name if action.verb in _KEEPING else {}
    return [
        (change, field.refers)
        for change in action.changes
        if (field := fields.get(change.path)) is not None
        and field.refers is not None
        and field.refers.admits
        and not change.known_after_apply
    ]


def lost_by_moves(
    action: Action, kind: Kind, live: Live, matches: Matches, actions: Mapping[Address, Action]
) -> dict[str, list[str]]:
    """The clients that the target now lets in and the new target would not. The keys name the field, the new target and its field."""
    lost: dict[str, list[str]] = {}
    for change, refers in retargeted_fields(action, kind):
        lost |= _lost_by_move(
            change, _referred(live, change.path, refers, matches), matches, actions, _unused(kind, live, change.path)
        )
    return lost


def _unused(kind: Kind, live: Live, path: str) -> Callable[[str], bool]:
    """Whether a field of what the object refers to by `path` lists clients only of items (protocols) that the object does not have."""
    rules = [
        (rule, {*live.values.get(field.name, ())})
        for field in kind.fields
        if field.admits is not None
        and (rule := field.admits.through) is not None
        and rule.refers == path
        and live.values.get(field.name)
    ]
    return lambda name: any((of := rule.items(name)) and not of & has for rule, has in rules)


def _lost_by_move(
    change: FieldChange,
    before: Live | None,
    matches: Matches,
    actions: Mapping[Address, Action],
    unused: Callable[[str], bool],
) -> dict[str, list[str]]:
    after = from_json(change.after)
    if before is None or not isinstance(after, Ref):
        return {change.path: ["those it lets in now (cannot determine who)"]}
    now, then = to_json(matches.symbolic(before.kind, before)), values_after(after, matches, actions) or {}
    rules = {
        f"{change.path} {after.target.name} ({field.name})": (field.name, field.admits)
        for field in before.kind.fields
        if field.admits is not None and not unused(field.name)
    }
    lost = {key: _lost(name, admits, now, then) for key, (name, admits) in rules.items()}
    return _once(lost, {key: admits for key, (_, admits) in rules.items()})


def _once(lost: Mapping[str, list[str]], rules: Mapping[str, Admits]) -> dict[str, list[str]]:
    """Without the fields that lose nobody; that fields which were open to all together no longer are is said of the wider one."""
    again = sum(clients == _EVERYBODY_ELSE for clients in lost.values()) > 1
    return {
        key: clients
        for key, clients in lost.items()
        if clients and not (again and clients == _EVERYBODY_ELSE and rules[key].also)
    }


def _referred(live: Live, name: str, refers: Refers, matches: Matches) -> Live | None:
    """The live object that the field `name` of a live object refers to."""
    raw = live.values.get(name)
    candidates = (matches.observed.find(live.site, kind, attribute, raw) for kind, attribute in refers.targets)
    return next((target for target in candidates if target is not None), None)


def referred_now(live: Live, field: Field, matches: Matches) -> Live | None:
    """The live object that a field of a live object refers to, if it was read."""
    return _referred(live, field.name, field.refers, matches) if field.refers is not None else None


def values_after(ref: Ref, matches: Matches, actions: Mapping[Address, Action]) -> Values | None:
    """The values that an object will have after this plan is applied, as far as they are known; `None` if nothing of it is known."""
    address, action = ref.target, actions.get(ref.target)
    kind = matches.kinds[address.kind]
    desired = action.desired if action is not None else {}
    if action is not None and action.verb in (Verb.CREATE, Verb.REPLACE):
        return {**_unwritten(kind), **desired}
    live = _live_at(address, matches)
    return {**to_json(matches.symbolic(kind, live)), **desired} if live is not None else dict(desired) or None


def _live_at(address: Address, matches: Matches) -> Live | None:
    """The live object at an address, also one that the document only names."""
    live = matches.match(address).live
    named = matches.observed.named(address.site, matches.kinds[address.kind], address.name) if live is None else ()
    return next(iter(named)) if len(named) == 1 else live


def _unwritten(kind: Kind) -> Values:
    """What a new object has by the defaults of its system."""
    defaults = {
        field.name: field.server_default.value
        for field in kind.fields
        if field.server_default is not None and not isinstance(field.server_default.value, AsWitness | SameAs)
    }
    return {**defaults, **{field.name: list(field.admits.unsaid) for field in kind.fields if field.admits is not None}}


def _lost(name: str, admits: Admits, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """The clients that a field would no longer let in, from the values of an object before and after."""
    was = before.get(name)
    if any(after.get(field) is True for field in (name, *admits.also)):
        return []
    if open_to_all(admits, name, after) and all(other in after for other in admits.beside):
        return []
    if open_to_all(admits, name, before):
        return _EVERYBODY_ELSE
    kept = [text for field in (name, *admits.also) for text in _texts(after.get(field))]
    return lost_parts(_texts(was), kept)


def _values(value: Any) -> list[str]:
    """A value, or the items of a list, as texts; an empty value gives none."""
    return [*_texts(value if isinstance(value, list) else [value] if value else [])]


def _texts(value: Any) -> Iterator[str]:
    """The items of a list as texts, a reference as its address; `everybody` for a switch that is on."""
    if value is True:
        yield "everybody"
    for item in value if isinstance(value, list) else ():
        if isinstance(item, dict) and len(item) == 1:
            yield str(next(iter(item.values())))
        else:
            yield item if isinstance(item, str) else json.dumps(item)
