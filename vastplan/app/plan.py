"""`vastplan plan`: from a document to a plan, stage by stage. Only reads from systems."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from vastplan.app import missing_secrets
from vastplan.app.files.plan import sealed
from vastplan.app.files.review_key import with_digests
from vastplan.app.head import with_head
from vastplan.app.planning.base import no_base, renamed, with_standings
from vastplan.app.planning.check import check_plan
from vastplan.app.planning.desired_objects import compose_with_versions
from vastplan.app.planning.edits import with_edits, with_places
from vastplan.app.planning.endpoints import changed_endpoints, with_changed_endpoints
from vastplan.app.planning.inputs import plan_inputs
from vastplan.app.planning.reads import read_list
from vastplan.app.planning.request import Planned, PlanOptions
from vastplan.app.planning.sites import held_ledgers
from vastplan.app.planning.source import LiveSource, open_source
from vastplan.app.planning.sources import changed_sources
from vastplan.app.planning.unread_files import unread_files
from vastplan.app.planning.weigh import draft_actions, order_and_guard, read_claims, read_evidence
from vastplan.app.secrets import revealer
from vastplan.app.workspace import Composed, Workspace
from vastplan.engine.matching.attribution import SILENT, attribute
from vastplan.model import gc_pause
from vastplan.model.errors import Invalid
from vastplan.model.finding import Finding
from vastplan.model.site_ledger import latest_operations

__all__ = ["PlanOptions", "Planned", "make_plan", "weigh"]


@gc_pause.paused()
def make_plan(workspace: Workspace, options: PlanOptions) -> Planned:
    """Observe the systems and plan. Raises `Invalid` for a wrong document before anything is opened."""
    offline = workspace.composed()
    with open_source(workspace, options.snapshot, options.watch) as source:
        planned = weigh(workspace, options, source, offline)
        plan = planned.plan
        if source.reveal is not None:
            without = missing_secrets.needed(plan.actions, workspace.registry.kinds, source.reveal, workspace.document)
            plan = replace(plan, findings=(*without, *plan.findings))
        plan = replace(
            plan,
            findings=(
                *held_ledgers(source, workspace.document.typed),
                *unread_files(workspace, plan),
                *plan.findings,
            ),
        )
        plan = with_head(plan, workspace.document, source.ledger(options.sites).values())
        plan = with_places(plan, planned.entries)
        resourced: tuple[Finding, ...] = ()
        if options.base is not None:
            of_base = _plan_of_base(workspace.name, options.base, options, source)
            if isinstance(of_base, Planned):
                kinds = workspace.registry.kinds
                resourced = tuple(changed_sources(kinds, planned.entries, of_base.entries))
            plan = with_standings(plan, of_base.plan if isinstance(of_base, Planned) else of_base)
            if isinstance(of_base, Planned) and isinstance(options.base, Workspace):
                written = options.base.document
                plan = with_edits(plan, workspace.document, written, planned, of_base, workspace.registry)
        base = options.base.document if isinstance(options.base, Workspace) else None
        elsewhere = changed_endpoints(workspace.document, options.snapshot, base)
        plan = with_changed_endpoints(plan, (*elsewhere, *resourced))
        plan = replace(
            plan,
            actions=attribute(
                plan.actions,
                planned.matches.owned,
                workspace.registry.kinds,
                source.providers,
                "a snapshot does not have it" if options.snapshot is not None else SILENT,
            ),
            sources=tuple(map(str, workspace.document.paths)),
            folder="" if options.snapshot else str(Path.cwd()),
            consent=options.consent,
            keep_drift=options.keep_drift,
            limited=options.limited,
        )
        if options.review_key is not None:
            reveal = source.reveal or revealer(workspace.document.secrets)
            plan = with_digests(plan, options.review_key, workspace.registry, reveal)
    return replace(planned, plan=sealed(plan))


def weigh(workspace: Workspace, options: PlanOptions, source: LiveSource, offline: Composed) -> Planned:
    """The plan's actions, ordered, guarded and checked; without its id, settings, base and other parts that are only reported."""
    desired = compose_with_versions(workspace, options.sites, offline, source)
    ledger = source.ledger(options.sites)
    reads = read_list(workspace, desired, ledger, prove=options.prove)
    observed = source.observe(reads.all, ledger, reads.names)
    inputs = plan_inputs(workspace, options, desired, ledger, observed, source)
    drafted = draft_actions(inputs, options, workspace.document.head.sites, workspace.registry.types)  # match → diff
    weighable = read_evidence(drafted, source, workspace.systems())
    weighed = order_and_guard(read_claims(weighable, source))
    checked = check_plan(workspace, desired, reads, weighed, inputs.now.date())
    return replace(checked, operations=latest_operations(ledger))


def _plan_of_base(name: str, base: Workspace | Finding, options: PlanOptions, source: LiveSource) -> Planned | Finding:
    """The plan of the base, from the same observation; a finding if it cannot be planned or compared."""
    if isinstance(base, Finding):
        return base
    if base.name != name:
        return renamed(name, base.name)
    sites = tuple(site for site in options.sites if site in base.document.head.sites)
    try:
        planned = weigh(base, replace(options, sites=sites), source, base.composed())
        return replace(planned, plan=with_head(planned.plan, base.document, ()))
    except Invalid as problem:
        return no_base(problem)
