"""Moves through global access, there, back and taken back: killed and struck everywhere; `make slow` runs all of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.force import by_force
from tests.moving.matrix import STRIKING, goes_on, killed, struck
from tests.moving.sharing import Watch, busy, killed_abort, planned, stop_at, struck_abort, taken_back
from tests.moving.theatre import GB, Theatre, shared_theatre
from vastplan.model.move_plan import MovePlan
from vastplan.model.operation import Phase

THERE, BACK, ABORT = 78, 60, 68
"""How many events each has, which the first test of each holds; the matrix goes to the last one."""
WRITES, READS, WRITES_BACK, WRITES_ABORT = 3, 60, 2, 2


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Theatre]:
    monkeypatch.setenv("CSI_PASSWORD", "of-the-csi-user")
    with shared_theatre(tmp_path) as made:
        yield made


def there(scene: Theatre) -> Watch:
    """The job is at pdx by a move, and writes through it."""
    scene.start_job()
    done = scene.run(planned(scene))
    scene.enter("pdx", f"train-m{done.id}")
    scene.clock.sleep(130)
    return Watch(scene)


def test_how_many_events_it_has(scene: Theatre) -> None:
    watch = busy(scene)
    assert killed(scene, planned(scene), -1) == THERE
    watch.moved("pdx")


@pytest.mark.parametrize("deadly", by_force(list(range(THERE)), "15", "33", "61"))
def test_one_that_is_killed_goes_on(scene: Theatre, deadly: int) -> None:
    watch = busy(scene)
    plan = planned(scene)
    assert killed(scene, plan, deadly) == deadly + 1
    goes_on(scene, plan, deadly)
    watch.moved("pdx")
    assert set(scene.workloads("pdx")) == {f"train-m{plan.id[:8]}"}


@pytest.mark.parametrize("deadly", by_force(list(range(THERE - 3)), "15", "61"))
def test_one_that_is_killed_is_taken_back(scene: Theatre, deadly: int) -> None:
    """Up to the last but one of its records: with that it has ended."""
    watch = busy(scene)
    plan = planned(scene)
    assert killed(scene, plan, deadly) == deadly + 1
    done = taken_back(scene, plan)
    assert done is None or done.phase is Phase.ABORTED
    watch.stayed()
    goes_on(scene, planned(scene))
    assert max(map(len, watch.crowds)) <= 1 and not watch.missing


@pytest.mark.slow
def test_how_many_events_the_way_back_has(scene: Theatre) -> None:
    watch = there(scene)
    assert killed(scene, planned(scene, "iad"), -1) == BACK
    watch.moved("iad")


@pytest.mark.slow
@pytest.mark.parametrize("deadly", range(BACK))
def test_the_way_back_that_is_killed_goes_on(scene: Theatre, deadly: int) -> None:
    watch = there(scene)
    plan = planned(scene, "iad")
    assert killed(scene, plan, deadly) == deadly + 1
    goes_on(scene, plan, deadly)
    watch.moved("iad")


@pytest.mark.parametrize("number", range(WRITES))
@pytest.mark.parametrize("fault", by_force(STRIKING, "500 after commit"))
def test_one_whose_call_is_struck_goes_on(scene: Theatre, fault: str, number: int) -> None:
    watch = busy(scene)
    assert struck(scene, planned(scene), fault, number, writes=True).struck
    watch.moved("pdx")
    assert len(scene.workloads("pdx")) == 1


@pytest.mark.slow
@pytest.mark.parametrize("number", range(WRITES_BACK))
@pytest.mark.parametrize("fault", STRIKING)
def test_the_way_back_whose_call_is_struck_goes_on(scene: Theatre, fault: str, number: int) -> None:
    watch = there(scene)
    assert struck(scene, planned(scene, "iad"), fault, number, writes=True).struck
    watch.moved("iad")


@pytest.mark.slow
@pytest.mark.parametrize("number", range(0, READS, 7))
@pytest.mark.parametrize("fault", STRIKING)
def test_one_of_which_a_read_is_struck_goes_on(scene: Theatre, fault: str, number: int) -> None:
    watch = busy(scene)
    assert struck(scene, planned(scene), fault, number, writes=False).struck
    watch.moved("pdx")


def started(scene: Theatre) -> tuple[Watch, MovePlan]:
    """A move that has submitted what it was to, and has not seen that it runs."""
    watch = busy(scene)
    plan = planned(scene)
    stop_at(scene, plan, "start", "waits: train-m")
    assert len(scene.workloads("pdx")) == 1
    return watch, plan


def test_how_many_events_an_abort_has(scene: Theatre) -> None:
    watch, plan = started(scene)
    assert killed_abort(scene, plan, -1) == ABORT
    watch.stayed()
    assert watch.phase() is Phase.ABORTED


@pytest.mark.parametrize("deadly", by_force(list(range(ABORT)), "11", "31"))
def test_an_abort_that_is_killed_goes_on(scene: Theatre, deadly: int) -> None:
    watch, plan = started(scene)
    assert killed_abort(scene, plan, deadly) == deadly + 1
    taken_back(scene, plan)
    watch.stayed()
    assert watch.phase() is Phase.ABORTED


@pytest.mark.parametrize("number", range(WRITES_ABORT))
@pytest.mark.parametrize("fault", by_force(STRIKING, "500 after commit"))
def test_an_abort_whose_call_is_struck_goes_on(scene: Theatre, fault: str, number: int) -> None:
    watch, plan = started(scene)
    assert struck_abort(scene, plan, fault, number).struck
    watch.stayed()


@pytest.mark.slow
@pytest.mark.parametrize("fault", STRIKING)
def test_a_prefetch_whose_end_is_struck_is_ended(scene: Theatre, fault: str) -> None:
    scene.write("iad", "large", 1000 * GB)
    watch = busy(scene)
    plan = planned(scene)
    stop_at(scene, plan, "warm", "waits: prefetch 1")
    assert struck_abort(scene, plan, fault, 0).struck.startswith("DELETE")
    watch.stayed()


@pytest.mark.slow
@pytest.mark.parametrize("deadly", range(24))
def test_an_abort_that_ends_a_prefetch_is_killed_and_goes_on(scene: Theatre, deadly: int) -> None:
    scene.write("iad", "large", 1000 * GB)
    watch = busy(scene)
    plan = planned(scene)
    stop_at(scene, plan, "warm", "waits: prefetch 1")
    killed_abort(scene, plan, deadly)
    taken_back(scene, plan)
    watch.stayed()
