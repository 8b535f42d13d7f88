"""What a role permits a manager: the verb of a call, with the realm and the object type it is about.

Realms and object types are from VAST's Knowledge Base ("Provisioning VMS Access", "Managing User-Defined Permission Realms"), which
names kinds of objects and not each collection (VMS-112). Types are in lower case, as in the vendor's Terraform configurations.
"""

from __future__ import annotations

from collections.abc import Iterable

from vastplan.sim.store import Row
from vastplan.sim.vast import managers
from vastplan.sim.vast.cluster import VastCluster

_VERBS = {"GET": "view", "POST": "create", "PATCH": "edit", "DELETE": "delete"}
_TYPES = {  # per collection: the realm, and the type of its objects
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
    """What roles permit: `VERB_REALM`, and `VERB TYPE` for each type in a user-defined realm."""
    realms = {realm["name"]: realm["object_types"] for realm in cluster.store.rows("realms")}
    permitted: set[str] = set()
    for role in roles:
        for permission in role["permissions"]:
            verb, _, realm = permission.partition("_")
            permitted |= {f"{verb} {type_}" for type_ in realms.get(realm, ())} if realm in realms else {permission}
    return frozenset(permitted)


def manager_permissions(cluster: VastCluster, manager: Row) -> frozenset[str]:
    """What a manager is permitted, by its roles and by its own permissions."""
    own = {"permissions": manager[managers.OWN]}
    return of_roles(cluster, [*managers.roles(cluster, manager), own])


def allows(permissions: frozenset[str], method: str, collection: str, *, of_one: bool) -> bool:
    """Whether permissions allow a call; any POST about an existing object counts as an edit."""
    if collection in OF_EVERYBODY:
        return True
    verb = "edit" if method == "POST" and of_one else _VERBS[method]
    realm, type_ = _TYPES.get(collection, ("", ""))
    return bool(permissions & {f"{verb}_{realm}", f"{verb} {type_}"})
