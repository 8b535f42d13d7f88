"""The stage that collects everything the engine plans from in one frozen value."""

from __future__ import annotations

from collections.abc import Mapping

from vastplan.app.clock import now
from vastplan.app.connect import unverified
from vastplan.app.head import requested_limits
from vastplan.app.planning.desired_objects import Desired
from vastplan.app.planning.ignore import ignore_rules
from vastplan.app.planning.known_addresses import known_objects
from vastplan.app.planning.named_addresses import resolve_patterns
from vastplan.app.planning.request import PlanOptions
from vastplan.app.planning.sites import site_findings
from vastplan.app.planning.source import LiveSource
from vastplan.app.workspace import Workspace
from vastplan.engine.deciding.plan import PlanInputs
from vastplan.engine.deciding.refused import still_refused
from vastplan.engine.live.consent import effective_limits, limits_of
from vastplan.engine.live.observe import Observed
from vastplan.model.site_ledger import SiteLedger


def plan_inputs(
    workspace: Workspace,
    options: PlanOptions,
    desired: Desired,
    ledger: Mapping[str, SiteLedger],
    observed: Observed,
    source: LiveSource,
) -> PlanInputs:
    """The desired, live and last applied objects, with the rules and limits of this run."""
    document, at = workspace.document, now()
    existing = (desired.entries, ledger, document.head.sites, workspace.registry.kinds)
    rules, rule_findings = ignore_rules(
        workspace,
        resolve_patterns(options.keep_drift, *existing),
        lambda: known_objects(*existing),
        at.date(),
        everywhere=set(desired.sites) == set(document.head.sites),
    )
    asked = requested_limits(document)
    if any(part.refused for part in ledger.values()):
        probed = source.probed()
        ledger = {
            site: still_refused(part, workspace.registry.kinds, probed.get(site, {})) for site, part in ledger.items()
        }
    targets = resolve_patterns(options.targets, *existing)
    return PlanInputs(
        document=workspace.name,
        digest=workspace.digest(desired.everything),
        source=document.source,
        kinds=workspace.registry.kinds,
        entries=desired.entries,
        observed=observed,
        ledger=ledger,
        endpoints=source.endpoints(),
        consent=options.consent,
        reveal=source.reveal,
        now=at,
        targets=targets,
        findings=(
            *desired.findings,
            *unverified(document, desired.sites),
            *rule_findings,
            *site_findings(workspace, options, ledger, source),
        ),
        ignore=rules,
        limits={site: effective_limits(limits_of(part.limits), asked) for site, part in ledger.items()},
        asked={"count": asked.count, "percent": asked.percent},
        snapshot=source.taken_from,
        held=frozenset(source.holders()),
        retired=document.head.retired(),
        typed=document.typed,
    )
