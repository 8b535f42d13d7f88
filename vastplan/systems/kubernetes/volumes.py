"""Volumes and claims that an operation creates like existing ones, each with the operation's mark, and deletes again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vastplan.model.errors import ObjectNotFound
from vastplan.schema.kind import Kind, Row
from vastplan.schema.ports.access import Made, Twin
from vastplan.schema.provider import Provider
from vastplan.schema.rows import at

_BY_DRIVER = ("static_pv_create_views", "static_pv_create_quotas")
"""With these the driver would create a view and a quota itself, and leave them."""
_OF_ONE = frozenset({"claimRef", "volumeName", "dataSource", "dataSourceRef", "selector"})
"""Fields of a specification that belong to one object only."""


class StaticVolumes:
    """The volumes and claims of one cluster, by their kinds. The mark is a label, `key=value`."""

    def __init__(self, site: str, provider: Provider, volumes: Kind, claims: Kind) -> None:
        self.site = site
        self._provider, self._volumes, self._claims = provider, volumes, claims

    def amiss(self, namespace: str, claim: str, directory: str) -> str:
        """Why the claim cannot serve as the model: it does not exist, is not bound, or its volume has another directory; "" if it can."""
        twin = f"the claim {namespace}/{claim} at {self.site}"
        row = self._provider.read(self._claims, f"{namespace}/{claim}")
        if row is None:
            return f"{twin} does not exist"
        volume = self._volume_of(row)
        if volume is None:
            return f"{twin} is not bound to a volume"
        return "" if _handle(volume) == directory else f"the volume of {twin} does not point to {directory}"

    def volume(self, name: str) -> Made:
        """The volume of that name."""
        return _made(self._provider.read(self._volumes, name), "Bound", "Available")

    def claim(self, namespace: str, name: str) -> Made:
        """The claim of that namespace and name."""
        return _made(self._provider.read(self._claims, f"{namespace}/{name}"), "Bound")

    def make_volume(self, like: Twin, name: str, directory: str, mark: str) -> None:
        """Create a volume for one claim only; it is retained when that claim is deleted."""
        volume = self._volume_of(self._twin(like))
        if volume is None:
            raise ObjectNotFound(f"the volume of {like.namespace}/{like.claim} at {self.site} is gone")
        spec = _alike(volume)
        source = {**spec["csi"], "volumeHandle": directory}
        attributes = source.get("volumeAttributes")
        if isinstance(attributes, Mapping):
            source["volumeAttributes"] = {
                key: "no" if key in _BY_DRIVER else directory if _folder(value) == like.directory else value
                for key, value in attributes.items()
            }
        spec |= {"csi": source, "persistentVolumeReclaimPolicy": "Retain"}
        spec["claimRef"] = {
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": like.namespace, "name": name,
        }  # fmt: skip
        self._provider.create(self._volumes, {"metadata": {"name": name, "labels": _labels(mark)}, "spec": spec})

    def make_claim(self, like: Twin, name: str, mark: str) -> None:
        """Create a claim of the class, size and modes of the other one."""
        spec = {**_alike(self._twin(like)), "volumeName": name}
        metadata = {"name": name, "namespace": like.namespace, "labels": _labels(mark)}
        self._provider.create(self._claims, {"metadata": metadata, "spec": spec})

    def drop_volume(self, name: str, mark: str) -> None:
        """Delete the volume by its uid, if it has the mark."""
        self._drop(self._volumes, name, mark)

    def drop_claim(self, namespace: str, name: str, mark: str) -> None:
        """Delete the claim by its uid, if it has the mark."""
        self._drop(self._claims, f"{namespace}/{name}", mark)

    def _drop(self, kind: Kind, locator: str, mark: str) -> None:
        row = self._provider.read(kind, locator)
        created = _made(row)
        if mark in created.marks:
            # its status may change at any time with its claim; its uid does not
            self._provider.delete(kind, locator, {"metadata": {"uid": created.id}})

    def _twin(self, like: Twin) -> Row:
        row = self._provider.read(self._claims, f"{like.namespace}/{like.claim}")
        if row is None:
            raise ObjectNotFound(f"the claim {like.namespace}/{like.claim} at {self.site} is gone")
        return row

    def _volume_of(self, claim: Row) -> Row | None:
        name = at(claim, ("spec", "volumeName"))
        return self._provider.read(self._volumes, str(name)) if name else None


def _alike(row: Row) -> dict[str, Any]:
    spec = row.get("spec")
    return {name: value for name, value in spec.items() if name not in _OF_ONE} if isinstance(spec, Mapping) else {}


def _handle(volume: Row) -> str:
    return _folder(at(volume, ("spec", "csi", "volumeHandle")))


def _folder(value: object) -> str:
    return str(value).rstrip("/")


def _labels(mark: str) -> dict[str, str]:
    key, _, value = mark.partition("=")
    return {key: value}


def _made(row: Row | None, *ready: str) -> Made:
    if row is None:
        return Made()
    labels = at(row, ("metadata", "labels"))
    marks = tuple(f"{key}={value}" for key, value in labels.items()) if isinstance(labels, Mapping) else ()
    leaving = at(row, ("metadata", "deletionTimestamp")) is not None
    return Made(str(at(row, ("metadata", "uid"))), marks, at(row, ("status", "phase")) in ready, leaving)
