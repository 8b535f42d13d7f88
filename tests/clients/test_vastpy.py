"""VAST's own Python client, `vastpy`: every kind created, listed, read, changed and deleted."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import vastpy

from tests.clients.conftest import Place
from tests.clients.kinds import missing
from tests.clients.manifests import holds
from vastplan.sim.vast import VastPlane


@dataclass(frozen=True)
class Case:
    """What a kind is made of: `given` makes what it needs on both clusters and answers the rest of its body."""

    kind: str
    collection: str
    body: dict[str, Any]
    change: dict[str, Any]
    given: Callable[[Any, Any], dict[str, Any]] = lambda here, there: {}

    def __str__(self) -> str:
        return self.kind


def _peering(here: Any, there: Any) -> dict[str, Any]:
    pool = {"name": "repl", "subnet_cidr": 24, "role": "REPLICATION"}
    there.vippools.post(**pool, ip_ranges=[["10.9.2.1", "10.9.2.4"]])
    return {"pool_id": here.vippools.post(**pool, ip_ranges=[["10.9.1.1", "10.9.1.4"]])["id"]}


def _bucket(here: Any, there: Any) -> dict[str, Any]:
    here.users.post(name="o", uid=30110, local_provider_id=1)
    view = here.views.post(
        path="/b", policy_id=1, create_dir=True, tenant_id=1, protocols=["S3"], bucket="b-1", bucket_owner="o"
    )
    return {"view_id": view["id"]}


def _directory(here: Any, there: Any) -> dict[str, Any]:
    here.views.post(path="/v", policy_id=1, create_dir=True, tenant_id=1)
    return {}


def _protection(here: Any, there: Any) -> dict[str, Any]:
    here.views.post(path="/v", policy_id=1, create_dir=True, tenant_id=1)
    frames = [{"every": "1h", "keep-local": "1d"}]
    policy = here.protectionpolicies.post(name="p", prefix="p", clone_type="LOCAL", frames=frames)
    return {"protection_policy_id": policy["id"]}


def _roles(here: Any, there: Any) -> dict[str, Any]:
    return {"roles": [here.roles.post(name="look", permissions_list=["view_logical"])["id"]]}


CASES = [
    Case("tenant", "tenants", {"name": "t"}, {"max_views": 3}),
    Case(
        "vip_pool", "vippools", {"name": "p", "subnet_cidr": 24, "ip_ranges": [["10.1.1.1", "10.1.1.4"]]}, {"vlan": 7}
    ),
    Case(
        "view_policy", "viewpolicies", {"name": "p", "flavor": "NFS", "tenant_id": 1}, {"nfs_no_squash": ["10.0.0.1"]}
    ),
    Case("qos_policy", "qospolicies", {"name": "q", "policy_type": "VIEW", "mode": "STATIC"}, {"limit_by": "BW"}),
    Case("view", "views", {"path": "/a", "policy_id": 1, "create_dir": True, "tenant_id": 1}, {"alias": "/b"}),
    Case("quota", "quotas", {"name": "q", "path": "/q", "create_dir": True, "tenant_id": 1}, {"hard_limit": 10**12}),
    Case(
        "protection_policy",
        "protectionpolicies",
        {"name": "p", "prefix": "s", "clone_type": "LOCAL", "frames": [{"every": "1h", "keep-local": "1d"}]},
        {"prefix": "z"},
    ),
    Case(
        "protected_path",
        "protectedpaths",
        {
            "name": "d",
            "tenant_id": 1,
            "source_dir": "/v",
            "target_exported_dir": "/v",
            "capabilities": "ASYNC_REPLICATION",
        },
        {"name": "e"},
        _protection,
    ),
    Case("snapshot", "snapshots", {"name": "s", "path": "/v/", "tenant_id": 1}, {"name": "t"}, _directory),
    Case("local_provider", "localproviders", {"name": "l"}, {"description": "of team l"}),
    Case("user", "users", {"name": "u", "uid": 30109, "local_provider_id": 1}, {"gids": [1001, 30097]}),
    # The document of 5.5 wants the name with every change; live clusters do not (VAST's own Ansible modules).
    Case("group", "groups", {"name": "g", "gid": 30097, "local_provider_id": 1}, {"sid": "S-1-5-21-1-2-3-1100"}),
    Case(
        "s3_policy",
        "s3policies",
        {"name": "p", "tenant_id": 1, "policy": '{"Version": "2012-10-17", "Statement": []}'},
        {"enabled": False},
    ),
    Case("s3_lifecycle_rule", "s3lifecyclerules", {"name": "r", "expiration_days": 30}, {"enabled": False}, _bucket),
    Case("realm", "realms", {"name": "r", "object_types": ["view"]}, {"name": "s"}),
    Case("manager", "managers", {"username": "m", "password": "Aa1#Aa1#"}, {"last_name": "Other"}, _roles),
    Case("manager_role", "roles", {"name": "r", "permissions_list": ["view_logical"]}, {"ldap_groups": ["operators"]}),
    Case(
        "replication_peer",
        "nativereplicationremotetargets",
        {"name": "a-b", "leading_vip": "10.9.2.3", "secure_mode": "NONE"},
        {"mss": 1400},
        _peering,
    ),
]
LEFT_OUT = {
    "directory_key": "it is made, switched and removed by its user's number: test_keys_of_a_directory_s_user",
    "group_right": "it is set, not made: test_rights_are_set_in_a_tenant",
    "user_right": "it is set, not made: test_rights_are_set_in_a_tenant",
    "clone": "it is made of a snapshot, under that: tests/kinds/test_clones.py",
    "cluster": "it is there, and only looked at: tests/checks",
    "api_token": "it is revoked, and its create answers nothing but itself: test_tokens_are_told_once_and_revoked",
    "s3_key": "it is made, switched and removed under its user: test_keys_are_made_under_their_user",
    "vms": "it is there, and only looked at: tests/checks",
}


def client(place: Place, site: str) -> Any:
    one = place.endpoint("vast", site)
    return vastpy.VASTClient(
        user=one.username,
        password=one.password,
        address=one.url.removeprefix("https://"),
        cert_file=one.ca_file,
        cert_server_name="localhost",
    )


def test_no_kind_is_forgotten() -> None:
    assert missing("vast", [case.kind for case in CASES], LEFT_OUT) == set()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_it_takes_every_kind_through_its_life(place: Place, case: Case) -> None:
    here = client(place, "iad")
    rows = here[case.collection]
    body = {**case.body, **case.given(here, client(place, "pdx"))}
    made = rows.post(**body, no_such_field=1)  # ignored, as live clusters do
    assert "no_such_field" not in made
    with pytest.raises(vastpy.RESTFailure, match="error 400"):
        rows.post(**body)  # there already
    assert holds(made, {name: value for name, value in case.body.items() if name in made})
    assert [row["id"] for row in rows.get() if row["id"] == made["id"]] == [made["id"]]
    assert rows[made["id"]].get()["guid" if "guid" in made else "id"] == made["guid" if "guid" in made else "id"]
    ((field, value),) = case.change.items()
    assert rows[made["id"]].patch(**case.change)[field] == value  # the client's own manual reads the answer
    assert rows[made["id"]].get()[field] == value != made.get(field)
    rows[made["id"]].delete()
    deadline = time.monotonic() + 20
    while any(row["id"] == made["id"] for row in rows.get()):
        assert time.monotonic() < deadline, "it does not go"
    with pytest.raises(vastpy.RESTFailure, match="error 404"):
        rows[made["id"]].get()


def test_keys_are_made_under_their_user(place: Place) -> None:
    here = client(place, "iad")
    user = here.users.post(name="u", uid=30109, local_provider_id=1)
    keys = here.users[user["id"]].access_keys
    first, second = keys.post(tenant_id=1), keys.post(tenant_id=1)
    assert first["access_key"] != second["access_key"] and len(first["secret_key"]) == 40
    keys.patch(access_key=first["access_key"], enabled=False)
    listed = {row["access_key"]: row for row in here.locals3keys.get(user_id=user["id"])}
    assert {name: row["enabled"] for name, row in listed.items()} == {
        first["access_key"]: False,
        second["access_key"]: True,
    }
    assert not any("secret_key" in row for row in listed.values())
    keys.delete(access_key=first["access_key"])
    assert [row["access_key"] for row in here.locals3keys.get(user_id=user["id"])] == [second["access_key"]]
    with pytest.raises(vastpy.RESTFailure, match="error 404"):
        keys.delete(access_key=first["access_key"])


def test_rights_are_set_in_a_tenant(place: Place) -> None:
    here = client(place, "iad")
    plane = place.world.sites["iad"].planes["vast"]
    assert isinstance(plane, VastPlane)
    plane.enrol({"carol": {"uid": 40001, "groups": ["research"]}}, {"research": {"gid": 50001}})
    tenant = here.tenants.post(name="t")["id"]
    policy = here.s3policies.post(name="p", tenant_id=tenant, policy='{"Version": "2012-10-17", "Statement": []}')["id"]
    for people, whom, number in (
        ("users", {"username": "carol"}, {"uid": 40001}),
        ("groups", {"groupname": "research"}, {"gid": 50001}),
    ):
        query = here[people].query
        assert query.patch(**whom, tenant_id=tenant, s3_policies_ids=[policy])["s3_policies_ids"] == [policy]
        # by number as by name, and in that tenant alone
        assert query.get(**number, tenant_id=tenant, context="aggregated")["s3_policies"] == ["p"]
        assert query.get(**whom, tenant_id=1, context="aggregated")["s3_policies_ids"] == []
        assert query.get(**whom, tenant_id=tenant, context="AGGREGATED") == {}  # as 5.5.0.1 answers
        assert here.s3policies[policy].get()[people] == list(whom.values())
        with pytest.raises(vastpy.RESTFailure, match="error 404"):
            query.get(**dict.fromkeys(whom, "nobody"), tenant_id=tenant, context="aggregated")
    here.s3policies[policy].delete()
    assert here.users.query.get(username="carol", tenant_id=tenant)["s3_policies_ids"] == []


def test_tokens_are_told_once_and_revoked(place: Place) -> None:
    here = client(place, "iad")
    told = here.apitokens.post(owner="admin", name="ci", expiry_date="30d")
    with_token = vastpy.VASTClient(
        token=told["token"],
        address=place.endpoint("vast", "iad").url.removeprefix("https://"),
        cert_file=place.endpoint("vast", "iad").ca_file,
        cert_server_name="localhost",
    )
    assert [row["name"] for row in with_token.tenants.get()] == ["default"]
    assert here.apitokens[told["id"]].get()["name"] == "ci" and "token" not in here.apitokens[told["id"]].get()
    here.apitokens[told["id"]].patch(name="cd")
    here.apitokens[told["id"]].revoke.patch()
    (row,) = here.apitokens.get(owner="admin")
    assert (row["name"], row["revoked"]) == ("cd", True)
    with pytest.raises(vastpy.RESTFailure, match="error 401"):
        with_token.tenants.get()


def test_keys_of_a_directory_s_user(place: Place) -> None:
    here = client(place, "iad")
    plane = place.world.sites["iad"].planes["vast"]
    assert isinstance(plane, VastPlane)
    plane.enrol({"carol": {"uid": 40001}, "dora": {"uid": 40002}})
    local = here.users.post(name="u", uid=30109, local_provider_id=1)
    keys = here.users.non_local_keys
    pairs = {uid: keys.post(uid=uid, tenant_id=1)["access_key"] for uid in (40001, 40002, 30109)}

    def held(uid: int) -> dict[str, bool]:
        rows = here.users.query.get(uid=uid, tenant_id=1, context="aggregated")["access_keys"]
        assert not any("secret_key" in row for row in rows)
        return {row["access_key"]: row["enabled"] for row in rows}

    keys.patch(uid=40001, tenant_id=1, access_key=pairs[40001], enabled=False)
    assert {uid: held(uid) for uid in pairs} == {uid: {key: uid != 40001} for uid, key in pairs.items()}
    # of the directory's users nothing is listed
    assert [row["access_key"] for row in here.locals3keys.get()] == [pairs[local["uid"]]]
    for whose in ({"uid": 40002, "tenant_id": 1}, {"uid": 40001, "tenant_id": here.tenants.post(name="t")["id"]}):
        with pytest.raises(vastpy.RESTFailure, match="error 404"):
            keys.delete(**whose, access_key=pairs[40001])
    for uid, key in pairs.items():
        keys.delete(uid=uid, tenant_id=1, access_key=key)
        assert held(uid) == {}
