"""Invented histories: a sample in every run, more when there is time. `make histories` plays thousands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.histories.__main__ import Game, played
from tests.histories.history import History
from tests.histories.seeded import BUGS
from tests.histories.steps import TABLE, invented

FOUND_WITHIN = 200
"""How many histories it may take."""


def plays_well(seed: int, folder: Path) -> None:
    """Play a history to its end; what breaks is told, with the command that cuts it down to what it takes."""
    found = History(seed, invented(seed), folder / "h").play(TABLE)
    told = "\n".join(f"{one.code}: {one.text}" for one in found)
    assert not found, f"{told}\n\npython -m tests.histories --histories 1 --seed {seed}"


@pytest.mark.parametrize("seed", range(1, 2))
def test_a_history(seed: int, tmp_path: Path) -> None:
    plays_well(seed, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 16))
def test_more_histories(seed: int, tmp_path: Path) -> None:
    plays_well(seed, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("bug", list(BUGS))
def test_a_bug_that_is_put_back_is_found(bug: str) -> None:
    """And it is the bug that is found: without it the same history breaks nothing."""
    seeds = range(1, FOUND_WITHIN + 1)
    seed = next((seed for seed in seeds if played(seed, Game(bug=bug)).found), None)
    assert seed is not None
    assert not played(seed, Game()).found
