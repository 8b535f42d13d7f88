"""Worlds that others made: what is imported is adopted and changed in nothing, and what is written then is all that there is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.force import by_force
from tests.importing.round_trip import Desk, round_trip
from tests.importing.worlds import Brownfield, Yard

EXAMPLES = int(os.environ.get("VASTPLAN_EXAMPLES", "12"))


def sites_of(seed: int) -> tuple[str, ...]:
    """Every third world has two sites."""
    return ("iad", "pdx") if seed % 3 == 0 else ("iad",)


@pytest.mark.parametrize("seed", by_force(range(EXAMPLES), *"012"))
def test_there_and_back(seed: int, tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", sites_of(seed))
    world = Brownfield(yard, seed)
    assert sum(world.made.values()) > 5, world.refused  # few are drawn, and some of them refused
    with yard.running():
        round_trip(Desk.of(yard, tmp_path / "lab"))


@pytest.mark.slow
@pytest.mark.parametrize("seed", by_force(range(3)))
def test_a_snapshot_gives_the_same_bytes_without_a_network(seed: int, tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", sites_of(seed))
    Brownfield(yard, seed)
    with yard.running():
        live = Desk.of(yard, tmp_path / "lab")
        recorded = live.types("record", "--out", tmp_path / "snapshot.json")
        assert recorded.code == 0, recorded.err
        live.imports()
        yard.unplugged = True
        offline = Desk.of(yard, tmp_path / "elsewhere")
        offline.imports("--snapshot", tmp_path / "snapshot.json")
        assert offline.written() == live.written() != {}
