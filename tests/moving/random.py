"""Random moves and restores while links and sites fail and return, with kills between: `python -m tests.moving.random --n 200 --seed 1`.

A seed is the same history in every run of the same sources. `--tell` tells it.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from unittest.mock import patch

from tests.moving.matrix import Killed, Killer
from tests.moving.mixed import OF_ALL, REPLICATED, Mixed, mixed
from tests.moving.seen import SITES
from tests.moving.ways import SHARED, Broken, Moved, State, Together, Way, chosen, holds
from vastplan.model.errors import Refused, Stale, Unreachable, VastplanError
from vastplan.model.move_plan import KEEP, REJOIN
from vastplan.model.operation import Operation, Phase
from vastplan.operations.run import Stopped
from vastplan.schema.transport_limits import TransportLimits

RUNS = 16  # of one operation, at most, until it has ended
WAYS = ("project", "project lost", "through", "fork", "rehearse", "restore new", "restore in place")
PLAIN = ("write", "wait", "wait", "fail", "fail", *("move",) * 5)
"""What there is to do besides; a history takes `STEPS` of either, in any order."""
STEPS = (5, 4)
PATIENT = TransportLimits(connect=5.0, silence=20.0, whole=60.0, retries=2, backoff=0.002, longest=0.02)
"""A connection that is refused is known at once; nothing here is slow, so what a seed does is not a matter of time."""


@dataclass
class History:
    """One world, and what becomes of it."""

    mixed: Mixed
    rng: random.Random
    away: set[str] = field(default_factory=set)
    cut: bool = False
    crowds: dict[str, set[tuple[str, ...]]] = field(default_factory=dict)
    schedule: list[tuple[float, Callable[[], None]]] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    cuts: Counter[str] = field(default_factory=Counter)
    """How often each way was cut, and by what."""

    def __post_init__(self) -> None:
        self.scene = self.mixed.scene

    def say(self, text: str) -> None:
        self.told.append(f"{self.scene.clock.passed:7.0f} s  {text}")

    # what happens

    def write(self) -> None:
        for volume, seen in self.mixed.of.items():
            for site in SITES if volume == "shared" else seen.writers():
                label = self.mixed.write(site, volume, self.rng.choice([10**6, 10**9, 20 * 10**9]))
                self.say(f"{label} is written" if label else f"nothing can be written to {volume} at {site}")

    def wait(self) -> None:
        seconds = self.rng.choice([20, 120, 900, 4000])
        self.say(f"{seconds} s pass")
        self.scene.clock.sleep(seconds)

    def fail(self) -> None:
        """A link or a site fails, or what had failed is back."""
        if self.cut or self.away:
            self.mend()
        elif self.rng.random() < 0.4:
            self.say("the link is cut")
            self.cut = True
            self.scene.lab.world.link(*SITES, up=False)
        else:
            site = self.rng.choice(SITES)
            self.say(f"{site} is lost")
            self.away.add(site)
            self.scene.lab.world.lose(site, power=True)

    def mend(self) -> None:
        if self.cut or self.away:
            self.say("all is back")
        if self.cut:
            self.scene.lab.world.link(*SITES, up=True)
        for site in sorted(self.away):
            self.scene.lab.world.find(site)
        self.cut, self.away = False, set()

    def act(self, kind: str) -> None:
        if kind == "project lost" and not (self.cut or self.away):
            self.fail()
        elif (
            kind not in ("move", "project lost") and self.rng.random() < 0.7
        ):  # of a site that is lost there is not much to do but to move
            self.mend()
        self.tried(chosen(kind, self.mixed, self.rng, trouble=self.cut or bool(self.away), away=self.away), calm=False)

    def tried(self, way: Way, *, calm: bool = True) -> bool:
        """It is planned and carried out, until it has ended one way or the other; whether it has ended well."""
        before = State.of(self.mixed)
        try:
            way.planned()
        except VastplanError as problem:
            self.say(f"{way.about} is refused: {str(problem)[:150]}")
            holds(State.of(self.mixed) == before, "a plan changed something")
            way.given_up()
            return False
        self.say(f"{way.about} is planned; loses {way.plan.loss[:120]}")
        if not calm and self.rng.random() < 0.5:
            begin = self.scene.clock.passed + self.rng.randrange(1, way.lasts)
            self.schedule = [
                (begin, lambda: self._struck(way)), (begin + self.rng.randrange(20, 400), self.mend),
            ]  # fmt: skip
        way.begin()
        self.crowds = {volume: set() for volume in OF_ALL}
        self.scene.clock.watchers.append(lambda: self.watch(way))
        done = self.carried(way, calm=calm)
        self.scene.clock.watchers.clear()
        self.schedule.clear()
        if done is None:
            holds(not any(map(way.turned, OF_ALL)), "one that was not begun changed roles")
            way.given_up()
            return False
        self.say(f"{way.about} has ended: {done.phase.value}")
        self.ended.append(f"{way.name} {done.phase.value}")
        self.judge(way, done)
        return done.phase is Phase.DONE

    def _struck(self, way: Way) -> None:
        self.cuts[f"{way.name}, a failure"] += 1
        self.fail()

    def watch(self, way: Way) -> None:
        """Each second of a run: what is due, who may write, and who does."""
        for volume, seen in self.mixed.of.items():
            self.crowds[volume].add(seen.writers())
        way.second()
        self.mixed.second()
        while self.schedule and self.schedule[0][0] <= self.scene.clock.passed:
            self.schedule.pop(0)[1]()

    def carried(self, way: Way, *, calm: bool) -> Operation | None:
        """Until it has ended, by running it again after kills and stops, or by taking it back; `None` where it never began."""
        back = False
        for number in range(RUNS):
            deadly = self.rng.randrange(way.events) if not calm and number < 6 and self.rng.random() < 0.5 else -1
            try:
                with Killer(deadly).armed():
                    if back:
                        return way.abort()
                    if number and self.rng.random() < 0.6 and self.begun(way):
                        self.cuts[f"{way.name}, gone on with by its id"] += 1
                        return way.go_on()
                    return way.run()
            except Killed:
                self.say(f"killed at event {deadly}")
                self.cuts[f"{way.name}, a kill"] += 1
                back = back or self.rng.random() < 0.4
            except Stopped as stop:
                self.say(f"stopped: {str(stop).splitlines()[0][:200]}")
                back = self._after(way, str(stop), number, calm=calm)
            except (Stale, Refused, Unreachable) as problem:
                self.say(f"{type(problem).__name__}: {str(problem)[:150]}")
                if isinstance(problem, Stale) and not self.begun(way):
                    return None
                self.mend()
                self.scene.clock.sleep(60)
            except VastplanError as problem:
                self.say(str(problem)[:150])
                if f"no {way.plan.kind}" in str(problem) and not self.begun(way):
                    return None
                if "has ended" in str(problem):  # it was killed when all but its last word was written
                    back = False
                if not (self.cut or self.away):
                    holds(number < RUNS - 2, f"it does not end: {problem}")
                self.mend()
                self.scene.clock.sleep(60)
        holds(False, "it does not end")
        return None

    def _after(self, way: Way, stop: str, number: int, *, calm: bool) -> bool:
        """What somebody does after a stop; whether to take it back."""
        if number > 1 or "is not applied yet" in stop:
            self.mend()
        try:
            done = way.stopped(stop)
        except VastplanError as problem:
            done = str(problem)[:150]
        if done:
            self.say(done)
        self.scene.clock.sleep(60)
        return "is being taken back" in stop or (
            "can no longer be taken back" not in stop and (number > 5 or (not calm and self.rng.random() < 0.25))
        )

    def begun(self, way: Way) -> bool:
        with self.scene.lab.workspace().ledger() as backend:
            parts = [backend.read(site) for site in SITES]
        return any(one.id == way.plan.id[:8] for part in parts for one in part.operations.values())

    # what must be so

    def judge(self, way: Way, done: Operation) -> None:
        for volume, crowds in self.crowds.items():
            parted = volume in self.mixed.parted or (way.parts and volume in way.moves)
            most = max(map(len, crowds), default=0)
            holds(most <= 1 or parted, f"two writers of {volume} while {way.about}: {crowds}")
        way.judge(done)
        if way.parts:
            self.mixed.parted |= {*way.moves}
        elif way.turns and done.phase is Phase.DONE:
            self.mixed.parted -= {*way.moves}
        deletes = [call for call in self.scene.lab.all_calls() if call.method == "DELETE"]
        holds(way.deletes or not deletes, f"something was deleted: {deletes}")
        self.scene.lab.clear_calls()
        if done.phase is Phase.DONE:
            again = way.run()
            # of several paths the record of any of them is answered
            same = replace(again, subject=done.subject, address=done.address) == done
            holds(same and not self.moved(), "a second run of what has ended did something")

    def moved(self) -> list[str]:
        return [f"{call.method} {call.path}" for call in self.scene.lab.calls() if "token" not in call.path]

    def always(self) -> None:
        """After each step: what was ever written is somewhere, and at most one side of each volume is said to lead."""
        for volume, seen in self.mixed.of.items():
            there = {label for site in SITES for label in seen.labels(site) | seen.kept(site)}
            gone = self.mixed.written[volume].keys() - there
            holds(not gone, f"gone for good of {volume}: {sorted(gone)}")
            roles = seen.roles()
            leading = sum(role == "SOURCE" for role in roles.values())
            holds(leading <= 1 or volume in self.mixed.parted, f"two declared writers of {volume}")
            holds(volume != "shared" or roles == SHARED, f"what is shared has the roles {roles}")
        for branch in self.mixed.branches.values():
            gone = branch.written - self.mixed.of_branch(branch)
            holds(not gone, f"gone for good of {branch.name}: {sorted(gone)}")
            strays = {one for seen in self.mixed.of.values() for site in SITES for one in seen.labels(site)}
            holds(not strays & branch.written, f"what was written to {branch.name} is in what it was made from")

    def out(self) -> None:
        """However it stands, there is a way to one source of each, and from there for all of them to the other side."""
        self.mend()
        self.scene.clock.sleep(300)
        for volume in REPLICATED:
            roles = self.mixed.of[volume].roles()
            if sum(role in ("SOURCE", "STANDALONE") for role in roles.values()) > 1:
                leads = self.mixed.leads(volume)
                if leads and self.rng.random() < 0.5:
                    way = Moved(self.mixed, (volume,), leads, REJOIN)
                else:
                    way = Moved(self.mixed, (volume,), self.rng.choice(SITES), KEEP)
                holds(self.tried(way), f"no way out of two branches of {volume}")
                self.always()
        self.write()
        leads = self.mixed.leads("home")
        if self.mixed.leads("data") != leads:
            holds(self.tried(Moved(self.mixed, ("data",), leads)), "no planned move at the end")
        (other,) = {*SITES} - {leads}
        holds(self.tried(Together(self.mixed, REPLICATED, other, leads)), "no move of the project at the end")
        self.always()

    def play(self) -> None:
        """All of it. Raises `Broken`, with what was told so far."""
        plain = {"write": self.write, "wait": self.wait, "fail": self.fail}
        try:
            deck = [*self.rng.sample(WAYS, STEPS[0]), *self.rng.sample(PLAIN, STEPS[1])]
            self.rng.shuffle(deck)
            for kind in deck:
                plain[kind]() if kind in plain else self.act(kind)
                self.always()
            self.out()
        except Broken as broken:
            raise Broken("\n".join([*self.told, f"BROKEN: {broken}", f"roles {self.mixed.roles()}"])) from None


@contextlib.contextmanager
def history(folder: Path, seed: int) -> Iterator[History]:
    """A world with all that moves, and workloads that use it."""
    with patch.dict(os.environ, {"CSI_PASSWORD": "of-the-csi-user"}), mixed(folder) as made:
        made.scene.lab.clear_calls()
        with patch("vastplan.app.connect.TRANSPORT_LIMITS", PATIENT):
            rng = random.Random(seed)
            made.pace = rng.choice([2, 17])
            yield History(made, rng)


def main() -> int:
    """Play seeds; the first that breaks a promise ends it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--n", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tell", action="store_true")
    asked = parser.parse_args()
    ended: Counter[str] = Counter()
    cuts: Counter[str] = Counter()
    for seed in range(asked.seed, asked.seed + asked.n):
        with tempfile.TemporaryDirectory() as folder, history(Path(folder), seed) as played:
            try:
                played.play()
            except Broken as broken:
                print(f"seed {seed}:\n{broken}")
                return 1
            ended.update(played.ended)
            cuts.update(played.cuts)
            print(f"seed {seed}: {', '.join(played.ended)}", flush=True)
            if asked.tell:
                print("\n".join(played.told))
    print(f"{asked.n} histories: {', '.join(f'{number} {what}' for what, number in sorted(ended.items()))}")
    print(f"cut: {', '.join(f'{number} {what}' for what, number in sorted(cuts.items()))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
