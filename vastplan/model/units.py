"""Quantities as people write them and as the systems count them.

Sizes are bytes (`TiB` is 2^40, `TB` is 10^12), bandwidths are MB/s (10^6 bytes, the unit of VAST's `*_mbps`), spans are
seconds. Numbers are never rounded: what does not come out whole is refused.
"""

from __future__ import annotations

import re
from fractions import Fraction

BYTES, BANDWIDTH, SECONDS = "bytes", "MB/s", "seconds"

_SIZES = {"B": 1} | {
    prefix + suffix: base ** (power + 1)
    for suffix, base in (("iB", 1024), ("B", 1000))
    for power, prefix in enumerate("KMGTPE")
}
_SPANS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800, "M": 30 * 86400, "y": 365 * 86400}
_NUMBER = r"(\d+(?:\.\d+)?)"


def parse_bytes(text: str) -> int:
    """`50 TiB`, `1.5 TB`, `10GiB` as bytes; raises `ValueError`."""
    found = re.fullmatch(_NUMBER + r"\s*([KMGTPE]?i?B)", text.strip())
    if not found or found[2] not in _SIZES:
        raise ValueError(f"{text!r} is not a size; write for example 500 GiB, 1.5 TB or a plain number of bytes")
    return _whole(Fraction(found[1]) * _SIZES[found[2]], text, "bytes")


def parse_bandwidth(text: str) -> int:
    """`2 GB/s`, `500 MB/s` as MB/s (10^6 bytes); raises `ValueError`, also for bits and for what is not whole."""
    found = re.fullmatch(_NUMBER + r"\s*([KMGTPE]?i?)(B|b)(?:/s|ps)", text.strip())
    if found and found[3] == "b":
        raise ValueError(f"{text!r} is in bits; limits are bytes per second, for example 2 GB/s")
    if not found or found[2] + "B" not in _SIZES:
        raise ValueError(f"{text!r} is not a bandwidth; write for example 2 GB/s, 500 MB/s or a plain number of MB/s")
    return _whole(Fraction(found[1]) * _SIZES[found[2] + "B"] / 10**6, text, "MB/s")


def parse_span(text: str) -> int:
    """`30m`, `1h30m`, `7d` as seconds (`m` minutes, `M` months of 30 days); raises `ValueError`."""
    stripped = text.replace(" ", "")
    if not re.fullmatch(r"(?:\d+[smhdwMy])+", stripped):
        raise ValueError(f"{text!r} is not a span of time; write for example 30m, 24h or 7d")
    return sum(int(count) * _SPANS[unit] for count, unit in re.findall(r"(\d+)([smhdwMy])", stripped))


def _whole(value: Fraction, text: str, unit: str) -> int:
    if value.denominator != 1:
        raise ValueError(f"{text!r} is not a whole number of {unit}")
    return int(value)


def show(value: object, unit: str) -> str:
    """A canonical number as a person would write it; anything else as it is."""
    if not isinstance(value, int) or isinstance(value, bool) or not unit:
        return str(value)
    if unit == BYTES:
        return _in_largest(
            value, {name: size for name, size in _SIZES.items() if name == "B" or name.endswith("iB")}, " "
        )
    if unit == BANDWIDTH:
        return _in_largest(value, {"MB/s": 1, "GB/s": 1000, "TB/s": 10**6}, " ")
    if unit == SECONDS:
        return (
            _in_largest(value, {name: size for name, size in _SPANS.items() if name in "smhd"}, "") if value else "0s"
        )
    return f"{value} {unit}"


def _in_largest(value: int, units: dict[str, int], gap: str) -> str:
    """In the largest unit that divides it, or with two decimals in the largest that fits."""
    ordered = sorted(units.items(), key=lambda item: -item[1])
    for name, size in ordered:
        if value and value % size == 0:
            return f"{value // size}{gap}{name}"
    name, size = next(((name, size) for name, size in ordered if value >= size), ordered[-1])
    return f"{value / size:.2f}".rstrip("0").rstrip(".") + f"{gap}{name}"


def span_text(seconds: int) -> str:
    """Seconds as one `<int><unit>` in the largest unit that divides them: `5400` is `90m`."""
    for unit in ("d", "h", "m"):
        if seconds and seconds % _SPANS[unit] == 0:
            return f"{seconds // _SPANS[unit]}{unit}"
    return f"{seconds}s"
