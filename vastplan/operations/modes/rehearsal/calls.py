"""Calls of a rehearsal as its stages send them: what reaches the copy, and the workloads that are tried on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict

from vastplan.model.dataclass import dataclass
from vastplan.model.errors import Unreachable
from vastplan.model.operation import Facts, Operation, Outcome
from vastplan.operations.calls.copy import CopyTarget
from vastplan.operations.calls.job import GONE, base_name, resumed
from vastplan.operations.ends import LABEL, Ends, job_of, jobs_of
from vastplan.operations.stage import Call, CallEffect, effect
from vastplan.schema.ports.access import Made, Twin, Views, Volumes
from vastplan.schema.ports.snapshots import Clonable
from vastplan.schema.ports.workloads import Job

MOUNT, TRY = "mount", "try"
CLOSE = "drop view"
VIEW, REHEARSAL = "view", "rehearsal"  # facts: the created view; what the rehearsal creates, and on which model
_LONGEST = 63  # characters of a name that Kubernetes takes everywhere, labels too


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsed(Ends):
    """The ends of a rehearsal. `every` is the shortest time between two restore points in the document, 0 without one.

    `name` is the protected path's. `volumes` is `None` if the document has no Kubernetes at the target.
    """

    store: Clonable
    name: str
    every: float
    views: Views
    volumes: Volumes | None


@dataclass(frozen=True, slots=True)
class Mount:
    """A claim that a rehearsal creates, like that of a project at the target; its volume has the same name."""

    project: str
    namespace: str
    claim: str
    name: str


def mark_of(operation: Operation) -> str:
    """The mark of the operation's own objects."""
    return f"{LABEL}={operation.id}"


def to_make(ends: Rehearsed, id: str) -> Facts:
    """What a rehearsal of an id creates, as its record keeps it, independent of later documents."""
    twins = dict.fromkeys(
        (work.target.project, work.target.namespace, work.target.name) for work in ends.work if work.target
    )
    mounts = [
        Mount(*twin, _called(twin[2], id, number))
        for number, twin in enumerate(twins if ends.volumes is not None else ())
    ]
    return {
        "name": f"{ends.name}-rehearsal-{id}",
        "directory": f"{ends.store.directory}.rehearsal-{id}",
        "of": ends.store.directory,
        "mounts": [asdict(mount) for mount in mounts],
    }


def copy_of(operation: Operation) -> CopyTarget:
    """The rehearsal's copy, which copies only the data that is read."""
    rehearsal = operation.facts[REHEARSAL]
    return CopyTarget(str(rehearsal["name"]), str(rehearsal["directory"]), background=False)


def mounts(operation: Operation) -> tuple[Mount, ...]:
    """The claims that it creates."""
    return tuple(Mount(**mount) for mount in operation.facts[REHEARSAL]["mounts"])


def rehearsed_name(operation: Operation, name: str) -> str:
    """The name of a tried workload: no move submits a workload of such a name."""
    return f"{base_name(name)}-r{operation.id}"


def tried(operation: Operation) -> tuple[tuple[Facts, Mount], ...]:
    """The workloads that are tried, each with its claim; workloads with a claim that the target does not have are not tried."""
    by_claim = {(mount.project, mount.claim): mount for mount in mounts(operation)}
    candidates = [(fact, by_claim.get((str(fact["to_project"]), str(fact["to_claim"])))) for fact in jobs_of(operation)]
    return tuple((fact, mount) for fact, mount in candidates if mount is not None)


def own_view(ends: Rehearsed, operation: Operation) -> str:
    """The id of the view that this operation created, while it exists: from the answer, or from a read after the call."""
    view = ends.views.view(copy_of(operation).directory)
    view_ids = {str(attempt.seen.get("id")) for attempt in operation.of(MOUNT, VIEW) if attempt.outcome is Outcome.SEEN}
    return view if view and view in view_ids else ""


def open_view(ends: Rehearsed, operation: Operation) -> Call:
    """A view on the copy."""
    directory = copy_of(operation).directory

    def effect(before: Facts, now: Facts) -> CallEffect:
        return CallEffect.HAPPENED if now["id"] and now["id"] != before["id"] else CallEffect.NOTHING

    return Call(
        VIEW,
        f"POST /views/ of {directory} at {ends.target.site}",
        {"path": directory},
        lambda: {"id": ends.views.view(directory)},
        lambda: ends.views.make(directory),
        effect,
    )


def close_view(ends: Rehearsed, operation: Operation, id: str) -> Call:
    """Delete the view; the directory stays."""
    directory = copy_of(operation).directory

    what = f"DELETE /views/ of {directory} ({id}) at {ends.target.site}"
    return Call(
        CLOSE,
        what,
        {"guid": id},
        lambda: {"id": ends.views.view(directory)},
        lambda: ends.views.drop(directory, id),
        effect(lambda now: now["id"] != id),
    )


def make_mount(ends: Rehearsed, volumes: Volumes, operation: Operation, mount: Mount) -> tuple[Call, Call]:
    """A volume of the copy, and a claim on it."""
    mark, directory = mark_of(operation), copy_of(operation).directory
    twin = Twin(mount.namespace, mount.claim, str(operation.facts[REHEARSAL]["of"]))
    return (
        _made(
            f"volume {mount.name}",
            f"POST persistentvolumes {mount.name} at {ends.target.site}",
            lambda: volumes.volume(mount.name),
            lambda: volumes.make_volume(twin, mount.name, directory, mark),
            mark,
        ),
        _made(
            f"claim {mount.namespace}/{mount.name}",
            f"POST persistentvolumeclaims {mount.namespace}/{mount.name} at {ends.target.site}",
            lambda: volumes.claim(mount.namespace, mount.name),
            lambda: volumes.make_claim(twin, mount.name, mark),
            mark,
        ),
    )


def drop_mount(ends: Rehearsed, volumes: Volumes, operation: Operation, mount: Mount) -> tuple[Call, Call]:
    """Delete the claim, and then its volume, if they have the operation's mark."""
    mark = mark_of(operation)
    return (
        _gone(
            f"drop claim {mount.namespace}/{mount.name}",
            f"DELETE persistentvolumeclaims {mount.namespace}/{mount.name} at {ends.target.site}",
            lambda: volumes.claim(mount.namespace, mount.name),
            lambda: volumes.drop_claim(mount.namespace, mount.name, mark),
            mark,
        ),
        _gone(
            f"drop volume {mount.name}",
            f"DELETE persistentvolumes {mount.name} at {ends.target.site}",
            lambda: volumes.volume(mount.name),
            lambda: volumes.drop_volume(mount.name, mark),
            mark,
        ),
    )


def held(ends: Rehearsed, operation: Operation) -> Iterator[tuple[Volumes, Mount]]:
    """The claims that it creates, with the client for them. Raises `Unreachable` if the document no longer has that system."""
    for mount in mounts(operation):
        if ends.volumes is None:
            raise Unreachable(
                f"the document no longer has Kubernetes at {ends.target.site}, where {mount.name} may exist"
            )
        yield ends.volumes, mount


def _created(ends: Rehearsed, operation: Operation) -> Iterator[tuple[str, Made]]:
    """The present state of each claim and volume that the operation creates."""
    for volumes, mount in held(ends, operation):
        yield f"the claim {mount.namespace}/{mount.name}", volumes.claim(mount.namespace, mount.name)
        yield f"the volume {mount.name}", volumes.volume(mount.name)


def left_of(ends: Rehearsed, operation: Operation) -> tuple[str, ...]:
    """Claims and volumes of the operation that exist."""
    mark = mark_of(operation)
    return tuple(name for name, created in _created(ends, operation) if mark in created.marks)


def in_the_way(ends: Rehearsed, operation: Operation) -> str:
    """Why a claim or volume cannot be created: an object of that name exists that is not of this operation; "" if none does."""
    mark = mark_of(operation)
    others = [name for name, created in _created(ends, operation) if created.id and mark not in created.marks]
    return f"{others[0]} already exists and is not of this rehearsal" if others else ""


def running(ends: Rehearsed, operation: Operation, fact: Facts) -> Job | None:
    """A tried workload as it is now, by its name, project and label. Raises `Unreachable` if the document has no Run:AI there now."""
    jobs = ends.target_jobs
    name = rehearsed_name(operation, str(fact["name"]))
    if jobs is None:
        raise Unreachable(f"the document no longer has Run:AI at {ends.target.site}, where {name} may be running")
    return jobs.submitted(str(fact["to_project"]), name, mark_of(operation))


def try_job(ends: Rehearsed, operation: Operation, fact: Facts, mount: Mount) -> tuple[Call, ...]:
    """The same workload at the target on the copy, with few GPUs, from its specification as the source returns it at that moment."""
    source_jobs, target_jobs = ends.source_jobs, ends.target_jobs
    if source_jobs is None or target_jobs is None:
        return ()
    job, name = job_of(fact), rehearsed_name(operation, str(fact["name"]))

    def send() -> None:
        specification = source_jobs.small(resumed(source_jobs, source_jobs.specification(job), fact))
        target_jobs.submit(
            job.type,
            name,
            mount.project,
            source_jobs.mapped(specification, {str(fact["claim"]): mount.name}, mark_of(operation)),
        )

    body = {"of": job.id, "name": name, "claim": mount.name}
    what = f"submit {job.type} {name} at {target_jobs.site}"
    return (
        Call(
            f"submit {job.id}",
            what,
            body,
            lambda: _phase(ends, operation, fact),
            send,
            effect(lambda now: now["phase"] != GONE),
        ),
    )


def end_job(ends: Rehearsed, operation: Operation, fact: Facts) -> Call:
    """Delete a tried workload, if it is the operation's own."""
    job, name = job_of(fact), rehearsed_name(operation, str(fact["name"]))

    def send() -> None:
        running_job = running(ends, operation, fact)
        if running_job is not None and ends.target_jobs is not None:
            ends.target_jobs.remove(running_job)

    what = f"DELETE {job.type} {name} at {ends.target.site}"
    return Call(
        f"delete {job.id}",
        what,
        {"name": name},
        lambda: _phase(ends, operation, fact),
        send,
        effect(lambda now: now["phase"] in (GONE, "Deleting", "Terminating")),
    )


def _phase(ends: Rehearsed, operation: Operation, fact: Facts) -> Facts:
    job = running(ends, operation, fact)
    return {"phase": GONE if job is None else job.phase}


def _called(name: str, id: str, number: int) -> str:
    end = f"-rehearsal-{id}" + (f"-{number}" if number else "")
    return f"{name[: _LONGEST - len(end)].rstrip('-.')}{end}"


def _made(name: str, what: str, find: Callable[[], Made], send: Callable[[], None], mark: str) -> Call:
    return Call(name, what, {"mark": mark}, lambda: _found(find(), mark), send, effect(lambda now: now["ours"]))


def _gone(name: str, what: str, find: Callable[[], Made], send: Callable[[], None], mark: str) -> Call:
    return Call(
        name,
        what,
        {"mark": mark},
        lambda: _found(find(), mark),
        send,
        effect(lambda now: not now["ours"] or now["leaving"]),
    )


def _found(found: Made, mark: str) -> Facts:
    return {"id": found.id, "ours": mark in found.marks, "leaving": found.leaving}
