"""Objects kept in what gives another one access: a tenant changes its provider together with its users, or not at all. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from vastplan.engine.live.matches import Matches
from vastplan.model.address import Address
from vastplan.model.plan import Action, FieldChange, Verb
from vastplan.model.value import json_text, to_json
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind

_FromTo = tuple[str, str]


def moving_along(
    actions: Iterable[Action], matches: Matches, desired: Mapping[Address, Entry]
) -> dict[Address, list[Address]]:
    """The actions that are applied together with others, with these.

    An update that changes what an object has access by (the provider of a tenant) and the replaces of objects that move with it
    (its users) need one another. The update also needs the deletes in the old provider and the creates in the new one, which do
    not need it. Several updates with the same change need one another, through the first of them.
    """
    actions = tuple(actions)
    movers: dict[_FromTo, list[Address]] = {}
    for action in actions:
        for pair in _moves(action, matches.kinds[action.address.kind]):
            movers.setdefault(pair, []).append(action.address)
    if not movers:
        return {}
    anew: dict[_FromTo, list[Address]] = {}
    going: dict[str, list[Address]] = {}
    coming: dict[str, list[Address]] = {}
    for action in actions:
        kind, address = matches.kinds[action.address.kind], action.address
        for change in action.changes if action.verb is Verb.REPLACE else ():
            if change.replaces:
                anew.setdefault(_from_to(change), []).append(address)
        if action.verb is Verb.CREATE:
            for text in _kept_in(kind, desired[address].values):
                coming.setdefault(text, []).append(address)
        elif action.verb is Verb.DELETE and (live := matches.match(address).live) is not None:
            for text in _kept_in(kind, matches.symbolic(kind, live)):
                going.setdefault(text, []).append(address)
    needs: dict[Address, list[Address]] = {}
    for (before, after), (first, *others) in movers.items():
        bound = [*others, *anew.get((before, after), ())]
        needs.setdefault(first, []).extend([*bound, *going.get(before, ()), *coming.get(after, ())])
        for partner in bound:
            needs.setdefault(partner, []).append(first)
    return needs


def _moves(action: Action, kind: Kind) -> Iterator[_FromTo]:
    by_name = kind.fields.by_name
    for change in action.changes if action.verb is Verb.UPDATE else ():
        field = by_name.get(change.path)
        if field is not None and field.refers and field.revokes and change.before is not None:
            yield _from_to(change)


def _from_to(change: FieldChange) -> _FromTo:
    return _called(change.before), _called(change.after)


def _kept_in(kind: Kind, values: Mapping[str, Any]) -> Iterator[str]:
    """The references in the identity of an object, as texts."""
    for name in kind.identity:
        if kind.field(name).refers and values.get(name) is not None:
            yield _called(to_json(values[name]))


def _called(value: Any) -> str:
    """The target of a reference as text, whether it is managed or not."""
    return str(*value.values()) if isinstance(value, dict) and len(value) == 1 else json_text(value)
