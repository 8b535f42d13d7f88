"""Figures as a report says them: three digits, units by name. What is exact is in the figures themselves."""

from __future__ import annotations

_DECIMAL = ((10**18, "EB"), (10**15, "PB"), (10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB"), (1, "B"))
_SPANS = ((86400.0 * 3, 86400.0, "days"), (7200.0, 3600.0, "h"), (300.0, 60.0, "min"))


def size(count: float) -> str:
    """Bytes in decimal units: `980 GB`."""
    for factor, name in _DECIMAL:
        if abs(count) >= factor:
            return f"{_three(count / factor)} {name}"
    return f"{_three(count)} B"


def rate(bytes_per_second: float) -> str:
    """Bytes a second in decimal units: `2.5 GB/s`."""
    return f"{size(bytes_per_second)}/s"


def span(seconds: float) -> str:
    """Seconds as `93.3 s`, `98.5 min`, `49.5 h` or `13.2 days`."""
    for least, factor, name in _SPANS:
        if seconds >= least:
            return f"{_three(seconds / factor)} {name}"
    return f"{_three(seconds)} s"


def share(fraction: float) -> str:
    """A fraction of 1 in percent: `48.3 %`."""
    return f"{_three(100 * fraction)} %"


def _three(value: float) -> str:
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"
