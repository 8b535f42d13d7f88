"""The stage that checks a plan against what was observed: findings, commitments of sites, budgets, and isolation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date

from vastplan.app import checks
from vastplan.app.planning import isolation
from vastplan.app.planning.commitments import with_live
from vastplan.app.planning.desired_objects import Desired
from vastplan.app.planning.reads import ReadList
from vastplan.app.planning.request import Planned
from vastplan.app.planning.weigh import Weighed
from vastplan.app.workspace import Workspace
from vastplan.checks.checkpoint.summary import budgets
from vastplan.checks.commitments.sums import commitment_rows
from vastplan.checks.replication.lag import late
from vastplan.model.address import Address
from vastplan.model.errors import Forbidden, Invalid
from vastplan.model.finding import SPLIT, Finding, Severity
from vastplan.model.plan import Plan
from vastplan.model.replication import Replication, ReplicationState


def check_plan(workspace: Workspace, desired: Desired, reads: ReadList, weighed: Weighed, today: date) -> Planned:
    """The plan with the checks' findings on its sites, and its commitments, budgets and isolation proofs."""
    sites, observed, matches = desired.sites, weighed.observed, weighed.matches
    asked = reads.checks | checks.glanced(reads.plan)
    facts = replace(desired.facts, seen=checks.seen_objects(observed, matches, asked), today=today)
    facts = with_live(facts, sites, observed, matches)
    findings = (
        *checks.check_findings(workspace, facts, today, sites),
        *checks.unread_findings(desired.facts, reads.checks, observed),
    )
    behind = late(facts)
    plan = replace(
        weighed.plan,
        replications=tuple(_as_scheduled(row, behind) for row in weighed.plan.replications),
        findings=(*findings, *weighed.plan.findings),
        isolation=tuple(proof for site, proof in desired.facts.isolation.items() if site in sites),
        commitments=tuple(row for row in commitment_rows(facts) if row.site in sites),
        budgets=tuple(budget for budget in budgets(facts) if Address.parse(budget.address).site in sites),
    )
    proofs = isolation.live_isolation(sites, observed, matches, reads.proof)
    return Planned(plan, observed, desired.entries, matches, desired.everything, proofs)


def _as_scheduled(row: Replication, behind: Mapping[str, str]) -> Replication:
    """The replication, as `BEHIND` if VAST reports it in order but it is late by its schedule."""
    if row.state is not ReplicationState.IN_ORDER or row.address not in behind:
        return row
    return replace(row, state=ReplicationState.BEHIND, text=behind[row.address])


def wrong(plan: Plan) -> list[Finding]:
    """The errors that the document itself has."""
    errors = (finding for finding in plan.findings if finding.severity is Severity.ERROR and not finding.checked)
    return [finding for finding in errors if finding.code != SPLIT]


def split_path_findings(plan: Plan) -> list[Finding]:
    """The findings on paths that more than one site writes to: the plan does nothing about them, and the rest of the plan stands."""
    return [finding for finding in plan.findings if finding.code == SPLIT]


def check_errors(plan: Plan) -> list[Finding]:
    """The errors that checks found: the document could be applied, and should not be."""
    return [finding for finding in plan.findings if finding.severity is Severity.ERROR and finding.checked]


def refuse_wrong(plan: Plan) -> None:
    """Raises `Invalid` or `Forbidden` for a plan that must not be carried out."""
    if invalid := wrong(plan):
        raise Invalid(invalid)
    if checked := check_errors(plan):
        raise Forbidden(checked)
