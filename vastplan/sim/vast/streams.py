"""Clone streams (globalsnapstreams): a snapshot, local or on a peer, copied to a new directory.

A stream that copies (`enabled`) finishes by itself: on the logical clock, or after some reads if it has no labelled content
to copy. A stream that does not copy stays active. An unfinished stream is removed by stopping it; a finished one is deleted,
with its directory on request.
"""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.sim.store import Row
from vastplan.sim.vast import content, copies, directories, remotes, tasks
from vastplan.sim.vast.cluster import DEFAULT_TENANT, VastCluster
from vastplan.sim.vast.errors import REQUIRED, Problem, missing_object
from vastplan.sim.vast.fabric import disarm
from vastplan.sim.vast.records import ApiCollection, Memo, Query, Reference, is_true
from vastplan.sim.vast.settle import PENDING, arm_row, due

NAME = copies.NAME
LONGEST_NAME = 64
FINISHED, DELETING = copies.FINISHED, "DELETING"
REMOTE = ("remote_target", "remote_target_id", "owner_root_snapshot", "owner_tenant")


def _fill(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> None:
    if old is not None:
        _switch(row, old, cluster)
        return
    source: VastCluster | None = cluster
    snapshot = cluster.get("snapshots", row["loanee_snapshot_id"]) or {}
    if any(body.get(name) for name in REMOTE):
        source, snapshot = remotes.peer_snapshot(cluster, body)
    target = cluster.get("tenants", body.get("loanee_tenant_id") or DEFAULT_TENANT) or {}
    owner = (source and source.get("tenants", snapshot.get("tenant_id"))) or {}
    path = row["loanee_root_path"]
    row |= {
        "loanee_root_path": path.rstrip("/") + "/" if isinstance(path, str) else path,
        "loanee_snapshot": snapshot.get("name"),
        "loanee_tenant": {"guid": target.get("guid"), "name": target.get("name")},
        "owner_tenant": {"guid": owner.get("guid"), "name": owner.get("name")},
        "source_path": snapshot.get("path"),
        "source_snapshot": snapshot.get("name"),
        "source_cluster": source.name if source else None,
        "target_cluster": cluster.name,
        "health": "HEALTHY",
        "_tenant": target.get("id"),
        "_source": owner.get("id"),
        "_remote": any(body.get(name) for name in REMOTE),
        "_pointer": snapshot.get("_pointer") or {},
        copies.OWNER: [source.name if source else None, snapshot.get("id")],
    }
    if row["_remote"] and row["remote_target_id"] is None:
        row["remote_target_id"] = (remotes.peer_of(cluster, body) or {}).get("id")
    row.update(_stage("Syncing" if row["enabled"] else "Active", "Active"))


def _switch(row: Row, old: Row, cluster: VastCluster) -> None:
    if row["enabled"] == old["enabled"] or row["status"]["state"] in (FINISHED, DELETING):
        return
    row.pop(PENDING, None)
    row.update(_stage("Syncing" if row["enabled"] else "Suspended", "Active"))
    if row["enabled"] and not row.get(copies.LEFT):
        _copy(cluster, row)


def _copy(cluster: VastCluster, row: Row) -> None:
    arm_row(cluster, row, {**_stage("Completed", FINISHED), "sync_progress": 100})


def _stage(state: str, status: str) -> Row:
    return {"state": state, "external_state": state, "status": {"state": status}}


def _missing_snapshot(wanted: Row) -> str:
    named = [wanted[name] for name in ("clone_id", "name") if wanted.get(name) is not None]
    return missing_object(named[0]) if named else "clone_id or name is required."


def _check(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> Iterator[Problem]:
    if len(row["name"] or "") > LONGEST_NAME:
        yield "name", f"Ensure this field has no more than {LONGEST_NAME} characters."
    if old is not None:
        return
    needed = ("name", "loanee_root_path") if row["_remote"] else ("name", "loanee_root_path", "loanee_snapshot_id")
    yield from ((name, REQUIRED) for name in needed if not row[name])
    source, key = row[copies.OWNER]
    if row["_remote"] and source is None:
        yield "remote_target_id", "The replication peer is not connected."
    elif row["_remote"] and key is None:
        yield "owner_root_snapshot", _missing_snapshot(body.get("owner_root_snapshot") or {})
    path = row["loanee_root_path"]
    if path:
        yield from directories.path_problems("loanee_root_path", path.rstrip("/") or "/")
        if row["_tenant"] is not None and directories.exists(cluster, row["_tenant"], path):
            yield "loanee_root_path", f"Directory {path} exists already."


def _stored(cluster: VastCluster, row: Row) -> None:
    if "_task" in row:
        (copies.continue_copy if row["enabled"] else copies.suspend_copy)(cluster, row)
        return
    task, succeeds = tasks.start_task(cluster, "clone_snapshot")
    row["_task"] = task["id"]
    source = copies.snapshot_cluster(cluster, row) or cluster
    size, inodes = directories.used(source, row["_source"], row["source_path"])
    labelled = list(content.write_versions(source, content.pointer(source, row["_source"], row["source_path"])))
    size -= sum(write["bytes"] for write in labelled)
    directories.use(cluster, row["_tenant"], row["loanee_root_path"], size, inodes - len(labelled))
    copies.begin_copy(cluster, row, row["_tenant"], row["loanee_root_path"], source, row["_pointer"])
    cluster.put(NAME, row)
    if row["enabled"] and succeeds:
        if row[copies.LEFT]:
            copies.continue_copy(cluster, row)
        else:
            _copy(cluster, row)
            cluster.put(NAME, row)


def copied(cluster: VastCluster, guid: str) -> None:
    """Mark a stream as completed: all of its snapshot is here."""
    row = next(cluster.rows(NAME, guid=guid), None)
    if row is not None and row["status"]["state"] != DELETING:
        row |= {**_stage("Completed", FINISHED), "sync_progress": 100, copies.LEFT: 0}
        cluster.put(NAME, row)


def _show(cluster: VastCluster, row: Row, memo: Memo) -> Row:
    whole = row.get(copies.TOTAL)
    return {"sync_progress": int(100 * (1 - copies.left(cluster, row) / whole))} if whole else {}


def switch(cluster: VastCluster, row: Row, *, on: bool) -> None:
    """Suspend or resume the copy."""
    new = {**row, "enabled": on}
    _switch(new, row, cluster)
    cluster.put(NAME, new)
    _stored(cluster, new)


def reading_streams(cluster: VastCluster, snapshot: Row) -> list[str]:
    """The names of the streams that still read a snapshot."""
    return copies.readers(cluster, snapshot)


def clone_body(snapshot: Row, body: Row) -> Row:
    """The body of a new stream, from that of `snapshots/{id}/clone/`."""
    return {**body, "loanee_snapshot_id": snapshot["id"]}


def stop_stream(cluster: VastCluster, row: Row) -> Row:
    """Stop a stream and return the task. A finished stream stays, any other is removed; stopping twice is allowed."""
    if row["status"]["state"] == DELETING:
        return cluster.get("vtasks", row["_task"]) or {}
    task, succeeds = tasks.start_task(cluster, "stop_globalsnapstream")
    if succeeds and row["status"]["state"] != FINISHED:
        _going(cluster, row, task)
        if not cluster.assumed.stopped_clone_keeps:  # the copy was never complete
            directories.forget_directory(cluster, row["_tenant"], row["loanee_root_path"])
    return task


def _going(cluster: VastCluster, row: Row, task: Row) -> None:
    disarm(cluster, row["guid"], copies.COPIED)
    row.update(_stage(row["state"], DELETING))
    row["_task"] = task["id"]
    arm_row(cluster, row, {}, remove=True)
    cluster.put(NAME, row)
    due(cluster, STREAMS, row)


def _guard(cluster: VastCluster, row: Row, query: Query) -> Iterator[str]:
    if row["status"]["state"] not in (FINISHED, DELETING):
        yield "it is not finished; stop it first"


def _delete(cluster: VastCluster, row: Row, query: Query) -> Row:
    if row["status"]["state"] == DELETING:
        task, succeeds = cluster.get("vtasks", row["_task"]) or {}, True
    else:
        task, succeeds = tasks.start_task(cluster, "delete_globalsnapstream")
        if succeeds:
            _going(cluster, row, task)
    if succeeds and is_true(query, "remove_dir"):  # at once: what is created at the path later is not the stream's
        directories.forget_directory(cluster, row["_tenant"], row["loanee_root_path"])
    return task


STREAMS = ApiCollection(
    NAME,
    unique=(("name",),),
    references=(Reference("loanee_snapshot_id", "snapshots"), Reference("loanee_tenant_id", "tenants")),
    defaults={"enabled": True, "sync_progress": 0, "status": {"state": "Active"}},
    unsendable=frozenset({"id", "guid", "status"}),
    fill=_fill,
    check=_check,
    show=_show,
    stored=_stored,
    guard=_guard,
    delete=_delete,
)
