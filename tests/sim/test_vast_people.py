"""People of any provider: whom a query finds, and what is set of them in a tenant."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sim.conftest import Vms
from vastplan.sim.vast import keys, people

QUERY = "/users/query/"


@pytest.fixture
def peopled(vms: Vms) -> Vms:
    users = {"carol": {"uid": 40001, "groups": ["research"]}, "both": {"uid": 40002, "sid": "S-1-5-21-9"}}
    vms.plane.enrol(users, {"research": {"gid": 50001}})
    return vms


def about(vms: Vms, **query: Any) -> Any:
    return vms.get(QUERY, **{"context": "aggregated", **query})


def set_of(vms: Vms, **body: Any) -> Any:
    answer = vms.call("PATCH", QUERY, body)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize(
    "query", [{"username": "carol"}, {"uid": 40001}, {"sid": f"{people._SID}-40001"}, {"login_name": "carol@example.com"}]
)  # fmt: skip
def test_somebody_is_found_by_whatever_tells_him(peopled: Vms, query: dict[str, Any]) -> None:
    found = about(peopled, **query)
    assert (found["name"], found["uid"], found["groups"]) == ("carol", 40001, ["research"])
    assert found["origins"] == {"name": "LDAP"} and found["access_keys"] == []


def test_a_context_is_where_it_is_looked(peopled: Vms) -> None:
    local = peopled.post("users", name="both", uid=7, gids=[9])
    peopled.post("groups", name="nine", gid=9)
    assert about(peopled, username="both")["uid"] == local["uid"] == 7  # the local one's attributes win
    assert about(peopled, username="both")["groups"] == ["nine"]
    assert about(peopled, username="both", context="ldap")["uid"] == 40002
    peopled.refused("GET", QUERY, status=404, username="carol", context="local")
    peopled.refused("GET", QUERY, status=404, username="carol", context="ad")
    assert about(peopled, username="carol", context="AGGREGATED") == {}
    peopled.refused("GET", QUERY, context="aggregated")
    peopled.refused("GET", QUERY, username="carol", tenant_id=99)


def test_who_is_enrolled_anew_stands_for_who_was(peopled: Vms) -> None:
    peopled.plane.enrol({"dora": {"uid": 40003}})
    peopled.refused("GET", QUERY, status=404, username="carol")
    assert about(peopled, username="dora")["uid"] == 40003


def test_rights_are_those_of_one_tenant(peopled: Vms) -> None:
    tenant = peopled.post("tenants", name="t")["id"]
    assert set_of(peopled, uid=40001, tenant_id=tenant, s3_superuser=True)["s3_superuser"] is True
    assert about(peopled, username="carol", tenant_id=tenant)["s3_superuser"] is True
    assert about(peopled, username="carol")["s3_superuser"] is False
    set_of(peopled, username="carol", tenant_id=tenant, allow_create_bucket=True)  # the rest stays
    assert about(peopled, uid=40001, tenant_id=tenant)["s3_superuser"] is True
    peopled.refused("PATCH", QUERY, {"username": "carol", "tenant_id": tenant, "s3_policies_ids": [99]})
    peopled.refused("PATCH", QUERY, {"username": "nobody", "s3_superuser": True}, status=404)


def test_a_local_user_has_what_his_row_says_until_a_tenant_says_otherwise(peopled: Vms) -> None:
    user = peopled.post("users", name="u", uid=30109, allow_create_bucket=True)
    data = f"/users/{user['id']}/tenant_data/"
    assert about(peopled, username="u")["allow_create_bucket"] is True
    assert peopled.call("PATCH", data, {"tenant_id": 1, "allow_create_bucket": False}).status_code == 200
    assert about(peopled, username="u")["allow_create_bucket"] is False
    assert (
        peopled.get(data)["allow_create_bucket"] is False
        and peopled.get(f"/users/{user['id']}/")["allow_create_bucket"]
    )
    peopled.call("DELETE", f"/users/{user['id']}/")
    again = peopled.post("users", name="u", uid=30109)
    assert peopled.get(f"/users/{again['id']}/tenant_data/")["allow_create_bucket"] is False


def test_what_a_tenant_had_goes_with_it(peopled: Vms) -> None:
    tenant = peopled.post("tenants", name="t")["id"]
    set_of(peopled, uid=40001, tenant_id=tenant, s3_superuser=True)
    made = peopled.call("POST", "/users/non_local_keys/", {"uid": 40001, "tenant_id": tenant})
    assert made.status_code == 200 and len(about(peopled, uid=40001, tenant_id=tenant)["access_keys"]) == 1
    assert peopled.call("DELETE", f"/tenants/{tenant}/").status_code in (200, 204)
    store = peopled.plane._cluster.store
    assert not store.rows(people.RIGHTS) and not store.rows(keys.OF_DIRECTORY)
