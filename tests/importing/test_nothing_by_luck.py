"""The same world gives the same bytes, however it is read; and a change of one object changes the lines of that one alone."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import pytest

from tests.importing.round_trip import Desk
from tests.importing.worlds import Brownfield, Yard
from vastplan.sim.store import Row, Store

SEEDS = (1, 3)
SITES = ("iad", "pdx")


def imported(folder: Path, seed: int, change: Callable[[Yard], None] = lambda _: None) -> dict[str, list[str]]:
    """The lines of each file that a world gives, once something was done to it."""
    yard = Yard(folder / "yard", SITES)
    Brownfield(yard, seed)
    change(yard)
    with yard.running():
        desk = Desk.of(yard, folder / "lab")
        desk.imports()
        return {name: content.decode().splitlines() for name, content in desk.written().items()}


@pytest.fixture(params=SEEDS)
def seed(request: pytest.FixtureRequest) -> int:
    return int(request.param)


def test_the_order_of_rows_says_nothing(seed: int, tmp_path: Path) -> None:
    def shuffle(yard: Yard) -> None:
        chance = Random(seed)
        for store in yard.stores.values():
            for name in store.collections():
                rows = list(store.rows(name))
                assert len(rows) == len({id(row) for row in rows})
                chance.shuffle(rows)

    chance, rows = Random(seed), Store.rows

    def shuffled(self: Store, collection: str) -> tuple[Row, ...]:
        found = list(rows(self, collection))
        chance.shuffle(found)
        return tuple(found)

    before = imported(tmp_path / "a", seed)
    yard = Yard(tmp_path / "b", SITES)
    Brownfield(yard, seed)
    with yard.running(), patch.object(Store, "rows", shuffled):
        desk = Desk.of(yard, tmp_path / "lab")
        desk.imports()
        assert {name: content.decode().splitlines() for name, content in desk.written().items()} == before
