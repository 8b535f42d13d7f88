"""`did you mean X?`: what somebody probably wanted to write, within bounds, since what is compared may be hostile."""

from __future__ import annotations

from collections.abc import Callable, Collection

from vastplan.model.nearest import asked, closest, known_ones

MAX_COMPARED = 10_000_000  # pairs of characters in one document; two texts have at most a comparison for each of theirs


def no_site_hint(site: str, sites: Collection[str], near: Callable[[str, Collection[str]], str]) -> str:
    """What to write for a site that is none."""
    return near(site, sites) or known_ones(sites)


class Nearest:
    """`closest` for one document: what is asked again is not looked for again, and nothing more once much was compared."""

    def __init__(self) -> None:
        self._left = MAX_COMPARED
        self._found: dict[tuple[str, int], str] = {}

    def __call__(self, name: str, known: Collection[str]) -> str:
        """`did you mean X?`, when something near is known."""
        return asked(self.closest(name, known))

    def closest(self, name: str, known: Collection[str]) -> str:
        """The nearest of what is known, "" where nothing is near."""
        question = name, hash(tuple(known))
        if question not in self._found:
            pairs = len(name) * sum(map(len, known))
            fits = pairs <= self._left
            self._left -= pairs if fits else 0
            self._found[question] = closest(name, known) if fits else ""
        return self._found[question]
