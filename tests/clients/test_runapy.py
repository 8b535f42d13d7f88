"""NVIDIA's Python client for Run:AI, `runapy`: every kind created, listed, read, changed and deleted."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.clients.conftest import Place
from tests.clients.kinds import missing


class _Api:
    """`runai.api`, which takes 1.5 s to import: only where a test of it runs, not where tests are collected."""

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module("runai.api"), name)


API = _Api()


class Control:
    """The client, and what the bodies need to know of the control plane."""

    def __init__(self, connection: Any) -> None:
        self.departments, self.projects = API.DepartmentsApi(connection), API.ProjectsApi(connection)
        self.rules, self.pvcs = API.AccessRulesApi(connection), API.PVCApi(connection)
        self.assets = API.NFSApi(connection), API.S3Api(connection), API.GitApi(connection), API.HostPathApi(connection)
        self.fixed = API.ConfigMapApi(connection), API.SecretApi(connection)
        self.credentials = API.CredentialsApi(connection)
        self.volumes = API.DatavolumesApi(connection)
        self.policies = API.PolicyApi(connection)
        self.classes = API.StorageClassConfigurationApi(connection)
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

    def meta(self, name: str) -> dict[str, Any]:
        """The metadata of an asset of a new project."""
        return {"name": name, "scope": "project", "projectId": int(self.project()), "clusterId": self.cluster}


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


def asset(
    control: Control, spec: dict[str, Any], change: dict[str, Any], calls: tuple[Callable[..., Any], ...]
) -> dict[str, Any]:
    """An asset through its life by the calls that create, list, read, change and delete one; answers it as it was made."""
    create, everything, read, update, delete = calls
    body = {"meta": control.meta("life"), "spec": spec}
    made: dict[str, Any] = create(body).data
    identity = made["meta"]["id"]
    with pytest.raises(Exception, match="409"):
        create(body)
    assert identity in [row["meta"]["id"] for row in everything().data["entries"]]
    update(identity, change)
    changed = read(identity).data
    expected = {**made["meta"], **change.get("meta", {})}
    assert {name: changed["meta"][name] for name in ("name", "description", "scope", "projectId")} == {
        name: expected.get(name) for name in ("name", "description", "scope", "projectId")
    }
    assert changed["spec"].items() >= change.get("spec", {}).items()
    delete(identity)
    with pytest.raises(Exception, match="404"):
        [read(identity) for _ in range(5)]
    return made


def _named(api: Any, *names: str) -> tuple[Callable[..., Any], ...]:
    return tuple(getattr(api, name) for name in names)


def nfs_data_source(control: Control) -> None:
    api, *_ = control.assets
    spec = {"server": "10.1.0.1", "path": "/a", "mountPath": "/data"}
    names = (
        "create_nfs_asset",
        "list_nfs_assets",
        "get_nfs_asset_by_id",
        "update_nfs_asset_by_id",
        "delete_nfs_asset_by_id",
    )
    made = asset(control, spec, {"meta": {"name": "new"}, "spec": {**spec, "path": "/b"}}, _named(api, *names))
    assert made["spec"] == {**spec, "readOnly": True}


def s3_data_source(control: Control) -> None:
    _, api, *_ = control.assets
    spec = {"bucket": "a", "path": "/data", "url": "https://s3.example.com"}
    names = "create_s3_asset", "list_s3_assets", "get_s3_asset_by_id", "update_s3_asset_by_id", "delete_s3_asset_by_id"
    asset(control, spec, {"meta": {"name": "new"}, "spec": {**spec, "bucket": "b"}}, _named(api, *names))


def git_data_source(control: Control) -> None:
    api = control.assets[2]
    spec = {"repository": "https://git.example.com/a.git", "path": "/src"}
    names = (
        "create_git_asset",
        "list_git_assets",
        "get_git_asset_by_id",
        "update_git_asset_by_id",
        "delete_git_asset_by_id",
    )
    asset(control, spec, {"meta": {"name": "new"}, "spec": {**spec, "branch": "main"}}, _named(api, *names))


def host_path_data_source(control: Control) -> None:
    api = control.assets[3]
    spec = {"path": "/raid", "mountPath": "/data"}
    names = (
        "create_host_path",
        "list_host_path_assets",
        "get_host_path_by_id",
        "update_host_path_by_id",
        "delete_host_path_by_id",
    )
    asset(control, spec, {"meta": {"name": "new"}, "spec": {**spec, "path": "/disk"}}, _named(api, *names))


def config_map_data_source(control: Control) -> None:
    api, _ = control.fixed
    names = (
        "create_config_map_asset", "list_config_map_assets", "get_config_map_asset_by_id", "update_config_map_asset_by_id",
        "delete_config_map_asset_by_id",
    )  # fmt: skip
    asset(control, {"configMap": "a", "mountPath": "/etc/a"}, {"meta": {"name": "new"}}, _named(api, *names))


def secret_data_source(control: Control) -> None:
    _, api = control.fixed
    body = {
        "meta": {"name": "all", "scope": "cluster", "clusterId": control.cluster},
        "spec": {"existingSecretName": "s"},
    }
    credential = control.credentials.create_generic_secret(body).data["meta"]["id"]
    names = (
        "create_secret_asset", "list_secret_assets", "get_secret_asset_by_id", "update_secret_asset_by_id",
        "delete_secret_asset_by_id",
    )  # fmt: skip
    spec = {"credentialAssetId": credential, "mountPath": "/etc/a"}
    asset(control, spec, {"meta": {"name": "new"}}, _named(api, *names))


def _credential(control: Control, spec: dict[str, Any], one: str, many: str) -> None:
    names = f"create_{one}", f"list_{many}", f"get_{one}_by_id", f"update_{one}", f"delete_{one}"
    made = asset(control, spec, {"meta": {"description": "new"}}, _named(control.credentials, *names))
    assert "correct horse" not in str(made)
    assert [row["meta"]["name"] for row in control.credentials.list_credentials_assets().data["entries"]] == []


def access_key_credential(control: Control) -> None:
    _credential(control, {"accessKeyId": "a", "secretAccessKey": "correct horse"}, "access_key", "access_keys")


def password_credential(control: Control) -> None:
    _credential(control, {"user": "a", "password": "correct horse"}, "password", "passwords")


def docker_registry_credential(control: Control) -> None:
    spec = {"url": "https://registry.example.com", "user": "a", "password": "correct horse"}
    _credential(control, spec, "docker_registry", "docker_registries")


def generic_secret_credential(control: Control) -> None:
    _credential(
        control, {"keyValuePairs": [{"key": "ssh", "value": "correct horse"}]}, "generic_secret", "generic_secret"
    )


def data_volume(control: Control) -> None:
    api, project = control.volumes, control.project()
    body = {"name": "life", "projectId": project, "originPvcName": "images"}
    assert api.datavolume_name_availability("life", control.cluster).status_code == 204
    made = api.create_datavolume(body).data
    with pytest.raises(Exception, match="400"):
        api.create_datavolume(body)
    with pytest.raises(Exception, match="409"):
        api.datavolume_name_availability("life", control.cluster)
    assert made["id"] in [row["id"] for row in api.get_datavolumes("Originated").data["datavolumes"]]
    assert api.count_datavolumes("Originated").data == {"count": 1}
    api.patch_datavolume(made["id"], {"description": "new"})
    assert api.get_datavolume(made["id"]).data["description"] == "new" != made.get("description")
    api.delete_datavolume(made["id"])
    with pytest.raises(Exception, match="404"):
        [api.get_datavolume(made["id"]) for _ in range(5)]


def storage_class_configuration(control: Control) -> None:
    api = control.classes
    body = {"scopeType": "cluster", "scopeId": control.cluster, "name": "standard", "permissions": {}}
    made = api.create_storage_class_configuration(body).data
    with pytest.raises(Exception, match="409"):
        api.create_storage_class_configuration(body)
    found = api.list_storage_class_configuration(filter_by=["name==standard"]).data["storageClassConfigurations"]
    assert [row["id"] for row in found] == [made["id"]]
    api.patch_storage_class_configuration_by_id(made["id"], {"permissions": {"allowedForAssets": False}})
    read = api.get_storage_class_configuration_by_id
    assert read(made["id"]).data["permissions"] == {"allowedForAssets": False}
    api.delete_storage_class_configuration_by_id(made["id"])
    with pytest.raises(Exception, match="404"):
        read(made["id"])


def workload_policy(control: Control) -> None:
    api, project = control.policies, control.project()
    which = {"scope": "project", "project_id": project}
    with pytest.raises(Exception, match="404"):
        api.get_training_policy_v2(**which)
    options = [{"value": "standard", "displayed": "Ordinary"}]
    rules = {"storage": {"pvc": {"attributes": {"claimInfo": {"storageClass": {"options": options}}}}}}
    body = {"meta": {"name": "life", "scope": "project", "projectId": int(project)}, "policy": {"rules": rules}}
    made = api.overwrite_training_policy_v2(training_policy_overwrite_request_v2=body).data
    assert made["policy"]["rules"] == rules == made["effective"]["rules"]
    found = api.list_policies(scope="project", project_id=project).data["policies"]
    assert [(row["type"], row["meta"]["id"]) for row in found] == [("training", made["meta"]["id"])]
    whole = {**body, "policy": {"imposedAssets": []}}
    again = api.overwrite_training_policy_v2(training_policy_overwrite_request_v2=whole).data
    assert again["meta"]["id"] == made["meta"]["id"] and "rules" not in again["policy"]
    assert api.get_training_policy_v2(**which).data["policy"] == {"imposedAssets": []}
    api.delete_training_policy(**which)
    with pytest.raises(Exception, match="404"):
        api.get_training_policy_v2(**which)


def node_pool(control: Control) -> None:
    """Read only for vastplan: listed and read."""
    assert control.pools.get_nodepool(control.pool).data["name"] == "default"


def role(control: Control) -> None:
    """Read only for everybody: listed and read."""
    (one, *_) = control.roles.get_roles_v1().data
    assert control.roles.get_role_v1(one["id"]).data["name"] == one["name"]


LIVES: list[Callable[[Control], None]] = [
    department, project, access_rule, data_source, nfs_data_source, s3_data_source, git_data_source, host_path_data_source,
    config_map_data_source, secret_data_source, access_key_credential, password_credential, docker_registry_credential,
    generic_secret_credential, data_volume, storage_class_configuration, workload_policy, node_pool, role,
]  # fmt: skip
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
