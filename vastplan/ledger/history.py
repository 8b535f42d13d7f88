"""The history of a ledger part, step by step: a run begins, what it did becomes known, and what it was is read back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from vastplan.model.operation import Operation, Phase
from vastplan.model.outcome import State
from vastplan.model.site_ledger import KEPT_RUNS, TEXT_LIMIT, LoggedApproval, LoggedChange, LoggedRun

OPEN = (Phase.OPEN.value, Phase.ABORTING.value)
"""The states of an operation that has not ended."""


def with_run(runs: tuple[LoggedRun, ...], run: LoggedRun) -> tuple[LoggedRun, ...]:
    """The history with another run; the oldest falls out."""
    return (*runs, run)[-KEPT_RUNS:]


def with_outcome(runs: tuple[LoggedRun, ...], address: str, verb: str, state: str) -> tuple[LoggedRun, ...]:
    """The history once the ledger says what became of an address. `verb` is its intent's, "" where it has none.

    Only the last run, and only until it ends, is meant: its end has all outcomes, and this is what is known of a run that is cut off.
    """
    if not runs or runs[-1].ended:
        return runs
    run = runs[-1]
    named = address in run.changes
    if named:
        change = LoggedChange.of_text(run.changes[address])
        verb = "" if change.state else change.verb
    states = run.counts.get(verb, {})
    if not states.get(""):
        return runs
    changes = {**run.changes, address: str(LoggedChange(verb, state))} if named else run.changes
    left = {**states, "": states[""] - 1, state: states.get(state, 0) + 1}
    counts = {**run.counts, verb: {each: count for each, count in left.items() if count}}
    return (*runs[:-1], replace(run, changes=changes, counts=counts))


def with_operation(runs: tuple[LoggedRun, ...], run: LoggedRun, operation: Operation) -> tuple[LoggedRun, ...]:
    """The history once a run of an operation (move, restore) has recorded it: its first record adds the run."""
    if runs and all(getattr(runs[-1], name) == getattr(run, name) for name in ("command", "at", "who", "plan")):
        runs, run = runs[:-1], runs[-1]
    done = operation.phase is Phase.DONE
    state = State.DONE.value if done else operation.phase.value
    changes = {address: LoggedChange.of_text(text) for address, text in run.changes.items()}
    changes[operation.address] = LoggedChange(operation.kind, state)
    reason = operation.consent.get("approved")
    if reason and operation.address not in {approval.address for approval in run.approvals}:
        run = replace(run, approvals=(*run.approvals, LoggedApproval(operation.address, str(reason)[:TEXT_LIMIT])))
    closed = operation.phase.closed and all(change.state not in OPEN for change in changes.values())
    return with_run(runs, run.ending(operation.stage_at or run.at if closed else "", changes))


def run_of_data(data: Mapping[str, Any]) -> LoggedRun:
    """A run from its data. Raises `ValueError`, `TypeError`, `KeyError` or `AttributeError` for data that is none: anybody may have written
    the ledger. Keys that a later minor version adds are left out."""
    data = {name: value for name, value in data.items() if name in LoggedRun.__slots__}
    approvals = tuple(LoggedApproval(**approval) for approval in data.get("approvals", ()))
    run = LoggedRun(**{**data, "approvals": approvals})
    texts = [run.command, run.at, run.who, run.commit, run.plan, run.ended]
    texts += run.changes.values()
    texts += (text for given in approvals for text in (given.address, given.reason, given.by))
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("something else where a text belongs")
    numbers = (run.serial, *(count for states in run.counts.values() for count in states.values()))
    if not all(type(number) is int and number >= 0 for number in numbers):
        raise ValueError("something else where a number belongs")
    return run
