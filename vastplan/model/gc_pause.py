"""The cyclic garbage collector, paused while many values are made of which none is garbage.

Each ten thousand new objects it looks at all that are new, and ever again at all there are: three quarters of the time in
which a large plan file is read. Frozen values hold no cycles, so nothing is lost by waiting.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused() -> Iterator[None]:
    """No collection until the end; where one is paused already it stays so. Also a decorator."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
