"""The VMS permission that an operation needs: the verb by its method, the realm by its collection.

The API document says that permissions are create, view, edit and delete in a realm (`Permission`, `Role`). What the realms hold is
from VAST's Knowledge Base ("Provisioning VMS Access", "Managing User-Defined Permission Realms", "Creating Custom VMS Realms"),
which names kinds of objects, not each collection: `docs/unverified.md`, VMS-112.
"""

from __future__ import annotations

from vastplan.model.rights import Right
from vastplan.schema.operations import Operation, Task

_VERBS = {"GET": "view", "POST": "create", "PATCH": "edit", "DELETE": "delete"}
_REALMS = {
    "logical": (
        "blockhosts", "blockmappings", "dns", "encryptedpaths", "eventbrokers", "folders", "globalsnapstreams",
        "nativereplicationremotetargets", "protectedpaths", "protectionpolicies", "qospolicies", "quotagroups", "quotas",
        "replicationpolicies", "replicationrestorepoints", "replicationstreams", "replicationtargets", "s3lifecyclerules", "snapshotpolicies",
        "snapshots", "tenants", "userquotas", "viewpolicies", "views", "vippools", "volumes",
    ),
    "security": (
        "activedirectory", "apitokens", "groups", "iamroles", "kerberos", "ldaps", "locals3keys", "localproviders", "managers",
        "nis", "oidcs", "realms", "roles", "s3keys", "s3policies", "users",
    ),
    "hardware": ("clusters", "cnodegroups"),
    "settings": ("vms", "vpntunnels"),
    "events": ("events", "webhooks"),
}  # fmt: skip
_REALM_OF = {collection: realm for realm, collections in _REALMS.items() for collection in collections}
_OF_EVERYBODY = frozenset({"permissions", "token", "versions", "vtasks"})

BESIDES = (
    Operation(Task.READ, "POST", "/token/"),
    Operation(Task.READ, "GET", "/versions/"),
    Operation(Task.READ, "GET", "/events/", optional=True),  # who changed what
    Operation(Task.WRITE, "GET", "/vtasks/{}/"),
    Operation(Task.MOVE, "GET", "/replicationrestorepoints/"),
    Operation(Task.MOVE, "PATCH", "/protectedpaths/{}/replicate_now/"),
    Operation(Task.MOVE, "PATCH", "/protectedpaths/{}/force_failover"),
    Operation(Task.MOVE, "PATCH", "/protectedpaths/{}/reattach_stream/"),
    Operation(Task.MOVE, "POST", "/snapshots/"),
    Operation(Task.MOVE, "GET", "/tenants/{}/"),
    Operation(Task.MOVE, "GET", "/clusters/list_prefetch_paths_info/"),
    Operation(Task.MOVE, "GET", "/protectedpaths/{}/prefetch_path"),
    Operation(Task.MOVE, "POST", "/protectedpaths/{}/prefetch_path"),
    Operation(Task.MOVE, "DELETE", "/protectedpaths/{}/prefetch_path", optional=True),  # else reported as running
    Operation(Task.MOVE, "GET", "/globalsnapstreams/"),
    Operation(Task.MOVE, "GET", "/views/"),
    Operation(Task.MOVE, "GET", "/quotas/"),
    Operation(Task.MOVE, "POST", "/snapshots/{}/clone/"),
    Operation(Task.MOVE, "PATCH", "/globalsnapstreams/{}/stop"),
    Operation(Task.MOVE, "DELETE", "/globalsnapstreams/{}/"),
    Operation(Task.MOVE, "POST", "/views/"),  # of a rehearsal, like the next one
    Operation(Task.MOVE, "DELETE", "/views/{}/"),
    Operation(Task.RESTORE, "GET", "/globalsnapstreams/"),
    Operation(Task.RESTORE, "GET", "/replicationrestorepoints/"),
    Operation(Task.RESTORE, "GET", "/protectedpaths/{}/validate"),
    Operation(Task.RESTORE, "POST", "/protectedpaths/{}/restore"),
    Operation(Task.RESTORE, "PATCH", "/protectedpaths/{}/stop"),
    Operation(Task.RESTORE, "PATCH", "/protectedpaths/{}/commit"),
    Operation(Task.RESTORE, "POST", "/snapshots/"),
    Operation(Task.RESTORE, "POST", "/snapshots/{}/clone/"),
    Operation(Task.RESTORE, "PATCH", "/globalsnapstreams/{}/stop"),
)


def right_of(method: str, path: str) -> Right | None:
    """`view_logical` and the like; a POST to an action of an object (`{}`) is an edit."""
    name, *below = path.strip("/").split("/")
    if name in _OF_EVERYBODY:
        return None
    return Right(_REALM_OF[name], "edit" if method == "POST" and "{}" in below else _VERBS[method])
