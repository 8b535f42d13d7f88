"""S3 keys of users: created, switched and removed through their user. The secret is answered once.

Source: the vendor's documents of 5.3 and 5.5. The vendor's Terraform provider and CSI driver rely on three more facts: a key is always
created enabled, without a tenant it belongs to the default tenant, and a second create adds another key.
"""

from __future__ import annotations

import secrets
import string
from typing import Any

from vastplan.sim.store import Row
from vastplan.sim.vast import people
from vastplan.sim.vast.cluster import DEFAULT_TENANT, VastCluster
from vastplan.sim.vast.errors import detail, missing_object, raise_for
from vastplan.sim.vast.people import Somebody
from vastplan.sim.vast.records import ApiCollection, Memo, Reference
from vastplan.sim.wire import Response

NAME = "locals3keys"
OF_DIRECTORY = "_directory_keys"
SECRET = "_secret_key"
"""The row's field for what no answer shows again: an S3 service simulated next to the VMS would know it too."""
_ACCESS, _SECRET = string.ascii_uppercase + string.digits, string.ascii_letters + string.digits + "/+"


def _show(cluster: VastCluster, row: Row, memo: Memo) -> Row:
    return {"user": cluster.brief("users", row["user_id"]), "tenant": cluster.brief("tenants", row["tenant_id"])}


KEYS = ApiCollection(
    NAME,
    references=(Reference("user_id", "users", through="user"), Reference("tenant_id", "tenants", through="tenant")),
    show=_show,
)


def call(cluster: VastCluster, user: Row, method: str, body: Row) -> Response:
    """Answer a call about a user's keys; raises `VmsError`."""
    if method == "POST":
        return Response(200, _make(cluster, user, body.get("tenant_id", DEFAULT_TENANT)))
    key = next(cluster.rows(NAME, user_id=user["id"], access_key=body["access_key"]), None)
    if key is None:
        raise detail("No such access key", 404)
    if method == "DELETE":
        cluster.remove(NAME, key)
    else:
        cluster.put(NAME, {**key, "enabled": body["enabled"]})
    return Response(204)


def _make(cluster: VastCluster, user: Row, tenant: Any) -> Row:
    if cluster.get("tenants", tenant) is None:
        raise_for([("tenant_id", missing_object(tenant))])
    pair = _pair()
    fields = {"user_id": user["id"], "tenant_id": tenant, "enabled": True, "creation_time": cluster.now()}
    cluster.add(NAME, {**fields, "access_key": pair["access_key"], SECRET: pair["secret_key"]})
    return pair


def _pair() -> Row:
    return {
        "access_key": "".join(secrets.choice(_ACCESS) for _ in range(20)),
        "secret_key": "".join(secrets.choice(_SECRET) for _ in range(40)),
    }


def shown_in(cluster: VastCluster, user: Row) -> list[Row]:
    """A user's keys, as the user's own row shows them."""
    names = ("access_key", "enabled", "creation_time", "tenant_id")
    return [{name: key[name] for name in names} for key in cluster.rows(NAME, user_id=user["id"])]


def answer_key_call(cluster: VastCluster, method: str, body: Row) -> Response:
    """Answer a call about the keys of a user of any provider, whom the body names; raises `VmsError`."""
    criteria = {name: value for name, value in body.items() if name not in ("access_key", "enabled")}
    identity, _ = people.named_identity(cluster, "users", criteria)
    if identity.origin == "LOCAL":
        if method != "POST" and not any(cluster.rows(NAME, tenant_id=identity.tenant, access_key=body["access_key"])):
            raise detail("No such access key", 404)
        return call(cluster, identity.row, method, {**body, "tenant_id": identity.tenant})
    if method == "POST":
        pair = _pair()
        fields = {
            "_somebody": identity.key,
            "tenant_id": identity.tenant,
            "enabled": True,
            "creation_time": cluster.now(),
        }
        row = {**fields, "access_key": pair["access_key"], SECRET: pair["secret_key"]}
        cluster.store.put(OF_DIRECTORY, pair["access_key"], row)
        return Response(200, pair)
    row = cluster.store.get(OF_DIRECTORY, body["access_key"]) or {}
    if (row.get("_somebody"), row.get("tenant_id")) != (identity.key, identity.tenant):
        raise detail("No such access key", 404)
    if method == "DELETE":
        cluster.store.remove(OF_DIRECTORY, body["access_key"])
    else:
        cluster.store.put(OF_DIRECTORY, body["access_key"], {**row, "enabled": body["enabled"]})
    return Response(204)


def of_somebody(cluster: VastCluster, identity: Somebody) -> list[Row]:
    """The keys of a user of any provider in a tenant, as a query shows them."""
    names = ("access_key", "enabled", "creation_time")
    local = identity.origin == "LOCAL"
    owner = {"user_id": identity.row["id"]} if local else {"_somebody": identity.key}
    rows = cluster.rows(NAME if local else OF_DIRECTORY, tenant_id=identity.tenant, **owner)
    return [{**{name: key[name] for name in names}, "remote": False} for key in rows]


def forget_keys(cluster: VastCluster, user: Row) -> None:
    """Remove the keys of a deleted user."""
    for key in list(cluster.rows(NAME, user_id=user["id"])):
        cluster.remove(NAME, key)


def forget_in(cluster: VastCluster, tenant: int) -> None:
    """Remove the keys that directory users have in a deleted tenant."""
    for key in list(cluster.store.where(OF_DIRECTORY, tenant_id=tenant)):
        cluster.store.remove(OF_DIRECTORY, key["access_key"])
