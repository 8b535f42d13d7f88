"""Rehearsals that are killed or struck at every point: the work at the source goes on, no role changes, and nothing is left."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from unittest.mock import patch

import pytest

from tests.faults.strike import HASTY
from tests.force import by_force
from tests.moving.matrix import STRIKING, Killed, Nth, goes_on, killed_at, until_it_ends
from tests.moving.rehearsing import Watched
from tests.moving.theatre import Theatre
from vastplan.app.move import last_moves
from vastplan.model.errors import VastplanError
from vastplan.model.operation import Phase

EVENTS, WRITES, REMOVALS = 165, 11, 91
"""Of a whole run; the first test holds them."""


def _killed(watched: Watched, deadly: int, run: Callable[[], object] | None = None) -> int:
    """A run that is killed at an event, and how many there were."""
    return killed_at(deadly, run or (lambda: watched.scene.run(watched.plan)))


def _tried(watched: Watched) -> None:
    watched.gone()
    done = watched.recorded(Phase.DONE)
    assert [one["phase"] for one in done.facts["came"].values()] == ["Running"] and watched.small <= {1.0}


def _given_up(watched: Watched) -> None:
    watched.gone()
    watched.recorded(Phase.ABORTED)


def _all_is_there(watched: Watched) -> None:
    """The run is killed once it has made all that it makes."""
    with patch("vastplan.operations.modes.rehearsal.stages._came", side_effect=Killed), contextlib.suppress(Killed):
        watched.scene.run(watched.plan)


def _phase(watched: Watched) -> Phase | None:
    """What the ledgers say of it together, where it got into one of them."""
    known = last_moves(watched.scene.lab.workspace())
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
    goes_on(scene, watched.plan, deadly)
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
            scene.abort(watched.plan)
        scene.run(watched.plan)
        _tried(watched)
        return
    until_it_ends(lambda: scene.abort(watched.plan), scene.pause)
    _given_up(watched)


@pytest.mark.parametrize("deadly", by_force(list(range(REMOVALS)), "9"))
def test_giving_up_that_is_killed_goes_on(scene: Theatre, deadly: int) -> None:
    """It is killed once all is there, and then killed again while that is taken back."""
    watched = Watched(scene)
    _all_is_there(watched)
    assert _killed(watched, deadly, lambda: scene.abort(watched.plan)) == deadly + 1
    until_it_ends(lambda: scene.abort(watched.plan), scene.pause)
    _given_up(watched)


def test_how_many_events_giving_up_has(scene: Theatre) -> None:
    watched = Watched(scene)
    _all_is_there(watched)
    assert _killed(watched, -1, lambda: scene.abort(watched.plan)) == REMOVALS
    _given_up(watched)


@pytest.mark.parametrize("number", by_force(range(WRITES), "4"))
@pytest.mark.parametrize("fault", by_force(STRIKING, "500 after commit"))
def test_one_whose_call_is_struck_goes_on(scene: Theatre, fault: str, number: int) -> None:
    watched = Watched(scene)
    nth = Nth(scene, fault, number, writes=True)
    with patch("vastplan.app.connect.TRANSPORT_LIMITS", HASTY):
        until_it_ends(lambda: scene.run(watched.plan), scene.pause)
    assert nth.struck
    watched.gone()
    watched.recorded(Phase.DONE)


@pytest.mark.parametrize("number", by_force(range(WRITES), "4"))
@pytest.mark.parametrize("fault", by_force(STRIKING, "500 after commit"))
def test_one_that_is_given_up_under_faults_leaves_nothing(scene: Theatre, fault: str, number: int) -> None:
    watched = Watched(scene)
    _all_is_there(watched)
    Nth(scene, fault, number, writes=True)
    with patch("vastplan.app.connect.TRANSPORT_LIMITS", HASTY):
        until_it_ends(lambda: scene.abort(watched.plan), scene.pause)
    _given_up(watched)
