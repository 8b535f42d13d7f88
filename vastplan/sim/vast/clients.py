"""What clients of a cluster do with its data: read and write directories, as role and power allow."""

from __future__ import annotations

from vastplan.sim.store import Row
from vastplan.sim.vast import content, shared_access, sides, synchronous
from vastplan.sim.vast.cluster import VastCluster


class ReadOnly(OSError):
    """The directory accepts no writes here: a client sees EROFS."""


class NoAnswer(OSError):
    """The data cannot be read or written now: a client sees an I/O error."""


def require_power(cluster: VastCluster) -> None:
    """Raise `NoAnswer` for a cluster without power."""
    if cluster.lost:
        raise NoAnswer(f"{cluster.name} has no power")


def takes_writes(cluster: VastCluster, tenant: int, path: str) -> bool:
    """Whether a client may write there now. Raises `NoAnswer`."""
    require_power(cluster)
    row = sides.replicated_path_of(cluster, tenant, path)
    return row is None or not sides.read_only(row)


def client_write(cluster: VastCluster, tenant: int, path: str, size: int, label: str, of: int | None = None) -> None:
    """Write to a directory, which is created. Raises `ReadOnly` and `NoAnswer`."""
    require_power(cluster)
    row = shared_access.satellite(cluster, tenant, path)
    if row is not None:
        try:
            other, owner, directory = shared_access.origin(cluster, row, path)
        except shared_access.Away as away:
            raise NoAnswer(str(away)) from None
        content.append_write(other, owner, directory, size, label, of)
        return
    row = synchronous.synchronous_path_of(cluster, tenant, path)
    if row is not None:
        _write_to_both(cluster, row, path, size, label, of)
        return
    if not takes_writes(cluster, tenant, path):
        raise ReadOnly(f"{path} takes no writes on {cluster.name}")
    content.append_write(cluster, tenant, path, size, label, of)


def _write_to_both(cluster: VastCluster, row: Row, path: str, size: int, label: str, of: int | None) -> None:
    try:
        synchronous.require_access(cluster, row)
        if sides.read_only(row):
            raise ReadOnly(f"{path} takes no writes on {cluster.name}")
        synchronous.write_both_sides(cluster, row, path, size, label, of)
    except synchronous.Waits as waits:
        raise NoAnswer(str(waits)) from None


def visible_content(cluster: VastCluster, tenant: int, path: str) -> content.Pointer:
    """The content of a directory as a client sees it. Raises `NoAnswer`."""
    require_power(cluster)
    both = synchronous.synchronous_path_of(cluster, tenant, path)
    row = shared_access.satellite(cluster, tenant, path)
    try:
        if both is not None:
            synchronous.require_access(cluster, both)
        if row is not None:
            return shared_access.listing_part(row, shared_access.listing(cluster, row), path)
    except (shared_access.Away, synchronous.Waits) as away:
        raise NoAnswer(str(away)) from None
    return content.pointer(cluster, tenant, path)
