"""Invented histories: a sample in every run, more when there is time. `make histories` plays thousands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.histories.history import History
from tests.histories.steps import TABLE, invented


def plays_well(seed: int, folder: Path) -> None:
    """Play a history to its end; what breaks is told, with the command that cuts it down to what it takes."""
    found = History(seed, invented(seed), folder / "h").play(TABLE)
    told = "\n".join(f"{one.code}: {one.text}" for one in found)
    assert not found, f"{told}\n\npython -m tests.histories --histories 1 --seed {seed}"


@pytest.mark.parametrize("seed", range(1, 5))
def test_a_history(seed: int, tmp_path: Path) -> None:
    plays_well(seed, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5, 45))
def test_more_histories(seed: int, tmp_path: Path) -> None:
    plays_well(seed, tmp_path)
