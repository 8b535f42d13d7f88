"""The simulated VMS, spoken to over HTTPS as any client would."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from tests.sim.conftest import PASSWORD, SLOW, TOKEN, Vms
from vastplan.sim.store import Store
from vastplan.sim.tables import load_table

# Log-in


def test_a_token_is_a_jwt_that_ends_as_a_403(vms: Vms) -> None:
    answer = vms.call("POST", "/token/", {"username": "admin", "password": PASSWORD})
    pair = answer.json()
    assert answer.status_code == 200 and len(pair["access"].split(".")) == 3
    vms.headers = {"Authorization": f"Bearer {pair['access']}"}
    assert len(vms.get("/tenants/")) == 1
    vms.clock.now += 3601
    assert vms.refused("GET", "/tenants/", status=403)["messages"][0]["message"] == "Token is invalid or expired"
    renewed = vms.call("POST", "/token/refresh", {"refresh": pair["refresh"]}).json()
    vms.headers = {"Authorization": f"Bearer {renewed['access']}"}
    assert len(vms.get("/tenants/")) == 1
    vms.plane.expire_tokens()
    vms.refused("GET", "/tenants/", status=403)
    vms.refused("POST", "/token/refresh/", {"refresh": renewed["refresh"]}, status=401)


def test_a_refresh_token_dies_after_a_day_and_with_its_use_where_that_is_strict(strict: Vms) -> None:
    vms = strict
    first = vms.call("POST", "/token/", {"username": "admin", "password": PASSWORD}).json()
    second = vms.call("POST", "/token/refresh/", {"refresh": first["refresh"]}).json()
    vms.refused("POST", "/token/refresh/", {"refresh": first["refresh"]}, status=401)
    vms.clock.now += 25 * 3600
    vms.refused("POST", "/token/refresh/", {"refresh": second["refresh"]}, status=401)


def test_a_refresh_token_may_be_used_again(vms: Vms) -> None:
    pair = vms.call("POST", "/token/", {"username": "admin", "password": PASSWORD}).json()
    for _ in range(2):
        renewed = vms.call("POST", "/token/refresh/", {"refresh": pair["refresh"]})
        assert renewed.status_code == 200 and renewed.json().keys() == {"access", "refresh"}
    vms.clock.now += 25 * 3600
    vms.refused("POST", "/token/refresh/", {"refresh": pair["refresh"]}, status=401)


@pytest.mark.parametrize(
    ("authorization", "status"),
    [
        (f"Api-Token {TOKEN}", 200),
        ("Basic " + base64.b64encode(f"admin:{PASSWORD}".encode()).decode(), 200),
        ("Basic " + base64.b64encode(b"admin:wrong").decode(), 401),
        ("Basic %%%", 401),
        ("Api-Token other", 401),
        ("Bearer a.b.c", 403),
        ("Digest x", 401),
        ("", 401),
    ],
)
def test_who_comes_in(vms: Vms, authorization: str, status: int) -> None:
    vms.headers = {"Authorization": authorization}
    assert vms.call("GET", "/tenants/").status_code == status


def test_bad_log_ins(vms: Vms) -> None:
    vms.refused("POST", "/token/", {"username": "admin", "password": "wrong"}, status=401)
    assert vms.refused("POST", "/token/", {"username": "admin"}) == {"password": ["This field is required."]}


# Paths and bodies


@pytest.mark.parametrize("prefix", ["/api", "/api/v1", "/api/v5", "/api/latest"])
@pytest.mark.parametrize("path", ["/views/1/", "/views/1"])
def test_any_prefix_and_slash(vms: Vms, prefix: str, path: str) -> None:
    row = vms.call("GET", path, prefix=prefix).json()
    segment = prefix.removeprefix("/api").strip("/") or "v5"
    assert row["path"] == "/" and row["url"] == f"{vms.server.url}/api/{segment}/views/1/"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nonsense/", 404),
        ("GET", "/views/99/", 404),
        ("PATCH", "/views/99/", 404),
        ("DELETE", "/views/99/", 404),
        ("GET", "/Views/", 404),
        ("DELETE", "/views/", 405),
        ("PUT", "/quotas/1/", 405),
        ("POST", "/clusters/", 501),
        ("GET", "/alarms/", 501),  # documented, of a collection that is not simulated
        ("PATCH", "/blockmappings/bulk/", 501),
        ("PATCH", "/blockhostvolumes/bulk/", 501),  # its old name, which clients still use
        ("DELETE", "/alarms/", 405),
        ("PATCH", "/protectedpaths/1/add_stream/", 501),
    ],
)
def test_calls_that_lead_nowhere(vms: Vms, method: str, path: str, status: int) -> None:
    body = vms.refused(method, path, {}, status=status)
    assert list(body) == ["detail"] and (status != 404 or body["detail"] == "Not found.")


def test_the_body_is_an_object(vms: Vms) -> None:
    assert "non_field_errors" in vms.refused("POST", "/tenants/", [1])
    url = vms.server.url + "/api/tenants/"
    assert vms.http.post(url, data=b"{", headers=vms.headers).json()["detail"].startswith("JSON parse error")


@pytest.mark.parametrize(
    ("path", "body", "field", "message"),
    [
        ("views", {"path": "/a"}, "policy_id", "This field is required."),
        ("views", {"path": "/a", "policy_id": "1"}, "policy_id", "A valid integer is required."),
        ("views", {"path": "/a", "policy_id": True}, "policy_id", "A valid integer is required."),
        ("views", {"path": "/a", "policy_id": None}, "policy_id", "This field may not be null."),
        ("views", {"path": "/a", "policy_id": 1, "policy": "x"}, "policy", "Unknown field."),
        ("views", {"path": "/a", "policy_id": 1, "protocols": "NFS"}, "protocols",
         'Expected a list of items but got type "str".'),
        ("views", {"path": "/a", "policy_id": 1, "create_dir": "yes"}, "create_dir", "Must be a valid boolean."),
        ("viewpolicies", {"name": "p", "flavor": "AFP"}, "flavor", '"AFP" is not a valid choice.'),
        ("viewpolicies", {"name": 5}, "name", "Not a valid string."),
        ("tenants", {"name": ""}, "name", "This field may not be blank."),
        ("tenants", {"name": "t", "capacity_rules": {"hard": 1}}, "capacity_rules", "hard: Unknown field."),
        ("tenants", {"name": "t", "capacity_rules": 1}, "capacity_rules",
         "Invalid data. Expected a dictionary, but got int."),
        ("quotas", {"name": "q", "path": "/q", "inodes_hard_limit": 1}, "inodes_hard_limit", "Unknown field."),
        ("qospolicies", {"mode": "STATIC"}, "name", "This field is required."),
    ],
)  # fmt: skip
def test_a_body_is_refused_field_by_field(strict: Vms, path: str, body: Any, field: str, message: str) -> None:
    assert strict.refused("POST", f"/{path}/", body) == {field: [message]}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/tenants/2/", {"name": "other"}),
        ("/quotas/1/", {"path": "/b"}),
        ("/quotas/1/", {"tenant_id": 2}),
        ("/views/2/", {"tenant_id": 2}),
        ("/views/2/", {"path": "/other"}),
        ("/qospolicies/1/", {"policy_type": "USER"}),
        ("/vippools/1/", {"enable_l3": True}),
    ],
)
def test_create_only_fields_cannot_change(vms: Vms, path: str, body: Any) -> None:
    vms.post("tenants", name="t")
    vms.view("/a")
    vms.post("quotas", name="q", path="/a")
    vms.post("qospolicies", name="q", policy_type="VIEW", mode="STATIC")
    vms.post("viewpolicies", name="p")
    vms.post("vippools", name="pool", subnet_cidr=24)
    assert vms.refused("PATCH", path, body) == {next(iter(body)): ["This field cannot be changed."]}
    field = next(iter(body))
    assert vms.call("PATCH", path, {field: vms.get(path)[field]}).status_code == 200


LIVES = [
        ("tenants", {"name": "t"}, {"max_views": 5}, (200, True)),
        ("vippools", {"name": "p", "subnet_cidr": 24}, {"vlan": 7}, (204, False)),
        ("viewpolicies", {"name": "p"}, {"flavor": "SMB"}, (200, False)),
        ("views", {"path": "/a", "policy_id": 1, "create_dir": True}, {"is_seamless": True}, (200, False)),
        ("qospolicies", {"name": "q", "policy_type": "VIEW", "mode": "STATIC"}, {"limit_by": "BW"}, (200, True)),
        ("quotas", {"name": "q", "path": "/q", "create_dir": True}, {"enable_alarms": False}, (200, False)),
        ("protectionpolicies", {"name": "p", "prefix": "s", "clone_type": "LOCAL", "frames": [{"every": "1h"}]},
         {"prefix": "z"}, (200, False)),
        ("snapshots", {"name": "s", "path": "/"}, {"locked": True}, (200, False)),
        ("users", {"name": "u", "uid": 7, "local_provider_id": 1}, {"s3_superuser": True}, (200, False)),
        ("groups", {"name": "g", "gid": 7, "local_provider_id": 1}, {"name": "h"}, (200, True)),
        ("localproviders", {"name": "l"}, {"description": "x"}, (200, True)),
        ("dns", {"name": "d", "vip": "10.0.0.1"}, {"ttl": 60}, (200, False)),
        ("s3policies", {"name": "p", "policy": "{}"}, {"enabled": False}, (200, False)),
]  # fmt: skip


@pytest.mark.parametrize("as_documented", [False, True])
@pytest.mark.parametrize(("name", "body", "change", "answered"), LIVES)
def test_every_collection_lives_and_dies(
    start: Any, name: str, body: Any, change: Any, answered: Any, as_documented: bool
) -> None:
    vms = start(strict=as_documented)
    row = vms.post(name, **body)
    table = load_table("vast-5.5")
    operation = table.operation("GET", f"/{name}/{{id}}/")
    assert operation is not None and row.keys() == table.fields(operation.responses["200"]).keys()
    path = f"/{name}/{row['id']}/"
    assert vms.get(path).keys() == row.keys()
    answer = vms.call("PATCH", path, change)
    assert (answer.status_code, bool(answer.content)) == (answered if as_documented else (200, True))
    assert as_documented or answer.json() == vms.get(path)
    field, value = next(iter(change.items()))
    assert vms.get(path)[field] == value != row[field]
    assert vms.call("DELETE", path).status_code == 204
    vms.refused("DELETE", path, status=404)
    assert vms.post(name, **body)["id"] == row["id"] + 1


def test_a_struct_is_replaced_and_completed(vms: Vms) -> None:
    tenant = vms.post("tenants", name="t", qos={"static_limits": {"max_reads_bw_mbps": 10, "max_writes_iops": 5}})
    assert len(tenant["qos"]["static_limits"]) == 12 and tenant["qos"]["static_limits"]["max_reads_iops"] == 0
    assert set(tenant["capacity_rules"].values()) == {None}
    vms.call("PATCH", f"/tenants/{tenant['id']}/", {"qos": {"static_limits": {"max_writes_iops": 6}}})
    limits = vms.get(f"/tenants/{tenant['id']}/")["qos"]["static_limits"]
    assert (limits["max_writes_iops"], limits["max_reads_bw_mbps"]) == (6, 0)
    policy = vms.post("qospolicies", name="q", policy_type="VIEW", mode="STATIC", static_limits={"max_reads_iops": 3})
    assert len(policy["static_limits"]) == 16 and policy["static_total_limits"]["max_iops"] == 0
    assert policy["capacity_limits"]["max_reads_iops_per_gb_capacity"] == 0


# Lists


def test_pages(vms: Vms) -> None:
    for index in range(5):
        vms.post("tenants", name=f"t{index}")
    first = vms.get("/tenants", page_size=2, name__startswith="t")
    assert (first["count"], first["previous"], len(first["results"])) == (5, None, 2)
    assert first["next"].startswith(vms.server.url) and "name__startswith=t" in first["next"]
    names, url = [], first["next"]
    while url:
        page = vms.http.get(url, headers=vms.headers).json()
        names += [row["name"] for row in page["results"]]
        url = page["next"]
    assert names == ["t2", "t3", "t4"] and page["previous"] is not None
    assert vms.refused("GET", "/tenants/", status=404, page=9, page_size=2) == {"detail": "Invalid page."}
    assert vms.get("/tenants/", page=1)["count"] == 6


def test_unpaged_lists_are_cut_off(start: Any) -> None:
    vms = start(page_cap=3)
    for index in range(5):
        vms.post("tenants", name=f"t{index}")
    assert len(vms.get("/tenants/")) == 3
    assert len(vms.get("/tenants/", page_size=1000)["results"]) == 6


@pytest.mark.parametrize(
    ("query", "paths"),
    [
        ({"path": "/a/one"}, ["/a/one"]),
        ({"path__startswith": "/a"}, ["/a/one", "/a/two"]),
        ({"path__endswith": "o"}, ["/a/two"]),
        ({"path__contains": "ON"}, []),
        ({"path__icontains": "ON"}, ["/a/one"]),
        ({"path__in": "/a/one,/b"}, ["/a/one", "/b"]),
        ({"path__in": ["/a/one", "/b"]}, ["/a/one", "/b"]),
        ({"path__not_startswith": "/a"}, ["/", "/b"]),
        ({"path__regex": "^/[ab]/?t?"}, ["/a/one", "/a/two", "/b"]),
        ({"id__gt": 2, "id__lte": 3}, ["/a/two"]),
        ({"id": 4}, ["/b"]),
        ({"policy__name": "mine"}, ["/b"]),
        ({"policy": "mine"}, ["/b"]),
        ({"policy__name__icontains": "MI"}, ["/b"]),
        ({"tenant__name": "t"}, ["/b"]),
        ({"tenant_name__icontains": "T", "tenant_id": 2}, ["/b"]),
        ({"cluster__name": "nowhere"}, []),
        ({"is_seamless": "true"}, ["/a/two"]),
        ({"protocols": "SMB"}, []),
        ({"nonsense": "x"}, ["/", "/a/one", "/a/two", "/b"]),
        ({"policy__nonsense": "x"}, ["/", "/a/one", "/a/two", "/b"]),
        ({"create_dir_mode": "1"}, ["/", "/a/one", "/a/two", "/b"]),
    ],
)
def test_filters(vms: Vms, query: Any, paths: list[str]) -> None:
    tenant = vms.post("tenants", name="t")["id"]
    policy = vms.post("viewpolicies", name="mine", tenant_id=tenant)["id"]
    vms.view("/a/one")
    vms.view("/a/two", is_seamless=True)
    vms.post("views", path="/b", policy_id=policy, tenant_id=tenant, create_dir=True)
    assert [row["path"] for row in vms.get("/views/", **query)] == paths


def test_pools_that_serve_a_tenant(vms: Vms) -> None:
    tenant = vms.post("tenants", name="t")["id"]
    vms.post("vippools", name="all", subnet_cidr=24, tenant_id=None)
    vms.post("vippools", name="t", subnet_cidr=24, tenant_id=tenant)
    assert [row["name"] for row in vms.get("/vippools/", serves_tenant=tenant)] == ["all", "t"]
    assert [row["name"] for row in vms.get("/vippools/", serves_tenant="all")] == ["all"]
    assert vms.get(f"/tenants/{tenant}/")["vippool_names"] == ["t"]


def test_rows_without_the_details(vms: Vms) -> None:
    rule = {"identifier": "joe", "identifier_type": "username", "hard_limit": 5}
    vms.post("quotas", name="q", path="/q", create_dir=True, is_user_quota=True, user_quotas=[rule])
    assert "user_quotas" not in vms.get("/quotas/")[0] and "bucket_logging" not in vms.get("/views/")[0]
    shown = vms.get("/quotas/", show_user_rules="true")[0]["user_quotas"]
    assert shown == vms.get("/quotas/1/")["user_quotas"] and shown[0]["entity"]["identifier"] == "joe"
    assert "user_quotas" in vms.refused("PATCH", "/quotas/1/", {"user_quotas": shown})
    hollow = vms.get("/views/1/")["bucket_logging"]
    assert "bucket_logging" in vms.refused("PATCH", "/views/1/", {"bucket_logging": hollow})
    assert vms.call("PATCH", "/views/1/", {"bucket_logging": None}).status_code == 200


# Rules


@pytest.mark.parametrize(
    ("name", "body", "field"),
    [
        ("tenants", {"name": "t", "domain_name": "u"}, "name"),
        ("tenants", {"name": "u", "domain_name": "T"}, "domain_name"),
        ("vippools", {"name": "pool", "subnet_cidr": 24}, "name"),
        ("viewpolicies", {"name": "default", "tenant_id": 2}, "name"),
        ("views", {"path": "/s", "policy_id": 1, "create_dir": True}, "non_field_errors"),
        ("views", {"path": "/x", "policy_id": 1, "create_dir": True, "protocols": ["SMB"], "share": "share"}, "share"),
        ("views", {"path": "/x", "policy_id": 1, "create_dir": True, "alias": "/alias"}, "non_field_errors"),
        ("views", {"path": "/x", "policy_id": 1, "create_dir": True, "protocols": ["S3"], "bucket": "b",
                   "bucket_owner": "joe"},
         "non_field_errors"),
        ("quotas", {"name": "other", "path": "/s"}, "non_field_errors"),
        ("snapshots", {"name": "snap", "path": "/s/"}, "name"),
        ("users", {"name": "joe", "uid": 8, "local_provider_id": 1}, "non_field_errors"),
        ("users", {"name": "jim", "uid": 7, "local_provider_id": 1}, "non_field_errors"),
        ("dns", {"name": "e", "vip": "10.0.0.2"}, "detail"),
    ],
)  # fmt: skip
def test_duplicates(vms: Vms, name: str, body: Any, field: str) -> None:
    vms.post("tenants", name="t")
    vms.post("vippools", name="pool", subnet_cidr=24)
    vms.post("users", name="joe", uid=7, local_provider_id=1)
    vms.view("/s", protocols=["NFS", "SMB", "S3"], share="share", alias="/alias", bucket="b", bucket_owner="joe")
    vms.post("quotas", name="q", path="/s")
    vms.post("snapshots", name="snap", path="/s/")
    vms.post("dns", name="d", vip="10.0.0.1")
    refusal = vms.refused("POST", f"/{name}/", body)
    assert list(refusal) == [field]
    if field == "name":
        assert refusal == {"name": ["This field must be unique."]}


def test_the_same_path_in_another_tenant_is_another_view(vms: Vms) -> None:
    tenant = vms.post("tenants", name="t")["id"]
    policy = vms.post("viewpolicies", name="p", tenant_id=tenant)["id"]
    vms.view("/s")
    view = vms.post("views", path="/s", policy_id=policy, tenant_id=tenant, create_dir=True)
    assert (view["tenant_name"], view["policy"]) == ("t", "p")


VIEW = {"path": "/v", "policy_id": 1, "create_dir": True}
POOL = {"name": "new", "subnet_cidr": 24}
QOS = {"name": "q2", "policy_type": "VIEW", "mode": "STATIC"}
LOCAL = {"name": "pp", "prefix": "p", "clone_type": "LOCAL", "frames": [{"every": "1h", "keep-local": "1d"}]}


@pytest.mark.parametrize(
    ("name", "body", "field"),
    [
        ("views", VIEW | {"policy_id": 99}, "policy_id"),
        ("views", VIEW | {"policy_id": 4}, "policy_id"),  # another tenant's
        ("views", VIEW | {"qos_policy_id": 1}, "qos_policy_id"),  # of type USER
        ("views", VIEW | {"create_dir": False}, "create_dir"),
        ("views", VIEW | {"path": "v"}, "path"),
        ("views", VIEW | {"path": "/v/"}, "path"),
        ("views", VIEW | {"path": "/v/../w"}, "path"),
        ("views", VIEW | {"create_dir_mode": 789}, "create_dir_mode"),
        ("views", VIEW | {"protocols": ["S3"], "bucket": "b"}, "bucket_owner"),
        ("views", VIEW | {"protocols": ["S3"], "bucket": "b", "bucket_owner": "nobody"}, "bucket_owner"),
        ("views", VIEW | {"protocols": ["SMB"]}, "share"),
        ("views", VIEW | {"protocols": ["SMB"], "share": "a/b"}, "share"),
        ("views", VIEW | {"protocols": ["BLOCK", "NFS"], "name": "n"}, "protocols"),
        ("views", VIEW | {"protocols": ["BLOCK"]}, "name"),
        ("views", VIEW | {"protocols": ["BLOCK"], "name": "n", "path": "/d"}, "path"),  # has a directory below
        ("views", VIEW | {"alias": "x"}, "alias"),
        ("views", VIEW | {"share_acl": {"enabled": True}}, "share_acl"),
        ("views", VIEW | {"files_retention_mode": "GOVERNANCE"}, "default_retention_period"),
        ("views", VIEW | {"min_retention_period": "5 days"}, "min_retention_period"),
        ("views", VIEW | {"locking": True}, "files_retention_mode"),
        ("views", VIEW | {"files_retention_mode": "SOMETIMES"}, "files_retention_mode"),
        ("vippools", POOL | {"ip_ranges": [["10.0.0.5", "10.0.0.1"]]}, "ip_ranges"),
        ("vippools", POOL | {"ip_ranges": [["10.0.0.1", "x"]]}, "ip_ranges"),
        ("vippools", POOL | {"ip_ranges": [["10.0.0.1"]]}, "ip_ranges"),
        ("vippools", POOL | {"ip_ranges": [["10.1.0.4", "10.1.0.20"]]}, "ip_ranges"),  # overlaps `taken`
        ("vippools", POOL | {"ip_ranges": [["10.0.0.1", "10.0.0.3"], ["10.0.0.3", "10.0.0.4"]]}, "ip_ranges"),
        ("vippools", POOL | {"subnet_cidr": 33}, "subnet_cidr"),
        ("vippools", POOL | {"subnet_cidr": 0}, "subnet_cidr"),
        ("vippools", POOL | {"vlan": 5000}, "vlan"),
        ("vippools", POOL | {"tenant_id": 77}, "tenant_id"),
        ("vippools", POOL | {"peer_asn": 1}, "peer_asn"),
        ("vippools", POOL | {"role": "BIG_CATALOG"}, "role"),
        ("tenants", {"name": "t2", "client_ip_ranges": [["10.2.0.9", "10.2.0.12"]]}, "client_ip_ranges"),
        ("tenants", {"name": "t2", "capacity_rules": {"hard_limit": 1, "soft_limit": 2}}, "capacity_rules"),
        ("tenants", {"name": "t2", "qos": {"static_limits": {"max_reads_iops": 4294967297}}}, "qos"),
        ("tenants", {"name": "t2", "qos": {"static_limits": {"max_reads_iops": -1}}}, "qos"),
        ("tenants", {"name": "t2", "local_provider_id": 9}, "local_provider_id"),
        ("viewpolicies", {"name": "p", "nfs_read_write": ["10.0.0.300"]}, "nfs_read_write"),
        ("viewpolicies", {"name": "p", "nfs_read_write": ["10.300.*.*"]}, "nfs_read_write"),
        ("viewpolicies", {"name": "p", "smb_read_only": ["@group"]}, "smb_read_only"),
        ("viewpolicies", {"name": "p", "vip_pools": [9]}, "vip_pools"),
        ("viewpolicies", {"name": "p", "permission_per_vip_pool": {"1": "RX"}}, "permission_per_vip_pool"),
        ("viewpolicies", {"name": "p", "permission_per_vip_pool": {"2": "RW"}}, "permission_per_vip_pool"),  # t's
        ("viewpolicies", {"name": "p", "atime_frequency": "often"}, "atime_frequency"),
        ("viewpolicies", {"name": "p", "nfs_minimal_protection_level": "HIGH"}, "nfs_minimal_protection_level"),
        ("qospolicies", QOS | {"policy_type": "USER"}, "mode"),
        ("qospolicies", QOS | {"is_default": True}, "is_default"),
        ("qospolicies", QOS | {"mode": "USED_CAPACITY", "static_limits": {"min_reads_iops": 1}}, "static_limits"),
        ("quotas", {"name": "q", "path": "/none"}, "create_dir"),
        ("quotas", {"name": "q", "path": "/d", "tenant_id": 0}, "tenant_id"),
        ("quotas", {"name": "q", "path": "/d/"}, "path"),
        ("quotas", {"name": "q", "path": "/d", "hard_limit": 1, "soft_limit": 2}, "soft_limit"),
        ("quotas", {"name": "q", "path": "/d", "hard_limit": -1}, "hard_limit"),
        ("quotas", {"name": "q", "path": "/d", "grace_period": "soon"}, "grace_period"),
        ("snapshots", {"name": "s", "path": "d/"}, "path"),
        ("snapshots", {"name": "s" * 129, "path": "/d/"}, "name"),
        ("snapshots", {"name": "s", "path": "/none/"}, "path"),
        ("snapshots", {"name": "s", "path": "/d/", "expiration_time": "tomorrow"}, "expiration_time"),
        ("protectionpolicies", LOCAL | {"frames": [{"every": "90"}]}, "frames"),
        ("protectionpolicies", LOCAL | {"frames": [{"keep-local": "1d"}]}, "frames"),
        ("protectionpolicies", LOCAL | {"frames": [{"every": "1h", "keep-remote": "1d"}]}, "frames"),
        ("protectionpolicies", LOCAL | {"frames": [{"every": "1h", "start-at": "noon"}]}, "frames"),
        ("protectionpolicies", LOCAL | {"frames": []}, "frames"),
        ("protectionpolicies", LOCAL | {"clone_type": "NATIVE_REPLICATION"}, "target_object_id"),
        ("protectionpolicies", LOCAL | {"clone_type": "NATIVE_REPLICATION", "target_object_id": 9}, "target_object_id"),
        ("nativereplicationremotetargets", {"name": "p", "leading_vip": "10.9.0.1", "pool_id": 1}, "pool_id"),
        ("users", {"name": "u", "uid": 5, "local_provider_id": 4}, "local_provider_id"),
        ("vippools", {"name": "new", "ip_ranges": [["fd00::1", "fd00::9"]]}, "subnet_cidr"),
        ("quotas", {"name": "taken", "path": "/d"}, "non_field_errors"),
        ("quotas", {"name": "q", "path": "/d", "user_quotas": [{"identifier": "u", "identifier_type": "nick"}]},
         "user_quotas"),
        ("quotas", {"name": "q", "path": "/d",
                    "group_quotas": [{"identifier": "g", "identifier_type": "group", "is_group": False}]},
         "group_quotas"),
        ("views", VIEW | {"protocols": ["S3"], "bucket": "b" * 64, "bucket_owner": "joe"}, "bucket"),
        ("views", VIEW | {"protocols": ["BLOCK"], "name": "sub"}, "name"),
        ("groups", {"name": "g", "gid": 5, "local_provider_id": 1, "s3_policies_ids": [3]}, "s3_policies_ids"),
        ("s3policies", {"name": "p", "policy": "allow"}, "policy"),
        ("volumes", {"name": "v", "size": 5, "view_id": 1}, "view_id"),
    ],
)  # fmt: skip
def test_a_rule_is_held(vms: Vms, name: str, body: Any, field: str) -> None:
    tenant = vms.post("tenants", name="t", client_ip_ranges=[["10.2.0.1", "10.2.0.9"]])["id"]
    vms.post("viewpolicies", name="theirs", tenant_id=tenant)
    vms.post("vippools", name="taken", subnet_cidr=24, ip_ranges=[["10.1.0.1", "10.1.0.9"]])
    vms.post("vippools", name="theirs", subnet_cidr=24, ip_ranges=[["10.1.1.1", "10.1.1.9"]], tenant_id=tenant)
    vms.post("qospolicies", name="users", policy_type="USER")
    vms.view("/d/below")
    vms.view("/sub", protocols=["BLOCK"], name="sub")
    vms.post("quotas", name="taken", path="/d/below")
    vms.post("users", name="joe", uid=7)
    assert list(vms.refused("POST", f"/{name}/", body)) == [field]


@pytest.mark.parametrize(
    ("name", "body", "field"),
    [
        ("tenants", {"name": "t2", "qos": {"static_limits": {"min_reads_iops": 1}}}, "qos"),
        ("tenants", {"name": "t2", "qos": {"static_limits": {"max_reads_bw_mbps": 9, "burst_reads_bw_mb": 8}}}, "qos"),
        ("qospolicies", QOS | {"static_limits": {"max_reads_iops": 1, "min_reads_iops": 2}}, "static_limits"),
        ("qospolicies", QOS | {"static_total_limits": {"max_bw_mbps": 9, "burst_bw_mb": 8}}, "static_total_limits"),
        ("protectionpolicies", LOCAL | {"frames": [{"every": "1h", "keep_local": "1d"}]}, "frames"),
        ("protectionpolicies", LOCAL | {"guid": "x"}, "guid"),
        ("s3policies", {"name": "p", "policy": "{}", "enabled": True}, "enabled"),
    ],
)
def test_a_stricter_reading_is_a_switch(start: Any, name: str, body: Any, field: str) -> None:
    strict, plain = start(strict=True), start()
    assert list(strict.refused("POST", f"/{name}/", body)) == [field]
    plain.post(name, **body)


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/views/2/", {"bucket": "c"}, "bucket"),
        ("/views/2/", {"s3_versioning": False}, "s3_versioning"),
        ("/quotas/1/", {"is_user_quota": False}, "is_user_quota"),
        ("/quotas/1/", {"soft_limit": 11}, "soft_limit"),
        ("/volumes/1/", {"size": 99}, "size"),
        ("/volumes/1/", {"qos_policy_id": 1}, "qos_policy_id"),
        ("/snapshots/1/", {"indestructible": False}, "indestructible"),
        ("/snapshots/1/", {"expiration_time": "2030-01-01T00:00:00Z"}, "expiration_time"),
        ("/viewpolicies/1/", {"flavor": "SMB"}, "flavor"),
    ],
)
def test_what_cannot_be_undone(vms: Vms, path: str, body: Any, field: str) -> None:
    vms.post("users", name="joe", uid=7, local_provider_id=1)
    vms.view("/s", protocols=["S3", "SMB"], share="share", bucket="b", bucket_owner="joe", s3_versioning=True)
    vms.post("quotas", name="q", path="/s", is_user_quota=True, hard_limit=10)
    vms.view("/block", protocols=["BLOCK"], name="sub")
    vms.post("volumes", name="vol", size=100, view_id=3)
    vms.post("qospolicies", name="q", policy_type="VIEW", mode="STATIC")
    vms.post("snapshots", name="s", path="/s/", indestructible=True, expiration_time="2031-01-01T00:00:00Z")
    assert list(vms.refused("PATCH", path, body)) == [field]


def test_all_problems_come_at_once(vms: Vms) -> None:
    refusal = vms.refused(
        "POST", "/quotas/", {"name": "q", "path": "/none", "soft_limit": 2, "hard_limit": 1, "grace_period": "x"}
    )
    assert set(refusal) == {"create_dir", "soft_limit", "grace_period"}


def test_a_tenant_may_have_so_many_views(vms: Vms) -> None:
    vms.call("PATCH", "/tenants/1/", {"max_views": 2})
    vms.view("/a")
    assert "at most 2 views" in vms.refused("POST", "/views/", VIEW)["detail"]


def test_users_of_qos_policies(vms: Vms) -> None:
    user = {"fqdn": "joe", "name": "joe", "identifier_type": "uid", "identifier_value": "7"}
    vms.post("qospolicies", name="one", policy_type="USER", attached_users=[user])
    two = {"name": "two", "policy_type": "USER"}
    assert "one" in vms.refused("POST", "/qospolicies/", two | {"attached_users": [user]})["attached_users"][0]
    assert vms.call("PATCH", "/qospolicies/1/", {"is_default": True}).json()["attached_users"] == []
    vms.post("qospolicies", **two, is_default=True)
    assert [row["name"] for row in vms.get("/qospolicies/", is_default="true")] == ["two"]


def test_buckets(vms: Vms) -> None:
    vms.post("users", name="joe", uid=7, local_provider_id=1)
    bucket = {"protocols": ["S3"], "bucket_owner": "joe"}
    vms.view("/log", bucket="log", **bucket)
    vms.view(
        "/b", bucket="b", **bucket, bucket_logging={"destination_id": 2, "prefix": "p", "key_format": "SIMPLE_PREFIX"}
    )
    assert vms.get("/views/3/")["bucket_logging"]["destination_id"] == 2
    for logging in ({"destination_id": 99}, {"destination_id": 1}, {"destination_id": 2, "key_format": "X"}):
        assert list(vms.refused("PATCH", "/views/3/", {"bucket_logging": logging})) == ["bucket_logging"]
    locked = VIEW | bucket | {"bucket": "c", "locking": True}
    assert list(vms.refused("POST", "/views/", locked)) == ["locking"]
    assert vms.post("views", **locked, s3_versioning=True)["locking"] is True
    assert "it owns buckets log, b, c" in vms.refused("DELETE", "/users/1/")["detail"]
    vms.refused("PATCH", "/clusters/1/", {"enable_trash": True}, status=503)


# What the server fills in


def test_what_a_view_policy_is_given(vms: Vms) -> None:
    pool = vms.post("vippools", name="p", subnet_cidr=24)["id"]
    policy = vms.post("viewpolicies", name="p", vip_pools=[pool], enable_visibility_of_snapshot_dir=True)
    assert policy["permission_per_vip_pool"] == {str(pool): "RW"} and policy["tenant_name"] == "default"
    assert policy["nfs_read_write"] == policy["nfs_root_squash"] == ["*"] and policy["nfs_no_squash"] == []
    assert policy["enable_listing_of_snapshot_dir"] is True and policy["atime_frequency"] == "01:00:00"
    path = f"/viewpolicies/{policy['id']}/"
    vms.call("PATCH", path, {"permission_per_vip_pool": {str(pool): "RO"}, "nfs_read_write": []})
    changed = vms.get(path)
    assert changed["vip_pools"] == [pool] and changed["nfs_read_write"] == []
    hosts = ["10.0.0.1", "10.12.0.0/24", "10.1.*.*", "@netgroup", "fd00::/64"]
    assert vms.call("PATCH", path, {"nfs_no_squash": hosts}).status_code == 200
    for pools in ([], [pool + 1]):
        refused = vms.refused("PATCH", path, {"vip_pools": pools, "permission_per_vip_pool": {str(pool): "RO"}})
        assert "vip_pools" in refused
    vms.call("PATCH", path, {"vip_pools": [], "permission_per_vip_pool": {}, "use_32bit_fileid": True})
    assert (changed := vms.get(path))["permission_per_vip_pool"] == {} and changed["use_32bit_fileid"] is True
    vms.post("views", path="/a", policy_id=policy["id"], create_dir=True)
    assert vms.get(path)["count_views"] == 1


def test_a_new_default_policy_takes_over(vms: Vms) -> None:
    vms.post("viewpolicies", name="p", is_s3_default_policy=True)
    assert [row["name"] for row in vms.get("/viewpolicies/", is_s3_default_policy="true")] == ["p"]


def test_what_a_pool_is_given(vms: Vms) -> None:
    pool = vms.post(
        "vippools", name="p", subnet_cidr=24, ip_ranges=[["10.0.0.7", "10.0.0.9"], ["10.0.0.1", "10.0.0.1"]]
    )
    assert (pool["start_ip"], pool["end_ip"], pool["role"], pool["enabled"]) == (
        "10.0.0.7",
        "10.0.0.9",
        "PROTOCOLS",
        True,
    )
    assert (
        pool["ip_ranges"][0] == ["10.0.0.7", "10.0.0.9"] and pool["ranges_summary"] == "10.0.0.7 - 10.0.0.9, 10.0.0.1"
    )
    vms.call("PATCH", "/vippools/1/", {"enabled": False, "start_ip": "10.0.0.2", "end_ip": "10.0.0.3"})
    assert (row := vms.get("/vippools/1/"))["enabled"] is False and row["ip_ranges"] == [["10.0.0.2", "10.0.0.3"]]


def test_what_a_view_is_given(vms: Vms) -> None:
    acl = [{"grantee": "users", "name": "joe", "fqdn": "All", "perm": "FULL"}]
    view = vms.view("/a", share_acl={"enabled": True, "acl": acl})
    assert (
        view["protocols"] == ["NFS"]
        and view["share_acl"]["acl"][0]["fqdn"] == ""
        and "uid_or_gid" in view["share_acl"]["acl"][0]
    )
    assert (view["title"], view["sync"], view["created"]) == ("/a", "SYNCED", "2027-01-15T08:00:00Z")
    policy = vms.post("qospolicies", name="q", policy_type="VIEW", mode="STATIC")["id"]
    vms.call("PATCH", "/views/2/", {"qos_policy_id": policy})
    assert vms.get("/views/2/")["qos_policy"] == "q"
    vms.call("PATCH", "/views/2/", {"qos_policy_id": None})
    assert vms.get("/views/2/")["qos_policy_id"] is None
    vms.refused("POST", "/views/", {**VIEW, "path": "/a/b", "create_dir": False})
    vms.view("/x/y")
    vms.post("views", path="/x", policy_id=1)  # a parent was made, too


def test_what_a_quota_is_given(vms: Vms) -> None:
    quota = vms.post("quotas", name="q", path="/q", create_dir=True, hard_limit=100, soft_limit=50, grace_period="90m")
    assert (quota["grace_period"], quota["state"], quota["used_effective_capacity"]) == ("01:30:00", "OK", 0)
    vms.call("PATCH", "/quotas/1/", {"grace_period": "2 1:00"})
    assert vms.get("/quotas/1/")["grace_period"] == "2 00:01:00"
    vms.plane.usage("/q/below", 1, 60, 3)
    row = vms.get("/quotas/1/")
    assert (row["state"], row["used_effective_capacity"], row["used_inodes"], row["percent_capacity"]) == (
        "SOFT_EXCEEDED",
        60,
        3,
        60,
    )
    vms.plane.usage("/q", 1, 40, 1)
    assert vms.get("/quotas/1/")["state"] == "HARD_EXCEEDED"
    vms.call("PATCH", "/quotas/1/", {"hard_limit": None, "soft_limit": None, "grace_period": None})
    assert ((row := vms.get("/quotas/1/"))["state"], row["hard_limit"], row["grace_period"]) == ("OK", None, None)
    assert vms.get("/clusters/")[0]["free_usable_capacity"] == vms.get("/clusters/1/")["usable_capacity_bytes"] - 100


@pytest.mark.parametrize(
    ("every", "begin"), [("60m", "2027-01-01 00:00:00"), ("1D", "2027-01-01T00:00:00"), ("7D", None)]
)
def test_frames_come_back_as_they_were_sent(vms: Vms, every: str, begin: str | None) -> None:
    frame = {"every": every, "keep-local": "48h", "keep-remote": None, "start-at": begin}
    row = vms.post("protectionpolicies", **(LOCAL | {"frames": [{k: v for k, v in frame.items() if v}]}))
    assert row["frames"] == [frame]


def test_identities(vms: Vms) -> None:
    policy = vms.post("s3policies", name="p", policy="{}")
    assert policy["enabled"] is True
    vms.post("groups", name="g", gid=5, local_provider_id=1)
    user = vms.post(
        "users",
        name="u",
        uid=7,
        local_provider_id=1,
        gids=[5, 9],
        leading_gid=5,
        s3_policies_ids=[1],
        password="Aa1!aaaa",
    )
    assert (user["groups"], user["leading_group_name"], user["local_provider"]["name"]) == (["g"], "g", "default")
    assert (
        "password" not in user and user["password_is_set"] is True and user["s3_policies"] == [{"id": 1, "name": "p"}]
    )
    assert [row["name"] for row in vms.get("/users/", local_provider_id=1)] == ["u"]
    assert vms.get("/s3policies/1/")["users"] == ["u"] and "local_provider_id" not in user
    assert vms.call("DELETE", "/s3policies/1/").status_code == 204  # attached, or not
    assert vms.get("/users/1/")["s3_policies"] == vms.get("/users/1/")["s3_policies_ids"] == []


def test_volumes(vms: Vms) -> None:
    vms.view("/block", protocols=["BLOCK"], name="sub")
    policy = vms.post("qospolicies", name="q", policy_type="VOLUME")["id"]
    volume = vms.post("volumes", name="vol", size=100, view_id=2, qos_policy_id=policy)
    assert (volume["state"], volume["full_path"], volume["qos_policy"]) == (
        "CREATING",
        "/block/vol",
        {"id": policy, "name": "q"},
    )
    assert vms.call("PATCH", "/volumes/1/", {"size": 200}).status_code == 204
    assert vms.get("/volumes/1/")["state"] == "CREATED"
    assert "volumes" in vms.refused("DELETE", "/views/2/")["detail"]
    assert "volumes vol" in vms.refused("DELETE", f"/qospolicies/{policy}/")["detail"]
    assert vms.call("DELETE", "/views/2/", force="true").status_code == 204


def test_the_platform(vms: Vms) -> None:
    version = vms.get("/versions/", status="success")[0]
    assert version["sys_version"].startswith("5.5.0.") and vms.get("/versions/", status="failed") == []
    assert vms.get("/vms/")[0]["min_qos_supported"] is True
    cluster = vms.get("/clusters/")[0]
    assert (
        cluster["state"] == "ONLINE"
        and cluster["usable_capacity_bytes"] > 0
        and cluster["sw_version"] == version["sys_version"]
    )
    assert [row["name"] for row in vms.get("/viewpolicies/")] == ["default", "s3_default_policy"]


# Deletion


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/tenants/1/", "default"),
        ("/viewpolicies/1/", "default"),
        ("/viewpolicies/2/", "default"),
        ("/localproviders/1/", "default"),
        ("/views/1/", "default"),
        ("/tenants/2/", "views /v; it is used by quotas q; it is used by vippools pool; it is used by viewpolicies p"),
        ("/viewpolicies/4/", "views /v"),
        ("/qospolicies/1/", "views /v"),
        ("/vippools/1/", "viewpolicies p"),
        ("/protectionpolicies/1/", "protectedpaths path"),
        ("/snapshots/1/", "indestructible"),
    ],
)
def test_what_is_in_the_way_of_a_delete(vms: Vms, path: str, reason: str) -> None:
    tenant = vms.post("tenants", name="t")["id"]
    pool = vms.post("vippools", name="pool", subnet_cidr=24, tenant_id=tenant)["id"]
    policy = vms.post("viewpolicies", name="p", tenant_id=tenant, vip_pools=[pool])["id"]
    qos = vms.post("qospolicies", name="q", policy_type="VIEW", mode="STATIC", tenant_id=tenant)["id"]
    vms.post("views", path="/v", policy_id=policy, tenant_id=tenant, create_dir=True, qos_policy_id=qos)
    vms.post("quotas", name="q", path="/v", tenant_id=tenant)
    schedule = vms.post("protectionpolicies", **LOCAL)["id"]
    vms.post(
        "protectedpaths",
        name="path",
        source_dir="/v",
        target_exported_dir="/v",
        tenant_id=tenant,
        protection_policy_id=schedule,
    )
    vms.post("snapshots", name="s", path="/v/", tenant_id=tenant, indestructible=True)
    assert reason in vms.refused("DELETE", path, force_remove="true")["detail"]


def test_directories_and_quotas_outlive_their_view(vms: Vms) -> None:
    vms.view("/v")
    vms.post("quotas", name="q", path="/v")
    assert vms.call("DELETE", "/views/2/").status_code == 204
    assert [row["path"] for row in vms.get("/quotas/")] == ["/v"]
    vms.post("views", path="/v", policy_id=1)


def test_a_tenant_with_data_goes_by_a_task(vms: Vms) -> None:
    tenant = vms.post("tenants", name="t")["id"]
    vms.plane.usage("/data", tenant, 1, 1)
    path = f"/tenants/{tenant}/"
    assert "not empty" in vms.refused("DELETE", path)["detail"]
    answer = vms.call("DELETE", path, force_remove="true")
    assert answer.status_code == 200 and answer.json()["async_task"]["state"] == "RUNNING"
    assert vms.get(path)["name"] == "t"
    vms.refused("GET", path, status=404)
    assert vms.get(f"/vtasks/{answer.json()['async_task']['id']}/")["state"] == "COMPLETED"


def test_folders(vms: Vms) -> None:
    vms.view("/v/w")
    body = {"path": "/v", "tenant_id": 1}
    assert vms.call("POST", "/folders/stat_path/", body).json()["children"] == 1
    assert vms.refused("DELETE", "/folders/delete_folder/", body) == {"detail": "trash folder disabled"}
    vms.call("PATCH", "/clusters/1/", {"enable_trash": True})
    assert vms.call("DELETE", "/folders/delete_folder/", body).status_code == 200
    assert vms.refused("DELETE", "/folders/delete_folder/", body) == {"detail": "no such directory"}
    assert vms.call("POST", "/folders/create_folder/", body).status_code == 200
    vms.post("quotas", name="q", path="/v")


# Protected paths and replication


@pytest.fixture
def local_path(vms: Vms) -> Any:
    vms.view("/v")
    schedule = vms.post("protectionpolicies", **LOCAL)["id"]
    return vms.post(
        "protectedpaths",
        name="path",
        source_dir="/v",
        target_exported_dir="/v",
        tenant_id=1,
        protection_policy_id=schedule,
        enabled=False,
    )


def test_a_local_path(vms: Vms, local_path: Any) -> None:
    assert (local_path["state"], local_path["enabled"], local_path["protection_policy_id"]) == (
        "Initializing",
        True,
        "1",
    )
    assert [vms.get("/protectedpaths/")[0]["state"] for _ in range(2)] == ["Initializing", "Active"]
    vms.call("PATCH", "/protectedpaths/1/", {"enabled": False})
    assert (row := vms.get("/protectedpaths/1/"))["enabled"] is False and row["state"] == "Suspended"
    vms.refused("PATCH", "/protectedpaths/1/", {"source_dir": "/w"})
    assert "not replicated" in vms.refused("PATCH", "/protectedpaths/1/", {"failover": True})["detail"]
    assert "No failover" in vms.refused("PATCH", "/protectedpaths/1/", {"abort": True})["detail"]
    vms.refused("PATCH", "/protectedpaths/1/", {"state": "Active"}, status=501)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"target_exported_dir": "/w"}, "target_exported_dir"),
        ({"source_dir": "/none", "target_exported_dir": "/none"}, "source_dir"),
        ({"protection_policy_id": 9}, "protection_policy_id"),
        ({"protection_policy_id": None}, "protection_policy_id"),
        ({"capabilities": "SHARED_GLOBAL_NAMESPACE"}, "capabilities"),
        ({"capabilities": "STARED_GLOBAL_NAMESPACE"}, "remote_target_id"),
        ({"name": "path"}, "name"),
        ({"tenant_id": None}, "tenant_id"),
        ({"target_exported_dir": None}, "target_exported_dir"),
    ],
)
def test_a_local_path_is_refused(vms: Vms, local_path: Any, changes: Any, field: str) -> None:
    body = {"name": "p2", "source_dir": "/v", "target_exported_dir": "/v", "tenant_id": 1, "protection_policy_id": 1}
    assert list(vms.refused("POST", "/protectedpaths/", body | changes)) == [field]


@SLOW
def test_a_path_goes_slowly(vms: Vms, local_path: Any) -> None:
    for _ in range(2):
        assert vms.call("DELETE", "/protectedpaths/1/").status_code == 204
    vms.refused("PATCH", "/protectedpaths/1/", {"enabled": True})
    for _ in range(2):
        assert vms.get("/protectedpaths/1/")["state"] == "DELETE_PENDING"
    vms.refused("GET", "/protectedpaths/1/", status=404)
    assert vms.call("DELETE", "/protectionpolicies/1/").status_code == 204


class Pair:
    """Two clusters that reach each other, each with a replication pool and a tenant `t` that has `/v`."""

    def __init__(self, start: Any, **options: Any) -> None:
        self.a, self.b = start(name="a", **options), start(name="b", **options)
        self.a.plane.link(self.b.plane)
        for number, vms in enumerate((self.a, self.b), 1):
            vms.post(
                "vippools",
                name="repl",
                subnet_cidr=24,
                role="REPLICATION",
                ip_ranges=[[f"10.9.{number}.1", f"10.9.{number}.4"]],
            )
            policy = vms.post("viewpolicies", name="p", tenant_id=vms.post("tenants", name="t")["id"])["id"]
            vms.post("views", path="/v", policy_id=policy, tenant_id=2, create_dir=True)

    def connect(self) -> None:
        self.a.post("nativereplicationremotetargets", name="a-b", leading_vip="10.9.2.3", pool_id=1)
        while self.a.get("/nativereplicationremotetargets/1/")["state"] != "CONNECTED":
            pass

    def policy(self, **changes: Any) -> Any:
        frames = [{"every": "1h", "keep-remote": "7d"}]
        body = {"name": "r", "prefix": "r", "clone_type": "NATIVE_REPLICATION", "target_object_id": 1, "frames": frames}
        return self.a.post("protectionpolicies", **(body | changes))

    def path(self) -> dict[str, Any]:
        remote = self.a.get("/tenants/remote_objects/", target_id=1, name="t")[0]["guid"]
        return {
            "name": "r", "tenant_id": 2, "source_dir": "/v", "target_exported_dir": "/replica",
            "protection_policy_id": 1,
            "remote_tenant_guid": remote,
        }  # fmt: skip


@pytest.fixture
def pair(start: Any) -> Pair:
    return Pair(start)


def test_a_task_fails_on_demand(pair: Pair) -> None:
    pair.connect()
    pair.policy()
    pair.a.post("protectedpaths", **pair.path())
    vms = pair.a
    vms.get("/protectedpaths/1/")
    vms.plane.fail_next_task("no quorum")
    task = vms.call("DELETE", "/protectedpaths/1/").json()["async_task"]
    vms.get(f"/vtasks/{task['id']}/")
    failed = vms.get(f"/vtasks/{task['id']}/")
    assert (failed["state"], failed["messages"][-1]) == ("FAILED", "no quorum")
    assert vms.get("/protectedpaths/1/")["state"] == "Active"
    tasks = [vms.call("DELETE", "/protectedpaths/1/").json()["async_task"]["id"] for _ in range(2)]
    assert tasks[0] == tasks[1] != task["id"]
    vms.refused("GET", "/protectedpaths/1/", status=404)


def test_a_peer_connects_and_is_mirrored(pair: Pair) -> None:
    peer = pair.a.post("nativereplicationremotetargets", name="a-b", leading_vip="10.9.2.3", pool_id=1)
    assert peer["state"] == "CONNECTING" and pair.b.get("/nativereplicationremotetargets/") == []
    assert pair.a.get("/nativereplicationremotetargets/")[0]["state"] == "CONNECTED"
    mirror = pair.b.get("/nativereplicationremotetargets/", name="a-b")[0]
    assert (mirror["guid"], mirror["leading_vip"], mirror["peer_name"]) == (peer["guid"], "10.9.1.1", "a")
    for vms in (pair.a, pair.b):
        assert "it is used by nativereplicationremotetargets a-b" in vms.refused("DELETE", "/vippools/1/")["detail"]
    assert pair.a.call("DELETE", "/nativereplicationremotetargets/1/").status_code == 204
    assert pair.b.get("/nativereplicationremotetargets/") == []


@pytest.mark.parametrize("slow", [1, 3])
def test_time_passes_for_what_nobody_asks_for(start: Any, slow: int) -> None:
    pair = Pair(start, settle_reads=slow)
    pair.a.post("nativereplicationremotetargets", name="a-b", leading_vip="10.9.2.3", pool_id=1)
    pair.a.post("snapshots", name="s", path="/v/", tenant_id=2)
    for _ in range(slow):
        pair.b.get("/tenants/")
    assert pair.b.get("/nativereplicationremotetargets/")[0]["state"] == "CONNECTED"
    assert pair.a.get("/nativereplicationremotetargets/")[0]["state"] == "CONNECTED"
    assert pair.a.get("/snapshots/1/")["state"] == "SUCCEED"


def test_time_passes_without_requests(pair: Pair) -> None:
    pair.a.post("nativereplicationremotetargets", name="a-b", leading_vip="10.9.2.3", pool_id=1)
    pair.a.clock.now += 10
    assert pair.a.get("/nativereplicationremotetargets/1/")["state"] == "CONNECTED"


def test_a_peer_that_is_not_there(pair: Pair) -> None:
    pair.a.post("nativereplicationremotetargets", name="a-b", leading_vip="10.9.2.9", pool_id=1)
    states = [pair.a.get("/nativereplicationremotetargets/1/")["state"] for _ in range(3)]
    assert states == ["CONNECTING", "ERROR", "ERROR"] and pair.b.get("/nativereplicationremotetargets/") == []
    pair.a.refused("GET", "/tenants/remote_objects/", target_id=1)
    frames = [{"every": "1h"}]
    body = {"name": "r", "prefix": "r", "clone_type": "NATIVE_REPLICATION", "target_object_id": 1, "frames": frames}
    assert "not connected" in pair.a.refused("POST", "/protectionpolicies/", body)["target_object_id"][0]
    assert pair.a.call("PATCH", "/nativereplicationremotetargets/1/", {"leading_vip": "10.9.2.4"}).status_code == 200
    assert [pair.a.get("/nativereplicationremotetargets/1/")["state"] for _ in range(2)] == ["CONNECTING", "CONNECTED"]


def test_a_peer_of_the_same_name_on_both_sides(pair: Pair) -> None:
    for vms, vip in ((pair.a, "10.9.2.1"), (pair.b, "10.9.1.1")):
        vms.post("nativereplicationremotetargets", name="a-b", leading_vip=vip, pool_id=1)
    for _ in range(2):
        row = pair.a.get("/nativereplicationremotetargets/1/")
    assert row["state"] == "ERROR" and "another peer" in row["state_description"]


def test_a_path_is_replicated(pair: Pair) -> None:
    pair.connect()
    policy = pair.policy()
    assert (policy["target_name"], policy["is_local"], policy["frames"][0]["keep-remote"]) == ("a-b", False, "7d")
    assert "protectionpolicies r" in pair.a.refused("DELETE", "/nativereplicationremotetargets/1/")["detail"]
    assert "it is used on a" in pair.b.refused("DELETE", "/nativereplicationremotetargets/1/")["detail"]
    path = pair.a.post("protectedpaths", **pair.path())
    assert (path["role"], path["remote_tenant_name"], path["peer_cluster_name"]) == ("SOURCE", "t", "b")
    mirror = pair.b.get("/protectedpaths/")[0]
    assert (mirror["role"], mirror["tenant_name"], mirror["guid"], mirror["peer_cluster_name"]) == (
        "DESTINATION",
        "t",
        path["guid"],
        "a",
    )
    assert pair.b.get("/protectedpaths/1/")["state"] == "Active"
    pair.b.post("quotas", name="q", path="/replica", tenant_id=2)  # the directory was made
    pair.b.refused("DELETE", "/protectedpaths/1/")
    pair.b.refused("PATCH", "/protectedpaths/1/", {"enabled": False})
    pair.a.call("PATCH", "/protectedpaths/1/", {"name": "renamed"})
    assert pair.b.get("/protectedpaths/1/")["name"] == "renamed"
    pair.a.call("DELETE", "/protectedpaths/1/")
    assert len(pair.a.get("/protectedpaths/")) == 1
    assert pair.a.get("/protectedpaths/") == pair.b.get("/protectedpaths/") == []


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"remote_tenant_guid": "nobody"}, "remote_tenant_guid"),
        ({"remote_tenant_guid": None}, "remote_tenant_guid"),
        ({"source_dir": "/v/below"}, "source_dir"),
        ({"source_dir": "/v"}, "source_dir"),
        ({"source_dir": "/w", "target_exported_dir": "/replica"}, "target_exported_dir"),
        ({"source_dir": "/w", "name": "r"}, "name"),
    ],
)
def test_a_replicated_path_is_refused(pair: Pair, changes: Any, field: str) -> None:
    pair.connect()
    pair.policy()
    body = pair.path()
    pair.a.post("protectedpaths", **body)
    pair.a.plane.usage("/v/below", 2, 1, 1)
    pair.a.plane.usage("/w", 2, 1, 1)
    second = body | {"name": "r2", "source_dir": "/w", "target_exported_dir": "/replica2"} | changes
    assert field in pair.a.refused("POST", "/protectedpaths/", second)


def test_replication_keeps_out_of_buckets(pair: Pair) -> None:
    pair.connect()
    pair.policy()
    pair.a.post("users", name="joe", uid=7, local_provider_id=1)
    bucket = {"policy_id": 4, "tenant_id": 2, "protocols": ["S3"], "bucket_owner": "joe", "create_dir": True}
    pair.a.post("views", path="/b", bucket="b", **bucket)
    pair.a.plane.usage("/b/in", 2, 1, 1)
    assert list(pair.a.refused("POST", "/protectedpaths/", pair.path() | {"source_dir": "/b/in"})) == ["source_dir"]
    pair.a.plane.usage("/c/in", 2, 1, 1)
    pair.a.post("protectedpaths", **(pair.path() | {"source_dir": "/c/in"}))
    assert list(pair.a.refused("POST", "/views/", bucket | {"path": "/c", "bucket": "c"})) == ["path"]


def test_a_connected_peer_stays_with_its_cluster(pair: Pair) -> None:
    pair.connect()
    path = "/nativereplicationremotetargets/1/"
    assert list(pair.a.refused("PATCH", path, {"leading_vip": "10.9.9.9"})) == ["leading_vip"]
    assert pair.a.call("PATCH", path, {"leading_vip": "10.9.2.1", "transport_mode": "QUIC"}).status_code == 200
    assert pair.a.get(path)["state"] == "CONNECTED"


def test_a_replication_policy_names_a_remote_tenant(pair: Pair) -> None:
    pair.connect()
    remote = pair.a.get("/tenants/remote_objects/", target_id=1)
    assert [row["name"] for row in remote] == ["default", "t"]
    assert pair.policy(remote_tenant_guid=remote[1]["guid"])["remote_tenant"] == remote[1]
    body = {
        "name": "s",
        "prefix": "s",
        "clone_type": "NATIVE_REPLICATION",
        "target_object_id": 1,
        "frames": [{"every": "1h"}],
    }
    assert "remote_tenant_guid" in pair.a.refused("POST", "/protectionpolicies/", body | {"remote_tenant_guid": "x"})


def test_nothing_waits_without_settle_reads(start: Any) -> None:
    pair = Pair(start, settle_reads=0)
    peer = pair.a.post("nativereplicationremotetargets", name="a-b", leading_vip="10.9.2.3", pool_id=1)
    assert peer["state"] == "CONNECTED" and len(pair.b.get("/nativereplicationremotetargets/")) == 1
    pair.policy()
    assert pair.a.post("protectedpaths", **pair.path())["state"] == "Active"
    assert pair.a.call("DELETE", "/protectedpaths/1/").json()["async_task"]["state"] == "COMPLETED"
    pair.a.refused("GET", "/protectedpaths/1/", status=404)
    lost = pair.a.post("nativereplicationremotetargets", name="c", leading_vip="10.7.0.1", pool_id=1)
    assert lost["state"] == "ERROR"


# Persistence, and a client that we did not write


def test_a_restart_keeps_all_but_the_tokens(start: Any, tmp_path: Path) -> None:
    file = tmp_path / "vms.sqlite"
    first = start(store=Store(file))
    first.view("/v")
    first.post("snapshots", name="s", path="/v/")
    pair = first.call("POST", "/token/", {"username": "admin", "password": PASSWORD}).json()
    names = ("tenants", "views", "viewpolicies", "localproviders", "vms")
    before = [first.get(f"/{name}/") for name in names]
    first.post("snapshots", name="late", path="/v/")
    second = start(store=Store(file), settle_reads=len(names) + 1)
    after = [second.get(f"/{name}/") for name in names]
    assert json.dumps(after).replace(second.server.url, "") == json.dumps(before).replace(first.server.url, "")
    assert [second.get("/snapshots/2/")["state"] for _ in range(2)] == ["CREATING", "SUCCEED"]
    assert second.view("/w")["id"] == 3
    second.headers = {"Authorization": f"Bearer {pair['access']}"}
    second.refused("GET", "/tenants/", status=403)


def test_an_older_cluster_lacks_what_came_later(start: Any) -> None:
    old = start(version="5.3", strict=True)
    assert old.get("/versions/")[0]["sys_version"].startswith("5.3.2")
    refused: dict[str, tuple[dict[str, Any], str]] = {
        "tenants": ({"name": "t", "max_views": 3}, "max_views"),
        "vippools": ({"name": "p", "subnet_cidr": 24}, "ip_ranges"),
        "viewpolicies": ({"name": "vp", "flavor": "NFS", "nfs_enforce_mtls": True}, "nfs_enforce_mtls"),
        "views": ({"path": "/v", "policy_id": 1, "create_dir": True, "smb_encryption_state": "NONE"}, "smb_encryption_state"),
        "qospolicies": ({"name": "q", "policy_type": "VOLUME"}, "policy_type"),
        "quotas": ({"name": "q", "path": "/", "is_physical_quota": True}, "is_physical_quota"),
    }  # fmt: skip
    for name, (body, field) in refused.items():
        assert field in old.refused("POST", f"/{name}/", body), name
        kept = {key: value for key, value in body.items() if key != field}
        if field == "ip_ranges":
            kept[field] = [["10.9.1.1", "10.9.1.4"]]
        if name == "qospolicies":
            kept |= {"policy_type": "VIEW", "mode": "STATIC"}
        if name == "quotas":
            kept["path"] = "/v"
        made = old.post(name, **kept)
        assert field in ("ip_ranges", "policy_type") or field not in made, name
    with pytest.raises(FileNotFoundError, match=r"no field table 'vast-5.4'; there are .*vast-5.3, vast-5.5"):
        start(version="5.4")
