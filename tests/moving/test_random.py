"""A few of the random histories, and that one whose promise is broken is noticed; `python -m tests.moving.random` plays many."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.force import by_force
from tests.moving.random import Broken, history
from vastplan.operations import rejoin
from vastplan.operations.ends import Ends
from vastplan.operations.stage import Stage


@pytest.mark.parametrize("seed", by_force([5, 11, 14, 20, 27], "11"))
def test_a_history_holds(tmp_path: Path, seed: int) -> None:
    with history(tmp_path, seed) as played:
        played.play()
    assert "planned done" in played.ended


@pytest.mark.slow
def test_a_branch_that_is_not_kept_is_noticed(tmp_path: Path) -> None:
    original = rejoin._attach

    def unkept(ends: Ends) -> Stage:
        return replace(original(ends), precondition=lambda _: "")

    def stages(ends: Ends, *, forced: bool = False) -> tuple[Stage, ...]:
        return tuple(stage for stage in rejoin.rejoin(ends, forced=forced) if stage.name != rejoin.KEEP_BRANCH)

    with patch.object(rejoin, "_attach", unkept), patch("vastplan.app.moving.modes.rejoin", stages):
        with (
            history(tmp_path, 11) as played,
            pytest.raises(Broken, match=r"the branch is in no snapshot|gone for good"),
        ):
            played.play()
