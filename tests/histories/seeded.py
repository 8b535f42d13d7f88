"""Bugs that were mended, put back one at a time: a harness that does not find them proves nothing.

Each is a change of the product as it is now, by patching what mended it. `python -m tests.histories --seeded NAME`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

BUGS: dict[str, Callable[[], AbstractContextManager[object]]] = {}


@contextlib.contextmanager
def seeded(name: str) -> Iterator[None]:
    """The product with one of `BUGS`; without a name, as it is."""
    with BUGS[name]() if name else contextlib.nullcontext():
        yield
