"""A history that breaks a promise, cut down to the steps that it takes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tests.histories.history import History, Step
from tests.histories.oracle import Violation
from tests.histories.steps import TABLE


def violation(seed: int, steps: Iterable[Step], folder: Path, ignored: Iterable[str]) -> Violation | None:
    """The first promise that these steps break."""
    found = History(seed, steps, folder, ignored=ignored).play(TABLE)
    return found[0] if found else None


def shrunk(
    seed: int, steps: list[Step], folder: Path, ignored: Iterable[str], code: str, attempts: int = 120
) -> list[Step]:
    """Fewer steps that break the same promise; those after the break are the first to go."""
    ignored = tuple(ignored)

    def breaks(fewer: list[Step]) -> bool:
        found = violation(seed, fewer, folder, ignored)
        return found is not None and found.code == code

    low, high = 0, len(steps)  # the shortest beginning that breaks it
    while low < high:
        middle = (low + high) // 2
        if breaks(steps[:middle]):
            high = middle
        else:
            low = middle + 1
    kept, size = steps[:high], max(1, high // 2)
    while size and attempts:
        index = 0
        while index < len(kept) and attempts:
            attempts -= 1
            fewer = kept[:index] + kept[index + size :]
            if breaks(fewer):
                kept = fewer
            else:
                index += size
        size //= 2
    return kept
