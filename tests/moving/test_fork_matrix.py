"""A fork that is killed and struck everywhere, gone on with or given up; `make slow` runs all of it."""

from __future__ import annotations

import contextlib
from unittest.mock import patch

import pytest

from tests.faults.strike import HASTY
from tests.force import by_force
from tests.moving.forking import applied, declared, directories, fork, labels, record, recorded, streams
from tests.moving.matrix import RUNS, STRIKING, Killed, Killer, Nth, goes_on, or_by_id, until_it_ends
from tests.moving.theatre import Theatre
from vastplan.app.move import last_moves
from vastplan.model.errors import VastplanError
from vastplan.model.move_plan import MovePlan
from vastplan.model.operation import Phase

EVENTS, STARTING, WRITES = 88, 26, 4
"""Of a run up to where it waits for the apply, and of the one after it; the first test holds them."""


class Stage:
    """What was written before the freeze, who may write at every second, and which directories there were."""

    def __init__(self, scene: Theatre) -> None:
        declared(scene)
        scene.start_job()
        scene.clock.sleep(130)
        self.scene, self.there, self.before = scene, directories(scene), set(scene.labels("iad"))
        self.crowds: set[tuple[str, ...]] = set()
        scene.clock.watchers.append(lambda: self.crowds.add(tuple(scene.writers())))
        self.plan = fork(scene)

    def waits(self, deadly: int = 0) -> None:
        """As somebody does who types the command that a stop names, until it waits for the apply."""
        told: list[str] = []
        again = or_by_id(lambda: self.scene.run(self.plan), lambda: self.scene.go_on(self.plan), deadly)
        for _ in range(RUNS):
            with pytest.raises(VastplanError) as problem:
                again()
            told.append(str(problem.value))
            if "is not applied yet" in told[-1]:
                return
            self.scene.clock.sleep(30)
        raise AssertionError("it does not come so far:\n" + "\n".join(told))

    def ends(self, deadly: int = 0) -> None:
        goes_on(self.scene, self.plan, deadly)

    def forked(self) -> None:
        """The source leads and works, one workload runs at the target, and what was written before the freeze is there."""
        scene = self.scene
        assert scene.roles() == ("SOURCE", "DESTINATION") and self.crowds <= {("iad",)}
        assert scene.workloads("iad")["train"] in ("Resuming", "Running")
        assert list(scene.workloads("pdx").values()) == ["Running"]
        assert self.before <= set(labels(scene)) and len(streams(scene)) == 1
        recorded(scene, self.plan, Phase.DONE)

    def as_it_was(self) -> None:
        scene = self.scene
        assert scene.roles() == ("SOURCE", "DESTINATION") and self.crowds <= {("iad",)}
        assert scene.workloads("iad")["train"] in ("Resuming", "Running") and scene.workloads("pdx") == {}
        assert streams(scene) == [] and directories(scene) == self.there
        recorded(scene, self.plan, Phase.ABORTED)


def _killed(scene: Theatre, plan: MovePlan, deadly: int) -> int:
    """A run that is killed at an event, and how many there were; one that is not stops where it waits for the apply."""
    killer = Killer(deadly)
    with killer.armed(), contextlib.suppress(Killed, VastplanError):
        scene.run(plan)
    return killer.events


def test_how_many_events_a_fork_has(scene: Theatre) -> None:
    stage = Stage(scene)
    assert _killed(scene, stage.plan, -1) == EVENTS
    applied(scene)
    assert _killed(scene, stage.plan, -1) == STARTING
    stage.forked()


@pytest.mark.parametrize("deadly", by_force(list(range(EVENTS)), "45"))
def test_a_fork_that_is_killed_goes_on(scene: Theatre, deadly: int) -> None:
    stage = Stage(scene)
    assert _killed(scene, stage.plan, deadly) == deadly + 1
    stage.waits(deadly)
    applied(scene)
    stage.ends(deadly)
    stage.forked()


@pytest.mark.parametrize("deadly", by_force(list(range(EVENTS)), "45"))
def test_a_fork_that_is_killed_is_given_up(scene: Theatre, deadly: int) -> None:
    stage = Stage(scene)
    _killed(scene, stage.plan, deadly)
    known = any(one.id == stage.plan.id[:8] for one in last_moves(scene.lab.workspace()))
    if not known:  # it was killed before its record was written
        assert streams(scene) == [] and directories(scene) == stage.there
        return
    scene.abort(stage.plan)
    stage.as_it_was()


@pytest.mark.parametrize("deadly", by_force(list(range(STARTING)), "7"))
def test_a_fork_that_is_killed_when_it_starts_goes_on(scene: Theatre, deadly: int) -> None:
    stage = Stage(scene)
    stage.waits()
    applied(scene)
    assert _killed(scene, stage.plan, deadly) == deadly + 1
    stage.ends(deadly)
    stage.forked()


@pytest.mark.parametrize("number", by_force(range(WRITES), "2"))
@pytest.mark.parametrize("fault", by_force(STRIKING, "500 after commit"))
def test_a_fork_whose_call_is_struck_goes_on(scene: Theatre, fault: str, number: int) -> None:
    stage = Stage(scene)
    nth = Nth(scene, fault, number, writes=True)
    with patch("vastplan.app.connect.TRANSPORT_LIMITS", HASTY):
        stage.waits()
    assert nth.struck
    applied(scene)
    stage.ends()
    stage.forked()
    assert record(scene).phase is Phase.DONE


@pytest.mark.parametrize("number", by_force(range(3), "0"))
@pytest.mark.parametrize("fault", by_force(STRIKING, "500 after commit"))
def test_a_fork_that_is_given_up_under_faults_leaves_nothing(scene: Theatre, fault: str, number: int) -> None:
    stage = Stage(scene)
    stage.waits()
    Nth(scene, fault, number, writes=True)
    with patch("vastplan.app.connect.TRANSPORT_LIMITS", HASTY):
        until_it_ends(lambda: scene.abort(stage.plan), scene.pause)
    stage.as_it_was()
