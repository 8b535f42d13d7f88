"""The GPUs that the workloads of a move need at the target, and those that are free there, for a person who plans it: no refusal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from vastplan.model.errors import Refused, Unreachable
from vastplan.model.escaping import inert
from vastplan.model.operation import Facts
from vastplan.model.operation_plan import Fact
from vastplan.schema.ports.workloads import Jobs, PoolGpus

GPUS = "GPUs at"


def of_gpus(jobs: Iterable[Facts], target: Jobs | None) -> Iterator[Fact]:
    """A fact for each project at the target; each workload that would be submitted there counts once."""
    for project, needed, preemptible in _needed(jobs, target):
        assert target is not None
        try:
            free = _free(*target.quota(project), needed, preemptible)
        except (Refused, Unreachable) as problem:
            free = f"how many are free is unknown: {problem}"
        yield Fact(f"{GPUS} {target.site}", f"{needed:g} needed, {free}")


def shortage(jobs: Iterable[Facts], target: Jobs | None) -> str:
    """Which GPUs are free at the target for workloads, if these are fewer than needed, or unknown; "" otherwise."""
    texts = []
    for project, needed, _ in _needed(jobs, target):
        assert target is not None
        try:
            free = sum(_free_of(target.quota(project)[1]).values())
        except (Refused, Unreachable) as problem:
            texts.append(f"how many GPUs are free at {target.site} is unknown: {problem}")
        else:
            texts += [f"{target.site} has {free:g} GPUs free, {needed:g} are needed"] if free < needed else []
    return "; ".join(texts)


def _needed(jobs: Iterable[Facts], target: Jobs | None) -> Iterator[tuple[str, float, bool]]:
    """Each project at the target, the GPUs that are needed there, and whether a workload of them is preemptible."""
    by_project: dict[str, dict[str, Facts]] = {}
    for fact in jobs if target is not None else ():
        if fact["to_claim"]:
            by_project.setdefault(str(fact["to_project"]), {})[str(fact["id"])] = fact
    for project, submitted in by_project.items():
        facts = submitted.values()
        yield project, sum(float(fact["gpus"]) for fact in facts), any(fact["preemptible"] for fact in facts)


def _free_of(pools: tuple[PoolGpus, ...]) -> dict[str, float]:
    return {pool: max(0.0, guaranteed - allocated) for pool, guaranteed, allocated in pools}


def _free(project: str, pools: tuple[PoolGpus, ...], needed: float, preemptible: bool) -> str:
    free = _free_of(pools)
    each = [f"{inert(pool, 80)} {free[pool]:g} of {guaranteed:g}" for pool, guaranteed, _ in pools if guaranteed]
    guaranteed = sum(pool.guaranteed for pool in pools)
    text = f"{sum(free.values()):g} of the {guaranteed:g} of project {inert(project, 80)} free"
    text += f" ({', '.join(each)})" if len(each) > 1 else ""
    if needed <= sum(free.values()):
        return text
    return f"{text}: the rest waits{', unless it is preemptible and GPUs beyond the quota are idle' if preemptible else ''}"
