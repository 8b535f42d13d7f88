"""The PVCs of PVC data sources: one per project in the scope, created and deleted in the project's namespace."""

from __future__ import annotations

import secrets

from vastplan.sim.runai import scopes, settle
from vastplan.sim.runai.cluster import KubernetesSide
from vastplan.sim.runai.context import Context
from vastplan.sim.runai.errors import RunaiError
from vastplan.sim.runai.scopes import ScopeUnit
from vastplan.sim.runai.storage_classes import NONE, configuration
from vastplan.sim.store import Row

MODES = {"readWriteOnce": "ReadWriteOnce", "readOnlyMany": "ReadOnlyMany", "readWriteMany": "ReadWriteMany"}
SHARED_NAMESPACE = "runai"  # the namespace of existing claims of department and cluster scope


def complete_spec(ctx: Context, unit: ScopeUnit, spec: Row) -> Row:
    """A claim's spec with its defaults; refuses (400) contradictions and what the class's configuration forbids."""
    info = spec["claimInfo"]
    if spec["existingPvc"]:
        if spec["claimName"] is None or info is not None or spec["ephemeral"]:
            raise RunaiError(400, "existingPvc needs claimName and goes with neither claimInfo nor ephemeral")
        return spec
    if info is None or info.get("size") is None:
        raise RunaiError(400, "claimInfo.size is required")
    modes = {"readWriteOnce": True, "readOnlyMany": False, "readWriteMany": False}
    modes |= {mode: wanted for mode, wanted in (info.get("accessModes") or {}).items() if wanted is not None}
    if not any(modes.values()):
        raise RunaiError(400, "claimInfo.accessModes has none")
    _check_configuration(ctx, unit, spec)
    return spec | {
        "claimInfo": {
            "size": info["size"],
            "storageClass": info.get("storageClass"),
            "accessModes": modes,
            "volumeMode": info.get("volumeMode") or "Filesystem",
            "addedAttrValues": info.get("addedAttrValues") or [],
        }
    }


def _check_configuration(ctx: Context, unit: ScopeUnit, spec: Row) -> None:
    info = spec["claimInfo"]
    configured = configuration(ctx, unit.cluster or "", info.get("storageClass"))
    permissions = configured.get("permissions") or {}
    if permissions.get("allowedForAssets") is False:
        raise RunaiError(400, f"storage class {info['storageClass']} is not allowed for assets")
    if spec["dataSharing"] and permissions.get("allowDataSharing") is not True:
        raise RunaiError(400, "dataSharing needs a storage class that is configured to allow it")
    attribute_keys = {
        attribute["key"]
        for attribute in (configured.get("customization") or {}).get("attributes") or ()
        if attribute is not None
    }
    for attribute in info.get("addedAttrValues") or ():
        if attribute is not None and attribute["key"] not in attribute_keys:
            raise RunaiError(400, f"addedAttrValues: the storage class has no attribute {attribute['key']}")


def claim_name(scope: str, name: str, spec: Row) -> str:
    """The PVC's name in Kubernetes: the given one, else one with a random suffix."""
    return str(spec["claimName"] or f"{name}-{scope}-{secrets.token_hex(3)[:5]}")


def create_claims(ctx: Context, row: Row) -> None:
    """Create missing claims, and record the problems in `issues`; the caller stores the row."""
    row["issues"] = []
    row["message"] = ""
    if row["spec"]["ephemeral"]:
        return
    for project in scopes.projects(ctx, row["scope"], row["unit"]):
        if settle.deleting(project):
            continue
        problem = _reach(ctx, row, project)
        if problem:
            row["issues"].append({"scopeType": "project", "scopeId": project["id"], "issue": "NotCreated"})
            row["message"] = problem
    if row["scope"] == "project" and row["claims"] and not row["spec"]["existingPvc"]:
        row["spec"]["claimName"] = row["claim"]


def _reach(ctx: Context, row: Row, project: Row) -> str:
    side, namespace, name = ctx.side(project["clusterId"]), project["namespace"], row["claim"]
    if side is None or namespace is None:
        return f"project {project['name']} has no namespace"
    if row["spec"]["existingPvc"]:
        where = namespace if row["scope"] == "project" else SHARED_NAMESPACE
        if not side.pvc_exists(where, name):
            row["claims"].pop(project["id"], None)
            return f"claim {where}/{name} is not there"
    elif project["id"] in row["claims"]:
        return "" if side.pvc_exists(namespace, name) else f"claim {namespace}/{name} is gone"
    elif not side.pvc_exists(namespace, name):
        problem = _make(side, row, namespace)
        if problem:
            return problem
    row["claims"][project["id"]] = {"namespace": namespace, "name": name}
    return ""


def _make(side: KubernetesSide, row: Row, namespace: str) -> str:
    info = row["spec"]["claimInfo"]
    wanted = info["storageClass"]
    classes = side.storage_classes()
    if wanted is None and not any(storage_class_row["is_default"] for storage_class_row in classes):
        return "the cluster has no default storage class"
    if wanted not in (None, NONE["name"], *(storage_class_row["name"] for storage_class_row in classes)):
        return f"the cluster has no storage class {wanted}"
    modes = [MODES[mode] for mode, on in info["accessModes"].items() if on]
    storage_class = "" if wanted == NONE["name"] else wanted
    try:
        side.create_pvc(namespace, row["claim"], storage_class, info["size"], modes, info["volumeMode"])
    except ValueError as error:
        return str(error)
    return ""


def release_claims(ctx: Context, row: Row) -> None:
    """Delete the claims that the data source created; never a claim that existed before."""
    if row["spec"]["existingPvc"]:
        return
    for key, claim in row["claims"].items():
        project = ctx.get("project", key)
        side = ctx.side(project["clusterId"]) if project else None
        if side is not None:
            side.delete_pvc(claim["namespace"], claim["name"])


def mounts_claim(ctx: Context, row: Row, workload: Row) -> bool:
    """Whether a workload mounts one of the data source's claims."""
    claim = row["claims"].get(workload["projectId"])
    return claim is not None and claim["name"] in workload["claims"]
