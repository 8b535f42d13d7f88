"""Moves through global access, watched each second: where work is, and what it finds when it begins."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from unittest.mock import patch

from tests.faults.strike import HASTY
from tests.moving.matrix import RUNS, Killed, Nth, killed_at
from tests.moving.theatre import Theatre
from vastplan.app.move import run_move
from vastplan.model.errors import VastplanError
from vastplan.model.move_plan import THROUGH, MovePlan
from vastplan.model.operation import Operation, Phase
from vastplan.sim.runai import workloads
from vastplan.sim.vast.control import NoAnswer

SITES = ("iad", "pdx")
_OVER = ("Stopped", "Failed", "Completed")


@dataclass
class Watch:
    """What is seen of one volume, as clients and users see it. Somebody reads at pdx all the time, so that its cache is old."""

    scene: Theatre
    claim: str = ""
    """Of all work that which mounts it; "" for all."""
    crowds: set[tuple[str, ...]] = field(default_factory=set)
    missing: set[str] = field(default_factory=set)
    """What was written before work began at a site, and could not be read there then."""
    known: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.known = {str(row["id"]) for site in SITES for row in self._rows(site)}
        self.scene.clock.watchers.append(self.look)

    def _rows(self, site: str) -> list[dict[str, object]]:
        with self.scene.lab.world.lock:
            rows = workloads.live_workloads(self.scene.runai(site)._ctx)
            return [row for row in rows if not self.claim or self.claim in row["claims"]]

    def look(self) -> None:
        with contextlib.suppress(NoAnswer):
            self.scene.labels("pdx")
        self.crowds.add(tuple(site for site in SITES if any(row["phase"] not in _OVER for row in self._rows(site))))
        for site in SITES:
            fresh = {str(row["id"]) for row in self._rows(site)} - self.known
            if fresh:
                self.known |= fresh
                with contextlib.suppress(NoAnswer):  # it waits, and finds nothing that is old
                    self.missing |= set(self.scene.labels("iad")) - set(self.scene.labels(site))

    def holds(self) -> None:
        """At no second work was at both sites, and nothing that was written was missing where work began."""
        assert max(map(len, self.crowds), default=0) <= 1, self.crowds
        assert not self.missing, self.missing
        assert self.scene.roles() == ("SOURCE", "DESTINATION")

    def moved(self, to: str) -> None:
        """Work has gone to a site, with all that was written."""
        self.holds()
        (other,) = set(SITES) - {to}
        assert [phase for phase in self.scene.workloads(to).values() if phase != "Stopped"] == ["Running"]
        assert set(self.scene.workloads(other).values()) == {"Stopped"}
        assert self.phase() is Phase.DONE

    def stayed(self) -> None:
        """Work is where it was, at iad, and what may have been submitted at pdx has stopped."""
        self.scene.clock.sleep(10)  # one that was followed, for nobody can tell whose it is, ends by itself
        self.holds()
        assert self.scene.workloads("iad")["train"] in ("Resuming", "Running")
        assert set(self.scene.workloads("pdx").values()) <= {"Stopped"}
        assert self.running() == []

    def running(self) -> list[object]:
        """The prefetches that are under way at pdx."""
        self.scene.lab._tokens.clear()
        found = self.scene.lab.by_hand("pdx", "vast", "GET", "/api/v5/clusters/list_prefetch_paths_info/")
        return list(found["prefetch_data"])

    def phase(self) -> Phase | None:
        """As both parts of the ledger say; `None` where nothing was begun."""
        with self.scene.lab.workspace().ledger() as backend:
            parts = [backend.read(site) for site in SITES]
        found = [one for part in parts for one in part.operations.values()]
        last = [max(part.operations.values(), key=lambda one: one.term, default=None) for part in parts]
        assert last[0] == last[1]
        return found[-1].phase if found else None


def busy(scene: Theatre) -> Watch:
    """A job at iad that has written a few checkpoints."""
    scene.start_job()
    scene.clock.sleep(130)
    return Watch(scene)


def planned(scene: Theatre, to: str = "pdx", **options: str) -> MovePlan:
    return scene.plan(to, mode=THROUGH, **options)


def taken_back(scene: Theatre, plan: MovePlan) -> Operation | None:
    """As somebody does who types the abort until it is done; `None` where nothing was begun."""
    told: list[str] = []
    for _ in range(RUNS):
        try:
            return scene.abort(plan)
        except VastplanError as problem:
            if "no move" in str(problem):
                return None
            told.append(str(problem))
            scene.clock.sleep(30)
    raise AssertionError("it is not taken back:\n" + "\n".join(told))


def killed_abort(scene: Theatre, plan: MovePlan, deadly: int) -> int:
    """An abort that is killed at an event, and how many there were; -1 is none."""
    return killed_at(deadly, lambda: scene.abort(plan))


def struck_abort(scene: Theatre, plan: MovePlan, name: str, number: int) -> Nth:
    """An abort, and those after it, of which one call is struck."""
    nth = Nth(scene, name, number, writes=True)
    with patch("vastplan.app.connect.TRANSPORT_LIMITS", HASTY):
        taken_back(scene, plan)
    return nth


def stop_at(scene: Theatre, plan: MovePlan, stage: str, wait: str = "") -> None:
    """A run that ends where a stage begins, or when it says that it waits."""

    def tell(text: str) -> None:
        scene.told.append(text)
        if wait in text if wait else f"] {stage}:" in text:
            raise Killed

    with contextlib.suppress(Killed):
        run_move(scene.lab.workspace(), plan, tell, "move.json", scene.clock)
