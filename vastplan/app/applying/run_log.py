"""What the history of a ledger has of an apply, a part for each site: when it begins, and when it has ended."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace

from vastplan.model.address import Address
from vastplan.model.consent import Approval
from vastplan.model.outcome import Receipt, State
from vastplan.model.plan import GOING, Plan, verb_word
from vastplan.model.site_ledger import TEXT_LIMIT, LoggedApproval, LoggedChange, LoggedRun, counted_changes, named


def logged_runs(
    run: LoggedRun, plan: Plan, approvals: Iterable[Approval], overtaken: Container[Address]
) -> dict[str, LoggedRun]:
    """The run on each site, with the actions that are not blocked and the approvals of those that lose data."""
    changes: dict[str, dict[str, LoggedChange]] = {part.site: {} for part in plan.parts}
    used: dict[str, list[LoggedApproval]] = {part.site: [] for part in plan.parts}
    given = {(approval.address, approval.id): approval for approval in approvals}
    for action in plan.actions:
        if action.blocked:
            continue
        site, address = action.address.site, str(action.address)
        stale = action.address in overtaken
        changes[site][address] = LoggedChange(verb_word(action), State.STALE.value if stale else "")
        approval = given.get((address, action.id)) or given.get((address, ""))
        if approval is not None and (action.verb in GOING or action.deletes) and not stale:
            used[site].append(LoggedApproval(address, approval.reason[:TEXT_LIMIT], approval.by[:TEXT_LIMIT]))
    return {
        site: replace(run, changes=named(each), counts=counted_changes(each), approvals=tuple(used[site]))
        for site, each in changes.items()
    }


def ended_run(begun: LoggedRun, site: str, plan: Plan, receipt: Receipt, at: str) -> LoggedRun:
    """The run on a site after its last action."""
    verbs = {str(action.address): verb_word(action) for action in plan.actions}
    blocked = {str(action.address) for action in plan.actions if action.blocked}
    changes = {
        outcome.address: LoggedChange(verbs.get(outcome.address, outcome.verb), outcome.state.value)
        for outcome in receipt.outcomes
        if outcome.address not in blocked and Address.parse(outcome.address).site == site
    }
    return begun.ending(at, changes)
