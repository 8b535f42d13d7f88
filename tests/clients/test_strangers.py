"""Namespaces that no document names, with claims, pods and the driver's volumes, all made by the vendors' own clients."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.clients.conftest import Place
from tests.clients.strangers import ClusterStranger, Kubectl, StorageStranger

GIB = 2**30
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture
def team(place: Place) -> Iterator[ClusterStranger]:
    with ClusterStranger(place.endpoint("kubernetes").kubeconfig) as one:
        yield one


@pytest.fixture
def storage(place: Place) -> StorageStranger:
    vms = place.endpoint("vast")
    return StorageStranger(vms.url, vms.username, vms.password, vms.ca_file)


def given(team: ClusterStranger, storage: StorageStranger) -> None:
    """A pool and a policy by hand, a class of them, and a namespace."""
    storage.pool("by-hand", "10.7.0.1", "10.7.0.4")
    storage.policy("by-hand")
    parameters = {"root_export": "/strangers", "view_policy": "by-hand", "vip_pool_name": "by-hand"}
    team.storage_class("theirs", parameters, mountOptions=["vers=4.1", "nconnect=8"])
    team.namespace("nlp-apps", team="nlp")


def test_what_a_teams_claims_are_on_the_storage(team: ClusterStranger, storage: StorageStranger) -> None:
    given(team, storage)
    for name in ("a", "b", "c"):
        team.claim("nlp-apps", name, "theirs")
    volumes = [team.volume_of("nlp-apps", name) for name in ("a", "b", "c")]
    paths = sorted(f"/strangers/{one['spec']['csi']['volumeHandle']}" for one in volumes)
    assert storage.paths("views", "/strangers") == storage.paths("quotas", "/strangers") == paths
    source = volumes[0]["spec"]["csi"]
    held = source["volumeAttributes"]
    assert (held["protocol"], held["mount_options"]) == ("NFS4", "vers=4.1,nconnect=8")
    assert (held["vip_pool_name"], held["view_policy"], held["root_export"]) == ("by-hand", "by-hand", "/strangers")
    (view,) = [row for row in storage.vms.views.get() if str(row["id"]) == held["view_id"]]
    assert (view["protocols"], view["policy"]) == (["NFS4"], "by-hand")
    assert team.grow("nlp-apps", "a", "2Gi")["status"]["phase"] == "Bound"
    (quota,) = [row for row in storage.vms.quotas.get() if str(row["id"]) == held["quota_id"]]
    assert quota["hard_limit"] == 2 * GIB
    assert volumes[0]["metadata"]["finalizers"] == ["kubernetes.io/pv-protection"]
    assert volumes[0]["metadata"]["annotations"] == {
        "pv.kubernetes.io/provisioned-by": "csi.vastdata.com",
        "volume.kubernetes.io/provisioner-deletion-secret-name": "",
        "volume.kubernetes.io/provisioner-deletion-secret-namespace": "",
    }
    team.drop_claim("nlp-apps", "a")
    assert len(team.volumes()) == len(storage.paths("views", "/strangers")) == 2


def test_a_pod_waits_for_a_pool_that_is_gone(team: ClusterStranger, storage: StorageStranger) -> None:
    given(team, storage)
    team.claim("nlp-apps", "a", "theirs")
    team.pod("nlp-apps", "first", ["a"])
    storage.drop_pool("by-hand")
    team.pod("nlp-apps", "second", ["a"], phase="Pending")
    waiting = team.seen_pod("nlp-apps", "second", "Pending")
    assert waiting["status"]["containerStatuses"][0]["state"]["waiting"]["reason"] == "ContainerCreating"
    volume = team.volume_of("nlp-apps", "a")["metadata"]["name"]
    said = f'AttachVolume.Attach failed for volume "{volume}" : rpc error: code = Unknown desc = '
    assert team.events("nlp-apps") == [
        ("FailedAttachVolume", f"{said}[ControllerPublishVolume]: No VIP Pool named 'by-hand'")
    ]
    assert team.seen_pod("nlp-apps", "first", "Running")  # what is mounted stays
    storage.pool("by-hand", "10.7.0.1", "10.7.0.4")
    team.seen_pod("nlp-apps", "second", "Running")


def test_a_pod_with_a_volume_of_its_own(team: ClusterStranger, storage: StorageStranger) -> None:
    given(team, storage)
    own = {"root_export": "/scratch", "view_policy": "by-hand", "vip_pool_name": "by-hand", "size": "1Gi"}
    team.pod("nlp-apps", "job", inline=own)
    (path,) = storage.paths("views", "/scratch")
    assert path.startswith("/scratch/csi-")
    team.core.delete_namespaced_pod("job", "nlp-apps")
    assert storage.paths("views", "/scratch") == storage.paths("quotas", "/scratch") == []


def test_a_claim_with_snapshots_leaves_its_volume(team: ClusterStranger, storage: StorageStranger) -> None:
    given(team, storage)
    team.snapshot_class("snaps")
    team.claim("nlp-apps", "a", "theirs")
    team.snapshot("nlp-apps", "before", "a", "snaps")
    (made,) = storage.vms.snapshots.get()
    assert made["path"].rstrip("/") in storage.paths("views", "/strangers")
    team.drop_claim("nlp-apps", "a")
    (volume,) = team.volumes()
    assert volume["status"]["phase"] == "Released"
    assert team.events("default") == [(
        "VolumeFailedDelete", "rpc error: code = Unknown desc = [DeleteVolume]: Unable to delete "
        f"{volume['metadata']['name']} as it holds snapshots: [{made['id']}]",
    )]  # fmt: skip
    team.drop_snapshot("nlp-apps", "before")
    team.volumes()
    assert (team.volumes(), storage.vms.snapshots.get(), storage.paths("quotas", "/strangers")) == ([], [], [])


MANIFESTS = [
    {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"},
     "spec": {"accessModes": ["ReadWriteMany"], "storageClassName": "theirs",
              "resources": {"requests": {"storage": "1Gi"}}}},
    {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "app"},
     "spec": {"containers": [{"name": "c", "image": "busybox", "volumeMounts": [{"name": "d", "mountPath": "/d"}]}],
              "volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]}},
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("kubectl") is None and not os.environ.get("CI"), reason="there is no kubectl on this machine"
)
def test_the_same_by_kubectl(place: Place, team: ClusterStranger, storage: StorageStranger, tmp_path: Path) -> None:
    program = shutil.which("kubectl")
    assert program, "CI runs the tests with kubectl"
    kubectl = Kubectl(program, place.endpoint("kubernetes").kubeconfig, tmp_path)
    given(team, storage)
    assert kubectl("create", "namespace", "by-kubectl") == "namespace/by-kubectl created\n"
    inside = ("-n", "by-kubectl")
    kubectl("apply", *inside, "-f", "-", manifest=yaml.safe_dump_all(MANIFESTS))
    assert "condition met" in kubectl("wait", *inside, "pod/app", "--for=condition=Ready", "--timeout=20s")
    assert kubectl("get", "pvc", "data", *inside, "-o", "jsonpath={.status.phase}") == "Bound"
    assert len(storage.paths("views", "/strangers")) == 1
    storage.drop_pool("by-hand")
    late = {**MANIFESTS[1], "metadata": {"name": "late"}}
    kubectl("create", *inside, "-f", "-", manifest=yaml.safe_dump(late))
    for _ in range(4):
        kubectl("get", "pod", "late", *inside)
    assert "No VIP Pool named 'by-hand'" in kubectl("describe", "pod", "late", *inside)
    kubectl("delete", "pod", "app", "late", *inside)
    kubectl("delete", "namespace", "by-kubectl")
    assert storage.paths("views", "/strangers") == []


def test_claims_from_a_snapshot_and_from_a_claim_are_clone_streams(
    team: ClusterStranger, storage: StorageStranger
) -> None:
    given(team, storage)
    team.snapshot_class("snaps")
    team.claim("nlp-apps", "a", "theirs")
    team.snapshot("nlp-apps", "before", "a", "snaps")
    of_snapshot = {"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "before"}
    team.claim("nlp-apps", "restored", "theirs", dataSource=of_snapshot)
    team.claim("nlp-apps", "cloned", "theirs", dataSource={"kind": "PersistentVolumeClaim", "name": "a"})
    volumes = {name: team.volume_of("nlp-apps", name)["spec"]["csi"] for name in ("restored", "cloned")}
    streams = {row["name"]: row["loanee_root_path"].rstrip("/") for row in storage.vms.globalsnapstreams.get()}
    assert streams == {
        one["volumeAttributes"]["snapshot_stream_name"]: f"/strangers/{one['volumeHandle']}" for one in volumes.values()
    }
    for name in volumes:
        team.drop_claim("nlp-apps", name)
    assert len(storage.paths("views", "/strangers")) == 1
    team.drop_claim("nlp-apps", "a")
    assert "as it holds snapshots" in team.events("default")[0][1]
