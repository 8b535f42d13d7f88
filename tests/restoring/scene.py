"""One site with a volume that has snapshots and one that has none, a job that writes to the first, and the hands to go back."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.lab import Lab
from tests.moving.theatre import GB, WorldClock
from vastplan.app.restore import abort_restore, go_on_with_restore, plan_restore, restores, run_restore
from vastplan.model.address import Address
from vastplan.model.operation import Operation
from vastplan.model.restore_plan import IN_PLACE, RestorePlan
from vastplan.operations.wanted import WantedRestore
from vastplan.sim.runai import RunaiPlane
from vastplan.sim.vast import VastPlane

HOME, SCRATCH = Address("iad", "volume", "home"), Address("iad", "volume", "scratch")
PATH = "iad/protected_path/home"
SECTIONS: dict[str, Any] = {
    "namespaces": {"vast-csi": {}},
    "secrets": {"vast-mgmt": {"namespace": "vast-csi", "data": {"username": "csi", "password": {"env": "CSI_PASSWORD"}}}},
    "departments": {"research": {"gpus": {"default": 16}}},
    "snapshot_schedules": {"hourly": {"frames": [{"every": "1h", "keep_local": "24h"}]}},
    "views": {"shared": {"tenant": "team", "view_policy": "team", "path": "/team/shared"}},
    "tenants": {
        "team": {
            "vip_pool": {"subnet_cidr": 24, "ip_ranges": ["10.20.1.10 - 10.20.1.25"]},
            "view_policy": {"flavor": "NFS", "nfs_no_squash": ["10.12.0.0/24"]},
            "storage_class": {"driver": "file", "storage_path": "/team/k8s", "secret": "vast-mgmt"},
            "project": {"department": "research", "gpus": {"default": 8}},
            "volumes": {
                "home": {"path": "/team/home", "size": "10 TiB", "mount": "/home", "snapshots": "hourly"},
                "scratch": {"path": "/team/scratch", "size": "1 TiB", "mount": "/scratch"},
                "claimed": {"storage_class": "team", "size": "1 TiB"},
            },
        }
    },
}  # fmt: skip


def rename_home(lab: Lab, *, apply: bool) -> None:
    """Somebody calls the team's volume `homes`, and keeps the live name as the plan proposes; once it is applied nothing is left to do."""
    sections = copy.deepcopy(lab.sections)
    volumes = sections["tenants"]["team"]["volumes"]
    volumes["homes"] = {**volumes.pop("home"), "renamed_from": "home", "name": "home"}
    lab.write(sections)
    if apply:
        lab.converge()
        assert not lab.plan().actions


@dataclass
class Scene:
    """The lab, what is told of a run, and the tenant's id."""

    lab: Lab
    clock: WorldClock
    tenant: int
    told: list[str] = field(default_factory=list)

    @property
    def vast(self) -> VastPlane:
        return self.lab.world.vast("iad")

    @property
    def runai(self) -> RunaiPlane:
        plane = self.lab.world.sites["iad"].planes["runai"]
        assert isinstance(plane, RunaiPlane)
        return plane

    def call(self, method: str, path: str, body: Any = None) -> Any:
        self.lab._tokens.clear()  # time passes here, and tokens end
        return self.lab.by_hand("iad", "vast", method, f"/api/v5/{path}", body)

    def write(self, label: str, path: str = "/team/home") -> None:
        with self.lab.world.lock:
            self.vast.write(path, GB, label, tenant_id=self.tenant)

    def labels(self, path: str = "/team/home") -> list[str]:
        with self.lab.world.lock:
            return self.vast.labels(path, tenant_id=self.tenant)

    def snapshot(self, name: str, path: str = "/team/home") -> int:
        made = self.call("POST", "snapshots/", {"name": name, "path": path, "tenant_id": self.tenant})
        for _ in range(3):
            self.call("GET", f"snapshots/{made['id']}/")
        self.clock.sleep(1)
        return int(made["id"])

    def snapshots(self) -> list[str]:
        return [row["name"] for row in self.call("GET", "snapshots/")]

    def workloads(self) -> dict[str, str]:
        self.lab._tokens.clear()
        found = self.lab.by_hand("iad", "runai", "GET", "/api/v1/workloads")["workloads"]
        return {row["name"]: row["phase"] for row in found}

    def start_job(self) -> None:
        with self.lab.world.lock:
            job = self.runai.submit("team", "train", gpus=4, claim_names=["home"])
            self.vast.start_job(job, "/team/home", every=60, bytes=GB, tenant_id=self.tenant)

    def plan(self, address: Address = HOME, snapshot: str = "good", **options: Any) -> RestorePlan:
        return plan_restore(self.lab.workspace(), WantedRestore(address, snapshot, **options), self.clock)

    def in_place(self, snapshot: str = "good") -> RestorePlan:
        return self.plan(snapshot=snapshot, mode=IN_PLACE)

    def run(self, plan: RestorePlan) -> Operation:
        self.told.clear()
        return run_restore(self.lab.workspace(), plan, self.told.append, "vastplan restore run r.json", self.clock)

    def go_on(self, plan: RestorePlan) -> Operation:
        """Somebody goes on by its id, without the file."""
        return go_on_with_restore(self.lab.workspace(), plan.id[:8], self.told.append, "again", self.clock)

    def abort(self, plan: RestorePlan) -> Operation:
        return abort_restore(self.lab.workspace(), plan.id[:8], self.told.append, self.clock)

    def record(self) -> Operation:
        (one,) = restores(self.lab.workspace())
        return one


@contextlib.contextmanager
def scene_in(folder: Path) -> Iterator[Scene]:
    """With a good state in the snapshot `good`, and a bad one after it."""
    with Lab(folder, {"iad": ["vast", "kubernetes", "runai"]}) as lab:
        lab.write(SECTIONS)
        lab.converge()
        tenants = lab.by_hand("iad", "vast", "GET", "/api/v5/tenants/")
        made = Scene(lab, WorldClock(lab.world), next(row["id"] for row in tenants if row["name"] == "team"))
        made.clock.sleep(30)
        made.write("good")
        made.snapshot("good")
        made.write("bad")
        yield made
