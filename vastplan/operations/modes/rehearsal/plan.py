"""The mode of a rehearsal: its ends, the evidence that a person weighs, and the result that a later plan shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.formatting import span
from vastplan.model.move_plan import REHEARSE
from vastplan.model.operation import MEASURED, Operation, Phase
from vastplan.model.operation_plan import Fact
from vastplan.model.site_ledger import SiteLedger, latest_operations
from vastplan.model.value import Ref
from vastplan.operations.document import Document
from vastplan.operations.ends import Ends, Work
from vastplan.operations.modes.mode import Mode, Users
from vastplan.operations.modes.rehearsal.calls import REHEARSAL, Rehearsed, to_make
from vastplan.operations.modes.rehearsal.stages import (
    CAME,
    NOT_TRIED,
    OLDEST,
    POINT,
    amiss,
    newest_kept,
    stages,
)
from vastplan.operations.plan.ages import age_text, dating
from vastplan.operations.plan.pair import Pair, Rehearsal
from vastplan.operations.plan.steps import unmounted_claims
from vastplan.operations.sites import PathAt, Sites
from vastplan.operations.stage import Stage
from vastplan.operations.wanted import WantedMove
from vastplan.schema.entries import Entry
from vastplan.schema.ports.workloads import Job

_APART = 60.0  # seconds: a smaller difference of the clocks is not reported


class Rehearse(Mode):
    """The rehearsal."""

    def aimed(self, document: Document, pair: Pair, wanted: WantedMove) -> Pair:
        """The pair, marked as a rehearsal. Raises `VastplanError` for a path with global access, which has no copy."""
        if pair.origin:
            raise VastplanError(
                f"{pair.path} is shared by global access: {pair.target} sees the data of {pair.origin} itself and has no restore point, "
                "so a rehearsal has nothing to clone"
            )
        return replace(pair, rehearsal=Rehearsal(_every(document.objects(), pair)))

    def stages(self, ends: Ends, broken: str) -> tuple[Stage, ...]:
        """Its stages, in order."""
        return stages(_rehearsed(ends))

    def refuse(self, ends: Ends, broken: str, pair: Pair) -> None:
        """Raises `VastplanError` if the target has no restore point that is new enough, or nothing can be created there."""
        problem = amiss(_rehearsed(ends))
        if problem:
            raise VastplanError(f"{pair.path} cannot be rehearsed: {problem}")

    def loss(self, ends: Ends) -> tuple[dict[str, str], str]:
        """Nothing."""
        return {}, "nothing"

    def evidence(self, ends: Ends, users: Users) -> tuple[Fact, ...]:
        """The restore point that is cloned, its age, and which workloads are tried."""
        return tuple(_evidence(_rehearsed(ends), users))

    def manual_steps(self, pair: Pair) -> tuple[str, ...]:
        """The notes for a person."""
        return (
            "nothing is left to delete; see the result of each workload: vastplan move status PATH",
            f"the tried workloads run at {pair.target} while the originals run at {pair.source}: whatever they do outside their claims "
            "(trackers, buckets, services) happens twice",
            *unmounted_claims(pair, f"the data at {pair.target}", "tried"),
        )

    def facts(self, pair: Pair, ends: Ends, users: Users, id: str) -> Mapping[str, Any]:
        """What it creates, and the workloads that are not tried, by id."""
        rehearsed = _rehearsed(ends)
        reasons = ((job, _not_tried(rehearsed, work, job)) for work, job in users)
        return {
            REHEARSAL: to_make(rehearsed, id),
            NOT_TRIED: {job.id: {"name": job.name, "why": reason} for job, reason in reasons if reason},
        }


def with_rehearsal(sites: Sites, pair: Pair, ends: Ends, target: PathAt) -> Rehearsed:
    """The ends with what the rehearsal creates its objects by."""
    return Rehearsed(
        **ends.as_they_are(),
        store=target.directory(),
        name=pair.name,
        every=pair.rehearsal.every if pair.rehearsal else 0.0,
        views=target.views(),
        volumes=sites.volumes(pair.target),
    )


def _rehearsed(ends: Ends) -> Rehearsed:
    assert isinstance(ends, Rehearsed)
    return ends


def _every(everything: tuple[Entry, ...], pair: Pair) -> float:
    """The shortest time between two restore points by the policy of the path, 0 if the document has none."""
    by_address = {entry.address: entry for entry in everything}
    path = by_address.get(pair.path)
    policy = path.values.get("protection_policy") if path is not None else None
    entry = by_address.get(policy.target) if isinstance(policy, Ref) else None
    frames = entry.values.get("frames") if entry is not None else None
    intervals = (
        [frame.get("every") for frame in frames if isinstance(frame, Mapping)]
        if isinstance(frames, list | tuple)
        else []
    )
    return float(min((interval for interval in intervals if isinstance(interval, int | float)), default=0.0))


def _evidence(ends: Rehearsed, users: Users) -> Iterator[Fact]:
    target_site, side, newest = ends.target.site, ends.target.look(), newest_kept(ends)
    yield Fact(f"{target_site} role", f"{side.stated_role}, {side.state}")
    if newest is not None:
        guid, created = newest[0].guid, newest[0].created
        yield Fact(f"{target_site} newest restore point", f"{guid} as of {created}, {age_text(ends, created)}")
    yield Fact(f"{target_site} as of", side.as_of or "unknown")
    oldest = (
        f"every {span(ends.every)}, so at most {span(OLDEST * ends.every)} old"
        if ends.every
        else "none in the document"
    )
    yield Fact("schedule", oldest)
    yield from _clocks(ends)
    for work, job in users:
        yield Fact(f"workload {job.name}", f"{job.phase}, {job.gpus:g} GPUs; {_becomes(ends, work, job)}")


def _clocks(ends: Rehearsed) -> Iterator[Fact]:
    """The clock that ages are measured by, if clocks differ or no cluster reports its time."""
    site = dating(ends)[0]
    if not site:
        yield Fact("clock", "no cluster reports its time: ages are by the clock of this machine")
    for replica in (ends.source, ends.target):
        now = replica.now()
        offset = 0.0 if now is None else (now - ends.clock.now()).total_seconds()
        if abs(offset) > _APART:
            way = "ahead of" if offset > 0 else "behind"
            counts = "; ages are by it" if replica.site == site else ""
            yield Fact(f"{replica.site} clock", f"{span(abs(offset))} {way} the clock of this machine{counts}")


def _becomes(ends: Rehearsed, work: Work, job: Job) -> str:
    why = _not_tried(ends, work, job)
    if why or work.target is None:
        return f"not tried: {why}"
    return f"tried with at most one GPU, and a claim like {work.target.address} on the copy"


def _not_tried(ends: Rehearsed, work: Work, job: Job) -> str:
    """Why a workload is not tried, "" if it is."""
    if work.target is None:
        return f"{work.source.address} has no counterpart at {ends.target.site}"
    if work.stays(job):
        return f"it mounts {', '.join(inert(name, 80) for name in work.stays(job))} as well"
    if ends.volumes is None or ends.target_jobs is None:
        return f"the document has no Kubernetes or no Run:AI at {ends.target.site}"
    return ""


def last_rehearsal(parts: Mapping[str, SiteLedger], guid: str) -> Fact:
    """The result of the last rehearsal of the same path."""
    rehearsals = [
        operation
        for operation in latest_operations(parts)
        if operation.mode == REHEARSE and guid in operation.subject.split()
    ]
    return Fact("last rehearsal", _result(rehearsals[-1]) if rehearsals else "none")


def _result(one: Operation) -> str:
    if one.phase is not Phase.DONE:
        return f"{one.began}: {'given up' if one.phase is Phase.ABORTED else one.phase.value}"
    point, durations, outcomes = one.facts.get(POINT) or {}, one.facts.get(MEASURED) or {}, one.facts.get(CAME) or {}
    jobs = [f"{inert(job.get('name'), 80)} {inert(job.get('phase'), 40)}" for job in outcomes.values()]
    jobs += [f"{inert(job.get('name'), 80)} not tried" for job in (one.facts.get(NOT_TRIED) or {}).values()]
    return (
        f"{one.began}, with a restore point that was {span(float(max(point.get('age', 0), 0)))} old, in {sum(durations.values())} s: "
        f"{', '.join(jobs) or 'no workload was tried'}"
    )
