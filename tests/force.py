"""What is tried by force: all of it in `make slow`, a few representatives in `make test`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def by_force(values: Iterable[Any], *kept: str, several: bool = False) -> list[Any]:
    """Parameters of which `make test` takes those that are `kept`, by their text; `make slow` takes the others, too.

    There is always a representative: the first value, where none of those that are kept is there. `several`: each value is
    a tuple, with one for each of several parameters.
    """
    values = list(values)
    fast = [value for value in values if str(value) in kept] or values[:1]
    slow = pytest.mark.slow
    return [
        value if value in fast else pytest.param(*value, marks=slow) if several else pytest.param(value, marks=slow)
        for value in values
    ]
