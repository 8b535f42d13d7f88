"""The stage that warms a cache, with a cache in memory: which prefetch is followed, begun again, stopped and left."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from vastplan.model.errors import Refused, Unclear, Unreachable
from vastplan.model.operation import Operation, Outcome, Phase
from vastplan.operations.modes.global_access.prefetch import PREFETCH, WARM, task_of, warm
from vastplan.operations.run import Run, Stopped, abort, carry_out
from vastplan.operations.stage import Stage
from vastplan.schema.ports.cache import Prefetch, Progress

NEW = Operation("1", "move", "through-global-access", "guid", "iad/protected_path/p", "iad", "pdx", "d", "then")


@dataclass
class Cache:
    """A satellite's cache: its prefetches by task, and what goes wrong with the next call."""

    site: str = "pdx"
    path: str = "/protectedpaths/1/"
    tasks: dict[int, Progress] = field(default_factory=dict)
    full: bool = True
    bytes: int | None = None
    problem: Exception | None = None
    away: bool = False
    refuses: bool = False
    takes: float = 100.0
    at: float = 0.0
    notes: list[Operation] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    stopped: list[int] = field(default_factory=list)

    def shared(self) -> bool:
        return True

    def lease(self) -> float | None:
        return 60.0

    def prefetch(self, directory: str) -> int:
        problem, self.problem = self.problem, None
        if isinstance(problem, Refused):
            raise problem
        task = len(self.tasks) + 1
        self.tasks[task] = Progress.RUNNING
        if problem is not None:
            raise problem
        return task

    def running(self, directory: str) -> tuple[int, ...]:
        assert directory == "/d"
        if self.away:
            raise Unreachable("no answer")
        return tuple(task for task, progress in self.tasks.items() if progress is Progress.RUNNING)

    def prefetched(self, task: int, directory: str) -> Prefetch | None:
        progress = self.tasks.get(task)
        return None if progress is None else Prefetch(task, progress, progress.name, self.full, self.bytes)

    def stop(self, task: int) -> None:
        if self.refuses:
            raise Refused("403 no", 403)
        self.stopped.append(task)
        del self.tasks[task]

    def now(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self.at)

    def ticks(self) -> float:
        return self.at

    def sleep(self, seconds: float) -> None:
        self.at += seconds
        if self.at >= self.takes:
            self.tasks |= dict.fromkeys(self.running("/d"), Progress.COMPLETE)

    def stages(self, bound: float = 1000.0, size: int | None = None) -> tuple[Stage, ...]:
        return (warm(self, "/d", size, bound),)

    def run(self) -> Run:
        return Run(self, self.notes.append, self.told.append, lambda _: "iad has the data", "AGAIN", "BACK")


def warmed(cache: Cache, operation: Operation = NEW, **options: Any) -> Operation:
    return carry_out(operation, cache.stages(**options), cache.run())


def test_the_task_is_in_the_record_as_soon_as_it_is_answered() -> None:
    cache = Cache()
    done = warmed(cache)
    (attempt,) = done.attempts
    assert (attempt.outcome, attempt.seen, attempt.before) == (Outcome.SEEN, {"task": 1}, {"tasks": []})
    assert done.facts["warmed"] == {"directory": "/d", "task": 1, "bytes": None}
    assert task_of(NEW) is None


@pytest.mark.parametrize("problem", [Refused("409 it runs", 409), Unclear("no answer")])
def test_one_that_is_found_to_run_is_followed_and_never_stopped(problem: Exception) -> None:
    cache = Cache(problem=problem, tasks={1: Progress.RUNNING})
    with pytest.raises(Stopped, match="did not hold within 20 s: prefetch"):
        warmed(cache, bound=20.0)
    (attempt,) = cache.notes[-1].attempts
    assert attempt.outcome is Outcome.SEEN and 1 in attempt.seen["tasks"]
    done = abort(cache.notes[-1], cache.stages(), cache.run())
    assert done.phase is Phase.ABORTED and cache.stopped == []
    assert done.facts["prefetch left"] == f"prefetch {attempt.seen['tasks'][-1]} may still be running at pdx"


def test_one_that_is_refused_because_of_one_that_has_just_ended_is_begun_by_going_on() -> None:
    cache = Cache(problem=Refused("409 it runs", 409))
    with pytest.raises(Stopped, match="was refused: 409"):
        warmed(cache)
    assert [one.call for one in warmed(cache, cache.notes[-1]).attempts] == [PREFETCH, PREFETCH]


@pytest.mark.parametrize(
    ("state", "full", "says"),
    [
        (Progress.FAILED, True, "prefetch 1 at pdx is FAILED; going on starts another one"),
        (
            Progress.COMPLETE,
            False,
            "prefetch 1 at pdx is COMPLETE, and loaded names only; going on starts another one",
        ),
        (None, True, "prefetch 1 at pdx is no longer known; going on starts another one"),
    ],
)
def test_one_that_is_no_good_stops_it_and_going_on_begins_another(state: Any, full: bool, says: str) -> None:
    cache = Cache()
    with pytest.raises(Stopped):
        warmed(cache, bound=0.0)
    cache.tasks = {} if state is None else {1: state}
    cache.full, known = full, cache.notes[-1]
    (stage,) = cache.stages()
    assert stage.gate(known).says == says
    cache.full = True
    cache.tasks |= {1: state or Progress.FAILED}
    if full:
        done = warmed(cache, known)
        assert [one.call for one in done.of(WARM)] == [PREFETCH, f"{PREFETCH} 2"] and task_of(done) == 2


def test_how_far_it_is_is_told_in_tenths() -> None:
    cache = Cache(bytes=59)
    warmed(cache, size=100)
    assert [text for text in cache.told if "waits" in text] == ["  waits: prefetch 1 is RUNNING, about 50 %"]


def begun(**changes: Any) -> Cache:
    """A cache with a prefetch of ours under way, at which the run stopped."""
    cache = Cache(takes=10_000.0)
    with pytest.raises(Stopped):
        warmed(cache, bound=10.0)
    for name, value in changes.items():
        setattr(cache, name, value)
    return cache


def test_ours_is_stopped_with_the_move() -> None:
    cache = begun()
    done = abort(cache.notes[-1], cache.stages(), cache.run())
    assert cache.stopped == [1] and "prefetch left" not in done.facts


def test_one_that_has_ended_meanwhile_is_not_stopped() -> None:
    cache = begun(tasks={1: Progress.COMPLETE})
    assert abort(cache.notes[-1], cache.stages(), cache.run()).phase is Phase.ABORTED and cache.stopped == []


def test_what_is_away_holds_no_abort() -> None:
    cache = begun(away=True)
    done = abort(cache.notes[-1], cache.stages(), cache.run())
    assert done.phase is Phase.ABORTED and done.facts["prefetch left"] == "prefetch 1 may still be running at pdx"


def test_nor_does_one_whose_end_is_refused_for_ever() -> None:
    cache = begun(refuses=True)
    with pytest.raises(Stopped, match="was refused: 403 no"):
        abort(cache.notes[-1], cache.stages(), cache.run())
    done = abort(cache.notes[-1], cache.stages(), cache.run())
    assert done.phase is Phase.ABORTED and done.facts["prefetch left"] == "prefetch 1 may still be running at pdx"


def test_what_is_complete_is_asked_about_no_more() -> None:
    cache = Cache()
    done = warmed(cache)
    cache.away = True
    assert "prefetch left" not in abort(done, cache.stages(), cache.run()).facts
