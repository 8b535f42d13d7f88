"""Killed and struck everywhere; `make slow` runs all of it."""

from __future__ import annotations

import contextlib
from unittest.mock import patch

import pytest

from tests.faults.strike import HASTY
from tests.force import by_force
from tests.moving.matrix import AGAIN, STRIKING, killed_at, or_by_id, until_it_ends
from tests.moving.matrix import Nth as NthOf
from tests.restoring.scene import Scene
from vastplan.model.errors import VastplanError
from vastplan.model.operation import Phase
from vastplan.model.restore_plan import RestorePlan

IN_PLACE_EVENTS, NEW_EVENTS = 58, 14
"""How many events a restore has, which the first test of each holds; the matrix goes to the last one."""
WRITES = 5


def killed(scene: Scene, plan: RestorePlan, deadly: int) -> int:
    """A run that is killed at an event, and how many there were; -1 is none."""
    return killed_at(deadly, lambda: scene.run(plan))


def goes_on(scene: Scene, plan: RestorePlan, deadly: int = 0) -> None:
    """As somebody does who types the command that a stop names."""
    again = or_by_id(lambda: scene.run(plan), lambda: scene.go_on(plan), deadly)
    until_it_ends(again, lambda: scene.clock.sleep(30))


def busy(scene: Scene) -> RestorePlan:
    scene.start_job()
    scene.clock.sleep(70)
    return scene.in_place()


def is_back(scene: Scene) -> None:
    """It holds what the snapshot had, once; what was there is in one snapshot; the work goes on."""
    assert "bad" not in scene.labels() and scene.labels()[0] == "good"
    assert scene.record().phase is Phase.DONE
    assert sum(name.startswith("before-restore-") for name in scene.snapshots()) == 1
    assert scene.call("GET", "globalsnapstreams/") == []
    assert scene.workloads()["train"] in ("Resuming", "Running")


def is_copied(scene: Scene) -> None:
    """There is one copy, complete, and the old one is as it was."""
    assert scene.labels("/team/home-restored") == ["good"] and scene.labels() == ["good", "bad"]
    (stream,) = scene.call("GET", "globalsnapstreams/")
    assert stream["state"] == "Completed" and scene.record().phase is Phase.DONE


def is_as_it_was(scene: Scene) -> None:
    """Nothing was put back, nothing copies, and the work goes on."""
    assert scene.labels()[:2] == ["good", "bad"] and scene.record().phase is Phase.ABORTED
    assert scene.call("GET", "globalsnapstreams/") == []
    assert scene.workloads()["train"] in ("Resuming", "Running")


def test_how_many_events_a_restore_in_place_has(scene: Scene) -> None:
    assert killed(scene, busy(scene), -1) == IN_PLACE_EVENTS
    is_back(scene)


@pytest.mark.parametrize("deadly", by_force(list(range(IN_PLACE_EVENTS)), "24", "37"))
def test_a_restore_in_place_that_is_killed_goes_on(scene: Scene, deadly: int) -> None:
    plan = busy(scene)
    assert killed(scene, plan, deadly) == deadly + 1
    goes_on(scene, plan, deadly)
    is_back(scene)


@pytest.mark.parametrize("deadly", by_force(list(range(0, IN_PLACE_EVENTS, 3)), "24"))
def test_a_restore_in_place_that_is_killed_is_taken_back_or_past_it(scene: Scene, deadly: int) -> None:
    plan = busy(scene)
    killed(scene, plan, deadly)
    if deadly % 2:
        with contextlib.suppress(VastplanError):
            killed_at(deadly % AGAIN, lambda: scene.abort(plan))
    try:
        scene.abort(plan)
    except VastplanError as problem:
        refused = str(problem)
    else:
        is_as_it_was(scene)
        return
    # killed before the record was written, or past the point of no return
    assert any(text in refused for text in ("no restore", "it is committed", "has ended"))
    goes_on(scene, plan, deadly)
    is_back(scene)


def test_how_many_events_a_restore_into_a_new_volume_has(scene: Scene) -> None:
    assert killed(scene, scene.plan(), -1) == NEW_EVENTS
    is_copied(scene)


@pytest.mark.parametrize("deadly", by_force(list(range(NEW_EVENTS)), "7"))
def test_a_restore_into_a_new_volume_that_is_killed_goes_on(scene: Scene, deadly: int) -> None:
    plan = scene.plan()
    assert killed(scene, plan, deadly) == deadly + 1
    goes_on(scene, plan, deadly)
    is_copied(scene)


@pytest.mark.parametrize("number", by_force(range(WRITES), "3"))
@pytest.mark.parametrize("fault", by_force(STRIKING, "500 after commit"))
def test_a_restore_in_place_whose_call_is_struck_goes_on(scene: Scene, fault: str, number: int) -> None:
    plan = busy(scene)
    nth = NthOf(scene, fault, number, writes=True)  # type: ignore[arg-type]
    with patch("vastplan.app.connect.TRANSPORT_LIMITS", HASTY):
        goes_on(scene, plan)
    assert nth.struck
    is_back(scene)
