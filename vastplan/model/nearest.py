"""What was probably meant by an unknown name, and which names exist."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

from vastplan.model.shell import word
from vastplan.model.wording import shortened, some


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


def nearest_address(text: str, addresses: Collection[str]) -> str:
    """`did you mean X?`, when something near is known, as a word of a shell."""
    near = sorted(addresses)
    if len(near) > 1000:  # among so many only what differs in its name, or in all but its name
        place, _, name = text.rpartition("/")
        near = [address for address in near if address.startswith(f"{place}/") or address.endswith(f"/{name}")]
    found = closest(text, near)
    return asked(word(found)) if found else ""
