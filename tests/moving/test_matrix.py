"""Killed and struck everywhere; `make slow` runs all of it."""

from __future__ import annotations

import pytest

from tests.force import by_force
from tests.moving.matrix import NEVER, STRIKING, Judge, goes_on, killed, struck
from tests.moving.test_rejoin import split
from tests.moving.test_unplanned import lost
from tests.moving.theatre import Theatre

PLANNED_EVENTS, UNPLANNED_EVENTS = 132, 76
"""How many events a move has, which the first test of each holds; the matrix goes to the last one."""
WRITES, READS = 6, 73
REJOIN_EVENTS = 96
REJOIN_WRITES, REJOIN_READS = 4, 67


def busy(scene: Theatre) -> Judge:
    scene.start_job()
    scene.clock.sleep(130)
    return Judge(scene)


def test_how_many_events_a_planned_move_has(scene: Theatre) -> None:
    judge = busy(scene)
    assert killed(scene, scene.plan(), -1) == PLANNED_EVENTS
    judge.planned()


@pytest.mark.parametrize(("writes", "requests"), [(True, WRITES), (False, READS)])
def test_how_many_requests_a_planned_move_has(scene: Theatre, writes: bool, requests: int) -> None:
    judge = busy(scene)
    assert struck(scene, scene.plan(), STRIKING[0], NEVER, writes=writes).seen == requests
    judge.planned()


@pytest.mark.parametrize("deadly", by_force(list(range(PLANNED_EVENTS)), "41", "61", "84"))
def test_a_planned_move_that_is_killed_goes_on(scene: Theatre, deadly: int) -> None:
    judge = busy(scene)
    plan = scene.plan()
    assert killed(scene, plan, deadly) == deadly + 1
    goes_on(scene, plan, deadly)
    judge.planned()


def test_how_many_events_an_unplanned_move_has(scene: Theatre) -> None:
    kept = lost(scene)
    assert killed(scene, scene.plan(mode="unplanned"), -1) == UNPLANNED_EVENTS
    Judge(scene).unplanned(kept)


@pytest.mark.parametrize("deadly", by_force(list(range(UNPLANNED_EVENTS)), "31"))
def test_an_unplanned_move_that_is_killed_goes_on(scene: Theatre, deadly: int) -> None:
    kept = lost(scene)
    plan = scene.plan(mode="unplanned")
    assert killed(scene, plan, deadly) == deadly + 1
    goes_on(scene, plan, deadly)
    Judge(scene).unplanned(kept)


@pytest.mark.parametrize("number", range(WRITES))
@pytest.mark.parametrize("fault", by_force(STRIKING, "500 after commit"))
def test_a_planned_move_whose_call_is_struck_goes_on(scene: Theatre, fault: str, number: int) -> None:
    judge = busy(scene)
    assert struck(scene, scene.plan(), fault, number, writes=True).struck
    judge.planned()


@pytest.mark.slow
@pytest.mark.parametrize("number", range(0, READS, 7))
@pytest.mark.parametrize("fault", STRIKING)
def test_a_planned_move_of_which_a_read_is_struck_goes_on(scene: Theatre, fault: str, number: int) -> None:
    judge = busy(scene)
    assert struck(scene, scene.plan(), fault, number, writes=False).struck
    judge.planned()


@pytest.mark.slow
@pytest.mark.parametrize("number", range(2))
@pytest.mark.parametrize("fault", STRIKING)
def test_an_unplanned_move_whose_call_is_struck_goes_on(scene: Theatre, fault: str, number: int) -> None:
    kept = lost(scene)
    assert struck(scene, scene.plan(mode="unplanned"), fault, number, writes=True).struck
    Judge(scene).unplanned(kept)


def two_branches(scene: Theatre) -> tuple[list[str], list[str]]:
    """What pdx has, which is kept, and iad, where a workload is at work again that writes nothing."""
    with scene.lab.world.lock:
        scene.job = scene.runai("iad").submit("team", "train", gpus=4, claim_names=["home"])
    kept = split(scene)
    return kept, scene.labels("iad")


@pytest.mark.slow
def test_how_many_events_a_rejoin_has(scene: Theatre) -> None:
    kept, branch = two_branches(scene)
    assert killed(scene, scene.plan(mode="rejoin"), -1) == REJOIN_EVENTS
    Judge(scene).rejoined("pdx", kept, branch)


@pytest.mark.slow
@pytest.mark.parametrize(("writes", "requests"), [(True, REJOIN_WRITES), (False, REJOIN_READS)])
def test_how_many_requests_a_rejoin_has(scene: Theatre, writes: bool, requests: int) -> None:
    kept, branch = two_branches(scene)
    assert struck(scene, scene.plan(mode="rejoin"), STRIKING[0], NEVER, writes=writes).seen == requests
    Judge(scene).rejoined("pdx", kept, branch)


@pytest.mark.parametrize("deadly", by_force(list(range(0, REJOIN_EVENTS, 3)), "51"))
def test_a_rejoin_that_is_killed_goes_on(scene: Theatre, deadly: int) -> None:
    kept, branch = two_branches(scene)
    plan = scene.plan(mode="rejoin")
    assert killed(scene, plan, deadly) == deadly + 1
    goes_on(scene, plan, deadly)
    Judge(scene).rejoined("pdx", kept, branch)


@pytest.mark.slow
@pytest.mark.parametrize("deadly", range(50, 70, 3))
def test_a_keep_that_is_killed_goes_on(scene: Theatre, deadly: int) -> None:
    branch = split(scene)
    kept = scene.labels("iad")
    plan = scene.plan("iad", mode="keep")
    assert killed(scene, plan, deadly) == deadly + 1
    goes_on(scene, plan, deadly)
    Judge(scene).rejoined("iad", kept, branch)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(REJOIN_WRITES))
@pytest.mark.parametrize("fault", STRIKING)
def test_a_rejoin_whose_call_is_struck_goes_on(scene: Theatre, fault: str, number: int) -> None:
    kept, branch = two_branches(scene)
    assert struck(scene, scene.plan(mode="rejoin"), fault, number, writes=True).struck
    Judge(scene).rejoined("pdx", kept, branch)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(3, REJOIN_READS, 22))
@pytest.mark.parametrize("fault", STRIKING)
def test_a_rejoin_of_which_a_read_is_struck_goes_on(scene: Theatre, fault: str, number: int) -> None:
    kept, branch = two_branches(scene)
    assert struck(scene, scene.plan(mode="rejoin"), fault, number, writes=False).struck
    Judge(scene).rejoined("pdx", kept, branch)
