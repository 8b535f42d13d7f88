"""Which signals end a process."""

from __future__ import annotations

import signal


def unless_ignored(*numbers: signal.Signals) -> tuple[signal.Signals, ...]:
    """Those that this process does not ignore: `nohup` has SIGHUP ignored."""
    return tuple(number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN)
