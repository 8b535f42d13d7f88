"""The conditions for the exit code that follow from a plan or a receipt, and the findings that forbid an apply."""

from __future__ import annotations

from vastplan.app.planning.check import check_errors, refuse_wrong, split_path_findings, wrong
from vastplan.model import errors
from vastplan.model.outcome import Outcome, Receipt, State
from vastplan.model.plan import HeldAgainst, Plan

__all__ = [
    "check_errors",
    "conditions_of_plan",
    "conditions_of_receipt",
    "refuse_wrong",
    "split_path_findings",
    "untouched",
    "wrong",
]


def untouched(plan: Plan) -> Receipt:
    """The receipt of a plan whose actions are all blocked."""
    skipped = (
        Outcome(str(action.address), action.verb.value, State.SKIPPED, action.blocked[0].message)
        for action in plan.actions
    )
    return Receipt(plan.id, tuple(skipped))


def conditions_of_plan(plan: Plan) -> set[int]:
    """The exit codes that apply to a plan."""
    conditions: set[int] = set()
    if any(action.blocked for action in plan.actions) or check_errors(plan) or split_path_findings(plan):
        conditions.add(errors.BLOCKED)
    if plan.actions or (plan.head is not None and plan.head.changes and plan.head.against is HeldAgainst.BASE):
        conditions.add(errors.CHANGES)
    if plan.unknown:
        conditions.add(errors.INCOMPLETE)
    if wrong(plan):
        conditions.add(errors.ERROR)
    return conditions


def conditions_of_receipt(plan: Plan, receipt: Receipt) -> set[int]:
    """The exit codes that apply to the result of an apply."""
    states = receipt.states()
    blocked = {str(action.address) for action in plan.actions if action.blocked}
    conditions: set[int] = set()
    if State.STALE in states:
        conditions.add(errors.STALE)
    left_undone = any(outcome.state is State.SKIPPED and outcome.address not in blocked for outcome in receipt.outcomes)
    if left_undone or states & {State.FAILED, State.UNKNOWN}:
        conditions.add(errors.PARTIAL)
    return conditions
