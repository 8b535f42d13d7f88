"""Items of a list that limit a deleted user: the limit holds until the user is deleted. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from vastplan.engine.live.matches import Matches
from vastplan.model.address import Address
from vastplan.model.plan import Action, Verb
from vastplan.schema.kind import Kind

Whom = tuple[str, str, str, str]  # site, kind, attribute and its value


def who_goes(matches: Matches, actions: Mapping[Address, Action]) -> dict[Whom, list[Address]]:
    """The deletes of a plan, by each attribute and value of the deleted objects."""
    going: dict[Whom, list[Address]] = {}
    for address, action in actions.items():
        live = matches.match(address).live if action.verb is Verb.DELETE else None
        for name, value in live.attributes.items() if live is not None else ():
            going.setdefault((address.site, address.kind, name, str(value)), []).append(address)
    return going


def limited_until(action: Action, kind: Kind, going: Mapping[Whom, list[Address]]) -> Iterator[Address]:
    """The deletes of the users whose limits an update removes from a list."""
    by_name = kind.fields.by_name
    for change in action.changes if action.verb is Verb.UPDATE and going else ():
        field = by_name.get(change.path)
        if field is None or field.limits is None:
            continue
        whom = field.limits.subjects
        kept = {pair for item in _items(change.after) for pair in _named(item, whom)}
        for item in _items(change.before):
            for key, value in _named(item, whom):
                if (key, value) not in kept:
                    of, attribute = whom[key]
                    yield from going.get((action.address.site, of, attribute, value), ())


def _items(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list | tuple) else []


def _named(item: Mapping[str, Any], whom: Mapping[str, tuple[str, str]]) -> Iterator[tuple[str, str]]:
    return ((key, str(item[key])) for key in whom if key in item)
