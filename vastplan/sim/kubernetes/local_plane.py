"""What the other simulators do in the cluster, without HTTP but through the same admission."""

from __future__ import annotations

import json
from typing import Any

from vastplan.sim.kubernetes import lifecycle, settle, writes
from vastplan.sim.kubernetes.admission.volumes import is_default
from vastplan.sim.kubernetes.binder import claim_pods, release_claim
from vastplan.sim.kubernetes.call import read_call
from vastplan.sim.kubernetes.cluster import KubernetesCluster, Object
from vastplan.sim.kubernetes.resources import CLAIMS, CLASSES, NAMESPACES, SECRETS, Resource, Target
from vastplan.sim.kubernetes.status import StatusError
from vastplan.sim.wire import Request

AGENT = "runai-agent"
ASSET = "run.ai/asset"  # the label of what an asset created (docs/unverified.md, RAI-077)


class InProcessAccess:
    """In-process access to a cluster; every refusal is a `ValueError` with the server's message."""

    def __init__(self, cluster: KubernetesCluster) -> None:
        self._cluster = cluster

    def _send(self, method: str, resource: Resource, namespace: str, name: str, body: Object, kind: str) -> None:
        headers = {"content-type": kind, "user-agent": AGENT}
        request = Request(method, "", {}, headers, json.dumps(body).encode(), "")
        target = Target(resource, namespace, name)
        verb = writes.create_object if method == "POST" else writes.patch
        try:
            verb(read_call(self._cluster, target, request, AGENT))
        except StatusError as refusal:
            raise ValueError(str(refusal)) from None

    def ensure_namespace(self, name: str, labels: dict[str, str]) -> None:
        """Create the namespace if it does not exist, and add the labels; raises `ValueError`."""
        metadata = {"name": name, "labels": labels}
        if self._cluster.get(NAMESPACES, "", name) is None:
            self._send("POST", NAMESPACES, "", "", {"metadata": metadata}, "application/json")
        else:
            self._send("PATCH", NAMESPACES, "", name, {"metadata": {"labels": labels}}, "application/merge-patch+json")

    def namespace_labels(self, name: str) -> dict[str, str] | None:
        """The labels of a namespace, `None` if it does not exist."""
        namespace = self._cluster.get(NAMESPACES, "", name)
        return None if namespace is None else dict(namespace["metadata"].get("labels", {}))

    def storage_classes(self) -> list[dict[str, Any]]:
        """All StorageClasses, each `{name, provisioner, allow_volume_expansion, is_default}`."""
        return [
            {
                "name": body["metadata"]["name"],
                "provisioner": body["provisioner"],
                "allow_volume_expansion": bool(body.get("allowVolumeExpansion")),
                "is_default": is_default(body),
            }
            for body in self._cluster.objects(CLASSES)
        ]

    def create_pvc(
        self, namespace: str, name: str, storage_class: str | None, size: str, access_modes: list[str], volume_mode: str
    ) -> None:
        """Create a claim, labelled as created for a Run:AI asset; raises `ValueError` if the server refuses it."""
        spec: Object = {
            "accessModes": access_modes,
            "volumeMode": volume_mode,
            "resources": {"requests": {"storage": size}},
        }
        if storage_class is not None:
            spec["storageClassName"] = storage_class
        metadata = {"name": name, "labels": {ASSET: "pvc"}}
        self._send("POST", CLAIMS, namespace, "", {"metadata": metadata, "spec": spec}, "application/json")

    def pvc_exists(self, namespace: str, name: str) -> bool:
        """Whether a claim exists; its controller acts at once."""
        claim = self._cluster.get(CLAIMS, namespace, name)
        if claim is not None:
            settle.run_step(self._cluster, CLAIMS, claim, lifecycle.STEPS[CLAIMS])
        return claim is not None

    def delete_pvc(self, namespace: str, name: str) -> None:
        """Delete a claim if it exists; it stays until no pod uses it."""
        claim = self._cluster.get(CLAIMS, namespace, name)
        if claim is None:
            return
        if not claim_pods(self._cluster, claim):
            release_claim(self._cluster, claim)
        elif not claim["metadata"].get("deletionTimestamp"):
            end = {"deletionTimestamp": self._cluster.now(), "deletionGracePeriodSeconds": 0}
            claim = self._cluster.put(CLAIMS, {**claim, "metadata": {**claim["metadata"], **end}})
            lifecycle.react_to_write(self._cluster, CLAIMS, claim)

    def secret_exists(self, namespace: str, name: str) -> bool:
        """Whether a Secret exists."""
        return self._cluster.get(SECRETS, namespace, name) is not None
