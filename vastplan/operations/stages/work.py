"""The stages of a move for its workloads: suspend them at the source, submit them at the target."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from vastplan.model.errors import Refused, Unreachable
from vastplan.model.operation import Facts, Operation
from vastplan.operations.calls.job import STILL, is_starting, new_name, phase, resume, submit, suspend, suspended
from vastplan.operations.ends import SPECIFICATION, Ends, Home, job_of, jobs_of, newcomers, without_specification
from vastplan.operations.stage import Call, Gate, Holds, Stage, waiting
from vastplan.schema.ports.workloads import Jobs

FREEZE, FENCE, START, GO_ON = "freeze", "fence", "start", "go on"
Chosen: TypeAlias = tuple[Facts, ...]
"""Workloads, as the record has them."""
UNREAD = "workloads unread"
"""A fact of a record: the workloads at the source did not answer when they were to be suspended, so those that were kept are submitted."""
STILLNESS = 15.0  # seconds between two reads of the used bytes, which must be equal


def others(home: Home, operation: Operation) -> str:
    """Why the users of the data differ from those that a person consented to, "" if they do not."""
    home.pods()  # a system that does not answer now would not at the freeze either, after the workloads have stopped
    return strangers(home, operation)


def strangers(home: Home, operation: Operation) -> str:
    """Like `others`, but only by workloads, for operations without a freeze."""
    newcomers_text = newcomers(home.users(), jobs_of(operation))
    return f"workloads that are not in the plan use it now: {newcomers_text}; plan again" if newcomers_text else ""


def still(ends: Home, operation: Operation) -> str:
    """Why something may still write at the source, "" if nothing is seen to write."""
    jobs = ends.source_jobs
    running = [
        f"{fact['name']} is {now}"
        for fact in (jobs_of(operation) if jobs is not None else ())
        if jobs is not None and (now := phase(jobs, str(fact["id"]))) not in STILL
    ]
    using = [f"{job.name} is {job.phase}" for _, job in ends.users()]
    pods = [f"pod {pod} mounts it" for pod in ends.pods()]
    return "; ".join(dict.fromkeys((*running, *using, *pods)))


def unmoved(ends: Home, operation: Operation) -> str:
    """Why the freeze no longer holds, "" if it holds."""
    moving = still(ends, operation)
    used = ends.source.used()
    if not moving and used != operation.facts.get("used"):
        return (
            f"{ends.source.site} was written to since the freeze: {operation.facts.get('used')} bytes then, {used} now"
        )
    return f"it is no longer frozen: {moving}" if moving else ""


def freeze(ends: Home) -> Stage:
    """Suspend the workloads of the plan, and check that nothing writes any more."""

    def calls(operation: Operation) -> tuple[Call, ...]:
        return _suspending(ends.source_jobs, operation, FREEZE)

    def gate(operation: Operation) -> Gate:
        moving = still(ends, operation)
        if moving:
            return Gate(Holds.NOT_YET, moving)
        used = ends.source.used()
        ends.clock.sleep(STILLNESS)
        used_later = ends.source.used()
        if used != used_later:
            return Gate(Holds.NOT_YET, f"{ends.source.site} is written to: {used} bytes, then {used_later}")
        return Gate(Holds.YES, facts={"used": used, "frozen_at": ends.clock.now().isoformat(timespec="seconds")})

    return Stage(
        FREEZE,
        f"suspend the workloads that use it at {ends.source.site}",
        "each has stopped, no pod mounts the claim, and two reads of the used bytes are equal",
        bound=600.0,
        pause=STILLNESS,
        back="resume the workloads that this stage suspended",
        calls=calls,
        gate=gate,
        rollback=lambda operation: _resuming(ends.source_jobs, operation, FREEZE),
        undone=lambda operation: _resumed(ends.source_jobs, operation, FREEZE),
    )


def go_on(home: Home, stopped_in: str) -> Stage:
    """Resume in place the workloads that were suspended for the operation."""
    return Stage(
        GO_ON,
        f"resume the workloads that were suspended at {home.source.site}",
        "none of them is still stopped",
        bound=600.0,
        back="nothing to take back",
        calls=lambda operation: _resuming(home.source_jobs, operation, stopped_in),
        gate=lambda operation: _resumed(home.source_jobs, operation, stopped_in),
    )


def fence(ends: Ends) -> Stage:
    """Suspend the workloads that can be reached of a site that is given up. Others are reported, not waited for."""

    def calls(operation: Operation) -> tuple[Call, ...]:
        try:
            return _suspending(ends.source_jobs, operation, FENCE)
        except (Refused, Unreachable):
            return ()

    def gate(operation: Operation) -> Gate:
        jobs = ends.source_jobs
        if jobs is None or not jobs_of(operation):
            return Gate(Holds.YES, facts={"fenced": "not fenced: vastplan knows no workloads there"})
        try:
            running = [job_of(fact) for fact in jobs_of(operation) if phase(jobs, str(fact["id"])) not in STILL]
        except (Refused, Unreachable):
            return Gate(Holds.YES, facts={"fenced": f"not fenced: {ends.source.site} does not answer", UNREAD: True})
        moving = [job.name for job in running if job.suspends]
        if moving:
            return Gate(Holds.NOT_YET, f"still running: {', '.join(moving)}")
        on = ", ".join(job.name for job in running)
        beside = f", except {on}, which cannot be suspended" if on else ""
        return Gate(Holds.YES, facts={"fenced": f"the workloads at {ends.source.site} have stopped{beside}"})

    return Stage(
        FENCE,
        f"suspend the workloads at {ends.source.site} that can be reached",
        "each that answers has stopped; one that does not answer is reported as not fenced",
        bound=120.0,
        best_effort=True,
        back="resume the workloads that this stage suspended",
        calls=calls,
        gate=gate,
        rollback=lambda operation: _resuming(ends.source_jobs, operation, FENCE),
        undone=lambda operation: _resumed(ends.source_jobs, operation, FENCE),
    )


def start(ends: Ends, stopped_in: str, chosen: Callable[[Operation], Chosen] | None = None) -> Stage:
    """Submit at the target the workloads that were suspended at the source, or the `chosen` ones, with the claim there."""

    def begun(operation: Operation) -> Chosen:
        if chosen is not None:
            return chosen(operation)
        facts = jobs_of(operation)
        stopped = suspended(operation, stopped_in, facts)
        if stopped_in != FENCE:
            return stopped
        unread = bool(operation.facts.get(UNREAD))
        on = (fact for fact in facts if (unread and SPECIFICATION in fact) or not job_of(fact).suspends)
        now = () if unread else tuple(map(without_specification, stopped))  # as its source has it now
        return (*(now or stopped), *(fact for fact in on if fact not in stopped))

    def own_workloads(operation: Operation) -> tuple[str, ...]:
        return tuple(new_name(operation, str(fact["name"])) for fact in begun(operation) if fact["to_claim"])

    def calls(operation: Operation) -> tuple[Call, ...]:
        source_jobs, target_jobs = ends.source_jobs, ends.target_jobs
        if source_jobs is None or target_jobs is None:
            return ()
        return tuple(submit(source_jobs, target_jobs, fact, operation) for fact in begun(operation) if fact["to_claim"])

    def gate(operation: Operation) -> Gate:
        started = {}
        for name in own_workloads(operation):
            job = ends.target_jobs.named(name) if ends.target_jobs is not None else None
            if job is None or is_starting(job):
                return Gate(Holds.NOT_YET, f"{name} is {job.phase}" if job else f"{name} does not exist yet")
            if job.phase == "Failed":
                return Gate(Holds.NEVER, f"{name} ({job.id}) has failed at {ends.target.site}")
            started[name] = {"id": job.id, "phase": job.phase}
        return Gate(Holds.YES, facts={"started": started})

    return Stage(
        START,
        f"submit the suspended workloads at {ends.target.site}",
        "each runs, or waits for GPUs, which is reported",
        bound=600.0,
        back=f"the way back is a planned move to {ends.source.site}",
        calls=calls,
        gate=gate,
    )


def _suspending(jobs: Jobs | None, operation: Operation, stage: str) -> tuple[Call, ...]:
    """The workloads of the plan, except those that had stopped before: the operation must not resume these."""
    if jobs is None:
        return ()
    calls = [(fact, suspend(jobs, fact)) for fact in jobs_of(operation) if job_of(fact).suspends]
    return tuple(
        call for fact, call in calls if operation.of(stage, call.name) or phase(jobs, str(fact["id"])) not in STILL
    )


def _resuming(jobs: Jobs | None, operation: Operation, stage: str) -> tuple[Call, ...]:
    return tuple(resume(jobs, fact) for fact in suspended(operation, stage, jobs_of(operation)) if jobs is not None)


def _resumed(jobs: Jobs | None, operation: Operation, stage: str) -> Gate:
    stopped = [
        str(fact["name"])
        for fact in suspended(operation, stage, jobs_of(operation))
        if jobs is not None and phase(jobs, str(fact["id"])) in ("Stopping", "Stopped")
    ]
    return waiting(f"not resumed yet: {', '.join(stopped)}" if stopped else "")
