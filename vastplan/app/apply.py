"""`vastplan apply`: carry out exactly one plan, stage by stage."""

from __future__ import annotations

import threading

from vastplan.app.applying.carry_out import carry_out
from vastplan.app.applying.change_limits import record_limits
from vastplan.app.applying.prepare import observe_touched, prepare
from vastplan.app.clock import now
from vastplan.app.connect import connected
from vastplan.app.locks import locked_ledgers
from vastplan.app.stale import saved_plan
from vastplan.app.workspace import Workspace
from vastplan.engine.apply import Progress
from vastplan.model.outcome import Receipt
from vastplan.model.plan import Plan

__all__ = ["apply_plan", "record_limits"]


def apply_plan(workspace: Workspace, plan: Plan, progress: Progress, stop: threading.Event) -> Receipt:
    """Carry it out. Raises `Stale` when its document, its systems or its ledger are not as they were when it was made."""
    saved_plan.check_time(workspace, plan, now())
    saved_plan.check_places(workspace, plan)
    saved_plan.check_sources(workspace, plan)
    with locked_ledgers(workspace, (part.site for part in plan.parts)) as ledgers:
        saved_plan.check_ledger(plan, ledgers.sessions)
        # All sites: a reference may cross to one that is not worked on.
        sites = tuple(workspace.document.head.sites)
        with connected(workspace.document, sites=sites, writable=True) as providers:
            saved_plan.check_endpoints(plan, providers, ledgers.place)
            desired = saved_plan.check_document(workspace, plan, providers)
            touched = observe_touched(workspace, plan, ledgers, providers)
            context = prepare(workspace, plan, ledgers, providers, touched)
            return carry_out(plan, context, ledgers, desired, progress, stop)
