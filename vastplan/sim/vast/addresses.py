"""IP ranges and host lists: validation, and overlaps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from ipaddress import ip_address, ip_network
from typing import Any

from vastplan.sim.vast.errors import Problem

_OCTET = r"(25[0-5]|2[0-4]\d|1?\d{1,2})"
_WILDCARD = re.compile(rf"{_OCTET}(\.({_OCTET}|\*)){{3}}")
Span = tuple[int, int, int]  # IP version, first and last address as numbers


def is_ip_address(text: Any) -> bool:
    """Whether a value is an IP address."""
    try:
        ip_address(text)
    except ValueError:
        return False
    return isinstance(text, str)


def address_span(pair: Any) -> Span | None:
    """The addresses of a `[start, end]` pair, both inclusive; `None` for anything else."""
    if not isinstance(pair, list) or len(pair) != 2 or not all(map(is_ip_address, pair)):
        return None
    start, end = (ip_address(part) for part in pair)
    return (start.version, int(start), int(end)) if start.version == end.version and int(start) <= int(end) else None


def overlap(first: Span, second: Span) -> bool:
    """Whether two spans share an address."""
    return first[0] == second[0] and first[1] <= second[2] and second[1] <= first[2]


def holds(pairs: Iterable[list[str]] | None, address: str) -> bool:
    """Whether an address lies in one of the pairs."""
    wanted = address_span([address, address])
    return wanted is not None and any(
        (range_span := address_span(pair)) is not None and overlap(range_span, wanted) for pair in pairs or ()
    )


def range_problems(
    field: str, pairs: list[Any] | None, others: Iterable[tuple[str, list[Any] | None]]
) -> Iterator[Problem]:
    """The problems of malformed pairs, of pairs that overlap each other, and of pairs that overlap those of `others` (name, pairs)."""
    spans = [(pair, address_span(pair)) for pair in pairs or ()]
    yield from (
        (field, f"{pair} is not a range: expected [start IP, end IP].")
        for pair, pair_span in spans
        if pair_span is None
    )
    ranges = [(pair, pair_span) for pair, pair_span in spans if pair_span is not None]
    for index, (pair, pair_span) in enumerate(ranges):
        if any(overlap(pair_span, other) for _, other in ranges[:index]):
            yield field, f"IP range {pair[0]} - {pair[1]} overlaps another range of the list."
    if not ranges:
        return
    for name, other_pairs in others:
        for taken in (span for span in map(address_span, other_pairs or ()) if span is not None):
            for pair, pair_span in ranges:
                if overlap(pair_span, taken):
                    yield field, f"IP range {pair[0]} - {pair[1]} overlaps a range of {name}."


def ranges_text(pairs: list[list[str]] | None) -> str:
    """The ranges as text, `a - b, c`."""
    return ", ".join(pair[0] if pair[0] == pair[1] else f"{pair[0]} - {pair[1]}" for pair in pairs or ())


def is_host(text: str, *, netgroups: bool) -> bool:
    """Whether a host list may hold `text`: an IP, a CIDR, a range `FIRST-LAST`, `10.1.*.*`, `*` or, for NFS, `@netgroup`.

    A `~` before an address, a range or a network excludes it.
    """
    if text == "*" or _WILDCARD.fullmatch(text) or (netgroups and re.fullmatch(r"@\S+", text)):
        return True
    text = text.removeprefix("~")
    first, dash, last = text.partition("-")
    if dash:
        return address_span([first.strip(), last.strip()]) is not None
    try:
        ip_network(text, strict=False)
    except ValueError:
        return False
    return True
