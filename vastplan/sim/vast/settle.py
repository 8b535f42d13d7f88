"""Progress by reads: a pending row changes after enough reads."""

from __future__ import annotations

from typing import Any

from vastplan.sim.store import Row
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.records import ApiCollection

PENDING = "_pending"


def arm_row(cluster: VastCluster, row: Row, changes: dict[str, Any], *, remove: bool = False) -> None:
    """Arm a row: after `settle_reads` reads it takes `changes` or, with `remove`, is removed. Store it, then call `due`."""
    row[PENDING] = {"reads": cluster.settle_reads, "changes": changes, "remove": remove}


def due(cluster: VastCluster, collection: ApiCollection, row: Row) -> None:
    """Apply a row's pending changes if no reads are left; call it after the row is stored."""
    pending = row.get(PENDING)
    if pending is None or pending["reads"] > 0:
        return
    del row[PENDING]
    if pending["remove"]:
        cluster.remove(collection.name, row)
        collection.gone(cluster, row)
        return
    row.update(pending["changes"])
    collection.settled(cluster, row)
    cluster.put(collection.name, row)


def apply_pending(cluster: VastCluster, collection: ApiCollection, row: Row) -> None:
    """Apply a row's pending changes without further reads; a row that is being removed is not changed."""
    pending = row.get(PENDING)
    if pending is not None and not pending["remove"]:
        pending["reads"] = 0
        due(cluster, collection, row)


def tick(cluster: VastCluster, collection: ApiCollection, row: Row) -> None:
    """Count one read of a row, after it was answered."""
    pending = row.get(PENDING)
    if pending is None:
        return
    pending["reads"] -= 1
    cluster.put(collection.name, row)
    due(cluster, collection, row)
