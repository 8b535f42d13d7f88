"""Roles of managers, realms, and the permissions that both make."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sim.conftest import Vms


def role(vms: Vms, **body: Any) -> Any:
    return vms.post("roles", **{"name": "r", **body})


def permissions(vms: Vms, key: int) -> list[str]:
    return list(vms.get(f"/roles/{key}/")["permissions"])


def test_a_new_cluster_has_permissions_and_roles_of_its_own(vms: Vms) -> None:
    known = {row["codename"] for row in vms.get("/permissions/")}
    assert len(known) == 36 and {"view_logical", "delete_security", "create_database"} <= known
    shipped = {row["name"]: row for row in vms.get("/roles/")}
    assert shipped.keys() == {"administrators", "read-only", "csi"}
    assert all(row["is_default"] for row in shipped.values()) and shipped["administrators"]["is_admin"]
    assert set(shipped["administrators"]["permissions"]) == known
    vms.refused("DELETE", f"/roles/{shipped['csi']['id']}/")


def test_a_realm_brings_permissions_and_takes_them_along(vms: Vms) -> None:
    realm = vms.post("realms", name="writes", object_types=["view", "quota", "view"])
    assert realm["object_types"] == ["quota", "view"]
    one = role(vms, permissions_list=["view_writes", "edit_writes", "view_logical"])["id"]
    assert permissions(vms, one) == ["edit_writes", "view_logical", "view_writes"]
    assert vms.call("PATCH", f"/realms/{realm['id']}/", {"name": "changes"}).status_code == 200
    assert permissions(vms, one) == ["edit_changes", "view_logical", "view_changes"]
    vms.refused("POST", "/roles/", {"name": "s", "permissions_list": ["view_writes"]})
    assert vms.call("DELETE", f"/realms/{realm['id']}/").status_code == 204
    assert permissions(vms, one) == ["view_logical"]
    assert len(vms.get("/permissions/")) == 36


def test_object_types_come_and_go_one_by_one(vms: Vms) -> None:
    key = vms.post("realms", name="writes", object_types=["view"])["id"]
    for _ in range(2):
        assert vms.call("PATCH", f"/realms/{key}/assign/", {"object_type": "quota"}).status_code == 200
    assert vms.get(f"/realms/{key}/")["object_types"] == ["quota", "view"]
    for _ in range(2):
        assert vms.call("PATCH", f"/realms/{key}/unassign/", {"object_type": "view"}).status_code == 200
    assert vms.get(f"/realms/{key}/")["object_types"] == ["quota"]
    vms.refused("PATCH", "/realms/9/assign/", {"object_type": "quota"}, status=404)


@pytest.mark.parametrize(
    ("body", "given"),
    [
        # as VAST's Terraform provider 2.x sends it: the realm by its id
        ({"permissions": "view", "realm": "1"}, ["view_mine"]),
        ({"permissions": "view", "realm": "logical"}, ["view_logical"]),
        ({"realm": "logical"}, ["create_logical", "delete_logical", "edit_logical", "view_logical"]),
        ({"permissions": "edit", "realm": "logical", "permissions_list": ["view_events"]}, ["view_events"]),
        ({}, []),
    ],
)
def test_the_older_form_of_permissions(vms: Vms, body: Any, given: list[str]) -> None:
    vms.post("realms", name="mine")
    assert role(vms, **body)["permissions"] == given


def test_a_role_is_of_one_tenant_or_for_some(vms: Vms) -> None:
    one, two = (vms.post("tenants", name=name)["id"] for name in ("a", "b"))
    mine = role(vms, tenant_id=one)
    assert (mine["tenant"], mine["tenant_id"], mine["tenants"]) == ({"id": one, "name": "a"}, one, [])
    ours = role(vms, name="s", tenant_ids=[two, one])
    assert (ours["tenant"], ours["tenants"], ours["tenant_names"]) == (None, [one, two], "a, b")
    vms.refused("POST", "/roles/", {"name": "t", "tenant_id": one, "tenant_ids": [two]})
    vms.refused("POST", "/roles/", {"name": "t", "tenant_ids": [99]})
    vms.refused("POST", "/roles/", {"name": "r"})
    vms.refused("POST", "/realms/", {"name": "logical"})
    assert "roles r" in vms.refused("DELETE", f"/tenants/{one}/")["detail"]
    assert vms.call("PATCH", f"/roles/{ours['id']}/", {"ldap_groups": ["y", "x"]}).json()["ldap_groups"] == ["x", "y"]
    assert vms.get(f"/roles/{ours['id']}/")["tenants"] == [one, two]
