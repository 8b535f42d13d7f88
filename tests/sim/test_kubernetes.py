"""The Kubernetes simulator over HTTP, with plain requests; `tests/clients` has the clients of others.

What the server says was read off a kube-apiserver 1.34.4 that got the same requests.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.direct import DIRECT
from vastplan.sim.kubernetes import KubernetesPlane
from vastplan.sim.kubernetes.resources import RESOURCES
from vastplan.sim.kubernetes.storage import SnapshotMade, VolumeWanted
from vastplan.sim.serve import Authority, Server, write_pem
from vastplan.sim.store import Store
from vastplan.sim.wire import Request

TOKEN = "a-token"
CLASSES = "/apis/storage.k8s.io/v1/storageclasses"
DRIVERS = "/apis/storage.k8s.io/v1/csidrivers"
POLICIES = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies"
BINDINGS = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings"
SNAPSHOT_CLASSES = "/apis/snapshot.storage.k8s.io/v1/volumesnapshotclasses"
SNAPSHOTS = "/apis/snapshot.storage.k8s.io/v1/namespaces/team/volumesnapshots"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/team/leases"
REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
NAMESPACES = "/api/v1/namespaces"
TEAM = "/api/v1/namespaces/team"
CLAIMS, SECRETS, MAPS, QUOTAS, PODS = (
    f"{TEAM}/{plural}" for plural in ("persistentvolumeclaims", "secrets", "configmaps", "resourcequotas", "pods")
)
VOLUMES = "/api/v1/persistentvolumes"
MERGE, JSON, STRATEGIC = (f"application/{kind}+json" for kind in ("merge-patch", "json-patch", "strategic-merge-patch"))
APPLY = "application/apply-patch+yaml"


class Disk:
    """A `Storage` that remembers; it knows the view policy `p` only, and mounts nothing from the VIP pools in `closed`."""

    def __init__(self) -> None:
        self.volumes: dict[str, int] = {}
        self.wanted: list[VolumeWanted] = []
        self.snapshots: dict[str, tuple[str, str]] = {}
        self.closed: set[str] = set()

    def with_secret(self, values: Mapping[str, str]) -> Disk:
        return self

    def create_volume(self, wanted: VolumeWanted) -> dict[str, str]:
        if wanted.parameters["view_policy"] != "p":
            raise ValueError(f"no view policy {wanted.parameters['view_policy']}")
        self.volumes[wanted.volume_id] = wanted.size
        self.wanted.append(wanted)
        return {"view_id": "7", **wanted.parameters}

    def expand_volume(self, volume_id: str, size: int, *, block: bool = False) -> None:
        self.volumes[volume_id] = size

    def delete_volume(self, volume_id: str, *, block: bool = False) -> None:
        held = [handle for handle, (of, _) in self.snapshots.items() if of == volume_id]
        if held:
            raise ValueError(f"it holds snapshots: {held}")
        self.volumes.pop(volume_id, None)

    def publish_volume(self, volume_id: str, attributes: Mapping[str, str]) -> None:
        if attributes["vip_pool_name"] in self.closed:
            raise ValueError(f"No VIP Pool named '{attributes['vip_pool_name']}'")

    def create_snapshot(self, volume_id: str, name: str) -> SnapshotMade:
        handle = str(len(self.snapshots) + 1)
        self.snapshots[handle] = (volume_id, name)
        return SnapshotMade(handle)

    def delete_snapshot(self, snapshot_id: str) -> None:
        del self.snapshots[snapshot_id]


class Api:
    """A client of a served plane."""

    def __init__(self, plane: KubernetesPlane, server: Server, pem: Path) -> None:
        self.plane, self.server, self.pem, self.token = plane, server, pem, TOKEN
        self._session = DIRECT.session()
        self._session.trust_env = False
        self._session.verify = str(pem)

    def send(
        self, method: str, path: str, body: Any = None, kind: str = "application/json", **query: str
    ) -> requests.Response:
        headers = {"Authorization": f"Bearer {self.token}", "User-Agent": "test/1.0"}
        data = None
        if body is not None:
            headers["Content-Type"] = kind
            data = body if isinstance(body, str) else json.dumps(body)
        return self._session.request(
            method, self.server.url + path, data=data, headers=headers, params=query, timeout=10
        )

    def ok(self, method: str, path: str, body: Any = None, kind: str = "application/json", **query: str) -> Any:
        response = self.send(method, path, body, kind, **query)
        assert response.status_code in (200, 201), response.text
        return response.json()

    def get(self, path: str, **query: str) -> Any:
        return self.ok("GET", path, **query)

    def post(self, path: str, body: Any, **query: str) -> Any:
        return self.ok("POST", path, body, **query)

    def merge(self, path: str, body: Any, **query: str) -> Any:
        return self.ok("PATCH", path, body, MERGE, **query)

    def refused(
        self, code: int, method: str, path: str, body: Any = None, kind: str = "application/json", **query: str
    ) -> Any:
        response = self.send(method, path, body, kind, **query)
        assert response.status_code == code, response.text
        status = response.json()
        assert (status["kind"], status["status"], status["code"]) == ("Status", "Failure", code)
        return status


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@pytest.fixture
def disk() -> Disk:
    return Disk()


@pytest.fixture
def clock() -> list[float]:
    return [1_800_000_000.0]


@pytest.fixture
def api(authority: Authority, tmp_path: Path, disk: Disk, clock: list[float]) -> Iterator[Api]:
    plane = KubernetesPlane(Store(tmp_path / "state.db"), token=TOKEN, clock=lambda: clock[0], storage=disk)
    server = Server(plane, authority, threading.RLock()).start()
    client = Api(plane, server, write_pem(authority, tmp_path / "ca.pem"))
    client.post(NAMESPACES, {"metadata": {"name": "team", "labels": {"team": "a"}}})
    yield client
    server.stop()


def storage_class(name: str = "vast", **fields: Any) -> dict[str, Any]:
    parameters = {"root_export": "/k8s", "view_policy": "p", "vip_pool_name": "pool"}
    base = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name}}
    return {**base, "provisioner": "csi.vastdata.com", "parameters": parameters, **fields}


def claim(name: str = "data", storage: str | None = "vast", size: str = "1Gi", **spec: Any) -> dict[str, Any]:
    wanted = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": size}}, **spec}
    if storage is not None:
        wanted["storageClassName"] = storage
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": wanted}


def grown(size: str) -> dict[str, Any]:
    return {"spec": {"resources": {"requests": {"storage": size}}}}


def config_map(name: str = "map", **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def policy(
    name: str, expression: str, resources: tuple[str, ...] = ("persistentvolumeclaims",), **spec: Any
) -> dict[str, Any]:
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": list(resources)}
    base = {
        "matchConstraints": {"resourceRules": [rule]},
        "validations": [{"expression": expression, "message": "not yours"}],
    }
    return {"metadata": {"name": name}, "spec": {**base, **spec}}


def bind(api: Api, name: str, **spec: Any) -> None:
    body = {"policyName": name, "validationActions": ["Deny"], **spec}
    api.post(BINDINGS, {"metadata": {"name": f"{name}-binding"}, "spec": body})


def fields(status: dict[str, Any]) -> list[tuple[str, str]]:
    return [(cause["reason"], cause["field"]) for cause in status["details"]["causes"]]


def bound(api: Api, name: str = "data") -> Any:
    api.get(f"{CLAIMS}/{name}")
    return api.get(f"{CLAIMS}/{name}")


def test_tokens(api: Api) -> None:
    api.get(CLASSES)
    api.plane.expire_tokens()
    assert api.refused(401, "GET", CLASSES)["reason"] == "Unauthorized"
    api.plane.renew("fresh")
    api.refused(401, "GET", CLASSES)
    api.token = "fresh"
    api.get(CLASSES)


def test_created_object_has_the_servers_metadata_and_defaults(api: Api) -> None:
    made = api.post(CLASSES, storage_class())
    assert (made["reclaimPolicy"], made["volumeBindingMode"]) == ("Delete", "Immediate")
    assert {"uid", "resourceVersion", "creationTimestamp"} <= set(made["metadata"])
    (entry,) = made["metadata"]["managedFields"]
    assert (entry["manager"], entry["operation"]) == ("test", "Update")
    assert entry["fieldsV1"]["f:parameters"] == {
        ".": {},
        "f:root_export": {},
        "f:view_policy": {},
        "f:vip_pool_name": {},
    }
    assert "generation" not in made["metadata"]
    status = api.refused(409, "POST", CLASSES, storage_class())
    assert status["reason"] == "AlreadyExists"
    assert status["message"] == 'storageclasses.storage.k8s.io "vast" already exists'
    assert status["details"] == {"name": "vast", "group": "storage.k8s.io", "kind": "storageclasses"}


def test_storage_class_cannot_change_what_it_provisions(api: Api) -> None:
    api.post(CLASSES, storage_class())
    change = {
        "parameters": {"view_policy": "q"},
        "provisioner": "x",
        "reclaimPolicy": "Retain",
        "volumeBindingMode": "WaitForFirstConsumer",
    }
    status = api.refused(422, "PATCH", f"{CLASSES}/vast", change, MERGE)
    assert fields(status) == [
        ("FieldValueForbidden", "parameters"), ("FieldValueForbidden", "provisioner"),
        ("FieldValueForbidden", "reclaimPolicy"), ("FieldValueInvalid", "volumeBindingMode"),
    ]  # fmt: skip
    assert "parameters: Forbidden: updates to parameters are forbidden." in status["message"]
    assert (
        api.merge(f"{CLASSES}/vast", {"mountOptions": ["vers=4.1"], "allowVolumeExpansion": True})[
            "allowVolumeExpansion"
        ]
        is True
    )
    assert api.get(f"{CLASSES}/vast")["parameters"]["view_policy"] == "p"


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        (
            {"parameters": {"a": True}},
            400,
            "json: cannot unmarshal bool into Go struct field StorageClass.parameters of type string",
        ),
        (
            {"mountOptions": "x"},
            400,
            "json: cannot unmarshal string into Go struct field StorageClass.mountOptions of type []string",
        ),
        ({"provisioner": ""}, 422, "provisioner: Required value"),
        (
            {"reclaimPolicy": "Recycle"},
            422,
            'reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"',
        ),
        ({"metadata": {"name": "B_"}}, 422, "a lowercase RFC 1123 subdomain must consist of"),
        ({"metadata": {}}, 422, "metadata.name: Required value: name or generateName is required"),
        ({"metadata": {"name": "x", "labels": {"a b": "c"}}}, 422, 'metadata.labels: Invalid value: "a b"'),
        ({"metadata": {"name": "x", "finalizers": ["zz"]}}, 422, "name is neither a standard finalizer name"),
        ({"kind": "ConfigMap"}, 400, "StorageClass"),
        ({"apiVersion": "storage.k8s.io/v2"}, 400, "storage.k8s.io/v2"),
    ],
)
def test_bad_bodies_are_refused(api: Api, body: dict[str, Any], code: int, words: str) -> None:
    assert words in api.refused(code, "POST", CLASSES, storage_class(**body))["message"]
    assert api.get(CLASSES)["items"] == []


def test_requests_that_cannot_be_read(api: Api) -> None:
    assert "json parse error" in api.refused(400, "POST", CLASSES, '{"a":')["message"]
    assert "exceeded max depth" in api.refused(400, "POST", CLASSES, '{"a":' * 40_000 + "1" + "}" * 40_000)["message"]
    assert api.refused(415, "POST", CLASSES, "x", "text/plain")["reason"] == "UnsupportedMediaType"
    assert api.refused(405, "PATCH", CLASSES, {}, MERGE)["reason"] == "MethodNotAllowed"
    assert (
        api.refused(404, "GET", "/apis/storage.k8s.io/v1/foos")["message"]
        == "the server could not find the requested resource"
    )
    assert api.send("GET", "/apis/nope.io/v1/foos").text == "404 page not found\n"
    assert api.refused(501, "POST", f"{TEAM}/events", {})["reason"] == "NotImplemented"
    assert api.ok("POST", MAPS, "metadata: {name: from-yaml}", "application/yaml")["metadata"]["name"] == "from-yaml"


def test_field_validation(api: Api) -> None:
    wrong = {**storage_class(), "foo": 1}
    status = api.refused(400, "POST", CLASSES, wrong, fieldValidation="Strict")
    assert status["message"] == (
        'StorageClass in version "v1" cannot be handled as a StorageClass: strict decoding error: unknown field "foo"'
    )
    warned = api.send("POST", CLASSES, wrong)
    assert (warned.status_code, warned.headers["Warning"]) == (201, '299 - "unknown field \\"foo\\""')
    assert "foo" not in warned.json()
    silent = api.send("POST", CLASSES, {**wrong, "metadata": {"name": "other"}}, fieldValidation="Ignore")
    assert silent.status_code == 201
    assert "Warning" not in silent.headers
    status = api.refused(422, "PATCH", f"{CLASSES}/vast", {"foo": 1}, MERGE, fieldValidation="Strict")
    assert status["message"].startswith(' "" is invalid: patch: Invalid value: ')
    assert status["message"].endswith('strict decoding error: unknown field "foo"')
    deep = claim()
    deep["spec"]["resources"]["foo"] = 1
    assert (
        'unknown field "spec.resources.foo"'
        in api.refused(400, "POST", CLAIMS, deep, fieldValidation="Strict")["message"]
    )
    twice = '{"metadata":{"name":"x"},"data":{"a":"1","a":"2"}}'
    assert "duplicate field" in api.refused(400, "POST", MAPS, twice, fieldValidation="Strict")["message"]


def test_options_are_checked(api: Api) -> None:
    assert fields(api.refused(422, "POST", CLASSES, storage_class(), dryRun="some")) == [
        ("FieldValueNotSupported", "dryRun")
    ]
    assert fields(api.refused(422, "POST", CLASSES, storage_class(), fieldManager="x" * 129)) == [
        ("FieldValueTooLong", "fieldManager")
    ]
    assert fields(api.refused(422, "POST", CLASSES, storage_class(), fieldValidation="x")) == [
        ("FieldValueNotSupported", "fieldValidation")
    ]


def test_dry_run_keeps_nothing(api: Api) -> None:
    made = api.post(CLASSES, storage_class(), dryRun="All")
    assert made["reclaimPolicy"] == "Delete"
    assert "resourceVersion" not in made["metadata"]
    api.refused(404, "GET", f"{CLASSES}/vast")
    api.post(CLASSES, storage_class())
    api.merge(f"{CLASSES}/vast", {"allowVolumeExpansion": True}, dryRun="All")
    api.ok("DELETE", f"{CLASSES}/vast", dryRun="All")
    api.ok("DELETE", f"{CLASSES}/vast", {"dryRun": ["All"]})
    assert "allowVolumeExpansion" not in api.get(f"{CLASSES}/vast")


def test_resource_versions_and_identity(api: Api) -> None:
    made = api.post(MAPS, config_map(a="1"))
    old = made["metadata"]["resourceVersion"]
    new = api.merge(f"{MAPS}/map", {"data": {"a": "2"}, "metadata": {"resourceVersion": old}})["metadata"][
        "resourceVersion"
    ]
    assert int(new) > int(old)
    same = api.merge(f"{MAPS}/map", {"data": {"a": "2"}})
    assert same["metadata"]["resourceVersion"] == new
    for method, body, kind in (
        ("PATCH", {"data": {"a": "3"}, "metadata": {"resourceVersion": old}}, MERGE),
        ("PUT", {**config_map(a="3"), "metadata": {"name": "map", "resourceVersion": old}}, "application/json"),
    ):
        status = api.refused(409, method, f"{MAPS}/map", body, kind)
        assert (status["reason"], "causes" in status["details"]) == ("Conflict", False)
    api.refused(409, "PUT", f"{MAPS}/map", {**config_map(a="3"), "metadata": {"name": "map", "uid": "other"}})
    assert (
        "does not match the name on the URL" in api.refused(400, "PUT", f"{MAPS}/map", config_map("other"))["message"]
    )
    assert fields(api.refused(422, "PATCH", f"{MAPS}/map", {"metadata": {"uid": "1"}}, MERGE)) == [
        ("FieldValueInvalid", "metadata.uid")
    ]
    assert api.ok("PUT", f"{MAPS}/map", config_map(b="1"))["data"] == {"b": "1"}
    api.refused(500, "POST", MAPS, {"metadata": {"name": "x", "resourceVersion": "3"}})
    name = api.post(MAPS, {"metadata": {"generateName": "gen-"}})["metadata"]["name"]
    assert (name[:4], len(name)) == ("gen-", 9)


def test_delete_preconditions(api: Api) -> None:
    metadata = api.post(MAPS, config_map())["metadata"]
    status = api.refused(409, "DELETE", f"{MAPS}/map", {"preconditions": {"uid": "other"}})
    assert status["reason"] == "Conflict"
    assert (
        f"the UID in the precondition (other) does not match the UID in record ({metadata['uid']})" in status["message"]
    )
    api.refused(409, "DELETE", f"{MAPS}/map", {"preconditions": {"resourceVersion": "1"}})
    api.refused(422, "DELETE", f"{MAPS}/map", {"propagationPolicy": "X"})
    good = {"uid": metadata["uid"], "resourceVersion": metadata["resourceVersion"]}
    gone = api.ok("DELETE", f"{MAPS}/map", {"preconditions": good})
    assert (gone["status"], gone["details"]["uid"]) == ("Success", metadata["uid"])
    assert api.refused(404, "DELETE", f"{MAPS}/map")["reason"] == "NotFound"


def test_finalizers_hold_an_object(api: Api) -> None:
    api.post(MAPS, {**config_map(), "metadata": {"name": "map", "finalizers": ["a.b/c"]}})
    assert "deletionTimestamp" in api.ok("DELETE", f"{MAPS}/map")["metadata"]
    assert "object is being deleted" in api.refused(409, "POST", MAPS, config_map())["message"]
    assert fields(
        api.refused(422, "PATCH", f"{MAPS}/map", {"metadata": {"finalizers": ["a.b/c", "d.e/f"]}}, MERGE)
    ) == [("FieldValueForbidden", "metadata.finalizers")]
    api.merge(f"{MAPS}/map", {"metadata": {"finalizers": None}})
    api.refused(404, "GET", f"{MAPS}/map")


def test_patch_formats(api: Api) -> None:
    api.post(MAPS, config_map(a="1", b="2"))
    assert api.merge(f"{MAPS}/map", {"data": {"a": None, "c": "3"}})["data"] == {"b": "2", "c": "3"}
    operations = [{"op": "test", "path": "/data/b", "value": "2"}, {"op": "move", "from": "/data/b", "path": "/data/d"}]
    assert api.ok("PATCH", f"{MAPS}/map", operations, JSON)["data"] == {"c": "3", "d": "2"}
    assert api.refused(422, "PATCH", f"{MAPS}/map", operations, JSON)["reason"] == "Invalid"
    api.refused(400, "PATCH", f"{MAPS}/map", {"op": "add"}, JSON)
    api.ok("PATCH", f"{MAPS}/map", {"metadata": {"finalizers": ["a.b/c"]}}, STRATEGIC)
    body = {"metadata": {"finalizers": ["d.e/f"]}, "data": {"$patch": "replace", "z": "1"}}
    merged = api.ok("PATCH", f"{MAPS}/map", body, STRATEGIC)
    assert (merged["metadata"]["finalizers"], merged["data"]) == (["d.e/f", "a.b/c"], {"z": "1"})
    body = {"metadata": {"$deleteFromPrimitiveList/finalizers": ["d.e/f"]}}
    assert api.ok("PATCH", f"{MAPS}/map", body, STRATEGIC)["metadata"]["finalizers"] == ["a.b/c"]
    pod = {
        "metadata": {"name": "p"},
        "spec": {"containers": [{"name": "a", "image": "i"}, {"name": "b", "image": "j"}]},
    }
    api.post(PODS, pod)
    patched = api.ok("PATCH", f"{PODS}/p", {"spec": {"containers": [{"name": "b", "image": "k"}]}}, STRATEGIC)
    assert [container["image"] for container in patched["spec"]["containers"]] == ["i", "k"]
    api.post(SNAPSHOT_CLASSES, snapshot_class())
    api.refused(415, "PATCH", f"{SNAPSHOT_CLASSES}/snap", {}, STRATEGIC)
    api.refused(415, "PATCH", f"{MAPS}/map", {}, "application/json")


def apply(api: Api, manager: str, data: dict[str, str], **query: str) -> requests.Response:
    return api.send("PATCH", f"{MAPS}/map", config_map(**data), APPLY, fieldManager=manager, **query)


def test_server_side_apply(api: Api) -> None:
    created = apply(api, "m1", {"a": "1", "b": "1"})
    assert created.status_code == 201
    refused = apply(api, "m2", {"a": "2"})
    assert (refused.status_code, refused.json()["message"]) == (
        409,
        'Apply failed with 1 conflict: conflict with "m1": .data.a',
    )
    assert refused.json()["details"]["causes"] == [
        {"reason": "FieldManagerConflict", "message": 'conflict with "m1"', "field": ".data.a"}
    ]
    assert apply(api, "m2", {"a": "1"}).status_code == 200  # the same value is shared
    version = api.get(f"{MAPS}/map")["metadata"]["resourceVersion"]
    assert apply(api, "m2", {"a": "1"}).json()["metadata"]["resourceVersion"] == version
    assert apply(api, "m2", {"a": "2"}, force="true").json()["data"] == {"a": "2", "b": "1"}
    assert apply(api, "m1", {}).json()["data"] == {"a": "2"}  # what m1 no longer wants and nobody else has
    api.merge(f"{MAPS}/map", {"data": {"a": "7"}}, fieldManager="u")
    assert 'conflict with "u" using v1: .data.a' in apply(api, "m2", {"a": "2"}).json()["message"]
    status = api.refused(422, "PATCH", f"{MAPS}/map", config_map(a="1"), APPLY)
    assert fields(status) == [("FieldValueRequired", "fieldManager")]
    assert fields(api.refused(422, "PATCH", f"{MAPS}/map", {}, MERGE, force="true")) == [
        ("FieldValueForbidden", "force")
    ]
    unknown = api.refused(500, "PATCH", f"{MAPS}/map", {**config_map(), "foo": 1}, APPLY, fieldManager="m2")
    assert ".foo: field not declared in schema" in unknown["message"]


def test_managed_fields_follow_the_last_writer(api: Api) -> None:
    api.post(MAPS, config_map(a="1", b="1"), fieldManager="one")
    entries = api.merge(f"{MAPS}/map", {"data": {"b": "2"}}, fieldManager="two")["metadata"]["managedFields"]
    owned = {entry["manager"]: set(entry["fieldsV1"]["f:data"]) - {"."} for entry in entries}
    assert owned == {"one": {"f:a"}, "two": {"f:b"}}


def test_pages_are_one_snapshot(api: Api, clock: list[float]) -> None:
    for index in range(5):
        api.post(CLASSES, storage_class(f"c{index}"))
    first = api.get(CLASSES, limit="2")
    assert first["metadata"]["remainingItemCount"] == 3
    token = first["metadata"]["continue"]
    api.ok("DELETE", f"{CLASSES}/c2")
    api.post(CLASSES, storage_class("c2a"))
    second = api.get(CLASSES, limit="2", **{"continue": token})
    last = api.get(CLASSES, limit="2", **{"continue": second["metadata"]["continue"]})
    names = [item["metadata"]["name"] for page in (first, second, last) for item in page["items"]]
    assert names == ["c0", "c1", "c2", "c3", "c4"]
    assert "continue" not in last["metadata"]
    clock[0] += 301
    gone = api.refused(410, "GET", CLASSES, limit="2", **{"continue": token})
    assert gone["reason"] == "Expired"
    rest = api.get(CLASSES, **{"continue": gone["metadata"]["continue"]})
    assert [item["metadata"]["name"] for item in rest["items"]] == ["c2a", "c3", "c4"]
    api.refused(400, "GET", CLASSES, **{"continue": "xx"})
    api.refused(400, "GET", CLASSES, limit="x")


def test_selectors(api: Api) -> None:
    for name, labels in (("a", {"env": "prod", "x": "1"}), ("b", {"env": "dev"}), ("c", {})):
        api.post(MAPS, {"metadata": {"name": name, "labels": labels}})

    def names(**query: str) -> str:
        return "".join(item["metadata"]["name"] for item in api.get(MAPS, **query)["items"])

    assert names(labelSelector="env=prod") == "a"
    assert names(labelSelector="env!=prod") == "bc"
    assert names(labelSelector="env in (prod,dev),!x") == "b"
    assert names(labelSelector="env notin (prod)") == "bc"
    assert names(labelSelector="env") == "ab"
    assert names(fieldSelector="metadata.name=c") == "c"
    assert names(fieldSelector="metadata.namespace=team,metadata.name!=c") == "ab"
    assert "is not a known field selector" in api.refused(400, "GET", MAPS, fieldSelector="spec.x=1")["message"]
    assert "unable to parse requirement" in api.refused(400, "GET", MAPS, labelSelector="a in b")["message"]
    everywhere = api.get("/api/v1/configmaps")
    assert [item["metadata"]["namespace"] for item in everywhere["items"]] == ["team"] * 3
    assert "kind" not in everywhere["items"][0]
    lines = api.send("GET", MAPS, watch="true", timeoutSeconds="1").text.splitlines()
    assert [json.loads(line)["type"] for line in lines] == ["ADDED"] * 3


def test_namespaces_live_and_die(api: Api) -> None:
    assert api.get(TEAM)["metadata"]["labels"] == {"team": "a", "kubernetes.io/metadata.name": "team"}
    assert api.refused(409, "POST", NAMESPACES, {"metadata": {"name": "team"}})["reason"] == "AlreadyExists"
    assert api.merge(TEAM, {"metadata": {"labels": None}})["metadata"]["labels"] == {
        "kubernetes.io/metadata.name": "team"
    }
    assert (
        api.refused(404, "POST", "/api/v1/namespaces/none/configmaps", config_map())["message"]
        == 'namespaces "none" not found'
    )
    assert "must not contain dots" in api.refused(422, "POST", NAMESPACES, {"metadata": {"name": "a.b"}})["message"]
    assert "may not be deleted" in api.refused(403, "DELETE", f"{NAMESPACES}/default")["message"]
    api.post(MAPS, config_map())
    assert api.ok("DELETE", TEAM)["status"]["phase"] == "Terminating"
    status = api.refused(403, "POST", MAPS, config_map("late"))
    assert status["details"]["causes"][0]["reason"] == "NamespaceTerminating"
    api.refused(404, "GET", TEAM)
    api.post(NAMESPACES, {"metadata": {"name": "team"}})
    assert api.get(MAPS)["items"] == []


def test_a_namespace_takes_its_claims_volumes_along(api: Api, disk: Disk) -> None:
    api.post(CLASSES, storage_class())
    api.post(CLAIMS, claim())
    bound(api)
    assert len(disk.volumes) == 1
    api.post(MAPS, {**config_map(), "metadata": {"name": "held", "finalizers": ["a.b/c"]}})
    api.ok("DELETE", TEAM)
    api.get(TEAM)
    assert disk.volumes == {}
    assert api.get(VOLUMES)["items"] == []
    assert api.get(TEAM)["status"]["phase"] == "Terminating"  # a foreign finalizer keeps it
    api.merge(f"{MAPS}/held", {"metadata": {"finalizers": None}})
    api.get(TEAM)
    api.refused(404, "GET", TEAM)


def test_secrets(api: Api) -> None:
    made = api.post(SECRETS, {"metadata": {"name": "s"}, "data": {"a": "YQ=="}, "stringData": {"b": "b"}})
    assert (made["type"], made["data"], "stringData" in made) == ("Opaque", {"a": "YQ==", "b": "Yg=="}, False)
    assert (
        "illegal base64 data"
        in api.refused(400, "POST", SECRETS, {"metadata": {"name": "t"}, "data": {"a": "YQ"}})["message"]
    )
    assert fields(api.refused(422, "PATCH", f"{SECRETS}/s", {"type": "x"}, MERGE)) == [("FieldValueInvalid", "type")]
    tls = {"metadata": {"name": "t"}, "type": "kubernetes.io/tls"}
    assert [field for _, field in fields(api.refused(422, "POST", SECRETS, tls))] == ["data[tls.crt]", "data[tls.key]"]
    big = {"metadata": {"name": "t"}, "stringData": {"a": "x" * 1048577}}
    assert fields(api.refused(422, "POST", SECRETS, big)) == [("FieldValueTooLong", "data")]
    api.merge(f"{SECRETS}/s", {"immutable": True})
    status = api.refused(422, "PATCH", f"{SECRETS}/s", {"data": {"a": "Yg=="}, "immutable": False}, MERGE)
    assert [field for _, field in fields(status)] == ["immutable", "data"]


def test_csi_driver(api: Api) -> None:
    made = api.post(DRIVERS, {"metadata": {"name": "csi.vastdata.com"}, "spec": {"podInfoOnMount": True}})
    assert (made["spec"]["attachRequired"], made["spec"]["volumeLifecycleModes"]) == (True, ["Persistent"])
    change = {"spec": {"attachRequired": False, "volumeLifecycleModes": ["Ephemeral"]}}
    status = api.refused(422, "PATCH", f"{DRIVERS}/csi.vastdata.com", change, MERGE)
    assert [field for _, field in fields(status)] == ["spec.attachedRequired", "spec.volumeLifecycleModes"]
    assert (
        api.merge(f"{DRIVERS}/csi.vastdata.com", {"spec": {"fsGroupPolicy": "File"}})["spec"]["fsGroupPolicy"] == "File"
    )


def snapshot_class(**fields: Any) -> dict[str, Any]:
    base = {"apiVersion": "snapshot.storage.k8s.io/v1", "kind": "VolumeSnapshotClass", "metadata": {"name": "snap"}}
    return {**base, "driver": "csi.vastdata.com", "deletionPolicy": "Delete", **fields}


def test_snapshot_classes_follow_their_definition(api: Api) -> None:
    status = api.refused(422, "POST", SNAPSHOT_CLASSES, snapshot_class(deletionPolicy="X", driver=None))
    assert fields(status) == [("FieldValueNotSupported", "deletionPolicy"), ("FieldValueRequired", "driver")]
    status = api.refused(422, "POST", SNAPSHOT_CLASSES, snapshot_class(parameters={"a": 1}))
    assert fields(status) == [("FieldValueTypeInvalid", "parameters.a")]
    assert (
        "Object 'Kind' is missing" in api.refused(400, "POST", SNAPSHOT_CLASSES, {"metadata": {"name": "x"}})["message"]
    )
    api.post(SNAPSHOT_CLASSES, snapshot_class())
    changed = api.merge(
        f"{SNAPSHOT_CLASSES}/snap", {"driver": "d", "deletionPolicy": "Retain", "parameters": {"a": "b"}}
    )
    assert (changed["driver"], changed["metadata"]["generation"]) == ("d", 2)
    status = api.refused(422, "PUT", f"{SNAPSHOT_CLASSES}/snap", snapshot_class())
    assert fields(status) == [("FieldValueInvalid", "metadata.resourceVersion")]
    assert api.get(SNAPSHOT_CLASSES)["items"][0]["kind"] == "VolumeSnapshotClass"


def test_snapshots_obey_the_rules_of_their_definition(api: Api) -> None:
    head = {"apiVersion": "snapshot.storage.k8s.io/v1", "kind": "VolumeSnapshot", "metadata": {"name": "s"}}
    status = api.refused(422, "POST", SNAPSHOTS, {**head, "spec": {"source": {}, "volumeSnapshotClassName": ""}})
    assert [field for _, field in fields(status)] == ["spec.source", "spec.volumeSnapshotClassName"]
    api.post(SNAPSHOTS, {**head, "spec": {"source": {"persistentVolumeClaimName": "a"}}})
    change = {"spec": {"source": {"persistentVolumeClaimName": "b"}}}
    assert (
        "persistentVolumeClaimName is immutable"
        in api.refused(422, "PATCH", f"{SNAPSHOTS}/s", change, MERGE)["message"]
    )


def test_leases_are_locks(api: Api) -> None:
    lease = {"metadata": {"name": "l"}, "spec": {"holderIdentity": "me", "renewTime": "2026-01-01T00:00:00.000000Z"}}
    made = api.post(LEASES, lease)
    api.refused(409, "POST", LEASES, lease)
    assert fields(api.refused(422, "PUT", f"{LEASES}/l", lease)) == [("FieldValueInvalid", "metadata.resourceVersion")]
    version = made["metadata"]["resourceVersion"]
    taken = {"metadata": {"name": "l", "resourceVersion": version}, "spec": {"holderIdentity": "you"}}
    assert api.ok("PUT", f"{LEASES}/l", taken)["spec"]["holderIdentity"] == "you"
    assert api.refused(409, "PUT", f"{LEASES}/l", taken)["reason"] == "Conflict"
    assert api.ok("PUT", f"{LEASES}/new", {"metadata": {"name": "new"}})["metadata"]["name"] == "new"
    whole = {"metadata": {"name": "m"}, "spec": {"renewTime": "2026-01-01T00:00:00Z"}}
    assert 'cannot parse "Z" as ".000000"' in api.refused(400, "POST", LEASES, whole)["message"]
    zero = {"metadata": {"name": "m"}, "spec": {"leaseDurationSeconds": 0}}
    assert fields(api.refused(422, "POST", LEASES, zero)) == [("FieldValueInvalid", "spec.leaseDurationSeconds")]


@pytest.mark.parametrize(
    ("given", "kept"),
    [("1024Mi", "1Gi"), ("1.5Gi", "1536Mi"), ("1000G", "1T"), ("1e3", "1e3"), ("1500", "1500"), ("2048Ki", "2Mi"),
     ("1000", "1k"),     ("0.1Gi", "107374182400m")],
)  # fmt: skip
def test_quantities_have_one_form(api: Api, given: str, kept: str) -> None:
    made = api.post(CLAIMS, claim(size=given), dryRun="All")
    assert made["spec"]["resources"]["requests"]["storage"] == kept


def test_claims_are_checked(api: Api) -> None:
    empty = {"metadata": {"name": "e"}, "spec": {}}
    assert [field for _, field in fields(api.refused(422, "POST", CLAIMS, empty))] == [
        "spec.accessModes",
        "spec.resources[storage]",
    ]
    assert "must be greater than zero" in api.refused(422, "POST", CLAIMS, claim(size="0"))["message"]
    assert "quantities must match" in api.refused(400, "POST", CLAIMS, claim(size="abc"))["message"]
    both = claim(accessModes=["ReadWriteOncePod", "ReadWriteOnce"])
    assert fields(api.refused(422, "POST", CLAIMS, both)) == [("FieldValueForbidden", "spec.accessModes")]
    modes = claim(accessModes=["X"], volumeMode="Y")
    assert [field for _, field in fields(api.refused(422, "POST", CLAIMS, modes))] == [
        "spec.accessModes",
        "spec.volumeMode",
    ]
    elsewhere = {**claim(), "metadata": {"name": "data", "namespace": "other"}}
    assert "does not match the namespace sent on the request" in api.refused(400, "POST", CLAIMS, elsewhere)["message"]


def test_the_newest_default_class_is_taken(api: Api, clock: list[float]) -> None:
    mark = {"storageclass.kubernetes.io/is-default-class": "true"}
    api.post(CLASSES, storage_class("z", metadata={"name": "z", "annotations": mark}))
    clock[0] += 1
    api.post(CLASSES, storage_class("a", metadata={"name": "a", "annotations": mark}))
    clock[0] += 1
    api.post(CLASSES, storage_class("b"))
    assert api.post(CLAIMS, claim(storage=None))["spec"]["storageClassName"] == "a"
    assert api.post(CLAIMS, claim("none", ""))["spec"]["storageClassName"] == ""
    assert [(entry["name"], entry["is_default"]) for entry in api.plane.storage_classes()] == [
        ("z", True),
        ("a", True),
        ("b", False),
    ]


def test_a_claim_is_provisioned_grown_and_deleted(api: Api, disk: Disk) -> None:
    api.post(CLASSES, storage_class(allowVolumeExpansion=True, mountOptions=["vers=4.1"]))
    made = api.post(CLAIMS, claim())
    volume = f"pvc-{made['metadata']['uid']}"
    assert api.get(f"{CLAIMS}/data")["status"] == {"phase": "Pending"}
    there = api.get(f"{CLAIMS}/data")
    assert (there["status"]["phase"], there["status"]["capacity"], there["spec"]["volumeName"]) == (
        "Bound",
        {"storage": "1Gi"},
        volume,
    )
    pv = api.get(f"{VOLUMES}/{volume}")
    assert (pv["status"]["phase"], pv["spec"]["persistentVolumeReclaimPolicy"], pv["spec"]["mountOptions"]) == (
        "Bound",
        "Delete",
        ["vers=4.1"],
    )
    assert pv["spec"]["csi"]["volumeAttributes"]["view_id"] == "7"
    assert pv["spec"]["claimRef"]["uid"] == made["metadata"]["uid"]
    assert disk.volumes == {volume: 2**30}
    (wanted,) = disk.wanted
    assert (wanted.name, wanted.mount_options) == (f"csi:team:data:{volume}"[:64], ("vers=4.1",))
    api.merge(f"{CLAIMS}/data", grown("2048Mi"))
    assert api.get(f"{CLAIMS}/data")["status"]["capacity"] == {"storage": "1Gi"}
    assert api.get(f"{CLAIMS}/data")["status"]["capacity"] == {"storage": "2Gi"}
    assert disk.volumes == {volume: 2**31}
    version = api.get(f"{CLAIMS}/data")["metadata"]["resourceVersion"]
    assert api.merge(f"{CLAIMS}/data", grown("2048Mi"))["metadata"]["resourceVersion"] == version
    assert "deletionTimestamp" in api.ok("DELETE", f"{CLAIMS}/data")["metadata"]
    api.get(f"{CLAIMS}/data")
    api.refused(404, "GET", f"{CLAIMS}/data")
    api.refused(404, "GET", f"{VOLUMES}/{volume}")
    assert disk.volumes == {}


def test_what_a_claim_may_not_change(api: Api) -> None:
    api.post(CLASSES, storage_class())
    api.post(CLAIMS, claim())
    only = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"
    assert only in api.refused(422, "PATCH", f"{CLAIMS}/data", grown("2Gi"), MERGE)["message"]  # not bound yet
    bound(api)
    assert (
        "only dynamically provisioned pvc can be resized"
        in api.refused(403, "PATCH", f"{CLAIMS}/data", grown("2Gi"), MERGE)["message"]
    )
    api.merge(f"{CLASSES}/vast", {"allowVolumeExpansion": True})
    api.merge(f"{CLAIMS}/data", grown("2Gi"))
    status = api.refused(422, "PATCH", f"{CLAIMS}/data", grown("1Gi"), MERGE)
    assert fields(status) == [("FieldValueForbidden", "spec.resources.requests.storage")]
    for change in ({"storageClassName": "b"}, {"accessModes": ["ReadWriteOnce"]}):
        assert only in api.refused(422, "PATCH", f"{CLAIMS}/data", {"spec": change}, MERGE)["message"]
    legacy = "volume.beta.kubernetes.io/storage-class"
    status = api.refused(422, "PATCH", f"{CLAIMS}/data", {"metadata": {"annotations": {legacy: "b"}}}, MERGE)
    assert fields(status) == [("FieldValueInvalid", f"metadata.annotations.{legacy}")]
    api.ok("DELETE", f"{CLASSES}/vast")
    api.refused(403, "PATCH", f"{CLAIMS}/data", grown("3Gi"), MERGE)


def test_a_name_that_does_not_resolve_leaves_the_claim_pending(api: Api) -> None:
    wrong = {"root_export": "/k8s", "view_policy": "q", "vip_pool_name": "pool"}
    api.post(CLASSES, storage_class(parameters=wrong))
    api.post(CLASSES, storage_class("poolless", parameters={"root_export": "/k8s", "view_policy": "p"}))
    api.post(CLAIMS, claim())
    api.post(CLAIMS, claim("other", "poolless"))
    assert bound(api)["status"]["phase"] == "Pending"
    assert bound(api, "other")["status"]["phase"] == "Pending"
    told = [event["message"] for event in api.get(f"{TEAM}/events")["items"]]
    assert told[0] == 'failed to provision volume with StorageClass "vast": no view policy q'
    assert "exactly one of vip_pool_name and vip_pool_fqdn" in told[1]
    assert api.get(VOLUMES)["items"] == []
    api.ok("DELETE", f"{CLASSES}/vast")
    api.post(CLASSES, storage_class())
    assert bound(api)["status"]["phase"] == "Bound"


def test_a_secret_must_be_there_before_the_claim_and_outlive_the_volume(api: Api, disk: Disk) -> None:
    pair = {f"csi.storage.k8s.io/{purpose}-secret-{part}": value for purpose in ("provisioner", "node-publish")
            for part, value in (("name", "vms"), ("namespace", "${pvc.namespace}"))}  # fmt: skip
    api.post(CLASSES, storage_class(parameters={**storage_class()["parameters"], **pair}))
    api.post(CLAIMS, claim())
    assert bound(api)["status"]["phase"] == "Pending"
    api.post(SECRETS, {"metadata": {"name": "vms"}})
    volume = bound(api)["spec"]["volumeName"]
    spec = api.get(f"{VOLUMES}/{volume}")["spec"]
    assert spec["csi"]["nodePublishSecretRef"] == {"name": "vms", "namespace": "team"}
    assert not any(key.startswith("csi.storage") for key in spec["csi"]["volumeAttributes"])
    api.ok("DELETE", f"{SECRETS}/vms")
    api.ok("DELETE", f"{CLAIMS}/data")
    api.get(f"{CLAIMS}/data")
    assert api.get(f"{VOLUMES}/{volume}")["status"]["phase"] == "Released"
    assert list(disk.volumes) == [volume]
    api.post(SECRETS, {"metadata": {"name": "vms"}})
    for _ in range(4):
        api.get(CLASSES)
    api.refused(404, "GET", f"{VOLUMES}/{volume}")
    assert disk.volumes == {}


def test_retain_keeps_the_volume(api: Api, disk: Disk) -> None:
    api.post(CLASSES, storage_class(reclaimPolicy="Retain"))
    api.post(CLAIMS, claim())
    volume = bound(api)["spec"]["volumeName"]
    api.ok("DELETE", f"{CLAIMS}/data")
    api.get(f"{CLAIMS}/data")
    assert api.get(f"{VOLUMES}/{volume}")["status"]["phase"] == "Released"
    api.post(CLAIMS, claim())
    assert bound(api)["spec"]["volumeName"] != volume  # a released volume is not given to the next claim
    assert len(disk.volumes) == 2


def volume(name: str = "static", **spec: Any) -> dict[str, Any]:
    source = {"driver": "csi.vastdata.com", "volumeHandle": "/data", "volumeAttributes": {"vip_pool_name": "pool"}}
    base = {"capacity": {"storage": "10Gi"}, "accessModes": ["ReadWriteMany"], "csi": source, **spec}
    return {"metadata": {"name": name}, "spec": base}


def test_static_volumes(api: Api, disk: Disk) -> None:
    bare = {"metadata": {"name": "v"}, "spec": {}}
    assert ("FieldValueRequired", "spec") in fields(api.refused(422, "POST", VOLUMES, bare))
    made = api.post(VOLUMES, volume())
    assert made["spec"]["persistentVolumeReclaimPolicy"] == "Retain"
    status = api.refused(422, "PATCH", f"{VOLUMES}/static", {"spec": {"csi": {"volumeHandle": "/x"}}}, MERGE)
    assert fields(status) == [("FieldValueForbidden", "spec.persistentvolumesource")]
    api.merge(f"{VOLUMES}/static", {"spec": {"mountOptions": ["vers=3"]}})
    assert api.get(f"{VOLUMES}/static")["status"]["phase"] == "Available"
    api.post(CLAIMS, claim("big", "", "20Gi", volumeName="static"))
    assert bound(api, "big")["status"]["phase"] == "Pending"
    api.post(CLAIMS, claim("data", "", "5Gi", volumeName="static"))
    assert bound(api)["status"]["capacity"] == {"storage": "10Gi"}
    assert "deletionTimestamp" in api.ok("DELETE", f"{VOLUMES}/static")["metadata"]
    api.get(f"{VOLUMES}/static")
    assert api.get(f"{VOLUMES}/static")["status"]["phase"] == "Bound"  # held by its claim
    api.ok("DELETE", f"{CLAIMS}/data")
    api.get(f"{CLAIMS}/data")
    api.refused(404, "GET", f"{VOLUMES}/static")
    assert disk.volumes == {}


def test_time_passes_for_what_nobody_asks_for(api: Api, disk: Disk) -> None:
    api.post(CLASSES, storage_class())
    api.post(CLAIMS, claim())
    api.get(NAMESPACES)
    assert api.get(f"{CLAIMS}/data")["status"]["phase"] == "Bound"


def test_a_watch_stays_open_and_sends_what_happens(api: Api) -> None:
    api.post(MAPS, config_map("before"))
    since = api.get(MAPS)["metadata"]["resourceVersion"]
    told: list[Any] = []
    headers = {"Authorization": f"Bearer {TOKEN}"}
    query = {"watch": "true", "resourceVersion": since, "timeoutSeconds": "2", "fieldSelector": "metadata.name=one"}
    with requests.get(
        api.server.url + MAPS, params=query, headers=headers, stream=True, verify=str(api.pem), timeout=10
    ) as answer:
        assert answer.headers["Content-Type"].startswith("application/json")
        lines = answer.iter_lines(chunk_size=1)
        for method, path, body, kind in (
            ("POST", MAPS, config_map("one"), "application/json"),
            ("PATCH", f"{MAPS}/one", {"data": {"a": "2"}}, MERGE),
            ("DELETE", f"{MAPS}/one", None, ""),
        ):
            api.ok(method, path, body, kind)
            api.post(MAPS, config_map(f"beside-{method.lower()}"))
            told.append(json.loads(next(lines)))
        assert list(lines) == []  # it ends after its time
    assert [(event["type"], event["object"]["metadata"]["name"]) for event in told] == [
        ("ADDED", "one"), ("MODIFIED", "one"), ("DELETED", "one"),
    ]  # fmt: skip
    later = api.send("GET", MAPS, **(query | {"timeoutSeconds": "1"})).text.splitlines()
    assert [json.loads(line)["type"] for line in later] == ["DELETED"]


def test_controllers_act_while_somebody_only_watches(api: Api, disk: Disk) -> None:
    api.post(CLASSES, storage_class())
    api.post(CLAIMS, claim())
    headers = {"Authorization": f"Bearer {TOKEN}"}
    query = {"watch": "true", "timeoutSeconds": "5"}
    with requests.get(
        api.server.url + CLAIMS, params=query, headers=headers, stream=True, verify=str(api.pem), timeout=10
    ) as answer:
        phases = []
        for line in answer.iter_lines(chunk_size=1):
            phases.append(json.loads(line)["object"]["status"].get("phase"))
            if phases[-1] == "Bound":
                break
    assert phases[-1] == "Bound"


def test_tables(api: Api, disk: Disk) -> None:
    api.post(CLASSES, storage_class())
    api.post(CLAIMS, claim())
    volume = bound(api)["spec"]["volumeName"]
    accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"

    def cells(path: str) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {TOKEN}", "Accept": accept}
        told = requests.get(api.server.url + path, headers=headers, verify=str(api.pem), timeout=10).json()
        assert (told["kind"], told["apiVersion"]) == ("Table", "meta.k8s.io/v1")
        names = [column["name"] for column in told["columnDefinitions"]]
        return dict(zip(names, told["rows"][0]["cells"], strict=True))

    assert cells(CLAIMS) | {"Age": ""} == {
        "Name": "data", "Status": "Bound", "Volume": volume, "Capacity": "1Gi", "Access Modes": "RWX",
        "StorageClass": "vast", "Age": "",
    }  # fmt: skip
    assert cells(f"{VOLUMES}/{volume}")["Claim"] == "team/data"
    assert cells(CLASSES)["Provisioner"] == "csi.vastdata.com" and cells(TEAM)["Status"] == "Active"


def test_a_collection_is_deleted(api: Api) -> None:
    for name in ("one", "two"):
        api.post(MAPS, config_map(name))
    api.merge(f"{MAPS}/one", {"metadata": {"labels": {"a": "b"}}})
    assert [item["metadata"]["name"] for item in api.ok("DELETE", MAPS, labelSelector="a=b")["items"]] == ["one"]
    assert [item["metadata"]["name"] for item in api.get(MAPS)["items"]] == ["two"]
    api.refused(405, "DELETE", NAMESPACES)
    api.refused(405, "DELETE", "/api/v1/configmaps")


def test_a_pod_holds_its_claim(api: Api) -> None:
    api.post(CLASSES, storage_class(volumeBindingMode="WaitForFirstConsumer"))
    api.post(CLAIMS, claim())
    assert bound(api)["status"]["phase"] == "Pending"
    spec = {
        "containers": [{"name": "c", "image": "i"}],
        "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}],
    }
    api.post(PODS, {"metadata": {"name": "p"}, "spec": spec})
    assert bound(api)["status"]["phase"] == "Bound"
    api.ok("DELETE", f"{CLAIMS}/data")
    assert "deletionTimestamp" in bound(api)["metadata"]
    api.ok("DELETE", f"{PODS}/p")
    api.get(PODS)  # the claim goes, whether somebody asks for it or not
    api.get(PODS)
    api.refused(404, "GET", f"{CLAIMS}/data")
    assert "spec.containers: Required value" in api.refused(422, "POST", PODS, {"metadata": {"name": "q"}})["message"]


def test_quota_per_class(api: Api) -> None:
    api.post(CLASSES, storage_class(allowVolumeExpansion=True))
    size, count = (
        f"vast.storageclass.storage.k8s.io/{name}" for name in ("requests.storage", "persistentvolumeclaims")
    )
    made = api.post(
        QUOTAS, {"metadata": {"name": "q"}, "spec": {"hard": {size: "2048Mi", count: "2", "persistentvolumeclaims": 5}}}
    )
    assert made["status"] == {}
    quota = api.get(f"{QUOTAS}/q")
    assert quota["status"] == {
        "hard": quota["spec"]["hard"],
        "used": {size: "0", count: "0", "persistentvolumeclaims": "0"},
    }
    assert api.refused(403, "POST", CLAIMS, claim(size="3Gi"))["message"] == (
        f'persistentvolumeclaims "data" is forbidden: exceeded quota: q, '
        f"requested: {size}=3Gi, used: {size}=0, limited: {size}=2Gi"
    )
    api.post(CLAIMS, claim())
    bound(api)
    assert api.get(f"{QUOTAS}/q")["status"]["used"] == {size: "1Gi", count: "1", "persistentvolumeclaims": "1"}
    api.refused(403, "PATCH", f"{CLAIMS}/data", grown("3Gi"), MERGE)
    api.merge(f"{CLAIMS}/data", grown("2Gi"))
    api.merge(f"{QUOTAS}/q", {"spec": {"hard": {size: "0"}}})
    api.merge(f"{CLAIMS}/data", {"metadata": {"labels": {"still": "fine"}}})  # what is there stays
    api.refused(403, "POST", CLAIMS, claim("more"))
    api.post(CLAIMS, claim("elsewhere", "open"))
    api.plane.delete_pvc("team", "data")
    assert api.get(f"{QUOTAS}/q")["status"]["used"] == {size: "0", count: "0", "persistentvolumeclaims": "1"}
    bad = {
        "metadata": {"name": "b"},
        "spec": {"hard": {"foo": "1", "requests.storage": "-1", "persistentvolumeclaims": "1.5"}},
    }
    assert {field for _, field in fields(api.refused(422, "POST", QUOTAS, bad))} == {
        "spec.hard[foo]", "spec.hard[requests.storage]", "spec.hard[persistentvolumeclaims]",
    }  # fmt: skip


def test_a_policy_closes_a_class(api: Api) -> None:
    api.post(NAMESPACES, {"metadata": {"name": "other"}})
    closed = (
        "!has(object.spec.storageClassName) || object.spec.storageClassName != 'vast' || request.namespace in ['other']"
    )
    made = api.post(POLICIES, policy("closed", closed))
    assert (made["spec"]["failurePolicy"], made["spec"]["matchConstraints"]["resourceRules"][0]["scope"]) == (
        "Fail",
        "*",
    )
    api.post(CLAIMS, claim("before"))  # a policy without a binding says nothing
    bind(api, "closed")
    status = api.refused(422, "POST", CLAIMS, claim())
    denied = "ValidatingAdmissionPolicy 'closed' with binding 'closed-binding' denied request: not yours"
    assert (status["reason"], status["message"]) == ("Invalid", f'persistentvolumeclaims "data" is forbidden: {denied}')
    assert status["details"]["causes"] == [{"message": denied}]
    api.refused(422, "POST", CLAIMS, claim(), dryRun="All")
    api.post(CLAIMS, claim("open", "open"))
    api.post("/api/v1/namespaces/other/persistentvolumeclaims", claim())
    api.refused(422, "PATCH", f"{CLAIMS}/before", {"metadata": {"labels": {"a": "b"}}}, MERGE)
    api.ok("DELETE", f"{BINDINGS}/closed-binding")
    api.post(CLAIMS, claim())


def test_a_policy_sees_inline_volumes(api: Api) -> None:
    inline = "!object.spec.?volumes.orValue([]).exists(v, has(v.csi) && v.csi.driver in ['csi.vastdata.com'])"
    api.post(POLICIES, policy("inline", inline, ("pods",)))
    bind(api, "inline")
    pod: dict[str, Any] = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    api.post(PODS, pod)
    pod = {
        "metadata": {"name": "q"},
        "spec": {**pod["spec"], "volumes": [{"name": "v", "csi": {"driver": "csi.vastdata.com"}}]},
    }
    assert "denied request: not yours" in api.refused(422, "POST", PODS, pod)["message"]


def test_which_requests_a_policy_looks_at(api: Api) -> None:
    match = {"namespaceSelector": {"matchLabels": {"team": "b"}}}
    api.post(
        POLICIES,
        policy(
            "p",
            "false",
            validations=[{"expression": "false", "messageExpression": "'no ' + request.name", "reason": "Forbidden"}],
        ),
    )
    bind(api, "p", matchResources=match)
    api.post(CLAIMS, claim("one"))
    api.merge(TEAM, {"metadata": {"labels": {"team": "b"}}})
    assert "denied request: no two" in api.refused(403, "POST", CLAIMS, claim("two"))["message"]
    conditions = [{"name": "only", "expression": "object.metadata.name.startsWith('t')"}]
    version = api.get(f"{POLICIES}/p")["metadata"]["resourceVersion"]
    api.merge(f"{POLICIES}/p", {"metadata": {"resourceVersion": version}, "spec": {"matchConditions": conditions}})
    api.post(CLAIMS, claim("some"))
    api.refused(403, "POST", CLAIMS, claim("two"))
    api.merge(f"{BINDINGS}/p-binding", {"spec": {"validationActions": ["Warn"]}})
    warned = api.send("POST", CLAIMS, claim("two"))
    assert (warned.status_code, "Validation failed for ValidatingAdmissionPolicy 'p'" in warned.headers["Warning"]) == (
        201,
        True,
    )


def test_an_expression_that_fails_denies_or_not_by_its_policy(api: Api) -> None:
    api.post(POLICIES, policy("p", "object.spec.nosuch == 'x'"))
    bind(api, "p")
    message = api.refused(422, "POST", CLAIMS, claim())["message"]
    assert message.endswith(
        "denied request: expression 'object.spec.nosuch == 'x'' resulted in error: no such key: nosuch"
    )
    conditions = [{"name": "only", "expression": "object.spec.nothing"}]
    api.merge(f"{POLICIES}/p", {"spec": {"matchConditions": conditions}})
    assert "no such key: nothing" in api.refused(422, "POST", CLAIMS, claim())["message"]
    api.merge(f"{POLICIES}/p", {"spec": {"failurePolicy": "Ignore"}})
    api.post(CLAIMS, claim())


def test_variables_and_namespace_of_a_policy(api: Api) -> None:
    variables = [
        {"name": "teams", "expression": "['b', 'c']"},
        {"name": "team", "expression": "namespaceObject.metadata.labels.team"},
    ]
    api.post(POLICIES, policy("p", "variables.team in variables.teams", variables=variables))
    bind(api, "p")
    api.refused(422, "POST", CLAIMS, claim())
    api.merge(TEAM, {"metadata": {"labels": {"team": "c"}}})
    api.post(CLAIMS, claim())


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("object.spec.", "compilation failed: ERROR: <input>:1:13: Syntax error"),
        ("foo == 1", "undeclared reference to 'foo' (in container '')"),
        ("object.all(x, x == y)", "undeclared reference to 'y'"),
        ("bar(object)", "undeclared reference to 'bar'"),
        ("params.x == 1", "undeclared reference to 'params'"),
        ("'x'", "must evaluate to bool but got string"),
        ("", "Required value: expression is not specified"),
    ],
)
def test_expressions_are_compiled_when_a_policy_is_made(api: Api, expression: str, words: str) -> None:
    status = api.refused(422, "POST", POLICIES, policy("p", expression))
    assert words in status["message"]
    assert [field for _, field in fields(status)] == ["spec.validations[0].expression"]


def test_policies_and_bindings_are_checked(api: Api) -> None:
    assert [field for _, field in fields(api.refused(422, "POST", POLICIES, {"metadata": {"name": "p"}}))] == [
        "spec.matchConstraints", "spec.validations", "spec.auditAnnotations",
    ]  # fmt: skip
    body = {"metadata": {"name": "b"}, "spec": {"validationActions": ["Deny", "Warn"]}}
    assert [field for _, field in fields(api.refused(422, "POST", BINDINGS, body))] == [
        "spec.policyName",
        "spec.validationActions",
    ]
    body["spec"] = {"policyName": "p", "validationActions": ["Deny"]}
    api.post(BINDINGS, body)
    assert api.merge(f"{BINDINGS}/b", {"spec": {"policyName": "q"}})["metadata"]["generation"] == 2
    assert fields(api.refused(422, "PUT", f"{BINDINGS}/b", body)) == [("FieldValueInvalid", "metadata.resourceVersion")]


def test_access_reviews_and_denials(api: Api) -> None:
    def allowed(verb: str, resource: str) -> bool:
        attributes = {"verb": verb, "resource": resource, "group": "storage.k8s.io"}
        return bool(api.post(REVIEWS, {"spec": {"resourceAttributes": attributes}})["status"]["allowed"])

    assert allowed("create", "storageclasses")
    api.plane.deny("create", "storageclasses")
    assert (allowed("create", "storageclasses"), allowed("get", "storageclasses")) == (False, True)
    assert api.refused(403, "POST", CLASSES, storage_class())["message"] == (
        'storageclasses.storage.k8s.io is forbidden: User "kubernetes-admin" cannot create resource "storageclasses" '
        'in API group "storage.k8s.io" at the cluster scope'
    )
    api.refused(422, "POST", REVIEWS, {"spec": {}})
    assert not any(call.method == "GET" or "selfsubjectaccessreviews" in call.path for call in api.server.writes())


def test_the_status_subresource(api: Api) -> None:
    api.post(CLAIMS, claim())
    changes = {"status": {"phase": "Lost"}, "metadata": {"labels": {"and": "this"}}, "spec": {"volumeName": "not-this"}}
    done = api.merge(f"{CLAIMS}/data/status", changes)
    assert (done["status"]["phase"], done["metadata"]["labels"], "volumeName" in done["spec"]) == (
        "Lost",
        {"and": "this"},
        False,
    )
    assert api.merge(f"{CLAIMS}/data", {"status": {"phase": "Bound"}})["status"]["phase"] == "Lost"
    api.refused(404, "GET", f"{MAPS}/x/status")


def test_the_cluster_from_inside(api: Api) -> None:
    plane = api.plane
    plane.ensure_namespace("runai-a", {"runai/queue": "a"})
    plane.ensure_namespace("runai-a", {"more": "b"})
    assert plane.namespace_labels("runai-a") == {
        "runai/queue": "a",
        "more": "b",
        "kubernetes.io/metadata.name": "runai-a",
    }
    assert plane.namespace_labels("none") is None
    api.post(CLASSES, storage_class(allowVolumeExpansion=True))
    assert plane.storage_classes() == [
        {"name": "vast", "provisioner": "csi.vastdata.com", "allow_volume_expansion": True, "is_default": False}
    ]
    plane.create_pvc("runai-a", "data", "vast", "1Gi", ["ReadWriteMany"], "Filesystem")
    assert plane.pvc_exists("runai-a", "data")
    with pytest.raises(ValueError, match='persistentvolumeclaims "data" already exists'):
        plane.create_pvc("runai-a", "data", "vast", "1Gi", ["ReadWriteMany"], "Filesystem")
    api.post(POLICIES, policy("p", "false"))
    bind(api, "p")
    with pytest.raises(ValueError, match="denied request: not yours"):
        plane.create_pvc("runai-a", "more", "vast", "1Gi", ["ReadWriteMany"], "Filesystem")
    plane.delete_pvc("runai-a", "data")
    plane.delete_pvc("runai-a", "data")
    assert not plane.pvc_exists("runai-a", "data")


@pytest.mark.slow
def test_state_survives_a_restart(authority: Authority, tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    for expected in ([], ["vast"]):
        store = Store(path)
        server = Server(KubernetesPlane(store, token=TOKEN), authority, threading.RLock()).start()
        api = Api(server.plane, server, write_pem(authority, tmp_path / "ca.pem"))  # type: ignore[arg-type]
        assert [item["metadata"]["name"] for item in api.get(CLASSES)["items"]] == expected
        if not expected:
            api.post(CLASSES, storage_class())
        server.stop()
        store.close()


def test_discovery(api: Api) -> None:
    assert api.get("/version")["gitVersion"].startswith("v1.34")
    assert api.send("GET", "/readyz").text == "ok"
    groups = {group["name"] for group in api.get("/apis")["groups"]}
    assert {
        "storage.k8s.io",
        "snapshot.storage.k8s.io",
        "coordination.k8s.io",
        "admissionregistration.k8s.io",
    } <= groups
    core = {entry["name"]: entry for entry in api.get("/api/v1")["resources"]}
    assert core["persistentvolumeclaims"]["shortNames"] == ["pvc"]
    assert core["events"]["verbs"] == ["get", "list", "watch"]


def pod(name: str = "p", claim: str = "data", **csi: str) -> dict[str, Any]:
    """A pod with a claim, or with a volume of its own when its attributes are given."""
    source: dict[str, Any] = {"persistentVolumeClaim": {"claimName": claim}}
    if csi:
        source = {"csi": {"driver": "csi.vastdata.com", "volumeAttributes": csi}}
    spec = {"containers": [{"name": "c", "image": "i"}], "volumes": [{"name": "v", **source}]}
    return {"metadata": {"name": name}, "spec": spec}


def events(api: Api, namespace: str = "team") -> list[tuple[str, str]]:
    items = api.get(f"{NAMESPACES}/{namespace}/events")["items"]
    return [(one["reason"], one["message"]) for one in items]


def seen_pod(api: Api, name: str = "p") -> Any:
    api.get(f"{PODS}/{name}")
    return api.get(f"{PODS}/{name}")


def test_a_pod_runs_once_its_claim_can_be_mounted(api: Api, disk: Disk) -> None:
    disk.closed.add("pool")
    api.post(PODS, pod())
    assert seen_pod(api)["status"]["phase"] == "Pending"
    api.post(CLASSES, storage_class())
    api.post(CLAIMS, claim())
    api.get(f"{PODS}/p")  # the claim is bound for its sake
    api.get(f"{PODS}/p")
    waiting = seen_pod(api)
    assert (waiting["status"]["phase"], waiting["spec"]["nodeName"]) == ("Pending", "node-1")
    assert waiting["status"]["containerStatuses"][0]["state"] == {"waiting": {"reason": "ContainerCreating"}}
    volume = bound(api)["spec"]["volumeName"]
    assert sorted(events(api)) == [
        ("FailedAttachVolume", f"AttachVolume.Attach failed for volume \"{volume}\" : No VIP Pool named 'pool'"),
        ("FailedScheduling", '0/1 nodes are available: persistentvolumeclaim "data" not found.'),
    ]
    uid = waiting["metadata"]["uid"]
    about = api.get(f"{TEAM}/events", fieldSelector=f"involvedObject.uid={uid},reason=FailedAttachVolume")["items"]
    assert [one["source"] for one in about] == [{"component": "attachdetach-controller"}]
    disk.closed.clear()
    running = seen_pod(api)
    assert running["status"]["phase"] == "Running"
    assert {one["type"]: one["status"] for one in running["status"]["conditions"]}["Ready"] == "True"
    assert api.get(PODS, fieldSelector="status.phase=Running")["items"] != []
    assert api.get(PODS, fieldSelector="status.phase!=Running")["items"] == []


def test_a_pod_that_is_over_holds_no_claim(api: Api) -> None:
    api.post(CLASSES, storage_class())
    api.post(CLAIMS, claim())
    api.post(PODS, pod())
    assert seen_pod(api)["status"]["phase"] == "Running"
    api.merge(f"{PODS}/p/status", {"status": {"phase": "Succeeded"}})
    api.ok("DELETE", f"{CLAIMS}/data")
    api.get(f"{CLAIMS}/data")
    api.refused(404, "GET", f"{CLAIMS}/data")
    assert api.get(f"{PODS}/p")["status"]["phase"] == "Succeeded"


def test_a_pod_brings_a_volume_and_takes_it_along(api: Api, disk: Disk) -> None:
    own = {
        "root_export": "/k8s",
        "view_policy": "q",
        "vip_pool_name": "pool",
        "size": "2Gi",
        "mount_options": "vers=4.1",
    }
    api.post(PODS, pod(**own))
    assert seen_pod(api)["status"]["phase"] == "Pending"
    assert events(api) == [("FailedMount", 'MountVolume.SetUp failed for volume "v" : no view policy q')]
    api.ok("DELETE", f"{PODS}/p")
    assert disk.volumes == {}
    made = api.post(PODS, pod(**own | {"view_policy": "p"}))
    assert seen_pod(api)["status"]["phase"] == "Running"
    (wanted,) = disk.wanted
    uid = made["metadata"]["uid"]
    assert (wanted.name, wanted.size, wanted.mount_options) == (f"csi:team:p:{uid}", 2**31, ("vers=4.1",))
    handle = "csi-" + hashlib.sha256(f"{uid}v".encode()).hexdigest()
    assert disk.volumes == {handle: 2**31}
    api.ok("DELETE", f"{PODS}/p")
    assert disk.volumes == {}
    with_secret = pod("q", **own | {"view_policy": "p"})
    with_secret["spec"]["volumes"][0]["csi"]["nodePublishSecretRef"] = {"name": "vms"}
    api.post(PODS, with_secret)
    assert seen_pod(api, "q")["status"]["phase"] == "Pending"
    assert events(api)[-1][1].endswith(
        'failed to find the secret vms in the namespace team with error: secrets "vms" not found'
    )
    api.post(SECRETS, {"metadata": {"name": "vms"}})
    assert seen_pod(api, "q")["status"]["phase"] == "Running"
    api.ok("DELETE", TEAM)
    api.get(TEAM)
    assert disk.volumes == {}  # a namespace that goes takes its pods along


@pytest.mark.slow
def test_a_thousand_pods_are_listed_in_pages(api: Api) -> None:
    for number in range(1000):
        api.plane.handle(as_sent("POST", f"{TEAM}/pods", pod(f"p-{number:04}", "none")))
    names: list[str] = []
    token, pages = "", 0
    while True:
        page = api.get("/api/v1/pods", limit="300", **({"continue": token} if token else {}))
        names += [one["metadata"]["name"] for one in page["items"]]
        token, pages = page["metadata"].get("continue", ""), pages + 1
        if not token:
            break
    assert (len(names), len(set(names)), pages, names == sorted(names)) == (1000, 1000, 4, True)


def as_sent(method: str, path: str, body: Any) -> Request:
    headers = {"authorization": f"Bearer {TOKEN}", "content-type": "application/json"}
    return Request(method, path, {}, headers, json.dumps(body).encode(), "")


CONTENTS = "/apis/snapshot.storage.k8s.io/v1/volumesnapshotcontents"


def snapshot(name: str = "one", claim: str = "data", **spec: str) -> dict[str, Any]:
    return {
        "apiVersion": "snapshot.storage.k8s.io/v1", "kind": "VolumeSnapshot", "metadata": {"name": name},
        "spec": {"source": {"persistentVolumeClaimName": claim}, **spec},
    }  # fmt: skip


def seen_snapshot(api: Api, name: str = "one") -> Any:
    api.get(f"{SNAPSHOTS}/{name}")
    return api.get(f"{SNAPSHOTS}/{name}")


def test_a_volume_stays_while_it_has_snapshots(api: Api, disk: Disk) -> None:
    api.post(CLASSES, storage_class())
    api.post(CLAIMS, claim())
    volume = bound(api)["spec"]["volumeName"]
    default = {"annotations": {"snapshot.storage.kubernetes.io/is-default-class": "true"}, "name": "snap"}
    api.post(SNAPSHOT_CLASSES, snapshot_class(metadata=default))
    made = api.post(SNAPSHOTS, snapshot())
    ready = seen_snapshot(api)
    content = api.get(f"{CONTENTS}/snapcontent-{made['metadata']['uid']}")
    assert (ready["status"]["readyToUse"], ready["status"]["boundVolumeSnapshotContentName"]) == (
        True,
        content["metadata"]["name"],
    )
    assert content["spec"]["source"] == {"volumeHandle": volume} and content["status"]["snapshotHandle"] == "1"
    assert disk.snapshots == {"1": (volume, f"csi:team:one:snapshot-{made['metadata']['uid']}")}
    api.ok("DELETE", f"{CLAIMS}/data")
    api.get(f"{CLAIMS}/data")
    api.refused(404, "GET", f"{CLAIMS}/data")
    assert api.get(f"{VOLUMES}/{volume}")["status"]["phase"] == "Released"
    assert events(api, "default") == [("VolumeFailedDelete", "it holds snapshots: ['1']")]
    assert "deletionTimestamp" in api.ok("DELETE", f"{SNAPSHOTS}/one")["metadata"]
    api.get(f"{SNAPSHOTS}/one")
    api.refused(404, "GET", f"{SNAPSHOTS}/one")
    assert (disk.snapshots, api.get(CONTENTS)["items"]) == ({}, [])
    for _ in range(4):
        api.get(CLASSES)
    api.refused(404, "GET", f"{VOLUMES}/{volume}")
    assert disk.volumes == {}


def test_why_a_snapshot_is_not_made(api: Api, disk: Disk) -> None:
    api.post(SNAPSHOTS, snapshot())
    said = []
    for step in (
        lambda: None,
        lambda: api.post(CLAIMS, claim()),
        lambda: [api.post(CLASSES, storage_class()), bound(api)],
        lambda: [
            api.post(SNAPSHOT_CLASSES, snapshot_class(metadata={"name": name, "annotations": {
                "snapshot.storage.kubernetes.io/is-default-class": "true"}})) for name in ("a", "b")
        ],
    ):  # fmt: skip
        step()
        found = seen_snapshot(api)["status"]
        said.append((found["readyToUse"], found["error"]["message"]))
    assert said == [
        (False, 'Failed to get PVC data from the lister: persistentvolumeclaim "data" not found'),
        (False, "the PVC data is not yet bound to a PV, will not attempt to take a snapshot"),
        (False, "Failed to set default snapshot class with error cannot find default snapshot class"),
        (False, "Failed to set default snapshot class with error 2 default snapshot classes were found"),
    ]
    assert [reason for reason, _ in events(api)].count("SnapshotCreationFailed") == 4
    api.ok("DELETE", f"{SNAPSHOT_CLASSES}/b")
    assert (seen_snapshot(api)["status"]["readyToUse"], len(disk.snapshots)) == (True, 1)


def test_a_retained_snapshot_outlives_its_object_and_is_taken_over(api: Api, disk: Disk) -> None:
    api.post(CLASSES, storage_class())
    api.post(CLAIMS, claim())
    bound(api)
    api.post(SNAPSHOT_CLASSES, snapshot_class(metadata={"name": "kept"}, deletionPolicy="Retain"))
    api.post(SNAPSHOTS, snapshot(volumeSnapshotClassName="kept"))
    seen_snapshot(api)
    api.ok("DELETE", f"{SNAPSHOTS}/one")
    api.get(f"{SNAPSHOTS}/one")
    (content,) = api.get(CONTENTS)["items"]
    assert list(disk.snapshots) == [content["status"]["snapshotHandle"]]
    reference = {"name": "back", "namespace": "team"}
    spec = {"deletionPolicy": "Retain", "driver": "csi.vastdata.com", "source": {"snapshotHandle": "1"}}
    api.post(CONTENTS, {
        "apiVersion": "snapshot.storage.k8s.io/v1", "kind": "VolumeSnapshotContent", "metadata": {"name": "made"},
        "spec": {**spec, "volumeSnapshotRef": reference},
    })  # fmt: skip
    back = snapshot("back")
    back["spec"]["source"] = {"volumeSnapshotContentName": "made"}
    api.post(SNAPSHOTS, back)
    assert seen_snapshot(api, "back")["status"]["readyToUse"] is True


def test_a_claim_begins_with_a_snapshot_or_with_another_claim(api: Api, disk: Disk) -> None:
    api.post(CLASSES, storage_class())
    group = {"apiGroup": "snapshot.storage.k8s.io"}
    api.post(CLAIMS, claim("restored", dataSource={**group, "kind": "VolumeSnapshot", "name": "one"}))
    api.post(CLAIMS, claim("cloned", size="2Gi", dataSource={"kind": "PersistentVolumeClaim", "name": "data"}))
    api.post(CLAIMS, claim("small", size="1Mi", dataSource={"kind": "PersistentVolumeClaim", "name": "data"}))
    for name in ("restored", "cloned", "small"):
        assert bound(api, name)["status"]["phase"] == "Pending"
    head = 'failed to provision volume with StorageClass "vast": error getting handle for DataSource Type'
    assert sorted({message for _, message in events(api)}) == [
        f"{head} PersistentVolumeClaim by Name data: error getting PVC data from api server: "
        'persistentvolumeclaims "data" not found',
        f'{head} VolumeSnapshot by Name one: error getting snapshot one from api server: volumesnapshots "one" not found',
    ]
    api.post(CLAIMS, claim())
    volume = bound(api)["spec"]["volumeName"]
    api.post(SNAPSHOT_CLASSES, snapshot_class(metadata={"name": "snap"}))
    api.post(SNAPSHOTS, snapshot(volumeSnapshotClassName="snap"))
    seen_snapshot(api)
    assert bound(api, "restored")["status"]["phase"] == bound(api, "cloned")["status"]["phase"] == "Bound"
    assert sorted((one.snapshot_id, one.source_volume_id) for one in disk.wanted) == [("", ""), ("", volume), ("1", "")]
    assert bound(api, "small")["status"]["phase"] == "Pending"
    assert any("must be greater than or equal in size" in message for _, message in events(api))


def test_a_namespace_takes_its_snapshots_along(api: Api, disk: Disk) -> None:
    api.post(CLASSES, storage_class())
    api.post(CLAIMS, claim())
    bound(api)
    api.post(SNAPSHOT_CLASSES, snapshot_class(metadata={"name": "snap"}))
    api.post(SNAPSHOTS, snapshot(volumeSnapshotClassName="snap"))
    seen_snapshot(api)
    api.ok("DELETE", TEAM)
    api.get(TEAM)
    api.refused(404, "GET", TEAM)
    assert (disk.snapshots, disk.volumes, api.get(CONTENTS)["items"], api.get(VOLUMES)["items"]) == ({}, {}, [], [])


@pytest.mark.parametrize(
    ("method", "path", "code"),
    [
        ("GET", "/api/v1/nodes", 501),
        ("POST", "/apis/apps/v1/namespaces/team/deployments", 501),
        ("GET", f"{PODS}/p/log", 501),
        ("POST", f"{PODS}/p/eviction", 501),
        ("PUT", f"{TEAM}/finalize", 501),
        ("GET", "/api/v1/watch/pods", 501),
        ("POST", f"{TEAM}/events", 501),
        ("GET", "/apis/storage.k8s.io/v1/volumeattributesclasses", 501),
        ("GET", "/apis/storage.k8s.io/v1beta1/volumeattributesclasses", 404),  # not served by default
        ("GET", "/apis/objectstorage.k8s.io/v1alpha1/bucketclasses", 404),
        ("GET", "/apis/apps/v1", 404),  # discovery tells what there is
        ("GET", f"{TEAM}/nothings", 404),
        ("GET", f"{PODS}/p/nothing", 404),
        ("POST", "/api/v1/pods", 405),
        ("PUT", PODS, 405),
        ("GET", f"{PODS}/p", 404),
    ],
)
def test_what_is_documented_and_not_simulated_says_so(api: Api, method: str, path: str, code: int) -> None:
    answer = api.send(method, path)
    assert answer.status_code == code
    if code == 501:
        assert answer.json()["message"].endswith(" is documented, but not simulated.")


@pytest.mark.slow
def test_nothing_that_is_simulated_is_called_not_simulated(api: Api) -> None:
    """Each documented call of each resource, with a body that says nothing: refused, but never with 501."""
    for resource in RESOURCES:
        collection = resource.collection_path().format(namespace="team")
        for path in (collection, f"{collection}/x", f"{collection}/x/status"):
            for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
                answer = api.send(method, path, {} if method != "GET" else None)
                if answer.status_code == 501:
                    assert resource.kind == "Event", (method, path)
