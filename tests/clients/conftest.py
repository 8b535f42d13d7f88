"""A world to point foreign clients at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from vastplan.sim.endpoints import ServedEndpoint
from vastplan.sim.world import World


class Place:
    """A running world of two sites, and how its systems are reached."""

    def __init__(self, folder: Path) -> None:
        self.world = World(folder, {"iad": ["vast", "kubernetes", "runai"], "pdx": ["vast"]})

    def endpoint(self, system: str, site: str = "iad") -> ServedEndpoint:
        """How a system is reached."""
        return next(one for one in self.world.endpoints() if (one.site, one.system) == (site, system))


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A world for one test."""
    one = Place(tmp_path / "sim")
    one.world.start()
    yield one
    one.world.stop()
