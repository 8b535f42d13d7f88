"""The guard of open operations: an ordinary apply moves no role, and changes nothing that is being moved or restored."""

from __future__ import annotations

from vastplan.engine.guards.context import GuardContext
from vastplan.model.operation import PAST, WHOLE
from vastplan.model.plan import Action, Block


def under_way(action: Action, context: GuardContext) -> Block | None:
    """Blocks every action on an address that an open operation covers."""
    operation = context.under_way.get(str(action.address))
    if operation is None:
        return None
    whole = operation.facts.get(WHOLE) or operation.address
    back = f"take it back: vastplan {operation.kind} status PATH, vastplan {operation.kind} abort PATH {operation.id}"
    if PAST in operation.facts:
        back = f"see its state: vastplan {operation.kind} status PATH"
    to = "" if operation.target == operation.source else f" to {operation.target}"
    return Block(
        "under-way",
        f"the {operation.kind} {operation.id} of {whole}{to} is under way (stage "
        f"{operation.stage or 'none yet'}): vastplan changes nothing of it until that ends",
        f"continue it, or {back}",
    )
