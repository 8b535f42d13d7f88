"""Which clients a list of addresses lets in: addresses, CIDRs, ranges, wildcards, `*`, and names that only equal themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable
from ipaddress import ip_address, ip_network

_Span = tuple[int, int, int]  # version, first, last
_WILDCARD = re.compile(r"(\d{1,3})((?:\.(?:\d{1,3}|\*)){3})")
_EVERYBODY = ((4, 0, 2**32 - 1), (6, 0, 2**128 - 1))


def cut_off(before: Iterable[str], after: Iterable[str]) -> list[str]:
    """Those of `before` that `after` does not let in, or not all of; in their order."""
    kept = set(after)
    spans = sorted(span for one in kept for span in _spans(one))
    return [one for one in before if one not in kept and not _covered(_spans(one), spans)]


def _spans(text: str) -> tuple[_Span, ...]:
    """The addresses that a text stands for; none for what is not about addresses."""
    if text == "*":
        return _EVERYBODY
    first, _, last = (part.strip() for part in text.partition(" - "))
    try:
        if last:
            start, end = ip_address(first), ip_address(last)
            return ((start.version, int(start), int(end)),)
        if _WILDCARD.fullmatch(text):
            return _wildcard(text)
        network = ip_network(text, strict=False)
    except ValueError:
        return ()
    return ((network.version, int(network[0]), int(network[-1])),)


def _wildcard(text: str) -> tuple[_Span, ...]:
    """`10.1.*.*` is one span; a star before a number is none that could be weighed, and only equals itself."""
    if re.search(r"\*\.\d", text):
        return ()
    return ((4, int(ip_address(text.replace("*", "0"))), int(ip_address(text.replace("*", "255")))),)


def _covered(wanted: tuple[_Span, ...], spans: list[_Span]) -> bool:
    """Whether every wanted span lies within the sorted spans, several of them together if need be."""
    for version, first, last in wanted:
        for other, start, end in spans:
            if other == version and start <= first <= end:
                first = end + 1
        if first <= last:
            return False
    return bool(wanted)
