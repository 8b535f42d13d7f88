"""The RBAC right that an operation needs: the API server's own rules, from its documentation of request attributes.

https://kubernetes.io/docs/reference/access-authn-authz/authorization/#determine-the-request-verb
"""

from __future__ import annotations

from vastplan.model.rights import Right
from vastplan.schema.operations import ApiOperation, Purpose

_VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
_VOLUMES, _CLAIMS = "/api/v1/persistentvolumes", "/api/v1/namespaces/{}/persistentvolumeclaims"
_PODS = "/api/v1/namespaces/{}/pods"
_SECRETS, _LEASES = "/api/v1/namespaces/{}/secrets", "/apis/coordination.k8s.io/v1/namespaces/{}/leases"

BESIDES = (
    ApiOperation(Purpose.READ, "GET", "/version"),
    *(
        ApiOperation(Purpose.MOVE, method, path)  # of a rehearsal
        for of in (_VOLUMES, _CLAIMS)
        for method, path in (("GET", of + "/{}"), ("POST", of), ("DELETE", of + "/{}"))
    ),
    ApiOperation(Purpose.TRY, "POST", _CLAIMS),  # for an answer only
    ApiOperation(Purpose.TRY, "POST", _PODS),
    ApiOperation(Purpose.LEDGER_READ, "GET", _SECRETS + "/{}"),
    ApiOperation(Purpose.LEDGER_READ, "GET", _LEASES),
    ApiOperation(Purpose.LEDGER_READ, "GET", _LEASES + "/{}"),
    ApiOperation(Purpose.LEDGER_WRITE, "GET", _SECRETS),
    ApiOperation(Purpose.LEDGER_WRITE, "POST", _SECRETS),
    ApiOperation(Purpose.LEDGER_WRITE, "PUT", _SECRETS + "/{}"),
    ApiOperation(Purpose.LEDGER_WRITE, "DELETE", _SECRETS + "/{}"),
    ApiOperation(Purpose.LEDGER_WRITE, "POST", _LEASES),
    ApiOperation(Purpose.LEDGER_WRITE, "PUT", _LEASES + "/{}"),
)


def right_of(method: str, path: str) -> Right | None:
    """The verb and the resource with its group; `None` for the version, which everybody who is authenticated may read."""
    _, root, *steps = path.split("/")
    if root == "version":
        return None
    if root not in ("api", "apis"):
        raise KeyError(path)
    group = steps.pop(0) if root == "apis" else ""
    steps = steps[1:]  # the version of the API
    if steps[:1] == ["namespaces"] and len(steps) > 2:
        steps = steps[2:]
    resource, *name = steps
    verb = ("get" if name else "list") if method == "GET" else _VERBS[method]
    return Right(f"{group}/{resource}", verb)
