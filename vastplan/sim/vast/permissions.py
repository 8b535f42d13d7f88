"""What a role lets a manager do: the verb of a call, and the realm and the type of what it is about.

Realms and object types are from VAST's Knowledge Base ("Provisioning VMS Access", "Managing User-Defined Permission Realms"), which
names kinds of objects and not each collection (VMS-112). Types are in lower case, as the vendor's Terraform configurations have them.
"""

from __future__ import annotations

from collections.abc import Iterable

from vastplan.sim.store import Row
from vastplan.sim.vast import managers
from vastplan.sim.vast.cluster import VastCluster

_VERBS = {"GET": "view", "POST": "create", "PATCH": "edit", "DELETE": "delete"}
_TYPES = {  # of each collection: its realm, and the type of its objects
    "clusters": ("hardware", "cluster"), "dns": ("logical", "dns"), "events": ("events", "event"),
    "folders": ("logical", "folder"), "globalsnapstreams": ("logical", "globalsnapstream"),
    "groups": ("security", "group"), "localproviders": ("security", "localprovider"),
    "managers": ("security", "manager"), "apitokens": ("security", "apitoken"),
    "nativereplicationremotetargets": ("logical", "nativereplicationremotetarget"),
    "protectedpaths": ("logical", "protectedpath"), "protectionpolicies": ("logical", "protectionpolicy"),
    "qospolicies": ("logical", "qospolicy"), "quotas": ("logical", "quota"), "realms": ("security", "realm"),
    "roles": ("security", "role"), "s3keys": ("security", "s3keys"), "s3policies": ("security", "s3policy"),
    "locals3keys": ("security", "s3keys"), "s3lifecyclerules": ("logical", "s3lifecyclerule"),
    "snapshots": ("logical", "snapshot"), "tenants": ("logical", "tenant"), "users": ("security", "user"),
    "viewpolicies": ("logical", "viewpolicy"), "views": ("logical", "view"), "vippools": ("logical", "vippool"),
    "vms": ("settings", "vms"), "volumes": ("logical", "volume"),
}  # fmt: skip
OF_EVERYBODY = frozenset({"permissions", "versions", "vtasks"})


def of_roles(cluster: VastCluster, roles: Iterable[Row]) -> frozenset[str]:
    """What some roles let do: `VERB_REALM`, and `VERB TYPE` of each type in a realm that somebody made."""
    realms = {realm["name"]: realm["object_types"] for realm in cluster.store.rows("realms")}
    found: set[str] = set()
    for role in roles:
        for permission in role["permissions"]:
            verb, _, realm = permission.partition("_")
            found |= {f"{verb} {type_}" for type_ in realms.get(realm, ())} if realm in realms else {permission}
    return frozenset(found)


def of_manager(cluster: VastCluster, manager: Row) -> frozenset[str]:
    """What a manager may do: by its roles, and by permissions of its own."""
    own = {"permissions": manager[managers.OWN]}
    return of_roles(cluster, [*managers.roles(cluster, manager), own])


def allows(permissions: frozenset[str], method: str, collection: str, *, of_one: bool) -> bool:
    """Whether permissions let a call through; one about an object that is there is a change of it, whatever its method."""
    if collection in OF_EVERYBODY:
        return True
    verb = "edit" if method == "POST" and of_one else _VERBS[method]
    realm, type_ = _TYPES.get(collection, ("", ""))
    return bool(permissions & {f"{verb}_{realm}", f"{verb} {type_}"})
