"""Figures as a sentence says them: three digits, units by name. What is exact is in the figures themselves.

What somebody is told to give is rounded to the side on which it does (`at_least`, `at_most`), and two figures that are
compared get as many digits as it takes to tell them apart (`apart`).
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from math import ceil, log10

from vastplan.model import units

Formatter = Callable[..., str]
_SIZES = tuple(  # the largest first; a thousand is `k` to physicists, and `K` only where documents are read
    (size, name.replace("K", "k")) for name, size in sorted(units.DECIMAL.items(), key=lambda unit: -unit[1])
)
_SPANS = tuple(  # from how many seconds on, in which unit
    (from_seconds, float(units.SPANS[unit]), name)
    for from_seconds, unit, name in ((86400.0 * 3, "d", "days"), (7200.0, "h", "h"), (300.0, "m", "min"))
)
_DIGITS, _MOST = 3, 12


def number(value: float) -> str:
    """A number as it is; what is whole is not made a float, which does not hold all that a system may say."""
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


def at_least(figure: Formatter, value: float) -> str:
    """A figure that is enough wherever `value` is."""
    return figure(value, rounding=ROUND_CEILING)


def at_most(figure: Formatter, value: float) -> str:
    """A figure that is not too much wherever `value` is not."""
    return figure(value, rounding=ROUND_FLOOR)


def between(figure: Formatter, low: float, high: float) -> tuple[str, str]:
    """Two figures that hold all that they enclose between `low` and `high`, however near these are."""
    digits = _DIGITS
    if 0 < high - low < high:
        digits = min(_MOST, max(_DIGITS, ceil(1 + log10(2 * high / (high - low)))))
    return figure(low, digits, ROUND_CEILING), figure(high, digits, ROUND_FLOOR)


def apart(figure: Formatter, first: float, second: float) -> tuple[str, str]:
    """Two figures with as many digits as it takes to see which is the greater."""
    digits = _DIGITS
    while first != second and digits < _MOST and figure(first, digits) == figure(second, digits):
        digits += 1
    return figure(first, digits), figure(second, digits)


def _figure(value: float, digits: int, rounding: str) -> str:
    """So many digits, and all of those before the point."""
    exact = Decimal(value)
    if abs(exact) >= 10 ** (digits - 1):
        return f"{exact.to_integral_value(rounding):,f}"
    return f"{Context(prec=digits, rounding=rounding).plus(exact).normalize():f}"
