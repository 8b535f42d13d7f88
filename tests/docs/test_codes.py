"""docs/guides/when-something-broke.md has every code and every exit code, each in the words of its messages."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pytest

from vastplan.model import errors

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "guides" / "when-something-broke.md").read_text(encoding="utf-8")
CODE = r"VP[0-9]{3}"
ROWS = re.findall(r"^\| (VP[0-9]{3}) \| ([a-z, ]+) \| (.*?) \| (.*?) \|$", PAGE, flags=re.M)
HOLE = "…"
# Their words are made from the model, from another's message, or from a file that somebody wrote.
MADE_ELSEWHERE = {"VP212", "VP225", "VP240", "VP284", "VP302", "VP309"}


@dataclass(frozen=True, slots=True)
class Said:
    """What the source says: every text, with holes for what is filled in later, and how much codes weigh where a call says both."""

    texts: frozenset[str]
    weights: Mapping[str, set[str]]


@lru_cache
def said() -> Said:
    texts: set[str] = set()
    weights: dict[str, set[str]] = {}
    for file in sorted((ROOT / "vastplan").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant | ast.JoinedStr):
                texts.add(_text(node))
            elif isinstance(node, ast.Call):
                _weigh(node, weights)
    return Said(frozenset(texts), weights)


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(one) if isinstance(one, ast.Constant) else HOLE for one in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _weigh(call: ast.Call, weights: dict[str, set[str]]) -> None:
    """`error(CODE, ...)`, `scope.refuse(entry, CODE, ...)`, `Finding(CODE, Severity.NOTE, ...)`."""
    name = ast.unparse(call.func).rpartition(".")[2]
    if name not in ("error", "refuse", "Finding"):
        return
    for place, one in enumerate(call.args):
        if isinstance(one, ast.Constant) and re.fullmatch(CODE, str(one.value)):
            weight = ast.unparse(call.args[place + 1]).rpartition(".")[2].lower() if name == "Finding" else "error"
            weights.setdefault(str(one.value), set()).add(weight)


def is_said(words: str) -> bool:
    """Whether some text of the source is these words, where a hole of theirs stands for anything."""
    parts = words.split(HOLE)
    longest = max(parts, key=len)
    pattern = re.compile(".*".join(map(re.escape, parts)), flags=re.S)
    return any(longest in text and pattern.fullmatch(text) for text in said().texts)


def test_no_code_is_missing_and_none_is_stale() -> None:
    listed = [code for code, *_ in ROWS]
    assert listed == sorted(text for text in said().texts if re.fullmatch(CODE, text))


@pytest.mark.parametrize(("code", "words"), [(code, words) for code, _, words, _ in ROWS], ids=[row[0] for row in ROWS])
def test_a_row_has_the_words_of_the_message(code: str, words: str) -> None:
    phrases = re.findall(r"`([^`]+)`", words)
    assert bool(phrases) is (code not in MADE_ELSEWHERE)
    assert [phrase for phrase in phrases if not is_said(phrase)] == []


def test_words_that_nothing_says_are_noticed() -> None:
    assert is_said("not valid UTF-8") and is_said("no .yaml file in …")
    assert not is_said("not valid UTF-9") and not is_said("no .yaml files in …")


@pytest.mark.parametrize(("code", "weight"), [row[:2] for row in ROWS], ids=[row[0] for row in ROWS])
def test_a_row_says_how_much_it_weighs(code: str, weight: str) -> None:
    known = said().weights.get(code, set())
    assert known <= set(weight.split(", ")) <= {"error", "warning", "note"}


def test_every_exit_code_has_its_row() -> None:
    ours = {value for name, value in vars(errors).items() if name.isupper() and isinstance(value, int)}
    assert ours >= set(range(7))
    listed = {int(code) for code in re.findall(r"^\| ([0-9]+) \|", PAGE, flags=re.M)}
    assert listed == ours | {130}
