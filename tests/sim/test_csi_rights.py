"""The CSI drivers with the rights that are said to be theirs: they do all of their work, and miss each that is taken away."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from vastplan.kinds.compose._csi_rights import DRIVERS, realms
from vastplan.sim.csi import VastStorage, blocks, files
from vastplan.sim.csi.vms import VmsClient
from vastplan.sim.kubernetes.storage import VolumeWanted
from vastplan.sim.store import Store
from vastplan.sim.vast import VastPlane
from vastplan.sim.vast.scope import Manager
from vastplan.sim.wire import Request

GIB = 2**30
# A tenant's manager is shown no VIP pools: the class names its pool by the domain.
FILE = {"root_export": "/k8s", "view_policy": "of-t", "vip_pool_fqdn": "t.example.com", "qos_policy": "gold"}
BLOCK = {"subsystem": "sub", "tenant_name": "t", "vip_pool_fqdn": "t.example.com", "qos_policy": "fast"}
NOT_SIMULATED = {
    ("block", "blockhost"),
    ("block", "blockhostvolume"),
    ("block", "snapshot"),
    ("block", "globalsnapstream"),
}
"""What the simulated block driver does not do: it maps no volumes to hosts and makes no clones."""
Rights = Mapping[str, frozenset[str]]


class Cluster:
    """A cluster with the tenants t and u, and the manager `csi` of t, who has a role of some rights."""

    def __init__(self, rights: Rights) -> None:
        managers = {"csi": Manager("p", "t", role="csi-t")}
        tokens = {"admin": "admin", "csi": "csi"}
        self.plane = VastPlane(Store(), password="p", api_tokens=tokens, settle_reads=50, managers=managers)
        VastStorage(self.plane, "admin").prepare()
        self.tenant, self.other = (self.made("tenants", name=name) for name in "tu")
        self.policy = self.made("viewpolicies", name="of-t", flavor="NFS", tenant_id=self.tenant)
        self.made("qospolicies", name="gold", policy_type="VIEW", tenant_id=self.tenant)
        self.made("qospolicies", name="fast", policy_type="VOLUME", tenant_id=self.tenant)
        block = {"path": "/b", "create_dir": True, "policy_id": self.policy, "protocols": ["BLOCK"]}
        self.made("views", name="sub", tenant_id=self.tenant, **block)
        permissions = []
        for number, (object_type, verbs) in enumerate(rights.items()):
            self.made("realms", name=f"r{number}", tenant_id=self.tenant, object_types=[object_type])
            permissions += [f"{verb}_r{number}" for verb in verbs]
        self.made("roles", name="csi-t", tenant_id=self.tenant, permissions_list=permissions)

    def call(self, token: str, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        raw = b"" if body is None else json.dumps(body).encode()
        headers = {"authorization": f"Api-Token {token}"}
        answer = self.plane.handle(Request(method, f"/api/v5{path}", {}, headers, raw, ""))
        return answer.status, answer.body

    def made(self, collection: str, /, **body: Any) -> int:
        status, row = self.call("admin", "POST", f"/{collection}/", body)
        assert status == 201, row
        return int(row["id"])


def volume(name: str, parameters: dict[str, str], **more: Any) -> VolumeWanted:
    return VolumeWanted(name, f"csi:ns:{name}", GIB, parameters, **more)


def work(cluster: Cluster, driver: str) -> Iterator[str]:
    """A volume's life with the driver, step by step."""
    vms = VmsClient(cluster.plane, "csi")
    if driver == "block":
        blocks.create(vms, volume("pvc-1", BLOCK))
        yield "made"
        blocks.expand(vms, "pvc-1", 2 * GIB)
        blocks.delete(vms, "pvc-1")
        yield "gone"
        return
    vms.address(files.create(vms, volume("pvc-1", FILE)))
    yield "made"
    files.expand(vms, "pvc-1", 2 * GIB)
    snapshot = files.create_snapshot(vms, "pvc-1", "s").handle
    yield "kept"
    files.create(vms, volume("pvc-2", FILE, snapshot_id=snapshot))
    files.create(vms, volume("pvc-3", FILE, source_volume_id="pvc-1"))
    yield "copied"
    for name in ("pvc-2", "pvc-3"):
        files.delete(vms, name)
    while cluster.call("admin", "GET", "/globalsnapstreams/")[1]:
        pass  # what is stopped goes with time
    files.delete_snapshot(vms, snapshot)
    for row in cluster.call("admin", "GET", "/snapshots/")[1]:  # what a clone was made from expires by itself
        cluster.call("admin", "DELETE", f"/snapshots/{row['id']}/")
    files.delete(vms, "pvc-1")
    yield "gone"


def left(cluster: Cluster) -> list[str]:
    """What there is of volumes."""
    found = []
    for name in ("views", "quotas", "volumes", "snapshots", "globalsnapstreams"):
        rows = cluster.call("admin", "GET", f"/{name}/")[1]
        found += [f"{name} {row['name']}" for row in rows if "pvc-" in json.dumps(row)]
    return found


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_driver_does_its_work_with_them(driver: str) -> None:
    cluster = Cluster(DRIVERS[driver])
    assert [*work(cluster, driver)][-1] == "gone" and left(cluster) == []


@pytest.mark.parametrize(
    ("driver", "object_type", "verb"),
    [
        (driver, object_type, verb)
        for driver, rights in DRIVERS.items()
        for object_type, verbs in rights.items()
        for verb in sorted(verbs)
        if (driver, object_type) not in NOT_SIMULATED
    ],
)
def test_each_of_them_is_missed(driver: str, object_type: str, verb: str) -> None:
    rights = {name: verbs - {verb} if name == object_type else verbs for name, verbs in DRIVERS[driver].items()}
    with pytest.raises(ValueError, match="permission_denied"):
        for _ in work(Cluster(rights), driver):
            pass


def test_they_are_no_more_than_that() -> None:
    cluster = Cluster({**DRIVERS["file"], **DRIVERS["block"]})
    mine, theirs = {"tenant_id": cluster.tenant}, {"tenant_id": cluster.other}
    for method, path, body in (
        ("PATCH", f"/viewpolicies/{cluster.policy}/", {"nfs_no_squash": ["*"]}),
        ("DELETE", f"/viewpolicies/{cluster.policy}/", None),
        ("POST", "/viewpolicies/", {"name": "p", **mine}),
        ("POST", "/qospolicies/", {"name": "q", **mine}),
        ("GET", "/vippools/", None),
        ("GET", "/protectionpolicies/", None),
        ("GET", "/roles/", None),
        ("PATCH", "/realms/1/assign/", {"object_type": "viewpolicy"}),
        ("GET", "/tenants/", None),
        ("GET", "/users/", None),
        ("PATCH", "/clusters/1/", {"enable_trash": False}),
        ("POST", "/quotas/", {"name": "q", "path": "/q", "create_dir": True, **theirs}),
        ("DELETE", "/folders/delete_folder/", {"path": "/q", **theirs}),
    ):
        status, answer = cluster.call("csi", method, path, body)
        assert (status, answer["code"]) == (403, "permission_denied"), (method, path)


def test_a_realm_is_of_the_types_that_have_the_same_verbs() -> None:
    found = {one.verbs: one.object_types for one in realms(["file"])}
    assert found == {
        ("create", "delete", "edit", "view"): ("quota", "snapshot"),
        ("create", "delete", "view"): ("view",),
        ("delete",): ("folder",),
        ("delete", "edit", "view"): ("globalsnapstream",),
        ("view",): ("qospolicy", "viewpolicy"),
    }
    both = {object_type: {*one.verbs} for one in realms(["file", "block"]) for object_type in one.object_types}
    for rights in DRIVERS.values():
        assert all(verbs <= both[object_type] for object_type, verbs in rights.items())
    assert both.keys() == {name for rights in DRIVERS.values() for name in rights}
    assert both["view"] == {"create", "view", "delete"} and realms([]) == ()
    assert next(one.called for one in realms(["file"]) if one.object_types == ("view",)) == "create-delete-view"
