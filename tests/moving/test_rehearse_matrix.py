"""Rehearsals that are killed or struck at every point: the work at the source goes on, no role changes, and nothing is left."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from unittest.mock import patch

import pytest

from tests.faults.strike import HASTY
from tests.force import by_force
from tests.moving.matrix import RUNS, STRIKING, Killed, Killer, Nth
from tests.moving.rehearsing import Watched, abort
from tests.moving.theatre import Theatre
from vastplan.app.move import moves
from vastplan.model.errors import VastplanError
from vastplan.model.operation import Phase

EVENTS, WRITES, REMOVALS = 166, 11, 92
"""Of a whole run; the first test holds them."""


def _killed(watched: Watched, deadly: int, run: Callable[[], object] | None = None) -> int:
    """A run that is killed at an event, and how many there were."""
    killer = Killer(deadly)
    with killer.armed(), contextlib.suppress(Killed):
        (run or (lambda: watched.scene.run(watched.plan)))()
    return killer.events


def _until(run: Callable[[], object], watched: Watched) -> None:
    """As somebody does who types the same command again after each stop."""
    told: list[str] = []
    for _ in range(RUNS):
        try:
            run()
        except VastplanError as problem:
            told.append(str(problem))
            watched.scene.pause()
        else:
            return
    raise AssertionError("it does not end:\n" + "\n".join(told))


def _tried(watched: Watched) -> None:
    watched.gone()
    done = watched.recorded(Phase.DONE)
    assert [one["phase"] for one in done.facts["came"].values()] == ["Running"] and watched.small <= {1.0}


def _given_up(watched: Watched) -> None:
    watched.gone()
    watched.recorded(Phase.ABORTED)


def _phase(watched: Watched) -> Phase | None:
    """What the ledgers say of it together, where it got into one of them."""
    known = moves(watched.scene.lab.workspace())
    return next((one.phase for one in known if one.id == watched.plan.id[:8]), None)


def test_how_many_events_a_rehearsal_has(scene: Theatre) -> None:
    watched = Watched(scene)
    nth = Nth(scene, STRIKING[0], -1, writes=True)
    assert _killed(watched, -1) == EVENTS
    assert nth.seen == WRITES
    _tried(watched)


@pytest.mark.parametrize("deadly", by_force(list(range(EVENTS)), "23", "47"))
def test_one_that_is_killed_goes_on(scene: Theatre, deadly: int) -> None:
    watched = Watched(scene)
    assert _killed(watched, deadly) == deadly + 1
    _until(lambda: scene.run(watched.plan), watched)
    _tried(watched)


@pytest.mark.parametrize("deadly", by_force(list(range(EVENTS)), "35"))
def test_one_that_is_killed_is_given_up(scene: Theatre, deadly: int) -> None:
    watched = Watched(scene)
    _killed(watched, deadly)
    phase = _phase(watched)
    if phase is None:  # it was killed before its record was written
        watched.gone()
        return
    if phase is Phase.DONE:  # its end was written already: there is nothing to give up
        with pytest.raises(VastplanError, match="has ended"):
            abort(scene, watched.plan)
        scene.run(watched.plan)
        _tried(watched)
        return
    _until(lambda: abort(scene, watched.plan), watched)
    _given_up(watched)


@pytest.mark.parametrize("deadly", by_force(list(range(REMOVALS)), "9"))
def test_giving_up_that_is_killed_goes_on(scene: Theatre, deadly: int) -> None:
    """It is killed once all is there, and then killed again while that is taken back."""
    watched = Watched(scene)
    with patch("vastplan.operations.rehearse._came", side_effect=Killed), contextlib.suppress(Killed):
        scene.run(watched.plan)
    assert _killed(watched, deadly, lambda: abort(scene, watched.plan)) == deadly + 1
    _until(lambda: abort(scene, watched.plan), watched)
    _given_up(watched)


def test_how_many_events_giving_up_has(scene: Theatre) -> None:
    watched = Watched(scene)
    with patch("vastplan.operations.rehearse._came", side_effect=Killed), contextlib.suppress(Killed):
        scene.run(watched.plan)
    assert _killed(watched, -1, lambda: abort(scene, watched.plan)) == REMOVALS
    _given_up(watched)


@pytest.mark.parametrize("number", by_force(range(WRITES), "4"))
@pytest.mark.parametrize("fault", by_force(STRIKING, "500 after commit"))
def test_one_whose_call_is_struck_goes_on(scene: Theatre, fault: str, number: int) -> None:
    watched = Watched(scene)
    nth = Nth(scene, fault, number, writes=True)
    with patch("vastplan.app.connect.TRANSPORT_LIMITS", HASTY):
        _until(lambda: scene.run(watched.plan), watched)
    assert nth.struck
    watched.gone()
    watched.recorded(Phase.DONE)


@pytest.mark.parametrize("number", by_force(range(WRITES), "4"))
@pytest.mark.parametrize("fault", by_force(STRIKING, "500 after commit"))
def test_one_that_is_given_up_under_faults_leaves_nothing(scene: Theatre, fault: str, number: int) -> None:
    watched = Watched(scene)
    with patch("vastplan.operations.rehearse._came", side_effect=Killed), contextlib.suppress(Killed):
        scene.run(watched.plan)
    Nth(scene, fault, number, writes=True)
    with patch("vastplan.app.connect.TRANSPORT_LIMITS", HASTY):
        _until(lambda: abort(scene, watched.plan), watched)
    _given_up(watched)
