"""Figures in sentences: three digits, rounded so that what is asked for does, and told apart where they are compared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vastplan.model import say

UNITS = {
    "B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "PB": 1e15, "EB": 1e18, "s": 1.0, "min": 60.0, "h": 3600.0,
    "days": 86400.0, "%": 0.01,
}  # fmt: skip
SAYS = st.sampled_from([say.size, say.rate, say.span, say.share])
FIGURES = st.floats(1e-6, 1e17, allow_nan=False)


def read(text: str) -> float:
    """What a reader takes it for."""
    number, _, unit = text.partition(" ")
    return float(number.replace(",", "")) * UNITS[unit.removesuffix("/s")]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (say.size(980e9), "980 GB"), (say.size(999), "999 B"), (say.size(1000), "1 kB"), (say.size(0), "0 B"),
        (say.size(1234e18), "1,234 EB"), (say.size(2**40), "1.1 TB"), (say.rate(2.5e9), "2.5 GB/s"),
        (say.span(93.3), "93.3 s"), (say.span(299), "299 s"), (say.span(300), "5 min"), (say.span(7199), "120 min"),
        (say.span(7200), "2 h"), (say.span(259199), "72 h"), (say.span(259200), "3 days"), (say.span(0.0123), "0.0123 s"),
        (say.share(0.4827), "48.3 %"), (say.share(0.00011), "0.011 %"), (say.share(1), "100 %"),
        (say.at_least(say.size, 980.1e9), "981 GB"), (say.at_most(say.size, 980.9e9), "980 GB"),
        (say.at_least(say.span, 61.01), "61.1 s"), (say.at_most(say.share, 0.48279), "48.2 %"),
    ],
)  # fmt: skip
def test_figures(text: str, says: str) -> None:
    assert text == says


@given(SAYS, FIGURES)
def test_whoever_gives_what_is_asked_for_gives_enough(one: say.Say, value: float) -> None:
    assert read(say.at_least(one, value)) >= value * (1 - 1e-12)
    assert read(say.at_most(one, value)) <= value * (1 + 1e-12)
    for text in (say.at_least(one, value), one(value), say.at_most(one, value)):
        assert read(text) == pytest.approx(value, rel=0.01)


@given(SAYS, FIGURES, st.floats(1e-9, 2))
def test_the_greater_one_can_be_seen(one: say.Say, value: float, more: float) -> None:
    low, high = say.apart(one, value, value * (1 + more))
    assert read(low) < read(high)
    assert say.apart(one, value, value) == (one(value), one(value))


@given(SAYS, FIGURES, st.floats(1e-9, 2))
def test_what_lies_between_is_between(one: say.Say, value: float, more: float) -> None:
    low, high = map(read, say.between(one, value, value * (1 + more)))
    assert value * (1 - 1e-12) <= low <= high <= value * (1 + more) * (1 + 1e-12)


def test_nothing_between_is_still_said() -> None:
    assert say.between(say.span, 100.0, 100.0) == ("100 s", "100 s")
    assert say.between(say.span, 100.0, 1e9) == ("100 s", "11,574 days")
    assert say.apart(say.span, 16.0, 16.0) == ("16 s", "16 s")
