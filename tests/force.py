"""What is tried by force: all of it in CI, a few representatives in `make test`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def by_force(values: Iterable[Any], *kept: str) -> list[Any]:
    """Parameters of which `make test` takes those that are `kept`, by their text; `make slow` and CI take the others, too.

    Raises `ValueError` when one that is kept is not there.
    """
    values = list(values)
    missing = set(kept) - {str(value) for value in values}
    if missing:
        raise ValueError(f"{', '.join(sorted(missing))}: not among {', '.join(map(str, values))}")
    return [value if str(value) in kept else pytest.param(value, marks=pytest.mark.slow) for value in values]
