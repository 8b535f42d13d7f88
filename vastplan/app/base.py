"""Whose change is it? A plan beside the plan of its base, from one observation: what both would do is not this change. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from vastplan.model.errors import Invalid
from vastplan.model.finding import Finding, Severity
from vastplan.model.plan import Action, Base, FieldChange, Plan, Standing, by_hand

_ORDER = {one: number for number, one in enumerate(Standing)}


def no_base(problem: Invalid) -> Finding:
    """The finding where the base cannot be planned: everything counts as the change's own then."""
    first = problem.findings[0].message if problem.findings else "it cannot be read"
    text = f"the base cannot be planned ({first}), so what was pending and what drifted is not told apart"
    return Finding("VP332", Severity.WARNING, text, "give the document at the merge base with --base")


def split(plan: Plan, base: Plan | Finding) -> Plan:
    """The plan with each action's standing, its own changes and its new findings first; work keeps its order."""
    if isinstance(base, Finding):
        return replace(plan, findings=(base, *plan.findings))
    before = {action.address: action for action in base.actions}
    actions = [_held(action, before.get(action.address)) for action in plan.actions]
    mine = {action.address for action in plan.actions}
    known = {(one.code, one.message, one.address) for one in base.findings}
    new = [one for one in plan.findings if (one.code, one.message, one.address) not in known]
    old = [one for one in plan.findings if (one.code, one.message, one.address) in known]
    return replace(
        plan,
        actions=tuple(sorted(actions, key=lambda one: _ORDER[one.standing or Standing.CHANGE])),
        findings=(*new, *old),
        base=Base(
            source=base.source,
            digest=base.digest,
            withdrawn=tuple(str(one.address) for one in base.actions if one.address not in mine),
            findings=len(new),
        ),
    )


def _held(action: Action, before: Action | None) -> Action:
    if before is None:
        return replace(action, standing=Standing.CHANGE)
    there = {_what(change) for change in before.changes}
    # What is secret shows no value: it is the same only where all that is desired comes from the same sources.
    blind = action.desired != before.desired
    changes = tuple(
        replace(change, already=_what(change) in there and not (change.sensitive and blind))
        for change in action.changes
    )
    whole = (
        (action.verb, action.id, action.released, set(_all(action.changes)))
        == (before.verb, before.id, before.released, there)
    ) and all(change.already for change in changes)
    if not whole:
        return replace(action, standing=Standing.CHANGE, changes=changes)
    return replace(action, standing=Standing.DRIFT if by_hand(action) else Standing.PENDING)


def _all(changes: Iterable[FieldChange]) -> Iterable[str]:
    return (_what(change) for change in changes)


def _what(change: FieldChange) -> str:
    return repr((change.path, change.before, change.after, change.replaces, change.sensitive))
