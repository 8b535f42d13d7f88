"""A project with two volumes and a workload that mounts both, who may write to them, and what is so in the end."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.moving.theatre import BASE, GB, TWIN, Theatre, theatre
from vastplan.app.move import plan_move
from vastplan.model.address import Address
from vastplan.model.move_plan import MovePlan
from vastplan.model.operation import Phase
from vastplan.operations.wanted import WantedMove
from vastplan.sim.runai import workloads
from vastplan.sim.vast import content
from vastplan.systems.transport import Answer, ClientRequest, Transport

TEAM = Address("iad", "project", "team")
EVENTS, WRITES = 324, 10
"""How many events such a move has, which the first test holds, and how many calls that write."""
DIRECTORIES = ("/team/home", "/team/data")
DATA = {"sites": ["iad"], "path": "/team/data", "size": "10 TiB", "mount": "/data", "snapshots": "protected"}
DATA_TWIN = {"sites": ["pdx"], "path": "/team/data", "size": "10 TiB", "mount": "/data", "name": "data-there"}


class Both(Theatre):
    """The theatre with a second volume."""

    def plan(self, to: str = "pdx", **options: Any) -> MovePlan:
        return plan_move(self.lab.workspace(), WantedMove(TEAM, to, **options), self.clock)

    def rows(self, site: str) -> dict[str, dict[str, Any]]:
        self.lab._tokens.clear()
        rows = self.lab.by_hand(site, "vast", "GET", "/api/v5/protectedpaths/")
        return {str(row["name"]): dict(row) for row in rows}

    def roles_of_all(self) -> set[tuple[str, str]]:
        here, there = self.rows("iad"), self.rows("pdx")
        return {(here[name]["role"], there[name]["role"]) for name in here}

    def held(self, site: str) -> dict[str, list[str]]:
        with self.lab.world.lock:
            cluster = self.vast(site)._cluster
            return {
                one: content.complete_labels(cluster, content.pointer(cluster, self.tenant[site], one))
                for one in DIRECTORIES
            }

    def start_job(self, every: float = 60) -> None:
        with self.lab.world.lock:
            self.job = self.runai("iad").submit("team", "train", gpus=4, claim_names=["home", "data"])
            self.vast("iad").start_job(self.job, "/team/home", every=every, bytes=GB, tenant_id=self.tenant["iad"])

    def at_work(self) -> bool:
        """Whether the workload at iad runs, behind the system's back."""
        rows = workloads.live_workloads(self.runai("iad")._ctx)
        return any(row["phase"] == "Running" for row in rows)


@contextlib.contextmanager
def asked_of(scene: Both, site: str, system: str) -> Iterator[list[str]]:
    """The paths of the requests to a system meanwhile, also of those that nobody answers."""
    asked: list[str] = []
    call = Transport.call
    (url,) = (one.url for one in scene.lab.world.endpoints() if (one.site, one.system) == (site, system))

    def called(transport: Transport, request: ClientRequest) -> Answer:
        if transport.address.startswith(url.removesuffix("/")):
            asked.append(request.path)
        return call(transport, request)

    with patch.object(Transport, "call", called):
        yield asked


class Judge:
    """Who may write each path, at every second, and that both end alike. What the workload logs to the second volume is written here."""

    def __init__(self, scene: Both) -> None:
        self._scene = scene
        self._guids = [str(row["guid"]) for row in scene.rows("iad").values()]
        self.most, self.seconds = 0, 0
        self.acknowledged: list[str] = []
        scene.clock.watchers.append(self._look)

    def _look(self) -> None:
        scene = self._scene
        self.most = max(self.most, *(len(scene.lab.world.writers(guid)) for guid in self._guids))
        self.seconds += 1
        with scene.lab.world.lock:
            if self.seconds % 7 == 0 and scene.at_work():
                label = f"log-{self.seconds}"
                scene.vast("iad").write("/team/data", GB, label, tenant_id=scene.tenant["iad"])
                self.acknowledged.append(label)

    def moved(self) -> None:
        scene = self._scene
        assert len(self._guids) == 2 and self.most == 1
        assert scene.roles_of_all() == {("DESTINATION", "SOURCE")}
        assert scene.workloads("iad") == {"train": "Stopped"}
        (there,) = scene.workloads("pdx").items()
        assert there[1] == "Running"
        assert scene.held("iad") == scene.held("pdx")
        held = scene.held("pdx")
        assert {"step-0", *self.acknowledged} <= set(held["/team/data"])
        assert {"step-0", "step-100", "step-200"} <= set(held["/team/home"])
        self.recorded(Phase.DONE)

    def recorded(self, phase: Phase) -> None:
        with self._scene.lab.workspace().ledger() as backend:
            here, there = (backend.read(site).operations for site in ("iad", "pdx"))
        assert here == there and set(here) == set(self._guids)
        assert {one.phase for one in here.values()} == {phase}
        assert len({(one.id, one.serial, one.term) for one in here.values()}) == 1


@contextlib.contextmanager
def both(folder: Path) -> Iterator[Both]:
    """Both sites, with two volumes at iad, their copies at pdx and claims for them there."""
    base = deepcopy(BASE)
    base["tenants"]["team"]["volumes"]["data"] = DATA
    with theatre(folder, base, {"home-copy": TWIN, "data-copy": DATA_TWIN}) as one:
        made = Both(one.lab, one.clock, tenant=one.tenant)
        with made.lab.world.lock:
            made.vast("iad").write("/team/data", GB, "step-0", tenant_id=made.tenant["iad"])
        made.clock.sleep(10)
        yield made


def busy(scene: Both) -> Judge:
    scene.start_job()
    judge = Judge(scene)
    scene.clock.sleep(130)
    assert judge.acknowledged
    return judge
