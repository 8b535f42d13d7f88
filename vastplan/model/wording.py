"""Nouns, counts, quotes and lists for sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

_T = TypeVar("_T")


def plural(noun: str) -> str:
    """The plural of a noun: `objects`, `qos_policies`, `storage classes`."""
    if noun.endswith("y") and noun[-2:-1] not in tuple("aeiou"):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith("s") else f"{noun}s"


def counted(count: int, noun: str) -> str:
    """`1 object`, `2 objects`, `3 view policies`, `2,000 storage classes`."""
    return f"{count:,} {noun if count == 1 else plural(noun)}"


def shortened(text: str, most: int = 500) -> str:
    """A text of at most `most` characters: of a longer text its beginning, its end, and how many are left out between."""
    if len(text) <= most:
        return text
    kept = (most - 40) // 2
    return f"{text[:kept]}… ({len(text) - 2 * kept} more characters) …{text[-kept:]}"


def quoted(value: object) -> str:
    """A written value in quotes, shortened for a message."""
    return shortened(repr(value), 200)


def some(items: Sequence[_T], most: int = 5, show: Callable[[_T], str] = str) -> str:
    """The first items, separated by commas, and how many more there are."""
    return ", ".join(map(show, items[:most])) + (f" and {len(items) - most:,} more" if len(items) > most else "")
