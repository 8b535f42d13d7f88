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
    "group_right": "it is set, not made: test_rights_are_set_in_a_tenant",
    "user_right": "it is set, not made: test_rights_are_set_in_a_tenant",
    "snapshot": "nobody declares one, and vastplan only counts them: it has no life to be taken through",
    "cluster": "it is there, and only looked at: tests/checks",
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
