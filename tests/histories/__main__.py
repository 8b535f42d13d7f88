"""Invent histories and judge them: `python -m tests.histories --histories 2000 --seed 1 --jobs 2`.

What breaks a promise is told as a story: the seed, and every command and change of a file that it takes, cut down to the
fewest steps. A seed is the same history in every run of the same sources: `--histories 1 --seed N` replays one, and
`--tell` tells all of it, whether or not a promise is broken. `--ignore CODE` plays on past a promise that is known to be
broken.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Generator, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from tests.histories.history import STEPS, History
from tests.histories.oracle import Violation
from tests.histories.seeded import BUGS, seeded
from tests.histories.shrink import shrunk
from tests.histories.steps import TABLE, invented

PROGRESS = 50
"""After how many histories it is said that they were played."""


@dataclass(frozen=True, slots=True)
class Game:
    """Which histories are played, and how; `bug` is one of `BUGS`, put back."""

    steps: int = STEPS
    ignored: tuple[str, ...] = ()
    bug: str = ""
    without: tuple[str, ...] = ()

    def known(self, code: str) -> bool:
        """Whether a broken promise is one to play on past."""
        return any(fnmatchcase(code, pattern) for pattern in self.ignored)


@dataclass(frozen=True, slots=True)
class Played:
    """One history: what it broke, and how much happened in it."""

    seed: int
    found: list[Violation]
    refusals: list[str]
    commands: int
    steps: Counter[str]
    edits: Counter[str]


@dataclass(slots=True)
class Totals:
    """All histories of a run."""

    histories: int = 0
    commands: int = 0
    steps: Counter[str] = field(default_factory=Counter)
    edits: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    broken: Counter[str] = field(default_factory=Counter)
    examples: dict[str, tuple[int, Violation]] = field(default_factory=dict)
    """The first history that broke each promise."""

    def add(self, one: Played) -> None:
        """One history more."""
        self.histories += 1
        self.commands += one.commands
        self.steps.update(one.steps)
        self.edits.update(one.edits)
        self.refusals.update(one.refusals)
        for violation in one.found:
            self.broken[violation.code] += 1
            self.examples.setdefault(violation.code, (one.seed, violation))

    def shown(self, seconds: float) -> Iterator[str]:
        """The lines that say how it went."""
        rate = self.histories / seconds * 60
        yield f"{self.histories} histories, {self.commands} commands, {seconds:.0f} s: {rate:.0f} histories a minute"
        yield f"{self.steps.total()} steps: {_counts(self.steps)}"
        yield f"{self.edits.total()} edits: {_counts(self.edits)}"
        for text, many in self.refusals.most_common(10):
            yield f"  refused {many} times: {text[:200]}"
        broken = f": {_counts(self.broken)}" if self.broken else ""
        yield f"{self.broken.total()} broken promises{broken}"


def _counts(counter: Counter[str]) -> str:
    return ", ".join(f"{name} {many}" for name, many in counter.most_common())


def played(seed: int, game: Game) -> Played:
    """One history; a fault of the harness itself is told as one."""
    with tempfile.TemporaryDirectory(prefix="history-", dir=_memory()) as folder, seeded(game.bug):
        history = History(seed, invented(seed, game.steps, game.without), Path(folder) / "h", ignored=game.ignored)
        try:
            found = history.play(TABLE)
        except Exception:
            found = [Violation("harness", traceback.format_exc()[-2000:])]
        return Played(
            seed, found + history.seen, history.refusals, history.commands, history.steps_done, history.edits_done
        )


def story(seed: int, game: Game, code: str = "") -> str:
    """What happened, as somebody could do it again: what it takes to break a promise, or, without one, all of it."""
    with tempfile.TemporaryDirectory(prefix="history-", dir=_memory()) as folder, seeded(game.bug):
        place, steps = Path(folder) / "h", invented(seed, game.steps, game.without)
        if code:
            steps = shrunk(seed, steps, place, game.ignored, code)
        history = History(seed, steps, place, ignored=game.ignored, tell=True)
        with contextlib.suppress(Exception):
            history.play(TABLE)
        return "\n".join(history.story)


def _memory() -> str | None:
    """Where files cost least."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


def main() -> int:
    """Play them all; 1 when a promise was broken."""
    options = _parser().parse_args()
    game = Game(options.steps, tuple(options.ignore), options.seeded, tuple(options.without))
    if options.tell:
        for seed in range(options.seed, options.seed + options.histories):
            print(f"=== seed {seed}\n{story(seed, game)}")
        return 0
    totals, begun = Totals(), time.perf_counter()
    with contextlib.closing(_all(range(options.seed, options.seed + options.histories), game, options.jobs)) as all_:
        for one in all_:
            totals.add(one)
            for violation in one.found:
                if not game.known(violation.code):
                    print(f"seed {one.seed}: {violation.code}: {violation.text[:300]}", flush=True)
            if totals.histories % PROGRESS == 0:
                print(f"{totals.histories} histories so far", flush=True)
            codes = {violation.code for violation in one.found}
            if (options.only in codes) if options.only else (codes and options.seeded):
                break
    for line in totals.shown(time.perf_counter() - begun):
        print(line, flush=True)
    left = [code for code in totals.broken if not game.known(code)]
    for code in left if not options.no_stories else ():
        seed, violation = totals.examples[code]
        print(f"\n=== {code}, seed {seed}\n{violation.text}\n{story(seed, game, code)}", flush=True)
    return 1 if left else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.histories", description=__doc__)
    parser.add_argument("--histories", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1, help="the first seed; the others follow")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--ignore", action="append", default=[], metavar="CODE", help="patterns allowed")
    parser.add_argument("--only", metavar="CODE", help="end at the first history that breaks this promise, and tell it")
    parser.add_argument(
        "--seeded", default="", choices=("", *BUGS), help="put a bug back, and end at the first history that finds it"
    )
    parser.add_argument("--without", action="append", default=[], metavar="STEP", help="leave these steps out")
    parser.add_argument("--no-stories", action="store_true", help="say what broke, not how")
    parser.add_argument("--tell", action="store_true", help="tell each history whole, up to what breaks")
    return parser


def _all(seeds: range, game: Game, jobs: int) -> Generator[Played, None, None]:
    if jobs == 1:
        for seed in seeds:
            yield played(seed, game)
        return
    with ProcessPoolExecutor(jobs) as pool:
        pending = [pool.submit(played, seed, game) for seed in seeds]
        try:
            for future in pending:
                yield future.result()
        finally:
            pool.shutdown(cancel_futures=True)


if __name__ == "__main__":
    sys.exit(main())
