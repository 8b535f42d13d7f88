"""Converts quantities between the forms that people write and the numbers that systems use.

Sizes are bytes (`TiB` is 2^40, `TB` is 10^12), bandwidths are MB/s (10^6 bytes, the unit of VAST's `*_mbps`), spans are
seconds. Parsing never rounds: a text that does not give a whole number is refused. Figures with three digits for sentences are
in `model.formatting`, in the units that are named here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache

from vastplan.model.wording import quoted

BYTES, BANDWIDTH, SECONDS = "bytes", "MB/s", "seconds"
LEAST_BARE = 2**20
"""Bytes. A smaller number without a unit is never meant as a size: who writes `size: 500` means 500 GiB."""

_PREFIXES = "KMGTPE"
BINARY = {"B": 1} | {f"{prefix}iB": 1024**power for power, prefix in enumerate(_PREFIXES, 1)}
DECIMAL = {"B": 1} | {f"{prefix}B": 1000**power for power, prefix in enumerate(_PREFIXES, 1)}
SPANS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800, "M": 30 * 86400, "y": 365 * 86400}
_SIZES = BINARY | DECIMAL
_NUMBER = r"(\d{1,100}(?:\.\d{1,100})?)"  # nobody writes more, and each further digit takes time


@lru_cache(1024)  # a document repeats the same few sizes
def parse_bytes(text: str) -> int:
    """`50 TiB`, `1.5 TB`, `10GiB` as bytes; raises `ValueError`."""
    match = re.fullmatch(_NUMBER + r"\s*([KMGTPE]?i?B)", text.strip())
    if not match or match[2] not in _SIZES:
        raise ValueError(f"{quoted(text)} is not a size; write {_size_meant(text)}")
    return _whole(Fraction(match[1]) * _SIZES[match[2]], text, "bytes")


@lru_cache(1024)
def parse_bandwidth(text: str) -> int:
    """`2 GB/s`, `500 MB/s` as MB/s (10^6 bytes); raises `ValueError`, also for bits and for what is not whole."""
    match = re.fullmatch(_NUMBER + r"\s*([KMGTPE]?i?)(B|b)(?:/s|ps)", text.strip())
    if match and match[3] == "b":
        raise ValueError(f"{quoted(text)} is in bits, and a limit is in bytes; write {_in_bytes(match[1], match[2])}")
    if not match or match[2] + "B" not in _SIZES:
        size = re.fullmatch(_NUMBER + r"\s*([KMGTPE]i?B)", text.strip())
        meant = f"{size[0]}/s" if size else "a number and its unit, such as 2 GB/s or 500 MB/s"
        raise ValueError(f"{quoted(text)} is not a bandwidth; write {meant}")
    return _whole(Fraction(match[1]) * _SIZES[match[2] + "B"] / 10**6, text, "MB/s")


@lru_cache(1024)
def parse_span(text: str) -> int:
    """`30m`, `1h30m`, `7d` as seconds (`m` minutes, `M` months of 30 days); raises `ValueError`."""
    stripped = text.replace(" ", "")
    if not re.fullmatch(r"(?:\d{1,100}[smhdwMy])+", stripped):
        raise ValueError(f"{quoted(text)} is not a duration; write {_span_meant(text)}")
    return sum(int(count) * SPANS[unit] for count, unit in re.findall(r"(\d+)([smhdwMy])", stripped))


def _size_meant(text: str) -> str:
    """What to write instead of a text that is not a size: the same number in a similar unit, else an example."""
    near = re.fullmatch(_NUMBER + r"\s*([kKmMgGtTpPeE])(i?)[bB]?", text.strip())
    if near:
        prefix = near[2].upper()
        binary = f"{near[1]} {prefix}iB"
        return binary if near[3] else f"{binary}, or {near[1]} {prefix}B"
    return "a number and its unit, such as 500 GiB or 1.5 TB"


def _in_bytes(number: str, prefix: str) -> str:
    """A bandwidth in bits as one in bytes, where that is whole MB/s; else an example."""
    exact = Fraction(number) * _SIZES[prefix + "B"] / 8 / 10**6 if prefix + "B" in _SIZES else Fraction(1, 2)
    return f"{exact} MB/s" if exact.denominator == 1 else "it in bytes, such as 2 GB/s"


_SPAN_WORDS = {"sec": "s", "min": "m", "hour": "h", "hr": "h", "day": "d", "week": "w", "month": "M", "year": "y"}


def _span_meant(text: str) -> str:
    """What to write instead of a text that is not a span: the same number with the short unit, else examples."""
    near = re.fullmatch(r"(\d{1,9})\s*([A-Za-z]+)", text.strip())
    unit = next((unit for word, unit in _SPAN_WORDS.items() if near and near[2].lower().startswith(word)), "")
    if near and (unit or near[2].lower() in SPANS):
        return f"{near[1]}{unit or near[2].lower()}"
    return "a number and its unit, such as 30m, 24h or 7d"


def _whole(value: Fraction, text: str, unit: str) -> int:
    if value.denominator != 1:
        raise ValueError(f"{quoted(text)} is not a whole number of {unit}")
    return int(value)


_Units = Sequence[tuple[str, int]]


def _largest_first(units: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(units.items(), key=lambda unit: -unit[1]))


# For each canonical unit: the units to show it in, the largest first; those to round it in; the text between number and unit.
# Binary and decimal units count equally: a size is shown in the unit that divides it. Spans are never rounded: `1d1h30m` is short.
_SHOWN_IN: Mapping[str, tuple[_Units, _Units, str]] = {
    BYTES: (_largest_first(_SIZES), _largest_first(BINARY), " "),
    BANDWIDTH: (*(2 * (_largest_first({"MB/s": 1, "GB/s": 1000, "TB/s": 10**6}),)), " "),
}
_SHOWN_SPANS = _largest_first({name: SPANS[name] for name in "smhd"})
_LONGEST = 10_000
"""Nobody reads larger numbers: they are shown in a larger unit, and where that rounds them, with the exact value beside it."""
_DIGITS = 4
_WRITTEN = 100_000


def show_amount(value: object, unit: str) -> str:
    """A canonical number as a person would write it, with at most four digits; anything else as it is.

    A size is a whole number of the largest unit that divides it: `1 PB`, `1536 GiB`; else an exact fraction, `65.25 TiB`. A size
    that four digits cannot express exactly is rounded, and shows it: `≈ 931.3 GiB (1000000000001 B)`.
    """
    if not unit or not isinstance(value, int) or isinstance(value, bool):
        return str(value)
    if unit == SECONDS:
        return _span(value)
    if unit in _SHOWN_IN:
        return _in_largest(value, *_SHOWN_IN[unit])
    return f"{value} {unit}"


def show_alike(unit: str, *values: int) -> tuple[str, ...]:
    """Several numbers for one sentence: sizes of which some are shown in binary and some in decimal units are all shown in binary
    units, with the decimal ones in parentheses: `≈ 909.5 TiB (1 PB)`."""
    texts = tuple(show_amount(value, unit) for value in values)
    is_decimal = [re.search(r"\d [KMGTPE]B$", text) is not None for text in texts]
    if not any(is_decimal) or not any(re.search(r"\d [KMGTPE]iB", text) for text in texts):
        return texts
    units = _largest_first(BINARY)
    return tuple(
        f"{_in_largest(value, units, units, ' ').partition(' (')[0]} ({text})" if decimal else text
        for value, text, decimal in zip(values, texts, is_decimal, strict=True)
    )


def _in_largest(value: int, exact: _Units, rounded: _Units, gap: str) -> str:
    """The number in the largest unit that divides it; where that takes too many digits, as a fraction, exact or rounded, of a
    larger unit."""
    name, size = next(((name, size) for name, size in exact if value and value % size == 0), exact[-1])
    if value < _LONGEST * size or size == exact[0][1]:
        return f"{value // size}{gap}{name}"
    for name, size in exact:
        if size <= value < _LONGEST * size and value * 10 ** _places(value, size) % size == 0:
            return f"{_figure(value, size)}{gap}{name}"
    name, size = next((name, size) for name, size in rounded if value >= size)
    return f"≈ {_figure(value, size)}{gap}{name} ({value}{gap}{exact[-1][0]})"


def _places(value: int, size: int) -> int:
    """The number of digits after the point, of four in total."""
    return max(0, _DIGITS - len(str(value // size)))


def _figure(value: int, size: int) -> str:
    """A number in the unit, with at most four digits. Without floats, because a system may return any number."""
    places = _places(value, size)
    whole, parts = divmod(round(Fraction(10**places * value, size)), 10**places)
    fraction = f"{parts:0{places}}".rstrip("0") if places else ""
    return f"{whole}.{fraction}" if fraction else str(whole)


def amount_text(value: int, unit: str) -> str:
    """A number as documents write it: a whole number of the largest unit that divides it, "" where that is too long to read."""
    exact = _SHOWN_SPANS if unit == SECONDS else _SHOWN_IN[unit][0]
    gap = "" if unit == SECONDS else " "
    name, size = next((name, size) for name, size in exact if value % size == 0)
    return f"{value // size}{gap}{name}" if value < _WRITTEN * size else ""


def _span(seconds: int) -> str:
    """A span in the largest unit that divides it, or in several units where that number is too long."""
    name, size = next(((name, size) for name, size in _SHOWN_SPANS if seconds and seconds % size == 0), ("s", 1))
    if seconds < _LONGEST * size or name == "d":
        return f"{seconds // size}{name}"
    parts = []
    for name, size in _SHOWN_SPANS:
        count, seconds = divmod(seconds, size)
        parts += [f"{count}{name}"] if count else []
    return "".join(parts)


def span_text(seconds: int) -> str:
    """Seconds as one `<int><unit>` in the largest unit that divides them: `5400` is `90m`."""
    for unit in ("d", "h", "m"):
        if seconds and seconds % SPANS[unit] == 0:
            return f"{seconds // SPANS[unit]}{unit}"
    return f"{seconds}s"
