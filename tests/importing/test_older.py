"""Systems of older versions: what is imported from them holds nothing that they do not have."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.force import by_force
from tests.importing.round_trip import Desk, round_trip
from tests.importing.worlds import Brownfield, Yard

OLDER = {"vast": "5.3", "runai": "2.20"}
STATED = "{sim: {}, versions: {vms: 5.3, runai: '2.20'}}"
"""A site whose document says what it has: `validate` refuses what these versions lack."""


@pytest.mark.parametrize("seed", by_force(range(int(os.environ.get("VASTPLAN_EXAMPLES", "5")))))
def test_there_and_back_on_older_systems(seed: int, tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", ("iad",), OLDER)
    world = Brownfield(yard, seed)
    assert sum(world.made.values()) > 10, world.refused
    with yard.running():
        desk = Desk.of(yard, tmp_path / "lab")
        head = desk.folder / "brownfield.yaml"
        head.write_text(head.read_text().replace("{sim: {}}", STATED))
        round_trip(desk)
