"""Suggestions for an unknown name: the name that was probably meant, and the names that exist."""

from __future__ import annotations

from collections.abc import Collection

from vastplan.model.shell import word
from vastplan.model.wording import shortened, some


def nearest(name: str, names: Collection[str]) -> str:
    """`did you mean X?`, where a similar name is known; else ""."""
    return suggestion(closest(name, names))


def closest(name: str, names: Collection[str]) -> str:
    """The most similar known name, "" where none is similar; very long names and lists are not compared."""
    from difflib import get_close_matches  # loaded for the first mistake

    if len(name) > 100 or len(names) > 2000:
        return ""
    written = {
        candidate.lower(): candidate for candidate in reversed(list(names))
    }  # case does not matter (`nfs` finds NFS); of two names that differ only in case, the first
    near = get_close_matches(
        name.lower(), list(dict.fromkeys(candidate.lower() for candidate in names)), n=1, cutoff=0.6
    )
    return written[near[0]] if near else ""


def known_ones(names: Collection[str]) -> str:
    """The known names for a message, where none is similar: the first of them, and how many more."""
    return f"known: {some(list(names), show=lambda name: shortened(name, 100))}" if names else ""


def suggestion(name: str) -> str:
    """`did you mean NAME?`; "" for an empty name."""
    return f"did you mean {name}?" if name else ""


def nearest_address(text: str, addresses: Collection[str]) -> str:
    """`did you mean X?`, where a similar address is known, quoted for a shell; else ""."""
    near = sorted(addresses)
    if len(near) > 1000:  # among so many, only addresses that differ in the name alone, or have the same name
        place, _, name = text.rpartition("/")
        near = [address for address in near if address.startswith(f"{place}/") or address.endswith(f"/{name}")]
    match = closest(text, near)
    return suggestion(word(match)) if match else ""
