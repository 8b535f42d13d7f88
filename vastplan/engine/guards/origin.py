"""The guard of objects that get their first data from another object: that must exist, or be created by the same plan."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vastplan.engine.guards.context import GuardContext
from vastplan.engine.live.matches import Matches
from vastplan.model.plan import Action, Block, Verb
from vastplan.model.value import Ref, Unknown, from_json
from vastplan.schema.creation import CreatedFrom
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind, Values


def origins_to_read(action: Action, kind: Kind) -> Iterator[tuple[str, str]]:
    """The collections (site and kind) of what an action creates its object from."""
    if kind.created_from and action.verb is Verb.CREATE:
        values = from_json(dict(action.desired))
        for rule in kind.created_from:
            yield from ((action.address.site, name) for name in rule.kinds if _applies(rule, values))


def no_origin(action: Action, context: GuardContext) -> Block | None:
    """What an object is to be created from, and does not exist: the system would refuse it during an apply."""
    kind = context.kind(action)
    if not kind.created_from or action.verb is not Verb.CREATE:
        return None
    values = from_json(dict(action.desired))
    for rule in kind.created_from:
        if _applies(rule, values) and not any(_exists(rule, name, values, action, context) for name in rule.kinds):
            return Block("no-source", *rule.missing(values))
    return None


def _applies(rule: CreatedFrom, values: Values) -> bool:
    needed = [own for own, _ in rule.same] + ([rule.needs] if rule.needs else [])
    return all(values.get(name) is not None for name in needed) and rule.unless not in values


def _exists(rule: CreatedFrom, name: str, values: Values, action: Action, context: GuardContext) -> bool:
    """Whether one of the kind `name` exists, will be created by the plan, or cannot be determined."""
    matches, site = context.matches, action.address.site
    if matches.observed.error(site, name):
        return True
    of = matches.kinds[name]
    pairs = [(of.field(other), _sent(matches, of.field(other), values[own])) for own, other in rule.same]
    for live in matches.observed.objects(site, name):
        same = all(field.meant(live.values.get(field.name)) == field.meant(value) for field, value in pairs)
        created = live.attributes.get("created")
        if same and rule.fits(
            values, live.name, "" if created is None or isinstance(created, Unknown) else str(created)
        ):
            return True
    for address, other in context.actions.items():
        if (address.site, address.kind, other.verb) == (site, name, Verb.CREATE):
            planned = from_json(dict(other.desired))
            same = all(_sent(matches, field, planned.get(field.name)) == value for field, value in pairs)
            if same and rule.fits(values, str(planned.get("name", address.name)), context.now.isoformat()):
                return True
    return False


def _sent(matches: Matches, field: Field, value: Any) -> Any:
    """The value as it is on the wire of the other object, for an object that is not known yet the reference to it."""
    if not isinstance(value, Ref):
        return field.meant(value)
    attributes = field.refers.attributes if field.refers is not None else {}
    resolved = matches.resolve(value, attributes.get(value.target.kind, "name"))
    return value if isinstance(resolved, Unknown) else resolved
