"""The course of any operation: what refuses another one, when it has ended, when it goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from vastplan.model.errors import Stale, Unreachable, VastplanError
from vastplan.model.escaping import inert
from vastplan.model.move_plan import MovePlan
from vastplan.model.operation import Operation, Phase
from vastplan.model.operation_plan import OperationPlan, PlannedStage
from vastplan.model.site_ledger import SiteLedger, latest_operations
from vastplan.operations.ends import Work, newcomers
from vastplan.operations.run import Run, Stopped, Unknown, begin, carry_out, close
from vastplan.operations.stage import Stage
from vastplan.operations.stages.work import FREEZE
from vastplan.schema.ports.workloads import Job


def evened(known: Operation, parts: Mapping[str, SiteLedger], write: Callable[[Operation], None]) -> Operation:
    """The operation, recorded in all ledger parts: a killed run may have written only one."""
    if any(part.operations.get(known.subject) != known for part in parts.values()):
        write(known)
    return known


def forward(known: Operation, stages: tuple[Stage, ...], run: Run) -> Operation:
    """The operation to continue. One that is being taken back continues only past the point of no return, else `Stopped` is raised."""
    if known.phase is Phase.OPEN:
        return known
    for stage in stages:
        if stage.crossed(known):
            return begin(replace(known, phase=Phase.OPEN), run)
    raise Stopped(f"{known.address}: the {known.kind} {known.id} is being taken back; go on with that: {run.back}")


def refuse_second(parts: Mapping[str, SiteLedger], guid: str) -> None:
    """Raises `VastplanError` if an operation on the same subject is under way."""
    for operation in latest_operations(parts):
        if guid in (operation.subject, *operation.subject.split()) and not operation.phase.closed:
            raise second(operation)


def moves_before(parts: Mapping[str, SiteLedger], guids: Iterable[str]) -> dict[str, str]:
    """The id of the last move of each path, by its guid; without those that were never moved."""
    wanted = frozenset(guids)
    return {operation.subject: operation.id for operation in latest_operations(parts) if operation.subject in wanted}


def refuse_spent(plan: MovePlan, parts: Mapping[str, SiteLedger], guids: Iterable[str]) -> None:
    """Raises `Stale` if a path was moved since the move was planned: an armed plan is valid for long, and is of these roles alone."""
    for guid, last in moves_before(parts, guids).items():
        if last not in (plan.after.get(guid), plan.id[:8]):
            raise Stale(
                f"{plan.path}: the move {inert(last, 40)} has come since this one was planned; plan it, or arm it, again"
            )


class UnderWay(VastplanError):
    """Another operation on the subject is under way."""


def second(one: Operation) -> VastplanError:
    """The error for a second operation on a subject whose operation is under way."""
    destination = "" if one.target == one.source else f" to {one.target}"
    return UnderWay(
        f"{one.address}: the {one.kind} {one.id}{destination} is under way since {one.began} (stage {one.stage or 'none yet'}); "
        f"go on: vastplan {one.kind} run PATH {one.id}; or give up: vastplan {one.kind} abort PATH {one.id}"
    )


def refuse_newcomers(plan: OperationPlan, users: Iterable[tuple[Work, Job]], what: str = "it") -> None:
    """Raises `Stale` if workloads that are not in the plan use the data; `what` is to be planned again."""
    others = newcomers(users, plan.jobs)
    if others:
        raise Stale(f"{plan.path}: workloads that are not in the plan use it now: {others}; plan {what} again")


def refuse_unsuspendable(path: str, stages: Iterable[Stage], users: Iterable[tuple[Work, Job]]) -> None:
    """Raises `VastplanError` if the stages suspend the workloads, and one of them cannot be suspended."""
    on = {f"{job.type} {job.name}": None for _, job in users if not job.suspends}
    if on and any(stage.name == FREEZE for stage in stages):
        names = ", ".join(inert(name, 80) for name in on)
        raise VastplanError(
            f"{path}: {names} mounts it, and a workload of this type cannot be suspended; delete it, plan again, and submit it "
            "again afterwards"
        )


def carried(
    plan: OperationPlan,
    known: Operation | None,
    parts: Mapping[str, SiteLedger],
    run: Run,
    record: Callable[[], Operation],
    stages: Callable[[], tuple[Stage, ...]],
) -> Operation:
    """Carry out a plan: begin with the record from `record`, or go on. `known` is the last operation on the subject.

    Raises `Stopped`, `Stale`.
    """
    short = plan.id[:8]
    if known is None or known.phase.closed:
        if known is not None and known.id == short:
            if evened(known, parts, run.journal).phase is Phase.ABORTED:
                raise Stale(f"{known.address}: the {known.kind} {known.id} was taken back; plan another one")
            return known
        known = begin(record(), run)
    elif known.id != short:
        raise second(known)
    return continued(known, stages(), run)


def continued(known: Operation, stages: tuple[Stage, ...], run: Run) -> Operation:
    """Go on with an operation that has begun. Raises `Stopped`."""
    return close(carry_out(forward(known, stages, run), stages, run), run)


@contextmanager
def heard(address: str, again: str) -> Iterator[None]:
    """Raises `Unknown` if a system that is needed does not answer, with the command to go on."""
    try:
        yield
    except Unreachable as problem:
        raise Unknown(
            f"{inert(address, 200)}: nothing was done, because what is needed cannot be read: {inert(str(problem), 600)}\n"
            f"go on when it answers: {again}"
        ) from problem


def shown(stage: Stage) -> PlannedStage:
    """A stage for a plan."""
    return PlannedStage(stage.name, stage.does, stage.until, stage.bound, stage.back, stage.no_return)
