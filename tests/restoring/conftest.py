"""A scene for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.restoring.scene import Scene, scene_in


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    monkeypatch.setenv("CSI_PASSWORD", "of-the-csi-user")
    with scene_in(tmp_path) as made:
        yield made
