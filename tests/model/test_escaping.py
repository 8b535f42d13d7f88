"""Text from outside is inert wherever it is shown."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from vastplan.model.escaping import inert


@given(st.text())
def test_nothing_that_moves_a_cursor_or_hides_is_left(text: str) -> None:
    shown = inert(text)
    assert all(unicodedata.category(char) not in {"Cc", "Cf", "Zl", "Zp"} for char in shown)
    assert len(shown.splitlines()) <= 1


def test_escapes_and_right_to_left_marks_are_spelled_out() -> None:
    assert inert("a\x1b[31mb\nc\u202ed") == "a\\x1b[31mb\\x0ac\\u202ed"


def test_long_text_is_cut() -> None:
    assert len(inert("x" * 10_000)) <= 500
