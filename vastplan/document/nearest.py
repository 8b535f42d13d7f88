"""`did you mean X?`: what somebody probably wanted to write, within bounds, since what is compared may be hostile."""

from __future__ import annotations

from collections.abc import Callable, Collection
from difflib import get_close_matches

from vastplan.model.wording import shortened, some

MAX_COMPARED = 10_000_000  # pairs of characters in one document; two texts have at most a comparison for each of theirs


def nearest(name: str, known: Collection[str]) -> str:
    """`did you mean X?`, when something near is known."""
    return asked(closest(name, known))


def closest(name: str, known: Collection[str]) -> str:
    """The nearest of what is known, "" where nothing is near; what is out of all measure is not looked for."""
    if len(name) > 100 or len(known) > 2000:
        return ""
    written = {
        one.lower(): one for one in reversed(list(known))
    }  # `nfs` is NFS: of two that differ by case alone, the first
    near = get_close_matches(name.lower(), list(dict.fromkeys(one.lower() for one in known)), n=1, cutoff=0.6)
    return written[near[0]] if near else ""


def known_ones(known: Collection[str]) -> str:
    """What there is, where nothing is near: the first of them, and how many more."""
    return f"known: {some(list(known), show=lambda one: shortened(one, 100))}" if known else ""


def asked(name: str) -> str:
    """The question whether it was meant; none for no name."""
    return f"did you mean {name}?" if name else ""


def no_site_hint(site: str, sites: Collection[str], near: Callable[[str, Collection[str]], str]) -> str:
    """What to write for a site that is none."""
    return near(site, sites) or f"sites are {some(list(sites))}"


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
        asked = name, hash(tuple(known))
        if asked not in self._found:
            pairs = len(name) * sum(map(len, known))
            fits = pairs <= self._left
            self._left -= pairs if fits else 0
            self._found[asked] = closest(name, known) if fits else ""
        return self._found[asked]
