"""`make bench`, or some rows: `make bench ARGS='no-op-10000 memory'`, `make bench ARGS='--profile updates-10000'`."""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
import time
from pathlib import Path

from tests.bench import measure
from tests.bench.row import Row
from tests.bench.rows import Bench, chosen


def _line(row: Row) -> tuple[str, bool]:
    """A row's line, and whether it could be measured at all."""
    began = time.monotonic()
    try:
        figure = row.measure()
    except RuntimeError as problem:
        return f"{row.name:17} {'-':>10}  {f'{row.target:g} {row.unit}':>7}  FAILED  {row.title}\n{problem}", False
    verdict = "met   " if figure.value <= row.target else "MISSED"
    numbers = f"{figure.value:8.2f} {row.unit:<2} {f'{row.target:g} {row.unit}':>7}"
    took = f"[{time.monotonic() - began:.0f} s to measure]"
    return f"{row.name:17} {numbers}  {verdict}  {row.title} ({figure.detail}) {took}", True


def main() -> int:
    """Print the table; answers 1 when a row could not be measured, never for a target that was missed."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help="only these rows")
    parser.add_argument("--list", action="store_true", help="list the rows and measure nothing")
    parser.add_argument("--profile", action="append", default=[], metavar="ROW", help="print where a row's CPU goes")
    parser.add_argument("--top", type=int, default=40, metavar="N", help="how many lines of a profile")
    parser.add_argument(
        "--scale", type=float, default=1.0, metavar="X", help="shrink all sizes, to try the bench itself"
    )
    words = parser.parse_args()
    measured = True
    with tempfile.TemporaryDirectory(prefix="vastplan-bench-") as folder:
        rows = Bench(Path(folder), words.scale).rows()
        if words.list:
            for row in rows:
                print(f"{row.name:17} {f'{row.target:g} {row.unit}':>7}  {row.title}")
            return 0
        for row in chosen(rows, words.profile) if words.profile else []:
            print(f"{row.name}: {row.title}")
            stats = row.profile()
            stats.strip_dirs().sort_stats("tottime").print_stats(words.top)
            stats.sort_stats("cumulative").print_stats(words.top)
        if words.profile and not words.rows:
            return 0
        print(
            f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}; CPU, medians of {measure.RUNS} runs"
        )
        print(f"{'row':17} {'figure':>11} {'at most':>7}")
        for row in chosen(rows, words.rows):
            line, went = _line(row)
            print(line, flush=True)
            measured = measured and went
    return 0 if measured else 1


if __name__ == "__main__":
    raise SystemExit(main())
