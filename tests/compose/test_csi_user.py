"""A CSI user: what it becomes, which classes and volumes take its Secret, and what is refused."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.compose.short import Said, entry, made
from vastplan.kinds.compose.csi_user import COMPOSITION
from vastplan.kinds.compose.delivery import OF_API_TOKEN, OF_MANAGER
from vastplan.kinds.compose.isolation import COMPOSITION as OF_CLASS

TENANT: dict[str, Said | None] = {"tenant/a": {"name": "team-a"}, "namespace/vast-csi": {}}
ADDRESSES = {"addresses": {"vast": "https://vms.example.com:8443/api"}}


def user(**values: Any) -> Said:
    return {"tenant": "@tenant/a", "generation": 1, **values}


def csi_user(others: dict[str, Said | None] | None = None, /, **values: Any) -> tuple[Said, list[Any]]:
    return made(COMPOSITION, entry("csi_user/a", user(**values)), {**TENANT, **(others or {})}, **ADDRESSES)


def test_it_is_a_manager_with_a_role_and_a_secret() -> None:
    found, wrong = csi_user()
    assert wrong == []
    assert [name for name in found if not name.startswith("realm/")] == [
        "manager_role/team-a-csi", "secret/vast-csi/team-a-csi", "manager/team-a-csi",
    ]  # fmt: skip
    assert found["secret/vast-csi/team-a-csi"] == {
        "name": "team-a-csi",
        "namespace": "@namespace/vast-csi",
        "data": {"endpoint": "vms.example.com", "tenant": "team-a"},
    }
    assert found["manager/team-a-csi"] == {
        "name": "team-a-csi",
        "tenant": "@tenant/a",
        "user_type": "TENANT_ADMIN",
        "roles": ["@manager_role/team-a-csi"],
        "password_expiration_disabled": True,
        "generation": 1,
        "deliver": {
            "secret": "@secret/vast-csi/team-a-csi",
            "keys": {"username": "username", "password": "password"},
        },
        "(chosen)": ["gets the rights of the file driver; its log-in is delivered to secret vast-csi/team-a-csi"],
    }


def test_what_is_said_of_it_is_taken() -> None:
    found, wrong = csi_user(name="robot", secret="csi/login", endpoint="10.0.0.1", generation=3)
    assert wrong == []
    assert found["manager/robot"]["generation"] == 3 and found["manager/robot"]["roles"] == ["@manager_role/robot"]
    made_for_it = found["secret/csi/login"]
    assert made_for_it["namespace"] == "@?namespace/csi" and made_for_it["data"]["endpoint"] == "10.0.0.1"


@pytest.mark.parametrize(
    ("classes", "said", "does"),
    [
        ([], None, "file"),
        (["block"], None, "block"),
        (["block", "file"], None, "file and the block"),
        (["file"], ["block"], "block"),
    ],
)
def test_it_may_what_the_drivers_of_the_tenant_s_classes_do(
    classes: list[str], said: list[str] | None, does: str
) -> None:
    others: dict[str, Said | None] = {
        f"storage_class/{driver}": {"tenant": "@tenant/a", "driver": driver} for driver in classes
    }
    found, _ = csi_user(others, **({} if said is None else {"drivers": said}))
    assert found["manager/team-a-csi"]["(chosen)"][0].startswith(f"gets the rights of the {does} driver;")
    volumes = any("volume" in values.get("object_types", ()) for values in found.values())
    assert volumes is ("block" in does)


def test_a_secret_of_the_document_gets_the_log_in_and_nothing_else() -> None:
    secret: Said = {"namespace": "@namespace/vast-csi", "data": {"endpoint": "e", "tenant": "team-a"}}
    found, wrong = csi_user({"secret/mine": {"name": "login", **secret}}, secret="vast-csi/login")
    assert wrong == [] and not any(name.startswith("secret/") for name in found)
    assert found["manager/team-a-csi"]["deliver"]["secret"] == "@secret/mine"


@pytest.mark.parametrize(
    ("secret", "code", "message"),
    [
        ({}, "VP287", "secret mine has no endpoint and no tenant, and the driver needs it for a tenant's manager"),
        (
            {"data": {"endpoint": "e"}},
            "VP287",
            "secret mine has no tenant, and the driver needs it for a tenant's manager",
        ),
        (
            {"data": {"endpoint": "e", "tenant": "t", "password": {"env": "P"}}},
            "VP279",
            "secret mine already has a value for password",
        ),
        (
            {"data": {"endpoint": "e", "tenant": "t"}, "immutable": True},
            "VP279",
            "secret mine is immutable, and nothing can be delivered into it",
        ),
    ],
)
def test_a_secret_of_the_document_that_will_not_do(secret: Said, code: str, message: str) -> None:
    others: dict[str, Said | None] = {"secret/mine": {"name": "login", "namespace": "@namespace/vast-csi", **secret}}
    _, wrong = csi_user(others, secret="vast-csi/login")
    assert [one[:2] for one in wrong] == [(code, message)]


def test_where_nobody_knows_the_endpoint_it_has_to_be_said() -> None:
    _, wrong = made(COMPOSITION, entry("csi_user/a", user()), TENANT)
    assert wrong == [
        (
            "VP286",
            "endpoint is missing, and the document does not say where this site's VMS is",
            "write endpoint: HOST, as the driver reaches VMS",
        )
    ]


def test_a_tenant_has_one() -> None:
    found, wrong = csi_user({"csi_user/b": user()})
    assert found == {} and [code for code, *_ in wrong] == ["VP285"]
    assert wrong[0][1] == "tenant a has another CSI user, b, and its classes can use only one"


@pytest.mark.parametrize(
    ("says", "secret"),
    [
        ({}, "@secret/vast-csi/team-a-csi"),
        ({"secret": "@secret/other"}, "@secret/other"),
        ({"secrets": {"provisioner": None}}, None),
        ({"tenant": "@tenant/b"}, None),
    ],
)
def test_a_class_of_the_tenant_that_names_none_takes_its_secret(says: Said, secret: str | None) -> None:
    of = entry(
        "storage_class/c",
        {"tenant": "@tenant/a", "driver": "file", "vip_pool_fqdn": "x", "view_policy": "@view_policy/p", **says},
    )
    found, _ = made(OF_CLASS, of, {**TENANT, "tenant/b": {}, "csi_user/a": user()})
    assert found["storage_class/c"].get("secret") == secret
    chosen = "secret vast-csi/team-a-csi, the one of tenant a's CSI user"
    assert (chosen in found["storage_class/c"]["(chosen)"]) is (secret == "@secret/vast-csi/team-a-csi")


def test_a_tenant_s_name_that_no_secret_can_have() -> None:
    found, _ = made(COMPOSITION, entry("csi_user/a", user()), {"tenant/a": {"name": "Team A & B"}}, **ADDRESSES)
    assert "secret/vast-csi/team-a-b-csi" in found and "manager/Team A & B-csi" in found
    assert found["secret/vast-csi/team-a-b-csi"]["data"]["tenant"] == "Team A & B"
    made_for = [
        {path for path in csi_user({"tenant/a": {"name": name}})[0] if path.startswith("secret/")}
        for name in ("研究", "開発")
    ]
    assert made_for[0].isdisjoint(made_for[1])
    assert all(re.fullmatch("secret/vast-csi/[0-9a-f]{8}-csi", path) for paths in made_for for path in paths)


@pytest.mark.parametrize(("tenant", "user_type"), [("@tenant/a", "TENANT_ADMIN"), (None, "SUPER_ADMIN")])
def test_a_manager_is_what_its_tenant_makes_it(tenant: str | None, user_type: str) -> None:
    says: Said = {"tenant": tenant, "roles": ["@manager_role/r"], "generation": 1}
    found, wrong = made(OF_MANAGER, entry("manager/m", says), TENANT)
    assert (found, wrong) == (
        {"manager/m": {"tenant": tenant, "roles": ["@manager_role/r"], "user_type": user_type}},
        [],
    )


def test_a_manager_and_a_token_bring_the_secret_that_they_go_to() -> None:
    login: Said = {"secret": "vast-csi/x", "keys": {"password": "p"}}
    found, _ = made(OF_MANAGER, entry("manager/m", {"tenant": None, "generation": 2, "deliver": login}), TENANT)
    assert found["secret/vast-csi/x"] == {"name": "x", "namespace": "@namespace/vast-csi"}
    assert found["manager/m"]["generation"] == 2
    token: Said = {
        "tenant": "@tenant/a",
        "owner": "@manager/m",
        "deliver": {"secret": "vast-csi/x", "keys": {"token": "t"}},
    }
    found, _ = made(OF_API_TOKEN, entry("api_token/t", token), TENANT)
    assert "tenant" not in found["api_token/t"] and "secret/vast-csi/x" in found
