"""The simulated Run:ai control plane, over HTTPS, with every answer held against the version's document."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.direct import DIRECT
from vastplan.sim.runai import RunaiPlane, StandaloneCluster
from vastplan.sim.serve import Authority, Server, write_pem
from vastplan.sim.store import Store
from vastplan.sim.tables import load_table

VERSIONS = ("2.20", "2.21", "2.22", "2.23", "2.24")
PROJECTS, DEPARTMENTS = "/api/v1/org-unit/projects", "/api/v1/org-unit/departments"
POOLS, RULES = "/api/v1/node-pools", "/api/v1/authorization/access-rules"
ASSETS, PVCS = "/api/v1/asset/datasource", "/api/v1/asset/datasource/pvc"
CONFIGURATION = "/api/v1/storage-class-configuration"
ABSENT = "00000000-0000-4000-8000-000000000000"


class Site:
    """One plane behind one server, its clusters, and a client that trusts nothing it is told."""

    def __init__(self, authority: Authority, pem: Path, store: Store | None = None, **options: Any) -> None:
        self.store = store or Store()
        self.now = 1_800_000_000.0
        self.version = options.setdefault("version", "2.24")
        self.k8s = {name: StandaloneCluster(self.store, name) for name in ("dgx", "edge")}
        self.plane = RunaiPlane(
            self.store, client_id="ci", client_secret="s3cret", clusters=self.k8s, clock=lambda: self.now, **options
        )
        self.server = Server(self.plane, authority, threading.RLock()).start()
        self.session = DIRECT.session()
        self.session.trust_env = False  # the environment may name another CA bundle, which would win
        self.session.verify = str(pem)
        self.log_in()
        rows = self.get("/api/v1/clusters")
        self.dgx, self.edge = (next(row["uuid"] for row in rows if row["name"] == name) for name in ("dgx", "edge"))
        self.pool = self.get(POOLS, filterBy=f"name==default,clusterId=={self.dgx}")["nodepools"][0]["id"]

    def log_in(self) -> None:
        body = {"grantType": "client_credentials", "clientID": "ci", "clientSecret": "s3cret"}
        token = self.session.post(f"{self.server.url}/api/v1/token", json=body).json()["accessToken"]
        self.session.headers["Authorization"] = f"Bearer {token}"

    def call(self, method: str, path: str, status: int, body: Any = None, **query: Any) -> Any:
        """The answer's body, which must be what the document says for `status`."""
        response = self.session.request(method, self.server.url + path, json=body, params=query)
        assert response.status_code == status, response.text
        answer = response.json() if response.content else None
        if status >= 400:
            assert answer is not None
            assert answer.keys() == {"code", "message", "details"} and answer["code"] == status
        else:
            self._check_documented(method, path, status, answer)
        return answer

    def _check_documented(self, method: str, path: str, status: int, answer: Any) -> None:
        table = load_table(f"runai-{self.version}")
        found = table.match(path)
        assert found
        operation = table.operation(method, found[0])
        assert operation and str(status) in operation.responses
        schema = operation.responses[str(status)]
        if method == "POST" and found[0] == f"{ASSETS}/nfs":
            schema = table.content["paths"][f"{found[0]}/{{AssetId}}"]["GET"]["responses"]["200"]  # not an S3 one
        if schema is None:
            assert answer is None
        else:
            jsonschema.Draft202012Validator({**schema, "schemas": table.content["schemas"]}).validate(answer)

    def get(self, path: str, **query: Any) -> Any:
        return self.call("GET", path, 200, **query)

    def post(self, path: str, body: Any, status: int = 201) -> Any:
        return self.call("POST", path, status, body)

    def quota(self, deserved: float = 0, pool: str | None = None, **gpu: Any) -> dict[str, Any]:
        return {"nodePool": {"id": pool or self.pool}, "gpu": {"deserved": deserved, **gpu}}

    def new_project(self, name: str, *, ready: bool = True, status: int = 201, **fields: Any) -> Any:
        body = {"name": name, "clusterId": self.dgx, "resources": [self.quota()], **fields}
        made = self.post(PROJECTS, body, status)
        if ready and status == 201:
            self.get(f"{PROJECTS}/{made['id']}")
        return made

    def new_department(self, name: str, status: int = 201, **fields: Any) -> Any:
        body = {"name": name, "clusterId": self.dgx, "resources": [self.quota()], **fields}
        return self.post(DEPARTMENTS, body, status)

    def pool_of_edge(self) -> str:
        return str(self.get(POOLS, filterBy=f"clusterId=={self.edge}")["nodepools"][0]["id"])

    def pool_id(self, name: str) -> str:
        body = {"name": name, "clusterId": self.dgx, "labelKey": "pool", "labelValue": name}
        return str(self.post(POOLS, body)["id"])

    def new_pvc(self, name: str, meta: dict[str, Any], status: int = 202, **spec: Any) -> Any:
        modes = {"readWriteOnce": False, "readWriteMany": True}
        info = {"size": "1Gi", "storageClass": "vast-nfs", "accessModes": modes}
        spec = {"path": "/data", "claimInfo": info} | spec
        spec = {key: value for key, value in spec.items() if value is not ...}
        return self.post(PVCS, {"meta": {"name": name, **meta}, "spec": spec}, status)

    def in_project(self, project: Any) -> dict[str, Any]:
        return {"scope": "project", "projectId": int(project["id"])}

    def status(self, asset: Any) -> str:
        """The status after it has settled."""
        self.get(f"{PVCS}/{asset['meta']['id']}")
        return str(self.get(f"{PVCS}/{asset['meta']['id']}", statusInfo="true")["status"]["status"])


@pytest.fixture(scope="module")
def trust(tmp_path_factory: pytest.TempPathFactory) -> tuple[Authority, Path]:
    authority = Authority()
    return authority, write_pem(authority, tmp_path_factory.mktemp("ca") / "ca.pem")


@pytest.fixture
def make(trust: tuple[Authority, Path]) -> Iterator[Callable[..., Site]]:
    sites: list[Site] = []

    def new(**options: Any) -> Site:
        sites.append(Site(*trust, **options))
        return sites[-1]

    yield new
    for site in sites:
        site.session.close()
        # A server needs a moment to notice; all of them together would need more time than the tests.
        threading.Thread(target=site.server.stop).start()


@pytest.fixture
def site(make: Callable[..., Site]) -> Site:
    return make()


# --- tokens and transport


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    "body",
    [
        {"grantType": "app_token", "AppId": "ci", "AppSecret": "s3cret"},
        {"granttype": "client_credentials", "clientId": "ci", "CLIENTSECRET": "s3cret"},
    ],
)
def test_token_is_a_jwt_that_tells_its_expiry(make: Callable[..., Site], version: str, body: Any) -> None:
    site = make(version=version, token_lifetime=600)
    answer = site.post("/api/v1/token", body, 200)
    assert answer.get("expiresIn") == (600 if version == "2.24" else None)
    payload = json.loads(base64.b64decode(answer["accessToken"].split(".")[1] + "=="))
    assert payload["exp"] == site.now + 600


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"grantType": "client_credentials", "clientID": "ci"},
        {"grantType": "client_credentials", "clientID": "ci", "clientSecret": "wrong"},
        {"grantType": "client_credentials", "clientID": "ci", "clientId": "ci", "clientSecret": "s3cret"},
        {"grantType": "client_credentials", "appID": "ci", "appSecret": "s3cret"},
        {"grantType": "password", "username": "ci", "password": "s3cret"},
        {"grantType": "magic", "clientID": "ci", "clientSecret": "s3cret"},
        {"grantType": "client_credentials", "clientID": "ci", "clientSecret": "s3cret", "scope": "all"},
        [],
    ],
)
def test_token_v1_refusals(site: Site, body: Any) -> None:
    site.post("/api/v1/token", body, 400)


def test_token_v2(site: Site) -> None:
    def ask(**form: str) -> tuple[int, Any]:
        response = site.session.post(f"{site.server.url}/api/v2/token", data=form)
        return response.status_code, response.json()

    good = {"grant_type": "client_credentials", "client_id": "ci", "client_secret": "s3cret"}
    status, answer = ask(**good)
    assert status == 200 and answer["token_type"] == "Bearer" and answer["expires_in"] == 3600
    site.session.headers["Authorization"] = f"Bearer {answer['access_token']}"
    site.get(PROJECTS)
    for change, wanted in (
        ({"client_secret": "wrong"}, (401, "invalid_client")),
        ({"client_secret": ""}, (400, "invalid_request")),
        ({"grant_type": "magic"}, (400, "unsupported_grant_type")),
        ({"grant_type": "password"}, (400, "unauthorized_client")),
        ({"tenant": "x"}, (400, "invalid_request")),
    ):
        status, answer = ask(**good | change)
        assert (status, answer["error"]) == wanted
    response = site.session.post(f"{site.server.url}/api/v2/token", json=good)
    assert (response.status_code, response.json()["error"]) == (400, "invalid_request")


def test_tokens_are_needed_and_expire(site: Site, make: Callable[..., Site]) -> None:
    good = site.session.headers["Authorization"]
    for bad in (None, "Bearer", "Basic Y2k6czNjcmV0", "Bearer a.b.c", make().session.headers["Authorization"]):
        site.session.headers["Authorization"] = bad  # type: ignore[assignment]
        site.call("GET", PROJECTS, 401)
        site.call("GET", "/api/v1/nothing", 401)
    site.session.headers["Authorization"] = good
    site.now += 3599
    site.get(PROJECTS)
    site.now += 1
    site.call("GET", PROJECTS, 401)
    site.log_in()
    site.get(PROJECTS)
    site.plane.expire_tokens()
    site.call("GET", PROJECTS, 401)


def test_unknown_paths_methods_parameters_and_bodies(site: Site) -> None:
    site.call("GET", "/api/v1/nothing", 404)
    site.call("GET", "/v1/k8s/clusters", 404)
    site.call("PATCH", PROJECTS, 405)
    site.call("POST", "/api/v1/clusters", 501, {"name": "new"})
    site.call("GET", PROJECTS, 400, fields="name")
    site.call("GET", PROJECTS, 400, limit=501)
    site.call("GET", PROJECTS, 400, limit=0)
    site.call("GET", PROJECTS, 400, offset=-1)
    site.call("GET", PROJECTS, 400, limit="ten")
    site.call("GET", PROJECTS, 400, sortBy="colour")
    url = site.server.url + PROJECTS
    assert site.session.post(url, data="{", headers={"Content-Type": "application/json"}).status_code == 400
    assert site.session.post(url, data="{}", headers={"Content-Type": "text/plain"}).status_code == 415
    assert site.session.post(url).status_code == 400


def test_versions_without_a_table_and_operations_a_version_lacks(make: Callable[..., Site]) -> None:
    for version in ("2.18", "2.19", "2.25"):
        with pytest.raises(FileNotFoundError, match=version):
            make(version=version)
    for version in ("2.20", "2.21", "2.22", "2.23"):
        site = make(version=version)
        site.call("POST", "/api/v2/token", 404, {})
        site.call("GET", CONFIGURATION, 404)
    old = make(version="2.20")
    old.call("GET", "/api/v2/storage-classes", 404, clusterId=old.dgx)
    old.new_project("p", status=400, enforceRunaiScheduler=True)
    old.new_project("p", status=400, resources=[{"nodePool": {"id": old.pool}}])
    assert "enforceRunaiScheduler" in make(version="2.22").new_project("p")
    between = make(version="2.21")
    body = {"labelKey": "k", "labelValue": "v", "name": "n", "clusterId": between.dgx}
    answer = between.call("POST", POOLS, 400, {**body, "gpuResourceOptimization": {"swapEnabled": False}})
    assert "gpuResourceOptimization" in answer["message"] + answer["details"]


# --- clusters and node pools


def test_clusters_are_a_bare_array(site: Site) -> None:
    rows = site.get("/api/v1/clusters")
    assert [(row["name"], row["status"]["state"]) for row in rows] == [("dgx", "Connected"), ("edge", "Connected")]
    assert "status" not in site.get("/api/v1/clusters", verbosity="metadata")[0]
    assert site.get(f"/api/v1/clusters/{site.edge}")["name"] == "edge"
    site.call("GET", f"/api/v1/clusters/{ABSENT}", 404)


def test_state_survives_in_the_store(make: Callable[..., Site], tmp_path: Path) -> None:
    first = make(store=Store(tmp_path / "state.db"))
    project = first.new_project("kept")
    first.store.close()
    second = make(store=Store(tmp_path / "state.db"))
    assert (second.dgx, second.pool) == (first.dgx, first.pool)
    assert second.get(f"{PROJECTS}/{project['id']}")["status"]["namespace"] == "runai-kept"
    assert len(second.get(POOLS)["nodepools"]) == 2
    second.store.close()


def test_nothing_progresses_on_a_disconnected_cluster(site: Site) -> None:
    site.plane.set_cluster_state("dgx", "Disconnected")
    project = site.new_project("p")
    assert site.get(f"{PROJECTS}/{project['id']}")["status"]["phase"] == "Creating"
    site.plane.set_cluster_state("dgx", "Connected")
    site.get(f"{PROJECTS}/{project['id']}")
    assert site.get(f"{PROJECTS}/{project['id']}")["status"]["phase"] == "Ready"
    with pytest.raises(ValueError, match="Gone"):
        site.plane.set_cluster_state("dgx", "Gone")


@pytest.mark.parametrize("version", VERSIONS)
def test_node_pool_life(make: Callable[..., Site], version: str) -> None:
    site = make(version=version)
    made = site.post(POOLS, {"name": "h100", "clusterId": site.dgx, "labelKey": "gpu", "labelValue": "h100"})
    path = f"{POOLS}/{made['id']}"
    assert (made["phase"], made["isDefault"], made["overProvisioningRatio"]) == ("Creating", False, 1)
    assert site.get(path)["phase"] == "Creating"
    assert site.get(path)["phase"] == "Empty"
    assert site.call("PATCH", path, 200, {"overProvisioningRatio": 2})["phase"] == "Updating"
    assert site.call("PATCH", path, 200, {"labelValue": "h200"})["overProvisioningRatio"] == 2
    replaced = site.call("PUT", path, 200, {})
    assert (replaced["overProvisioningRatio"], replaced["labelValue"]) == (1, "h200")
    assert site.call("DELETE", path, 202)["code"] == 202
    assert site.get(path)["phase"] == "Deleting"
    site.call("GET", path, 404)
    site.call("DELETE", path, 404)


@pytest.mark.parametrize("version", VERSIONS)
def test_nodes_are_looked_at(make: Callable[..., Site], version: str) -> None:
    site = make(version=version)
    path = f"/api/v1/clusters/{site.dgx}/nodes"
    assert site.get(path) == {"nodes": []}
    for number in range(3):
        site.plane.join("dgx", f"gpu-{number}", gpus=4)
    site.plane.join("dgx", "cpu-0", gpus=0, node_pool="rest")
    site.plane.join("edge", "far-0")
    found = [
        (one["name"], one["nodePool"], (one["gpuInfo"] or {}).get("gpuCount"), one["status"])
        for one in site.get(path)["nodes"]
    ]
    assert found == [(f"gpu-{number}", "default", 4, "Ready") for number in range(3)] + [
        ("cpu-0", "rest", None, "Ready")
    ]
    assert [one["name"] for one in site.get(path, nodeName="gpu-1")["nodes"]] == ["gpu-1"]
    site.call("GET", f"/api/v1/clusters/{ABSENT}/nodes", 404)
    if version == "2.20":  # its document has no pages of nodes
        site.call("GET", path, 400, limit=2)
    else:
        pages = [[one["name"] for one in site.get(path, offset=offset, limit=2)["nodes"]] for offset in (0, 2, 4)]
        assert pages == [["gpu-0", "gpu-1"], ["gpu-2", "cpu-0"], []]
        assert len(site.get(path, filterBy="nodePool==rest")["nodes"]) == 1


def test_node_pool_refusals(site: Site) -> None:
    good = {"name": "h100", "clusterId": site.dgx, "labelKey": "gpu", "labelValue": "h100"}
    for change in (
        {"name": "H100"},
        {"name": ""},
        {"name": "n" * 64},
        {"clusterId": ABSENT},
        {"clusterId": "dgx"},
        {"labelKey": ""},
        {"overProvisioningRatio": 6},
        {"id": "7"},
        {"gpuResourceOptimization": {"cpuSwapMemorySize": "10G"}},
    ):
        site.post(POOLS, good | change, 400)
    site.post(POOLS, {key: value for key, value in good.items() if key != "labelValue"}, 400)
    pool = site.post(POOLS, good)["id"]
    site.post(POOLS, good, 400)
    site.post(POOLS, good | {"clusterId": site.edge})
    site.call("PUT", f"{POOLS}/{pool}", 400, {"name": "other"})
    site.call("DELETE", f"{POOLS}/{site.pool}", 400)
    project = site.new_project("p", resources=[site.quota(1, pool)])
    site.call("DELETE", f"{POOLS}/{pool}", 400)
    site.call("PUT", f"{PROJECTS}/{project['id']}", 200, {"resources": [site.quota()]})
    site.call("DELETE", f"{POOLS}/{pool}", 202)


# --- departments


@pytest.mark.parametrize("version", VERSIONS)
def test_department_life(make: Callable[..., Site], version: str) -> None:
    site = make(version=version)
    made = site.new_department("research", description="x", schedulingRules={"trainingJobTimeLimitSeconds": 60})
    path = f"{DEPARTMENTS}/{made['id']}"
    assert made["resources"][0]["nodePool"] == {"id": site.pool, "name": "default"}
    site.new_department("research", 409 if version != "2.20" else 400)
    replaced = site.call("PUT", path, 200, {"resources": [site.quota(8)]})
    assert (replaced["description"], replaced["schedulingRules"]) == ("", None)
    assert replaced["totalResources"]["gpuQuota"] == 8
    project = site.new_project("p", parentId=made["id"], resources=[site.quota(3)])
    assert site.get(path)["projectsAggregatedResources"][0]["gpu"]["deserved"] == 3
    assert site.get(path)["children"][0]["id"] == project["id"]
    site.call("DELETE", path, 400)
    site.call("DELETE", f"{PROJECTS}/{project['id']}", 202)
    site.call("DELETE", path, 400)  # time passes for the project too
    site.call("DELETE", path, 204)
    site.call("GET", path, 404)


def test_department_refusals_and_the_default(site: Site) -> None:
    changes: tuple[dict[str, Any], ...] = (
        {"name": "Research"},
        {"name": "d" * 64},
        {"clusterId": ABSENT},
        {"parentId": "1"},
        {"resources": None},
        {"defaultNodePools": ["nowhere"]},
        {"schedulingRules": {"trainingJobTimeLimitSeconds": 0}},
    )
    for change in changes:
        site.new_department(**({"name": "research"} | change), status=400)
    rows = site.get(DEPARTMENTS, filterBy=f"name==default,clusterId=={site.dgx}")["departments"]
    assert len(rows) == 1 and "status" not in rows[0]
    verbose = site.get(DEPARTMENTS, verbosity="verbose")["departments"]
    assert verbose[0]["status"]["quotaStatus"]["allocated"]["gpu"] == 0
    site.call("DELETE", f"{DEPARTMENTS}/{rows[0]['id']}", 400)
    site.call("PUT", f"{DEPARTMENTS}/{rows[0]['id']}", 400, {"name": "x", "resources": [site.quota()]})


# --- projects


@pytest.mark.parametrize("version", VERSIONS)
def test_project_life(make: Callable[..., Site], version: str) -> None:
    site = make(version=version, settle_reads=4)
    body = {"name": "vision", "clusterId": site.dgx, "resources": [site.quota(4)], "description": "cats"}
    made = site.post(PROJECTS, body)
    path = f"{PROJECTS}/{made['id']}"
    assert (made["status"]["phase"], made["status"]["namespace"]) == ("Creating", None)
    assert made["parent"]["name"] == "default" and made["parentId"] == made["parent"]["id"]
    assert (made["description"], made["totalResources"]["gpuQuota"]) == ("cats", 4)
    assert made["resources"][0]["gpu"] == {"deserved": 4, "limit": -1, "overQuotaWeight": 2}
    assert site.k8s["dgx"].namespace_labels("runai-vision") is None
    for _ in range(4):
        assert site.get(path)["status"]["phase"] == "Creating"
    assert site.k8s["dgx"].namespace_labels("runai-vision") == {"runai/queue": "vision"}
    ready = site.get(path)
    assert (ready["status"]["phase"], ready["status"]["namespace"]) == ("Ready", "runai-vision")
    replaced = site.call("PUT", path, 200, {"resources": [site.quota(2, limit=3)]})
    assert (replaced["description"], replaced["status"]["phase"]) == ("", "Updating")
    for _ in range(4):
        site.get(path)
    assert site.get(path)["status"]["phase"] == "Ready"
    site.call("DELETE", path, 202)
    site.call("DELETE", path, 202)
    site.call("PUT", path, 400, {"resources": [site.quota()]})
    site.post(PROJECTS, body, 409 if version != "2.20" else 400)
    assert site.get(path)["status"]["phase"] == "Deleting"
    site.call("GET", path, 404)
    site.call("DELETE", path, 404)
    assert site.k8s["dgx"].namespace_labels("runai-vision") is not None


def test_settling_takes_as_many_reads_as_asked(make: Callable[..., Site]) -> None:
    for reads in (0, 3):
        site = make(settle_reads=reads)
        project = site.new_project("p", ready=False)
        assert project["status"]["phase"] == "Creating"
        phases = [site.get(PROJECTS)["projects"][0]["status"]["phase"] for _ in range(4)]
        assert phases == ["Creating"] * reads + ["Ready"] * (4 - reads)


def test_project_refusals(site: Site) -> None:
    other = site.new_department("other", clusterId=site.edge, resources=[site.quota(pool=site.pool_of_edge())])
    changes: tuple[dict[str, Any], ...] = (
        {"name": "Vision"},
        {"name": "1vision"},
        {"name": "vision-"},
        {"name": "v" * 58},
        {"clusterId": ABSENT},
        {"parentId": other["id"]},
        {"parentId": "1"},
        {"requestedNamespace": "Not_A_Namespace"},
        {"departmentId": "1"},
        {"defaultNodePools": ["nowhere"]},
        {"schedulingRules": {"interactiveJobTimeLimitSeconds": 0}},
        {"schedulingRules": {"speed": 1}},
        {"resources": []},
        {"resources": [site.quota(-1)]},
        {"resources": [site.quota(2, limit=1)]},
        {"resources": [site.quota(2, limit=-2)]},
        {"resources": [site.quota(2, overQuotaWeight=21)]},
        {"resources": [site.quota(), site.quota()]},
        {"resources": [site.quota(pool="1")]},
        {"resources": [site.quota(pool=site.pool_of_edge())]},
        {"resources": [{"nodePool": {"id": site.pool, "name": "other"}}]},
        {"resources": [site.quota() | {"memory": {"deserved": 1}}]},
        {"resources": [site.quota() | {"memory": {"deserved": 1, "units": "MiB"}}]},
        {"resources": [site.quota() | {"cpu": {"limit": 5}}]},
        {"resources": [site.quota() | {"priority": "Urgent"}]},
    )
    for change in changes:
        site.new_project(**({"name": "vision"} | change), status=400)
    site.post(PROJECTS, {"name": "vision", "clusterId": site.dgx}, 400)
    assert site.get(f"{PROJECTS}/count")["count"] == 0
    project = site.new_project("vision")
    site.new_project("vision", status=409)
    for field in ({"name": "v"}, {"clusterId": site.dgx}, {"parentId": "1"}, {"requestedNamespace": "n"}):
        site.call("PUT", f"{PROJECTS}/{project['id']}", 400, {"resources": [site.quota()], **field})
    site.call("PUT", f"{PROJECTS}/{project['id']}", 400, {"description": "no resources"})


def test_requested_namespace_must_carry_the_label(site: Site) -> None:
    project = site.new_project("team", requestedNamespace="team-ns")
    path = f"{PROJECTS}/{project['id']}"
    status = site.get(path)["status"]
    assert (status["phase"], status["namespace"]) == ("NotReady", None) and "team-ns" in status["phaseMessage"]
    site.k8s["dgx"].ensure_namespace("team-ns", {"runai/queue": "somebody"})
    assert "labelled" in site.get(path)["status"]["phaseMessage"]
    site.k8s["dgx"].ensure_namespace("team-ns", {"runai/queue": "team"})
    found = site.get(path)
    assert (found["status"]["phase"], found["status"]["namespace"]) == ("Ready", "team-ns")
    assert found["requestedNamespace"] == "team-ns"
    assert site.k8s["dgx"].namespace_labels("runai-team") is None
    assert site.new_project("plain")["requestedNamespace"] is None


def test_department_rules_flow_down(site: Site) -> None:
    rules = {"trainingJobTimeLimitSeconds": 100, "interactiveJobTimeLimitSeconds": 50}
    department = site.new_department("d", schedulingRules=rules, defaultNodePools=["default"])
    site.new_project("p", parentId=department["id"], status=400, schedulingRules={"trainingJobTimeLimitSeconds": 101})
    own = {"trainingJobTimeLimitSeconds": 10}
    project = site.new_project("p", parentId=department["id"], schedulingRules=own)
    assert project["schedulingRules"] == own and project["defaultNodePools"] is None
    assert project["effective"]["schedulingRules"] == rules | own
    assert project["effective"]["defaultNodePools"] == ["default"]


@pytest.mark.parametrize("omitted", ["zero", "keep"])
def test_quota_put_and_patch(make: Callable[..., Site], omitted: str) -> None:
    site = make(omitted_pools=omitted)
    pool = site.pool_id("h100")
    memory = {"memory": {"deserved": 2, "units": "GB"}, "cpu": {"deserved": 1000, "limit": 2000}}
    project = site.new_project("p", resources=[site.quota(4, limit=6) | memory, site.quota(8, pool)])
    assert project["totalResources"] == {"gpuQuota": 12, "cpuQuota": 1000, "memoryQuota": 2000}
    path = f"{PROJECTS}/{project['id']}/resources"

    def deserved(entries: Any) -> dict[str, float]:
        return {entry["nodePool"]["name"]: entry["gpu"]["deserved"] for entry in entries}

    patched = site.call("PATCH", path, 200, [{"nodePool": {"id": site.pool}, "gpu": {"deserved": 5}}])
    assert deserved(patched) == {"default": 5, "h100": 8}
    assert patched[0]["gpu"]["limit"] == 6 and patched[0]["memory"]["deserved"] == 2
    site.call("PATCH", path, 400, [{"nodePool": {"id": site.pool}, "gpu": {"deserved": 7}}])
    site.call("PATCH", path, 400, {"resources": []})
    site.call("PUT", path, 400, [{"gpu": {"deserved": 1}}])
    replaced = site.call("PUT", path, 200, [site.quota(1, pool)])
    assert deserved(replaced) == {"default": 0 if omitted == "zero" else 5, "h100": 1}
    body = {"resources": [site.quota(3)]}
    whole = site.call("PUT", f"{PROJECTS}/{project['id']}", 200, body)
    assert deserved(whole["resources"]) == {"default": 3, "h100": 0 if omitted == "zero" else 1}


def test_quota_stays_above_what_runs(site: Site) -> None:
    department = site.new_department("d", resources=[site.quota(16)])
    project = site.new_project("p", parentId=department["id"], resources=[site.quota(16)])
    with pytest.raises(ValueError, match="nobody"):
        site.plane.submit("nobody", "train")
    workload = site.plane.submit("p", "train", gpus=8)
    site.plane.submit(project["id"], "spare", gpus=4, preemptible=True)
    site.plane.submit("p", "waits", gpus=2, phase="Pending")
    status = site.get(f"{PROJECTS}/{project['id']}")["status"]["quotaStatus"]
    assert [status[name]["gpu"] for name in ("allocated", "allocatedNonPreemptible", "requested")] == [12, 8, 14]
    for path in (f"{PROJECTS}/{project['id']}", f"{DEPARTMENTS}/{department['id']}"):
        site.call("PUT", path, 400, {"resources": [site.quota(7)]})
        site.call("PUT", f"{path}/resources", 400, [site.quota(7)])
        site.call("PUT", path, 200, {"resources": [site.quota(8)]})
    site.plane.end(workload)
    site.call("PUT", f"{PROJECTS}/{project['id']}", 200, {"resources": [site.quota(0)]})


def test_lists_filter_sort_and_page(site: Site) -> None:
    for bad in ("createdAt==never", "createdAt=@2020"):
        site.call("GET", PROJECTS, 400, filterBy=bad)  # also while there is nothing to compare with
    for name, gpus in (("a-one", 3), ("b-two", 1), ("c-one", 2)):
        site.new_project(name, resources=[site.quota(gpus)])

    def names(**query: Any) -> list[str]:
        return [row["name"] for row in site.get(PROJECTS, **query)["projects"]]

    assert names(filterBy="name==b-two") == ["b-two"]
    assert names(filterBy=f"name=@one,clusterId=={site.dgx}") == ["a-one", "c-one"]
    assert names(filterBy=["name=$one", "name!=a-one"]) == ["c-one"]
    assert names(filterBy="name=^b") == ["b-two"] and names(filterBy="name!@one") == ["b-two"]
    assert names(filterBy="totalGpuQuota>=2") == ["a-one", "c-one"]
    assert names(filterBy="phase==Ready", sortBy="name", sortOrder="desc") == ["c-one", "b-two", "a-one"]
    assert names(sortBy="totalGpuQuota") == ["b-two", "c-one", "a-one"]
    assert names(search="TWO") == ["b-two"]
    assert names(filterBy="createdAt<=2020-01-01") == []
    assert site.get(f"{PROJECTS}/count", filterBy="name=@one")["count"] == 2
    first = site.get(PROJECTS, limit=2)
    assert [row["name"] for row in first["projects"]] == ["a-one", "b-two"] and first["next"] == 2
    last = site.get(PROJECTS, limit=2, offset=first["next"])
    assert [row["name"] for row in last["projects"]] == ["c-one"] and "next" not in last
    for bad in ("colour==red", "name", "name==", "name~x", "createdAt=@2020", "createdAt==never", "totalGpuQuota>=x"):
        site.call("GET", PROJECTS, 400, filterBy=bad)


# --- access rules


@pytest.mark.parametrize("version", VERSIONS)
def test_access_rule_life(make: Callable[..., Site], version: str) -> None:
    site = make(version=version)
    project = site.new_project("p")
    role = next(row for row in site.get("/api/v1/authorization/roles") if row["name"] == "L1 researcher")
    body = {
        "subjectId": "ann@example.com",
        "subjectType": "user",
        "roleId": role["id"],
        "scopeId": project["id"],
        "scopeType": "project",
    }
    made = site.post(RULES, body)
    assert (made["roleName"], made["scopeName"], made["clusterId"]) == ("L1 researcher", "p", site.dgx)
    if version != "2.20":
        phases = [site.get(f"{RULES}/{made['id']}")["status"]["phase"] for _ in range(2)]
        assert phases == ["Creating", "Ready"]
    site.post(RULES, body, 409)
    for change, status in (
        ({"roleId": 1}, 404),
        ({"roleId": "17"}, 400),
        ({"scopeId": "1"}, 404),
        ({"scopeType": "department"}, 404),
        ({"scopeType": "team"}, 400),
        ({"scopeType": "system"}, 400),
        ({"subjectType": "robot"}, 400),
        ({"subjectId": " "}, 400),
        ({"clusterId": site.edge}, 400),
        ({"extra": 1}, 400),
    ):
        site.post(RULES, body | change, status)
    site.post(RULES, body | {"subjectType": "service-account", "subjectId": "sa"}, 201 if version == "2.24" else 400)
    other = site.post(RULES, body | {"subjectId": "bob@example.com", "scopeType": "tenant", "scopeId": "1001"})
    found = site.get(RULES, filterBy=f"subjectId==ann@example.com,roleId=={role['id']}", limit=1)
    assert (found["totalRecords"], found["displayRecords"]) == (1, 1)
    site.call("PUT", f"{RULES}/{made['id']}", 405, body)
    site.call("DELETE", f"{RULES}/{made['id']}", 204)
    site.call("GET", f"{RULES}/{made['id']}", 404)
    site.call("DELETE", f"{RULES}/{made['id']}", 404)
    assert made["id"] not in [row["id"] for row in site.get(RULES)["accessRules"]]
    kept = {row["id"]: row["deletedAt"] for row in site.get(RULES, includeDeleted="true")["accessRules"]}
    assert kept[made["id"]] and kept[other["id"]] is None
    assert site.post(RULES, body)["id"] not in kept


def test_access_rule_lists_and_what_a_deleted_unit_leaves(site: Site) -> None:
    department = site.new_department("d")
    project = site.new_project("p", parentId=department["id"])
    rule = {"subjectType": "group", "roleId": 17}
    ids = {}
    for subject, scope, key in (("one", "project", project["id"]), ("two", "department", department["id"])):
        ids[subject] = site.post(RULES, rule | {"subjectId": subject, "scopeType": scope, "scopeId": key})["id"]

    def found(**query: Any) -> list[str]:
        return [row["subjectId"] for row in site.get(RULES, **query)["accessRules"]]

    assert found(scopeType="project") == ["one"] and found(scopeId=department["id"]) == ["two"]
    assert found(subjectIds="one,two") == ["one", "two"] and found(subjectIdFilter="tw") == ["two"]
    assert found(roleId=17, clusterId=site.edge) == [] and found(search="two") == ["two"]
    assert found(filterBy="roleId==17,scopeName==d") == ["two"] and found(lastUpdated="2100-01-01") == []
    assert site.get(f"{RULES}/count", filterBy="subjectId=^o")["count"] == 1
    site.call("DELETE", f"{PROJECTS}/{project['id']}", 202)
    site.get(f"{PROJECTS}/{project['id']}")
    assert found() == ["two"]
    site.call("DELETE", f"{DEPARTMENTS}/{department['id']}", 204)
    assert found() == [] and found(includeDeleted="true") == ["one", "two"]
    site.call("GET", f"{RULES}/{ids['two']}", 404)


def test_roles_and_priorities_are_looked_up_by_name(site: Site) -> None:
    roles = site.get("/api/v1/authorization/roles")
    assert {"System administrator", "Department administrator", "L1 researcher", "ML engineer"} <= {
        role["name"] for role in roles
    }
    assert site.get(f"/api/v1/authorization/roles/{roles[0]['id']}") == roles[0]
    site.call("GET", "/api/v1/authorization/roles/1", 404)
    priorities = site.get("/api/v1/org-unit/priorities")["priorities"]
    assert [row["name"] for row in priorities if row["isDefault"]] == ["Normal"]
    assert site.new_project("p", resources=[site.quota() | {"priority": "High"}])["resources"][0]["priority"] == "High"


# --- data sources


@pytest.mark.parametrize("version", VERSIONS)
def test_pvc_life(make: Callable[..., Site], version: str) -> None:
    site = make(version=version, settle_reads=2)
    project = site.new_project("p")
    made = site.new_pvc("data", site.in_project(project))
    path = f"{PVCS}/{made['meta']['id']}"
    assert "status" not in made and made["spec"]["claimInfo"]["volumeMode"] == "Filesystem"
    assert made["spec"]["claimName"] is None and made["spec"]["readOnly"] is False
    assert site.k8s["dgx"].pvcs("runai-p") == []
    for _ in range(2):
        pending = site.get(path, statusInfo="true")["status"]["status"]
        assert pending == ("No status" if version == "2.20" else "Creating")
    ready = site.get(path, statusInfo="true")
    assert ready["status"]["status"] == "No issues found" and "usedBy" not in ready
    assert "status" not in site.get(path)
    (claim,) = site.k8s["dgx"].pvcs("runai-p")
    assert claim.startswith("data-project-") and ready["spec"]["claimName"] == claim
    assert ready["clusterInfo"]["resources"] == [{"name": claim}]
    assert site.k8s["dgx"].pvc("runai-p", claim) == {
        "namespace": "runai-p",
        "name": claim,
        "storage_class": "vast-nfs",
        "size": "1Gi",
        "access_modes": ["ReadWriteMany"],
        "volume_mode": "Filesystem",
    }
    site.new_pvc("data", site.in_project(project), 409)
    renamed = site.call("PUT", path, 202, {"meta": {"name": "data2"}, "spec": {"path": "/mnt"}})
    assert (renamed["meta"]["name"], renamed["spec"]["path"]) == ("data2", "/mnt")
    for body in (
        {"meta": {"name": "data2"}},
        {"meta": {"description": "x"}, "spec": {"path": "/mnt"}},
        {"meta": {"name": "data2", "scope": "project"}, "spec": {}},
        {"meta": {"name": "data2"}, "spec": {"path": "/mnt", "readOnly": True}},
        {"meta": {"name": "data2"}, "spec": {"claimInfo": {"size": "2Gi"}}},
    ):
        site.call("PUT", path, 400, body)
    assert site.call("DELETE", path, 202)["code"] == 202
    site.new_pvc("data2", site.in_project(project), 409)
    deleting = site.get(path, statusInfo="true")["status"]["status"]
    assert deleting == ("No status" if version == "2.20" else "Deleting")
    site.call("GET", path, 404)
    site.call("DELETE", path, 404)
    assert site.k8s["dgx"].pvcs("runai-p") == []


def test_pvc_refusals(site: Site) -> None:
    project = site.new_project("p")
    meta = site.in_project(project)
    info = {"size": "1Gi", "storageClass": "vast-nfs"}
    for change in (
        {"projectId": str(project["id"])},
        {"projectId": 2**31},
        {"projectId": 1},
        {"projectId": None},
        {"scope": "system"},
        {"scope": "department"},
        {"scope": "cluster", "clusterId": site.dgx},
        {"clusterId": site.edge},
        {"description": ""},
        {"private": True},
        {"id": ABSENT},
    ):
        site.new_pvc("data", meta | change, 400)
    site.new_pvc("", meta, 400)
    for spec in (
        {"path": ...},
        {"path": None},
        {"claimInfo": ...},
        {"claimInfo": {"storageClass": "vast-nfs"}},
        {"claimInfo": info | {"size": "ten"}},
        {"claimInfo": info | {"size": "-1Gi"}},
        {"claimInfo": info | {"storageClass": "vast.nfs"}},
        {"claimInfo": info | {"accessModes": ["ReadWriteMany"]}},
        {"claimInfo": info | {"accessModes": {"readWriteOnce": False}}},
        {"claimInfo": info | {"volumeMode": "Object"}},
        {"claimInfo": info | {"addedAttrValues": [{"key": "tier", "value": "gold"}]}},
        {"claimName": "c" * 64},
        {"existingPvc": True},
        {"existingPvc": True, "claimInfo": ...},
        {"existingPvc": True, "claimName": "c"},
        {"dataSharing": True},
        {"storageClass": "vast-nfs"},
    ):
        site.new_pvc("data", meta, 400, **spec)
    assert site.get(PVCS)["entries"] == []


def test_pvc_that_the_cluster_cannot_make_has_issues(site: Site) -> None:
    project = site.new_project("p")
    meta = site.in_project(project)
    lost = site.new_pvc("lost", meta, claimInfo={"size": "1Gi", "storageClass": "slow"})
    assert site.status(lost) == "Issues found"
    found = site.get(f"{PVCS}/{lost['meta']['id']}", statusInfo="true")
    assert found["status"]["issues"] == [{"scopeId": project["id"], "scopeType": "project", "issue": "NotCreated"}]
    slow = {"name": "slow", "provisioner": "x", "allow_volume_expansion": False, "is_default": False}
    site.k8s["dgx"].set_storage_classes([slow])
    assert site.status(lost) == "No issues found"
    assert site.status(site.new_pvc("default", meta, claimInfo={"size": "1Gi"})) == "Issues found"
    unnamed = site.new_pvc("Bad Name", meta, claimInfo={"size": "1Gi", "storageClass": "slow"})
    assert site.status(unnamed) == "Issues found"
    (claim,) = site.k8s["dgx"].pvcs("runai-p")
    site.k8s["dgx"].delete_pvc("runai-p", claim)
    assert site.status(lost) == "Issues found" and site.k8s["dgx"].pvcs("runai-p") == []


def test_existing_pvc_is_looked_for_and_never_deleted(site: Site) -> None:
    meta = site.in_project(site.new_project("p"))
    made = site.new_pvc("old", meta, existingPvc=True, claimName="precious", claimInfo=...)
    assert site.status(made) == "Issues found"
    site.k8s["dgx"].create_pvc("runai-p", "precious", "vast-nfs", "1Gi", ["ReadWriteMany"], "Filesystem")
    assert site.status(made) == "No issues found"
    path = f"{PVCS}/{made['meta']['id']}"
    assert site.get(path)["clusterInfo"]["resources"] == [{"name": "precious"}]
    site.call("DELETE", path, 202)
    site.get(path)
    site.call("GET", path, 404)
    assert site.k8s["dgx"].pvcs("runai-p") == ["precious"]


def test_ephemeral_claims_are_the_workloads_to_make(site: Site) -> None:
    made = site.new_pvc("scratch", site.in_project(site.new_project("p")), ephemeral=True)
    assert site.status(made) == "No issues found" and site.k8s["dgx"].pvcs("runai-p") == []


def test_a_wide_scope_reaches_its_projects_and_those_to_come(site: Site) -> None:
    department = site.new_department("d")
    for name in ("one", "two"):
        site.new_project(name, parentId=department["id"])
    site.new_project("outside")
    made = site.new_pvc("data", {"scope": "department", "departmentId": department["id"]}, claimName="shared")
    assert site.status(made) == "No issues found"
    third = site.new_project("three", parentId=department["id"])
    found = site.get(f"{PVCS}/{made['meta']['id']}")
    assert found["clusterInfo"]["resources"] == [{"name": "shared"}] * 3
    side = site.k8s["dgx"]
    assert [side.pvcs(f"runai-{name}") for name in ("one", "two", "three")] == [["shared"]] * 3
    assert side.pvcs("runai-outside") == []
    site.call("DELETE", f"{PROJECTS}/{third['id']}", 202)
    site.get(f"{PROJECTS}/{third['id']}")
    site.call("DELETE", f"{PVCS}/{made['meta']['id']}", 202)
    site.get(PVCS)
    assert site.get(PVCS)["entries"] == []
    assert [side.pvcs(f"runai-{name}") for name in ("one", "two", "three")] == [[], [], ["shared"]]


def test_project_deletion_takes_its_data_sources_and_workloads(site: Site) -> None:
    project = site.new_project("p")
    made = site.new_pvc("data", site.in_project(project), claimName="c")
    assert site.status(made) == "No issues found"
    site.plane.submit("p", "train", claim_names=["c"])
    site.call("DELETE", f"{PROJECTS}/{project['id']}", 202)
    assert site.k8s["dgx"].pvcs("runai-p") == ["c"]
    site.get(f"{PROJECTS}/{project['id']}")
    assert site.k8s["dgx"].pvcs("runai-p") == []
    site.call("GET", f"{PVCS}/{made['meta']['id']}", 404)
    assert site.get("/api/v1/workloads")["workloads"] == []
    assert [row["name"] for row in site.get("/api/v1/workloads", deleted="true")["workloads"]] == ["train"]


def test_time_passes_for_what_nobody_asks_for(make: Callable[..., Site]) -> None:
    site = make(settle_reads=2)
    project = site.new_project("p")
    for _ in range(2):
        site.get(DEPARTMENTS)
    assert site.get(f"{PROJECTS}/{project['id']}")["status"]["phase"] == "Ready"
    made = site.new_pvc("data", site.in_project(project))
    for _ in range(2):
        site.get(PROJECTS)
    assert site.get(f"{PVCS}/{made['meta']['id']}", statusInfo="true")["status"]["status"] == "No issues found"


def test_a_workload_that_is_being_deleted_is_not_resumed(make: Callable[..., Site]) -> None:
    site = make(settle_reads=4)
    site.new_project("p")
    for _ in range(4):
        site.get(PROJECTS)
    path = f"/api/v1/workloads/trainings/{site.plane.submit('p', 'train')}"
    site.call("DELETE", path, 202)
    for verb in ("suspend", "resume"):
        site.call("POST", f"{path}/{verb}", 202)
        assert site.get("/api/v1/workloads")["workloads"][0]["phase"] == "Deleting"
    assert site.get("/api/v1/workloads")["workloads"] == []


def test_a_list_of_data_volumes_shows_what_happened_to_the_claim(site: Site) -> None:
    project = site.new_project("p")
    side = site.k8s["dgx"]
    side.create_pvc("runai-p", "c", "vast-nfs", "1Gi", ["ReadWriteMany"], "Filesystem")
    site.call("POST", "/api/v1/datavolumes", 201, {"name": "d", "originPvcName": "c", "projectId": project["id"]})

    def phases() -> list[str]:
        found = site.get("/api/v1/datavolumes", requestType="Originated")["datavolumes"]
        return [one["status"]["phase"] for one in found]

    phases()
    assert phases() == ["Ready"]
    side.delete_pvc("runai-p", "c")
    assert phases() == ["NotReady"]


@pytest.mark.parametrize("version", VERSIONS)
def test_what_a_workload_uses_stays(make: Callable[..., Site], version: str) -> None:
    site = make(version=version)
    project = site.new_project("p")
    made = site.new_pvc("data", site.in_project(project), claimName="c")
    assert site.status(made) == "No issues found"
    path = f"{PVCS}/{made['meta']['id']}"
    assert site.get(path, usageInfo="true")["usedBy"]["trainings"] == []
    workload = site.plane.submit("p", "train", phase="Running", gpus=8, claim_names=["c"])
    site.plane.submit("p", "other", claim_names=["d"])
    users = site.get(path, usageInfo="true")["usedBy"]["trainings"]
    assert users == [{"id": workload, "name": "train", "status": "Running"}]
    site.call("DELETE", path, 412)
    listed = site.get("/api/v1/workloads", filterBy="name==train")["workloads"]
    assert [row["id"] for row in listed] == [workload]
    assert site.get(f"/api/v1/workloads/{workload}")["allocatedResources"]["gpu"] == 8
    assert site.get("/api/v1/workloads/count")["count"] == 2
    site.plane.end(workload)
    site.call("DELETE", path, 202)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("kind", "meta_kind", "key", "spec", "change"),
    [
        ("nfs", "nfs", "nfs", {"server": "vip", "path": "/export", "mountPath": "/data"}, {"path": "/other"}),
        ("s3", "s3", "s3", {"bucket": "b", "path": "/data"}, {"bucket": "c"}),
        ("git", "git", "git", {"repository": "https://git", "path": "/src"}, {"branch": "main"}),
        ("host-path", "hostPath", "hostPath", {"path": "/raid", "mountPath": "/data"}, {"readOnly": False}),
        ("config-map", "config-map", "config_map", {"configMap": "cm", "mountPath": "/etc/cm"}, None),
        ("secrets", "secret-volume", "secret", {"credentialAssetId": ABSENT, "mountPath": "/etc/s"}, None),
    ],
)
def test_other_kinds(
    make: Callable[..., Site], version: str, kind: str, meta_kind: str, key: str, spec: Any, change: Any
) -> None:
    site = make(version=version)
    meta = site.in_project(site.new_project("p")) | {"name": "source"}
    path = f"{ASSETS}/{kind}"
    made = site.post(path, {"meta": meta, "spec": spec}, 202)
    assert made["meta"]["kind"] == meta_kind and made["spec"].items() >= spec.items()
    site.post(path, {"meta": meta, "spec": spec}, 409)
    for name in spec:
        rest = {other: value for other, value in spec.items() if other != name}
        site.post(path, {"meta": meta | {"name": "x"}, "spec": rest}, 400)
    site.post(path, {"meta": meta | {"name": "x"}, "spec": spec | {"nosuch": 1}}, 400)
    one = f"{path}/{made['meta']['id']}"
    if change is None:
        site.call("PUT", one, 400, {"meta": {"name": "source"}, "spec": spec})
        site.call("PUT", one, 202, {"meta": {"name": "renamed"}})
    else:
        site.call("PUT", one, 400, {"meta": {"name": "source"}, "spec": change})
        updated = site.call("PUT", one, 202, {"meta": {"name": "renamed"}, "spec": spec | change})
        assert updated["spec"].items() >= (spec | change).items()
    (entry,) = site.get(ASSETS, statusInfo="true")["entries"]
    assert entry["meta"]["name"] == "renamed" and list(entry["spec"]) == [key]
    assert entry["status"]["status"] in ("Updating", "No status")
    (entry,) = site.get(ASSETS, statusInfo="true")["entries"]
    assert entry["status"]["status"] == ("No status" if kind in ("nfs", "host-path") else "No issues found")
    site.call("GET", one.replace(kind, "pvc", 1), 404)
    if kind in ("nfs", "host-path"):
        site.call("GET", one, 400, statusInfo="true")
    workload = site.plane.submit("p", "w", datasources=[made["meta"]["id"]])
    site.call("DELETE", one, 412)
    site.plane.end(workload)
    site.call("DELETE", one, 202)
    site.get(one)
    site.call("GET", one, 404)


def test_lists_inherit_unless_a_scope_is_named(site: Site) -> None:
    department = site.new_department("d")
    project = site.new_project("p", parentId=department["id"])
    other = site.new_project("q")
    nfs = {"server": "vip", "path": "/e", "mountPath": "/d"}
    for name, meta in (
        ("t", {"scope": "tenant"}),
        ("c", {"scope": "cluster", "clusterId": site.dgx}),
        ("e", {"scope": "cluster", "clusterId": site.edge}),
        ("d", {"scope": "department", "departmentId": department["id"]}),
        ("p", site.in_project(project) | {"clusterId": site.dgx}),
        ("p2", site.in_project(project)),
        ("q", site.in_project(other)),
    ):
        site.post(f"{ASSETS}/nfs", {"meta": {"name": name, **meta}, "spec": nfs}, 202)

    def names(path: str = f"{ASSETS}/nfs", **query: Any) -> list[str]:
        return [row["meta"]["name"] for row in site.get(path, **query)["entries"]]

    assert names(projectId=project["id"]) == ["t", "c", "d", "p", "p2"]
    assert names(projectId=project["id"], clusterId=site.dgx) == ["t", "c", "d", "p", "p2"]
    assert names(projectId=project["id"], clusterId=site.edge) == []
    assert names(scope="project", projectId=project["id"]) == ["p", "p2"]
    assert names(scope="project", clusterId=site.dgx) == ["p", "p2", "q"]
    assert names(departmentId=department["id"]) == ["t", "c", "d"]
    assert names(ASSETS, departmentId=department["id"], includeDescendants="true") == ["t", "c", "d", "p", "p2"]
    assert names(clusterId=site.edge) == ["t", "e"]
    assert names(name="p", scope="project") == ["p", "p2"]
    assert names(projectId=1) == [] and len(names()) == 7
    site.call("GET", ASSETS, 400, scope="project", includeDescendants="true")
    site.call("GET", f"{ASSETS}/nfs", 400, scope="team")
    site.call("GET", f"{ASSETS}/nfs", 400, projectId="p")
    site.call("GET", f"{ASSETS}/nfs", 400, statusInfo="true")
    ids = [row["meta"]["id"] for row in site.get(ASSETS)["entries"]][:2]
    assert names(assetIds=",".join(ids)) == ["t", "c"]


# --- storage classes


def test_storage_classes(site: Site) -> None:
    old = site.get("/api/v1/storage-classes", clusterId=site.dgx)["items"]
    spec = {"provisioner": "csi.vastdata.com", "allow_volume_expansion": True, "is_default": False}
    assert {"cluster_id": site.dgx, "storage_class_name": "vast-nfs", "Spec": spec} in old
    (new,) = site.get("/api/v2/storage-classes", clusterId=site.dgx, name="vast-nfs")["items"]
    assert new["spec"] == {"provisioner": "csi.vastdata.com", "allowVolumeExpansion": True, "isDefault": False}
    found = site.get("/api/v2/storage-classes", clusterId=site.dgx, includeNone="true")["items"]
    assert [row["storageClassName"] for row in found] == ["standard", "vast-nfs", "runai-none"]
    site.call("GET", "/api/v1/storage-classes", 400)
    assert site.get("/api/v1/storage-classes", clusterId=ABSENT)["items"] == []


def test_storage_class_configuration(site: Site) -> None:
    body = {"scopeType": "cluster", "scopeId": site.dgx, "name": "vast-nfs", "permissions": {"allowDataSharing": True}}
    made = site.post(CONFIGURATION, body)
    path = f"{CONFIGURATION}/{made['id']}"
    site.post(CONFIGURATION, body, 409)
    site.post(CONFIGURATION, body | {"scopeId": ABSENT}, 404)
    for change in ({"scopeType": "project"}, {"name": ""}, {"tenantId": 7}, {"permissions": {"all": True}}):
        site.post(CONFIGURATION, body | change, 400)
    meta = site.in_project(site.new_project("p"))
    site.new_pvc("shared", meta, dataSharing=True)
    site.call("PATCH", path, 200, {"permissions": {"allowedForAssets": False}})
    attributes = {"attributes": [{"key": "tier"}, {"key": "owner"}]}
    patched = site.call("PATCH", path, 200, {"customization": attributes})
    assert patched["permissions"] == {"allowDataSharing": True, "allowedForAssets": False}
    site.new_pvc("refused", meta, 400)
    patched = site.call("PATCH", path, 200, {"customization": {"attributesToRemove": ["owner"]}})
    assert patched["customization"]["attributes"] == [{"key": "tier"}]
    site.call("PUT", path, 400, {"name": "other"})
    replaced = site.call("PUT", path, 200, {"customization": {"attributes": [{"key": "tier"}]}})
    assert replaced["permissions"] is None
    info = {"size": "1Gi", "storageClass": "vast-nfs", "addedAttrValues": [{"key": "tier", "value": "gold"}]}
    site.new_pvc("tagged", meta, claimInfo=info)
    listed = site.get(CONFIGURATION, filterBy=f"name==vast-nfs,scopeId=={site.dgx}")["storageClassConfigurations"]
    assert [row["id"] for row in listed] == [made["id"]]
    (shown,) = site.get("/api/v2/storage-classes", clusterId=site.dgx, name="vast-nfs")["items"]
    assert shown["customization"]["attributes"] == [{"key": "tier"}]
    site.call("GET", path, 404, tenantId=7)
    site.call("DELETE", path, 204)
    site.call("GET", path, 404)


# --- whatever a body holds, there is an answer


def places(body: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of everything within a JSON body."""
    for key, value in body.items() if isinstance(body, dict) else enumerate(body) if isinstance(body, list) else ():
        yield (*path, key)
        yield from places(value, (*path, key))


@pytest.mark.parametrize("value", [None, "", -1, 1e308, float("nan"), [None], {}, True], ids=repr)
def test_every_mangled_body_is_answered(site: Site, value: Any) -> None:
    project = site.new_project("p")
    amounts = {"deserved": 1, "limit": 2, "overQuotaWeight": 2}
    quota = {"nodePool": {"id": site.pool}, "gpu": amounts, "memory": {**amounts, "units": "GB"}, "priority": "Normal"}
    rules = {"schedulingRules": {"trainingJobTimeLimitSeconds": 5}, "defaultNodePools": ["default"]}
    info = {"size": "1Gi", "accessModes": {"readWriteOnce": True}, "volumeMode": "Block"}
    asset = {"meta": {"name": "a", **site.in_project(project)}, "spec": {"path": "/d", "claimInfo": info}}
    sent = 0
    for method, path, whole in (
        ("PUT", f"{PROJECTS}/{project['id']}", {"resources": [quota], **rules}),
        ("PATCH", f"{PROJECTS}/{project['id']}/resources", [quota]),
        ("POST", PVCS, asset),
    ):
        for place in places(whole):
            body = inner = json.loads(json.dumps(whole))
            for key in place[:-1]:
                inner = inner[key]
            inner[place[-1]] = value
            response = site.session.request(
                method, site.server.url + path, data=json.dumps(body), headers={"Content-Type": "application/json"}
            )
            assert response.status_code in (200, 202, 400, 409), response.text
            sent += 1
    assert sent > 40
    for path in (PROJECTS, DEPARTMENTS, ASSETS):
        site.get(path)
