"""Failover of a replicated protected path: which side is the source changes; a graceless one leaves both standing alone."""

from __future__ import annotations

from vastplan.sim.store import Row
from vastplan.sim.vast import tasks
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.errors import detail
from vastplan.sim.vast.settle import later

NAME = "protectedpaths"
SOURCE, DESTINATION, STANDALONE = "SOURCE", "DESTINATION", "STANDALONE"
OWN = "_own_directory"  # of a path that failed over: which of its two directories is here


def own_directory(row: Row) -> str:
    """The directory of a path that is on its own cluster."""
    known: str = row.get(OWN) or (row["source_dir"] if row["role"] == SOURCE else row["target_exported_dir"])
    return known


def fail_over(cluster: VastCluster, row: Row, *, graceful: bool) -> None:
    """Start a failover from either side; raises `VmsError` (400) for a path that has no other side."""
    for other in cluster.links:
        for mirror in list(other.rows(NAME, guid=row["guid"])):
            roles = {SOURCE: DESTINATION, DESTINATION: SOURCE}
            if row["role"] not in roles or mirror["role"] not in roles:
                raise detail(f"{row['name']} is {row['role']}, and cannot fail over.")
            for where, one in ((cluster, row), (other, mirror)):
                one[OWN] = own_directory(one)
                role = roles[one["role"]] if graceful else STANDALONE
                one["role"] = f"BECOMING_{role}"
                later(where, one, {"role": role, "state": one["state"]})
            other.put(NAME, mirror)
            return
    raise detail(f"{row['name']} is not replicated.")


def force(cluster: VastCluster, row: Row) -> Row:
    """Make a path that stands alone the source: the task. Raises `VmsError` (400) for any other."""
    if row["role"] != STANDALONE:
        raise detail(f"{row['name']} is {row['role']}, not {STANDALONE}.")
    task, succeeds = tasks.start(cluster, "force_failover")
    if succeeds:
        row["role"] = f"BECOMING_{SOURCE}"
        later(cluster, row, {"role": SOURCE})
        cluster.put(NAME, row)
    return task
