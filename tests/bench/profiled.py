"""`python -m tests.bench.profiled FILE WORD...`: a command of vastplan under cProfile, all its threads in one profile."""

from __future__ import annotations

import cProfile
import pstats
import sys
import threading
import time

from tests.bench.seam import main

_profiles: list[cProfile.Profile] = []
_run = threading.Thread.run


def _profiled_run(thread: threading.Thread) -> None:
    profile = cProfile.Profile(time.thread_time)
    _profiles.append(profile)
    profile.runcall(_run, thread)


def profiled(file: str, words: list[str]) -> int:
    """Run a command and write its profile; answers its exit code."""
    threading.Thread.run = _profiled_run  # type: ignore[assignment]
    whole = cProfile.Profile(time.thread_time)
    code: int = whole.runcall(main, words)
    stats = pstats.Stats(whole)
    for profile in _profiles:
        profile.create_stats()
        if profile.stats:
            stats.add(profile)
    stats.dump_stats(file)
    return code


if __name__ == "__main__":
    raise SystemExit(profiled(sys.argv[1], sys.argv[2:]))
