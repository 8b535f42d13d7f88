"""Two sites, the links between everything, watchers that run the product's own code, and a person who brings the data home: at random.

Run by time: whoever has the turn goes on until it waits. A watcher may be paused, for up to ten minutes, at each of its requests, or die
there; links and power come and go; no two clocks agree. The watcher, what it tells others and the lease on the ledger are those of the
product; the move is the order of its calls, with the same question before the one that cannot be taken back.

    python -m tests.watching.model --histories 10000 [--first SEED] [--bug NAME]
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import random
import sys
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Set
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from tests.ledger.memory import Memory
from vastplan.ledger.chunks import PartPlace
from vastplan.ledger.clock import LedgerClock
from vastplan.ledger.lease import EVERY, Lease, acquire
from vastplan.ledger.lease_watch import LONGEST, LeaseWatch
from vastplan.ledger.watch_notes import WatchNotes
from vastplan.model.address import Address
from vastplan.model.errors import Lost, Unreachable, VastplanError
from vastplan.operations.failover.sight import Sighting
from vastplan.operations.failover.watcher import FailoverUnit, Standing, Watcher

BEAT, AFTER, LASTS = 30.0, 240.0, 4800.0
PAUSE = 600.0  # the longest time for which a process stands still
UNSEEN = 130.0  # between two looks a site may have answered
LATE = (
    330.0  # how old what is seen may be: two beats until it is said, four until it is heard, four until it is acted on
)
PLACE = PartPlace("ledger", "doc", "a")
DESTINATION, SOURCE, STANDALONE = "DESTINATION", "SOURCE", "STANDALONE"
UNIT = FailoverUnit(Address("a", "project", "team"), "a", "b", AFTER, 3600.0)


_LINKS = {
    ("a", "b"): 0.7, ("a", "p"): 0.6, ("a", "q"): 0.6, ("b", "p"): 0.1, ("b", "q"): 0.1, ("p", "ledger"): 0.2, ("q", "ledger"): 0.2,
}  # fmt: skip
"""The links, and how likely each is cut in a bad time."""


class Broken(AssertionError):
    """A promise was broken."""


class Gone(BaseException):
    """The process died."""


@dataclass
class Record:
    """What the ledger has of the last move; only who has its newest fence writes it."""

    fence: int = 0
    id: str = ""
    stage: str = ""
    source: str = "a"

    @property
    def open(self) -> bool:
        return self.stage not in ("", "done", "home", "rejoined")


@dataclass
class Site:
    """One side: its role, its power, whether it is fenced, and the jobs that run there, by name."""

    name: str
    role: str
    power: bool = True
    fenced: bool = False
    jobs: set[str] = field(default_factory=set)

    @property
    def writes(self) -> bool:
        return self.power and not self.fenced and self.role in (SOURCE, STANDALONE)


class Process:
    """Something that has the turn, waits, and may be paused or die while it waits. Its clocks are its own."""

    def __init__(self, world: World, name: str, work: Callable[[Process], None]) -> None:
        draw = world.random
        self.world, self.name, self._work = world, name, work
        self.rate, self.ahead = draw.uniform(0.99, 1.01), draw.uniform(-1e5, 1e5)
        self.turn, self.dies = threading.Semaphore(0), False
        self.paused_until = 0.0
        self.lease: Lease | None = None
        self.over = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        self.turn.acquire()
        try:
            if not self.dies:
                self._work(self)
        except Gone:
            pass
        except BaseException as problem:
            self.world.problem = self.world.problem or problem
        self.over = True
        self.world.turn.release()

    def takes(self, seconds: float, *, often: float = 1.0) -> None:
        """Something that takes so long; others go on meanwhile. Where it matters a process stands still as many times as `often`."""
        draw = self.world.random
        if draw.random() < self.world.pauses * often:
            pause = draw.choice((20.0, 90.0, 300.0, PAUSE)) * draw.uniform(0.5, 1.0)
            self.paused_until = self.world.now + seconds + pause
            seconds += pause
        self.world.at(self.world.now + seconds, self)
        self.world.turn.release()
        self.turn.acquire()
        if self.dies:
            raise Gone

    def ticks(self) -> float:
        return self.world.now * self.rate + self.ahead

    def sleep(self, seconds: float) -> None:
        self.takes(seconds / self.rate)

    def clock(self) -> LedgerClock:
        return LedgerClock(
            lambda: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self.ticks()), self.ticks, self.sleep
        )

    def call(self, method: str, path: str, *, query: Any = None, body: Any = None) -> Any:
        """A request to the API server with the ledger."""
        self.takes(0.1)
        if not self.world.reaches(self.name, "ledger"):
            self.takes(5.0)
            raise Unreachable("the ledger does not answer")
        return self.world.api.call(method, path, query=query, body=body)


class World:
    """Everything, and the promises."""

    def __init__(self, seed: int, bug: str = "") -> None:
        self.random, self.bug = random.Random(seed), bug
        self.now, self.order = 0.0, itertools.count()
        self.waiting: list[tuple[float, int, Process | Callable[[], None]]] = []
        self.turn = threading.Semaphore(0)
        self.problem: BaseException | None = None
        self.pauses = self.random.choice((0.0, 0.005, 0.02, 0.06))
        self.a, self.b = Site("a", SOURCE, jobs={"train"}), Site("b", DESTINATION)
        self.api, self.record = Memory(), Record()
        self.cut: set[frozenset[str]] = set()
        self.lost_since: dict[str, list[tuple[float, float | None]]] = {"p": [], "q": [], "ab": []}
        self.moves = itertools.count(1)
        self.counts: Counter[str] = Counter()
        self.age = self.random.choice((600.0, 600.0, 7200.0))
        self.api.call("POST", "/api/v1/namespaces", body={"metadata": {"name": PLACE.namespace}})

    # what is so

    def reaches(self, one: str, other: str) -> bool:
        """Whether a request gets through."""
        return frozenset((one, other)) not in self.cut and (other != "a" or self.a.power)

    def _note(self) -> None:
        """Since when, by the true time, site a cannot be reached from each place and from b."""
        for name, others in (("p", ("p", "a")), ("q", ("q", "a")), ("ab", ("b", "a"))):
            spells, lost = self.lost_since[name], not self.reaches(*others)
            if lost and (not spells or spells[-1][1] is not None):
                spells.append((self.now, None))
            elif not lost and spells and spells[-1][1] is None:
                spells[-1] = (spells[-1][0], self.now)

    def was_silent(self, place: str) -> bool:
        """Whether site a was out of reach of a place for long enough, at some moment that is not long past."""
        spells: list[list[float]] = []
        for began, end in self.lost_since[place]:
            if spells and began - spells[-1][1] <= UNSEEN:
                spells[-1][1] = self.now if end is None else end
            else:
                spells.append([began, self.now if end is None else end])
        return any(end - began >= AFTER * 0.98 and self.now - end <= LATE for began, end in spells)

    def connected(self) -> bool:
        """What b reports of its link to a: it notices a change a little later."""
        spells = self.lost_since["ab"]
        return not spells or spells[-1][1] is not None or self.now - spells[-1][0] < 30.0

    def check(self) -> None:
        """The promises about data."""
        if self.a.writes and self.b.writes:
            raise Broken(f"{self.now:.0f} s: both sides take writes")
        running = [
            *(f"a {job}" for job in self.a.jobs if self.a.writes),
            *(f"b {job}" for job in self.b.jobs if self.b.writes),
        ]
        if len(running) > 1:
            raise Broken(f"{self.now:.0f} s: one job runs twice: {running}")

    # what happens

    def at(self, when: float, what: Process | Callable[[], None]) -> None:
        heapq.heappush(self.waiting, (when, next(self.order), what))

    def decided(self, place: str) -> None:
        """A watcher has asked for the last time, and gives up site a: that was right. What comes later the fence is for."""
        others = [other for other in ("p", "q") if other != place and self.was_silent(other)]
        if not self.was_silent(place) or not others:
            raise Broken(
                f"{self.now:.0f} s: {place} gives up a site that was not lost from two places: {self.lost_since}"
            )
        ended = self.lost_since["ab"][-1][1] if self.lost_since["ab"] else 0.0
        if ended is not None and self.now - ended > LATE:
            raise Broken(f"{self.now:.0f} s: {place} gives up a site to which b is connected")

    def detach(self) -> None:
        """The failover at b without a, as its storage does it, whoever asks."""
        if self.b.role == DESTINATION:
            self.b.role = STANDALONE
            self.counts["failed over"] += 1

    def play(self) -> None:
        """One history. Raises `Broken`."""
        processes = [Process(self, place, self._watch) for place in ("p", "q")]
        person = Process(self, "person", self._person)
        for process in (*processes, person):
            self.at(self.random.uniform(0, BEAT), process)
        self._accidents()
        for name in ("p", "q"):
            if self.random.random() < 0.3:
                self.at(self.random.uniform(0, LASTS), lambda name=name: self._dies(name, processes))  # type: ignore[misc]
        try:
            while self.waiting and self.waiting[0][0] < LASTS:
                self.now, _, what = heapq.heappop(self.waiting)
                if isinstance(what, Process):
                    if not what.over:
                        what.turn.release()
                        self.turn.acquire()
                else:
                    what()
                self._note()
                if self.problem is not None:
                    raise self.problem
                self.check()
        finally:
            for process in (*processes, person):
                process.dies = True
                process.turn.release()

    def _dies(self, name: str, processes: list[Process]) -> None:
        """A watcher dies, and another one is started at its place a while later."""
        for process in processes:
            if process.name == name and not process.over:
                process.dies, process.lease = True, None
        again = Process(self, name, self._watch)
        processes.append(again)
        self.at(self.now + self.random.uniform(10, 300), again)

    def _accidents(self) -> None:
        """Times in which each link and the power of a are there or not, each long enough for a look; at the end all of them are."""
        draw, when = self.random, self.random.uniform(60, 200)
        links = [*_LINKS]
        while when < LASTS * 0.6:
            bad = draw.random()
            cut = {link for link in links if draw.random() < _LINKS[link] * bad * 2}
            self.at(when, partial(self._phase, cut, power=draw.random() > 0.4 * bad))
            when += draw.choice((140.0, AFTER, 2 * AFTER, 1200.0)) * draw.uniform(1.0, 1.3)
        self.at(when, partial(self._phase, set(), power=True))

    def _phase(self, cut: Set[tuple[str, str]], *, power: bool) -> None:
        self.cut = {frozenset(link) for link in cut}
        self.a.power = power
        if self.b.role != DESTINATION and self.a.role == SOURCE and self.reaches("b", "a"):
            self.a.role = STANDALONE

    def _watch(self, process: Process) -> None:
        watcher = Watcher(Ports(self, process), process.name, BEAT, process)
        while True:
            began = process.ticks()
            watcher.beat()
            process.sleep(max(1.0, began + BEAT - process.ticks()))

    def _person(self, process: Process) -> None:
        """Decides once a is back, and brings the data home: by the same ledger, some time later."""
        while True:
            process.sleep(self.random.uniform(5, 120))
            if self.a.fenced and self.record.stage in ("", "home"):
                self.a.fenced = False  # of a failover that was taken back
            if self.record.stage != "done" or not (self.reaches("person", "a") and self.reaches("b", "a")):
                continue
            try:
                with Locking(self, process, 60) as ledger:
                    if self.record.stage != "done":
                        continue
                    ledger.write("attach")
                    process.takes(1.0)
                    self.a.jobs.clear()
                    self.a.role, self.b.role = DESTINATION, SOURCE
                    self.a.fenced = False
                    ledger.write("rejoined")
                process.sleep(self.random.uniform(5, 60))
                with Locking(self, process, 60) as ledger:
                    if self.record.stage != "rejoined" or not self.reaches("b", "a"):
                        continue
                    ledger.write("switch")
                    process.takes(1.0)
                    jobs, self.b.jobs = {"train"}, set()
                    self.a.role, self.b.role = SOURCE, DESTINATION
                    self.a.jobs = jobs
                    ledger.write("home", source="a")
                    self.counts["home"] += 1
            except VastplanError:
                continue


class Locking:
    """The ledger, locked by the product's own lease. What is written counts only for who has locked it last."""

    def __init__(self, world: World, process: Process, duration: int) -> None:
        self._world, self._process, self._duration = world, process, duration

    def __enter__(self) -> Locking:
        process, clock = self._process, self._process.clock()
        watch = LeaseWatch(process, clock, lambda _: None)
        duration = 60 if self._world.bug == "short lock" else self._duration
        self.lease, _ = acquire(process, PLACE, clock, process.name, lambda: None, watch, duration)
        process.lease = self.lease
        self._world.at(self._world.now + EVERY, self._renews)
        self._world.record.fence += 1
        self._fence = self._world.record.fence
        return self

    def _renews(self) -> None:
        """The thread that renews: it stands still when its process does."""
        process, world = self._process, self._world
        if process.lease is not self.lease or process.dies:
            return
        if world.now >= process.paused_until and world.reaches(process.name, "ledger"):
            renewed, self.lease._api = self.lease._api, world.api
            self.lease.renew()
            self.lease._api = renewed
        world.at(world.now + EVERY, self._renews)

    def write(self, stage: str, id: str = "", source: str = "") -> None:
        """Raises `Lost`."""
        self.lease.holds()
        record = self._world.record
        if record.fence != self._fence:
            raise Lost("somebody else has the ledger")
        record.id, record.stage = id or record.id, stage
        record.source = source or record.source

    def __exit__(self, *_: object) -> None:
        self._process.lease = None
        self.lease.release()


class Ports:
    """What a watcher has of this world."""

    def __init__(self, world: World, process: Process) -> None:
        self._world, self._process = world, process
        self._notes = WatchNotes(process, PLACE.namespace, PLACE.document)

    def units(self) -> tuple[FailoverUnit, ...]:
        record = self._world.record
        if record.source == "b":
            left = record.id if record.stage == "done" else ""
            return (FailoverUnit(Address("b", "project", "team"), "b", "a", AFTER, 3600.0, left),)
        return (UNIT,)

    def answers(self, site: str) -> bool:
        self._process.takes(0.2)
        answered = self._world.reaches(self._process.name, site)
        if not answered:
            self._process.takes(5.0)
        return answered

    def exchange(self, sighting: Sighting) -> Mapping[str, Sighting]:
        said = {"beat": sighting.beat, "silent": dict(sighting.silent)}
        self._notes.write(sighting.place, said, self._process.clock(), lambda: None)
        found = self._notes.read()
        return {place: Sighting(place, one["beat"], one["silent"]) for place, one in found.items()}

    def standing(self, unit: FailoverUnit) -> Standing:
        world = self._world
        self._process.takes(0.5)
        if not world.reaches(self._process.name, unit.target):
            raise Unreachable(f"{unit.target} does not answer")
        begun = ""
        if world.record.open and world.bug != "second move":
            begun = world.record.id if world.record.stage in ("began", "detach", "take over", "start") else ""
            if not begun or world.b.role != DESTINATION:
                return Standing("" if begun else "under way", begun=begun)
        if unit.target != "b" or world.b.role != DESTINATION:
            return Standing("is no destination", None) if world.bug != "second move" else Standing("", 0.0)
        return Standing("connected" if world.connected() and world.bug != "connected" else "", world.age, begun)

    def fail_over(self, unit: FailoverUnit, begun: str, still: Callable[[], str]) -> str:
        world, process = self._world, self._process
        process.takes(30.0, often=20)  # the plan reads the source for half a minute
        with Locking(world, process, LONGEST) as ledger:
            record = world.record
            if begun and world.bug != "second move":
                if not record.open or record.id != begun:
                    raise VastplanError("it has ended")
                if world.b.role == DESTINATION:
                    ledger.write("home")
                    return "taken back"
            else:
                if record.open and world.bug != "second move":
                    raise VastplanError("a move is under way")
                if world.b.role != DESTINATION and world.bug != "second move":
                    raise VastplanError("the roles have changed")
                ledger.write("began", f"{next(world.moves)}")
            if world.record.stage in ("began", "detach"):
                self._detached(ledger, unit, still)
            if world.record.stage in ("detach", "take over"):
                ledger.write("take over")
                process.takes(1.0)
                if world.b.role == STANDALONE:
                    world.b.role = SOURCE
                ledger.write("start")
            process.takes(1.0)
            if not world.reaches(process.name, "b"):
                raise Unreachable("b does not answer")
            world.b.jobs.add(f"train-m{record.id}")  # a second one of this name is refused
            ledger.write("done", source="b")
        return "failed over"

    def fenced_in_vain(self, site: str) -> bool:
        return False

    def _detached(self, ledger: Locking, unit: FailoverUnit, still: Callable[[], str]) -> None:
        world, process = self._world, self._process
        if world.b.role == DESTINATION:
            process.takes(world.random.choice((1.0, 20.0, 120.0)))
            confirmed = world.random.random() < 0.8
            if confirmed:
                world.a.fenced = True
            elif world.bug != "no fence":
                ledger.write("given up" if world.record.stage == "began" else "detach")
                world.record.stage = "home"  # taken back
                raise VastplanError("a is not fenced")
            why = still()
            if why:
                ledger.write("home")
                world.a.fenced = False  # a person ends the fence
                raise VastplanError(why)
            world.decided(process.name)
        ledger.write("detach")
        process.takes(1.0, often=20)
        if not world.reaches(process.name, "b"):
            raise Unreachable("b does not answer")
        world.detach()

    def renew(self, unit: FailoverUnit) -> str:
        return "armed"

    def say(self, text: str) -> None:
        """Nobody listens."""

    def alarm(self, texts: tuple[str, ...]) -> None:
        self._world.counts["alarms"] += bool(texts)


def history(seed: int, bug: str = "") -> Counter[str]:
    """What happened in a history. Raises `Broken` if a promise was broken."""
    world = World(seed, bug)
    with ExitStack() as stack:
        seed_bug(bug, stack)
        world.play()
    return world.counts


def seed_bug(bug: str, stack: ExitStack) -> None:
    """Put a fault into the product for as long as the stack is open; others are in this world."""
    from unittest.mock import patch

    from vastplan.operations.failover import sight

    def believes(self: sight.Others, site: str, seconds: float, now: float, lasts: float) -> tuple[str, ...]:
        return tuple(place for place, heard in self.heard.items() if heard.sighting.silent.get(site, 0.0) >= seconds)

    def gapless(self: sight.Silence, site: str, ended: float, *, answered: bool, lasts: float) -> sight.Silence:
        since = {name: ticks for name, ticks in self.since.items() if name != site}
        if not answered:
            since[site] = self.since.get(site, ended)
        return sight.Silence(since, {**self.looked, site: ended})

    changed: dict[str, tuple[Any, str, Any]] = {
        "believes what is old": (sight.Others, "agreeing", believes),
        "sees no gap": (sight.Silence, "after", gapless),
        "alone": (sight.Others, "agreeing", lambda *_: ("itself",)),
        "asks once": (Watcher, "_still", lambda *_: ""),
    }
    if bug in changed:
        stack.enter_context(patch.object(*changed[bug]))


BUGS = (
    "believes what is old",
    "sees no gap",
    "alone",
    "asks once",
    "short lock",
    "no fence",
    "second move",
    "connected",
)


def main() -> int:
    """1 if a promise was broken."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--histories", type=int, default=1000)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--bug", choices=BUGS, default="")
    options = parser.parse_args()
    counts, broken = Counter[str](), 0
    for seed in range(options.first, options.first + options.histories):
        try:
            counts += history(seed, options.bug)
        except Broken as problem:
            broken += 1
            print(f"seed {seed}: {problem}")
    print(f"{options.histories} histories, {broken} broken promises; {dict(counts)}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
