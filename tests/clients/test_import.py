"""What people made with the vendors' own clients, taken over by vastplan: there and back over HTTPS."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
import yaml

from tests.clients.strangers import ClusterStranger, StorageStranger
from tests.clients.test_runapy import Control
from tests.importing.round_trip import Desk, round_trip
from vastplan.sim.endpoints import ServedEndpoint
from vastplan.sim.world import World

TIB = 2**40
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


class Watch:
    """The calls that the systems of a world were asked for."""

    def __init__(self, world: World) -> None:
        self._servers = [server for site in world.sites.values() for server in site.servers.values()]

    def forget(self) -> None:
        """Note from now on."""
        for server in self._servers:
            server.calls.clear()

    def writes(self) -> list[tuple[str, str, str]]:
        """Method, host and path of each request that changes something."""
        return [(call.method, "", call.path) for server in self._servers for call in server.writes()]


def on_the_storage(vms: ServedEndpoint) -> None:
    """A tenant of a storage administrator, with what vastpy makes in it."""
    storage = StorageStranger(vms.url, vms.username, vms.password, vms.ca_file)
    tenant = storage.vms.tenants.post(name="nlp")["id"]
    storage.pool("nlp-pool", "10.7.0.1", "10.7.0.4", tenant_id=tenant)
    policy = storage.policy("nlp-policy", tenant, nfs_no_squash=["10.13.0.0/24"], nfs_read_write=["10.13.0.0/16"])["id"]
    qos = storage.vms.qospolicies.post(
        name="nlp-qos", tenant_id=tenant, policy_type="VIEW", static_limits={"max_reads_bw_mbps": 10000}
    )
    frames = [{"every": "1d", "start-at": "2026-11-22 00:00:00", "keep-local": "14d"}]
    daily = storage.vms.protectionpolicies.post(name="nlp daily", clone_type="LOCAL", prefix="nlp", frames=frames)
    for name in ("data", "home"):
        storage.view(f"/nlp/{name}", policy, tenant, protocols=["NFS"], qos_policy_id=qos["id"])
        storage.vms.quotas.post(name=f"nlp-{name}", path=f"/nlp/{name}", hard_limit=50 * TIB, tenant_id=tenant)
    storage.vms.protectedpaths.post(
        name="nlp-home", source_dir="/nlp/home", target_exported_dir="/nlp/home", tenant_id=tenant,
        protection_policy_id=str(daily["id"]), capabilities="ASYNC_REPLICATION",
    )  # fmt: skip


def on_the_scheduler(runai: ServedEndpoint) -> None:
    """A project, and who works in it, by Run:ai's own client."""
    configuration = importlib.import_module("runai.configuration")
    client = importlib.import_module("runai.api_client")
    settings = configuration.Configuration(
        client_id=runai.username, client_secret=runai.password, runai_base_url=runai.url, ssl_ca_cert=runai.ca_file,
        retry_enabled=False,
    )  # fmt: skip
    with client.ApiClient(settings) as connection:
        control = Control(connection)
        project = str(control.projects.create_project(control.unit("nlp")).data["id"])
        for _ in range(3):  # it has its namespace once it has been looked at
            control.projects.get_project(project)
        role = next(row["id"] for row in control.roles.get_roles_v1().data if row["name"] == "ML engineer")
        scope = {"scopeId": project, "scopeType": "project", "clusterId": control.cluster}
        control.rules.create_access_rule({"subjectId": "grp-nlp", "subjectType": "group", "roleId": role, **scope})


def on_the_cluster(kubernetes: ServedEndpoint) -> None:
    """A class of what is on the storage, and claims of it, by the Python client."""
    with ClusterStranger(kubernetes.kubeconfig) as team:
        parameters = {"root_export": "/nlp/k8s", "view_policy": "nlp-policy", "vip_pool_name": "nlp-pool"}
        team.storage_class("nlp-fast", parameters, mountOptions=["vers=4.1"])
        team.namespace("monitoring", team="nlp")
        team.claim("monitoring", "prom", "nlp-fast")
        team.claim("runai-nlp", "models", "nlp-fast", "2Ti")
        team.pod("runai-nlp", "train", ["models"])


def test_there_and_back_over_the_wire(tmp_path: Path) -> None:
    world = World(tmp_path / ".vastplan" / "sim", {"iad": ["vast", "kubernetes", "runai"]}).start()
    try:
        world.publish()
        reached = {one.system: one for one in world.endpoints()}
        on_the_storage(reached["vast"])
        on_the_scheduler(reached["runai"])
        on_the_cluster(reached["kubernetes"])
        told = round_trip(Desk.at(tmp_path, Watch(world), ("iad",)))
    finally:
        world.stop()
    assert sorted(Path(file["path"]).name for file in told["files"]) == ["shared.yaml", "tenant-nlp.yaml"]
    tenant = yaml.safe_load((tmp_path / "tenant-nlp.yaml").read_text())["tenants"]["nlp"]
    assert tenant["views"]["nlp-home"]["snapshots"] == "nlp daily"
    assert tenant["storage_classes"]["nlp-fast"]["shared"] is True
    assert tenant["project"]["access"] == {"ML engineer": ["grp-nlp"]}
    assert tenant["volumes"]["models"] == {"size": "2 TiB", "storage_class": "nlp-fast"}
    left = {(one["kind"], one["name"]): one["code"] for one in told["left"]}
    assert left["namespace", "monitoring"] == "UNASKED"
    assert left["persistent_volume_claim", "monitoring/prom"] == "UNASKED"  # a claim of no project
