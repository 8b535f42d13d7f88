"""Ranges of IP addresses: reading and writing them, finding overlaps, and comparing which clients a list lets in."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
    summarize_address_range,
)
from typing import Any, TypeVar

Owner = TypeVar("Owner")
Interval = tuple[int, int, int]  # IP version, first and last address, both included
_WILDCARD = re.compile(r"(\d{1,3})((?:\.(?:\d{1,3}|\*)){3})")
_EVERYBODY = ((4, 0, 2**32 - 1), (6, 0, 2**128 - 1))


def parse_interval(text: str) -> Interval:
    """Parses `10.0.0.1 - 10.0.0.9`, as documents write ranges, or one address; raises `ValueError`."""
    first, _, last = (part.strip() for part in text.partition(" - "))
    start, end = ip_address(first), ip_address(last or first)
    return start.version, int(start), int(end)


def interval_text(addresses: Interval) -> str:
    """An interval as the document writes it."""
    version, first, last = addresses
    ends = [str(IPv6Address(end) if version == 6 else IPv4Address(end)) for end in (first, last)]
    return " - ".join(dict.fromkeys(ends))


def canonical_address(text: str) -> str:
    """The address in the form that RFC 5952 recommends; raises `ValueError`."""
    return str(ip_address(text.strip()))


def canonical_clients(text: str) -> str:
    """The same text for every way to write an address, a network or a range: IPv6 short and in lower case, a network without host bits,
    one address without its prefix length, and so a range of one. Raises `ValueError` for anything else.
    """
    first, dash, last = text.partition("-")
    if dash:
        ends = dict.fromkeys((canonical_address(first), canonical_address(last)))
        return " - ".join(ends)
    network = ip_network(text.strip(), strict=False)
    return str(network[0]) if network.num_addresses == 1 else str(network)


def joined_ranges(texts: Iterable[str]) -> list[str]:
    """Ranges with neighbours and overlaps as one range, sorted as text. Text that is neither a range nor an address stays as it is."""
    others: list[str] = []
    written: dict[Interval, str] = {}
    for text in texts:
        try:
            written.setdefault(parse_interval(text), text)
        except (ValueError, AttributeError):
            others.append(text)
    joined = _joined(written)
    return sorted([*others, *(written.get(addresses) or interval_text(addresses) for addresses in joined)], key=str)


def range_suggestion(text: str) -> str:
    """What to write instead of a text that is not a range: a range of the addresses it names, else an example."""
    text = text.strip()
    try:
        network = ip_network(text, strict=False)
    except ValueError:
        pass
    else:
        whole = network.num_addresses <= 2 or network.version == 6
        first, last = (
            (0, -1) if whole else (1, -2)
        )  # no client and no pool has the network address or the broadcast address
        return f"{network[first]} - {network[last]}"
    ends = re.fullmatch(r"([0-9.]+|[0-9a-fA-F:]+)\s*(?:-|–|—|,|\.\.+|to|\s)\s*([0-9.]+|[0-9a-fA-F:]+)", text)
    if ends is not None:
        first_text, last_text = ends.groups()
        if last_text.isdecimal() and first_text.count(".") == 3:
            last_text = f"{first_text.rpartition('.')[0]}.{last_text}"  # `10.0.0.1-9`
        try:
            return interval_text(parse_interval(f"{first_text} - {last_text}"))
        except ValueError:
            wrong = [end for end in (first_text, last_text) if not _is_address(end)]
            if wrong:
                return f"an IP address instead of {wrong[0]}"
    return "its first and its last address, such as 10.0.0.1 - 10.0.0.9"


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def one_meant(text: str) -> str:
    """What to write instead of a text that is not an address: the address in it, else an example."""
    alone = text.strip().partition("/")[0]
    try:
        return f"{ip_address(alone)}, without the prefix length"
    except ValueError:
        return "one address, such as 10.0.0.1"


def networks(text: str) -> list[str]:
    """The networks that together have exactly the addresses of a range; empty for text that is not a range."""
    try:
        version, first, last = parse_interval(re.sub(r"\s*-\s*", " - ", text.strip(), count=1))
        covering: Iterable[IPv4Network | IPv6Network] = (
            summarize_address_range(IPv6Address(first), IPv6Address(last))
            if version == 6
            else summarize_address_range(IPv4Address(first), IPv4Address(last))
        )
        return [str(network[0]) if network.num_addresses == 1 else str(network) for network in covering]
    except (ValueError, TypeError):
        return []


def subnets(ranges: Iterable[str], sizes: Sequence[Any]) -> list[str]:
    """The subnets that the ends of ranges are in, by the prefix lengths of IPv4 and IPv6; without a length, none."""
    ends = [ip_address(end) for text in ranges for end in re.split(r"\s*-\s*", text) if _is_address(end)]
    sized = ((end, sizes[end.version == 6]) for end in ends)
    return list(dict.fromkeys(str(ip_network((end, size), strict=False)) for end, size in sized if size))


def overlaps(owned: Iterable[tuple[Interval, Owner]]) -> Iterator[tuple[Owner, Owner, Interval]]:
    """For each interval that begins inside one of another owner: that owner, its own owner, and the part that both share.

    In the order of their beginnings, an interval can only begin inside those that are still open. Of several open ones only
    that with the furthest end is reported, so that there is at most one result for each interval.
    """
    reach: list[tuple[Interval, Owner]] = []  # the interval with the furthest end, and that of any other owner
    for addresses, owner in sorted(owned, key=lambda item: item[0]):
        version, first, last = addresses
        reach = [item for item in reach if item[0][0] == version and item[0][2] >= first]
        other = next((item for item in reach if item[1] != owner), None)
        if other is not None:
            yield other[1], owner, (version, first, min(last, other[0][2]))
        reach = _furthest([*reach, (addresses, owner)])


def _furthest(open_intervals: list[tuple[Interval, Owner]]) -> list[tuple[Interval, Owner]]:
    ranked = sorted(open_intervals, key=lambda item: -item[0][2])
    first = ranked[0]
    return [first, *[item for item in ranked[1:] if item[1] != first[1]][:1]]


def cut_off(before: Iterable[str], after: Iterable[str]) -> list[str]:
    """The clients of `before` that `after` does not let in, or only in part; in their order.

    A list of clients holds addresses, CIDRs, ranges, wildcards, `*`, and names, which only equal themselves.
    """
    kept = set(after)
    union = _union(kept)
    return [client for client in before if client not in kept and not _covered(_around(client), union)]


def entering(after: Iterable[str], before: Sequence[str]) -> list[str]:
    """The clients of `after`, or the parts of them, whom `before` did not let in. All addresses are names, too."""
    everybody = "*" in before or not _outside(_EVERYBODY, _union(before))
    return [] if everybody else lost_parts(after, before)


def everybody_of(clients: Iterable[str]) -> str:
    """How a list lets in every address, of one IP version at least: `*`, or what its entries are together; "" if it does not."""
    listed = [*clients]
    if "*" in listed:
        return "*"
    union = _union(listed)
    versions = [f"IPv{whole[0]}" for whole in _EVERYBODY if not _outside((whole,), union)]
    return f"all {' and '.join(versions)} addresses" if versions else ""


def client_addresses(text: str) -> tuple[Interval, ...]:
    """The addresses that an entry of a list of clients stands for; empty for a name."""
    return _client(text)


def divided(owned: Iterable[tuple[Interval, Owner]]) -> list[tuple[Interval, frozenset[Owner]]]:
    """Intervals of several owners as intervals without overlaps, in order, each with all of its owners."""
    ends: dict[tuple[int, int], list[tuple[bool, Owner]]] = {}
    for (version, first, last), owner in owned:
        ends.setdefault((version, first), []).append((True, owner))
        ends.setdefault((version, last + 1), []).append((False, owner))
    parts: list[tuple[Interval, frozenset[Owner]]] = []
    counts: Counter[Owner] = Counter()
    begin = (0, 0)
    for place in sorted(ends):
        if +counts:
            parts.append(((begin[0], begin[1], place[1] - 1), frozenset(+counts)))
        for opens, owner in ends[place]:
            counts[owner] += 1 if opens else -1
        begin = place
    return parts


def lost_within(before: Iterable[str], after: Sequence[str], wider: Sequence[str]) -> list[str]:
    """The clients of `before` that are not in `after` any more and that are, at least in part, in `wider`. A name may have any address."""
    kept = _union(after)
    named = not all(map(_around, wider))
    others = _joined(addresses for client in wider for addresses in _around(client))
    return [
        client
        for client in cut_off(before, after)
        if wider and (named or not _around(client) or _meet(_outside(_around(client), kept), others))
    ]


def _meet(some: tuple[Interval, ...], union: Sequence[Interval]) -> bool:
    return _outside(some, union) != some


def _union(clients: Iterable[str]) -> list[Interval]:
    """The addresses of all clients of a list, sorted, without overlaps."""
    return _joined(addresses for client in clients for addresses in _client(client))


def _joined(intervals: Iterable[Interval]) -> list[Interval]:
    joined: list[Interval] = []
    for version, first, last in sorted(intervals):
        if joined and joined[-1][0] == version and first <= joined[-1][2] + 1:
            joined[-1] = (version, joined[-1][1], max(last, joined[-1][2]))
        else:
            joined.append((version, first, last))
    return joined


def _client(text: str) -> tuple[Interval, ...]:
    """The addresses that a client's text stands for; empty for a name."""
    if text == "*":
        return _EVERYBODY
    try:
        if text.partition(" - ")[2].strip():
            return (parse_interval(text),)
        if _WILDCARD.fullmatch(text):
            return _wildcard(text)
        network = ip_network(text, strict=False)
    except ValueError:
        return ()
    return ((network.version, int(network[0]), int(network[-1])),)


def _around(text: str) -> tuple[Interval, ...]:
    """The addresses of a client, or all between the first and the last one; empty for a name."""
    return _ends(text) if _WILDCARD.fullmatch(text) and "*" in text else _client(text)


def _wildcard(text: str) -> tuple[Interval, ...]:
    """`10.1.*.*` is one interval; a pattern with a star before a number is none, and only equals itself."""
    return () if re.search(r"\*\.\d", text) else _ends(text)


def _ends(text: str) -> tuple[Interval, ...]:
    try:
        return ((4, int(ip_address(text.replace("*", "0"))), int(ip_address(text.replace("*", "255")))),)
    except ValueError:
        return ()


def lost_parts(before: Iterable[str], after: Iterable[str]) -> list[str]:
    """The addresses of the clients that are cut off: each client as it is written, or the parts that `after` does not let in, of a
    network as networks where that is as short."""
    kept = [*after]
    union = _union(kept)
    return [part for client in cut_off(before, kept) for part in _parts(client, union)]


def _parts(client: str, union: Sequence[Interval]) -> list[str]:
    wanted = _client(client)
    lost = _outside(wanted, union)
    if wanted == _EVERYBODY or lost == wanted:
        return [client]
    ranges = [interval_text(addresses) for addresses in lost]
    if " - " in client:
        return ranges
    return [covering[0] if len(covering := networks(text)) == 1 else text for text in ranges]


def _covered(wanted: tuple[Interval, ...], union: Sequence[Interval]) -> bool:
    """Whether every wanted interval lies within the union."""
    return bool(wanted) and not _outside(wanted, union)


def _outside(wanted: tuple[Interval, ...], union: Sequence[Interval]) -> tuple[Interval, ...]:
    """The parts of the wanted intervals that are in none of the union, which is sorted and without overlaps."""
    outside: list[Interval] = []
    for version, first, last in wanted:
        start = max(bisect_left(union, (version, first, 0)) - 1, 0)
        for other, begin, end in union[start : bisect_right(union, (version, last + 1, 0))]:
            if other == version and first <= end and begin <= last:
                if first < begin:
                    outside.append((version, first, begin - 1))
                first = end + 1
        if first <= last:
            outside.append((version, first, last))
    return tuple(outside)
