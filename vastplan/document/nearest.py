"""`did you mean X?`: what somebody probably wanted to write, within bounds, since what is compared may be hostile."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

MAX_COMPARED = 10_000_000  # pairs of characters in one document; two texts have at most a comparison for each of theirs


def nearest(name: str, known: Collection[str]) -> str:
    """`did you mean X?`, when something near is known; what is out of all measure is not looked for."""
    if len(name) > 100 or len(known) > 2000:
        return ""
    near = get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"did you mean {near[0]}?" if near else ""


class Nearest:
    """`nearest` for one document: what is asked again is not looked for again, and nothing more once much was compared."""

    def __init__(self) -> None:
        self._left = MAX_COMPARED
        self._found: dict[tuple[str, int], str] = {}

    def __call__(self, name: str, known: Collection[str]) -> str:
        """`did you mean X?`, when something near is known."""
        asked = name, hash(tuple(known))
        if asked not in self._found:
            pairs = len(name) * sum(map(len, known))
            fits = pairs <= self._left
            self._left -= pairs if fits else 0
            self._found[asked] = nearest(name, known) if fits else ""
        return self._found[asked]
