"""What an operation is at work on is left alone: an ordinary apply moves no role, and changes nothing of what is moved or restored."""

from __future__ import annotations

from vastplan.engine.guards.context import GuardContext
from vastplan.model.plan import Action, Block


def under_way(action: Action, context: GuardContext) -> Block | None:
    """Stops whatever is about something that an open operation covers."""
    operation = context.under_way.get(str(action.address))
    if operation is None:
        return None
    to = "" if operation.target == operation.source else f" to {operation.target}"
    return Block(
        "under-way",
        f"the {operation.kind} {operation.id} of {operation.address}{to} is under way (stage "
        f"{operation.stage or 'none yet'}), and nothing of it is changed meanwhile",
        f"go on with it or take it back: vastplan {operation.kind} status PATH, vastplan {operation.kind} abort PATH {operation.id}",
    )
