"""The stage that derives drift from a plan: separates what changed outside vastplan from what the document changed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Literal

from vastplan.app.drifting.coverage import look_over
from vastplan.app.drifting.opened import opened_findings
from vastplan.app.planning.request import Planned
from vastplan.app.workspace import Workspace
from vastplan.engine.access.opening import keeps_closed
from vastplan.engine.state.object_states import unfinished_findings
from vastplan.engine.state.replication import member_key
from vastplan.model.address import Address
from vastplan.model.claims import SiteClaims
from vastplan.model.drift import Drift, DriftedField, DriftedObject, IgnoredDrift
from vastplan.model.plan import Action, Cause, IgnoredChange, Verb, is_outside_change, outside_move
from vastplan.model.replication import Replication
from vastplan.model.site_ledger import path_text
from vastplan.operations.readiness import with_readiness
from vastplan.report.ownership import not_owned
from vastplan.schema.kind import Kind
from vastplan.schema.opening import may_open, opens
from vastplan.schema.walk import leaves

_What = Literal["gone", "replaced", "undelivered", "changed"]
_WHAT: Mapping[Verb, _What] = {Verb.CREATE: "gone", Verb.ADOPT: "replaced"}

NO_CLAIMS: Mapping[str, SiteClaims] = MappingProxyType({})


def drifted(planned: Planned, workspace: Workspace, claims: Mapping[str, SiteClaims] = NO_CLAIMS) -> Drift:
    """What changed outside vastplan; `claims` are what other documents own, by site."""
    plan = planned.plan
    actions = [action for action in plan.actions if is_outside_change(action)]
    overview = look_over(planned, workspace, claims)
    moved = tuple(_drifted_object(action, planned.matches.kinds[action.address.kind]) for action in actions)
    return Drift(
        document=plan.document,
        checked=plan.created,
        drift=moved,
        unmanaged=overview.unmanaged,
        unknown=plan.unknown,
        pending=len(plan.actions) - len(actions),
        in_sync=plan.in_sync,
        sites=tuple(part.site for part in plan.parts),
        coverage=overview.coverage,
        made=overview.controller_owned,
        elsewhere=overview.elsewhere,
        ignored=tuple(drift for ignored in plan.left if ignored.rule for drift in _ignored_drift(ignored)),
        findings=(
            *plan.findings,
            *unfinished_findings(plan.states, {entry.address: entry for entry in planned.entries}),
            *opened_findings(planned, moved),
        ),
        states=plan.states,
        isolation=planned.isolation,
        replications=_with_readiness(planned, workspace),
        not_ours={group.site: len(group.actions) for group in not_owned(plan)},
    )


def _with_readiness(planned: Planned, workspace: Workspace) -> tuple[Replication, ...]:
    plan, operations = planned.plan, planned.operations
    guids = {row.address: member_key(planned.matches, Address.parse(row.address)) for row in plan.replications}
    now, typed = datetime.fromisoformat(plan.created), workspace.document.typed
    return with_readiness(plan.replications, guids, planned.everything, operations, typed, now)


def _drifted_object(action: Action, kind: Kind) -> DriftedObject:
    # the value before the drift is the one in the document, unless the document changed too
    opening = {path_text(leaf.path): leaf.field for leaf in leaves(kind.fields, action.desired) if may_open(leaf.field)}
    live = {**action.desired, **{change.path: change.before for change in action.changes}}
    fields = tuple(
        DriftedField(
            change.path,
            change.before,
            None if change.cause is Cause.BOTH else change.after,
            change.cause,
            change.unit,
            change.units,
            change.sensitive,
            change.author,
            wanted=change.after if change.cause is Cause.BOTH else None,
            unordered=change.unordered,
            opens=change.path in opening
            and opens(opening[change.path], change.after, change.before, was=action.desired, now=live),
            names=change.names,
        )
        for change in action.changes
        if outside_move(change)
    )
    outcome: _What = "undelivered" if action.supersedes else _WHAT.get(action.verb, "changed")
    held = keeps_closed(kind) and (kind.enforces is None or kind.enforces.enforced(action.desired))
    opened = any(field.opens for field in fields) or (outcome != "changed" and held)
    return DriftedObject(str(action.address), outcome, fields, action.since, action.author, opens=opened)


def _ignored_drift(ignored: IgnoredChange) -> list[IgnoredDrift]:
    address, reason, until = str(ignored.address), ignored.reason, ignored.until
    return [
        IgnoredDrift(
            address,
            change.path,
            change.before,
            change.after,
            change.unit,
            reason,
            until,
            change.sensitive,
            change.unordered,
            change.names,
        )
        for change in ignored.changes
    ] or [IgnoredDrift(address, "", None, None, "", reason, until)]
