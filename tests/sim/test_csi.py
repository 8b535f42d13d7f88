"""The CSI driver between a simulated cluster and a simulated VMS: what VMS has after each of its calls, and its refusals."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from vastplan.sim.csi import VastStorage
from vastplan.sim.csi.files import protocol
from vastplan.sim.kubernetes.storage import VolumeWanted
from vastplan.sim.store import Store
from vastplan.sim.vast import VastPlane
from vastplan.sim.wire import Request, Response

GIB = 2**30
PARAMETERS = {"root_export": "k8s/", "view_policy": "default", "vip_pool_name": "pool"}
Row = dict[str, Any]


class Vms:
    """A VMS with the trash folder on. It has clone streams of its own: they are the driver's part that is tried here."""

    name = "vast"

    def __init__(self) -> None:
        self.plane = VastPlane(Store(), password="p", api_tokens={"t": "csi"}, settle_reads=0)
        self.streams: dict[int, Row] = {}
        self.calls: list[tuple[str, str, Any]] = []

    def handle(self, request: Request) -> Response:
        path = request.path.removeprefix("/api/v5")
        body: Any = json.loads(request.body) if request.body else None
        if request.method != "GET":
            self.calls.append((request.method, path, body))
        if "/clone/" in path:
            made = {"id": len(self.streams) + 1, **body, "status": {"state": "Active"}}
            self.streams[made["id"]] = made
            self.do("POST", "/folders/create_folder/", {"path": body["loanee_root_path"]})
            return Response(200, made)
        if path == "/globalsnapstreams/":
            return Response(200, [one for one in self.streams.values() if one["name"] == request.first("name")])
        if path.startswith("/globalsnapstreams/"):
            key = int(path.split("/")[2])
            if request.method == "DELETE" and self.streams.pop(key, None) is None:
                return Response(404, {"detail": "Not found."})
            return Response(200, {})
        return self.plane.handle(request)

    def expire_tokens(self) -> None: ...

    def busy(self) -> Response:
        raise AssertionError("nobody asks too often")

    def do(self, method: str, path: str, body: Any = None) -> Any:
        raw = b"" if body is None else json.dumps(body).encode()
        answer = self.plane.handle(Request(method, f"/api/v5{path}", {}, {"authorization": "Api-Token t"}, raw, ""))
        assert answer.status < 300, answer.body
        return answer.body

    def rows(self, collection: str) -> list[Row]:
        rows: list[Row] = self.do("GET", f"/{collection}/")
        return rows

    def there(self, path: str, tenant: int = 1) -> bool:
        """Whether a tenant has a directory."""
        raw = json.dumps({"path": path, "tenant_id": tenant}).encode()
        request = Request("POST", "/api/v5/folders/stat_path/", {}, {"authorization": "Api-Token t"}, raw, "")
        answer = self.plane.handle(request)
        assert answer.status in (200, 400), answer.body
        assert answer.status == 200 or "no such directory" in str(answer.body), answer.body
        return answer.status == 200


@pytest.fixture
def vms() -> Vms:
    return Vms()


@pytest.fixture
def storage(vms: Vms) -> VastStorage:
    made = VastStorage(vms, "t")
    made.prepare()
    return made


def wanted(name: str = "pvc-1", **fields: Any) -> VolumeWanted:
    return VolumeWanted(name, f"csi:ns:{name}", fields.pop("size", GIB), fields.pop("parameters", PARAMETERS), **fields)


def said(call: Callable[[], Any]) -> str:
    with pytest.raises(ValueError, match="rpc error") as refused:
        call()
    return str(refused.value)


@pytest.mark.parametrize(
    ("options", "spoken"),
    [
        ((), "NFS"),
        (("vers=3",), "NFS"),
        (("vers=4.1",), "NFS4"),
        (("nconnect=8", "nfsvers=4"), "NFS4"),
        (("[vers=4.2, nconnect=8]",), "NFS4"),
        (("minorvers=4",), "NFS"),
    ],
)
def test_mount_options_choose_the_protocol(options: tuple[str, ...], spoken: str) -> None:
    assert protocol(options) == spoken


def test_a_volume_is_a_directory_a_view_and_a_quota(vms: Vms, storage: VastStorage) -> None:
    tenant = vms.do("POST", "/tenants/", {"name": "t"})["id"]
    policy = vms.do("POST", "/viewpolicies/", {"name": "of-t", "flavor": "NFS", "tenant_id": tenant})["id"]
    qos = vms.do(
        "POST", "/qospolicies/", {"name": "gold", "policy_type": "VIEW", "mode": "STATIC", "tenant_id": tenant}
    )
    parameters = {**PARAMETERS, "view_policy": "of-t", "qos_policy": "gold"}
    found = storage.create_volume(wanted(parameters=parameters, mount_options=("vers=4.1", "nconnect=8")))
    (view,), (quota,) = ([row for row in vms.rows(name) if row["path"] == "/k8s/pvc-1"] for name in ("views", "quotas"))
    assert found == {
        "root_export": "/k8s", "mount_options": "vers=4.1,nconnect=8", "view_policy": "of-t", "protocol": "NFS4",
        "vip_pool_name": "pool", "volume_name": "csi:ns:pvc-1", "quota_id": str(quota["id"]),
        "view_id": str(view["id"]), "tenant_id": str(tenant),
    }  # fmt: skip
    assert (view["protocols"], view["policy_id"], view["qos_policy_id"], view["tenant_id"]) == (
        ["NFS4"], policy, qos["id"], tenant,
    )  # fmt: skip
    assert (quota["name"], quota["hard_limit"], quota["tenant_id"]) == ("csi:ns:pvc-1", GIB, tenant)
    assert storage.create_volume(wanted(parameters=parameters, mount_options=("vers=4.1", "nconnect=8"))) == found
    assert len(vms.rows("quotas")) == 1  # a second call finds what is there
    storage.expand_volume("pvc-1", 2 * GIB)
    storage.expand_volume("pvc-1", GIB)
    assert vms.rows("quotas")[0]["hard_limit"] == 2 * GIB
    assert "AlreadyExists" in said(lambda: storage.create_volume(wanted(parameters=parameters)))
    storage.delete_volume("pvc-1")
    assert vms.there("/k8s", tenant) and not vms.there("/k8s/pvc-1", tenant)
    assert vms.rows("quotas") == [] and not [row for row in vms.rows("views") if row["path"] == "/k8s/pvc-1"]
    storage.delete_volume("pvc-1")  # it is gone: fine
    assert "code = NotFound" in said(lambda: storage.expand_volume("pvc-1", GIB))


def test_how_a_pool_is_named_in_a_volume(storage: VastStorage) -> None:
    by_domain = {"root_export": "/", "view_policy": "default", "vip_pool_fqdn": "nfs.example.com"}
    found = storage.create_volume(wanted(parameters=by_domain))
    assert (found["vip_pool_fqdn"], found["vip_pool_fqdn_random_prefix"], found["root_export"]) == (
        "nfs.example.com", "true", "/",
    )  # fmt: skip
    plain = storage.create_volume(wanted("pvc-2", parameters={**by_domain, "vip_pool_fqdn_random_prefix": "false"}))
    assert "vip_pool_fqdn_random_prefix" not in plain and "vip_pool_name" not in plain


def test_the_pool_is_looked_up_when_a_volume_is_to_be_mounted(vms: Vms, storage: VastStorage) -> None:
    found = storage.create_volume(wanted())
    assert said(lambda: storage.publish_volume("pvc-1", found)) == (
        "rpc error: code = Unknown desc = [ControllerPublishVolume]: No VIP Pool named 'pool'"
    )
    pool = vms.do("POST", "/vippools/", {"name": "pool", "subnet_cidr": 24})["id"]
    assert said(lambda: storage.publish_volume("pvc-1", found)).endswith("Pool pool has no available vips")
    vms.do("PATCH", f"/vippools/{pool}/", {"ip_ranges": [["10.0.0.1", "10.0.0.2"]]})
    storage.publish_volume("pvc-1", found)
    vms.do("DELETE", f"/vippools/{pool}/")
    assert "No VIP Pool named" in said(lambda: storage.publish_volume("pvc-1", found))
    storage.publish_volume("pvc-1", {**found, "vip_pool_fqdn": "nfs.example.com"})  # DNS answers for it
    storage.publish_volume("/data", {})


def test_a_name_that_does_not_resolve(vms: Vms, storage: VastStorage) -> None:
    def refused(**parameters: str) -> str:
        text = said(lambda: storage.create_volume(wanted(parameters={**PARAMETERS, **parameters})))
        return text.removeprefix("rpc error: code = Unknown desc = [CreateVolume]: ")

    assert refused(view_policy="q") == 'No \'viewpolicy\' found for params {"name":"q"}'
    assert refused(qos_policy="q") == 'No \'qospolicy\' found for params {"name":"q"}'
    assert refused(subsystem="s") == 'No \'view\' found for params {"name":"s"}'
    assert vms.rows("quotas") == []


def test_a_volume_with_snapshots_stays(vms: Vms, storage: VastStorage) -> None:
    storage.create_volume(wanted())
    made = storage.create_snapshot("pvc-1", "csi:ns:one/x")
    (row,) = vms.rows("snapshots")
    assert (row["name"], row["path"].rstrip("/"), made.handle) == ("csi-ns-one-x", "/k8s/pvc-1", str(row["id"]))
    assert storage.create_snapshot("pvc-1", "csi:ns:one/x") == made
    assert said(lambda: storage.delete_volume("pvc-1")) == (
        f"rpc error: code = Unknown desc = [DeleteVolume]: Unable to delete pvc-1 as it holds snapshots: [{row['id']}]"
    )
    assert vms.there("/k8s/pvc-1") and len(vms.rows("quotas")) == 1
    by_hand = vms.do("POST", "/snapshots/", {"name": "mine", "path": "/k8s/pvc-1/"})  # whoever made it
    storage.delete_snapshot(made.handle)
    assert f"[{by_hand['id']}]" in said(lambda: storage.delete_volume("pvc-1"))
    vms.do("DELETE", f"/snapshots/{by_hand['id']}/")
    storage.delete_volume("pvc-1")
    assert not vms.there("/k8s/pvc-1") and vms.there("/k8s")
    storage.delete_snapshot(made.handle)  # it is gone: fine
    assert "Unknown volume: pvc-1" in said(lambda: storage.create_snapshot("pvc-1", "late"))


def test_the_last_snapshot_takes_the_directory_of_a_volume_that_is_gone(vms: Vms, storage: VastStorage) -> None:
    found = storage.create_volume(wanted())
    first, second = (storage.create_snapshot("pvc-1", name).handle for name in ("a", "b"))
    for collection in ("view", "quota"):
        vms.do("DELETE", f"/{collection}s/{found[f'{collection}_id']}/")
    storage.delete_snapshot(first)
    assert vms.there("/k8s/pvc-1")
    storage.delete_snapshot(second)
    assert not vms.there("/k8s/pvc-1")


def test_the_name_of_a_snapshot_belongs_to_one_volume(storage: VastStorage) -> None:
    for name in ("pvc-1", "pvc-2"):
        storage.create_volume(wanted(name))
    storage.create_snapshot("pvc-1", "same")
    assert "code = AlreadyExists desc = Snapshot name 'same'" in said(lambda: storage.create_snapshot("pvc-2", "same"))


def test_without_the_trash_folder_nothing_is_deleted(vms: Vms, storage: VastStorage) -> None:
    storage.create_volume(wanted())
    vms.do("PATCH", "/clusters/1/", {"enable_trash": False})
    assert "Ensure that deletionVipPool is properly configured" in said(lambda: storage.delete_volume("pvc-1"))
    assert len(vms.rows("quotas")) == 1
    storage.prepare()
    storage.delete_volume("pvc-1")


def test_a_clone_is_a_stream_before_it_is_a_view(vms: Vms, storage: VastStorage) -> None:
    storage.create_volume(wanted())
    vms.calls.clear()
    found = storage.create_volume(wanted("pvc-2", source_volume_id="pvc-1"))
    posted = [path for method, path, _ in vms.calls if method == "POST"]
    snapshot = vms.rows("snapshots")[0]
    assert posted == ["/snapshots/", f"/snapshots/{snapshot['id']}/clone/", "/views/", "/quotas/"]
    assert (snapshot["name"], bool(snapshot["expiration_time"])) == ("snp-pvc-2", True)
    assert vms.calls[1][2] == {
        "name": "strm-pvc-2", "loanee_root_path": "/k8s/pvc-2", "loanee_tenant_id": 1, "enabled": True,
    }  # fmt: skip
    assert (found["snapshot_stream_name"], found["tenant_id"]) == ("strm-pvc-2", "1")
    assert "as it holds snapshots" in said(lambda: storage.delete_volume("pvc-1"))  # until the clone's is expired
    vms.calls.clear()
    storage.delete_volume("pvc-2")
    assert [call[:2] for call in vms.calls[:2]] == [
        ("PATCH", "/globalsnapstreams/1/stop/"), ("DELETE", "/globalsnapstreams/1/"),
    ]  # fmt: skip
    assert vms.streams == {} and not vms.there("/k8s/pvc-2")
    unknown = said(lambda: storage.create_volume(wanted("pvc-3", source_volume_id="pvc-9")))
    assert unknown == "rpc error: code = NotFound desc = Unknown volume: pvc-9"


def test_a_volume_from_a_snapshot_is_copied_or_for_readers_mounted_where_it_is(vms: Vms, storage: VastStorage) -> None:
    storage.create_volume(wanted())
    handle = storage.create_snapshot("pvc-1", "one").handle
    copied = storage.create_volume(wanted("pvc-2", snapshot_id=handle))
    assert copied["snapshot_stream_name"] == "strm-pvc-2" and copied["quota_id"]
    read = storage.create_volume(wanted("pvc-3", snapshot_id=handle, read_only=True))
    assert (read["root_export"], read["snapshot_base_path"]) == ("/k8s", "pvc-1/.snapshot/one")
    assert "quota_id" not in read and not vms.there("/k8s/pvc-3")
    storage.delete_volume("pvc-3")
    assert "NotFound desc = Unknown snapshot: 99" in said(lambda: storage.create_volume(wanted("p", snapshot_id="99")))


def test_a_finished_stream_is_not_stopped(vms: Vms, storage: VastStorage) -> None:
    storage.create_volume(wanted())
    storage.create_volume(wanted("pvc-2", source_volume_id="pvc-1"))
    vms.streams[1]["status"]["state"] = "FINISHED"
    vms.calls.clear()
    storage.delete_volume("pvc-2")
    assert [path for method, path, _ in vms.calls if "globalsnapstreams" in path] == ["/globalsnapstreams/1/"]


def test_block_volumes(vms: Vms, storage: VastStorage) -> None:
    body = {"path": "/sub", "name": "sub", "protocols": ["BLOCK"], "policy_id": 1, "create_dir": True, "tenant_id": 1}
    vms.do("POST", "/views/", body)
    parameters = {"subsystem": "sub", "vip_pool_name": "pool", "transport_type": "TCP", "tenant_name": "default"}
    found = storage.create_volume(wanted(parameters=parameters))
    (volume,) = vms.rows("volumes")
    assert found == {**parameters, "volume_name": "csi:ns:pvc-1", "volume_id": str(volume["id"])}
    assert storage.create_volume(wanted(parameters=parameters)) == found
    storage.expand_volume("pvc-1", 2 * GIB, block=True)
    assert vms.rows("volumes")[0]["size"] == 2 * GIB
    assert "No VIP Pool named" in said(lambda: storage.publish_volume("pvc-1", found))
    storage.delete_volume("pvc-1", block=True)
    assert vms.rows("volumes") == []
    assert "Unimplemented" in said(lambda: storage.create_volume(wanted(parameters=parameters, snapshot_id="1")))
