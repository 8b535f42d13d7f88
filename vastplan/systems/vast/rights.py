"""The VMS permission that an operation needs: the verb by its method, the realm by its collection.

The API document says that permissions are create, view, edit and delete in a realm (`Permission`, `Role`). What the realms hold is
from VAST's Knowledge Base ("Provisioning VMS Access", "Managing User-Defined Permission Realms", "Creating Custom VMS Realms"),
which names kinds of objects, not each collection: `docs/unverified.md`, VMS-112.
"""

from __future__ import annotations

from vastplan.model.rights import Right
from vastplan.schema.operations import ApiOperation, Purpose

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
    ApiOperation(Purpose.READ, "POST", "/token/"),
    ApiOperation(Purpose.READ, "GET", "/versions/"),
    ApiOperation(Purpose.READ, "GET", "/events/", optional=True),  # who changed what
    ApiOperation(Purpose.WRITE, "GET", "/vtasks/{}/"),
    ApiOperation(Purpose.MOVE, "GET", "/replicationrestorepoints/"),
    ApiOperation(Purpose.MOVE, "PATCH", "/protectedpaths/{}/replicate_now/"),
    ApiOperation(Purpose.MOVE, "PATCH", "/protectedpaths/{}/force_failover"),
    ApiOperation(Purpose.MOVE, "PATCH", "/protectedpaths/{}/reattach_stream/"),
    ApiOperation(Purpose.MOVE, "POST", "/snapshots/"),
    ApiOperation(Purpose.MOVE, "GET", "/tenants/{}/"),
    ApiOperation(Purpose.MOVE, "GET", "/clusters/list_prefetch_paths_info/"),
    ApiOperation(Purpose.MOVE, "GET", "/protectedpaths/{}/prefetch_path"),
    ApiOperation(Purpose.MOVE, "POST", "/protectedpaths/{}/prefetch_path"),
    ApiOperation(Purpose.MOVE, "DELETE", "/protectedpaths/{}/prefetch_path", optional=True),  # else reported as running
    ApiOperation(Purpose.MOVE, "GET", "/globalsnapstreams/"),
    ApiOperation(Purpose.MOVE, "GET", "/views/"),
    ApiOperation(Purpose.MOVE, "GET", "/quotas/"),
    ApiOperation(Purpose.MOVE, "POST", "/snapshots/{}/clone/"),
    ApiOperation(Purpose.MOVE, "PATCH", "/globalsnapstreams/{}/stop"),
    ApiOperation(Purpose.MOVE, "DELETE", "/globalsnapstreams/{}/"),
    ApiOperation(Purpose.MOVE, "POST", "/views/"),  # of a rehearsal, like the next one
    ApiOperation(Purpose.MOVE, "DELETE", "/views/{}/"),
    ApiOperation(Purpose.RESTORE, "GET", "/globalsnapstreams/"),
    ApiOperation(Purpose.RESTORE, "GET", "/replicationrestorepoints/"),
    ApiOperation(Purpose.RESTORE, "GET", "/protectedpaths/{}/validate"),
    ApiOperation(Purpose.RESTORE, "POST", "/protectedpaths/{}/restore"),
    ApiOperation(Purpose.RESTORE, "PATCH", "/protectedpaths/{}/stop"),
    ApiOperation(Purpose.RESTORE, "PATCH", "/protectedpaths/{}/commit"),
    ApiOperation(Purpose.RESTORE, "POST", "/snapshots/"),
    ApiOperation(Purpose.RESTORE, "POST", "/snapshots/{}/clone/"),
    ApiOperation(Purpose.RESTORE, "PATCH", "/globalsnapstreams/{}/stop"),
)


def right_of(method: str, path: str) -> Right | None:
    """`view_logical` and the like; a POST to an action of an object (`{}`) is an edit."""
    name, *segments = path.strip("/").split("/")
    if name in _OF_EVERYBODY:
        return None
    return Right(_REALM_OF[name], "edit" if method == "POST" and "{}" in segments else _VERBS[method])
