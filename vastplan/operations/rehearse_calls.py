"""Calls of a rehearsal as its stages send them: what reaches the copy, and the work that is tried on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass

from vastplan.model.errors import Unreachable
from vastplan.model.operation import Facts, Operation, Outcome
from vastplan.operations.copy_calls import Beside, Wanted
from vastplan.operations.ends import LABEL, job_of, jobs_of
from vastplan.operations.job_calls import GONE, base_name
from vastplan.operations.stage import Call, Told
from vastplan.schema.rehearsable import Made, Twin, Views, Volumes
from vastplan.schema.replicated import Job

MOUNT, TRY = "mount", "try"
CLOSE = "drop view"
VIEW, REHEARSAL = "view", "rehearsal"  # facts: the view that was made; what is made, and after what
_LONGEST = 63  # of a name that Kubernetes takes everywhere, labels too


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsed(Beside):
    """What a rehearsal is between. `every` is the shortest time between two restore points that the document has, 0 where it has none.

    `name` is the protected path's. `volumes` is `None` where the document has no Kubernetes at the target.
    """

    name: str
    every: float
    views: Views
    volumes: Volumes | None


@dataclass(frozen=True, slots=True)
class Mount:
    """A claim that a rehearsal makes, after the one of a project of the target; its volume has the same name."""

    project: str
    namespace: str
    claim: str
    name: str


def mark_of(operation: Operation) -> str:
    """What tells that something is the operation's own."""
    return f"{LABEL}={operation.id}"


def to_make(ends: Rehearsed, id: str) -> Facts:
    """What a rehearsal of an id makes, as its record keeps it whatever the document says later."""
    twins = dict.fromkeys(
        (one.target.project, one.target.namespace, one.target.name) for one in ends.work if one.target
    )
    mounts = [
        Mount(*twin, _called(twin[2], id, number))
        for number, twin in enumerate(twins if ends.volumes is not None else ())
    ]
    return {
        "name": f"{ends.name}-rehearsal-{id}",
        "directory": f"{ends.store.directory}.rehearsal-{id}",
        "of": ends.store.directory,
        "mounts": [asdict(one) for one in mounts],
    }


def wanted(operation: Operation) -> Wanted:
    """The copy: nothing of it is copied before it is read."""
    said = operation.facts[REHEARSAL]
    return Wanted(str(said["name"]), str(said["directory"]), background=False)


def mounts(operation: Operation) -> tuple[Mount, ...]:
    """The claims that it makes."""
    return tuple(Mount(**one) for one in operation.facts[REHEARSAL]["mounts"])


def rehearsed_name(operation: Operation, name: str) -> str:
    """What a workload is called when it is tried: nothing that a move submits is called so."""
    return f"{base_name(name)}-r{operation.id}"


def tried(operation: Operation) -> tuple[tuple[Facts, Mount], ...]:
    """The workloads that are tried, each with its claim; those that would not find there all that they mount are not."""
    known = {(one.project, one.claim): one for one in mounts(operation)}
    found = [(fact, known.get((str(fact["to_project"]), str(fact["to_claim"])))) for fact in jobs_of(operation)]
    return tuple((fact, mount) for fact, mount in found if mount is not None)


def own_view(ends: Rehearsed, operation: Operation) -> str:
    """The id of the view that this operation made, while it is there: as the answer told it, or a read after the call."""
    view = ends.views.view(wanted(operation).directory)
    seen = {str(one.seen.get("id")) for one in operation.of(MOUNT, VIEW) if one.outcome is Outcome.SEEN}
    return view if view and view in seen else ""


def open_view(ends: Rehearsed, operation: Operation) -> Call:
    """A view on the copy."""
    directory = wanted(operation).directory

    def told(before: Facts, now: Facts) -> Told:
        return Told.HAPPENED if now["id"] and now["id"] != before["id"] else Told.NOTHING

    return Call(
        VIEW,
        f"POST /views/ of {directory} at {ends.target.site}",
        {"path": directory},
        lambda: {"id": ends.views.view(directory)},
        lambda: ends.views.make(directory),
        told,
    )


def close_view(ends: Rehearsed, operation: Operation, id: str) -> Call:
    """The view goes, and the directory stays."""
    directory = wanted(operation).directory

    def told(_: Facts, now: Facts) -> Told:
        return Told.NOTHING if now["id"] == id else Told.HAPPENED

    what = f"DELETE /views/ of {directory} ({id}) at {ends.target.site}"
    return Call(
        CLOSE,
        what,
        {"guid": id},
        lambda: {"id": ends.views.view(directory)},
        lambda: ends.views.drop(directory, id),
        told,
    )


def make_mount(ends: Rehearsed, volumes: Volumes, operation: Operation, mount: Mount) -> tuple[Call, Call]:
    """A volume of the copy, and a claim on it."""
    mark, directory = mark_of(operation), wanted(operation).directory
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
    """The claim, and then its volume, where they have the operation's mark."""
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
    """The claims that it makes, with what makes them. Raises `Unreachable` where the document has that no more."""
    for mount in mounts(operation):
        if ends.volumes is None:
            raise Unreachable(
                f"the document no longer has Kubernetes at {ends.target.site}, where {mount.name} may exist"
            )
        yield ends.volumes, mount


def _there(ends: Rehearsed, operation: Operation) -> Iterator[tuple[str, Made]]:
    """Each claim and volume that the operation makes, as it is now."""
    for volumes, mount in held(ends, operation):
        yield f"the claim {mount.namespace}/{mount.name}", volumes.claim(mount.namespace, mount.name)
        yield f"the volume {mount.name}", volumes.volume(mount.name)


def left_of(ends: Rehearsed, operation: Operation) -> tuple[str, ...]:
    """Claims and volumes of the operation that are there."""
    mark = mark_of(operation)
    return tuple(name for name, found in _there(ends, operation) if mark in found.marks)


def in_the_way(ends: Rehearsed, operation: Operation) -> str:
    """What of somebody else's has the name of a claim or volume, "" where nothing has."""
    mark = mark_of(operation)
    others = [name for name, found in _there(ends, operation) if found.id and mark not in found.marks]
    return f"{others[0]} already exists and is not of this rehearsal" if others else ""


def running(ends: Rehearsed, operation: Operation, fact: Facts) -> Job | None:
    """A workload of the rehearsal as it is now, by its name, project and label. Raises `Unreachable` where nobody can tell any more."""
    jobs = ends.target_jobs
    name = rehearsed_name(operation, str(fact["name"]))
    if jobs is None:
        raise Unreachable(f"the document no longer has Run:AI at {ends.target.site}, where {name} may be running")
    return jobs.ours(str(fact["to_project"]), name, mark_of(operation))


def try_job(ends: Rehearsed, operation: Operation, fact: Facts, mount: Mount) -> tuple[Call, ...]:
    """The same work at the target, on the copy, with few GPUs; by its specification as the source shows it when it is sent."""
    here, there = ends.source_jobs, ends.target_jobs
    if here is None or there is None:
        return ()
    job, name = job_of(fact), rehearsed_name(operation, str(fact["name"]))

    def send() -> None:
        asked = here.small(here.specification(job))
        there.submit(
            job.type, name, mount.project, here.mapped(asked, {str(fact["claim"]): mount.name}, mark_of(operation))
        )

    def told(_: Facts, now: Facts) -> Told:
        return Told.NOTHING if now["phase"] == GONE else Told.HAPPENED

    body = {"of": job.id, "name": name, "claim": mount.name}
    what = f"submit {job.type} {name} at {there.site}"
    return (Call(f"submit {job.id}", what, body, lambda: _phase(ends, operation, fact), send, told),)


def end_job(ends: Rehearsed, operation: Operation, fact: Facts) -> Call:
    """It goes, where it is the operation's own."""
    job, name = job_of(fact), rehearsed_name(operation, str(fact["name"]))

    def send() -> None:
        found = running(ends, operation, fact)
        if found is not None and ends.target_jobs is not None:
            ends.target_jobs.remove(found)

    def told(_: Facts, now: Facts) -> Told:
        return Told.HAPPENED if now["phase"] in (GONE, "Deleting", "Terminating") else Told.NOTHING

    what = f"DELETE {job.type} {name} at {ends.target.site}"
    return Call(f"delete {job.id}", what, {"name": name}, lambda: _phase(ends, operation, fact), send, told)


def _phase(ends: Rehearsed, operation: Operation, fact: Facts) -> Facts:
    found = running(ends, operation, fact)
    return {"phase": GONE if found is None else found.phase}


def _called(name: str, id: str, number: int) -> str:
    end = f"-rehearsal-{id}" + (f"-{number}" if number else "")
    return f"{name[: _LONGEST - len(end)].rstrip('-.')}{end}"


def _made(name: str, what: str, find: Callable[[], Made], send: Callable[[], None], mark: str) -> Call:
    def told(_: Facts, now: Facts) -> Told:
        return Told.HAPPENED if now["ours"] else Told.NOTHING

    return Call(name, what, {"mark": mark}, lambda: _found(find(), mark), send, told)


def _gone(name: str, what: str, find: Callable[[], Made], send: Callable[[], None], mark: str) -> Call:
    def told(_: Facts, now: Facts) -> Told:
        return Told.NOTHING if now["ours"] and not now["leaving"] else Told.HAPPENED

    return Call(name, what, {"mark": mark}, lambda: _found(find(), mark), send, told)


def _found(found: Made, mark: str) -> Facts:
    return {"id": found.id, "ours": mark in found.marks, "leaving": found.leaving}
