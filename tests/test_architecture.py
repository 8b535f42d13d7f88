"""docs/architecture.md is true: what it names is there, and every package is in its table."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "vastplan"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
CODE = re.findall(r"`([^`]+)`", PAGE)
PATHS = sorted({text for text in CODE if re.fullmatch(r"[\w/.-]+", text) and ("/" in text or "." in text)})
STAGES = re.findall(r"^\|[^|]+\| ((?:`\w+`(?:, )?)+) \| `([\w/]+\.py)` \|$", PAGE, flags=re.MULTILINE)
LAYERS = [
    [name.removeprefix("vastplan.") for layer in contract["layers"] for name in layer.split(" | ")]
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    if contract["type"] == "layers"
]
COMMANDS = re.findall(r"^## .*`(app/\w+\.py)`$", PAGE, flags=re.MULTILINE)


@pytest.mark.parametrize("path", PATHS)
def test_what_it_names_is_there(path: str) -> None:
    assert (PACKAGE / path).exists() or (ROOT / path).exists()


def test_every_package_is_in_its_table() -> None:
    packages = {folder.name for folder in PACKAGE.iterdir() if (folder / "__init__.py").exists()}
    assert set(re.findall(r"^\| `(\w+)/` \|", PAGE, flags=re.MULTILINE)) == packages


def test_its_rooms_are_in_the_order_of_the_contracts() -> None:
    packages, rooms = LAYERS[:2]
    assert re.findall(r"^\| `(\w+)/` \|", PAGE, flags=re.MULTILINE) == [*packages, "sim"]
    assert re.findall(r"`(\w+)`", PAGE.partition("The engine's rooms")[2].partition("\n")[0]) == rooms


@pytest.mark.parametrize(("functions", "file"), STAGES)
def test_a_stage_is_where_it_says(functions: str, file: str) -> None:
    source = (PACKAGE / file).read_text(encoding="utf-8")
    for name in re.findall(r"\w+", functions):
        assert re.search(rf"^\s*(def {name}\(|[\w, ]*\b{name}\b[\w, ]* = )", source, flags=re.MULTILINE), (
            f"{file} has no {name}"
        )


def test_it_tells_the_stages_of_the_three_commands() -> None:
    assert COMMANDS == ["app/plan.py", "app/apply.py", "app/drift.py"]
    assert len(STAGES) >= 15


def test_it_fits_a_page() -> None:
    assert len(PAGE.encode()) <= 6500
