"""A mutation run over the program: is every mistake in a module noticed by the quick tests that are about it?

    python -m tests.mutation.code guards [--every N] [--jobs N] [--only PATTERN ...] [@FILE]

FILE has further words, one on a line, such as `--only=NAME`.

A mutant is the module with one small mistake (`mistakes.py`), tried by the tests of its suite in a process of its own, as
many at once as there are processors. A mistake within a function is put into a process that has all loaded (`house.py`)
and tried by the tests that call the function; every other one, and what is called before the tests run, by all tests in a
process that imports the mutant in the place of its module (`afresh.py`). What is still alive then is told; what never ends
is killed after a time and counts as noticed, and how many were so is told too. `suites.yaml` names the suites; a survivor
needs a reason in `code-survivors.yaml`.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from tests.mutation import afresh, house
from tests.mutation.mistakes import Mutant
from tests.mutation.suites import Suite, meant, reasons, suites
from tests.mutation.trial import each

SECONDS, TIMES = 10, 8  # a mutant's tests may take this long, or so many times as long as without one
LOADING = 3.0  # seconds: about what it takes to import the program and to collect the tests


@dataclass(frozen=True, slots=True)
class Result:
    """How many mutants there were, the names of those that survived, and of those that never ended."""

    total: int
    survivors: list[str]
    endless: list[str]


def limit(whole: float) -> float:
    """The seconds that a mutant has, by those that its tests take without one."""
    return max(SECONDS, TIMES * whole)


def run(suite: Suite, every: int, jobs: int, only: Sequence[str]) -> Result:
    """Try the mutants of a suite."""
    mutants = list(suite.mutants(every, only))
    suite.load()
    found = house.findings(suite, mutants, jobs, limit)
    print(
        f"  within functions: {found.killed} killed, {len(found.alive)} alive; others: {len(found.others)}", flush=True
    )
    left = set(found.others)
    survivors, endless, seconds = found.alive, found.endless, limit(LOADING + sum(found.seconds.values()))

    def killer(mutant: Mutant) -> str | None:
        return None if afresh.passes(mutant, suite.tests, found.ranks(mutant.module)) else "one of them"

    for one in each([mutant for mutant in mutants if mutant.name in left], killer, jobs, lambda _: seconds):
        if one.alive:
            survivors.append(one.mutant.name)
            print(f"  alive: {one.mutant.name}", flush=True)
        if one.endless:
            endless.append(one.mutant.name)
            print(f"  never ended: {one.mutant.name}", flush=True)
    return Result(len(mutants), sorted(survivors), endless)


def main() -> int:
    """Run a suite, and print what survived."""
    known = suites()
    parser = argparse.ArgumentParser(description="Mutation run over modules of the program.", fromfile_prefix_chars="@")
    parser.add_argument("suite", choices=sorted(known))
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every Nth mutant of a file only")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="so many at once")
    parser.add_argument("--only", action="append", metavar="PATTERN", help="mutants of these names only")
    words = parser.parse_args()
    since = time.monotonic()
    found = run(known[words.suite], words.every, words.jobs, words.only or ["*"])
    whole = words.every == 1 and not words.only
    known_reasons = reasons(words.suite)
    unexplained = []
    for name in found.survivors:
        reason = next((text for pattern, text in known_reasons.items() if meant(name, pattern)), None)
        print(f"survived: {name}: {reason or 'for no reason'}")
        unexplained += [name] if reason is None else []
    stale = [one for one in known_reasons if whole and not any(meant(name, one) for name in found.survivors)]
    for one in stale:
        print(f"code-survivors.yaml is stale: {one}")
    killed = found.total - len(found.survivors)
    share = 100 * killed / found.total if found.total else 0
    print(
        f"{words.suite}: {found.total} mutants, {killed} killed ({share:.1f} %; {len(found.endless)} never ended), "
        f"{len(found.survivors)} survived, {len(unexplained)} for no reason; {time.monotonic() - since:.0f} s"
    )
    return 1 if unexplained or stale or (whole and share < 95) else 0


if __name__ == "__main__":
    sys.exit(main())
