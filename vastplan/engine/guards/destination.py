"""The guard of destinations: where somebody else keeps a value, none of ours is delivered."""

from __future__ import annotations

from vastplan.engine.delivery import delivers_of, destination, found_there
from vastplan.engine.guards.context import GuardContext
from vastplan.model.plan import Action, Block, Verb
from vastplan.model.value import REDACTED, from_json

_DELIVERING = (Verb.CREATE, Verb.UPDATE, Verb.REPLACE)


def occupied(action: Action, context: GuardContext) -> Block | None:
    """A value that vastplan did not put there is not written over; one that it put there and somebody changed is.

    What is taken over is taken over with its value.
    """
    values = from_json(dict(action.desired))
    delivers = delivers_of(context.kind(action), values)
    if delivers is None or action.verb not in _DELIVERING:
        return None
    where = destination(delivers, values)
    owned, given = context.matches.owned.get(action.address), context.given.get(action.address, ())
    taken = [
        where.keys[name]
        for name, value in found_there(where, context.matches).items()
        if value is not None and value is not REDACTED and where.place(name) not in given
    ]
    if not taken or (owned is not None and owned.imported):
        return None
    text = f"{where.target.target} has {', '.join(sorted(taken))} already, and not from here"
    return Block("occupied", text, f"another key in {delivers.to}, or take it out there")
