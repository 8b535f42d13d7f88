"""Natural order of names: `a2` before `a10`."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"([0-9]+)")

NaturalKey = tuple[str, tuple[tuple[int, str, str], ...], str]


def natural(name: str) -> NaturalKey:
    """The sort key of a name. Only equal names have equal keys: between `a2` and `a02` the text decides."""
    first, *rest = _NUMBER.split(name)
    numbers = (digits.lstrip("0") for digits in rest[::2])
    return first, tuple((len(digits), digits, text) for digits, text in zip(numbers, rest[1::2], strict=True)), name
