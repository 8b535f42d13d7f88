"""docs/promises.md names the tests that hold each promise: they are there, and no promise goes without one."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent / "docs" / "promises.md"
PROMISES = re.findall(r"^- .*?(?=^- |^#|\Z)", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")


def functions_of(file: Path) -> set[str]:
    return {one.name for one in ast.parse(file.read_text(encoding="utf-8")).body if isinstance(one, ast.FunctionDef)}


@pytest.mark.parametrize("promise", PROMISES, ids=[one[2:50].strip("*").splitlines()[0] for one in PROMISES])
def test_a_promise_is_held_by_a_test(promise: str) -> None:
    named = NAMED.findall(promise)
    assert named, promise
    for path, test in named:
        file = PAGE.parent.parent / path
        assert file.exists(), path
        assert not test or test in functions_of(file), f"{path} has no {test}"


def test_the_page_is_not_empty() -> None:
    assert len(PROMISES) > 20
