"""docs/security.md says who can do what: every row of its table names the tests that hold it, and they are there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.test_promises import NAMED, functions_of

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("| ") and "---" not in line][1:]
WRITERS = (
    "the document",
    "the connections file",
    "the approvals",
    "a plan file",
    "a snapshot",
    "the ledger",
    "the workflow",
    "a server",
)


@pytest.mark.parametrize("row", ROWS, ids=[row[2:60] for row in ROWS])
def test_a_row_is_held_by_tests(row: str) -> None:
    held_by = row.rstrip(" |").rpartition(" | ")[2]
    named = NAMED.findall(held_by)
    assert named, row
    for path, test in named:
        file = ROOT / path
        assert file.exists(), path
        assert not test or test in functions_of(file), f"{path} has no {test}"


def test_everybody_who_can_write_something_has_a_row() -> None:
    for writer in WRITERS:
        assert f"\n| **{writer}**" in PAGE, writer
