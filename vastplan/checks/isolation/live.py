"""What the proof of isolation reads live: the kinds that it follows, and which of their objects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from vastplan.checks.paths import path_names
from vastplan.kinds.kubernetes._common import BLOCK_DRIVER, FILE_DRIVER
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry

STARTS_AT = "project"
"""The kind that every chain starts at: without one there is nothing to prove."""
SYSTEMS = frozenset({"kubernetes", "runai"})
"""A site without one of these has no chains."""
CHAIN = (
    STARTS_AT, "storage_class", "admission_policy", "admission_binding", "resource_quota", "persistent_volume",
    "persistent_volume_claim", "namespace", "vip_pool", "view_policy", "view", "tenant",
)  # fmt: skip
IF_READ = (
    "secret", "clone", "data_volume", "data_source", "nfs_data_source", "s3_data_source", "host_path_data_source",
)  # fmt: skip
"""Followed if something else had it read; never read for the proof."""
_DRIVERS = ("file", "block")


def live_namespace(name: str, attributes: Mapping[str, Any]) -> str:
    """The namespace of a live project: the one that the system returns, or the one that Run:AI creates."""
    return str(attributes.get("namespace") or f"runai-{name}")


def _shows_data(values: Mapping[str, Any], handles: Mapping[Any, int], classes: Mapping[Any, Entry]) -> bool:
    """Whether a volume is followed by itself: one of existing data, each of several that show one provisioned volume, and one that is not
    as its class would have it, because somebody made or changed it."""
    handle, root = str(values.get("volume_handle")), _root(values)
    if handle.startswith("/") or values.get("driver") not in (FILE_DRIVER, BLOCK_DRIVER):
        return handle.startswith("/")
    its_class = classes.get(values.get("storage_class_name"))
    as_its_class = its_class is not None and root == path_names(str(its_class.values.get("storage_path") or ""))
    return handles[handle] > 1 or (root is not None and not as_its_class)


def _root(values: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The directory in which the file driver mounts the one that the handle names; `None` where the volume has none."""
    text = (values.get("volume_attributes") or {}).get("root_export")
    return None if text is None else path_names(str(text))


def _as_mounted(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a volume with the directory that the driver mounts as its handle (K8S: root_export/handle)."""
    root, handle = _root(values), str(values.get("volume_handle"))
    fqdn = (values.get("volume_attributes") or {}).get("vip_pool_fqdn")
    by_name = {"vip_pool_fqdn": fqdn} if fqdn else {}
    if root is None or handle.startswith("/"):
        return {**values, **by_name}
    return {**values, **by_name, "volume_handle": "/".join(("", *root, handle))}


def followed(live: Iterable[tuple[Entry, str]]) -> Iterator[Entry]:
    """The live objects, given with their ids, that a chain may lead through; each under an address of its own."""
    objects = list(live)
    other_classes = {
        entry.address.name
        for entry, _ in objects
        if entry.address.kind == "storage_class" and entry.values.get("driver") not in _DRIVERS
    }
    classes = {
        entry.address.name: entry
        for entry, _ in objects
        if entry.address.kind == "storage_class" and entry.address.name not in other_classes
    }
    handles = Counter(
        entry.values.get("volume_handle") for entry, _ in objects if entry.address.kind == "persistent_volume"
    )
    addresses: set[Address] = set()
    for entry, live_id in objects:
        address, values = entry.address, entry.values
        storage_class = values.get("storage_class")
        class_name = storage_class.target.name if isinstance(storage_class, Ref) else storage_class
        if address.kind == "storage_class" and values.get("driver") not in _DRIVERS:
            continue
        if address.kind == "persistent_volume":
            if not _shows_data(values, handles, classes):
                continue  # of another driver, or the only one of a provisioned volume: then its class leads to it
            values = values if handles[values.get("volume_handle")] > 1 else _as_mounted(values)
        if address.kind == "persistent_volume_claim" and class_name in other_classes:
            continue
        if address in addresses:
            address = address._replace(name=f"{address.name} (id {live_id})")
        addresses.add(address)
        if storage_class == "":  # in Kubernetes, "" means no class: two claims do not share it
            values = {**values, "storage_class": None}
        yield replace(entry, address=address, values=values)
