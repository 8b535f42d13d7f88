"""Text from outside is inert wherever it is shown."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from vastplan.model.escaping import inert


@given(st.text())
def test_nothing_that_moves_a_cursor_or_hides_is_left(text: str) -> None:
    shown = inert(text)
    assert all(unicodedata.category(char) not in {"Cc", "Cf", "Zl", "Zp"} for char in shown)
    assert len(shown.splitlines()) <= 1


def test_escapes_and_right_to_left_marks_are_spelled_out() -> None:
    assert inert("a\x1b[31mb\nc\u202ed") == "a\\x1b[31mb\\x0ac\\u202ed"


@given(st.text())
@example("дан\uff54ые")
@example("e\u0301\u0301\u0301")
def test_what_is_inert_stays_as_it_is(text: str) -> None:
    assert inert(inert(text, None), None) == inert(text, None)


def test_long_text_is_cut() -> None:
    assert len(inert("x" * 10_000)) <= 500


def test_what_is_cut_is_counted() -> None:
    shown = inert("x" * 10_000)
    assert len(shown) == 500 and shown.endswith("x… (9524 more characters)")
    assert inert("x" * 600, None) == "x" * 600 and inert("x" * 50, 40) == "x" * 39 + "…"


UNSEEN = "\u3164 \u2800 \u115f \u1160 \uffa0 \u034f \u200b \u200d \u2060 \u202e \ufeff \ufe0f \u00a0 \u3000 \u2003 \U000e0041 \U000e0101"


@pytest.mark.parametrize("char", UNSEEN.split(" "), ids=lambda char: f"{ord(char):04x}")
def test_what_cannot_be_seen_is_spelled_out(char: str) -> None:
    shown = inert(f"team{char}a")
    assert char not in shown and f"{ord(char):x}" in shown


MARKED = {
    "team-а": "team-\\u0430",  # a word of look-alikes from end to end
    "pаypal": "p\\u0430ypal",  # a letter of another script in a Latin word
    "ｔeam": "\\uff54eam",
    "𝐭eam": "\\U0001d42deam",
    "team∕a": "team\\u2215a",
    "1‐2": "1\\u20102",
    "e\u0301a": "e\\u0301a",  # reads as one letter that is written as another character
}


@pytest.mark.parametrize("text", MARKED)
def test_what_is_taken_for_something_else_is_spelled_out(text: str) -> None:
    assert inert(text) == MARKED[text]


@pytest.mark.parametrize(
    "text", ["данные", "наука-ml", "日本語ABC", "Straße", "café → x… ≈ — 10µs", "한국어2", "m²", "हिन्दी"]
)
def test_what_people_write_in_their_own_script_is_left(text: str) -> None:
    assert inert(text) == text
