"""The Run:AI permission that an operation needs: an action by its method, a type of resource by its path.

Both are from the schemas `Action` and `ResourceType` of the API document. It does not say which path has which type, except
by their names: `docs/unverified.md`, RAI-090.
"""

from __future__ import annotations

from vastplan.model.rights import Right
from vastplan.schema.operations import ApiOperation, Purpose
from vastplan.systems.runai.workload_types import NEVER_SUSPENDED, PATHS

_ACTIONS = {"GET": "read", "POST": "create", "PUT": "update", "PATCH": "update", "DELETE": "delete"}
# The longest matching start of a path counts.
_TYPES = {
    "/api/v1/access-keys": "access-keys",
    "/api/v1/asset/compute": "compute-resources",
    "/api/v1/asset/credentials": "credentials",
    "/api/v1/asset/datasource/config-map": "cm-volume-assets",
    "/api/v1/asset/datasource/git": "git-assets",
    "/api/v1/asset/datasource/host-path": "host-path-assets",
    "/api/v1/asset/datasource/nfs": "nfs-assets",
    "/api/v1/asset/datasource/pvc": "pvc-assets",
    "/api/v1/asset/datasource/s3": "s3-assets",
    "/api/v1/asset/datasource/secrets": "secret-volume-assets",
    "/api/v1/asset/environment": "environments",
    "/api/v1/audit": "events-history",
    "/api/v1/authorization/access-rules": "access_rules",
    "/api/v1/authorization/roles": "roles",
    "/api/v1/clusters": "cluster",
    "/api/v1/clusters/{}/nodes": "nodes",
    "/api/v1/datavolumes": "datavolumes",
    "/api/v1/network-topologies": "network-topologies",
    "/api/v1/node-pools": "nodepools",
    "/api/v1/org-unit/departments": "department",
    "/api/v1/org-unit/projects": "project",
    "/api/v1/storage-class-configuration": "storage-class-configuration",
    "/api/v1/storage-classes": "storage-class-configuration",
    "/api/v1/users": "users",
    "/api/v1/workloads": "workloads",
    "/api/v2/policy": "policies",
    "/api/v2/storage-classes": "storage-class-configuration",
}
_LOG_IN = "/api/v1/token"

BESIDES = (
    ApiOperation(Purpose.READ, "POST", _LOG_IN),
    ApiOperation(Purpose.READ, "GET", "/api/v1/clusters"),
    ApiOperation(Purpose.READ, "GET", "/api/v1/audit/log", optional=True),  # who changed what
    *(ApiOperation(purpose, "GET", "/api/v1/workloads/{}") for purpose in (Purpose.MOVE, Purpose.RESTORE)),
    *(
        ApiOperation(purpose, method, f"/api/v1/workloads/{path}{below}")
        for path in PATHS.values()
        for purpose, method, below in (
            (Purpose.MOVE, "POST", ""),
            (Purpose.MOVE, "GET", "/{}"),
            (Purpose.MOVE, "DELETE", "/{}"),  # of a rehearsal
            (Purpose.RESTORE, "GET", "/{}"),
        )
    ),
    *(
        ApiOperation(purpose, "POST", f"/api/v1/workloads/{path}/{{}}/{verb}")
        for type_, path in PATHS.items()
        if type_ not in NEVER_SUSPENDED
        for purpose in (Purpose.MOVE, Purpose.RESTORE)
        for verb in ("suspend", "resume")
    ),
)


def right_of(method: str, path: str) -> Right | None:
    """The type of resource and the action on it; `None` for logging in."""
    if path == _LOG_IN:
        return None
    starts = [start for start in _TYPES if path == start or path.startswith(start + "/")]
    if not starts:
        raise KeyError(path)
    return Right(_TYPES[max(starts, key=len)], _ACTIONS[method])
