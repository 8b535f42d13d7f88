"""The guard of values that cannot be restored: a value that vastplan did not write is not overwritten."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vastplan.engine.guards.context import GuardContext
from vastplan.engine.live.diff import leaves, value_at
from vastplan.engine.values.delivery import Destination, delivered_values, delivers_of, destination, predicted
from vastplan.model.address import Address
from vastplan.model.plan import Action, Block, Verb
from vastplan.model.shell import word
from vastplan.model.site_ledger import keyed_digest, path_text
from vastplan.model.value import REDACTED, from_json
from vastplan.schema.kind import Kind, Values
from vastplan.schema.markers import Marker

_MAKING = (Verb.CREATE, Verb.REPLACE)


def occupied(action: Action, context: GuardContext) -> Block | None:
    """A value that vastplan did not write is not overwritten; one that it wrote and somebody changed is."""
    values = from_json(dict(action.desired))
    delivers = delivers_of(context.kind(action), values)
    if action.verb is Verb.ADOPT and (keys := _taken_over(action, values, context)):
        return _block(action.address, keys, "write the live value in the document, or remove it there", context)
    if delivers is None or not _delivers_now(action, delivers.to, delivers.generation):
        return None
    owned = context.matches.owned.get(action.address)
    if owned is not None and owned.imported:
        return None
    where = destination(delivers, values)
    keys = _in_its_place(action, where, predicted(context.kind(action), values), context)
    return _block(where.target.target, keys, "deliver to another place, or remove it there", context)


def _block(of: Address, keys: Iterable[str], otherwise: str, context: GuardContext) -> Block | None:
    """A pattern that allows many deletes does not cover a value of somebody else: that needs its full address."""
    taken = ", ".join(sorted(keys))
    if not taken or str(of) in context.consent.allow_delete:
        return None
    text = f"{of} has {taken}, which vastplan did not write"
    return Block("occupied", text, f"{otherwise}; or, to overwrite it, --allow-delete {word(of)}")


def _delivers_now(action: Action, to: str, generation: str) -> bool:
    """Whether an action delivers a value. An adopted object keeps its value unless its destination or generation changes."""
    drawn_anew = any(change.path in (to, generation) for change in action.changes)
    return action.verb in _MAKING or (action.verb in (Verb.UPDATE, Verb.ADOPT) and drawn_anew)


def _in_its_place(action: Action, where: Destination, expected: Values, context: GuardContext) -> list[str]:
    """The keys of the destination with values that vastplan did not write.

    A value that was delivered counts as written by vastplan, also at another place. Any other value does so only where vastplan
    delivered before and owns the destination, which is not the case after that was recreated outside vastplan.
    """
    owned, given = context.matches.match(where.target.target).owned is not None, context.given.get(action.address, {})
    key, delivered = context.keys[action.address.site], {digest for digests in given.values() for digest in digests}

    def is_foreign(name: str, value: Any) -> bool:
        if value in (None, REDACTED, expected.get(name)):
            return False
        place = where.place(name)
        if keyed_digest(key, value) in {*delivered, *context.left.get(place, ())}:
            return False
        return not owned or (place not in given and place not in context.left)

    return [
        where.keys[name] for name, value in delivered_values(where, context.matches).items() if is_foreign(name, value)
    ]


def _taken_over(action: Action, values: Values, context: GuardContext) -> list[str]:
    """The secret fields of an object to adopt whose live value differs: overwritten, it cannot be restored."""
    kind: Kind = context.kind(action)
    live = context.live(action)
    changed = {change.path for change in action.changes}
    return [
        path_text(leaf.path)
        for leaf in leaves(kind.fields, values)
        if live is not None
        and leaf.field.has(Marker.SENSITIVE)
        and path_text(leaf.path) in changed
        and value_at(live.values, leaf.path) not in (None, REDACTED)
    ]
