"""An applied document, for each test anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.drift.stage import Hands, an_hour_ago, stage


@pytest.fixture
def hands(tmp_path: Path, vastplan: Run) -> Iterator[Hands]:
    """The document `hand.yaml` in `tmp_path`, applied an hour ago."""
    with stage(tmp_path) as found:
        with an_hour_ago():
            ran = vastplan("apply", tmp_path / "hand.yaml", "--auto-approve")
        assert ran.code == 0, ran
        yield found
