"""The order of names as people count: `a2` before `a10`."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"([0-9]+)")

NaturalKey = tuple[tuple[tuple[str, int, str], ...], str]


def natural(name: str) -> NaturalKey:
    """What to sort names by. Only equal names have equal keys: of `a2` and `a02` the text decides."""
    parts = _NUMBER.split(name)
    numbers = (digits.lstrip("0") for digits in parts[1::2])
    texts = iter(parts[::2])
    first = next(texts)
    return ((first, 0, ""), *((text, len(digits), digits) for digits, text in zip(numbers, texts, strict=True))), name
