"""vastplan with the pauses of a move cut to a hundredth, for the story, whose sites need nobody to wait for them. The clock of the
move counts them whole: the seconds that vastplan records are those of a run without this.

python hurried.py move run move.json
"""

from __future__ import annotations

import sys
from datetime import datetime, timedelta

from vastplan.cli import main
from vastplan.operations import clock

SHARE = 0.01


class Hurried(clock.SystemClock):
    """Waits for a hundredth of what a move asks for, and counts all of it."""

    paused = 0.0

    def now(self) -> datetime:
        """The current time, as if each pause had been whole."""
        return super().now() + timedelta(seconds=self.paused * (1 - SHARE))

    def sleep(self, seconds: float) -> None:
        """Wait."""
        super().sleep(seconds * SHARE)
        self.paused += seconds


if __name__ == "__main__":
    clock.CLOCK = hurried = Hurried()  # before main imports those who use it
    code = main()
    print(f"pauses: {hurried.paused:.0f} s, cut to {hurried.paused * SHARE:.1f} s", file=sys.stderr)
    raise SystemExit(code)
