"""Who calls which function of the modules that are mutated."""

from __future__ import annotations

import sys
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

Place = tuple[str, int]
"""The file of a function, and the line where it begins."""


class Watch:
    """Notes the callers of every function in some files, in all threads."""

    def __init__(self, files: Iterable[str]) -> None:
        self._files = frozenset(files)
        self.callers: dict[Place, set[str]] = defaultdict(set)

    @contextmanager
    def over(self, caller: str) -> Iterator[None]:
        """What is called within the block is called by this one."""

        def called(frame: FrameType, event: str, argument: Any) -> None:
            if event == "call" and frame.f_code.co_filename in self._files:
                self.callers[frame.f_code.co_filename, frame.f_code.co_firstlineno].add(caller)

        threading.setprofile(called)
        sys.setprofile(called)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
