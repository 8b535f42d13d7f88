"""Records a document's change limits and settings in the ledgers when a plan has no actions."""

from __future__ import annotations

from collections.abc import Callable

from vastplan.app.authorship import new_run
from vastplan.app.clock import timestamp
from vastplan.app.locks import locked_ledgers
from vastplan.app.workspace import Workspace
from vastplan.engine.live.consent import limits_of, recorded_limits
from vastplan.ledger import events
from vastplan.model.plan import Plan


def record_limits(workspace: Workspace, plan: Plan, report: Callable[[str], None] = lambda _: None) -> None:
    """Record the change limits and the settings of a document whose plan has no actions, in each ledger that has others
    recorded."""
    if plan.actions:
        return
    with workspace.ledger() as backend:
        parts = {part.site: backend.read(part.site) for part in plan.parts}
    limits = {part.site: recorded_limits(plan, part, parts[part.site].limits) for part in plan.parts}
    head = plan.head.settings if plan.head is not None else {}
    changed = [
        site
        for site, part in parts.items()
        if part.serial and (limits_of(part.limits) != limits_of(limits[site]) or (part.head and part.head != head))
    ]
    if not changed:
        return
    at, run = timestamp(), new_run(workspace, "apply", plan.id)
    with locked_ledgers(workspace, changed, report) as ledgers:
        for site, session in ledgers.sessions.items():
            session.record(events.begin_event("", {}, at, None, run.ending(at, {})), events.end(at, limits[site], head))
