"""Separates a document's change from what its base would do: plans both from one observation and compares the actions. Pure."""

from __future__ import annotations

from dataclasses import replace

from vastplan.app.head import against_base
from vastplan.model.errors import Invalid
from vastplan.model.escaping import inert
from vastplan.model.finding import Finding, Severity
from vastplan.model.plan import Action, Base, FieldChange, Plan, Standing, is_outside_change

_RANK = {standing: rank for rank, standing in enumerate(Standing)}


def no_base(problem: Invalid) -> Finding:
    """The finding if the base cannot be planned: then every action counts as the change's own."""
    first = problem.findings[0].message if problem.findings else "it cannot be read"
    text = f"the base cannot be planned ({first}), so vastplan cannot tell pending changes from drift"
    return Finding("VP332", Severity.WARNING, text, "give the document at the merge base with --base")


def renamed(name: str, of_base: str) -> Finding:
    """The finding if the base has another name: then it uses another part of the ledger and cannot be compared."""
    text = f"the document is named {inert(name, 80)}, and {inert(of_base, 80)} in the base: under another name it uses another part of the ledger"
    fix = "rename a document in a change of its own, and move what it owns: vastplan ledger export and import"
    return Finding("VP333", Severity.WARNING, text, fix)


def with_standings(plan: Plan, base: Plan | Finding) -> Plan:
    """The plan with each action's standing; the document's own changes and its new findings come first. Operations keep their order.

    If the base is a finding, the plan with that finding added.
    """
    if isinstance(base, Finding):
        return replace(plan, findings=(base, *plan.findings))
    of_base = {action.address: action for action in base.actions}
    actions = [_with_standing(action, of_base.get(action.address)) for action in plan.actions]
    planned = {action.address for action in plan.actions}
    of_base_findings = {_finding_key(finding) for finding in base.findings}
    plan = against_base(plan, base)
    new = [finding for finding in plan.findings if _finding_key(finding) not in of_base_findings]
    old = [finding for finding in plan.findings if _finding_key(finding) in of_base_findings]
    return replace(
        plan,
        actions=tuple(sorted(actions, key=lambda action: _RANK[action.standing or Standing.CHANGE])),
        findings=(*new, *old),
        base=Base(
            source=base.source,
            digest=base.digest,
            withdrawn=tuple(str(action.address) for action in base.actions if action.address not in planned),
            findings=len(new),
        ),
    )


def _with_standing(action: Action, of_base: Action | None) -> Action:
    if of_base is None:
        return replace(action, standing=Standing.CHANGE)
    base_changes = {_change_key(change) for change in of_base.changes}
    # A secret change shows no value: it counts as the same only if all desired values, sources included, are equal.
    secrets_may_differ = action.desired != of_base.desired
    changes = tuple(
        replace(
            change,
            already=_change_key(change) in base_changes and not (change.sensitive and secrets_may_differ),
        )
        for change in action.changes
    )
    same_action = (action.verb, action.id, action.released, {_change_key(change) for change in action.changes}) == (
        of_base.verb, of_base.id, of_base.released, base_changes,
    )  # fmt: skip
    if not (same_action and all(change.already for change in changes)):
        return replace(action, standing=Standing.CHANGE, changes=changes)
    return replace(action, standing=Standing.DRIFT if is_outside_change(action) else Standing.PENDING)


def _finding_key(finding: Finding) -> tuple[str, str, str]:
    return finding.code, finding.message, finding.address


def _change_key(change: FieldChange) -> str:
    """A hashable key, equal for two changes with the same effect; values may be lists, which cannot be hashed."""
    return repr((change.path, change.before, change.after, change.replaces, change.sensitive))
