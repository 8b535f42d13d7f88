"""The official Python client for Kubernetes, its typed interface: every kind created, listed, read, changed, deleted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from kubernetes import client, config, dynamic
from kubernetes.client.exceptions import ApiException
from kubernetes.dynamic.exceptions import ConflictError, UnprocessibleEntityError

from tests.clients.conftest import Place
from tests.clients.kinds import missing
from tests.clients.manifests import MANIFESTS, NAMESPACE, Manifest, holds, merged

LEFT_OUT = {"pod": "vastplan only reads them; test_strangers.py makes them"}
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture
def connection(place: Place) -> Iterator[Any]:
    made = config.new_client_from_config(place.endpoint("kubernetes").kubeconfig, persist_config=False)  # type: ignore[no-untyped-call]
    with made as one:
        client.CoreV1Api(one).create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=NAMESPACE)))
        yield one


def verbs(connection: Any, manifest: Manifest) -> Callable[..., Any]:
    """A function that calls a verb of the interface for a manifest's kind, and answers plain JSON."""
    group, _, version = manifest.body["apiVersion"].rpartition("/")
    if group == "snapshot.storage.k8s.io":  # a custom resource has no types of its own
        custom = client.CustomObjectsApi(connection)
        plural = manifest.resource + ("es" if manifest.resource.endswith("s") else "s")
        scope, place = ("namespaced", (NAMESPACE,)) if manifest.namespaced else ("cluster", ())
        where = (group, version, *place, plural)
        return lambda verb, *words: getattr(custom, f"{verb}_{scope}_custom_object")(*where, *words)
    of_group = {"": "CoreV1Api", "storage.k8s.io": "StorageV1Api"}.get(group, "AdmissionregistrationV1Api")
    api = getattr(client, of_group)(connection)
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", manifest.body["kind"]).lower()

    def call(verb: str, *words: Any) -> Any:
        verb = "read" if verb == "get" else verb
        if verb == "list" and manifest.namespaced:
            found = getattr(api, f"list_namespaced_{name}")(NAMESPACE)
        elif manifest.namespaced:  # the name goes before the namespace, a body after it
            places = (NAMESPACE, *words) if verb == "create" else (words[0], NAMESPACE, *words[1:])
            found = getattr(api, f"{verb}_namespaced_{name}")(*places)
        else:
            found = getattr(api, f"{verb}_{name}")(*words)
        return connection.sanitize_for_serialization(found)

    return call


def test_no_kind_is_forgotten() -> None:
    assert missing("kubernetes", [one.kind for one in MANIFESTS], LEFT_OUT) == set()


@pytest.mark.parametrize("manifest", MANIFESTS, ids=str)
def test_it_takes_every_kind_through_its_life(connection: Any, manifest: Manifest) -> None:
    call = verbs(connection, manifest)
    made = call("create", manifest.body)
    assert holds(made, manifest.body) and made["metadata"]["uid"]
    with pytest.raises(ApiException) as refused:
        call("create", manifest.body)
    assert refused.value.status == 409
    listed = call("list")["items"]
    assert made["metadata"]["uid"] in [row["metadata"]["uid"] for row in listed]
    assert not holds(call("get", manifest.name), manifest.change)
    call("patch", manifest.name, manifest.change)
    changed = call("get", manifest.name)
    assert holds(changed, manifest.change)
    again = {**changed, "metadata": {**changed["metadata"], "annotations": {"put": "yes"}}}
    call("replace", manifest.name, again)
    assert call("get", manifest.name)["metadata"]["annotations"] == {"put": "yes"}
    call("delete", manifest.name)
    with pytest.raises(ApiException) as gone:
        [call("get", manifest.name) for _ in range(5)]
    assert gone.value.status == 404


def test_its_dynamic_interface_and_server_side_apply(connection: Any, tmp_path: Path) -> None:
    cluster = dynamic.DynamicClient(connection, cache_file=str(tmp_path / "discovery.json"))  # type: ignore[no-untyped-call]
    of_kind = {one.kind: one.body for one in MANIFESTS}
    classes = cluster.resources.get(api_version="storage.k8s.io/v1", kind="StorageClass")
    classes.create(body=of_kind["storage_class"])
    assert [item.metadata.name for item in classes.get().items] == ["one"]
    change = {"body": {"parameters": {"x": "y"}}, "content_type": "application/merge-patch+json"}
    with pytest.raises(UnprocessibleEntityError, match="updates to parameters are forbidden"):
        classes.patch(name="one", **change)
    claims = cluster.resources.get(api_version="v1", kind="PersistentVolumeClaim", prefix="api")
    claim = of_kind["persistent_volume_claim"]
    where = {"name": "one", "namespace": NAMESPACE}
    claims.server_side_apply(body=claim, field_manager="one", **where)
    bigger = merged(claim, {"spec": {"resources": {"requests": {"storage": "2Gi"}}}})
    with pytest.raises(ConflictError, match="FieldManagerConflict"):
        claims.server_side_apply(body=bigger, field_manager="two", **where)
