"""Aligns two lists by the keys of their items: which keep their order, which moved, which are on one side only. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence

from vastplan.model.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Aligned:
    """Two aligned lists, by the positions of their items: which keep their order, which moved, which are on one side only."""

    kept: tuple[tuple[int, int], ...]
    moved: tuple[tuple[int, int], ...]
    removed: tuple[int, ...]
    added: tuple[int, ...]


def aligned(before: Sequence[str], after: Sequence[str]) -> Aligned:
    """Align two lists so that the most items keep their order; n log n, however much the lists differ."""
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
    """The longest increasing subsequence."""
    ends: list[int] = []  # the lowest end of a run of each length
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
    """Pairs of a removed and an added item between the same kept items, in order."""
    old_marks, new_marks = [old for old, _ in sides.kept], [new for _, new in sides.kept]
    came: dict[int, deque[int]] = defaultdict(deque)
    for new in sides.added:
        came[bisect_left(new_marks, new)].append(new)
    for old in sides.removed:
        gap = came[bisect_left(old_marks, old)]
        if gap:
            yield old, gap.popleft()
