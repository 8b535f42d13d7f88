"""Names and numbers that other live objects have: an action that takes one waits until its holder gives it up, or is blocked.

Where names are swapped, or passed on in a circle, each action waits for the next. The order finds that ring and blocks all of it
in the plan, instead of the server in the middle of an apply.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vastplan.engine.live.matches import Matches
from vastplan.engine.live.observe import Live
from vastplan.engine.ordering.exclusive_values import Held
from vastplan.model.address import Address
from vastplan.model.escaping import inert
from vastplan.model.plan import Action, Block, Step, Verb
from vastplan.model.value import Ref, from_json
from vastplan.schema.kind import Kind, Values
from vastplan.schema.markers import SameAs

_Identity = tuple[str, ...]
_MAKING = (Verb.CREATE, Verb.UPDATE, Verb.REPLACE)


def taken_names(matches: Matches, actions: Mapping[Address, Action]) -> Iterator[Held]:
    """Every name or number that an update or replace (a number: also a create) gives to an object while another one has it."""
    by_fields: dict[tuple[str, ...], dict[Address, _Identity]] = {}
    for address, action in actions.items():
        for fields in _given(action, matches.kinds[address.kind]):
            identity = _coming(action, matches, fields)
            if identity is not None:
                by_fields.setdefault(fields, {})[address] = identity
    for fields, coming in by_fields.items():
        yield from _taken(fields, coming, matches, actions)


def _given(action: Action, kind: Kind) -> Iterator[tuple[str, ...]]:
    """The groups of fields that must be unique together and of which an action sets one."""
    changed = {change.path for change in action.changes}
    if action.verb in (Verb.UPDATE, Verb.REPLACE) and not changed.isdisjoint(kind.identity):
        yield kind.identity
    for fields in kind.unique if action.verb in _MAKING else ():
        if action.verb is Verb.CREATE or not changed.isdisjoint(fields):
            yield fields


def _taken(
    fields: tuple[str, ...],
    coming: Mapping[Address, _Identity],
    matches: Matches,
    actions: Mapping[Address, Action],
) -> Iterator[Held]:
    holders: dict[tuple[str, str], dict[_Identity, list[Live]]] = {}
    for address, identity in coming.items():
        place = (address.site, address.kind)
        if place not in holders:
            by_identity = holders.setdefault(place, {})
            for live in matches.observed.objects(*place):
                by_identity.setdefault(_identity(live.kind, fields, live.values), []).append(live)
        own = matches.match(address).live
        for holder in holders[place].get(identity, ()):
            if own is None or holder.id != own.id:
                yield _held(address, holder, fields, identity, matches, actions, coming)


def _coming(action: Action, matches: Matches, fields: tuple[str, ...]) -> _Identity | None:
    """The values that the object will have in these fields; `None` where the system chooses one, and where one refers to an object
    that does not exist yet, because then no other object has them."""
    kind = matches.kinds[action.address.kind]
    values = matches.resolved(kind, from_json(dict(action.desired)))
    for name in fields:
        default = kind.field(name).server_default
        if values.get(name) is None and default is not None and isinstance(default.value, SameAs):
            values[name] = values.get(default.value.field)
    if fields != kind.identity and any(values.get(name) is None for name in fields):
        return None
    return None if any(isinstance(values.get(name), Ref) for name in fields) else _identity(kind, fields, values)


def _identity(kind: Kind, fields: tuple[str, ...], values: Values) -> _Identity:
    return tuple(str(kind.field(name).meant(values.get(name))) for name in fields)


def _held(
    taker: Address,
    holder: Live,
    fields: tuple[str, ...],
    identity: _Identity,
    matches: Matches,
    actions: Mapping[Address, Action],
    coming: Mapping[Address, _Identity],
) -> Held:
    address, name = matches.address_of(holder), inert(holder.name, 80)
    action = actions.get(address) if address is not None else None
    named = fields == holder.kind.identity
    given = f"its name would be {name}" if named else f"its {fields[0]} would be {inert(identity[0], 80)}"
    if address is not None and action is not None:
        step = Step.WRITE if action.verb is Verb.UPDATE else Step.DELETE
        if action.verb is Verb.DELETE or coming.get(address, identity) != identity:
            text = f"{given}, which {address} gives up only after this"
            exchanged = "names" if named else f"values of {fields[0]}"
            fix = f"{exchanged} in a circle take two applies: write a third one for {taker.name} in the first, the right one in the second"
            return Held(taker, (address, step), _block(named, text, fix))
    owner = str(address) if address is not None else f"{holder.kind.name} {name} (not in the ledger)"
    text = f"{given}, which {owner} has, and this plan does not change that"
    fix = "write another name, or rename that one first" if named else f"write another {fields[0]}, or leave it out"
    return Held(taker, None, _block(named, text, fix))


def _block(named: bool, text: str, fix: str) -> Block:
    return Block("renamed", text, fix) if named else Block("overlap", text, fix)
