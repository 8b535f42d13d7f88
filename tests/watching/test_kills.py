"""A watcher is killed at each write of a failover, its own or the ledger's: the other one, or one that is started anew, ends it."""

from __future__ import annotations

import pytest

from tests.moving.matrix import NEVER, Killed, Killer
from tests.moving.test_arm import submit
from tests.moving.theatre import Theatre
from tests.watching.test_watch import Shift, scene  # noqa: F401 - the fixture
from vastplan.app.move import last_moves
from vastplan.model.operation import Phase

EVENTS = 266
"""How many moments there are from the loss to the end, before and after each write; the first test holds it."""
EACH = [event for event in range(EVENTS) if event % 4 in (0, 3)]  # one of the two moments of each write, by turns
BEATS = 12


def lost(scene: Theatre, deadly: int) -> tuple[Shift, int, bool]:  # noqa: F811
    """Two watchers of a site that is lost, of which one may be killed; the events, and whether it was."""
    submit(scene, "train")
    shift = Shift(scene, "pdx", "hq")
    shift.beats(1)
    scene.lab.world.lose("iad", power=True, jobs="stop")
    killer = Killer(deadly)
    with killer.armed():
        try:
            shift.beats(BEATS)
        except Killed:
            return shift, killer.events, True
    return shift, killer.events, False


def ended(scene: Theatre) -> None:  # noqa: F811
    """It was failed over once, whoever did it."""
    assert scene.path("pdx")["role"] == "SOURCE"
    assert [*scene.workloads("pdx").values()] == ["Running"]
    moves = [move for move in last_moves(scene.lab.workspace()) if move.mode == "unplanned"]
    assert moves and {move.phase for move in moves} == {Phase.DONE}


def test_how_many_writes_a_failover_has(scene: Theatre) -> None:  # noqa: F811
    shift, events, _ = lost(scene, NEVER)
    ended(scene)
    assert events == EVENTS
    assert shift.fenced == ["fence iad"]


@pytest.mark.slow
@pytest.mark.parametrize("deadly", EACH)
def test_a_watcher_that_is_killed_is_followed_by_another(scene: Theatre, deadly: int) -> None:  # noqa: F811
    shift, _, killed = lost(scene, deadly)
    assert killed
    shift.watchers = {"hq": shift.watcher("hq"), "pdx": shift.watcher("pdx")} if deadly % 2 else shift.watchers
    for _ in range(3):
        shift.beats(BEATS)
    ended(scene)
    assert set(shift.fenced) == {"fence iad"}
