"""What is there, behind the systems' backs: roles, writers, labels of a volume on two sites, and the work that uses it."""

from __future__ import annotations

from dataclasses import dataclass

from tests.moving.theatre import Theatre
from vastplan.sim.runai import workloads
from vastplan.sim.vast import content, sides

SITES = ("iad", "pdx")
KEPT = ("vastplan-", "before-restore-")


@dataclass
class Seen:
    """One volume of a world, by the guid of its protected path."""

    scene: Theatre
    guid: str

    def writers(self) -> tuple[str, ...]:
        return tuple(self.scene.lab.world.writers(self.guid))

    def roles(self) -> dict[str, str]:
        with self.scene.lab.world.lock:
            rows = {site: sides.cluster_row(self.scene.vast(site)._cluster, self.guid) for site in SITES}
        return {site: str(row["role"]) for site, row in rows.items() if row is not None}

    def labels(self, site: str) -> set[str]:
        """Of a directory, by the cluster's own tables: a site without power keeps what it has."""
        with self.scene.lab.world.lock:
            cluster = self.scene.vast(site)._cluster
            return set(
                content.complete_labels(
                    cluster, content.pointer(cluster, self.scene.tenant[site], self.scene.directory)
                )
            )

    def kept(self, site: str) -> set[str]:
        """What the snapshots hold that rejoins and restores in place have taken of what they give up."""
        with self.scene.lab.world.lock:
            cluster = self.scene.vast(site)._cluster
            rows = [row for row in cluster.rows("snapshots") if str(row["name"]).startswith(KEPT)]
            return {label for row in rows for label in content.complete_labels(cluster, row["_pointer"])}

    def of_point(self, site: str, guid: str) -> set[str]:
        with self.scene.lab.world.lock:
            cluster = self.scene.vast(site)._cluster
            (row,) = cluster.rows(sides.POINTS, guid=guid)
            return set(content.complete_labels(cluster, row["_pointer"]))

    def running(self, site: str) -> int:
        """How many workloads are at work, or begin to be."""
        with self.scene.lab.world.lock:
            rows = workloads.live_workloads(self.scene.runai(site)._ctx)
            return sum(1 for row in rows if row["phase"] not in ("Stopping", "Stopped", "Failed", "Completed"))
