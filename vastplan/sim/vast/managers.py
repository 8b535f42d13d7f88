"""VMS managers: who may log in, for the cluster or for one tenant, with which roles and permissions.

The fields are those of the documents of 5.3 and 5.5. Answers show roles as objects, no password, and permissions in two lists, as VAST's
Terraform provider reads them; its check of passwords is assumed to be the server's. Stricter readings: a username is unique in the whole
cluster, and a manager with a valid API token cannot be deleted (VMS-130, VMS-132).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vastplan.sim.store import Row
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.errors import Problem, missing_object
from vastplan.sim.vast.records import ApiCollection, Memo, Query, Reference

NAME = "managers"
PASSWORD = "_password"
"""The row's field for what no answer shows."""
OWN = "_permissions"
SUPER_ADMIN, TENANT_ADMIN = "SUPER_ADMIN", "TENANT_ADMIN"
_SHORTEST = 8  # characters


def manager_named(cluster: VastCluster, username: Any) -> Row | None:
    """The manager with a username."""
    return next(cluster.rows(NAME, username=username), None)


def roles(cluster: VastCluster, row: Row) -> list[Row]:
    """The roles of a manager."""
    return [role for key in row["roles"] if (role := cluster.get("roles", key)) is not None]


def _fill(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> None:
    if body.get("password"):
        row[PASSWORD] = body["password"]
    if "permissions_list" in body or OWN not in row:
        row[OWN] = sorted(set(body.get("permissions_list") or ()))
    if row["user_type"] is None:
        row["user_type"] = SUPER_ADMIN if row["tenant_id"] is None else TENANT_ADMIN
    row["roles"] = sorted(set(row["roles"] or ()))


def _check(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> Iterator[Problem]:
    if not str(row["username"] or "").strip():
        yield "username", "This field may not be blank."
    if "password" in body and not _is_strong(body["password"]):
        yield "password", "The password is too simple."
    if (row["user_type"] == TENANT_ADMIN) != (row["tenant_id"] is not None):
        yield "user_type", "A tenant admin has a tenant, a cluster admin has none."
    codenames = {permission["codename"] for permission in cluster.store.rows("permissions")}
    yield from (("permissions_list", missing_object(codename)) for codename in row[OWN] if codename not in codenames)
    for role in roles(cluster, row):
        tenants = [role["tenant_id"]] if role["tenant_id"] is not None else role["tenants"]
        if tenants and row["tenant_id"] not in tenants:
            yield "roles", f"{role['name']} is a role of another tenant."


def _is_strong(password: str) -> bool:
    kinds = (str.isupper, str.islower, str.isdecimal, lambda letter: not letter.isalnum())
    return len(password) >= _SHORTEST and all(any(kind(letter) for letter in password) for kind in kinds)


def _show(cluster: VastCluster, row: Row, memo: Memo) -> Row:
    held = roles(cluster, row)
    return {
        "roles": [{"id": role["id"], "name": role["name"]} for role in held],
        "permissions": {
            "manager": row[OWN],
            "role": sorted({permission for role in held for permission in role["permissions"]}),
        },
        "tenant": cluster.brief("tenants", row["tenant_id"]),
        "full_name": " ".join(part for part in (row["first_name"], row["last_name"]) if part),
    }


def _guard(cluster: VastCluster, row: Row, query: Query) -> Iterator[str]:
    working = [
        token["name"]
        for token in cluster.rows("apitokens", _manager=row["id"])
        if not token["revoked"] and cluster.clock() < token["_until"]
    ]
    if working:
        yield f"it has API tokens that work: {', '.join(working)}"


MANAGERS = ApiCollection(
    NAME,
    unique=(("username",),),
    references=(Reference("tenant_id", "tenants"), Reference("roles", "roles", through="roles")),
    defaults={"is_active": True, "failed_logins": 0},
    fixed=frozenset({"tenant_id"}),
    hidden=frozenset({"password", "password_retype"}),
    fill=_fill,
    check=_check,
    show=_show,
    guard=_guard,
)
