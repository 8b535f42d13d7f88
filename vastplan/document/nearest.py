"""`did you mean X?` for documents, with a limit on the comparisons, because a document may be hostile."""

from __future__ import annotations

from collections.abc import Callable, Collection

from vastplan.model.nearest import closest, known_ones, suggestion

MAX_COMPARED = 10_000_000  # pairs of characters in one document; two texts take at most one step for each pair


def no_site_hint(site: str, sites: Collection[str], near: Callable[[str, Collection[str]], str]) -> str:
    """The hint for a site that does not exist: the site that was probably meant, or the known ones."""
    return near(site, sites) or known_ones(sites)


class Nearest:
    """`closest` for one document: results are cached, and comparisons stop at the limit."""

    def __init__(self) -> None:
        self._left = MAX_COMPARED
        self._found: dict[tuple[str, int], str] = {}

    def __call__(self, name: str, known: Collection[str]) -> str:
        """`did you mean X?`, where a similar name is known; else ""."""
        return suggestion(self.closest(name, known))

    def closest(self, name: str, known: Collection[str]) -> str:
        """The most similar known name, "" where none is similar."""
        question = name, hash(tuple(known))
        if question not in self._found:
            pairs = len(name) * sum(map(len, known))
            fits = pairs <= self._left
            self._left -= pairs if fits else 0
            self._found[question] = closest(name, known) if fits else ""
        return self._found[question]
