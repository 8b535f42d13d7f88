"""What new objects get their first data from, by the values that they name it by: one index, however many they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from vastplan.engine.live.matches import Matches
from vastplan.model.address import Address
from vastplan.model.plan import Action, Verb
from vastplan.model.value import Ref, Unknown, from_json
from vastplan.schema.creation import CreatedFrom
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind, Values

_Key = tuple[str, ...]
Originals = Mapping[tuple[str, str, _Key], Mapping[_Key, list[tuple[str, str]]]]
"""By site, kind and the fields that others name it by: the values of these, each with the names and the times of creation."""


def rules_at_create(action: Action, kind: Kind) -> list[CreatedFrom]:
    """The rules for an action that creates its object from another one."""
    if not kind.created_from or action.verb is not Verb.CREATE:
        return []
    values = from_json(dict(action.desired))
    return [rule for rule in kind.created_from if _applies(rule, values)]


def originals_to_read(action: Action, kind: Kind) -> Iterator[tuple[str, str]]:
    """The collections (site and kind) of what an action creates its object from."""
    for rule in rules_at_create(action, kind):
        yield from ((action.address.site, name) for name in rule.kinds)


def index_originals(matches: Matches, actions: Mapping[Address, Action], now: datetime) -> Originals:
    """What exists, and what the plan creates (now), of the kinds that its actions create objects from."""
    wanted = {
        (action.address.site, name, _fields(rule))
        for action in actions.values()
        for rule in rules_at_create(action, matches.kinds[action.address.kind])
        for name in rule.kinds
    }
    places = {(site, name) for site, name, _ in wanted}
    planned: dict[tuple[str, str], list[tuple[str, Values]]] = {}
    for address, action in actions.items():
        if action.verb is Verb.CREATE and (address.site, address.kind) in places:
            values = from_json(dict(action.desired))
            planned.setdefault((address.site, address.kind), []).append((str(values.get("name", address.name)), values))
    return {place: _indexed(matches, *place, planned.get(place[:2], []), now) for place in wanted}


def originals_of(
    originals: Originals, matches: Matches, site: str, rule: CreatedFrom, name: str, values: Values
) -> list[tuple[str, str]]:
    """The objects of the kind `name` that a new object with these values names, each with its name and its time of creation."""
    fields = matches.kinds[name].fields.by_name
    key = tuple(_key(matches, fields[other], values[own]) for own, other in rule.same)
    return originals[site, name, _fields(rule)].get(key, [])


def _indexed(
    matches: Matches, site: str, name: str, named_by: _Key, planned: list[tuple[str, Values]], now: datetime
) -> dict[_Key, list[tuple[str, str]]]:
    fields = [matches.kinds[name].field(field) for field in named_by]
    index: dict[_Key, list[tuple[str, str]]] = {}
    for live in matches.observed.objects(site, name):
        created = live.attributes.get("created")
        key = tuple(str(field.meant(live.values.get(field.name))) for field in fields)
        known = "" if created is None or isinstance(created, Unknown) else str(created)
        index.setdefault(key, []).append((live.name, known))
    for called, values in planned:
        key = tuple(_key(matches, field, values.get(field.name)) for field in fields)
        index.setdefault(key, []).append((called, now.isoformat()))
    return index


def _fields(rule: CreatedFrom) -> _Key:
    return tuple(other for _, other in rule.same)


def _applies(rule: CreatedFrom, values: Values) -> bool:
    needed = [own for own, _ in rule.same] + ([rule.needs] if rule.needs else [])
    return all(values.get(name) is not None for name in needed) and rule.unless not in values


def _key(matches: Matches, field: Field, value: Any) -> str:
    """The value as it is on the wire of the other object, for an object that is not known yet the reference to it."""
    if isinstance(value, Ref):
        attributes = field.refers.attributes if field.refers is not None else {}
        resolved = matches.resolve(value, attributes.get(value.target.kind, "name"))
        if isinstance(resolved, Unknown):
            return str(value)
        value = resolved
    return str(field.meant(value))
