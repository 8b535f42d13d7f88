"""NVIDIA's Python client for Run:AI, `runapy`: every kind created, listed, read, changed and deleted."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.clients.conftest import Place
from tests.clients.kinds import missing

API = importlib.import_module("runai.api")


class Control:
    """The client, and what the bodies need to know of the control plane."""

    def __init__(self, connection: Any) -> None:
        self.departments, self.projects = API.DepartmentsApi(connection), API.ProjectsApi(connection)
        self.rules, self.pvcs = API.AccessRulesApi(connection), API.PVCApi(connection)
        self.roles, self.pools = API.RolesApi(connection), API.NodePoolsApi(connection)
        self.cluster = API.ClustersApi(connection).get_clusters().data[0]["uuid"]
        pools = self.pools.get_nodepools(filter_by=[f"clusterId=={self.cluster}"]).data["nodepools"]
        self.pool = next(row["id"] for row in pools if row["name"] == "default")

    def unit(self, name: str, **fields: Any) -> dict[str, Any]:
        """The body of a department or project."""
        resources = [{"nodePool": {"id": self.pool}, "gpu": {"deserved": 1}}]
        return {"name": name, "clusterId": self.cluster, "resources": resources, **fields}

    def project(self) -> str:
        """A new project's id."""
        return str(self.projects.create_project(self.unit("p")).data["id"])


@pytest.fixture
def control(place: Place) -> Iterator[Control]:
    configuration = importlib.import_module("runai.configuration")
    client = importlib.import_module("runai.api_client")
    one = place.endpoint("runai")
    settings = configuration.Configuration(
        client_id=one.username,
        client_secret=one.password,
        runai_base_url=one.url,
        ssl_ca_cert=one.ca_file,
        retry_enabled=False,
    )
    with client.ApiClient(settings) as connection:
        yield Control(connection)


def department(control: Control) -> None:
    units = control.departments
    made = units.create_department(control.unit("d")).data
    with pytest.raises(Exception, match="409"):
        units.create_department(control.unit("d"))
    found = units.get_departments(filter_by=["name==d", f"clusterId=={control.cluster}"]).data["departments"]
    assert [row["id"] for row in found] == [made["id"]]
    change = {"description": "new", "resources": control.unit("d")["resources"]}
    units.update_department(made["id"], change)
    assert units.get_department(made["id"]).data["description"] == "new" != made.get("description")
    units.delete_department(made["id"])
    with pytest.raises(Exception, match="404"):
        units.get_department(made["id"])


def project(control: Control) -> None:
    units = control.projects
    made = units.create_project(control.unit("p")).data
    assert made["status"]["phase"] == "Creating"
    with pytest.raises(Exception, match="409"):
        units.create_project(control.unit("p"))
    found = units.get_projects(filter_by=["name==p", f"clusterId=={control.cluster}"]).data["projects"]
    assert [row["id"] for row in found] == [made["id"]]
    assert units.get_project(made["id"]).data["status"]["phase"] == "Ready"
    units.update_project(made["id"], {"description": "new", "resources": control.unit("p")["resources"]})
    assert units.get_project(made["id"]).data["description"] == "new" != made.get("description")
    units.delete_project(made["id"])
    with pytest.raises(Exception, match="404"):
        [units.get_project(made["id"]) for _ in range(5)]


def access_rule(control: Control) -> None:
    role = next(row["id"] for row in control.roles.get_roles_v1().data if row["name"] == "L1 researcher")
    scope = {"scopeId": control.project(), "scopeType": "project", "clusterId": control.cluster}
    body = {"subjectId": "grp", "subjectType": "group", "roleId": role, **scope}
    made = control.rules.create_access_rule(body).data
    with pytest.raises(Exception, match="409"):
        control.rules.create_access_rule(body)
    assert made["id"] in [row["id"] for row in control.rules.get_access_rules().data["accessRules"]]
    assert control.rules.get_access_rule(made["id"]).data["subjectId"] == "grp"
    control.rules.delete_access_rule(made["id"])
    with pytest.raises(Exception, match="404"):
        control.rules.get_access_rule(made["id"])


def data_source(control: Control) -> None:
    meta = {"name": "data", "scope": "project", "projectId": int(control.project()), "clusterId": control.cluster}
    info = {"size": "1Gi", "storageClass": "standard", "accessModes": {"readWriteOnce": True}}
    body = {"meta": meta, "spec": {"path": "/data", "existingPvc": False, "claimInfo": info}}
    made = control.pvcs.create_pvc_asset(body).data
    identity = made["meta"]["id"]
    with pytest.raises(Exception, match="409"):
        control.pvcs.create_pvc_asset(body)
    assert identity in [row["meta"]["id"] for row in control.pvcs.list_pvc_assets().data["entries"]]
    control.pvcs.update_pvc_asset_by_id(identity, {"meta": {"name": "data"}, "spec": {"path": "/else"}})
    assert control.pvcs.get_pvc_asset_by_id(identity).data["spec"]["path"] == "/else" != made["spec"]["path"]
    control.pvcs.delete_pvc_asset_by_id(identity)
    with pytest.raises(Exception, match="404"):
        [control.pvcs.get_pvc_asset_by_id(identity) for _ in range(5)]


def node_pool(control: Control) -> None:
    """Read only for vastplan: listed and read."""
    assert control.pools.get_nodepool(control.pool).data["name"] == "default"


def role(control: Control) -> None:
    """Read only for everybody: listed and read."""
    (one, *_) = control.roles.get_roles_v1().data
    assert control.roles.get_role_v1(one["id"]).data["name"] == one["name"]


LIVES: list[Callable[[Control], None]] = [department, project, access_rule, data_source, node_pool, role]
LEFT_OUT = {
    "node": "nobody declares one, and vastplan only counts its GPUs: it has no life to be taken through",
    "runai_cluster": "nobody declares one, and vastplan only looks up its id: it has no life to be taken through",
    "workload": "nobody declares one, and vastplan only counts them: it has no life to be taken through",
}


def test_no_kind_is_forgotten() -> None:
    assert missing("runai", [life.__name__ for life in LIVES], LEFT_OUT) == set()


@pytest.mark.parametrize("life", LIVES, ids=lambda life: str(life.__name__))
def test_it_takes_every_kind_through_its_life(control: Control, life: Callable[[Control], None]) -> None:
    life(control)
