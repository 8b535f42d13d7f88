"""Two sites with a volume that replicates, a job that writes to it, and the hands to move it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tests.lab import Lab
from vastplan.app.move import abort_move, go_on_with_move, plan_move, run_move
from vastplan.model.address import Address
from vastplan.model.move_plan import MovePlan
from vastplan.model.operation import Operation
from vastplan.operations.wanted import WantedMove
from vastplan.sim.kubernetes import KubernetesPlane
from vastplan.sim.runai import RunaiPlane, workloads
from vastplan.sim.vast import VastPlane
from vastplan.sim.world import World

GB = 10**9
HOME = Address("iad", "volume", "home")


def _of_both(iad: Any, pdx: Any) -> dict[str, Any]:
    return {"iad": iad, "pdx": pdx}


BASE: dict[str, Any] = {
    "namespaces": {"vast-csi": {}},
    "secrets": {"vast-mgmt": {"namespace": "vast-csi", "data": {"username": "csi", "password": {"env": "CSI_PASSWORD"}}}},
    "departments": {"research": {"gpus": {"default": 16}}},
    "snapshot_schedules": {
        "protected": {
            "sites": ["iad"], "replicate_to": "iad-pdx",
            "frames": [{"every": "1h", "keep_local": "24h", "keep_remote": "7d"}],
        }
    },
    "vip_pools": {
        "replication": {
            "role": "REPLICATION", "subnet_cidr": 24,
            "per_site": _of_both({"ip_ranges": ["10.90.1.10 - 10.90.1.17"]}, {"ip_ranges": ["10.90.2.10 - 10.90.2.17"]}),
        }
    },
    "replication_peers": {"iad-pdx": {"between": _of_both({"vip_pool": "replication"}, {"vip_pool": "replication"})}},
    "tenants": {
        "team": {
            "vip_pool": {
                "subnet_cidr": 24,
                "per_site": _of_both({"ip_ranges": ["10.20.1.10 - 10.20.1.25"]}, {"ip_ranges": ["10.30.1.10 - 10.30.1.25"]}),
            },
            "view_policy": {"flavor": "NFS", "nfs_no_squash": ["10.12.0.0/24"]},
            "storage_class": {"driver": "file", "storage_path": "/team/k8s", "secret": "vast-mgmt"},
            "project": {"department": "research", "gpus": {"default": 8}},
            "volumes": {"home": {"sites": ["iad"], "path": "/team/home", "size": "10 TiB", "mount": "/home", "snapshots": "protected"}},
        }
    },
}  # fmt: skip
TWIN = {"sites": ["pdx"], "path": "/team/home", "size": "10 TiB", "mount": "/home", "name": "home"}
"""Until a document says which site is active, the other side's claim is a volume of its own at the same directory."""


class WorldClock:
    """The logical time of a world, which passes when somebody waits."""

    def __init__(self, world: World) -> None:
        self._world, self.passed = world, 0.0
        self.watchers: list[Any] = []
        self.ahead = timedelta()
        """Of the machine that vastplan runs on, before the clusters."""

    def now(self) -> datetime:
        with self._world.lock:
            return datetime.fromtimestamp(self._world.vast("iad").now(), UTC) + self.ahead

    def ticks(self) -> float:
        return self.passed

    def sleep(self, seconds: float) -> None:
        self.passed += seconds
        if not self.watchers:  # what falls due happens in its order all the same
            self._world.pass_time(int(seconds))
            return
        for _ in range(int(seconds)):
            self._world.pass_time(1)
            for watch in self.watchers:
                watch()


@dataclass
class Theatre:
    """The lab, and what is told of a run."""

    lab: Lab
    clock: WorldClock
    job: str = ""
    told: list[str] = field(default_factory=list)
    tenant: dict[str, int] = field(default_factory=dict)
    volume: str = "home"
    """The one that is looked at, written to and moved; another is looked at by a copy of this."""

    @property
    def directory(self) -> str:
        """Of the volume, the same on both sites."""
        return f"/team/{self.volume}"

    def vast(self, site: str) -> VastPlane:
        return self.lab.world.vast(site)

    def runai(self, site: str) -> RunaiPlane:
        plane = self.lab.world.sites[site].planes["runai"]
        assert isinstance(plane, RunaiPlane)
        return plane

    def labels(self, site: str) -> list[str]:
        with self.lab.world.lock:
            return self.vast(site).labels(self.directory, tenant_id=self.tenant[site])

    def write(self, site: str, label: str, size: int = GB) -> None:
        with self.lab.world.lock:
            self.vast(site).write(self.directory, size, label, tenant_id=self.tenant[site])

    def path(self, site: str) -> dict[str, Any]:
        self.lab._tokens.clear()  # time passes here, and tokens end
        rows = self.lab.by_hand(site, "vast", "GET", "/api/v5/protectedpaths/")
        (row,) = (row for row in rows if row["name"] == self.volume)
        return dict(row)

    def snapshots(self, site: str) -> list[dict[str, Any]]:
        self.lab._tokens.clear()
        return [dict(row) for row in self.lab.by_hand(site, "vast", "GET", "/api/v5/snapshots/")]

    def labels_of_snapshot(self, site: str, name: str) -> list[str]:
        with self.lab.world.lock:
            return self.vast(site).labels_of_snapshot(name)

    def roles(self) -> tuple[str, str]:
        return self.path("iad")["role"], self.path("pdx")["role"]

    def workloads(self, site: str) -> dict[str, str]:
        self.lab._tokens.clear()
        found = self.lab.by_hand(site, "runai", "GET", "/api/v1/workloads")["workloads"]
        return {row["name"]: row["phase"] for row in found}

    def renew(self) -> None:
        """Give Kubernetes' users a credential anew, as somebody must where none can be renewed."""
        for one in self.lab.world.endpoints():
            plane = self.lab.world.sites[one.site].planes[one.system]
            if isinstance(plane, KubernetesPlane):
                plane.renew(one.password)

    def find_after(self, seconds: float) -> None:
        """The lost site iad answers again when so much time has passed."""
        began = self.clock.ticks()

        def find() -> None:
            if self.clock.ticks() - began >= seconds:
                self.lab.world.find("iad")

        self.clock.watchers.append(find)

    def waited(self, plan: MovePlan) -> tuple[Operation, list[float]]:
        """A run, and the seconds that it waited before it began with the workloads of the lost site."""
        began, reached = self.clock.ticks(), list[float]()

        def report(text: str) -> None:
            if "fence" in text:
                reached.append(self.clock.ticks() - began)

        return run_move(self.lab.workspace(), plan, report, "move.json", self.clock, {}), reached

    def pause(self) -> None:
        """What somebody does before the same command is typed again."""
        self.renew()
        self.clock.sleep(30)

    def writers(self) -> list[str]:
        return self.lab.world.writers(self.path("pdx")["guid"])

    def enter(self, site: str, name: str = "train", every: float = 60) -> None:
        """The workers of a workload that is at a site: they write a checkpoint a minute there, from the newest one that they find."""
        with self.lab.world.lock:
            rows = workloads.live_workloads(self.runai(site)._ctx)
            (self.job,) = (row["id"] for row in rows if row["name"] == name)
            self.vast(site).start_job(self.job, "/team/home", every=every, bytes=GB, tenant_id=self.tenant[site])

    def plan(self, to: str = "pdx", **options: Any) -> MovePlan:
        return plan_move(self.lab.workspace(), WantedMove(HOME._replace(name=self.volume), to, **options), self.clock)

    def run(self, plan: MovePlan, **consent: Any) -> Operation:
        self.told.clear()
        return run_move(self.lab.workspace(), plan, self.told.append, "move.json", self.clock, consent)

    def go_on(self, plan: MovePlan, checkpoints: Sequence[str] = ()) -> Operation:
        """Somebody goes on by its id, without the file."""
        self.told.clear()
        return go_on_with_move(
            self.lab.workspace(), plan.id[:8], self.told.append, "again", self.clock, checkpoints=checkpoints
        )

    def abort(self, plan: MovePlan) -> Operation:
        """Somebody takes it back."""
        return abort_move(self.lab.workspace(), plan.id[:8], self.told.append, self.clock)

    def start_job(self, every: float = 60) -> None:
        """A workload at iad that writes a checkpoint a minute."""
        with self.lab.world.lock:
            self.job = self.runai("iad").submit("team", "train", gpus=4, claim_names=["home"])
            self.vast("iad").start_job(self.job, "/team/home", every=every, bytes=GB, tenant_id=self.tenant["iad"])


SHARED = {
    "sites": ["iad", "pdx"], "active": "iad", "path": "/team/home", "size": "10 TiB", "mount": "/home",
    "global_access": {"at": ["pdx"], "lease": "5m"},
}  # fmt: skip


def sharing(**changes: Any) -> dict[str, Any]:
    """A document whose volume is shared by global access, changed; what is `None` is left out."""
    volume = {name: value for name, value in {**SHARED, **changes}.items() if value is not None}
    return {**BASE, "tenants": {"team": {**BASE["tenants"]["team"], "volumes": {"home": volume}}}}


@contextlib.contextmanager
def shared_theatre(
    folder: Path, systems: tuple[str, ...] = ("vast", "kubernetes", "runai"), sections: Any = None
) -> Iterator[Theatre]:
    """Both sites, with the volume at iad and global access to it at pdx; or with another document."""
    with Lab(folder, {site: list(systems) for site in ("iad", "pdx")}) as lab:
        lab.write(sections or sharing())
        lab.converge()
        made = Theatre(lab, WorldClock(lab.world))
        for site in ("iad", "pdx"):
            tenants = lab.by_hand(site, "vast", "GET", "/api/v5/tenants/")
            made.tenant[site] = next(row["id"] for row in tenants if row["name"] == "team")
        made.write("iad", "step-0")
        made.clock.sleep(10)
        yield made


@contextlib.contextmanager
def theatre(
    folder: Path, base: Mapping[str, Any] = BASE, twins: Mapping[str, Any] = MappingProxyType({"home-copy": TWIN})
) -> Iterator[Theatre]:
    """Both sites, with the volume at iad, its copy at pdx and a claim for it there; or with another document, and its twins."""
    systems = {site: ["vast", "kubernetes", "runai"] for site in ("iad", "pdx")}
    with Lab(folder, systems) as lab:
        lab.write(base)
        lab.converge()
        clock = WorldClock(lab.world)
        clock.sleep(120)
        team = base["tenants"]["team"]
        lab.write({**base, "tenants": {"team": {**team, "volumes": {**team["volumes"], **twins}}}})
        lab.converge()
        made = Theatre(lab, clock)
        for site in ("iad", "pdx"):
            tenants = lab.by_hand(site, "vast", "GET", "/api/v5/tenants/")
            made.tenant[site] = next(row["id"] for row in tenants if row["name"] == "team")
        made.write("iad", "step-0")
        clock.sleep(10)
        yield made
