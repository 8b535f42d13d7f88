"""Restoring a protected path from one of its snapshots: a clone next to it, which a commit puts in its place."""

from __future__ import annotations

from typing import Any

from vastplan.sim.store import Row
from vastplan.sim.vast import content, copies, directories, streams
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.errors import REQUIRED, detail, missing_object, raise_for
from vastplan.sim.vast.sides import DESTINATION, NAME, RESTORE, SOURCE, own_directory, refuse_call


def clone_of(cluster: VastCluster, row: Row, body: Row) -> Row:
    """The body of the stream that restores a path; raises `VmsError`."""
    key = body.get("loanee_snapshot_id")
    snapshot = cluster.get("snapshots", key)
    raise_for([("loanee_snapshot_id", REQUIRED if key is None else missing_object(key))] if snapshot is None else [])
    assert snapshot is not None
    directory = own_directory(row).rstrip("/")
    if snapshot["tenant_id"] != row["tenant_id"] or snapshot["path"].rstrip("/") != directory:
        raise_for([("loanee_snapshot_id", f"{snapshot['name']} is no snapshot of {directory}.")])
    if row["role"] != SOURCE:
        raise detail(f"{row['name']} is {row['role']}, not {SOURCE}.", cluster.assumed.status("restore at a replica"))
    if RESTORE in row:
        raise detail(f"{row['name']} is being restored already.", cluster.assumed.status("restore of two"))
    number = cluster.store.next("_restores")
    return {
        "name": body.get("name") or f"{row['name']}-restore-{number}", "loanee_snapshot_id": snapshot["id"],
        "loanee_root_path": f"{directory}.restore-{number}", "loanee_tenant_id": row["tenant_id"], "enabled": True,
    }  # fmt: skip


def begun(cluster: VastCluster, row: Row, stream: Row) -> None:
    """Record the stream that restores a path."""
    cluster.put(NAME, row | {RESTORE: stream["id"]})


def _stream(cluster: VastCluster, row: Row) -> Row:
    stream = cluster.get(streams.NAME, row.get(RESTORE))
    if stream is None:
        raise detail(f"{row['name']} is not being restored.")
    return stream


def pause_restore(cluster: VastCluster, row: Row, body: Row) -> None:
    """Suspend the copy."""
    streams.switch(cluster, _stream(cluster, row), on=False)


def resume_restore(cluster: VastCluster, row: Row, body: Row) -> None:
    """Resume the copy."""
    streams.switch(cluster, _stream(cluster, row), on=True)


def stop_restore(cluster: VastCluster, row: Row, body: Row) -> None:
    """Cancel the restore: the path stays as it is, and the clone is deleted."""
    _drop(cluster, row, _stream(cluster, row))


def commit_restore(cluster: VastCluster, row: Row, body: Row) -> None:
    """Replace the path's content by the clone: writes after the snapshot are lost."""
    stream = _stream(cluster, row)
    if stream["status"]["state"] != copies.FINISHED:
        refuse_call(cluster, "commit before it is copied", f"{stream['name']} is not complete.")
        return
    content.replace_content(cluster, row["tenant_id"], own_directory(row), stream["_pointer"])
    _drop(cluster, row, stream)


def _drop(cluster: VastCluster, row: Row, stream: Row) -> None:
    copies.suspend_copy(cluster, stream)
    directories.forget_directory(cluster, stream["_tenant"], stream["loanee_root_path"])
    cluster.remove(streams.NAME, stream)
    row.pop(RESTORE, None)
    cluster.put(NAME, row)


def validated(cluster: VastCluster, row: Row) -> Any:
    """What a restore of this path would affect."""
    root, tenant = own_directory(row), row["tenant_id"]
    below = [
        path_row
        for path_row in cluster.rows(NAME, tenant_id=tenant)
        if directories.lies_below(own_directory(path_row), root)
    ]
    views = [view for view in cluster.rows("views", tenant_id=tenant) if directories.lies_below(view["path"], root)]
    return {
        "is_source_ppath": any(path_row["role"] == SOURCE for path_row in below),
        "is_dest_ppath": any(path_row["role"] == DESTINATION for path_row in below),
        "has_gn_streams": any(path_row["is_gn_enabled"] for path_row in below),
        "is_multi_tenant_system": len(cluster.store.rows("tenants")) > 1,
        "s3_versioning": [view["path"] for view in views if view["s3_versioning"]],
    }


def restore_figures(cluster: VastCluster, row: Row) -> Row:
    """The progress of a path's restore."""
    stream = cluster.get(streams.NAME, row.get(RESTORE))
    if stream is None:
        return {}
    percent = streams.STREAMS.show(cluster, stream, {}).get("sync_progress", stream["sync_progress"])
    return {"restore_task": str(stream["_task"]), "restore_progress": {"state": stream["state"], "percent": percent}}
