"""`vastplan apply`: carry out exactly one plan, stage by stage."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

from vastplan.app.applying.carry_out import carry_out_plan
from vastplan.app.applying.change_limits import record_limits
from vastplan.app.applying.prepare import prepare
from vastplan.app.applying.run_log import logged_runs
from vastplan.app.authorship import new_run
from vastplan.app.clock import now
from vastplan.app.connect import connected
from vastplan.app.head import with_head
from vastplan.app.locks import locked_ledgers
from vastplan.app.plan import weigh
from vastplan.app.planning.check import refuse_wrong
from vastplan.app.planning.request import PlanOptions
from vastplan.app.planning.source import LiveSystems
from vastplan.app.stale import saved_plan
from vastplan.app.stale.confirmation import borne_out
from vastplan.app.workspace import Workspace
from vastplan.engine.applying.apply import Progress
from vastplan.model.consent import Approval
from vastplan.model.errors import Stale
from vastplan.model.outcome import Receipt
from vastplan.model.plan import Plan

__all__ = ["apply_plan", "record_limits"]


def apply_plan(
    workspace: Workspace,
    plan: Plan,
    progress: Progress,
    stop: threading.Event,
    approvals: tuple[Approval, ...] | None = None,
    *,
    all_or_nothing: bool = False,
    report: Callable[[str], None] = lambda _: None,
) -> Receipt:
    """Carry out the plan. Raises `Stale` when its document, its systems or its ledger changed since it was created, with
    `all_or_nothing` also when a single object did, and `Invalid` for what would forbid a plan created now.

    `approvals` are those given again to this apply; `None` uses those recorded in the plan. `report` takes what is waited for.
    """
    saved_plan.check_time(workspace, plan, now())
    saved_plan.check_places(workspace, plan)
    saved_plan.check_sources(workspace, plan)
    with locked_ledgers(workspace, (part.site for part in plan.parts), report) as ledgers:
        saved_plan.check_ledger(plan, ledgers.sessions)
        # Connects to all sites: an object may refer to one on a site that the plan does not cover.
        sites = tuple(workspace.document.head.sites)
        with connected(workspace.document, sites=sites, writable=True) as providers:
            saved_plan.check_endpoints(plan, providers, ledgers.place)
            source = LiveSystems(workspace, providers, ledgers.parts())
            offline = workspace.composed()
            saved_plan.check_planned_document(workspace, plan, source, offline)
            options = _options(plan, approvals)
            again = weigh(workspace, options, source, offline)
            refuse_wrong(again.plan)
            again = replace(again, plan=with_head(again.plan, workspace.document, ledgers.parts().values()))
            borne = borne_out(plan, again)
            context = prepare(workspace, borne, again, ledgers, providers)
            if all_or_nothing and context.overtaken:
                address, reason = next(iter(context.overtaken.items()))
                raise Stale(f"nothing was done: {address}: {reason}; --all-or-nothing applies all changes or none")
            run = new_run(workspace, "apply", plan.id)
            runs = logged_runs(run, borne.plan, options.consent.approvals, context.overtaken)
            return carry_out_plan(borne.plan, again, context, ledgers, runs, progress, stop)


def _options(plan: Plan, approvals: tuple[Approval, ...] | None) -> PlanOptions:
    """The options the plan was created with, to plan again now."""
    return PlanOptions(
        sites=tuple(part.site for part in plan.parts),
        targets=plan.targets,
        consent=plan.consent if approvals is None else replace(plan.consent, approvals=approvals),
        keep_drift=plan.keep_drift,
        limited=plan.limited,
        again=True,
    )
