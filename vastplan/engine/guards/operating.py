"""What an operation is at work on is left alone: an ordinary apply moves no role, and changes nothing of what is being moved."""

from __future__ import annotations

from vastplan.engine.guards.context import GuardContext
from vastplan.model.plan import Action, Block


def under_way(action: Action, context: GuardContext) -> Block | None:
    """Stops whatever is about something that an open operation covers."""
    operation = context.under_way.get(str(action.address))
    if operation is None:
        return None
    return Block(
        "under-way",
        f"the {operation.kind} {operation.id} of {operation.address} to {operation.target} is under way (stage "
        f"{operation.stage or 'none yet'}), and nothing of it is changed meanwhile",
        f"go on with it or take it back: vastplan move status PATH, vastplan move abort PATH {operation.id}",
    )
