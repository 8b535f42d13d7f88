"""What clients that run against live clusters send and rely on, as raw requests. Each test names where that is to be seen."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.sim.conftest import PASSWORD, Vms
from vastplan.sim.vast.scope import Manager

POLICY = '{"Version": "2012-10-17", "Statement": []}'


# terraform-provider-vastdata v2.0.0, examples/resources/vastdata_*/e2e, and its older releases' utils


def test_fields_that_no_schema_has_are_ignored_at_any_depth(vms: Vms) -> None:
    # [tfe nonlocal_user_key/1] sends `enabled` where no schema has it; [tf1 qos_policy_functions] keys inside of users.
    assert "made_up" not in vms.post("tenants", name="t", made_up=1, capacity_rules={"hard_limit": 5, "made_up": {}})
    user = {
        "name": "u",
        "fqdn": "",
        "identifier_type": "sid_str",
        "identifier_value": "S-1",
        "is_sid": True,
        "value": "S-1",
    }
    policy = vms.post("qospolicies", name="q", policy_type="USER", attached_users=[user])
    assert policy["attached_users"][0].keys() == user.keys() - {"is_sid", "value"}
    changed = vms.call("PATCH", "/tenants/2/", {"made_up": 2, "vippools": [], "title": "x"})  # a whole state sent back
    assert changed.status_code == 200 and changed.json()["title"] == "t"


def test_scalars_are_read_as_the_framework_reads_them(vms: Vms) -> None:
    tenant = vms.post("tenants", name="t", max_views="5", use_smb_native="true", domain_name=7)
    assert (tenant["max_views"], tenant["use_smb_native"], tenant["domain_name"]) == (5, True, "7")
    assert list(vms.refused("POST", "/tenants/", {"name": "u", "max_views": "five"})) == ["max_views"]


def test_what_only_a_create_takes_may_be_sent_again_as_it_is(vms: Vms) -> None:
    # [tf1 qos_policy_functions] sends policy_type with every PATCH, manila the name of a view policy.
    vms.post("qospolicies", name="q", static_limits={"max_reads_iops": 100})
    body = {"policy_type": "VIEW", "static_limits": {"max_reads_iops": 200}}
    assert vms.call("PATCH", "/qospolicies/1/", body).json()["static_limits"]["max_reads_iops"] == 200
    assert list(vms.refused("PATCH", "/qospolicies/1/", {"policy_type": "USER"})) == ["policy_type"]


def test_qos_policies_need_nothing_but_a_name(vms: Vms) -> None:
    # [tfe qos_policy/1, /2]: no policy_type, no mode, both kinds of limits, bursts above their maximum.
    limits = {"max_reads_iops": 1000, "min_reads_iops": 100, "burst_reads_iops": 2000}
    policy = vms.post(
        "qospolicies", name="q", static_limits=limits, capacity_limits={"max_reads_iops_per_gb_capacity": 5}
    )
    assert (policy["policy_type"], policy["mode"]) == ("VIEW", "STATIC")
    assert vms.post("qospolicies", name="u", policy_type="USER")["mode"] is None
    vms.post("qospolicies", name="gold", limit_by="BW", is_gold=True, tenant_id=1)


def test_pools_of_ipv6_alone(start: Any) -> None:
    # [tfe vip_pool/4]
    for version in ("5.3", "5.5"):
        body = {"name": "six", "subnet_cidr_ipv6": 64, "ip_ranges": [["fd00::1", "fd00::9"]]}
        assert start(version=version).post("vippools", **body)["subnet_cidr"] is None


def test_users_and_groups_without_ids(start: Any) -> None:
    # [tfe user/1, user_tenant_data/1, group/1]; the driver's test library knows that 5.3.2 wanted a uid.
    vms, older = start(), start(version="5.3")
    assert (row := vms.post("users", name="u"))["uid"] > 0 and row["local_provider"]["name"] == "default"
    assert vms.post("users", name="v")["uid"] != row["uid"]
    vms.post("groups", name="g", gid=30097)
    assert list(older.refused("POST", "/users/", {"name": "u"})) == ["uid"]
    assert older.post("users", name="u", uid=7, gids=[1001])["gids"] == [1001]  # no such group


def test_rules_of_a_quota_by_any_type_of_name(vms: Vms) -> None:
    # [tfe quota/2]: flat when written, nested when read; a group's type is `group`.
    rule = {"name": "u1", "identifier": "u1", "identifier_type": "username", "is_group": False, "grace_period": "90m"}
    group = {"name": "g1", "identifier": "g1", "identifier_type": "group", "is_group": True, "hard_limit": 100}
    body = {"is_user_quota": True, "user_quotas": [rule], "group_quotas": [group], "soft_limit": 5, "hard_limit": 5}
    quota = vms.post("quotas", name="q", path="/q", create_dir=True, **body)
    assert vms.get(f"/quotas/{quota['id']}/")["group_quotas"][0]["entity"]["identifier_type"] == "group"
    assert quota["user_quotas"][0]["entity"]["identifier"] == "u1"
    assert (
        quota["hard_limit_inodes"] == 0
        and vms.post("quotas", name="open", path="/o", create_dir=True)["hard_limit"] is None
    )
    # [tfe quota/1]: a name is taken within its tenant, and so is a path.
    vms.post("tenants", name="t")
    assert list(vms.refused("POST", "/quotas/", {"name": "q", "path": "/r", "create_dir": True})) == [
        "non_field_errors"
    ]
    vms.post("quotas", name="q", path="/q", create_dir=True, tenant_id=2)


@pytest.mark.parametrize("version", ["5.3", "5.5"])
def test_rules_of_a_quota_without_what_no_document_requires(start: Any, version: str) -> None:
    # What the vendor's provider sends; and, as one release's document has it, within `entity`.
    user, group = (
        {"name": name, "identifier": name, "identifier_type": kind} for name, kind in (("u", "uid"), ("g", "group"))
    )
    vms = start(version=version)
    nested = {"entity": group} if version == "5.3" else group
    body = {"is_user_quota": True, "user_quotas": [user | {"hard_limit": 7}], "group_quotas": [nested]}
    quota = vms.post("quotas", name="q", path="/q", create_dir=True, **body)
    assert [quota[name][0]["entity"]["is_group"] for name in ("user_quotas", "group_quotas")] == [False, True]
    assert quota["user_quotas"][0]["hard_limit"] == 7 and quota["group_quotas"][0]["entity"]["identifier"] == "g"


def test_the_limits_of_a_quota_may_be_text_where_the_document_says_so(start: Any) -> None:
    older = start(version="5.3")
    older.post("quotas", name="q", path="/q", create_dir=True, hard_limit=10)
    assert older.call("PATCH", "/quotas/1/", {"hard_limit": "20", "soft_limit": 15}).json()["hard_limit"] == 20
    assert older.get("/quotas/1/")["soft_limit"] == 15


def test_frames_in_every_unit(start: Any) -> None:
    # [tfe protection_policy/1], cosmos-labs: upper case units, `keep-remote: 0s` of a local policy, a T in the date.
    for version in ("5.3", "5.5"):
        frame = {"every": "1D", "keep-local": "2D", "keep-remote": "0s", "start-at": "2027-01-01T00:00:00"}
        body = {"name": "p", "prefix": "p", "clone_type": "LOCAL", "frames": [frame]}
        assert start(version=version).post("protectionpolicies", **body)["frames"] == [frame]


def test_identity_policies_and_providers_are_deleted_while_in_use(vms: Vms) -> None:
    # [tfe nonlocal_group/1, user_tenant_data/1, user_copy/1]
    vms.post("s3policies", name="p", tenant_id=1, policy=f"\n  {POLICY}")
    vms.post("users", name="u", s3_policies_ids=[1])
    vms.post("groups", name="g", gid=5, s3_policies_ids=[1])
    vms.post("localproviders", name="lp")
    vms.post("users", name="copied", local_provider_id=2)
    assert vms.call("DELETE", "/s3policies/1/").status_code == 204
    assert vms.get("/groups/1/")["s3_policies_ids"] == []
    assert vms.call("DELETE", "/localproviders/2/").status_code == 204
    assert [row["name"] for row in vms.get("/users/")] == ["u"]


def test_a_policy_may_replicate_to_a_peer_that_is_still_connecting(start: Any) -> None:
    # [tfe protection_policy/1]
    vms = start(settle_reads=5)
    vms.post("vippools", name="r", subnet_cidr=24, role="REPLICATION", ip_ranges=[["10.9.1.1", "10.9.1.4"]])
    vms.post("nativereplicationremotetargets", name="peer", leading_vip="10.9.2.1", pool_id=1, password="unused")
    body = {
        "name": "p",
        "prefix": "p",
        "clone_type": "NATIVE_REPLICATION",
        "target_object_id": 1,
        "frames": [{"every": "1D"}],
    }
    vms.post("protectionpolicies", **body, indestructible=True)


def test_the_policies_that_every_cluster_has_serve_every_tenant(vms: Vms) -> None:
    # [tfe protected_path/1, global_snapshot/1]
    vms.post("tenants", name="t")
    assert vms.view("/of-t", tenant_id=2)["policy"] == "default"


def test_lookups_by_write_only_fields_and_a_choice_of_fields(vms: Vms) -> None:
    # [tf tf_state.go] looks up with everything it was given; [tf1], vastpy ask for `fields`.
    vms.post("users", name="u", uid=7)
    assert vms.get("/users/", name="u", password="x", roles=3, fields="id") == [{"id": 1}]
    assert vms.get("/users/", name="u", fields=["id", "name"]) == [{"id": 1, "name": "u"}]


@pytest.mark.parametrize(("strict", "switch"), [(False, "force"), (False, "force_remove"), (True, "force")])
def test_a_tenant_goes_with_force_by_either_name(start: Any, strict: bool, switch: str) -> None:
    # [tf tenant.go] sends `force` where the document has `force_remove`.
    vms = start(strict=strict)
    vms.post("tenants", name="t")
    vms.plane.usage("/data", 2, 1, 1)
    assert "not empty" in vms.refused("DELETE", "/tenants/2/")["detail"]
    assert vms.call("DELETE", "/tenants/2/", **{switch: "true"}).status_code == 200


def test_directories_that_are_left_over_are_in_the_way_by_the_stricter_reading(start: Any) -> None:
    for strict in (False, True):
        vms = start(strict=strict)
        vms.post("tenants", name="t")
        view = vms.view("/v", tenant_id=2)
        vms.call("DELETE", f"/views/{view['id']}/")
        assert vms.call("DELETE", "/tenants/2/").status_code == (400 if strict else 204)


# vast-csi, manila, vast-ansible, vast-admin-mcp, vastpy


def test_a_view_of_no_tenant_is_of_the_default_one(vms: Vms) -> None:
    # [csi], [csiM session/resources.py]
    assert vms.view("/pvc", tenant_id=None, qos_policy_id=None)["tenant_id"] == 1


def test_a_tenant_brings_its_policy_and_takes_it_away(vms: Vms) -> None:
    # [mcp create_functions.py]
    vms.post("tenants", name="t")
    policy = vms.get("/viewpolicies/", name="t__default_policy")[0]
    assert (policy["tenant_id"], policy["flavor"]) == (2, "NFS")
    view = vms.post("views", path="/v", policy_id=policy["id"], tenant_id=2, create_dir=True)
    assert "views /v" in vms.refused("DELETE", "/tenants/2/")["detail"]
    vms.call("PATCH", "/tenants/2/", {"max_views": 3})
    assert len(vms.get("/viewpolicies/", tenant_id=2)) == 1
    vms.call("DELETE", f"/views/{view['id']}/")
    assert vms.call("DELETE", "/tenants/2/").status_code == 204
    assert vms.get("/viewpolicies/", name="t__default_policy") == []


def test_the_answer_of_a_patch_is_used(vms: Vms) -> None:
    # [ans resource.py] makes a dictionary of it, [mcp] and vastpy's README read values from it.
    vms.post("vippools", name="p", subnet_cidr=24)
    assert vms.call("PATCH", "/vippools/1/", {"vlan": 7}).json()["vlan"] == 7
    vms.post("groups", name="g", gid=5)
    assert vms.call("PATCH", "/groups/1/", {"s3_policies_ids": []}).json()["name"] == "g"  # [ans modules/groups.py]


def test_a_bucket_with_objects_is_not_deleted_without_force(vms: Vms) -> None:
    # [csiM session/resources.py]
    vms.post("users", name="joe", uid=7)
    view = vms.view("/b", protocols=["S3"], bucket="b", bucket_owner="joe")
    vms.plane.usage("/b", 1, 10, 1)
    path = f"/views/{view['id']}/"
    assert "bucket b is not empty" in vms.refused("DELETE", path, status=409)["detail"]
    assert vms.call("DELETE", path, force="true").status_code == 204


def test_the_default_subsystem_goes_when_it_is_empty(vms: Vms) -> None:
    # [tfe view/5, volume/1]; a BLOCK view may have a policy of flavor NFS.
    view = vms.view("/block", protocols=["BLOCK"], name="sub", is_default_subsystem=True)
    vms.post("volumes", name="v", size=10, view_id=view["id"])
    path = f"/views/{view['id']}/"
    assert "volumes" in vms.refused("DELETE", path)["detail"]
    vms.call("DELETE", "/volumes/1/")
    assert vms.call("DELETE", path).status_code == 204


def test_hosts_that_are_kept_out_and_ranges(vms: Vms) -> None:
    # kb host-based-access-rules; the same `*` may stand in two lists [man].
    hosts = ["~10.0.0.9", "~10.0.1.0/24", "10.0.0.1-10.0.0.20", "~10.0.2.1-10.0.2.9"]
    body = {"nfs_read_write": hosts, "smb_read_write": hosts, "s3_read_write": hosts, "nfs_no_squash": ["*"]}
    assert vms.post("viewpolicies", name="p", **body)["nfs_read_write"] == hosts
    for host in ("10.0.0.9-10.0.0.1", "~host.example.com", "10.0.0.1-x"):
        assert list(vms.refused("POST", "/viewpolicies/", {"name": "q", "nfs_read_write": [host]})) == [
            "nfs_read_write"
        ]


def test_what_the_driver_asks_when_a_volume_goes(vms: Vms) -> None:
    # [csi server.py DeleteVolume], [csiM resources.py]: streams, snapshots, folder, view, quota, and its own report.
    assert vms.call("POST", "/plugins/usage/", {"vendor": "vast", "name": "csi"}).status_code == 200
    vms.call("PATCH", "/clusters/1/", {"enable_trash": True})
    vms.view("/k8s/pvc-1", tenant_id=None)
    vms.post("quotas", name="csi:pvc-1", path="/k8s/pvc-1", hard_limit=10)
    assert vms.get("/globalsnapstreams/", loanee_root_path__startswith="/k8s/pvc-1") == []
    assert vms.get("/snapshots/", path__startswith="/k8s/pvc-1") == []
    assert vms.call("DELETE", "/folders/delete_folder/", {"path": "/k8s/pvc-1"}).status_code == 200
    (view,), (quota,) = vms.get("/views/", path="/k8s/pvc-1"), vms.get("/quotas/", path__endswith="pvc-1")
    assert vms.call("DELETE", f"/views/{view['id']}/").status_code == 204
    assert vms.call("DELETE", f"/quotas/{quota['id']}/").status_code == 204
    assert vms.call("PATCH", "/folders/modify_folder/", {"path": "/k8s", "user": "root"}).status_code == 200


def test_a_new_cluster_reads_before_it_writes(start: Any) -> None:
    # [voc]: a fresh VMS answers GET minutes before writes work.
    vms = start(starting=120)
    assert len(vms.get("/tenants/")) == 1
    assert vms.refused("POST", "/tenants/", {"name": "t"}, status=503)["code"] == "service_unavailable"
    vms.clock.now += 120
    vms.post("tenants", name="t")


@pytest.mark.slow
def test_unpaged_lists_are_cut_where_the_release_cuts_them(start: Any) -> None:
    # [csiM session/iterator.py]
    for version, rows in (("5.3", 16_002), ("5.5", 16_000)):
        vms = start(version=version)
        vms.plane.seed("groups", [{"name": f"g{number}", "gid": number} for number in range(16_002)])
        assert len(vms.get("/groups/", fields="id")) == rows


def test_a_tenants_manager_says_whose_they_are(start: Any) -> None:
    # [gvc-old auth.go], [vpy], [ans client.py]: the header goes on the log-in and on every call.
    vms = start(managers={"ann": Manager("pw", "t")})
    vms.post("tenants", name="t")
    vms.post("tenants", name="u")
    vms.view("/of-u", tenant_id=3)
    log_in = {"username": "ann", "password": "pw"}
    vms.headers = {}
    vms.refused("POST", "/token/", log_in, status=401)
    vms.headers = {"X-Tenant-Name": "t"}
    pair = vms.call("POST", "/token/", log_in).json()
    basic = base64.b64encode(b"ann:pw").decode()
    for authorization in (f"Bearer {pair['access']}", f"Basic {basic}"):
        vms.headers = {"X-Tenant-Name": "t", "Authorization": authorization}
        assert [row["name"] for row in vms.get("/tenants/")] == ["t"]
        assert [row["path"] for row in vms.get("/views/")] == []
    view = vms.view("/mine")
    assert view["tenant_id"] == 2 and [row["path"] for row in vms.get("/views/")] == ["/mine"]
    vms.refused("GET", "/views/2/", status=404)
    for refused in (
        vms.refused("GET", "/vippools/", status=403),
        vms.refused("PATCH", "/tenants/2/", {"max_views": 1}, status=403),
        vms.refused("POST", "/quotas/", {"name": "q", "path": "/q", "create_dir": True, "tenant_id": 3}, status=403),
        vms.refused("DELETE", "/viewpolicies/1/", status=403),
    ):
        assert refused["code"] == "permission_denied"  # how clients tell it from a dead token
    vms.headers["Authorization"] = f"Basic {base64.b64encode(f'admin:{PASSWORD}'.encode()).decode()}"
    assert len(vms.get("/tenants/")) == 3  # the cluster's own manager is not bound by it


def test_a_name_of_a_tenant_that_is_not_there(start: Any) -> None:
    vms = start(managers={"ann": Manager("pw", "gone")})
    vms.headers = {"X-Tenant-Name": "gone", "Authorization": f"Basic {base64.b64encode(b'ann:pw').decode()}"}
    assert vms.refused("GET", "/views/", status=403)["code"] == "permission_denied"


@pytest.mark.parametrize(
    ("graceful", "ends"), [(True, ("DESTINATION", "SOURCE")), (False, ("STANDALONE", "STANDALONE"))]
)
def test_a_failover(start: Any, graceful: bool, ends: tuple[str, str]) -> None:
    # [csiM resources.py]
    a, b = start(name="a", settle_reads=1), start(name="b", settle_reads=1)
    a.plane.link(b.plane)
    for number, vms in enumerate((a, b), 1):
        ranges = [[f"10.9.{number}.1", f"10.9.{number}.4"]]
        vms.post("vippools", name="r", subnet_cidr=24, role="REPLICATION", ip_ranges=ranges)
    a.post("nativereplicationremotetargets", name="peer", leading_vip="10.9.2.1", pool_id=1)
    while a.get("/nativereplicationremotetargets/1/")["state"] != "CONNECTED":
        pass
    a.view("/v")
    guid = a.get("/tenants/remote_objects/", target_id=1)[0]["guid"]
    frames = [{"every": "1h"}]
    a.post(
        "protectionpolicies", name="p", prefix="p", clone_type="NATIVE_REPLICATION", target_object_id=1, frames=frames
    )
    path = {"name": "pp", "tenant_id": 1, "source_dir": "/v", "target_exported_dir": "/copy", "protection_policy_id": 1}
    a.post("protectedpaths", **path, remote_tenant_guid=guid)
    one = "/protectedpaths/1/"
    for vms in (a, b):
        while vms.get(one)["state"] != "Active":
            pass
    body = {"failover": True, "graceful": graceful}
    assert b.call("PATCH", one, body).status_code == 200
    assert "cannot fail over" in a.refused("PATCH", one, body)["detail"]  # it is on its way
    assert all("BECOMING_" in vms.get(one)["role"] for vms in (a, b) for _ in range(3))  # what clients wait for
    a.plane.pass_time(20)
    assert (a.get(one)["role"], b.get(one)["role"]) == ends
    if graceful:
        assert "not STANDALONE" in b.refused("PATCH", f"{one}force_failover/")["detail"]
        assert "replica" in a.refused("DELETE", one)["detail"]
    else:
        assert "async_task" in b.call("PATCH", f"{one}force_failover/").json()
        assert b.get(one)["role"] == "BECOMING_SOURCE"
        a.plane.pass_time(10)
        assert b.get(one)["role"] == "SOURCE"


def test_keys_are_left_out_of_rows_by_the_stricter_reading(start: Any) -> None:
    # [csiM cosi_credentials.py] does not rely on them.
    for strict in (False, True):
        vms = start(strict=strict)
        vms.post("users", name="u", uid=7, local_provider_id=1)
        assert ("access_keys" in vms.get("/users/")[0]) is not strict
        assert "access_keys" in vms.get("/users/1/")


def test_what_monitoring_scripts_ask_for(vms: Vms) -> None:
    metrics = ["ProtoMetrics,proto_name=ProtoCommon,bw", "x"]
    told = vms.get("/monitors/ad_hoc_query/", object_type="cluster", time_frame="10m", prop_list=metrics)
    assert (told["object_ids"], told["prop_list"]) == ([1], ["timestamp", "object_id", *metrics])
    assert [sample[1:] for sample in told["data"]] == [[1, 0, 0]]
    assert list(vms.refused("GET", "/monitors/ad_hoc_query/")) == ["object_type"]
    assert vms.get("/clusters/1/auditing/")["enable_json_audit"] is False
    changed = vms.call("PATCH", "/clusters/1/auditing/", {"enable_json_audit": True, "protocols": ["NFS3"]}).json()
    assert changed["async_task"]["name"] == "modify_auditing"
    assert vms.get("/clusters/1/auditing/")["protocols"] == ["NFS3"]
    vms.refused("GET", "/clusters/2/auditing/", status=404)


def test_a_tenant_that_does_not_exist_is_refused(vms: Vms) -> None:
    vms.headers |= {"X-Tenant-Name": "nobody"}
    assert "no tenant nobody" in vms.refused("GET", "/views/")["detail"]
    assert "no tenant nobody" in vms.refused("POST", "/token/", {"username": "admin", "password": PASSWORD})["detail"]
    vms.headers |= {"X-Tenant-Name": "default"}
    assert vms.get("/views/")


def test_options_and_unknown_methods_are_answered_in_json(vms: Vms) -> None:
    answer = vms.call("OPTIONS", "/views/")
    assert answer.status_code == 200 and "POST" in answer.headers["Allow"].split(", ") and answer.json()["renders"]
    for method in ("TRACE", "FOO"):
        answer = vms.call(method, "/views/")
        assert answer.status_code == 405 and answer.json()["detail"]
