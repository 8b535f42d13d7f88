"""Figures in sentences: three digits, rounded so that what is asked for does, and told apart where they are compared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vastplan.model import formatting

UNITS = {
    "B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "PB": 1e15, "EB": 1e18, "s": 1.0, "min": 60.0, "h": 3600.0,
    "days": 86400.0, "%": 0.01,
}  # fmt: skip
FORMATTERS = st.sampled_from([formatting.size, formatting.rate, formatting.span, formatting.share])
FIGURES = st.floats(1e-6, 1e17, allow_nan=False)


def read(text: str) -> float:
    """What a reader takes it for."""
    number, _, unit = text.partition(" ")
    return float(number.replace(",", "")) * UNITS[unit.removesuffix("/s")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (formatting.size(980e9), "980 GB"), (formatting.size(999), "999 B"), (formatting.size(1000), "1 kB"), (formatting.size(0), "0 B"),
        (formatting.size(1234e18), "1,234 EB"), (formatting.size(2**40), "1.1 TB"), (formatting.rate(2.5e9), "2.5 GB/s"),
        (formatting.span(93.3), "93.3 s"), (formatting.span(299), "299 s"), (formatting.span(300), "5 min"), (formatting.span(7199), "120 min"),
        (formatting.span(7200), "2 h"), (formatting.span(259199), "72 h"), (formatting.span(259200), "3 days"), (formatting.span(0.0123), "0.0123 s"),
        (formatting.share(0.4827), "48.3 %"), (formatting.share(0.00011), "0.011 %"), (formatting.share(1), "100 %"),
        (formatting.rounded_up(formatting.size, 0.1), "0.1 B"),
        (formatting.rounded_up(formatting.size, 980.1e9), "981 GB"), (formatting.at_most(formatting.size, 980.9e9), "980 GB"),
        (formatting.rounded_up(formatting.span, 61.01), "61.1 s"), (formatting.at_most(formatting.share, 0.48279), "48.2 %"),
    ],
)  # fmt: skip
def test_figures(text: str, expected: str) -> None:
    assert text == expected


@given(FORMATTERS, FIGURES)
def test_whoever_gives_what_is_asked_for_gives_enough(shown: formatting.Formatter, value: float) -> None:
    assert read(formatting.rounded_up(shown, value)) >= value * (1 - 1e-12)
    assert read(formatting.at_most(shown, value)) <= value * (1 + 1e-12)
    for text in (formatting.rounded_up(shown, value), shown(value), formatting.at_most(shown, value)):
        assert read(text) == pytest.approx(value, rel=0.01)


@given(FORMATTERS, FIGURES, st.floats(1e-9, 2))
def test_the_greater_one_can_be_seen(shown: formatting.Formatter, value: float, more: float) -> None:
    low, high = formatting.distinct_figures(shown, value, value * (1 + more))
    assert read(low) < read(high)
    assert formatting.distinct_figures(shown, value, value) == (shown(value), shown(value))


@given(FORMATTERS, FIGURES, st.floats(1e-9, 2))
def test_what_lies_between_is_between(shown: formatting.Formatter, value: float, more: float) -> None:
    low, high = map(read, formatting.range_within(shown, value, value * (1 + more)))
    assert value * (1 - 1e-12) <= low <= high <= value * (1 + more) * (1 + 1e-12)


def test_nothing_between_is_still_said() -> None:
    assert formatting.range_within(formatting.span, 100.0, 100.0) == ("100 s", "100 s")
    assert formatting.range_within(formatting.span, 100.0, 1e9) == ("100 s", "11,574 days")
    assert formatting.distinct_figures(formatting.span, 16.0, 16.0) == ("16 s", "16 s")
