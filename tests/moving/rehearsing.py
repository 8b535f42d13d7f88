"""A rehearsal, watched each second: the work at the source, the roles of both sides, and what there is at the target."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from tests.moving.forking import directories
from tests.moving.seen import Seen
from tests.moving.theatre import HOME, Theatre
from vastplan.app.move import last_moves, plan_move
from vastplan.model.move_plan import REHEARSE, MovePlan
from vastplan.model.operation import Operation, Phase
from vastplan.operations.wanted import WantedMove
from vastplan.sim.kubernetes import KubernetesPlane
from vastplan.sim.kubernetes.resources import CLAIMS, VOLUMES
from vastplan.sim.runai import workloads

_LEADING = {"iad": "SOURCE", "pdx": "DESTINATION"}


def rehearse(scene: Theatre) -> MovePlan:
    return plan_move(scene.lab.workspace(), WantedMove(HOME, "pdx", REHEARSE), scene.clock)


def record(scene: Theatre) -> Operation:
    (one,) = [one for one in last_moves(scene.lab.workspace()) if one.mode == REHEARSE]
    return one


def live(scene: Theatre, site: str) -> dict[str, str]:
    """The workloads of a site by name, without a request."""
    with scene.lab.world.lock:
        return {str(row["name"]): str(row["phase"]) for row in workloads.live_workloads(scene.runai(site)._ctx)}


def things(scene: Theatre, site: str = "pdx") -> dict[str, list[str]]:
    """What there is at a site of all that a rehearsal makes, without a request."""
    with scene.lab.world.lock:
        cluster, kubernetes = scene.vast(site)._cluster, scene.lab.world.sites[site].planes["kubernetes"]
        assert isinstance(kubernetes, KubernetesPlane)
        found = {
            "views": sorted(str(row["path"]) for row in cluster.rows("views")),
            "streams": sorted(str(row["name"]) for row in cluster.rows("globalsnapstreams")),
        }
        for kind in (VOLUMES, CLAIMS):
            items = kubernetes._cluster.objects(kind)
            found[kind.plural] = sorted(one["metadata"]["name"] for one in items)
    return {**found, "directories": directories(scene, site), "work": sorted(live(scene, site))}


@dataclass
class Watched:
    """A workload that writes at the source, and a rehearsal that is planned of its volume."""

    scene: Theatre
    work: bool = True
    phases: set[str] = field(default_factory=set)
    roles: list[dict[str, str]] = field(default_factory=list)
    small: set[float] = field(default_factory=set)
    """How many GPUs each workload at the target has asked for."""

    def __post_init__(self) -> None:
        scene = self.scene
        if self.work:
            scene.start_job()
        scene.clock.sleep(130)
        path, until = scene.path("iad")["id"], (scene.clock.now() + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%S")
        body = {"time_expires_local": until, "time_expires_target": until}
        self.labels = scene.labels("iad")
        scene.lab.by_hand("iad", "vast", "PATCH", f"/api/v5/protectedpaths/{path}/replicate_now/", body)
        scene.clock.sleep(30)
        self.before = things(scene)
        self.points = len(scene.snapshots("iad"))
        self._seen = Seen(scene, str(scene.path("pdx")["guid"]))
        scene.clock.watchers.append(self._look)
        scene.lab.clear_calls()
        self.plan = rehearse(scene)

    def _look(self) -> None:  # no request: it would be counted, and struck
        if self.work:
            self.phases.add(live(self.scene, "iad")["train"])
        roles = self._seen.roles()
        if roles not in self.roles:
            self.roles.append(roles)
        with self.scene.lab.world.lock:
            self.small |= {float(row["gpus"]) for row in workloads.live_workloads(self.scene.runai("pdx")._ctx)}

    def harmless(self) -> None:
        """Nothing was seen to stop or to change its role, and at the source nothing was written by anybody but its work."""
        assert self.phases <= {"Running"} and all(roles == _LEADING for roles in self.roles), (self.phases, self.roles)
        assert live(self.scene, "iad") == ({"train": "Running"} if self.work else {})
        sent = self.scene.lab.world.sites["iad"].servers
        writes = [
            f"{call.method} {call.path}"
            for server in sent.values()
            for call in server.calls
            if call.method != "GET" and "token" not in call.path
        ]
        assert writes == [] and len(self.scene.snapshots("iad")) == self.points

    def gone(self) -> None:
        """What there was at the target is there, and nothing else."""
        self.harmless()
        assert things(self.scene) == self.before

    def recorded(self, phase: Phase) -> Operation:
        """Both ledgers say the same."""
        with self.scene.lab.workspace().ledger() as backend:
            parts = [backend.read(site).operations[self.plan.subject] for site in ("iad", "pdx")]
        assert parts[0] == parts[1] and parts[0].phase is phase
        return parts[0]

    def claim(self) -> dict[str, Any]:
        """The claim of the rehearsal, while it is there."""
        path = f"/api/v1/namespaces/runai-team/persistentvolumeclaims/home-rehearsal-{self.plan.id[:8]}"
        return dict(self.scene.lab.by_hand("pdx", "kubernetes", "GET", path))
