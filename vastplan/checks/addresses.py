"""Address ranges as intervals of numbers, and which of many overlap, without comparing each with each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TypeVar

Owner = TypeVar("Owner")
Interval = tuple[int, int, int]  # IP version, first and last address, both inside


def parse_interval(text: str) -> Interval:
    """`10.0.0.1 - 10.0.0.9`, as the document's ranges are written, or one address."""
    first, _, last = (part.strip() for part in text.partition(" - "))
    start, end = ip_address(first), ip_address(last or first)
    return start.version, int(start), int(end)


def interval_text(interval: Interval) -> str:
    """An interval as the document writes it."""
    version, first, last = interval
    ends = [str(IPv6Address(end) if version == 6 else IPv4Address(end)) for end in (first, last)]
    return " - ".join(dict.fromkeys(ends))


def overlaps(owned: Iterable[tuple[Interval, Owner]]) -> Iterator[tuple[Owner, Owner, Interval]]:
    """Every interval that begins inside another one of another owner: with the owner it reaches into, and what they share.

    Sorted by their beginning, an interval can only begin inside those that are still open. Of several that are open, the
    one that reaches furthest is told, so that the answer is no longer than the question.
    """
    still_open: list[tuple[Interval, Owner]] = []  # the furthest, and the furthest of any other owner
    for interval, owner in sorted(owned, key=lambda item: item[0]):
        version, first, last = interval
        still_open = [item for item in still_open if item[0][0] == version and item[0][2] >= first]
        other = next((item for item in still_open if item[1] != owner), None)
        if other is not None:
            yield other[1], owner, (version, first, min(last, other[0][2]))
        still_open = _furthest([*still_open, (interval, owner)])


def _furthest(still_open: list[tuple[Interval, Owner]]) -> list[tuple[Interval, Owner]]:
    ranked = sorted(still_open, key=lambda item: -item[0][2])
    first = ranked[0]
    return [first, *[item for item in ranked[1:] if item[1] != first[1]][:1]]
