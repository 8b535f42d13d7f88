"""Names and numbers that others have: what is to have that of a live object waits until that one has another, or is stopped.

Where names are swapped, or move on in a circle, each waits for the next; the order finds that ring and blocks all of it here,
and not the server in the middle of an apply.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vastplan.engine.exclusive import Held
from vastplan.engine.match import Matches
from vastplan.engine.observe import Live
from vastplan.model.address import Address
from vastplan.model.escaping import inert
from vastplan.model.plan import Action, Block, Step, Verb
from vastplan.model.value import Ref, from_json
from vastplan.schema.kind import Kind, Values

_Identity = tuple[str, ...]
_MAKING = (Verb.CREATE, Verb.UPDATE, Verb.REPLACE)


def taken_names(matches: Matches, actions: Mapping[Address, Action]) -> Iterator[Held]:
    """Every name and every number that is given, by an update or a replace (a number by a create, too), while another has it."""
    by_fields: dict[tuple[str, ...], dict[Address, _Identity]] = {}
    for address, action in actions.items():
        for fields in _given(action, matches.kinds[address.kind]):
            identity = _coming(action, matches, fields)
            if identity is not None:
                by_fields.setdefault(fields, {})[address] = identity
    for fields, coming in by_fields.items():
        yield from _taken(fields, coming, matches, actions)


def _given(action: Action, kind: Kind) -> Iterator[tuple[str, ...]]:
    """The fields that no two objects have the same together, and of which an action gives one."""
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
                by_identity.setdefault(_identity(fields, live.values), []).append(live)
        own = matches.match(address).live
        for holder in holders[place].get(identity, ()):
            if own is None or holder.id != own.id:
                yield _held(address, holder, fields, identity, matches, actions, coming)


def _coming(action: Action, matches: Matches, fields: tuple[str, ...]) -> _Identity | None:
    """What the object will have there; `None` where that refers to what is not there yet, and then nobody else has it, and where
    the system chooses it."""
    kind = matches.kinds[action.address.kind]
    values = matches.resolved(kind, from_json(dict(action.desired)))
    if fields != kind.identity and any(values.get(name) is None for name in fields):
        return None
    return None if any(isinstance(values.get(name), Ref) for name in fields) else _identity(fields, values)


def _identity(fields: tuple[str, ...], values: Values) -> _Identity:
    return tuple(str(values.get(name)) for name in fields)


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
            what = "names" if named else f"values of {fields[0]}"
            fix = f"{what} in a circle take two applies: write a third one for {taker.name} in the first, the right one in the second"
            return Held(taker, (address, step), _block(named, text, fix))
    who = str(address) if address is not None else f"{holder.kind.name} {name} (not in the ledger)"
    text = f"{given}, which {who} has, and this plan does not change that"
    fix = "write another name, or rename that one first" if named else f"write another {fields[0]}, or leave it out"
    return Held(taker, None, _block(named, text, fix))


def _block(named: bool, text: str, fix: str) -> Block:
    return Block("renamed", text, fix) if named else Block("overlap", text, fix)
