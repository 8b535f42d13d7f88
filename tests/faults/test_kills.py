"""SIGKILL and SIGINT at events of an apply, thinned for an ordinary test run; `make kills` takes every event."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults import plays
from tests.faults.case import Theatre
from tests.faults.kills import events, kill, run_victim
from vastplan.model.errors import Stale


@pytest.mark.parametrize(
    ("document", "how", "parts"),
    [
        ("small", "killed", 2),
        pytest.param("small", "killed", 4, marks=pytest.mark.slow),
        pytest.param("small", "interrupted", 2, marks=pytest.mark.slow),
        pytest.param("small", "interrupted twice", 2, marks=pytest.mark.slow),
        pytest.param("shared", "killed", 3, marks=pytest.mark.slow),
    ],
)
def test_after_a_run_that_was_ended_the_next_one_converges(document: str, how: str, parts: int, tmp_path: Path) -> None:
    theatre = Theatre(tmp_path / "home", *getattr(plays, document)(tmp_path))
    try:
        for scene in theatre.scenes:
            many = events(theatre, scene)
            ended = [kill(theatre, scene, many * part // parts, how) for part in range(parts)]
            assert ended.count(True) >= parts - 1
    finally:
        theatre.close()


@pytest.mark.slow
def test_a_rotation_that_is_killed_at_any_moment_ends_with_one_key_where_it_belongs(tmp_path: Path) -> None:
    """Before and after the new key is made, noted, delivered and noted as delivered, and the old one is deleted."""
    theatre = Theatre(tmp_path / "home", *plays.key(tmp_path))
    try:
        scene = theatre.scenes[1]
        assert sorted(action.verb.value for action in scene.plan.actions) == ["create", "delete"]
        many = events(theatre, scene)
        assert all(kill(theatre, scene, deadly) for deadly in range(many))
        keys = theatre.stage.world.pairs()
        assert len(keys) == 1 and not keys.keys() & scene.delivered
    finally:
        theatre.close()


@pytest.mark.slow
def test_a_plan_whose_run_died_is_not_taken_up_again_and_an_ordinary_run_finishes_it(tmp_path: Path) -> None:
    theatre = Theatre(tmp_path / "home", *plays.chain(tmp_path))
    try:
        scene = theatre.scenes[0]
        code, printed = run_victim(theatre, scene, "killed", events(theatre, scene) // 2)
        assert code < 0, printed
        with pytest.raises(
            Stale, match=r"this plan was applied already on iad \(.*, and \d of its writes have no known outcome"
        ):
            theatre.stage.apply(scene.plan)
        theatre.recovers(scene)
    finally:
        theatre.close()
