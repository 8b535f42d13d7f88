"""What controllers would do, as far as the tests need it: ends that are waited for, claims that are bound, a clean slate.

It goes past the recorder, so a replay needs none of it.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import Any

from tests.kube.server import MERGE, ApiServer

_CORE, _STORAGE = "/api/v1", "/apis/storage.k8s.io/v1"
_ADMISSION = "/apis/admissionregistration.k8s.io/v1"
_NAMESPACES, _VOLUMES = f"{_CORE}/namespaces", f"{_CORE}/persistentvolumes"
_SNAPSHOT = "/apis/snapshot.storage.k8s.io/v1"
_SNAPSHOTS, _CONTENTS = f"{_SNAPSHOT}/volumesnapshots", f"{_SNAPSHOT}/volumesnapshotcontents"
_INSIDE = (
    _SNAPSHOTS, f"{_CORE}/persistentvolumeclaims", f"{_CORE}/secrets", f"{_CORE}/resourcequotas", f"{_CORE}/configmaps",
    f"{_CORE}/pods", "/apis/coordination.k8s.io/v1/leases",
)  # fmt: skip
_CLUSTER = (
    f"{_ADMISSION}/validatingadmissionpolicybindings", f"{_ADMISSION}/validatingadmissionpolicies",
    f"{_STORAGE}/storageclasses", f"{_SNAPSHOT}/volumesnapshotclasses", _CONTENTS, _VOLUMES,
)  # fmt: skip
SYSTEM = ("default", "kube-system", "kube-public", "kube-node-lease")
_NOTICED = 0.15  # seconds that an ending object stays, so that whoever waits for its end has seen it
_POLICIES_LEARNED = 2.5  # seconds until the server has heard that policies are gone; its informers poll every second


def path_of(collection: str, body: dict[str, Any]) -> str:
    """The path of an object of a collection."""
    root, _, plural = collection.rpartition("/")
    metadata = body["metadata"]
    namespace = f"/namespaces/{metadata['namespace']}" if "namespace" in metadata else ""
    return f"{root}{namespace}/{plural}/{metadata['name']}"


class Hands:
    """Helping hands beside one API server."""

    def __init__(self, server: ApiServer) -> None:
        self._server = server
        self._stopped = threading.Event()
        self._working = threading.Lock()
        self._made = 0
        self._since: dict[str, float] = {}
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Hands:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    def _list(self, collection: str) -> list[dict[str, Any]]:
        status, body = self._server.call("GET", collection)
        assert status == 200, body
        items: list[dict[str, Any]] = body["items"]
        return items

    def _watch(self) -> None:
        while not self._stopped.wait(0.05):
            with self._working:
                for collection in (f"{_CORE}/persistentvolumeclaims", _VOLUMES, _NAMESPACES):
                    for body in self._list(collection):
                        self._look_at(collection, body)
                self._take_all()

    def settle(self) -> None:
        """Every snapshot that is there is ready, and its content told: what is read next is always the same."""
        with self._working:
            self._take_all()

    def _take_all(self) -> None:
        for snapshot in self._list(_SNAPSHOTS):
            if not snapshot.get("status", {}).get("readyToUse"):
                self._take(snapshot)

    def _look_at(self, collection: str, body: dict[str, Any]) -> None:
        if "deletionTimestamp" in body["metadata"]:
            first = self._since.setdefault(body["metadata"]["uid"], time.monotonic())
            if time.monotonic() - first > _NOTICED:
                self._end(collection, body)

    @contextlib.contextmanager
    def idle(self) -> Iterator[None]:
        """Nothing that ends is helped to its end meanwhile."""
        with self._working:
            yield

    def _end(self, collection: str, body: dict[str, Any]) -> None:
        path = path_of(collection, body)
        if collection == _NAMESPACES:
            name = body["metadata"]["name"]
            for inside in _INSIDE:
                self._drop(inside, [one for one in self._list(inside) if one["metadata"]["namespace"] == name])
            self._server.call("PUT", f"{path}/finalize", {**body, "spec": {"finalizers": []}})
        else:
            self._server.call("PATCH", path, {"metadata": {"finalizers": None}}, MERGE)

    def _drop(self, collection: str, bodies: list[dict[str, Any]]) -> None:
        for body in bodies:
            path = path_of(collection, body)
            if body["metadata"].get("finalizers"):
                self._server.call("PATCH", path, {"metadata": {"finalizers": None}}, MERGE)
            self._server.call("DELETE", path, {"gracePeriodSeconds": 0})

    def bind(self) -> None:
        """Bind every claim to the volume it names or to one made for it, and let bound ones have what they ask for."""
        for claim in self._list(f"{_CORE}/persistentvolumeclaims"):
            path, spec = path_of(f"{_CORE}/persistentvolumeclaims", claim), claim["spec"]
            size = spec["resources"]["requests"]["storage"]
            if claim["status"]["phase"] == "Pending":
                name = spec.get("volumeName") or self._provision(claim)
                if not name:
                    continue
                self._merge(path, {"spec": {"volumeName": name}})
            bound = {"phase": "Bound", "capacity": {"storage": size}, "accessModes": spec["accessModes"]}
            self._merge(f"{path}/status", {"status": bound})

    def _provision(self, claim: dict[str, Any]) -> str:
        if not claim["spec"].get("storageClassName"):
            return ""
        metadata = claim["metadata"]
        self._made += 1
        name = f"provisioned-{self._made}"  # not by uid: lists are in the order of names, and recordings with them
        reference = {"kind": "PersistentVolumeClaim", "apiVersion": "v1", "name": metadata["name"]}
        reference |= {"namespace": metadata["namespace"], "uid": metadata["uid"]}
        spec = {
            "capacity": claim["spec"]["resources"]["requests"], "accessModes": claim["spec"]["accessModes"],
            "csi": {"driver": "csi.vastdata.com", "volumeHandle": name}, "claimRef": reference,
            "storageClassName": claim["spec"]["storageClassName"], "persistentVolumeReclaimPolicy": "Delete",
        }  # fmt: skip
        status, answer = self._server.call("POST", _VOLUMES, {"metadata": {"name": name}, "spec": spec})
        assert status == 201, answer
        return name

    def _take(self, snapshot: dict[str, Any]) -> None:
        """A snapshot is ready, by the content that it names or one made for it."""
        metadata, source = snapshot["metadata"], snapshot["spec"]["source"]
        name = source.get("volumeSnapshotContentName")
        if not name:
            name = f"snapcontent-{metadata['name']}"
            reference = {"namespace": metadata["namespace"], "name": metadata["name"], "uid": metadata["uid"]}
            spec = {
                "deletionPolicy": "Delete", "driver": "csi.vastdata.com", "volumeSnapshotRef": reference,
                "source": {"volumeHandle": source["persistentVolumeClaimName"]}, "sourceVolumeMode": "Filesystem",
            }  # fmt: skip
            kind = {"apiVersion": "snapshot.storage.k8s.io/v1", "kind": "VolumeSnapshotContent"}
            self._server.call("POST", _CONTENTS, {**kind, "metadata": {"name": name}, "spec": spec})
            path = path_of(_CONTENTS, {"metadata": {"name": name}})
            self._server.call("PATCH", f"{path}/status", {"status": {"snapshotHandle": "7", "readyToUse": True}}, MERGE)
        status = {
            "boundVolumeSnapshotContentName": name,
            "readyToUse": True,
            "creationTime": metadata["creationTimestamp"],
        }
        self._server.call("PATCH", f"{path_of(_SNAPSHOTS, snapshot)}/status", {"status": status}, MERGE)

    def _merge(self, path: str, body: dict[str, Any]) -> None:
        status, answer = self._server.call("PATCH", path, body, MERGE)
        assert status == 200, answer

    def clean(self) -> None:
        """Remove everything that a test left behind."""
        self._made = 0
        policies = self._list(_CLUSTER[0])
        for collection in (*_CLUSTER[:2], *_INSIDE, *_CLUSTER[2:]):
            bodies = self._list(collection)
            if "namespace" in (bodies[0]["metadata"] if bodies else {}):
                bodies = [one for one in bodies if not one["metadata"]["namespace"].startswith("kube-")]
            self._drop(collection, bodies)
        for body in self._list(_NAMESPACES):
            if body["metadata"]["name"] not in SYSTEM:
                self._server.call("DELETE", path_of(_NAMESPACES, body))
        deadline = time.monotonic() + 30
        while any(one["metadata"]["name"] not in SYSTEM for one in self._list(_NAMESPACES)):
            assert time.monotonic() < deadline, "a namespace does not end"
            time.sleep(0.05)
        if policies:
            time.sleep(_POLICIES_LEARNED)

    def until(self, path: str, body: dict[str, Any], status: int) -> None:
        """Return once the server answers a POST so, which keeps nothing: it learns of policies by and by."""
        deadline = time.monotonic() + 30
        while (answered := self._server.call("POST", f"{path}?dryRun=All", body))[0] != status:
            assert time.monotonic() < deadline, f"POST {path} is not answered with {status}: {answered}"
            time.sleep(0.1)
