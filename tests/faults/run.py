"""The fault matrix in full: `python -m tests.faults.run`. Prints what was struck; ends with 1 when a case does not hold.

Small document: every fault at every request of both scenes. Reference: every request of both scenes, the faults taking
turns. Then pairs of faults at places drawn with a seed.
"""

from __future__ import annotations

import argparse
import faulthandler
import multiprocessing
import os
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.faults import plays
from tests.faults.case import Scene, Theatre
from tests.faults.strike import FAULTS

SEED, PAIRS = 20, 120
KINDS = tuple(FAULTS)


@dataclass(slots=True)
class Tally:
    """What one process did."""

    struck: Counter[str] = field(default_factory=Counter)
    missed: int = 0  # the run had fewer requests than the one that was counted
    failures: list[str] = field(default_factory=list)
    size: dict[str, tuple[int, int, int]] = field(default_factory=dict)


Case = tuple[str, int, bool, tuple[tuple[int, str], ...]]  # document, scene, while planning, places


def cases(document: str, scenes: list[Scene], *, every: int = 1) -> list[Case]:
    """The cases of a document; `every` thins them."""
    found: list[Case] = []
    for number, scene in enumerate(scenes):
        for planning, requests in ((True, scene.planning), (False, scene.applying)):
            for index in range(requests):
                if document == "small":
                    kinds = [kind for turn, kind in enumerate(KINDS) if (index + turn) % every == 0]
                else:
                    kinds = [KINDS[(index + number) % len(KINDS)]] if index % every == 0 else []
                found += [(document, number, planning, ((index, kind),)) for kind in kinds]
    if document == "small":
        draw = random.Random(SEED)
        for _ in range(max(2, PAIRS // every)):
            number = draw.randrange(len(scenes))
            places = sorted((draw.randrange(scenes[number].applying), draw.choice(KINDS)) for _ in range(2))
            found.append((document, number, False, tuple(places)))
    return found


def strike(theatre: Theatre, case: Case, tally: Tally) -> None:
    """One case, counted."""
    document, number, planning, places = case
    scene = theatre.scenes[number]
    try:
        struck = (theatre.planning if planning else theatre.applying)(scene, *places)
    except Exception as problem:
        said = theatre.striker.struck
        line = str(problem) or traceback.format_exc(limit=-3)
        tally.failures.append(
            f"{document} {scene.name} {'plan' if planning else 'apply'} {places} ({said}): {line[:900]}"
        )
        return
    if struck:
        tally.struck["two at once" if len(places) > 1 else places[0][1]] += 1
    else:
        tally.missed += 1


def _share(work: tuple[int, int, int, tuple[str, ...]]) -> Tally:
    """The cases of one process: those whose number is `mine` of `all`."""
    faulthandler.enable()
    mine, all_, every, documents = work
    tally = Tally()
    for document in documents:
        with tempfile.TemporaryDirectory() as folder:
            theatre = Theatre(Path(folder) / "home", *getattr(plays, document)(Path(folder)))
            found = cases(document, theatre.scenes, every=every)
            for scene in theatre.scenes:
                tally.size[f"{document}, {scene.name} run"] = (len(scene.plan.actions), scene.planning, scene.applying)
            for number, case in enumerate(found):
                if number % all_ == mine:
                    strike(theatre, case, tally)
            theatre.close()
    return tally


def main() -> int:
    """Run all of it in several processes, and print the counts."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1, help="take every N-th case only")
    parser.add_argument("--only", action="append", choices=["small", "reference"], help="one document only")
    words = parser.parse_args()
    documents = tuple(words.only or ("small", "reference"))
    many, began = max(2, (os.cpu_count() or 2) + 1), time.monotonic()
    with multiprocessing.get_context("spawn").Pool(many) as pool:
        tallies = pool.map(_share, [(number, many, words.every, documents) for number in range(many)], chunksize=1)
    struck = sum((one.struck for one in tallies), Counter[str]())
    failures = [line for one in tallies for line in one.failures]
    for name, (actions, planning, applying) in tallies[0].size.items():
        print(f"{name}: {actions} actions, {planning} requests to plan, {applying} to apply")
    for kind in (*KINDS, "two at once"):
        print(f"{struck[kind]:6} {kind}")
    missed = sum(one.missed for one in tallies)
    print(f"{struck.total():6} cases struck, {missed} whose run ended before, {len(failures)} failed")
    print(f"       {time.monotonic() - began:.0f} s in {many} processes")
    for line in failures:
        print(line)
    return 1 if failures or not struck else 0


if __name__ == "__main__":
    sys.exit(main())
