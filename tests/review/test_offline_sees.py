"""What was seen is the same live and in a snapshot: values, what others refer to, figures, who made it and who will see to it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run
from tests.lab import Lab
from vastplan.app.connect import connected
from vastplan.app.files import snapshot as snapshot_file
from vastplan.app.planning.source import RecordedSystems
from vastplan.app.record import record_snapshot
from vastplan.app.workspace import Workspace, open_workspace
from vastplan.app.worlds import world
from vastplan.engine.live.names import names_to_read
from vastplan.engine.live.observe import Live, Observed
from vastplan.engine.live.read import observe
from vastplan.engine.live.twins import twins
from vastplan.engine.live.users import by_used, index_users
from vastplan.model.value import REDACTED, Unknown

ROOT = Path(__file__).resolve().parents[2]
CLAIMS, CLASSES = "/api/v1/namespaces/monitoring/persistentvolumeclaims", "/apis/storage.k8s.io/v1/storageclasses"
WITHHELD = {"labels", "annotations"}  # text of anybody; of Secrets all that is not beside their name, too
OF_SECRETS = {*WITHHELD, "data", "type", "immutable"}


def both(workspace: Workspace, folder: Path) -> tuple[Observed, Observed]:
    """Everything as a snapshot reads it: of the systems, and of the file."""
    sites, systems = tuple(workspace.document.head.sites), workspace.systems()
    kinds = workspace.registry.kinds
    keys = [(site, name) for site in sites for name, kind in kinds.items() if kind.system in systems[site]]
    with workspace.ledger() as backend:
        ledger = {site: backend.read(site) for site in sites}
    entries, _ = workspace.entries({})
    with connected(workspace.document, sites=sites, writable=False) as providers:
        wanted = [(site, kinds[name]) for site, name in keys]
        live = observe(wanted, providers, ledger, names_to_read(kinds, entries, ledger))
    snapshot_file.save(record_snapshot(workspace, sites), folder / "seen.json")
    offline = RecordedSystems(workspace, snapshot_file.load(folder / "seen.json"))
    return live, offline.observe(keys, ledger, {})


def copies(workspace: Workspace, folder: Path) -> list[Live]:
    """The copies that iad sends to pdx."""
    return list(both(workspace, folder)[0].objects("pdx", "protected_path"))


def untold(live: Any, offline: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Where a value is withheld offline; fails where it is another than live."""
    if offline is REDACTED:
        yield path
    elif isinstance(live, Mapping) and isinstance(offline, Mapping):
        assert live.keys() == offline.keys(), (path, live, offline)
        for name in live:
            yield from untold(live[name], offline[name], (*path, name))
    else:
        assert live == offline, (path, live, offline)


def told(live: Any) -> Any:
    """A figure; of one that is not known, that it is not."""
    if isinstance(live, Mapping):
        return {name: told(value) for name, value in live.items()}
    return "unknown" if isinstance(live, Unknown) else live


def beside_values(live: Live) -> list[Any]:
    return [
        live.id, live.locator, live.attributes, told(live.metrics), live.system_owned, live.controller, live.owners,
        live.writers, live.mark, live.name,
    ]  # fmt: skip


def alike(live: Observed, offline: Observed) -> int:
    """How many objects there are, all of them seen alike both ways."""
    assert live.collections.keys() == offline.collections.keys()
    count = 0
    for (site, name), collection in live.collections.items():
        assert not collection.error and offline.error(site, name) == "", (site, name, collection.error)
        there, here = ({one.id: one for one in seen.objects(site, name)} for seen in (live, offline))
        assert there.keys() == here.keys()
        for number, one in there.items():
            assert beside_values(one) == beside_values(here[number])
            may_be = OF_SECRETS if name == "secret" else WITHHELD
            left = {path for path in untold(one.values, here[number].values) if path[0] not in may_be}
            assert not left, (one.kind.name, one.name, left)
        count += len(there)
    return count


@pytest.mark.slow
def test_the_reference_document(tmp_path: Path, vastplan: Run) -> None:
    shutil.copytree(ROOT / "examples" / "ai-factory", tmp_path / "doc", ignore=shutil.ignore_patterns(".vastplan"))
    assert vastplan("apply", tmp_path / "doc", "--auto-approve").code == 0
    workspace = open_workspace([tmp_path / "doc"])
    with world(tmp_path / "doc", workspace.systems()):
        # a copy begins, and says so for a while: the two are compared when nothing moves on by itself
        while any(one.attributes["state"] == "Initializing" for one in copies(workspace, tmp_path)):
            pass
        assert alike(*both(workspace, tmp_path)) > 100


@pytest.fixture
def brownfield(tmp_path: Path) -> Iterator[Lab]:
    """A cluster that people and controllers have worked on, and a document of three lines."""
    with Lab(tmp_path, {"iad": ["vast", "kubernetes"]}) as lab:
        lab.write({})

        def post(path: str, body: dict[str, Any], **query: str) -> None:
            words = "&".join(f"{name}={value}" for name, value in query.items())
            lab.by_hand("iad", "kubernetes", "POST", f"{path}?{words}", body)

        post("/api/v1/namespaces", {"metadata": {"name": "monitoring"}})
        parameters = {
            "root_export": "/k8s", "view_policy": "default", "vip_pool_name": "p", "lb_strategy": "roundrobin",
            "eph_volume_name_fmt": "csi:{namespace}:{name}", "restuserkey": "canary", "host_encryption": '{"a": "canary"}',
            "csi.storage.k8s.io/provisioner-secret-name": "vast-mgmt",
            "csi.storage.k8s.io/provisioner-secret-namespace": "vast-csi",
        }  # fmt: skip
        post(CLASSES, {"metadata": {"name": "fast"}, "provisioner": "csi.vastdata.com", "parameters": parameters})
        quota = {
            "metadata": {"name": "q"},
            "spec": {"hard": {"slow.storageclass.storage.k8s.io/requests.storage": "0"}},
        }
        post("/api/v1/namespaces/monitoring/resourcequotas", quota)
        volume = {
            "metadata": {"name": "static"},
            "spec": {
                "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteMany"], "storageClassName": "",
                "csi": {
                    "driver": "csi.vastdata.com", "volumeHandle": "/old",
                    "volumeAttributes": {"static_pv_create_views": "no", "token": "canary"},
                },
            },
        }  # fmt: skip
        post("/api/v1/persistentvolumes", volume)
        by = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "grafana", "uid": "1"}
        for name, manager, owners in (
            ("data-prom-0", "kube-controller-manager", []), ("logs", "kubectl-create", []), ("cache", "kubectl", [by]),
        ):  # fmt: skip
            spec = {
                "accessModes": ["ReadWriteMany"],
                "storageClassName": "fast",
                "resources": {"requests": {"storage": "1Gi"}},
            }
            metadata = {"name": name, "ownerReferences": owners} if owners else {"name": name}
            post(CLAIMS, {"metadata": metadata, "spec": spec}, fieldManager=manager)
        pod = {
            "metadata": {"name": "prom-0", "ownerReferences": [{**by, "kind": "StatefulSet", "name": "prom"}]},
            "spec": {
                "containers": [{"name": "a", "image": "b"}],
                "volumes": [
                    {"name": "data", "persistentVolumeClaim": {"claimName": "data-prom-0"}},
                    {"name": "scratch", "csi": {"driver": "csi.vastdata.com"}},
                ],
            },
        }
        post("/api/v1/namespaces/monitoring/pods", pod)
        yield lab


def test_a_brownfield(brownfield: Lab) -> None:
    live, offline = both(brownfield.workspace(), brownfield.folder)
    kinds = brownfield.registry.kinds
    for seen in (live, offline):
        claims = {one.locator: one.owners for one in seen.objects("iad", "persistent_volume_claim")}
        assert claims == {
            "monitoring/data-prom-0": ("kube-controller-manager",),
            "monitoring/logs": (),
            "monitoring/cache": ("Deployment grafana",),
        }
        (fast,) = seen.named("iad", kinds["storage_class"], "fast")
        (used,) = index_users(seen, [kinds["storage_class"]]).of(fast)
        assert used.counts == {"monitoring": 3}
        (claim,) = seen.named("iad", kinds["persistent_volume_claim"], "monitoring/data-prom-0")
        (mounted,) = index_users(seen, [kinds["persistent_volume_claim"]]).of(claim)
        assert not isinstance(mounted.rooms, Unknown)
        assert [(pod.locator, pod.owners) for pod in mounted.rooms["monitoring"]] == [
            ("monitoring/prom-0", ("StatefulSet prom",))
        ]
        inline = by_used(seen, "iad", "pod", "inline_drivers")
        assert not isinstance(inline, Unknown)
        assert {driver: [pod.locator for pod in pods] for driver, pods in inline.items()} == {
            "csi.vastdata.com": ["monitoring/prom-0"]
        }
        assert not any(twins(seen, kind) for kind in kinds.values())
        (quota,) = seen.objects("iad", "resource_quota")
        assert quota.values["hard"] == {"slow.storageclass.storage.k8s.io/requests.storage": "0"}
    (fast,) = offline.named("iad", kinds["storage_class"], "fast")
    withheld = {name for name, value in fast.values["parameters"].items() if value is REDACTED}
    assert withheld == {"restuserkey", "host_encryption"} and fast.values["parameters"]["lb_strategy"] == "roundrobin"
    (volume,) = [one for one in offline.objects("iad", "persistent_volume") if one.name == "static"]
    assert volume.values["volume_attributes"] == {"static_pv_create_views": "no", "token": REDACTED}
    assert "canary" not in (brownfield.folder / "seen.json").read_text()
