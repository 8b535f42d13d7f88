"""What a process or a function costs, and where: CPU seconds, peak memory, profiles."""

from __future__ import annotations

import os
import pstats
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

RUNS = 3
NOTHING_TO_DO = (0,)
SOMETHING_TO_DO = (2, 3)  # changes, or changes that a guard stops: what a plan with --detailed-exitcode ends with


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU and wall seconds, and the peak of memory in bytes."""

    cpu: float
    wall: float
    peak: int


def run(words: Sequence[str], codes: Sequence[int] = NOTHING_TO_DO) -> Cost:
    """Run a command and answer what it cost, threads included.

    Raises `RuntimeError` with what it printed last when it ends with none of the exit codes.
    """
    with tempfile.TemporaryFile() as output:
        began = time.monotonic()
        process = subprocess.Popen(words, stdout=output, stderr=subprocess.STDOUT, env=_environment())
        # Not `RUSAGE_CHILDREN`: its peak is that of the largest child so far, which is a simulator.
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in codes:
            output.seek(0)
            tail = output.read()[-1000:].decode(errors="replace").strip()
            raise RuntimeError(f"{' '.join(words)}: exit {process.returncode}\n{tail}")
    return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * 1024)


def _environment() -> dict[str, str]:
    """The environment, with bytecode kept as an installation has it: else every run measures the compiler too."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def median(words: Sequence[str], runs: int = RUNS, codes: Sequence[int] = NOTHING_TO_DO) -> Cost:
    """What a command costs, the median of some runs."""
    costs = [run(words, codes) for _ in range(runs)]
    return Cost(
        statistics.median(cost.cpu for cost in costs),
        statistics.median(cost.wall for cost in costs),
        max(cost.peak for cost in costs),
    )


def cpu(work: Callable[[], object]) -> float:
    """CPU seconds of a function in this process, the median of some runs."""
    seconds = []
    for _ in range(RUNS):
        began = time.process_time()
        work()
        seconds.append(time.process_time() - began)
    return statistics.median(seconds)


def profile(words: Sequence[str]) -> pstats.Stats:
    """Where a command of vastplan (`COMMAND` and its words) spends its CPU, all its threads together."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "profile"
        run([sys.executable, "-m", "tests.bench.profiled", str(file), *words[3:]], (*NOTHING_TO_DO, *SOMETHING_TO_DO))
        return pstats.Stats(str(file))
