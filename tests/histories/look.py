"""What is live, as the simulators' own tables have it: objects, what holds data, who may do what. Nothing of vastplan's is used."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from ipaddress import ip_address, ip_network
from typing import Any

from tests.histories.edits import CLIENTS
from tests.histories.plant import Plant

Key = tuple[str, str, str]
Row = dict[str, Any]

# Kinds by the collection that their objects are in.
COLLECTIONS = {
    "vast": {
        "tenants": "tenant", "vippools": "vip_pool", "viewpolicies": "view_policy", "qospolicies": "qos_policy",
        "views": "view", "quotas": "quota", "protectionpolicies": "protection_policy", "protectedpaths": "protected_path",
        "snapshots": "snapshot",
    },
    "kubernetes": {
        "namespaces": "namespace", "secrets": "secret", "storageclasses.storage.k8s.io": "storage_class",
        "persistentvolumes": "persistent_volume", "persistentvolumeclaims": "persistent_volume_claim", "pods": "pod",
        "validatingadmissionpolicies.admissionregistration.k8s.io": "admission_policy",
        "validatingadmissionpolicybindings.admissionregistration.k8s.io": "admission_binding",
        "resourcequotas": "resource_quota",
    },
    "runai": {
        "department": "department", "project": "project", "access-rule": "access_rule", "asset": "data_source",
        "workload": "workload",
    },
}  # fmt: skip
# What systems move by themselves: times, counts, ids that others give, names of what a row refers to, figures of use.
_VOLATILE = frozenset(
    {
        "metadata.resourceVersion", "metadata.managedFields", "metadata.uid", "metadata.creationTimestamp",
        "metadata.generation", "status", "updatedAt", "createdAt", "created", "guid", "sync", "sync_time", "id", "policy",
        "tenant_name", "qos_policy", "protection_policy_name", "updatedBy", "createdBy", "meta",
        "phase", "phaseMessage", "_pending", "state", "namespaces", "spec.nodeName",
    }
)  # fmt: skip
DRIVER = "csi.vastdata.com"
_PARAMETERS = {"vip_pool": "vip_pool_name", "view_policy": "view_policy", "qos_policy": "qos_policy"}
"""How a class names what it needs, by kind."""
_NAMED = {kind: collection for collection, kind in COLLECTIONS["vast"].items()}


@dataclass(slots=True)
class Fact:
    """Something that somebody can do now, and the addresses whose consent tells him that he will not."""

    addresses: tuple[str, ...]
    data: bool = False
    """Whether consent to a delete is not enough: there has to be an approval, or consent to narrow."""


@dataclass(slots=True)
class Sight:
    """All that is live at one moment. `rows` are copies, in JSON; `holding` says what an object holds that could be lost."""

    rows: dict[Key, str] = field(default_factory=dict)
    names: dict[Key, str] = field(default_factory=dict)
    holding: dict[Key, str] = field(default_factory=dict)
    facts: dict[tuple[str, ...], Fact] = field(default_factory=dict)
    made_for: dict[Key, Key] = field(default_factory=dict)
    """What a system made for an object, and takes away with it."""
    within: dict[Key, Key] = field(default_factory=dict)
    """The namespace that an object is in."""
    leaving: set[Key] = field(default_factory=set)
    """What was told to go before, and is still there."""
    using: set[tuple[str, ...]] = field(default_factory=set)
    """Who is there to lose something: namespaces with claims of a class, with pods of their own volumes, classes with claims."""


def identity(row: Row) -> str:
    """The id under which a ledger knows an object."""
    metadata = row.get("metadata")
    return (
        str(metadata["uid"])
        if isinstance(metadata, dict) and "uid" in metadata
        else str(row.get("id") or row["meta"]["id"])
    )


def name_of(row: Row) -> str:
    """What an object is called."""
    for part in (row.get("metadata"), row, row.get("meta")):
        if isinstance(part, dict) and isinstance(part.get("name"), str):
            return str(part["name"])
    if "subjectId" in row:
        return f"{row['subjectId']} as {row['roleName']} in {row['scopeType']} {row['scopeName']}"
    return str(row.get("path", ""))


def plain(row: Row) -> Row:
    """A row without what systems move by themselves."""
    kept = {key: value for key, value in row.items() if key not in _VOLATILE and not key.endswith("_id")}
    if isinstance(row.get("metadata"), dict):
        kept["metadata"] = {key: value for key, value in row["metadata"].items() if f"metadata.{key}" not in _VOLATILE}
    if isinstance(row.get("spec"), dict):
        kept["spec"] = {key: value for key, value in row["spec"].items() if f"spec.{key}" not in _VOLATILE}
    return kept


def look(plant: Plant, facts: bool = True) -> Sight:
    """Everything that is live now."""
    sight = Sight()
    for site in sorted({site for site, _ in plant.planes}):
        rows = {
            kind: [row for row in plant.rows(site, system, collection) if row.get("deletedAt") is None]  # else a record
            for system, kinds in COLLECTIONS.items()
            for collection, kind in kinds.items()
        }
        for kind, found in rows.items():
            for row in found:
                key = (site, kind, identity(row))
                sight.rows[key] = json.dumps(plain(row), sort_keys=True, default=str)
                sight.names[key] = name_of(row)
                if _leaving(row):
                    sight.leaving.add(key)
        spaces = {row["metadata"]["name"]: (site, "namespace", identity(row)) for row in rows["namespace"]}
        for kind in ("secret", "persistent_volume_claim", "pod", "resource_quota"):
            for row in rows[kind]:
                if (space := spaces.get(row["metadata"]["namespace"])) is not None:
                    sight.within[site, kind, identity(row)] = space
        _holding(sight, plant, site, rows)
        if facts:
            _facts(sight, plant, site, rows)
    _copies(sight, plant)
    return sight


def _copies(sight: Sight, plant: Plant) -> None:
    """A path on two sites is deleted on both with its source."""
    kind, sources, copies = "protected_path", {}, []
    for site in sorted({site for site, _ in plant.planes}):
        for row in plant.rows(site, "vast", "protectedpaths"):
            if row["role"] == "DESTINATION":
                copies.append((site, row))
            else:
                sources[row["guid"]] = (site, kind, identity(row))
    for site, row in copies:
        if row["guid"] in sources:
            sight.made_for[site, kind, identity(row)] = sources[row["guid"]]


def _leaving(row: Row) -> bool:
    metadata = row.get("metadata")
    pending = row.get("_pending")
    return bool(
        (isinstance(metadata, dict) and metadata.get("deletionTimestamp"))
        or (isinstance(pending, dict) and pending.get("remove"))
        or row.get("phase") == "Deleting"
    )


def _used(plant: Plant, site: str) -> list[tuple[int, str, int]]:
    return [(row["tenant_id"], row["path"], row["bytes"]) for row in plant.rows(site, "vast", "_usage") if row["bytes"]]


def _within(path: str, root: str) -> bool:
    root = root.rstrip("/")
    return path.rstrip("/") == root or path.startswith(root + "/")


def _holding(sight: Sight, plant: Plant, site: str, rows: dict[str, list[Row]]) -> None:
    used = _used(plant, site)
    for kind in ("view", "quota"):
        for row in rows[kind]:
            size = sum(size for tenant, path, size in used if tenant == row["tenant_id"] and _within(path, row["path"]))
            if size:
                sight.holding[site, kind, identity(row)] = f"{size} bytes"
    for row in rows["tenant"]:
        if any(tenant == row["id"] for tenant, _, _ in used):
            sight.holding[site, "tenant", identity(row)] = "data"
        for policy in rows["view_policy"]:  # VMS makes it with the tenant, and takes it away with it
            if policy["tenant_id"] == row["id"] and policy["name"].endswith("__default_policy"):
                sight.made_for[site, "view_policy", identity(policy)] = (site, "tenant", identity(row))
    claims = {row["metadata"]["uid"]: row for row in rows["persistent_volume_claim"]}
    for uid, claim in claims.items():
        if claim.get("status", {}).get("phase") == "Bound" and (held := _in_claim(claim, rows, used)):
            sight.holding[site, "persistent_volume_claim", uid] = held
        key = (site, "namespace", _uid(rows["namespace"], claim["metadata"]["namespace"]))
        sight.holding[key] = "claims"
    for pod in rows["pod"]:
        sight.holding[site, "namespace", _uid(rows["namespace"], pod["metadata"]["namespace"])] = "pods"
    for volume in rows["persistent_volume"]:
        reference = volume["spec"].get("claimRef", {}).get("uid")
        if reference in claims:
            sight.holding[site, "persistent_volume", identity(volume)] = "a claim that is bound to it"
        if volume["metadata"]["name"].startswith("pvc-"):
            _made(sight, site, rows, volume, str(reference))
    for row in rows["workload"]:
        if row.get("deletedAt") is None and row["phase"] == "Running":
            sight.holding[site, "project", str(row["projectId"])] = "running workloads"


def _made(sight: Sight, site: str, rows: dict[str, list[Row]], volume: Row, claim: str) -> None:
    owner = (site, "persistent_volume_claim", claim)
    sight.made_for[site, "persistent_volume", identity(volume)] = owner
    for kind in ("view", "quota"):
        for row in rows[kind]:
            if row["path"].endswith("/" + volume["metadata"]["name"]):
                sight.made_for[site, kind, identity(row)] = owner


def _in_claim(claim: Row, rows: dict[str, list[Row]], used: list[tuple[int, str, int]]) -> str:
    """What is in a bound claim, or that nobody can tell; "" if it is empty and no pod has it."""
    volume = next(
        (row for row in rows["persistent_volume"] if row["metadata"]["name"] == claim["spec"].get("volumeName")), None
    )
    if volume is None or "block" in str(volume["spec"].get("csi", {}).get("driver")):
        return "a bound claim of which no use is known"
    handle = str(volume["spec"]["csi"]["volumeHandle"])
    of_claim = (path for _, path, _ in used if _within(path, handle) or f"/{handle}/" in f"{path}/")
    if next(of_claim, None) is not None:
        return "files in its volume"
    for pod in rows["pod"]:
        names = [each.get("persistentVolumeClaim", {}).get("claimName") for each in pod["spec"].get("volumes") or ()]
        if pod["metadata"]["namespace"] == claim["metadata"]["namespace"] and claim["metadata"]["name"] in names:
            return "a pod that mounts it"
    return ""


def _uid(namespaces: list[Row], name: str) -> str:
    return next((identity(row) for row in namespaces if row["metadata"]["name"] == name), "")


def _facts(sight: Sight, plant: Plant, site: str, rows: dict[str, list[Row]]) -> None:
    classes = {row["metadata"]["name"]: row for row in rows["storage_class"]}
    named = {kind: {row["name"] for row in rows[kind]} for kind in ("vip_pool", "view_policy", "qos_policy")}
    for claim in rows["persistent_volume_claim"]:
        space, class_name = claim["metadata"]["namespace"], claim["spec"].get("storageClassName")
        if not class_name or claim["metadata"].get("deletionTimestamp"):
            continue
        sight.using |= {("claim", site, space, class_name), ("class needs", site, class_name)}
        about = (
            f"{site}/storage_class/{class_name}",
            f"{site}/admission_policy/vastplan-{class_name}",
            f"{site}/admission_binding/vastplan-{class_name}",
        )
        owner = tuple(f"{site}/project/{name}" for name in (_project_of(rows, space),) if name)
        key = ("claim", site, space, class_name)
        if key in sight.facts or class_name not in classes:
            continue
        if _admitted(plant, site, space, class_name):
            sight.facts[key] = Fact((*about, *owner, f"{site}/namespace/{space}"))
        parameters = classes[class_name].get("parameters") or {}
        for kind, parameter in _PARAMETERS.items():
            wanted = parameters.get(parameter)
            if wanted and wanted in named[kind]:
                sight.facts["class needs", site, class_name, kind, wanted] = Fact(
                    (f"{site}/{kind}/{wanted}", about[0]), data=True
                )
    for volume in rows["persistent_volume"]:
        pool = (volume["spec"].get("csi", {}).get("volumeAttributes") or {}).get("vip_pool_name")
        if (
            pool
            and volume["spec"].get("csi", {}).get("driver") == DRIVER
            and volume.get("status", {}).get("phase") == "Bound"
            and pool in named["vip_pool"]
        ):
            sight.facts["volume mounts by", site, identity(volume), pool] = Fact(
                (f"{site}/vip_pool/{pool}",), data=True
            )
            row = next(row for row in rows["vip_pool"] if row["name"] == pool)
            for first, last in row["ip_ranges"]:
                for address in (first, last):
                    sight.facts["volume may come by", site, identity(volume), pool, address] = Fact(
                        (f"{site}/vip_pool/{pool}",), data=True
                    )
    _inline(sight, plant, site, rows)
    _mounts(sight, site, rows)


def _project_of(rows: dict[str, list[Row]], space: str) -> str:
    for row in rows["project"]:
        if row.get("namespace") == space or f"runai-{row.get('name') or row.get('meta', {}).get('name')}" == space:
            return name_of(row)
    return ""


def _admitted(plant: Plant, site: str, space: str, class_name: str) -> bool:
    """Whether the API server would take one more claim; it is asked, and asked not to keep it."""
    body = {
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "one-more"},
        "spec": {"accessModes": ["ReadWriteMany"], "storageClassName": class_name, "resources": {"requests": {"storage": "1Gi"}}},
    }  # fmt: skip
    path = f"/api/v1/namespaces/{space}/persistentvolumeclaims?dryRun=All"
    return plant.by_hand(site, "kubernetes", "POST", path, body).status < 400


def _inline(sight: Sight, plant: Plant, site: str, rows: dict[str, list[Row]]) -> None:
    for pod in rows["pod"]:
        if any(volume.get("csi", {}).get("driver") == DRIVER for volume in pod["spec"].get("volumes", ())):
            space = pod["metadata"]["namespace"]
            sight.using.add(("pod", site, space))
            body = {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": "one-more"},
                "spec": {
                    "containers": [{"name": "c", "image": "i:1"}],
                    "volumes": [{"name": "v", "csi": {"driver": DRIVER}}],
                },
            }
            if (
                plant.by_hand(site, "kubernetes", "POST", f"/api/v1/namespaces/{space}/pods?dryRun=All", body).status
                < 400
            ):
                name = "vastplan-inline-volumes"
                sight.facts["pod", site, space] = Fact(
                    (f"{site}/admission_policy/{name}", f"{site}/admission_binding/{name}")
                )


def _mounts(sight: Sight, site: str, rows: dict[str, list[Row]]) -> None:
    """Clients that come in to what holds data: how far the policy and the tenant's ranges let each of them."""
    policies = {row["id"]: row for row in rows["view_policy"]}
    tenants = {row["id"]: row for row in rows["tenant"]}
    for view in rows["view"]:
        if (site, "view", identity(view)) not in sight.holding:
            continue
        policy, tenant = policies.get(view["policy_id"]), tenants.get(view["tenant_id"])
        if policy is None or tenant is None:
            continue
        addresses = (
            f"{site}/view_policy/{policy['name']}",
            f"{site}/tenant/{tenant['name']}",
            f"view:{site}:{identity(view)}",
        )
        for client in CLIENTS:
            if tenant["client_ip_ranges"] and not any(_between(client, *pair) for pair in tenant["client_ip_ranges"]):
                continue
            for right in ("nfs_read_write", "nfs_read_only", "nfs_no_squash"):
                lists = {"nfs_read_only": ("nfs_read_only", "nfs_read_write")}.get(right, (right,))
                if any(_listed(client, policy.get(name) or ()) for name in lists):
                    sight.facts["mount", site, identity(view), client, right] = Fact(addresses)


def _listed(client: str, hosts: Any) -> bool:
    for host in hosts:
        if host == "*" or fnmatchcase(client, host):
            return True
        try:
            if ip_address(client) in ip_network(host, strict=False):
                return True
        except ValueError:
            continue
    return False


def _between(client: str, first: str, last: str) -> bool:
    return int(ip_address(first)) <= int(ip_address(client)) <= int(ip_address(last))


def still(plant: Plant, after: Sight, fact: tuple[str, ...]) -> bool:
    """Whether what somebody could do can still be done, or is of nobody's use any more."""
    if fact in after.facts:
        return True
    what, site, *rest = fact
    if what == "volume may come by":
        return (site, "persistent_volume", rest[0]) not in after.holding or any(
            _between(rest[2], first, last)
            for row in plant.rows(site, "vast", "vippools")
            if row["name"] == rest[1]
            for first, last in row["ip_ranges"]
        )
    if what == "volume mounts by":
        return (site, "persistent_volume", rest[0]) not in after.holding  # a claim that goes is judged by itself
    if what == "mount":
        return (site, "view", rest[0]) not in after.rows
    if what == "class needs":
        return fact[:3] not in after.using or _has_what_it_needs(plant, site, rest[0], rest[1])
    return fact not in after.using


def _has_what_it_needs(plant: Plant, site: str, name: str, kind: str) -> bool:
    """Whether a class names what there is: what its volumes are was copied when they were made, so it may name another."""
    for row in plant.rows(site, "kubernetes", "storageclasses.storage.k8s.io"):
        if row["metadata"]["name"] == name:
            wanted = (row.get("parameters") or {}).get(_PARAMETERS[kind])
            return wanted is None or wanted in {one["name"] for one in plant.rows(site, "vast", _NAMED[kind])}
    return False
