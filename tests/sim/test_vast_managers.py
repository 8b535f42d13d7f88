"""Managers and API tokens of the simulated VMS: who may be made, who comes in, and with what rights."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.sim.conftest import Vms

STRONG = "Aa1#Aa1#"


@pytest.fixture
def vms(start: Any) -> Vms:
    made: Vms = start()
    made.post("tenants", name="t")
    made.post("tenants", name="u")
    made.post("roles", name="look", permissions_list=["view_logical"])
    made.post("roles", name="of-t", tenant_id=2, permissions_list=["view_logical", "create_logical"])
    return made


def manager(vms: Vms, name: str = "ann", **fields: Any) -> dict[str, Any]:
    """A new manager of the tenant t, as the answer shows it."""
    body = {"username": name, "password": STRONG, "roles": [role(vms, "look")], "tenant_id": 2, **fields}
    made: dict[str, Any] = vms.post("managers", **body)
    return made


def role(vms: Vms, name: str) -> int:
    (row,) = vms.get("/roles/", name=name)
    return int(row["id"])


def basic(vms: Vms, name: str, password: str = STRONG, tenant: str = "t") -> dict[str, str]:
    pair = base64.b64encode(f"{name}:{password}".encode()).decode()
    return {"Authorization": f"Basic {pair}", "X-Tenant-Name": tenant}


def test_an_answer_shows_roles_as_objects_and_no_password(vms: Vms) -> None:
    made = manager(vms, permissions_list=["view_events"], first_name="Ann", last_name="Example")
    assert made["roles"] == [{"id": role(vms, "look"), "name": "look"}]
    assert made["permissions"] == {"manager": ["view_events"], "role": ["view_logical"]}
    assert (made["user_type"], made["tenant"]["name"], made["full_name"]) == ("TENANT_ADMIN", "t", "Ann Example")
    assert "password" not in made and STRONG not in str(vms.get("/managers/"))
    (found,) = vms.get("/managers/", username="ann")
    assert found["id"] == made["id"]


@pytest.mark.parametrize(
    ("fields", "about"),
    [
        ({"username": "admin"}, "username"),
        ({"password": "short1#A"[:7]}, "password"),
        ({"password": "aa1#aa1#"}, "password"),
        ({"roles": [99]}, "roles"),
        ({"tenant_id": 3, "roles": ["of-t"]}, "roles"),
        ({"user_type": "SUPER_ADMIN"}, "user_type"),
        ({"user_type": "TENANT_ADMIN", "tenant_id": None}, "user_type"),
        ({"permissions_list": ["view_nothing"]}, "permissions_list"),
    ],
)
def test_who_is_not_made(vms: Vms, fields: dict[str, Any], about: str) -> None:
    named = {
        **fields,
        "roles": [role(vms, one) if isinstance(one, str) else one for one in fields.get("roles", ["look"])],
    }
    body = {"username": "ann", "password": STRONG, "tenant_id": 2, **named}
    refusal = vms.refused("POST", "/managers/", {name: value for name, value in body.items() if value is not None})
    assert list(refusal) == [about]


def test_the_default_manager_stays_and_so_does_a_role_that_somebody_has(vms: Vms) -> None:
    made = manager(vms)
    (first,) = vms.get("/managers/", username="admin")
    assert first["is_default"] and "default" in vms.refused("DELETE", f"/managers/{first['id']}/")["detail"]
    assert "it is the role of ann" in vms.refused("DELETE", f"/roles/{role(vms, 'look')}/")["detail"]
    vms.refused("DELETE", "/tenants/2/")
    vms.call("DELETE", f"/managers/{made['id']}/")
    vms.call("DELETE", f"/roles/{role(vms, 'look')}/")


def test_who_comes_in_sees_what_the_roles_let_them_see_of_their_tenant(vms: Vms) -> None:
    made = manager(vms, roles=[role(vms, "of-t")])
    vms.view("/of-u", tenant_id=3)
    administrator = dict(vms.headers)
    log_in = {"username": "ann", "password": STRONG}
    vms.headers = {"X-Tenant-Name": "u"}
    vms.refused("POST", "/token/", log_in, status=401)
    vms.headers = {"X-Tenant-Name": "t"}
    pair = vms.call("POST", "/token/", log_in).json()
    bearer = {"X-Tenant-Name": "t", "Authorization": f"Bearer {pair['access']}"}
    for headers in (bearer, basic(vms, "ann")):
        vms.headers = headers
        assert vms.get("/views/") == []
        assert vms.refused("GET", "/roles/", status=403)["code"] == "permission_denied"
    vms.headers = administrator
    vms.call("PATCH", f"/managers/{made['id']}/", {"password": "Bb2#Bb2#", "roles": [role(vms, "look")]})
    vms.headers = basic(vms, "ann")
    vms.refused("GET", "/views/", status=401)
    vms.headers = basic(vms, "ann", "Bb2#Bb2#")
    assert vms.refused("POST", "/views/", {"path": "/x", "policy_id": 1}, status=403)["code"] == "permission_denied"
    vms.headers = administrator
    vms.call("DELETE", f"/managers/{made['id']}/")
    vms.headers = bearer
    assert vms.refused("GET", "/views/", status=401)["code"] == "user_not_found"


def test_a_manager_of_the_cluster_needs_no_tenant_and_has_no_more_than_the_roles(vms: Vms) -> None:
    vms.post("managers", username="bob", password=STRONG, roles=[role(vms, "look")], permissions_list=["view_security"])
    vms.view("/of-u", tenant_id=3)
    vms.headers = {"Authorization": basic(vms, "bob")["Authorization"]}
    assert "/of-u" in [row["path"] for row in vms.get("/views/")] and vms.get("/roles/")
    vms.refused("POST", "/tenants/", {"name": "v"}, status=403)


def test_a_token_lets_its_owner_in_until_it_is_revoked(vms: Vms) -> None:
    made = manager(vms)
    told = vms.call("POST", "/apitokens/", {"owner": "ann", "name": "t", "expiry_date": "1Y"}).json()
    assert set(told) == {"id", "token"} and isinstance(told["id"], str)
    (row,) = vms.get("/apitokens/", owner="ann")
    assert (row["name"], row["owner"], row["revoked"]) == ("t", "ann", False) and told["token"] not in str(row)
    administrator = dict(vms.headers)
    vms.headers = {"Authorization": f"Api-Token {told['token']}", "X-Tenant-Name": "t"}
    assert vms.get("/views/") == []
    vms.headers = administrator
    assert "API tokens that work" in vms.refused("DELETE", f"/managers/{made['id']}/")["detail"]
    assert isinstance(vms.call("PATCH", f"/apitokens/{told['id']}/", {"name": "s"}).json(), str)
    for _ in range(2):
        vms.call("PATCH", f"/apitokens/{told['id']}/revoke/")
    assert [(one["name"], one["revoked"]) for one in vms.get("/apitokens/")] == [("s", True)]
    vms.headers = {"Authorization": f"Api-Token {told['token']}", "X-Tenant-Name": "t"}
    vms.refused("GET", "/views/", status=401)
    vms.headers = administrator
    vms.call("DELETE", f"/managers/{made['id']}/")


def test_a_manager_has_five_tokens_at_most(vms: Vms) -> None:
    assert "length of time" in vms.refused("POST", "/apitokens/", {"expiry_date": "soon"})
    for _ in range(5):
        told = vms.call("POST", "/apitokens/", {}).json()
    assert vms.refused("POST", "/apitokens/", {}, status=503) == "Max allowed API tokens reached"
    vms.call("PATCH", f"/apitokens/{told['id']}/revoke")
    vms.call("POST", "/apitokens/", {})
    assert vms.refused("POST", "/apitokens/", {"owner": "nobody"}) == "There is no manager nobody."
