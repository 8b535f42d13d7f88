"""vastplan as a process of its own, listened to as the tests' own is: `python -m tests.documented.listened FILE WORD...`.

What it sends and no document knows goes into FILE at once, so that it is there however the process ends.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.documented.recorder import Recorder, exceptions
from vastplan.cli import main


class _Telling(Recorder):
    def __init__(self, file: Path) -> None:
        super().__init__(exceptions())
        self._file = file

    def _wrong(self, problem: str) -> None:
        super()._wrong(problem)
        if problem in self.problems:
            with self._file.open("a", encoding="utf-8") as file:
                file.write(problem + "\n")


if __name__ == "__main__":
    _Telling(Path(sys.argv[1])).install()
    sys.exit(main(sys.argv[2:]))
