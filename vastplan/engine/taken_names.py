"""Names that others have: what is to be called as a live object is waits until that is called otherwise, or is stopped.

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


def taken_names(matches: Matches, actions: Mapping[Address, Action]) -> Iterator[Held]:
    """Every name that a live object is given, by an update or a replace, while another has it."""
    coming = {
        address: identity
        for address, action in actions.items()
        if _renames(action, matches.kinds[address.kind]) and (identity := _coming(action, matches)) is not None
    }
    holders: dict[tuple[str, str], dict[_Identity, list[Live]]] = {}
    for address, identity in coming.items():
        place = (address.site, address.kind)
        if place not in holders:
            by_identity = holders.setdefault(place, {})
            for live in matches.observed.objects(*place):
                by_identity.setdefault(_identity(live.kind, live.values), []).append(live)
        own = matches.match(address).live
        for holder in holders[place].get(identity, ()):
            if own is None or holder.id != own.id:
                yield _held(address, holder, identity, matches, actions, coming)


def _renames(action: Action, kind: Kind) -> bool:
    return action.verb in (Verb.UPDATE, Verb.REPLACE) and any(change.path in kind.identity for change in action.changes)


def _coming(action: Action, matches: Matches) -> _Identity | None:
    """What will identify the object; `None` where that refers to what is not there yet, and then nobody else has it."""
    kind = matches.kinds[action.address.kind]
    values = matches.resolved(kind, from_json(dict(action.desired)))
    return None if any(isinstance(values.get(name), Ref) for name in kind.identity) else _identity(kind, values)


def _identity(kind: Kind, values: Values) -> _Identity:
    return tuple(str(values.get(name)) for name in kind.identity)


def _held(
    taker: Address,
    holder: Live,
    identity: _Identity,
    matches: Matches,
    actions: Mapping[Address, Action],
    coming: Mapping[Address, _Identity],
) -> Held:
    address, name = matches.address_of(holder), inert(holder.name, 80)
    action = actions.get(address) if address is not None else None
    if address is not None and action is not None:
        step = Step.WRITE if action.verb is Verb.UPDATE else Step.DELETE
        if action.verb is Verb.DELETE or coming.get(address, identity) != identity:
            text = f"it is to be called {name}, as {address} is, which can be called otherwise only after this"
            fix = f"names in a circle take two applies: a third name for {taker.name} in the first, the right one in the second"
            return Held(taker, (address, step), Block("renamed", text, fix))
    who = str(address) if address is not None else f"{holder.kind.name} {name} (not in the ledger)"
    text = f"it is to be called {name}, as {who} is, and this plan does not change that"
    return Held(taker, None, Block("renamed", text, "another name, or give that one another name first"))
