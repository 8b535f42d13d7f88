from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.moving.theatre import Theatre, theatre


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Theatre]:
    monkeypatch.setenv("CSI_PASSWORD", "of-the-csi-user")
    with theatre(tmp_path) as made:
        yield made
