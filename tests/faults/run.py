"""The fault matrix in full: `python -m tests.faults.run`. Prints what was struck; ends with 1 when a case does not hold.

Small document, of every kind but those that are only read: every fault at every request of both scenes, while it plans
and while it applies. `quotas`: the same at every request of the one kind that the small one cannot hold. Reference:
every request of both scenes, the faults taking turns so that each operation (a method and a path, whatever the object)
meets every fault, here or in another document. In these, requests go out one after the other, so that the N-th is the
same in every run. Then pairs of faults at places drawn with a seed, on runs in parallel.
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
from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tests.faults import plays
from tests.faults.case import Scene, Theatre
from tests.faults.strike import FAULTS

SEED, PAIRS = 20, 120
KINDS = tuple(FAULTS)
DOCUMENTS = ("small", "quotas", "values", "reference")
ONLY = {"quotas": "resourcequotas"}
"""Of this document only the requests with this in their path are struck: the others are struck in another one."""
EACH = {"values"}
"""Of this document each request of an apply is struck by some fault also where the others are thinned: no two of them are alike
in what would be lost."""
TOGETHER = "two at once"
TRIES = 4
"""On a busy machine an answer can come too late by itself; it is asked for again, and the N-th request is another one."""


@dataclass(frozen=True, slots=True)
class Case:
    """Faults at the N-th requests of one run; `expected` is what the N-th asks for where there is but one fault."""

    document: str
    scene: int
    planning: bool
    places: tuple[tuple[int, str], ...]
    expected: str = ""

    @property
    def fault(self) -> str:
        """The fault's name."""
        return self.places[0][1] if len(self.places) == 1 else TOGETHER


@dataclass(slots=True)
class Tally:
    """What one process did."""

    struck: Counter[str] = field(default_factory=Counter)
    met: set[tuple[str, str]] = field(default_factory=set)  # operations and faults
    missed: int = 0  # a run in parallel had fewer requests than the one that was counted
    failed: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    size: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    seconds: Counter[str] = field(default_factory=Counter)


def cases(
    document: str, scenes: list[Scene], *, every: int = 1, once: bool = False, met: Container[str] = ()
) -> list[Case]:
    """The cases of a document; `every` and `once` thin them, `met` are operations that meet every fault in another document."""
    found = list(_in_turn(scenes, met) if document == "reference" else _all(document, scenes))
    if once:
        firsts = _firsts(found)
        every_one = found
        found = [case for case in reversed(firsts.values()) if not (_reads(case.expected) and case.expected in met)]
        found += _not_yet(every_one, found) if document in EACH else []
    found = [case for turn, case in enumerate(found) if turn % every == 0]
    if document == "small":
        draw = random.Random(SEED)
        for _ in range(max(2, PAIRS // every)):
            number = draw.randrange(len(scenes))
            places = sorted((draw.randrange(len(scenes[number].applying)), draw.choice(KINDS)) for _ in range(2))
            found.append(Case(document, number, False, tuple(places)))
    return found


def _firsts(found: list[Case]) -> dict[tuple[bool, str, str], Case]:
    """The first case of each operation and fault; of what only reads with every other fault while it plans, and with the others while
    it applies, where it is asked both times."""
    firsts = {(case.planning, case.expected, case.fault): case for case in reversed(found)}
    asked = {operation: turn for turn, operation in enumerate(dict.fromkeys(case.expected for case in found))}

    def is_met_in_the_other(key: tuple[bool, str, str]) -> bool:
        planning, operation, fault = key
        even = (asked[operation] + KINDS.index(fault)) % 2 == 0
        return _reads(operation) and planning is not even and (not planning, operation, fault) in firsts

    return {key: case for key, case in firsts.items() if not is_met_in_the_other(key)}


def _not_yet(every: list[Case], struck: list[Case]) -> list[Case]:
    """Of each request of an apply that is not struck yet one case, the faults taking turns."""
    met = {(case.scene, case.places[0][0]) for case in struck if not case.planning}
    left: dict[tuple[int, int], list[Case]] = {}
    for case in every:
        place = (case.scene, case.places[0][0])
        if not case.planning and place not in met:
            left.setdefault(place, []).append(case)
    return [cases[turn % len(cases)] for turn, cases in enumerate(left.values())]


def _reads(operation: str) -> bool:
    """Whether an operation asks and changes nothing: then it is no other one in another document."""
    return " GET " in f" {operation}"


def _requests(scenes: list[Scene]) -> Iterable[tuple[int, bool, int, str]]:
    for number, scene in enumerate(scenes):
        for planning, operations in ((True, scene.planning), (False, scene.applying)):
            for index, operation in enumerate(operations):
                yield number, planning, index, operation


def _all(document: str, scenes: list[Scene]) -> Iterable[Case]:
    for number, planning, index, operation in _requests(scenes):
        if ONLY.get(document, "") in operation:
            for kind in KINDS:
                yield Case(document, number, planning, ((index, kind),), operation)


def _in_turn(scenes: list[Scene], met: Container[str]) -> Iterable[Case]:
    """Every request once, and those of a rare operation as often as it takes for it to meet every fault somewhere."""
    many = Counter(operation for *_, operation in _requests(scenes))
    turns: Counter[str] = Counter()
    for number, planning, index, operation in _requests(scenes):
        for _ in range(1 if operation in met else -(-len(KINDS) // many[operation])):
            kind = KINDS[turns[operation] % len(KINDS)]
            turns[operation] += 1
            yield Case("reference", number, planning, ((index, kind),), operation)


def strike(theatre: Theatre, case: Case, tally: Tally) -> None:
    """One case, counted."""
    try:
        struck = _struck(theatre, case)
        for _ in range(TRIES - 1):
            if not case.expected or [operation for _, operation in struck] == [case.expected]:
                break
            struck = _struck(theatre, case)
        asked = [operation for _, operation in struck]
        assert case.expected in ("", *asked), f"another request was struck: {asked}"
    except Exception as problem:
        line = str(problem) or traceback.format_exc(limit=-3)
        tally.failed[case.fault] += 1
        tally.failures.append(f"{case} ({theatre.striker.struck}): {line[:900]}")
        print(tally.failures[-1], file=sys.stderr, flush=True)
        return
    if struck:
        tally.struck[case.fault] += 1
        tally.met |= {(operation, kind) for kind, operation in struck}
    else:
        tally.missed += 1


def _struck(theatre: Theatre, case: Case) -> list[tuple[str, str]]:
    scene = theatre.scenes[case.scene]
    if case.planning:
        return theatre.planning(scene, *case.places)
    return theatre.applying(scene, *case.places, orderly=len(case.places) == 1)


def _share(work: tuple[int, int, int, bool, tuple[str, ...]]) -> Tally:
    """The cases of one process: those whose number is `mine` of `all`."""
    faulthandler.enable()
    mine, all_, every, once, documents = work
    tally = Tally()
    met: set[str] = set()
    for document in documents:
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            theatre = Theatre(Path(folder) / "home", *getattr(plays, document)(Path(folder)))
            found = cases(document, theatre.scenes, every=every, once=once, met=met)
            met |= {one.expected for one in found} if every == 1 and document != "reference" else set()
            for scene in theatre.scenes:
                size = len(scene.plan.actions), len(scene.planning), len(scene.applying)
                tally.size[f"{document}, {scene.name} run"] = size
            random.Random(SEED).shuffle(found)  # so that each process has slow ones and quick ones
            for case in found[mine::all_]:
                strike(theatre, case, tally)
            theatre.close()
        tally.seconds[document] = round(time.monotonic() - began)
    return tally


def _told(tallies: list[Tally]) -> bool:
    """Print the counts; whether all held."""
    for name, (actions, planning, applying) in tallies[0].size.items():
        print(f"{name}: {actions} actions, {planning} requests to plan, {applying} to apply")
    converged = sum((one.struck for one in tallies), Counter[str]())
    failed = sum((one.failed for one in tallies), Counter[str]())
    print("  struck  converged  failed")
    for kind in (*KINDS, TOGETHER):
        print(f"{converged[kind] + failed[kind]:8}  {converged[kind]:9}  {failed[kind]:6}  {kind}")
    missed = sum(one.missed for one in tallies)
    total, bad = converged.total(), failed.total()
    print(f"{total + bad:8}  {total:9}  {bad:6}  in all; {missed} more ended before their fault")
    met = set().union(*(one.met for one in tallies))
    operations = {operation for operation, _ in met}
    print(f"{len(operations)} operations x {len(KINDS)} faults: {len(met)} of {len(operations) * len(KINDS)} met")
    return not failed and bool(converged)


def main() -> int:
    """Run all of it in several processes, and print the counts."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1, help="take every N-th case only")
    once = "of each document each fault at the first request of an operation only, and what only reads in one document only, "
    once += "half of the faults while it plans and half while it applies; of the one with values each request of an apply besides, by some fault"
    parser.add_argument("--once", action="store_true", help=once)
    parser.add_argument("--only", action="append", choices=DOCUMENTS, help="one document only")
    words = parser.parse_args()
    documents = tuple(words.only or DOCUMENTS)
    many, began = max(2, (os.cpu_count() or 2) + 1), time.monotonic()
    with multiprocessing.get_context("spawn").Pool(many) as pool:
        work = [(number, many, words.every, words.once, documents) for number in range(many)]
        tallies = pool.map(_share, work, chunksize=1)
    good = _told(tallies)
    slowest = {name: max(one.seconds[name] for one in tallies) for name in documents}
    print(f"{time.monotonic() - began:.0f} s in {many} processes ({slowest})")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
