"""A simulated site for each test of the contract suite."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.simulated import Served, site


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """The world, and the environment that names it."""
    with site(tmp_path / "sim") as made:
        yield made
