"""Progress by requests: a pending row changes after enough requests to any cluster of the clock, whichever rows they ask for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vastplan.sim.store import Row
from vastplan.sim.vast.cluster import PENDING as PENDING
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.records import ApiCollection


def arm_row(cluster: VastCluster, row: Row, changes: dict[str, Any], *, remove: bool = False) -> None:
    """Arm a row: after `settle_reads` requests it takes `changes` or, with `remove`, is removed. Store it, then call `due`."""
    row[PENDING] = {"changes": changes, "remove": remove}


def due(cluster: VastCluster, collection: ApiCollection, row: Row) -> None:
    """Apply a row's pending changes if they wait for no request; call it after the row is stored."""
    if not cluster.settle_reads:
        _apply(cluster, collection, row)


def apply_pending(cluster: VastCluster, collection: ApiCollection, row: Row) -> None:
    """Apply a row's pending changes without further requests; a row that is being removed is not changed."""
    pending = row.get(PENDING)
    if pending is not None and not pending["remove"]:
        _apply(cluster, collection, row)


def _apply(cluster: VastCluster, collection: ApiCollection, row: Row) -> None:
    pending = row.pop(PENDING, None)
    if pending is None:
        return
    if pending["remove"]:
        cluster.remove(collection.name, row)
        collection.gone(cluster, row)
        return
    row.update(pending["changes"])
    collection.settled(cluster, row)
    cluster.put(collection.name, row)


def settle_rows(cluster: VastCluster, collections: Mapping[str, ApiCollection]) -> None:
    """Apply the pending changes whose time has come, on every cluster of the clock that has power."""
    for member in cluster.fabric.clusters:
        if member.lost:
            continue
        for name, key in member.agenda.due():
            row = member.get(name, key)
            if row is not None and PENDING in row:
                _apply(member, collections[name], row)
