"""The content of directories: labelled writes in a tree of versions, into which snapshots, copies and clones point.

Each write creates a version whose parent is the previous one, so writes to a copy start a branch. A
`Pointer` names the version of each directory below a root, and is all that a snapshot stores.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from vastplan.sim.store import Row
from vastplan.sim.vast import directories
from vastplan.sim.vast.cluster import VastCluster

VERSIONS = "_versions"
HEADS = directories.HEADS
Pointer = dict[str, str]


def _head(cluster: VastCluster, tenant: int, path: str) -> Row | None:
    return cluster.store.get(HEADS, f"{tenant}:{path}")


def _version(cluster: VastCluster, key: str | None) -> Row | None:
    return None if key is None else cluster.store.get(VERSIONS, key)


def _total(cluster: VastCluster, key: str | None) -> tuple[int, int]:
    row = _version(cluster, key)
    return (0, 0) if row is None else (row["total"], row["depth"])


def append_write(cluster: VastCluster, tenant: int, path: str, size: int, label: str, of: int | None = None) -> str:
    """Append a write to a directory, which is created; returns its version. A write with `of` above `size` is a part."""
    path = path.rstrip("/") or "/"
    directories.make_directory(cluster, tenant, path)
    head = _head(cluster, tenant, path)
    parent = head["version"] if head else None
    total, depth = _total(cluster, parent)
    number = cluster.store.next(VERSIONS)
    key = f"{cluster.name}.{number}"
    row = {
        "parent": parent, "total": total + size, "depth": depth + 1, "label": label, "bytes": size,
        "of": size if of is None else of, "at": cluster.fabric.passed, "number": number,
    }  # fmt: skip
    cluster.store.put(VERSIONS, key, row)
    _set(cluster, tenant, path, key)
    return key


def _set(cluster: VastCluster, tenant: int, path: str, version: str | None) -> None:
    head = _head(cluster, tenant, path)
    before, now = _total(cluster, head["version"] if head else None), _total(cluster, version)
    size, inodes = directories.directly(cluster, tenant, path)
    directories.use(cluster, tenant, path, size + now[0] - before[0], inodes + now[1] - before[1])
    if version is None:
        cluster.store.remove(HEADS, f"{tenant}:{path}")
    else:
        cluster.store.put(HEADS, f"{tenant}:{path}", {"tenant_id": tenant, "path": path, "version": version})


def pointer(cluster: VastCluster, tenant: int, root: str) -> Pointer:
    """The current versions in a directory and below it, by relative path."""
    root = root.rstrip("/")
    heads = cluster.rows(HEADS, tenant_id=tenant)
    return {
        row["path"].removeprefix(root): row["version"] for row in heads if directories.lies_below(row["path"], root)
    }


def replace_content(cluster: VastCluster, tenant: int, root: str, versions: Pointer) -> None:
    """Replace the content of a directory by what a pointer names."""
    root = root.rstrip("/")
    for below in sorted(pointer(cluster, tenant, root).keys() - versions.keys()):
        _set(cluster, tenant, root + below or "/", None)
    for below, version in versions.items():
        _set(cluster, tenant, root + below or "/", version)


def new_versions(cluster: VastCluster, new: Pointer, old: Pointer) -> Iterator[str]:
    """The versions that lead to `new` but not to `old`; the cluster knows either all of them or none."""
    for below, version in new.items():
        seen, other = _version(cluster, version), _version(cluster, old.get(below))
        key, beside = version, old.get(below)
        while seen is not None and key != beside:
            if other is not None and other["depth"] >= seen["depth"]:
                beside = other["parent"]
                other = _version(cluster, beside)
                continue
            yield key
            key = seen["parent"]
            seen = _version(cluster, key)


def total_bytes(cluster: VastCluster, versions: Iterable[str]) -> int:
    """The total bytes of some versions."""
    return sum(row["bytes"] for key in versions if (row := _version(cluster, key)) is not None)


def missing_bytes(cluster: VastCluster, new: Pointer, old: Pointer) -> int:
    """The bytes that `new` has and `old` lacks."""
    return total_bytes(cluster, new_versions(cluster, new, old))


def copy(source: VastCluster, target: VastCluster, versions: Iterable[str]) -> None:
    """Copy version rows to another cluster."""
    for key in versions:
        row = _version(source, key)
        if row is not None and target is not source:
            target.store.put(VERSIONS, key, row)


def write_versions(cluster: VastCluster, versions: Pointer) -> list[Row]:
    """The writes that lead to a pointer, oldest first: version rows with their `key`."""
    rows = [
        {**row, "key": key}
        for key in new_versions(cluster, versions, {})
        if (row := _version(cluster, key)) is not None
    ]
    return sorted(rows, key=lambda row: (row["at"], row["number"], row["key"]))


def complete_labels(cluster: VastCluster, versions: Pointer, *, torn: bool = False) -> list[str]:
    """The labels that are complete, oldest first; with `torn` the incomplete ones."""
    got: dict[str, int] = {}
    wanted: dict[str, int] = {}
    for row in write_versions(cluster, versions):
        got[row["label"]] = got.get(row["label"], 0) + row["bytes"]
        wanted[row["label"]] = max(wanted.get(row["label"], 0), row["of"])
    return [label for label in got if (got[label] < wanted[label]) is torn]
