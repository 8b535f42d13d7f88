"""A few of the random histories, that all ways are in them, and that a broken promise is noticed; `python -m tests.moving.random` plays many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from tests.moving.mixed import REPLICATED
from tests.moving.random import History, history
from tests.moving.ways import Broken, Forked, Moved, Rehearsed, Restored, Through, Together
from vastplan.model.move_plan import KEEP, UNPLANNED
from vastplan.model.restore_plan import IN_PLACE
from vastplan.operations.modes.fork.plan import Fork
from vastplan.operations.modes.global_access.plan import GlobalAccess
from vastplan.operations.modes.global_access.stages import READ
from vastplan.operations.modes.planned import Planned
from vastplan.operations.modes.rehearsal.plan import Rehearse
from vastplan.operations.modes.rejoin import KEEP_BRANCH, Rejoin
from vastplan.operations.modes.restore.in_place import KEEP as KEEP_NOW
from vastplan.operations.modes.restore.in_place import InPlaceMet
from vastplan.operations.stage import Stage
from vastplan.operations.stages.work import FREEZE, GO_ON

QUICK, LEAST, MOST = (3, 8), 12, 60
"""The seeds of `make test`, and how many are played at least and at most until each way was taken."""
DONE = (
    "planned", "unplanned", "rejoin", "keep", "project", "project unplanned", "through-global-access", "fork", "fork live", "rehearse",
    "restore new", "restore in place",
)  # fmt: skip
TAKEN_BACK = ("planned", "project", "through-global-access", "fork", "rehearse")
CUT = ("planned", "project", "through-global-access", "fork", "rehearse", "restore new", "restore in place")


@pytest.mark.parametrize("seed", QUICK)
def test_a_history_holds(tmp_path: Path, seed: int) -> None:
    with history(tmp_path, seed) as played:
        played.play()
    assert "project done" in played.ended


def _missing(ended: Counter[str], cuts: Counter[str]) -> list[str]:
    """What has not happened yet."""
    wanted = [f"{way} done" for way in DONE] + [f"{way} aborted" for way in TAKEN_BACK]
    by = [f"{way}, {how}" for way in CUT for how in ("a kill", "gone on with by its id")]
    return [one for one in wanted if not ended[one]] + [one for one in by if not cuts[one]]


@pytest.mark.slow
def test_each_way_is_taken_cut_and_taken_back(tmp_path: Path) -> None:
    """Over many histories, each of which holds."""
    ended: Counter[str] = Counter()
    cuts: Counter[str] = Counter()
    for seed in range(1, MOST + 1):
        (folder := tmp_path / str(seed)).mkdir()
        with history(folder, seed) as played:
            try:
                played.play()
            except Broken as broken:
                raise AssertionError(f"seed {seed}:\n{broken}") from None
        ended.update(played.ended)
        cuts.update(played.cuts)
        if seed >= LEAST and not _missing(ended, cuts):
            break
    assert not _missing(ended, cuts), (sorted(ended.items()), sorted(cuts.items()))
    struck = sum(number for cut, number in cuts.items() if cut.endswith("a failure"))
    assert struck >= LEAST, sorted(cuts.items())


def _without(original: Callable[..., tuple[Stage, ...]], *names: str) -> Callable[..., tuple[Stage, ...]]:
    """The stages of a mode but for some, and nothing that would miss them."""

    def stages(*given: Any, **said: Any) -> tuple[Stage, ...]:
        kept = [stage for stage in original(*given, **said) if stage.name not in names]
        return tuple(replace(stage, precondition=lambda _: "") for stage in kept)

    return stages


def _parted(played: History) -> None:
    """Both sides of the volume lead, and each has something of its own."""
    played.scene.clock.sleep(120)
    assert played.tried(Moved(played.mixed, ("home",), "pdx", UNPLANNED, "it is broken"))
    played.write()
    played.scene.clock.sleep(60)


def _rejoins(played: History) -> None:
    _parted(played)
    played.tried(Moved(played.mixed, ("home",), "pdx", KEEP))


def _rehearses(played: History) -> None:
    played.tried(Rehearsed(played.mixed, to="pdx"))


def _forks(played: History) -> None:
    played.tried(Forked(played.mixed, to="pdx"))


def _goes_through(played: History) -> None:
    played.mixed.pace = 1
    played.tried(Through(played.mixed, to="pdx"))


def _moves_together(played: History) -> None:
    played.tried(Together(played.mixed, REPLICATED, "pdx"))


def _goes_back(played: History) -> None:
    played.scene.clock.sleep(4000)
    played.write()
    snapshot = played.mixed.snapshots("iad", "home")[-1]
    played.tried(Restored(played.mixed, ("home",), "home", "iad", snapshot, IN_PLACE))


PROMISES: dict[str, tuple[type, str, Callable[[History], None], str]] = {
    "a branch that is not kept": (Rejoin, KEEP_BRANCH, _rejoins, "the branch is in no snapshot"),
    "a rehearsal that leaves its clone": (Rehearse, "remove", _rehearses, "a rehearsal left something"),
    "a fork after which nobody goes on": (Fork, GO_ON, _forks, "of the source stand still"),
    "work that reads what is old": (GlobalAccess, READ, _goes_through, "work began without"),
    "a project that is not frozen": (Planned, FREEZE, _moves_together, "work runs at iad, which follows"),
    "what is not kept before it is put back": (InPlaceMet, KEEP_NOW, _goes_back, "what was given up is in no snapshot"),
}


@pytest.mark.slow
@pytest.mark.parametrize("promise", PROMISES)
def test_a_broken_promise_is_noticed(tmp_path: Path, promise: str) -> None:
    mode, stage, act, told = PROMISES[promise]
    stages = patch.object(mode, "stages", _without(mode.stages, stage))  # type: ignore[attr-defined]
    with history(tmp_path, 1) as played, stages, pytest.raises(Broken, match=told):
        act(played)


@pytest.mark.slow
@pytest.mark.parametrize("promise", PROMISES)
def test_the_same_holds_where_no_promise_is_broken(tmp_path: Path, promise: str) -> None:
    with history(tmp_path, 1) as played:
        PROMISES[promise][2](played)
        played.always()
    assert played.ended and all(one.endswith("done") for one in played.ended)
