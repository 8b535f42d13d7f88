"""Two lists side by side by the keys of their items: which stay in their order, which moved, which are on one side only. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Aligned:
    """Two lists side by side, by the places of their items: what stays where it is, what moved, what is on one side only."""

    kept: tuple[tuple[int, int], ...]
    moved: tuple[tuple[int, int], ...]
    removed: tuple[int, ...]
    added: tuple[int, ...]


def aligned(before: Sequence[str], after: Sequence[str]) -> Aligned:
    """The most items that can stay in their order stay; n log n, however the lists differ."""
    places: dict[str, deque[int]] = defaultdict(deque)
    for old, key in enumerate(before):
        places[key].append(old)
    pairs: list[tuple[int, int]] = []
    added: list[int] = []
    for new, key in enumerate(after):
        if places[key]:
            pairs.append((places[key].popleft(), new))
        else:
            added.append(new)
    removed = sorted(old for rest in places.values() for old in rest)
    kept = set(_longest_rising([old for old, _ in pairs]))
    return Aligned(
        tuple(pair for pair in pairs if pair[0] in kept),
        tuple(pair for pair in pairs if pair[0] not in kept),
        tuple(removed),
        tuple(added),
    )


def _longest_rising(numbers: Sequence[int]) -> list[int]:
    """The longest run of numbers, others between them left out, of which each is larger than the one before."""
    ends: list[int] = []  # of the runs of each length, the one that ends lowest
    at: list[int] = []
    before: list[int] = []
    for place, number in enumerate(numbers):
        length = bisect_left(ends, number)
        if length == len(ends):
            ends.append(number)
            at.append(place)
        else:
            ends[length], at[length] = number, place
        before.append(at[length - 1] if length else -1)
    run: list[int] = []
    place = at[-1] if at else -1
    while place >= 0:
        run.append(numbers[place])
        place = before[place]
    return run


def of_one_gap(sides: Aligned) -> Iterator[tuple[int, int]]:
    """What went and what came between the same items that stay, one by one."""
    old_marks, new_marks = [old for old, _ in sides.kept], [new for _, new in sides.kept]
    came: dict[int, deque[int]] = defaultdict(deque)
    for new in sides.added:
        came[bisect_left(new_marks, new)].append(new)
    for old in sides.removed:
        gap = came[bisect_left(old_marks, old)]
        if gap:
            yield old, gap.popleft()
