"""The stage that fills a satellite's cache while work goes on. A prefetch that runs already is followed: it loads the same."""

from __future__ import annotations

from vastplan.model.errors import Refused, Unreachable
from vastplan.model.operation import Facts, Operation, Outcome
from vastplan.operations.stage import Call, Gate, Holds, Stage, effect
from vastplan.schema.ports.cache import Cached, Prefetch, Progress

WARM, PREFETCH = "warm", "prefetch"


def warm(satellite: Cached, directory: str, size: int | None, bound: float) -> Stage:
    """Prefetch a directory of the satellite. `size` is how many bytes it holds at most, `None` if unknown."""

    def calls(operation: Operation) -> tuple[Call, ...]:
        names = list(dict.fromkeys(attempt.call for attempt in operation.of(WARM))) or [PREFETCH]
        task = task_of(operation)
        if task is not None and _no_good(satellite.prefetched(task, directory)):
            names.append(f"{PREFETCH} {len(names) + 1}")
        return tuple(_prefetch(satellite, directory, name) for name in names)

    def gate(operation: Operation) -> Gate:
        task = task_of(operation)
        prefetch = None if task is None else satellite.prefetched(task, directory)
        if prefetch is None or _no_good(prefetch):
            state = "is no longer known" if prefetch is None else f"is {prefetch.stated}"
            coverage = "" if prefetch is None or prefetch.full else ", and loaded names only"
            return Gate(
                Holds.NEVER, f"prefetch {task} at {satellite.site} {state}{coverage}; going on starts another one"
            )
        if prefetch.progress is Progress.COMPLETE:
            return Gate(Holds.YES, facts={"warmed": {"directory": directory, "task": task, "bytes": prefetch.size}})
        return Gate(Holds.NOT_YET, f"prefetch {task} is {prefetch.stated}{_share(prefetch, size)}")

    def rollback(operation: Operation) -> tuple[Call, ...]:
        try:
            under_way = _left(satellite, directory, operation)
        except (Refused, Unreachable):
            return ()  # a prefetch that continues does no harm, and a system that does not answer must not stop the abort
        stops = [
            (task, _stop(satellite, directory, task)) for task in _started(operation) if not _kept(operation, task)
        ]
        return tuple(call for task, call in stops if task in under_way or operation.of(f"undo {WARM}", call.name))

    def undone(operation: Operation) -> Gate:
        try:
            under_way = _left(satellite, directory, operation)
        except (Refused, Unreachable):
            return Gate(Holds.YES, facts=_goes_on(satellite, _known(operation)))
        own = [task for task in under_way if task in _started(operation) and not _kept(operation, task)]
        if own:
            return Gate(Holds.NOT_YET, f"prefetch {', '.join(map(str, own))} is still running")
        return Gate(Holds.YES, facts=_goes_on(satellite, under_way))

    return Stage(
        WARM,
        f"prefetch all of {directory} into the cache at {satellite.site}, while work goes on",
        "the prefetch is complete",
        bound=bound,
        back="stop the prefetch if this stage started it and it is still running",
        calls=calls,
        gate=gate,
        rollback=rollback,
        undone=undone,
    )


def task_of(operation: Operation) -> int | None:
    """The prefetch that is followed: the one that the last call answered, or that was found to run after it."""
    for attempt in reversed(operation.of(WARM)):
        if attempt.outcome is Outcome.SEEN:
            tasks = [attempt.seen["task"]] if "task" in attempt.seen else attempt.seen.get("tasks", ())
            return int(tasks[-1]) if tasks else None
    return None


def _started(operation: Operation) -> tuple[int, ...]:
    """The prefetches that this operation started, by their answers; who started one that was found running is unknown."""
    return tuple(int(attempt.seen["task"]) for attempt in operation.of(WARM) if "task" in attempt.seen)


def _left(satellite: Cached, directory: str, operation: Operation) -> tuple[int, ...]:
    """The prefetches of the record that are running; sends no request if none can be."""
    tasks = _known(operation)
    if not tasks or WARM in operation.passed:
        return ()
    under_way = satellite.running(directory)
    return tuple(task for task in tasks if task in under_way)


def _known(operation: Operation) -> tuple[int, ...]:
    """The prefetches that this operation started, and the one that is followed."""
    followed = task_of(operation)
    return tuple(dict.fromkeys((*_started(operation), *(() if followed is None else (followed,)))))


def _kept(operation: Operation, task: int) -> bool:
    """Whether stopping it was refused: then it continues, and no gate waits for it."""
    return any(attempt.outcome is Outcome.FAILED for attempt in operation.of(f"undo {WARM}", f"stop {task}"))


def _goes_on(satellite: Cached, tasks: tuple[int, ...]) -> Facts:
    text = f"prefetch {', '.join(map(str, tasks))} may still be running at {satellite.site}"
    return {"prefetch left": text} if tasks else {}


def _no_good(found: Prefetch | None) -> bool:
    """Whether waiting for it cannot help."""
    if found is None or found.progress is Progress.FAILED:
        return True
    return found.progress is Progress.COMPLETE and not found.full


def _share(found: Prefetch, size: int | None) -> str:
    """In steps of 10 %, so that not every read is reported."""
    return f", about {min(10, 10 * found.size // size) * 10} %" if size and found.size is not None else ""


def _prefetch(satellite: Cached, directory: str, name: str) -> Call:
    return Call(
        name,
        f"POST {satellite.path}prefetch_path {directory} at {satellite.site}",
        {"path": directory},
        lambda: {"tasks": list(satellite.running(directory))},
        lambda: {"task": satellite.prefetch(directory)},
        effect(lambda now: now["tasks"]),
    )


def _stop(satellite: Cached, directory: str, task: int) -> Call:
    return Call(
        f"stop {task}",
        f"DELETE {satellite.path}prefetch_path {task} at {satellite.site}",
        {"task_id": task},
        lambda: {"tasks": list(satellite.running(directory))},
        lambda: satellite.stop(task),
        effect(lambda now: task not in now["tasks"]),
    )
