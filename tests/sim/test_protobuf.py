"""Bodies in protobuf, as Kubernetes' own Go types write them: read as what the same object in JSON is."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from vastplan.sim.kubernetes import KubernetesPlane, protobuf
from vastplan.sim.kubernetes.resources import RESOURCES
from vastplan.sim.store import Store
from vastplan.sim.tables import load_table
from vastplan.sim.wire import Request, Response

SENT = yaml.safe_load((Path(__file__).parent / "protobuf.yaml").read_text())
OBJECTS = [pytest.param(entry["object"], base64.b64decode(entry["body"]), id=entry["object"]["kind"]) for entry in SENT]
BODIES = {entry["object"]["kind"]: base64.b64decode(entry["body"]) for entry in SENT}
VARYING = ("uid", "managedFields")
MOMENT = 1_790_000_000.0  # time stands, so that what a form changes is all that differs
Json = dict[str, Any]


class Api:
    """A plane with a namespace, asked without a socket."""

    def __init__(self) -> None:
        self.plane = KubernetesPlane(Store(), token="t", controllers=False, clock=lambda: MOMENT)
        self.ok("POST", "/api/v1/namespaces", {"metadata": {"name": "team"}})

    def send(self, method: str, path: str, body: Json | bytes, kind: str = "", **query: str) -> Response:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        kind = kind or (protobuf.CONTENT_TYPE if isinstance(body, bytes) else "application/json")
        headers = {"authorization": "Bearer t", "content-type": kind}
        asked = {name: [value] for name, value in query.items()}
        return self.plane.handle(Request(method, path, asked, headers, raw, ""))

    def ok(self, method: str, path: str, body: Json | bytes, **query: str) -> Any:
        response = self.send(method, path, body, **query)
        assert response.status < 300, response.body
        return response.body


@pytest.fixture
def api() -> Api:
    return Api()


def path_of(body: Json) -> str:
    resource = next(one for one in RESOURCES if (one.api_version, one.kind) == (body["apiVersion"], body["kind"]))
    return resource.collection_path().format(namespace="team")


def steady(answer: Json) -> Json:
    metadata = {name: value for name, value in answer["metadata"].items() if name not in VARYING}
    return {**answer, "metadata": metadata}


@pytest.mark.parametrize(("body", "raw"), [one for one in OBJECTS if one.id != "DeleteOptions"])
def test_an_object_is_the_same_in_both_forms(api: Api, body: Json, raw: bytes) -> None:
    path = path_of(body)
    strict = {"fieldValidation": "Strict", "dryRun": "All"}
    wanted = api.ok("POST", path, body, **strict)
    assert steady(api.ok("POST", path, raw, **strict)) == steady(wanted)
    assert wanted.get("metadata", {}).get("name") == body.get("metadata", {}).get("name")


def test_the_options_of_a_delete(api: Api) -> None:
    assert protobuf.read_protobuf(BODIES["DeleteOptions"]) == {
        "apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0, "propagationPolicy": "Background",
        "preconditions": {"uid": "u-1", "resourceVersion": "7"}, "dryRun": ["All"],
    }  # fmt: skip
    refused = api.send("DELETE", "/api/v1/namespaces/team", BODIES["DeleteOptions"])
    assert (refused.status, "u-1" in refused.body["message"]) == (409, True)


def test_every_built_in_kind_that_is_served_has_its_message() -> None:
    roots = protobuf._table()["roots"]
    served = {f"{one.api_version}/{one.kind}" for one in RESOURCES if not one.custom}
    assert served | {"v1/DeleteOptions"} == set(roots)
    tried = {f"{entry['object']['apiVersion']}/{entry['object']['kind']}" for entry in SENT}
    assert served - tried == {"v1/Event"}, "nobody may write one"


def test_the_messages_have_the_fields_of_the_documented_schemas() -> None:
    """Each of two vendor's documents says what the other says: the OpenAPI document and the Go types."""
    messages, schemas = protobuf._table()["messages"], load_table("kubernetes-1.34").content["schemas"]

    def names(message: str) -> set[str]:
        found: set[str] = set()
        for field, kind, flags in messages[message].values():
            found |= names(kind) if "i" in flags else {field}
        return found

    compared = 0
    for name in messages:
        package = "apimachinery.pkg.apis." if name.startswith("meta.") else "api."
        schema = schemas.get(f"io.k8s.{package}{name}")
        if schema is not None and name != "meta.v1.DeleteOptions":
            own = set() if {"kind", "apiVersion"} & names(name) else {"kind", "apiVersion"}  # the envelope's, else
            assert names(name) == set(schema["properties"]) - own, name
            compared += 1
    assert compared > 150


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b'{"metadata": {}}', "expected prefix [107 56 115 0]"),
        (b"", "expected prefix"),
        (b"k8s\0", "names no version or no kind"),
        (BODIES["Namespace"][:-3], "unexpected EOF"),
        (b"k8s\0\x0f", "illegal wireType 7"),
        (b"k8s\0\x08\x01", "wrong wireType = 0"),
        (b"k8s\0" + b"\xff" * 11, "integer overflow"),
        (b"k8s\0\x0a\x04\x0a\x02\xff\xff", "invalid UTF-8"),
    ],
)
def test_what_is_no_protobuf_is_refused(api: Api, raw: bytes, words: str) -> None:
    refused = api.send("POST", "/api/v1/namespaces", raw)
    assert (refused.status, refused.body["reason"]) == (400, "BadRequest")
    assert words in refused.body["message"] and "must be of type Namespace" in refused.body["message"]


@pytest.mark.slow
def test_no_byte_of_a_body_stops_the_server(api: Api) -> None:
    """Each byte of a large body turned over, and each beginning of it: an answer, whatever it is."""
    raw = BODIES["Pod"]
    for at in range(len(raw)):
        for body in (raw[:at], raw[:at] + bytes([raw[at] ^ 0xFF]) + raw[at + 1 :]):
            assert api.send("POST", "/api/v1/namespaces/team/pods", body, dryRun="All").status in (201, 400, 403, 422)


def test_another_kind_is_refused_by_its_name(api: Api) -> None:
    refused = api.send("POST", "/api/v1/namespaces", BODIES["Secret"])
    assert (refused.status, "Secret in version" in refused.body["message"]) == (400, True)


def test_protobuf_is_no_form_of_a_custom_resource(api: Api) -> None:
    """And is not named among those that are taken: clients try those next."""
    for method, path in (("POST", "/volumesnapshotclasses"), ("DELETE", "/volumesnapshotclasses/x")):
        refused = api.send(method, f"/apis/snapshot.storage.k8s.io/v1{path}", BODIES["Namespace"])
        assert refused.status == 415
        assert refused.body["message"].endswith("media types include: application/json, application/yaml")
    everything = api.send("POST", "/api/v1/namespaces", b"x", "text/plain").body["message"]
    assert everything.endswith(protobuf.CONTENT_TYPE)
