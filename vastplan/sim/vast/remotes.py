"""What a cluster asks its peer for before it clones from it: tenants, paths with snapshots, the snapshots of one path.

The document does not describe the answers; how they are used is taken from the vendor's Terraform provider.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from vastplan.sim.store import Row
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.errors import REQUIRED, detail, raise_for
from vastplan.sim.vast.peers import PEERS_NAME
from vastplan.sim.vast.tenants import remote_of

Query = Mapping[str, list[str]]


def peer_of(cluster: VastCluster, body: Row) -> Row | None:
    """The peer that a clone names, by id or by name."""
    if body.get("remote_target_id") is not None:
        return cluster.get(PEERS_NAME, body["remote_target_id"])
    return next(cluster.rows(PEERS_NAME, name=body.get("remote_target")), None)


def peer_snapshot(cluster: VastCluster, body: Row) -> tuple[VastCluster | None, Row]:
    """The peer's cluster and snapshot that a clone names; `None` or an empty row for what does not exist."""
    peer = peer_of(cluster, body)
    remote = remote_of(cluster, peer) if peer else None
    wanted, tenant = body.get("owner_root_snapshot") or {}, (body.get("owner_tenant") or {}).get("guid")
    given = {
        field: wanted[name] for name, field in (("clone_id", "id"), ("name", "name")) if wanted.get(name) is not None
    }
    handle = wanted.get("parent_handle_ehandle")
    if remote is None or not given:  # the document requires neither; one of them says which
        return remote, {}
    for snapshot in remote.rows("snapshots", **given):
        owner = remote.get("tenants", snapshot["tenant_id"]) or {}
        if tenant in (None, owner.get("guid")) and handle in (None, _handle(snapshot).split("_")[0]):
            return remote, snapshot
    return remote, {}


def _handle(snapshot: Row) -> str:
    return f"{zlib.crc32(snapshot['path'].encode()):x}_{snapshot['tenant_id']}"


def _remote(cluster: VastCluster, query: Query) -> VastCluster:
    peer = next(cluster.rows(PEERS_NAME, guid=_needed(query, "remote_target_guid")), None)
    remote = remote_of(cluster, peer) if peer else None
    if remote is None:
        raise detail("The replication target does not exist or is not connected.")
    return remote


def _needed(query: Query, name: str) -> str:
    value = query.get(name, [""])[0]
    raise_for([(name, REQUIRED)] if not value else [])
    return value


def list_tenants(cluster: VastCluster, query: Query) -> Any:
    """`{guid, name}` of the peer's tenants."""
    remote = _remote(cluster, query)
    return [{"guid": tenant["guid"], "name": tenant["name"]} for tenant in remote.store.rows("tenants")]


def list_paths(cluster: VastCluster, query: Query) -> Any:
    """`{name, handle}` of the peer's directories that have snapshots."""
    remote = _remote(cluster, query)
    tenant = next(remote.rows("tenants", guid=_needed(query, "remote_tenant_guid")), None) or {}
    handles = {row["path"]: _handle(row) for row in remote.rows("snapshots", tenant_id=tenant.get("id"))}
    return [{"name": path, "handle": handle} for path, handle in handles.items()]


def list_snapshots(cluster: VastCluster, query: Query) -> Any:
    """`{name, clone_id}` of the snapshots of one of these directories."""
    remote, handle = _remote(cluster, query), _needed(query, "handle")
    return [{"name": row["name"], "clone_id": row["id"]} for row in remote.rows("snapshots") if _handle(row) == handle]


READS: Mapping[str, Callable[[VastCluster, Query], Any]] = MappingProxyType(
    {
        "/clusters/list_tenants_remote/": list_tenants,
        "/clusters/list_snapshoted_paths_remote/": list_paths,
        "/clusters/list_clone_snapshoted_paths_remote/": list_snapshots,
    }
)
"""GETs by path template."""
