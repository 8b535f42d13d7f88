"""API tokens of managers: shown once when created, revoked and never deleted; the number per manager is limited.

Source: the vendor's documents of 5.3 and 5.5 (the family answers with JSON strings, and 503 for a manager with the maximum number of
tokens), and VAST's Ansible modules, which read `revoked` before they revoke. No source says whether lists still show revoked tokens,
how long a token without an expiry lives, or how the expiry is shown (VMS-131).
"""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from typing import Any

from vastplan.sim.store import Row
from vastplan.sim.vast import managers
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.durations import suffixed
from vastplan.sim.vast.errors import VmsError
from vastplan.sim.vast.records import ApiCollection, Memo
from vastplan.sim.wire import Response

NAME = "apitokens"
TOKEN = "_token"
"""The row's field for what no answer shows again."""
_DEFAULT = 180 * 86400  # seconds


def _show(cluster: VastCluster, row: Row, memo: Memo) -> Row:
    owner = cluster.get(managers.NAME, row["_manager"])
    until = datetime.fromtimestamp(row["_until"], UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"owner": row["owner"] if owner is None else owner["username"], "expiry_date": until}


API_TOKENS = ApiCollection(NAME, show=_show)


def holder(cluster: VastCluster, token: str) -> Row | None:
    """The manager whose valid token this is."""
    for row in cluster.store.rows(NAME):
        if secrets.compare_digest(row[TOKEN].encode(), token.encode()) and _works(cluster, row):
            row["last_used"] = cluster.now()
            cluster.put(NAME, row)
            return cluster.get(managers.NAME, row["_manager"])
    return None


def manager_tokens(cluster: VastCluster, manager: Row) -> list[Row]:
    """The valid tokens of a manager."""
    return [row for row in cluster.rows(NAME, _manager=manager["id"]) if _works(cluster, row)]


def create_token(cluster: VastCluster, caller: str, body: Row) -> Response:
    """Create a token, which the answer shows; raises `VmsError`."""
    username = body.get("owner") or caller
    owner = managers.manager_named(cluster, username)
    if owner is None:
        raise VmsError(400, f"There is no manager {username}.")
    most = cluster.store.rows("vms")[0]["max_api_tokens_per_user"]
    if len(manager_tokens(cluster, owner)) >= most:
        raise VmsError(503, "Max allowed API tokens reached")
    key, token = secrets.token_hex(8), secrets.token_urlsafe(32)
    row = {
        **cluster.blanks[NAME],
        "id": key,
        "name": body.get("name") or f"{username}_api_token",
        "owner": username,
        "created": cluster.now(),
        "revoked": False,
        "_manager": owner["id"],
        "_tenant": owner["tenant_id"],
        "_from": cluster.clock(),
        "_until": cluster.clock() + _seconds(body),
        TOKEN: token,
    }
    cluster.put(NAME, row)
    return Response(201, {"id": key, "token": token})


def change(cluster: VastCluster, row: Row, body: Row) -> Response:
    """Change a token's name or expiry; raises `VmsError`."""
    until = row["_from"] + _seconds(body) if "expiry_date" in body else row["_until"]
    cluster.put(NAME, {**row, "name": body.get("name", row["name"]), "_until": until})
    return Response(200, "API token has been modified")


def revoke(cluster: VastCluster, row: Row) -> Response:
    """Revoke a token for good."""
    if not row["revoked"]:
        cluster.put(NAME, {**row, "revoked": True, "revocation_time": cluster.now()})
    return Response(200, "API token has been revoked")


def _works(cluster: VastCluster, row: Row) -> bool:
    return (
        not row["revoked"]
        and cluster.clock() < row["_until"]
        and cluster.get(managers.NAME, row["_manager"]) is not None
    )


def _seconds(body: Row) -> int:
    expiry: Any = body.get("expiry_date")
    if expiry is None:
        return _DEFAULT
    span = suffixed(str(expiry))
    if not span:
        raise VmsError(400, f"{expiry} is not a length of time.")
    return span
