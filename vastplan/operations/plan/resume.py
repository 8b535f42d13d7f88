"""How workloads are told to go on from their last checkpoint, by the document: for the record of a move, and for its plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from vastplan.model.errors import Stale
from vastplan.model.escaping import inert
from vastplan.model.operation import Facts
from vastplan.model.operation_plan import Fact, OperationPlan
from vastplan.operations.ends import RESUME
from vastplan.operations.plan.checkpoints import checkpoints_of
from vastplan.operations.plan.pair import Pair
from vastplan.schema.entries import Entry


def told_to_resume(jobs: tuple[Facts, ...], written: Iterable[Entry], pair: Pair) -> tuple[Facts, ...]:
    """The workloads that mount the data of a pair, each with what the volume at the target, or else at the source, says; `written` are
    the document's entries."""
    source, target = checkpoints_of(written, pair)
    resume = target.get("resume") or source.get("resume")
    return tuple({**fact, RESUME: {str(fact["claim"]): resume}} for fact in jobs) if resume else jobs


def of_resume(jobs: Iterable[Facts]) -> Iterator[Fact]:
    """A fact for each workload that is told to go on from its last checkpoint where it is submitted."""
    for fact in jobs:
        told = [text for how in fact.get(RESUME, {}).values() for text in _told(how)]
        if told and fact["to_claim"]:
            yield Fact(f"workload {fact['name']} starts", f"with {', '.join(told)}")


def refuse_other_resume(plan: OperationPlan, jobs: Iterable[Facts]) -> None:
    """Raises `Stale` if a workload would be told something else than the plan shows: no object of the document changes with that."""
    planned = {job["id"]: job.get(RESUME) for job in plan.jobs}
    for fact in jobs:
        if fact["id"] in planned and fact.get(RESUME) != planned[fact["id"]]:
            raise Stale(
                f"{plan.path}: checkpoint.resume has changed since the {plan.kind} was planned, for workload "
                f"{inert(fact['name'], 80)}; plan it again"
            )


def _told(how: Mapping[str, Any]) -> Iterator[str]:
    yield from (inert(f"{name}={value}", 200) for name, value in how.get("env", {}).items())
    if how.get("args"):
        yield inert(how["args"], 200)
