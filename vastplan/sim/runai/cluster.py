"""The Kubernetes side of a Run:ai cluster: what the control plane's agent does there."""

from __future__ import annotations

import re
from typing import Any, Protocol

from vastplan.sim.store import Store

LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?")
LONGEST_NAME = 253
QUANTITY = re.compile(r"[0-9]+(\.[0-9]+)?(m|[kMGTPE]|[KMGTPE]i)?")
DEFAULT_CLASSES = (
    {"name": "standard", "provisioner": "rancher.io/local-path", "allow_volume_expansion": False, "is_default": True},
    {"name": "vast-nfs", "provisioner": "csi.vastdata.com", "allow_volume_expansion": True, "is_default": False},
)


class KubernetesSide(Protocol):
    """One Kubernetes cluster, with the operations that Run:ai needs."""

    def ensure_namespace(self, name: str, labels: dict[str, str]) -> None:
        """Create the namespace if it does not exist, and add the labels."""

    def namespace_labels(self, name: str) -> dict[str, str] | None:
        """The labels of a namespace, `None` if it does not exist."""

    def storage_classes(self) -> list[dict[str, Any]]:
        """All StorageClasses, each `{name, provisioner, allow_volume_expansion, is_default}`."""

    def create_pvc(
        self,
        namespace: str,
        name: str,
        storage_class: str | None,
        size: str,
        access_modes: list[str],
        volume_mode: str,
    ) -> None:
        """Create a claim; raises `ValueError` if the cluster refuses it."""

    def pvc_exists(self, namespace: str, name: str) -> bool:
        """Whether the claim exists."""

    def delete_pvc(self, namespace: str, name: str) -> None:
        """Delete a claim if it exists."""

    def secret_exists(self, namespace: str, name: str) -> bool:
        """Whether the Secret exists."""


class StandaloneCluster:
    """A `KubernetesSide` of Store rows, for use without Kubernetes."""

    def __init__(self, store: Store, name: str = "standalone") -> None:
        self._store = store
        self._namespaces, self._claims, self._classes = f"{name}/namespace", f"{name}/pvc", f"{name}/storage-class"
        if not store.rows(self._classes):
            self.set_storage_classes(list(DEFAULT_CLASSES))

    def set_storage_classes(self, classes: list[dict[str, Any]]) -> None:
        """Replace the StorageClasses, each `{name, provisioner, allow_volume_expansion, is_default}`."""
        for row in self._store.rows(self._classes):
            self._store.remove(self._classes, row["name"])
        for row in classes:
            self._store.put(self._classes, row["name"], dict(row))

    def ensure_namespace(self, name: str, labels: dict[str, str]) -> None:
        """Create the namespace if it does not exist; existing labels that are not named stay."""
        row = self._store.get(self._namespaces, name) or {"labels": {}}
        self._store.put(self._namespaces, name, {"labels": {**row["labels"], **labels}})

    def namespace_labels(self, name: str) -> dict[str, str] | None:
        """A copy of the labels, `None` if the namespace does not exist."""
        row = self._store.get(self._namespaces, name)
        return None if row is None else dict(row["labels"])

    def storage_classes(self) -> list[dict[str, Any]]:
        """Copies of the StorageClasses, in the order in which they were set."""
        return [dict(row) for row in self._store.rows(self._classes)]

    def create_pvc(
        self,
        namespace: str,
        name: str,
        storage_class: str | None,
        size: str,
        access_modes: list[str],
        volume_mode: str,
    ) -> None:
        """Store a claim; raises `ValueError` without its namespace, for a bad name or size, and if it exists."""
        if self._store.get(self._namespaces, namespace) is None:
            raise ValueError(f"namespace {namespace!r} not found")
        if not SUBDOMAIN.fullmatch(name) or len(name) > LONGEST_NAME:
            raise ValueError(f"{name!r} is not a valid claim name")
        if self.pvc_exists(namespace, name):
            raise ValueError(f"claim {name!r} already exists")
        if not QUANTITY.fullmatch(size):
            raise ValueError(f"{size!r} is not a quantity")
        if not access_modes:
            raise ValueError("at least one access mode is required")
        row = {
            "namespace": namespace,
            "name": name,
            "storage_class": storage_class,
            "size": size,
            "access_modes": access_modes,
            "volume_mode": volume_mode,
        }
        self._store.put(self._claims, f"{namespace}/{name}", row)

    def pvc(self, namespace: str, name: str) -> dict[str, Any] | None:
        """A claim as created: `{namespace, name, storage_class, size, access_modes, volume_mode}`."""
        return self._store.get(self._claims, f"{namespace}/{name}")

    def pvcs(self, namespace: str) -> list[str]:
        """The names of a namespace's claims."""
        return [row["name"] for row in self._store.where(self._claims, namespace=namespace)]

    def pvc_exists(self, namespace: str, name: str) -> bool:
        """Whether the claim exists."""
        return self.pvc(namespace, name) is not None

    def delete_pvc(self, namespace: str, name: str) -> None:
        """Remove a claim if it exists."""
        self._store.remove(self._claims, f"{namespace}/{name}")

    def secret_exists(self, namespace: str, name: str) -> bool:
        """Returns true: no Secrets can be stored here, so each one is assumed to exist."""
        return True
