"""The directories of each tenant, their content, and the folder calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vastplan.sim.store import Row
from vastplan.sim.vast import tasks
from vastplan.sim.vast.cluster import DEFAULT_TENANT, VastCluster
from vastplan.sim.vast.errors import Problem, detail, missing_object, raise_for
from vastplan.sim.vast.records import Memo

DIRECTORIES = "_directories"
USAGE = "_usage"
HEADS = "_heads"


def _key(tenant: int, path: str) -> str:
    return f"{tenant}:{path}"


def lies_below(path: str, root: str) -> bool:
    """Whether `path` is `root` or lies under it; trailing slashes do not count."""
    root = root.rstrip("/")
    return path.rstrip("/") == root or path.startswith(root + "/")


def exists(cluster: VastCluster, tenant: int, path: str) -> bool:
    """Whether a tenant has a directory; every tenant has its root."""
    path = path.rstrip("/")
    return path == "" or cluster.store.get(DIRECTORIES, _key(tenant, path)) is not None


def make_directory(cluster: VastCluster, tenant: int, path: str) -> None:
    """Create a directory and its parents, if they do not exist."""
    parts = path.strip("/").split("/")
    for depth in range(1, len(parts) + 1):
        folder = "/" + "/".join(parts[:depth])
        if folder != "/" and not exists(cluster, tenant, folder):
            cluster.store.put(DIRECTORIES, _key(tenant, folder), {"tenant_id": tenant, "path": folder})


def forget_directory(cluster: VastCluster, tenant: int, path: str = "/") -> None:
    """Remove a directory with all below it and its usage."""
    for collection in (DIRECTORIES, USAGE, HEADS):
        for row in list(cluster.rows(collection, tenant_id=tenant)):
            if lies_below(row["path"], path):
                cluster.store.remove(collection, _key(tenant, row["path"]))


def children(cluster: VastCluster, tenant: int, path: str) -> int:
    """How many directories lie below a path."""
    directory = path.rstrip("/")
    return sum(
        row["path"] != directory and lies_below(row["path"], path)
        for row in cluster.rows(DIRECTORIES, tenant_id=tenant)
    )


def use(cluster: VastCluster, tenant: int, path: str, size: int, inodes: int) -> None:
    """Set how much lies directly in a directory (bytes, inodes); creates it."""
    make_directory(cluster, tenant, path)
    path = path.rstrip("/") or "/"
    cluster.store.put(USAGE, _key(tenant, path), {"tenant_id": tenant, "path": path, "bytes": size, "inodes": inodes})


def directly(cluster: VastCluster, tenant: int, path: str) -> tuple[int, int]:
    """Bytes and inodes directly in a directory."""
    row = cluster.store.get(USAGE, _key(tenant, path.rstrip("/") or "/"))
    return (row["bytes"], row["inodes"]) if row else (0, 0)


def used(cluster: VastCluster, tenant: int, path: str, memo: Memo | None = None) -> tuple[int, int]:
    """Bytes and inodes in a directory and below it."""
    memo = {} if memo is None else memo
    if USAGE not in memo:
        memo[USAGE] = cluster.store.rows(USAGE)
    usages = [row for row in memo[USAGE] if row["tenant_id"] == tenant and lies_below(row["path"], path)]
    return sum(row["bytes"] for row in usages), sum(row["inodes"] for row in usages)


def path_problems(field: str, path: Any) -> Iterator[Problem]:
    """The problems in the form of a view's or quota's path."""
    if not isinstance(path, str):
        return
    if not path.startswith("/"):
        yield field, "Path must start with '/'."
    elif path != "/" and path.endswith("/"):
        yield field, "Path must not end with '/'."
    elif "//" in path or any(part in (".", "..") for part in path.split("/")):
        yield field, "Path must be absolute and normalized."


def presence_problems(cluster: VastCluster, row: Row, body: Row) -> Iterator[Problem]:
    """`create_dir` must be true if the directory does not exist; a mode's digits must be octal."""
    mode = body.get("create_dir_mode")
    if mode is not None and not set(str(mode)) <= set("01234567"):
        yield "create_dir_mode", f"{mode} is not an octal mode."
    path = row["path"]
    if isinstance(path, str) and not body.get("create_dir") and not exists(cluster, row["tenant_id"], path):
        yield "create_dir", f"Directory {path} does not exist; create_dir must be true."


def folder_call(cluster: VastCluster, call: str, body: Row) -> Any:
    """Answer `create_folder`, `modify_folder`, `stat_path` or `delete_folder`. Returns the body of a 200."""
    path, tenant = body["path"], body.get("tenant_id", DEFAULT_TENANT)
    if cluster.get("tenants", tenant) is None:
        raise_for([("tenant_id", missing_object(tenant))])
    raise_for(path_problems("path", path.rstrip("/") or "/"))
    if call == "create_folder":
        if exists(cluster, tenant, path):
            raise detail(f"{path} already exists")
        make_directory(cluster, tenant, path)
        return None
    if not exists(cluster, tenant, path):
        raise detail("no such directory")
    if call == "modify_folder":  # owners are not stored
        return None
    if call == "stat_path":
        return {"is_directory": True, "children": children(cluster, tenant, path), "owning_uid": 0, "owning_gid": 0}
    if not (cluster.get("clusters", 1) or {}).get("enable_trash"):
        raise detail("trash folder disabled")
    if path.strip("/") == "":
        raise detail("the root directory cannot be deleted")
    forget_directory(cluster, tenant, path)
    return None


def enable_trash(cluster: VastCluster, enabled: bool) -> Row:
    """Switch the trash folder, which folder deletion requires. Returns the task's body."""
    row = cluster.get("clusters", 1) or {}
    if enabled and any(view["s3_versioning"] for view in cluster.rows("views")):
        raise detail("unable to enable trash folder while there are views with s3 versioning enabled", 503)
    task, succeeds = tasks.start_task(cluster, "modify_cluster")
    if succeeds:
        cluster.put("clusters", row | {"enable_trash": enabled})
    return tasks.embedded(task)
