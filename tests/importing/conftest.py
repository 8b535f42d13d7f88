"""Worlds that tests of the import share."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.importing.recorded import EXAMPLE, HEAD
from tests.importing.remembered import factory_world
from vastplan.cli import main
from vastplan.model.snapshot import RecordedSnapshot


@pytest.fixture(scope="session")
def factory_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with nothing but a head, beside systems that have all that `examples/ai-factory` stands for."""
    made = tmp_path_factory.mktemp("made")
    shutil.copytree(EXAMPLE, made, ignore=shutil.ignore_patterns(".vastplan"), dirs_exist_ok=True)
    assert main(["apply", str(made), "--auto-approve"]) == 0
    folder = tmp_path_factory.mktemp("factory")
    shutil.copytree(made / ".vastplan" / "sim", folder / ".vastplan" / "sim")
    (folder / "head.yaml").write_text(HEAD, encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def factory() -> RecordedSnapshot:
    """What is recorded of them."""
    return factory_world()
