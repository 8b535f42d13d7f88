"""Protected paths: local ones, and replicated ones with their mirror on the other cluster."""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.sim.store import Row
from vastplan.sim.vast import directories, mirrors, replication, restore, role_changes, sides, synchronous, tasks
from vastplan.sim.vast.cluster import DEFAULT_TENANT, VastCluster
from vastplan.sim.vast.errors import REQUIRED, Problem, VmsError, missing_object
from vastplan.sim.vast.fabric import arm, disarm
from vastplan.sim.vast.peers import PEERS_NAME
from vastplan.sim.vast.records import ON_ITS_WAY, ApiCollection, Memo, Query, Reference
from vastplan.sim.vast.settle import PENDING, apply_pending, arm_row, due
from vastplan.sim.vast.sides import NAME, OWN, SOURCE, STANDALONE, own_directory
from vastplan.sim.vast.tenants import remote_of

SCAN = "scan"
MADE, NEW = "_made", "_new"
WAITING = "_waiting"  # the task of a delete that could not reach the other side
COMMANDS = frozenset({"state", "replication_policy_id"})
_MIRRORED = ("name", "enabled", "lease_expiry_time", "sync_disconnect_time")
NEED_POLICY = ("ASYNC_REPLICATION", "REPLICATION_AND_GN")
# Clients of live clusters look for this text.
PATH_ON_PEER = "Cannot create remote stream: path on peer exists"
CAPABILITIES = frozenset({*NEED_POLICY, sides.GLOBAL, sides.SYNCHRONOUS})


def _peer(cluster: VastCluster, row: Row) -> Row | None:
    policy = cluster.get("protectionpolicies", row["protection_policy_id"])
    target = row.get("remote_target_id") or (policy or {}).get("target_object_id")
    return cluster.get(PEERS_NAME, target)


def _destination(cluster: VastCluster, row: Row) -> tuple[VastCluster | None, Row | None]:
    """The remote cluster and the tenant on it that a replicated path is sent to."""
    peer = _peer(cluster, row)
    remote = remote_of(cluster, peer) if peer else None
    if remote is None:
        return None, None
    wanted = {name: row[f"remote_tenant_{name}"] for name in ("guid", "name") if row[f"remote_tenant_{name}"]}
    return remote, next(remote.rows("tenants", **wanted), None) if wanted else None


def _fill(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> None:
    if COMMANDS & body.keys():
        raise VmsError(501, {"detail": f"Not simulated: {', '.join(sorted(COMMANDS & body.keys()))}."})
    if row["protection_policy_id"] is not None:
        row["protection_policy_id"] = str(row["protection_policy_id"])
    if old is not None:
        state = "Active" if row["enabled"] else "Suspended"
        if PENDING in row:
            row[PENDING] = {**row[PENDING], "changes": {**row[PENDING]["changes"], "state": state}}
        elif old["enabled"] != row["enabled"]:
            row["state"] = state
        return
    row[OWN] = row["source_dir"]
    # One release's document types the tenant as text and does not require it.
    row["tenant_id"] = DEFAULT_TENANT if row["tenant_id"] is None else int(row["tenant_id"])
    if body.get("policy_id") is not None and row["protection_policy_id"] is None:
        row["protection_policy_id"] = str(body["policy_id"])
    policy = cluster.get("protectionpolicies", row["protection_policy_id"])
    row["remote_target_id"] = body.get("remote_target_id") or (policy and policy["target_object_id"])
    row["is_local"] = row["remote_target_id"] is None
    if row["is_local"] and row["target_exported_dir"] is None:
        row["target_exported_dir"] = row["source_dir"]
    row["is_gn_enabled"] = row["capabilities"] in ("STARED_GLOBAL_NAMESPACE", "REPLICATION_AND_GN")
    row["enabled"], row["role"], row["state"] = True, "SOURCE", "Initializing"  # `enabled` is ignored here
    _, tenant = _destination(cluster, row)
    if tenant is not None:
        row["remote_tenant_guid"], row["remote_tenant_name"] = tenant["guid"], tenant["name"]
    arm_row(cluster, row, {"state": "Active"})


def _check(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> Iterator[Problem]:
    if old is not None:
        if sides.is_changing(old):
            yield "detail", f"The role of {old['name']} is changing."
        elif old["role"] != SOURCE:
            yield "detail", f"{old['name']} is a replica; change it on the cluster that is its source."
        if old.get(PENDING, {}).get("remove"):
            yield "detail", f"{old['name']} is being deleted."
        return
    source, target = row["source_dir"], row["target_exported_dir"]
    if target is None:
        yield "target_exported_dir", REQUIRED
        return
    relative = (name for name in ("source_dir", "target_exported_dir") if not row[name].startswith("/"))
    yield from ((name, "Path must start with '/'.") for name in relative)
    if not directories.exists(cluster, row["tenant_id"], source):
        yield "source_dir", f"Directory {source} does not exist."
    if row["protection_policy_id"] is None and row["capabilities"] in NEED_POLICY:
        yield "protection_policy_id", REQUIRED
    elif row["is_local"]:
        if target.rstrip("/") != source.rstrip("/"):
            yield "target_exported_dir", "A local protected path's target is its source directory."
        if row["capabilities"] != "ASYNC_REPLICATION":
            yield "remote_target_id", f"This field is required with {row['capabilities']}."
        if row["remote_tenant_guid"] or row.get("remote_tenant_name"):
            yield "remote_tenant_guid", "Not for a local protected path."
    else:
        yield from _replication_problems(cluster, row)


def _replication_problems(cluster: VastCluster, row: Row) -> Iterator[Problem]:
    remote, tenant = _destination(cluster, row)
    source, target, owner = row["source_dir"], row["target_exported_dir"], row["tenant_id"]
    if remote is None:
        yield "remote_target_id", "The replication peer is not connected."
    elif not (row["remote_tenant_guid"] or row.get("remote_tenant_name")):
        yield "remote_tenant_guid", REQUIRED
    elif tenant is None:
        yield "remote_tenant_guid", missing_object(row["remote_tenant_guid"] or row.get("remote_tenant_name"))
    else:
        if any(remote.rows(NAME, name=row["name"])):
            yield "name", f"The remote cluster has a protected path named {row['name']}."
        taken = remote.rows(
            NAME, tenant_id=tenant["id"], target_exported_dir=row["target_exported_dir"], role="DESTINATION"
        )
        if any(taken):
            yield "target_exported_dir", "The remote directory is the target of another protected path."
        elif cluster.assumed.existing_target == "refused" and directories.exists(remote, tenant["id"], target):
            yield "detail", PATH_ON_PEER
    for other in cluster.rows(NAME, tenant_id=owner):
        if other["is_local"]:
            continue
        if directories.lies_below(source, other["source_dir"]) or directories.lies_below(other["source_dir"], source):
            yield "source_dir", f"The directory is replicated by {other['name']}, or nested with it."
        same_cluster = other["remote_target_id"] == row["remote_target_id"]
        if same_cluster and other["remote_tenant_guid"] != row["remote_tenant_guid"]:
            yield "remote_tenant_guid", f"The tenant replicates to {other['remote_tenant_name']} on that cluster."
    buckets = [view["path"] for view in cluster.rows("views", tenant_id=owner) if view["bucket"]]
    if sides.synchronous(row) and source.rstrip("/") not in buckets:
        yield "source_dir", "Synchronous replication is for an existing S3 bucket."
    for view in cluster.rows("views", tenant_id=owner):
        if (
            "S3" in view["protocols"]
            and view["path"] != source.rstrip("/")
            and directories.lies_below(source, view["path"])
        ):
            yield "source_dir", f"The directory is inside of bucket {view['bucket']}."


def _stored(cluster: VastCluster, row: Row) -> None:
    if MADE not in row:
        row[MADE] = row[NEW] = True
        cluster.put(NAME, row)
        if not row["is_local"] and cluster.assumed.mirrored_path_after:
            arm(cluster, cluster.assumed.mirrored_path_after, mirrors.MIRROR_PATH, row["guid"])
        elif not row["is_local"]:
            mirror(cluster, row)
        arm(cluster, cluster.assumed.scan, SCAN, row["guid"])
        return
    side = sides.reached_side(cluster, row)
    if side is not None:
        side[0].put(NAME, side[1] | {name: row[name] for name in _MIRRORED})
    if sides.synchronous(row) and NEW not in row and row["role"] == SOURCE:
        synchronous.switched(cluster, row)
    if NEW not in row:
        replication.schedule(cluster, row)
        replication.send_restore_points(cluster, row)


def mirror(cluster: VastCluster, row: Row) -> None:
    """Create the path's mirror on the destination cluster, if that can be reached."""
    remote, tenant = _destination(cluster, row)
    if remote is None or tenant is None or not cluster.reaches(remote):
        return
    made = mirrors.make_path(cluster, row, remote, tenant)
    made[MADE] = made[NEW] = True
    arm_row(remote, made, {"state": "Active"})
    remote.put(NAME, made)
    due(remote, PROTECTED_PATHS, made)
    if NEW not in row:  # the path waited for its mirror
        (synchronous.begin_sync if sides.synchronous(row) else replication.send_restore_points)(cluster, row)


def scan(cluster: VastCluster, row: Row) -> None:
    """End the first scan of a new path's directory, even if the path was never read."""
    apply_pending(cluster, PROTECTED_PATHS, row)


def _settled(cluster: VastCluster, row: Row) -> None:
    if row.pop(NEW, None) is None:
        return
    disarm(cluster, row["guid"], SCAN)
    cluster.put(NAME, row)
    side = sides.reached_side(cluster, row)
    if row["role"] == SOURCE:
        replication.schedule(cluster, row)
        if sides.synchronous(row):
            synchronous.begin_sync(cluster, row)
        elif not row["is_local"] and row["capabilities"] != sides.GLOBAL:
            replication.take(cluster, row, "initial", replication.first_keep(cluster, row))
    elif side is not None:
        apply_pending(side[0], PROTECTED_PATHS, side[1])
    replication.refresh_state(cluster, row)


def _show(cluster: VastCluster, row: Row, memo: Memo) -> Row:
    policy = cluster.name_of("protectionpolicies", row["protection_policy_id"])
    peer = _peer(cluster, row)
    member = {"role": row["role"], "state": row["state"], "capabilities": row["capabilities"]}
    members = {cluster.name: member}
    side = sides.other_side(cluster, row)
    if side is not None:
        heard = side[1] if cluster.reaches(side[0]) else {"role": "N/A", "state": "UNKNOWN"}
        members[side[0].name] = {name: heard.get(name, row[name]) for name in ("role", "state", "capabilities")}
    size, inodes = directories.used(cluster, row["tenant_id"], own_directory(row), memo)
    end = mirrors.stream_of(cluster, row)
    stream = {"id": end["id"] if end else row["id"], "name": row["name"], "protection_policy_name": policy, **member}
    return {
        "protection_policy_name": policy,
        "replication_policy": policy,
        "peer_cluster_name": side[0].name if side else peer and peer["peer_name"],
        "peer_connection_state": peer and peer["state"],
        "replication_target_name": peer and peer["name"],
        "replication_streams": [stream],
        "members_info": members,
        "health": "HEALTHY",
        "logical_size": size,
        "physical_size": size,
        "inode_count": str(inodes),  # text, as the document types it
        **role_changes.role_change_figures(cluster, row),
        **restore.restore_figures(cluster, row),
        **replication.replication_figures(cluster, row),
    }


def carry_out_command(cluster: VastCluster, row: Row, body: Row) -> bool:
    """Carry out the command in a PATCH of a path; `False` if the PATCH changes fields instead. Raises `VmsError`."""
    if body.get("failover"):
        role_changes.fail_over(cluster, row, graceful=bool(body.get("graceful")))
    elif body.get("abort"):
        role_changes.abort_failover(cluster, row)
    else:
        return False
    return True


def _guard(cluster: VastCluster, row: Row, query: Query) -> Iterator[str]:
    if sides.RESTORE in row:
        yield "its restore is not committed"
    if sides.is_changing(row):
        yield "its role is changing"
    elif row["role"] not in (SOURCE, STANDALONE):
        yield "it is a replica; delete it on the cluster that is its source"


def _delete(cluster: VastCluster, row: Row, query: Query) -> Row | None:
    pending = row.get(PENDING)
    if WAITING in row:
        return cluster.get("vtasks", row[WAITING])
    if pending and pending["remove"]:
        return cluster.get("vtasks", row["_task"]) if "_task" in row else ON_ITS_WAY
    if row["is_local"]:  # no stream to stop
        row["state"] = "DELETE_PENDING"
        arm_row(cluster, row, {}, remove=True)
        cluster.put(NAME, row)
        due(cluster, PROTECTED_PATHS, row)
        return ON_ITS_WAY
    side = sides.other_side(cluster, row)
    away = row["role"] == SOURCE and side is not None and not cluster.reaches(side[0]) and not row.get(sides.DETACHED)
    task, succeeds = tasks.start_task(cluster, "delete_protected_path", held=away)
    before = {"state": row["state"]} | (pending["changes"] if pending else {})
    row["state"], row["_task"] = "DELETE_PENDING", task["id"]
    if away:  # the other side must hear of it first
        row[WAITING] = task["id"]
        cluster.put(NAME, row)
        return task
    arm_row(cluster, row, {} if succeeds else before, remove=succeeds)
    cluster.put(NAME, row)
    due(cluster, PROTECTED_PATHS, row)
    return task


def _gone(cluster: VastCluster, row: Row) -> None:
    mirrors.forget_path(cluster, row)
    side = sides.reached_side(cluster, row)
    if side is None:
        return
    other, mirror = side
    if row["role"] == STANDALONE or mirror.get(sides.DETACHED):
        other.put(NAME, mirror | {"state": "DELETED_ON_PEER"})
        return
    mirrors.forget_path(other, mirror)
    other.remove(NAME, mirror)


PROTECTED_PATHS = ApiCollection(
    NAME,
    unique=(("name",),),
    references=(
        Reference("tenant_id", "tenants"),
        Reference("remote_target_id", PEERS_NAME),
        Reference("protection_policy_id", "protectionpolicies", same_tenant=True),
        Reference("policy_id", "protectionpolicies", same_tenant=True),
    ),
    defaults={"capabilities": "ASYNC_REPLICATION", "lease_expiry_time": 0},
    nullable=frozenset({"protection_policy_id", "remote_target_id", "remote_tenant_guid", "remote_tenant_name"}),
    fixed=frozenset({"source_dir", "target_exported_dir"}),
    either={"protection_policy_id": int, "policy_id": int, "tenant_id": int},
    choices={"capabilities": CAPABILITIES},
    fill=_fill,
    check=_check,
    show=_show,
    guard=_guard,
    gone=_gone,
    stored=_stored,
    settled=_settled,
    delete=_delete,
)
