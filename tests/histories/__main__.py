"""Invent histories and judge them: `python -m tests.histories --histories 2000 --seed 1 --jobs 2`.

What breaks a promise is told as a story: the seed, and every command and change of a file that it takes, cut down to the
fewest steps. `--ignore CODE` plays on past a promise that is known to be broken.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from fnmatch import fnmatchcase
from pathlib import Path

from tests.histories.history import STEPS, History
from tests.histories.oracle import Violation
from tests.histories.seeded import BUGS, seeded
from tests.histories.shrink import shrunk
from tests.histories.steps import TABLE, invented

MOST_STORIES = 3
"""How many are told of one promise."""


def played(
    seed: int, steps: int, ignored: tuple[str, ...], bug: str, without: tuple[str, ...] = ()
) -> tuple[int, list[Violation], list[str], int]:
    """One history; a fault of the harness itself is told as one."""
    with tempfile.TemporaryDirectory(prefix="history-", dir=_memory()) as folder, seeded(bug):
        history = History(seed, invented(seed, steps, without), Path(folder) / "h", ignored=ignored)
        try:
            found = history.play(TABLE)
        except Exception:
            found = [Violation("harness", traceback.format_exc()[-2000:])]
        return seed, found + history.seen, history.refusals, history.commands


def story(
    seed: int, steps: int, ignored: tuple[str, ...], code: str, bug: str = "", without: tuple[str, ...] = ()
) -> str:
    """What happened, as somebody could do it again."""
    with tempfile.TemporaryDirectory(prefix="history-", dir=_memory()) as folder, seeded(bug):
        place = Path(folder) / "h"
        kept = shrunk(seed, invented(seed, steps, without), place, ignored, code)
        history = History(seed, kept, place, ignored=ignored, tell=True)
        with contextlib.suppress(Exception):
            history.play(TABLE)
        return "\n".join(history.story)


def _memory() -> str | None:
    """Where files cost least."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


def main() -> int:
    """Play them all; 1 when a promise was broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.histories", description=__doc__)
    parser.add_argument("--histories", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1, help="the first seed; the others follow")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--ignore", action="append", default=[], metavar="CODE", help="patterns allowed")
    parser.add_argument("--only", metavar="CODE", help="end at the first history that breaks this promise, and tell it")
    parser.add_argument("--seeded", default="", choices=("", *BUGS), help="put a bug back, which must be found")
    parser.add_argument("--without", action="append", default=[], metavar="STEP", help="leave these steps out")
    parser.add_argument("--no-stories", action="store_true")
    options = parser.parse_args()
    ignored = tuple(options.ignore)
    begun, commands, counted = time.perf_counter(), 0, Counter[str]()
    refusals: Counter[str] = Counter()
    examples: dict[str, list[tuple[int, Violation]]] = {}
    number = 0
    for number, (seed, found, refused, many) in enumerate(_all(options), 1):  # noqa: B007 - how many there were
        commands += many
        refusals.update(refused)
        for one in found:
            counted[one.code] += 1
            examples.setdefault(one.code, []).append((seed, one))
            if any(fnmatchcase(one.code, pattern) for pattern in ignored):
                continue
            print(f"seed {seed}: {one.code}: {one.text[:300]}", flush=True)
        if found and (options.seeded or options.only) and (not options.only or options.only in counted):
            break
    seconds = time.perf_counter() - begun
    print(f"{number} histories, {commands} commands, {seconds:.0f} s: {number / seconds * 60:.0f} histories a minute")
    print(f"{sum(counted.values())} broken promises: {dict(counted)}")
    for text, many in refusals.most_common(20):
        print(f"  refused {many} times: {text[:200]}")
    if not options.no_stories:
        for code, ones in examples.items():
            for seed, one in ones[:MOST_STORIES]:
                if not any(fnmatchcase(code, pattern) for pattern in ignored):
                    print(
                        f"\n=== {code}, seed {seed}\n{one.text}\n{story(seed, options.steps, ignored, code, options.seeded, tuple(options.without))}"
                    )
    left = [code for code in counted if not any(fnmatchcase(code, pattern) for pattern in ignored)]
    return 1 if left else 0


def _all(options: argparse.Namespace) -> Iterator[tuple[int, list[Violation], list[str], int]]:
    seeds = range(options.seed, options.seed + options.histories)
    arguments = [(seed, options.steps, tuple(options.ignore), options.seeded, tuple(options.without)) for seed in seeds]
    if options.jobs == 1:
        for one in arguments:
            yield played(*one)
        return
    with ProcessPoolExecutor(options.jobs) as pool:
        pending = [pool.submit(played, *one) for one in arguments]
        try:
            for future in pending:
                yield future.result()
        finally:
            pool.shutdown(cancel_futures=True)


if __name__ == "__main__":
    sys.exit(main())
