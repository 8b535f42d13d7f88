"""The limits on changes and the document's settings, recorded where there is nothing else to apply."""

from __future__ import annotations

from vastplan.app.clock import timestamp
from vastplan.app.locks import locked_ledgers
from vastplan.app.workspace import Workspace
from vastplan.engine.consent import limits_of, noted
from vastplan.ledger import events
from vastplan.model.plan import Plan


def record_limits(workspace: Workspace, plan: Plan) -> None:
    """Have the ledgers record the limits and the settings of a document that has nothing else to apply; nothing where they
    have them."""
    if plan.actions:
        return
    with workspace.ledger() as backend:
        parts = {part.site: backend.read(part.site) for part in plan.parts}
    limits = {part.site: noted(plan, part, parts[part.site].limits) for part in plan.parts}
    head = plan.head.settings if plan.head is not None else {}
    changed = [
        site
        for site, part in parts.items()
        if part.serial and (limits_of(part.limits) != limits_of(limits[site]) or (part.head and part.head != head))
    ]
    if not changed:
        return
    at = timestamp()
    with locked_ledgers(workspace, changed) as ledgers:
        for site, session in ledgers.sessions.items():
            session.record(events.begin("", {}, at), events.end(at, limits[site], head))
