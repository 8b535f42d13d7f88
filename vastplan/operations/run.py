"""Carry an operation out: journal, call, journal, observe. A run that finds an open record reads before it sends.

A call whose outcome is unknown is sent again only after two reads, half a minute apart, that show no effect.
No stage is replaced or skipped: if a gate does not hold in time, the run stops and reports which side may write.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from itertools import chain, repeat
from typing import TypeVar

from vastplan.model.canonical_json import json_file_text
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import INCOMPLETE, STALE, Refused, Unclear, Unreachable, VastplanError
from vastplan.model.escaping import inert
from vastplan.model.operation import BACK, MEASURED, PAST, WATCHER, Attempt, Operation, Outcome, Phase
from vastplan.operations.clock import Clock
from vastplan.operations.stage import Call, CallEffect, Gate, Holds, Stage, undoing

Value = TypeVar("Value")
APART = 30.0  # seconds between the two reads that must show that nothing happened
SOON, PAUSE = (1.0, *(2.0,) * 6), 5.0  # between two looks at a gate: the first ones, and all that follow
READS, RETRY = 4, 10.0  # of a read that a decision needs: how often it is tried, and the seconds between
TRIES = 3  # of one call in one run
_LIKE_BUSY = (408, 425, 429)


_UNGUARDED = (
    "a watcher began it, on condition that the lost site is fenced, and by hand nobody asks for that; give it up, and plan the move "
    "yourself (--unplanned)"
)


class Stopped(VastplanError):
    """An operation stopped with everything safe; its text says who may write, and what to type next."""

    exit_code = STALE


class PastReturn(Stopped):
    """It is not taken back, because it can only go on."""


class Unknown(Stopped):
    """It stopped because a read that it needs failed."""

    exit_code = INCOMPLETE


@dataclass(frozen=True, slots=True)
class Run:
    """What a runner needs. `journal` makes a record durable before it returns, and raises `Lost`.

    `standing` reads again which side may write; `again` and `back` are the commands to go on and to give up.
    """

    clock: Clock
    journal: Callable[[Operation], None]
    report: Callable[[str], None]
    standing: Callable[[Operation], str]
    again: str
    back: str = ""
    guard: Callable[[], str] | None = None
    """Asked right before the first call after which there is no way back; returns why not. What a watcher began has one, or is refused."""


def carry_out(operation: Operation, stages: tuple[Stage, ...], run: Run) -> Operation:
    """Go on at the first stage whose gate has not held, up to the last. Raises `Stopped`."""
    for number, stage in enumerate(stages, 1):
        if stage.name not in operation.passed:
            run.report(f"[{number}/{len(stages)}] {stage.name}: {stage.does}")
            operation = _passed(operation, stage, run)
    return operation


def abort(operation: Operation, stages: tuple[Stage, ...], run: Run) -> Operation:
    """Take back what was begun, and close the record. Past the point of no return it raises `PastReturn` and changes nothing."""
    for stage in stages if operation.phase is Phase.OPEN else ():
        operation = settle(operation, stage, run)
        why = _read(operation, stage, run, lambda stage=stage, settled=operation: stage.crossed(settled))  # type: ignore[misc]
        if why:
            on = replace(run, again=f"vastplan {operation.kind} run PATH {operation.id}", back="")
            raise PastReturn(_stop_text(operation, stage, on, f"this can no longer be taken back: {why}"))
    if operation.phase is Phase.OPEN:
        operation = _note(run, replace(operation, phase=Phase.ABORTING))
    operation = carry_out(operation, undoing(stages, operation), run)
    return _note(run, replace(operation, phase=Phase.ABORTED))


def begin(operation: Operation, run: Run) -> Operation:
    """Write the record for the first time."""
    return _note(run, operation)


def close(operation: Operation, run: Run) -> Operation:
    """Write the end of an operation that has passed all of its stages."""
    return _note(run, replace(operation, phase=Phase.DONE))


def settle(operation: Operation, stage: Stage, run: Run) -> Operation:
    """Determine the outcome of the calls of a stage that a run left open."""
    pending = [attempt for attempt in operation.of(stage.name) if attempt.outcome is Outcome.PENDING]
    if not pending:
        return operation
    calls = {call.name: call for call in _read(operation, stage, run, lambda: stage.calls(operation))}
    for attempt in pending:
        try:
            call = calls.get(attempt.call)
            if call is None:
                raise Unknown(_stop_text(operation, stage, run, f"cannot determine whether {attempt.what} took effect"))
            operation = _found_out(operation, stage, call, attempt, run, "")
        except Unknown:
            if not stage.best_effort:
                raise
    return operation


def _passed(operation: Operation, stage: Stage, run: Run) -> Operation:
    if operation.stage != stage.name:
        operation = _note(run, replace(operation, stage=stage.name, stage_at=_at(run)))
    operation = settle(operation, stage, run)
    if not any(attempt.outcome is Outcome.SEEN for attempt in operation.of(stage.name)):
        why = _read(operation, stage, run, lambda: stage.precondition(operation) or stage.once(operation))
        if stage.no_return and not why and (WATCHER in operation.consent or run.guard is not None):
            why = run.guard() if run.guard is not None else _UNGUARDED
            operation = operation if why else operation.knowing(fenced="fenced, by the command of the watcher")
        if why:
            raise Stopped(_stop_text(operation, stage, run, why))
    operation = _called(operation, stage, run)
    gate = _observed(operation, stage, run)
    # the begin of a stage is kept in whole seconds, rounded down: so are these, or their sum would be too long
    seconds = int((run.clock.now() - datetime.fromisoformat(operation.stage_at)).total_seconds())
    measured = {**operation.facts.get(MEASURED, {}), stage.name: seconds}
    past = {PAST: stage.name} if stage.no_return else {}
    for line in gate.facts.get(BACK, ()):
        run.report(inert(line, 600))
    operation = operation.knowing(**gate.facts, **past, **{MEASURED: measured})
    covers = operation.covers if stage.covers is None else stage.covers
    return _note(run, replace(operation, passed=(*operation.passed, stage.name), covers=covers))


def _called(operation: Operation, stage: Stage, run: Run) -> Operation:
    """Send the calls of a stage that have not happened. A call that fails stays in the record.

    A best-effort stage goes on all the same. Past the point of no return the other calls are sent too before it stops: nobody can give up
    any more, and what each of them serves need not wait for the one that was refused.
    """
    failed = list[str]()
    calls = [
        call
        for call in _read(operation, stage, run, lambda: stage.calls(operation))
        if not operation.happened(stage.name, call.name)
    ]

    def journal(record: Operation) -> None:
        nonlocal operation
        run.journal(record)
        operation = record

    for number, call in enumerate(calls, 1):
        try:
            operation = _sent(operation, stage, call, replace(run, journal=journal))
        except Stopped as problem:
            if not stage.best_effort:
                is_alone = not failed and number == len(calls)
                if is_alone or isinstance(problem, Unknown) or not _is_past(operation, stage, run):
                    raise
                last = operation.of(stage.name, call.name)[-1]
                failed.append(f"{last.what} was refused: {last.why}")
            run.report(f"  not done: {inert(str(problem).partition(chr(10))[0], 300)}")
    if failed:
        raise Stopped(_stop_text(operation, stage, run, "; ".join(failed)))
    return operation


def _is_past(operation: Operation, stage: Stage, run: Run) -> bool:
    """Whether the operation can no longer be taken back."""
    return PAST in operation.facts or bool(_read(operation, stage, run, lambda: stage.crossed(operation)))


def _sent(operation: Operation, stage: Stage, call: Call, run: Run) -> Operation:
    for _ in range(TRIES):
        before = _read(operation, stage, run, call.read)
        attempt = Attempt(
            number=len(operation.attempts) + 1, stage=stage.name, call=call.name, what=call.what,
            body=hashlib.sha256(json_file_text(dict(call.body)).encode()).hexdigest()[:16], at=_at(run), before=before,
        )  # fmt: skip
        operation = _note(run, operation.with_attempt(attempt))
        try:
            answer = call.send()
        except (Unclear, Unreachable) as problem:
            operation = _found_out(operation, stage, call, attempt, run, str(problem))
        except Refused as problem:
            operation = _found_out(operation, stage, call, attempt, run, str(problem), final=_is_final(problem))
        else:
            settled = replace(attempt, outcome=Outcome.SEEN, seen=answer or {})
            operation = _note(run, operation.with_attempt(settled))
        if operation.happened(stage.name, call.name):
            return operation
    raise Stopped(_stop_text(operation, stage, run, f"{call.what} was sent {TRIES} times and had no effect"))


def _is_final(refused: Refused) -> bool:
    """Whether the answer is a refusal, not a fault."""
    return 400 <= refused.status < 500 and refused.status not in _LIKE_BUSY


def _found_out(
    operation: Operation, stage: Stage, call: Call, attempt: Attempt, run: Run, why: str, *, final: bool = False
) -> Operation:
    """The outcome of a call, from reads: it took effect, or two reads show no effect. Raises `Stopped` otherwise."""
    effect, state = CallEffect.UNKNOWN, attempt.before
    for wait in (0.0, APART):
        if wait:
            run.clock.sleep(wait)
        state = _read(operation, stage, run, call.read)
        effect = call.effect(attempt.before, state)
        if effect is not CallEffect.NOTHING or final:
            break
    if effect is CallEffect.HAPPENED:
        return _note(run, operation.with_attempt(replace(attempt, outcome=Outcome.SEEN, seen=state, why=why)))
    if effect is CallEffect.UNKNOWN:
        reason = f"cannot determine whether {call.what} took effect" + (f" ({why})" if why else "")
        raise Unknown(_stop_text(operation, stage, run, reason))
    outcome = Outcome.FAILED if final else Outcome.NOT_SENT
    operation = _note(run, operation.with_attempt(replace(attempt, outcome=outcome, seen=state, why=why)))
    if final:
        raise Stopped(_stop_text(operation, stage, run, f"{call.what} was refused: {why}"))
    return operation


def _observed(operation: Operation, stage: Stage, run: Run) -> Gate:
    """Wait until the gate holds."""
    until = run.clock.ticks() + stage.bound
    reported, pauses = "", chain(SOON, repeat(PAUSE))
    while True:
        try:
            gate = stage.gate(operation)
        except (Refused, Unreachable) as problem:
            gate = Gate(Holds.NOT_YET, str(problem))
        if gate.holds is Holds.YES:
            return gate
        if gate.holds is Holds.NEVER:
            raise Stopped(_stop_text(operation, stage, run, gate.says))
        if run.clock.ticks() >= until:
            reason = f"its gate ({stage.until}) did not hold within {stage.bound:.0f} s: {gate.says}"
            raise Stopped(_stop_text(operation, stage, run, reason))
        if gate.says and gate.says != reported:
            run.report(f"  waits: {inert(gate.says, 300)}")
            reported = gate.says
        run.clock.sleep(next(pauses))


def _read(operation: Operation, stage: Stage, run: Run, look: Callable[[], Value]) -> Value:
    """Read what the stage needs. Raises `Unknown` if it cannot be read."""
    problem: VastplanError | None = None
    for number in range(READS):
        if number:
            run.clock.sleep(RETRY)
        try:
            return look()
        except (Refused, Unreachable) as error:
            problem = error
    raise Unknown(_stop_text(operation, stage, run, f"cannot determine the current state: {problem}"))


def _stop_text(operation: Operation, stage: Stage, run: Run, reason: str) -> str:
    try:
        standing = run.standing(operation)
    except VastplanError as problem:
        standing = f"cannot determine which side may write: {problem}"
    ways = f"go on: {run.again}" + (f"; give up: {run.back}" if run.back else "")
    return (
        f"{operation.address} ({operation.kind} {operation.id}) stopped at stage {stage.name}: {inert(reason, 600)}\n"
        f"now: {inert(standing, 2000)}\n{ways}"
    )


def _note(run: Run, operation: Operation) -> Operation:
    """The new record, durable."""
    operation = replace(operation, serial=operation.serial + 1)
    run.journal(operation)
    return operation


def _at(run: Run) -> str:
    return run.clock.now().isoformat(timespec="seconds")
