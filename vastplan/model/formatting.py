"""Figures for sentences: three digits, with the unit. Exact values are in the figures themselves.

A figure that somebody should enter is rounded to the safe side (`rounded_up`, `at_most`), and two figures that are compared get
as many digits as it takes to see their difference (`distinct_figures`).
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from math import ceil, log10

from vastplan.model import units

Formatter = Callable[..., str]
_SIZES = tuple(  # the largest first; a thousand is written `k`; `K` is only what documents may use
    (size, name.replace("K", "k")) for name, size in sorted(units.DECIMAL.items(), key=lambda unit: -unit[1])
)
_SPANS = tuple(  # (least seconds, factor, unit)
    (from_seconds, float(units.SPANS[unit]), name)
    for from_seconds, unit, name in ((86400.0 * 3, "d", "days"), (7200.0, "h", "h"), (300.0, "m", "min"))
)
_DIGITS, _MOST = 3, 12


def number(value: float) -> str:
    """A number as text; an integer is not converted to float, which cannot hold every number a system may return."""
    return str(value) if isinstance(value, int) else f"{value:g}"


def size(count: float, digits: int = _DIGITS, rounding: str = ROUND_HALF_EVEN) -> str:
    """Bytes in decimal units: `980 GB`."""
    for factor, name in _SIZES:
        if abs(count) >= factor:
            return f"{_figure(count / factor, digits, rounding)} {name}"
    return f"{_figure(count, digits, rounding)} B"


def rate(bytes_per_second: float, digits: int = _DIGITS, rounding: str = ROUND_HALF_EVEN) -> str:
    """Bytes a second in decimal units: `2.5 GB/s`."""
    return f"{size(bytes_per_second, digits, rounding)}/s"


def span(seconds: float, digits: int = _DIGITS, rounding: str = ROUND_HALF_EVEN) -> str:
    """Seconds as `93.3 s`, `98.5 min`, `49.5 h` or `13.2 days`."""
    for least, factor, name in _SPANS:
        if seconds >= least:
            return f"{_figure(seconds / factor, digits, rounding)} {name}"
    return f"{_figure(seconds, digits, rounding)} s"


def share(fraction: float, digits: int = _DIGITS, rounding: str = ROUND_HALF_EVEN) -> str:
    """A fraction of 1 in percent: `48.3 %`."""
    return f"{_figure(100 * fraction, digits, rounding)} %"


def rounded_up(figure: Formatter, value: float) -> str:
    """The figure rounded up, so that it is enough where `value` is."""
    return figure(value, rounding=ROUND_CEILING)


def at_most(figure: Formatter, value: float) -> str:
    """The figure rounded down, so that it is not too much where `value` is not."""
    return figure(value, rounding=ROUND_FLOOR)


def range_within(figure: Formatter, low: float, high: float) -> tuple[str, str]:
    """Two figures whose range lies within `low` and `high`, with as many digits as that takes where these are close."""
    digits = _DIGITS
    if 0 < high - low < high:
        digits = min(_MOST, max(_DIGITS, ceil(1 + log10(2 * high / (high - low)))))
    return figure(low, digits, ROUND_CEILING), figure(high, digits, ROUND_FLOOR)


def distinct_figures(figure: Formatter, first: float, second: float) -> tuple[str, str]:
    """Two figures with as many digits as it takes to see which one is greater."""
    digits = _DIGITS
    while first != second and digits < _MOST and figure(first, digits) == figure(second, digits):
        digits += 1
    return figure(first, digits), figure(second, digits)


def _figure(value: float, digits: int, rounding: str) -> str:
    """A number with so many significant digits, and all digits before the point."""
    # What is rounded to one side is rounded from the digits that a person would write: 0.1, not 0.1000000000000000055.
    exact = Decimal(value) if rounding == ROUND_HALF_EVEN else Decimal(repr(value))
    if abs(exact) >= 10 ** (digits - 1):
        return f"{exact.to_integral_value(rounding):,f}"
    return f"{Context(prec=digits, rounding=rounding).plus(exact).normalize():f}"
