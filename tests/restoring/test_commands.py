"""After each kind of restore, each command that reads still does."""

from __future__ import annotations

import pytest

from tests.commands import read_all
from tests.conftest import Run
from tests.restoring.scene import Scene
from vastplan.model.operation import Phase


@pytest.mark.parametrize("in_place", [False, True])
def test_a_restore(scene: Scene, vastplan: Run, in_place: bool) -> None:
    scene.write("spoilt")
    assert scene.run(scene.in_place() if in_place else scene.plan()).phase is Phase.DONE
    answers = read_all(vastplan, scene.lab.folder, "iad/volume/home", "iad/view/home")
    assert "done" in answers["restore status"].out
