"""Random moves while links and sites fail and return, with kills between: `python -m tests.moving.random --n 200 --seed 1`.

A seed is the same history in every run of the same sources. `--tell` tells it.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

from tests.moving.matrix import Killed, Killer
from tests.moving.seen import SITES, Seen
from tests.moving.theatre import theatre
from vastplan.app.move import abort_move
from vastplan.model.errors import Refused, Stale, Unreachable, VastplanError
from vastplan.model.move_plan import KEEP, PLANNED, REJOIN, UNPLANNED, MovePlan
from vastplan.model.operation import Operation, Phase
from vastplan.operations.run import Stopped
from vastplan.schema.transport_limits import TransportLimits

STEPS = 7  # of one history
RUNS = 16  # of one move, at most, until it has ended
PATIENT = TransportLimits(connect=5.0, silence=20.0, whole=60.0, retries=2, backoff=0.002, longest=0.02)
"""A connection that is refused is known at once; nothing here is slow, so what a seed does is not a matter of time."""


class Broken(AssertionError):
    """A promise that does not hold."""


@dataclass
class History(Seen):
    """One world, and what was written when."""

    rng: random.Random
    written: dict[str, float] = field(default_factory=dict)
    away: set[str] = field(default_factory=set)
    cut: bool = False
    crowds: set[tuple[str, ...]] = field(default_factory=set)
    schedule: list[tuple[float, Callable[[], None]]] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)

    def say(self, text: str) -> None:
        self.told.append(f"{self.scene.clock.passed:7.0f} s  {text}")

    def holds(self, true: bool, text: str) -> None:
        if not true:
            raise Broken("\n".join([*self.told, f"BROKEN: {text}", f"roles {self.roles()}, writers {self.writers()}"]))

    # what happens

    def write(self) -> None:
        for site in self.writers():
            label = f"{site}-{len(self.written)}"
            self.scene.write(site, label, self.rng.choice([10**6, 10**9, 20 * 10**9]))
            self.written[label] = self.scene.clock.now().timestamp()
            self.say(f"{label} is written")

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

    def watch(self) -> None:
        """Each second of a run: what is due, and who may write."""
        self.crowds.add(self.writers())
        while self.schedule and self.schedule[0][0] <= self.scene.clock.passed:
            self.schedule.pop(0)[1]()

    def move(self) -> None:
        """A move of a random mode, also of one that makes no sense now: that is refused, and nothing has changed."""
        mode, to = self.rng.choice([PLANNED, UNPLANNED, REJOIN, KEEP]), self.rng.choice(SITES)
        follows = [site for site, role in self.roles().items() if role == "DESTINATION"]
        if follows and self.rng.random() < 0.8:
            (to,) = follows
            mode = UNPLANNED if self.away - {to} or self.cut else self.rng.choice([PLANNED, PLANNED, UNPLANNED])
        elif not follows and self.rng.random() < 0.8:
            mode = self.rng.choice([REJOIN, KEEP])
        self.tried(mode, to, "it is broken" if mode == UNPLANNED and self.rng.random() < 0.5 else "")

    def tried(self, mode: str, to: str, broken: str = "", *, calm: bool = False) -> bool:
        roles = self.roles()
        try:
            plan = self.scene.plan(to, mode=mode, broken=broken)
        except VastplanError as problem:
            self.say(f"{mode} to {to} is refused: {str(problem)[:150]}")
            self.holds(self.roles() == roles, "a plan changed roles")
            return False
        self.say(f"{mode} to {to} is planned; loses {plan.loss[:120]}")
        if not calm and self.rng.random() < 0.5:
            begin = self.scene.clock.passed + self.rng.randrange(1, 150)
            self.schedule = [(begin, self.fail), (begin + self.rng.randrange(20, 400), self.mend)]
        here, there, kept = self.labels(plan.source), self.labels(plan.target), self.running(plan.source)
        point = self.of_point(plan.target, plan.lose["guid"]) if mode == UNPLANNED else set()
        self.crowds.clear()
        self.scene.clock.watchers.append(self.watch)
        done = self.carried(plan, calm=calm)
        self.scene.clock.watchers.clear()
        self.schedule.clear()
        if done is None:
            self.holds(self.roles() == roles or mode != PLANNED, "a move that was not begun changed roles")
            return False
        self.say(f"{mode} to {to} has ended: {done.phase.value}")
        self.ended.append(f"{mode} {done.phase.value}")
        self.judge(plan, done, roles, here, there, point, kept)
        return done.phase is Phase.DONE

    def carried(self, plan: MovePlan, *, calm: bool) -> Operation | None:
        """Until it has ended, by running it again after kills and stops, or by taking it back; `None` where it never began."""
        back = False
        for number in range(RUNS):
            deadly = self.rng.randrange(110) if not calm and number < 6 and self.rng.random() < 0.5 else -1
            killer = Killer(deadly)
            try:
                with killer.armed():
                    if back:
                        return abort_move(
                            self.scene.lab.workspace(), plan.id[:8], self.scene.told.append, self.scene.clock
                        )
                    return self.scene.run(plan)
            except Killed:
                self.say(f"killed at event {deadly}")
            except Stopped as stop:
                self.say(f"stopped: {str(stop).splitlines()[0][:200]}")
                if number > 1:
                    self.mend()
                self.scene.clock.sleep(60)
                back = "is being taken back" in str(stop) or (
                    "cannot be taken back any more" not in str(stop) and (number > 5 or self.rng.random() < 0.25)
                )
            except (Stale, Refused, Unreachable) as problem:
                self.say(f"{type(problem).__name__}: {str(problem)[:150]}")
                if isinstance(problem, Stale) and not self.begun(plan):
                    return None
                self.mend()
                self.scene.clock.sleep(60)
            except VastplanError as problem:
                self.say(str(problem)[:150])
                if "no move" in str(problem) and not self.begun(plan):
                    return None
                if not (self.cut or self.away):
                    self.holds(number < RUNS - 2, f"it does not end: {problem}")
                self.mend()
                self.scene.clock.sleep(60)
        self.holds(False, "it does not end")
        return None

    def begun(self, plan: MovePlan) -> bool:
        with self.scene.lab.workspace().ledger() as backend:
            parts = [backend.read(site) for site in SITES]
        return any(one.id == plan.id[:8] for part in parts for one in part.operations.values())

    # what must be so

    def judge(
        self,
        plan: MovePlan,
        done: Operation,
        roles: dict[str, str],
        here: set[str],
        there: set[str],
        point: set[str],
        work: int,
    ) -> None:
        source, target = plan.source, plan.target
        now = self.labels(target)
        ended = done.phase is Phase.DONE
        if plan.mode == PLANNED:
            self.holds(max(map(len, self.crowds), default=0) <= 1, f"two writers in a planned move: {self.crowds}")
            self.holds(here <= (now if ended else self.labels(source)), "a planned move lost something")
        if not ended:
            self.holds(plan.mode == KEEP or self.roles() == roles, f"taken back, and the roles were {roles}")
            self.holds(plan.mode == PLANNED or there <= now, "taken back, and something is gone")
            return
        self.holds(self.roles()[target] == "SOURCE", f"{target} does not lead")
        self.recorded(done)
        told = _seconds(plan.lose["created"])
        if plan.mode == UNPLANNED:
            self.holds(point <= now, "the restore point that was named is not what it went back to")
            self.holds(all(self.written[one] >= told for one in here - now), "more was lost than was told")
        else:
            self.holds(self.roles()[source] == "DESTINATION", f"{source} does not follow")
            self.holds(self.running(source) == 0, f"work runs at {source}, which follows")
        if plan.mode == PLANNED:
            self.holds(self.running(target) >= work, "work that ran before does not run now")
        if plan.mode in (REJOIN, KEEP):
            self.holds(there <= now and self.labels(source) == now, "what was to be kept was not")
            self.holds(here - now <= self.kept(source), "the branch is in no snapshot")
            self.holds(all(self.written[one] >= told for one in here - now), "more was lost than was told")
        self.scene.lab.clear_calls()
        self.holds(self.scene.run(plan) == done and not self.moved(), "a second run of what has ended did something")

    def moved(self) -> list[str]:
        return [f"{call.method} {call.path}" for call in self.scene.lab.calls() if "token" not in call.path]

    def recorded(self, done: Operation) -> None:
        with self.scene.lab.workspace().ledger() as backend:
            parts = [backend.read(site).operations.get(self.guid) for site in SITES]
        self.holds(parts == [done, done], "the parts of the ledger differ")

    def always(self) -> None:
        """After each step: nothing is deleted, and what was ever written is somewhere."""
        there = {label for site in SITES for label in self.labels(site) | self.kept(site)}
        self.holds(self.written.keys() <= there, f"gone for good: {sorted(self.written.keys() - there)}")
        deletes = [call for call in self.scene.lab.all_calls() if call.method == "DELETE"]
        self.holds(not deletes, f"something was deleted: {deletes}")
        declared = [site for site, role in self.roles().items() if role == "SOURCE"]
        told = {one for mode in self.ended[-1:] for one in mode.split()}
        self.holds(len(declared) <= 1 or bool(told & {UNPLANNED, KEEP}), "two declared writers")

    def out(self) -> None:
        """However it stands, there is a way to one source, and from there to the other side."""
        self.mend()
        self.scene.clock.sleep(300)
        if sum(role in ("SOURCE", "STANDALONE") for role in self.roles().values()) > 1:
            self.holds(self.tried(KEEP, self.rng.choice(SITES), calm=True), "no way out of two branches")
            self.always()
        (leads,) = [site for site, role in self.roles().items() if role == "SOURCE"]
        (other,) = {*SITES} - {leads}
        self.write()
        self.holds(self.tried(PLANNED, other, calm=True), "no planned move at the end")
        self.always()

    def play(self) -> None:
        for _ in range(STEPS):
            self.rng.choice([self.write, self.wait, self.fail, self.move, self.move, self.move])()
            self.always()
        self.out()


def _seconds(created: str) -> float:
    from datetime import UTC, datetime

    if not created:
        return 0.0
    moment = datetime.fromisoformat(created)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


@contextlib.contextmanager
def history(folder: Path, seed: int) -> Iterator[History]:
    """A world with the volume and a workload that uses it."""
    with patch.dict(os.environ, {"CSI_PASSWORD": "of-the-csi-user"}), theatre(folder) as scene:
        with scene.lab.world.lock:
            scene.runai("iad").submit("team", "train", gpus=1, claim_names=["home"])
        made = History(scene, scene.path("iad")["guid"], random.Random(seed))
        made.written["step-0"] = scene.clock.now().timestamp() - 10  # the scene wrote it, and waited
        scene.lab.clear_calls()
        with patch("vastplan.app.connect.TRANSPORT_LIMITS", PATIENT):
            yield made


def main() -> int:
    """Play seeds; the first that breaks a promise ends it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--n", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tell", action="store_true")
    asked = parser.parse_args()
    ended: dict[str, int] = {}
    for seed in range(asked.seed, asked.seed + asked.n):
        with tempfile.TemporaryDirectory() as folder, history(Path(folder), seed) as played:
            try:
                played.play()
            except Broken as broken:
                print(f"seed {seed}:\n{broken}")
                return 1
            for one in played.ended:
                ended[one] = ended.get(one, 0) + 1
            print(f"seed {seed}: {', '.join(played.ended)}", flush=True)
            if asked.tell:
                print("\n".join(played.told))
    print(f"{asked.n} histories: {', '.join(f'{number} {what}' for what, number in sorted(ended.items()))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
