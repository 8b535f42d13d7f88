"""docs/guards.md tells of every guard that a plan can name, and of no other."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def named_in_code() -> set[str]:
    """The first word of every block that is made anywhere."""
    calls = (
        node
        for file in (ROOT / "vastplan").rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Block"
    )
    guards = [call.args[0] for call in calls]
    assert all(isinstance(guard, ast.Constant) for guard in guards)
    return {guard.value for guard in guards if isinstance(guard, ast.Constant) and isinstance(guard.value, str)}


def test_the_table_has_a_row_for_every_guard() -> None:
    table = (ROOT / "docs" / "guards.md").read_text().split("| guard |")[1].split("\n\n")[0]
    cells = [row.split("|")[1] for row in table.splitlines()[2:]]
    assert {name for cell in cells for name in re.findall(r"`([a-z-]+)`", cell)} == named_in_code()
