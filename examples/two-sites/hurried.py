"""vastplan with the pauses of a move cut to a hundredth: for the demo and the tests, whose sites need nobody to wait for them.

python hurried.py move run move.json
"""

from __future__ import annotations

import time

from vastplan.cli import main
from vastplan.operations.clock import SystemClock

SHARE = 0.01


def hurry() -> None:
    """From now on this process waits for a hundredth of what a move asks for."""
    sleep = time.sleep  # what it was: somebody may have replaced it
    setattr(SystemClock, "sleep", lambda _, seconds: sleep(seconds * SHARE))  # noqa: B010


if __name__ == "__main__":
    hurry()
    raise SystemExit(main())
