"""Roles of VMS managers, the realms that group what can be managed, and the permissions of each realm.

A permission is `VERB_REALM`. The built-in realms are those that VAST's Terraform provider knows (1.x, `roles_functions.go`);
a user-defined realm adds four permissions of its own (same source, and the provider's end-to-end configurations).
"""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.sim.store import Row
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.errors import Problem, missing_object
from vastplan.sim.vast.records import ApiCollection, Memo, Query, Reference

VERBS = ("create", "view", "edit", "delete")
BUILT_IN_REALMS = (
    "support", "settings", "security", "monitoring", "logical", "hardware", "events", "database", "applications",
)  # fmt: skip
ADMINISTRATORS = "administrators"
# The roles of a new cluster: that they exist is documented by the vendor; their permissions are assumed (VMS-110).
DEFAULT_ROLES = {
    ADMINISTRATORS: tuple(f"{verb}_{realm}" for realm in BUILT_IN_REALMS for verb in VERBS),
    "read-only": tuple(f"view_{realm}" for realm in BUILT_IN_REALMS),
    "csi": tuple(f"{verb}_logical" for verb in VERBS),
}


def permit(cluster: VastCluster, realm: str) -> None:
    """Create the permissions of a realm, if they do not exist."""
    codenames = {row["codename"] for row in cluster.store.rows("permissions")}
    for verb in VERBS:
        codename = f"{verb}_{realm}"
        if codename not in codenames:
            values = {"codename": codename, "name": f"Can {verb} {realm}", "permission_type": verb, "realm": realm}
            cluster.add("permissions", values)


def assign(cluster: VastCluster, row: Row, body: Row) -> None:
    """Add an object type to a realm."""
    cluster.put("realms", row | {"object_types": sorted({*row["object_types"], body["object_type"]})})


def unassign(cluster: VastCluster, row: Row, body: Row) -> None:
    """Remove an object type from a realm."""
    kept = [type_ for type_ in row["object_types"] if type_ != body["object_type"]]
    cluster.put("realms", row | {"object_types": kept})


def _fill_realm(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> None:
    row["object_types"] = sorted(set(row["object_types"] or ()))


def _check_realm(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> Iterator[Problem]:
    if row["name"] in BUILT_IN_REALMS:
        yield "name", "A built-in realm has this name."


def _stored_realm(cluster: VastCluster, row: Row) -> None:
    old = row.get("_permits")
    if old == row["name"]:
        return
    if old is not None:
        _rename(cluster, old, row["name"])
    permit(cluster, row["name"])
    cluster.put("realms", row | {"_permits": row["name"]})


def _rename(cluster: VastCluster, old: str, name: str) -> None:
    renamed = {f"{verb}_{old}": f"{verb}_{name}" for verb in VERBS}
    for role in list(cluster.store.rows("roles")):
        cluster.put(
            "roles", role | {"permissions": [renamed.get(codename, codename) for codename in role["permissions"]]}
        )
    _forbid(cluster, old)


def _forbid(cluster: VastCluster, realm: str) -> None:
    for row in list(cluster.rows("permissions", realm=realm)):
        cluster.remove("permissions", row)


def _gone_realm(cluster: VastCluster, row: Row) -> None:
    lost = {f"{verb}_{row['name']}" for verb in VERBS}
    for role in list(cluster.store.rows("roles")):
        cluster.put(
            "roles", role | {"permissions": [codename for codename in role["permissions"] if codename not in lost]}
        )
    _forbid(cluster, row["name"])


def _tenant(cluster: VastCluster, row: Row) -> Row:
    return {"tenant": cluster.brief("tenants", row["tenant_id"])}


def _show_realm(cluster: VastCluster, row: Row, memo: Memo) -> Row:
    return _tenant(cluster, row)


def _fill_role(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> None:
    if "permissions_list" in body:
        wanted = body["permissions_list"]
    elif "permissions" in body or "realm" in body:  # the older form: by verb, by realm, or both
        verbs = body.get("permissions", VERBS)
        verbs = (verbs,) if isinstance(verbs, str) else verbs
        realm = _realm_named(cluster, body.get("realm"))
        wanted = [
            permission["codename"]
            for permission in cluster.store.rows("permissions")
            if permission["permission_type"] in verbs and realm in (None, permission["realm"])
        ]
    else:
        wanted = old["permissions"] if old else []
    row["permissions"] = sorted(set(wanted))
    if "tenant_ids" in body:
        row["tenants"] = sorted(set(body["tenant_ids"]))
    row["ldap_groups"] = sorted(set(row["ldap_groups"] or ()))


def _realm_named(cluster: VastCluster, realm: str | None) -> str | None:
    # VAST's Terraform provider sends an id where the document asks for a name.
    return cluster.name_of("realms", realm) or realm


def _check_role(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> Iterator[Problem]:
    codenames = {permission["codename"] for permission in cluster.store.rows("permissions")}
    for codename in row["permissions"]:
        if codename not in codenames:
            yield "permissions_list", missing_object(codename)
    for key in row["tenants"]:
        if cluster.get("tenants", key) is None:
            yield "tenant_ids", missing_object(key)
    if row["tenant_id"] is not None and body.get("tenant_ids"):
        yield "tenant_ids", "A role of one tenant is for no others."


def _show_role(cluster: VastCluster, row: Row, memo: Memo) -> Row:
    holders = (manager for manager in cluster.store.rows("managers") if row["id"] in manager["roles"])
    names = [cluster.name_of("tenants", key) or "" for key in row["tenants"]]
    return {
        **_tenant(cluster, row),
        "tenant_names": ", ".join(names),
        "managers": [{"id": manager["id"], "username": manager["username"]} for manager in holders],
    }


def _guard_role(cluster: VastCluster, row: Row, query: Query) -> Iterator[str]:
    holders = [manager["username"] for manager in cluster.store.rows("managers") if row["id"] in manager["roles"]]
    if holders:
        yield f"it is the role of {', '.join(holders)}"


REALMS = ApiCollection(
    "realms",
    unique=(("name",),),
    references=(Reference("tenant_id", "tenants"),),
    fill=_fill_realm,
    check=_check_realm,
    show=_show_realm,
    stored=_stored_realm,
    gone=_gone_realm,
)
ROLES = ApiCollection(
    "roles",
    unique=(("name",),),
    references=(Reference("tenant_id", "tenants"), Reference("tenants", "tenants", through="tenants")),
    either={"permissions": str},
    fill=_fill_role,
    check=_check_role,
    show=_show_role,
    guard=_guard_role,
)
PERMISSIONS = ApiCollection("permissions")
