"""What the proof of isolation reads live: the kinds that it follows, and which of their objects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

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


def _shows_data(values: Mapping[str, Any], handles: Mapping[Any, int]) -> bool:
    """Whether a volume is followed by itself: one of existing data, and each of several that show one provisioned volume."""
    handle = str(values.get("volume_handle"))
    return handle.startswith("/") or (values.get("driver") in (FILE_DRIVER, BLOCK_DRIVER) and handles[handle] > 1)


def followed(live: Iterable[tuple[Entry, str]]) -> Iterator[Entry]:
    """The live objects, given with their ids, that a chain may lead through; each under an address of its own."""
    objects = list(live)
    other_classes = {
        entry.address.name
        for entry, _ in objects
        if entry.address.kind == "storage_class" and entry.values.get("driver") not in _DRIVERS
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
        if address.kind == "persistent_volume" and not _shows_data(values, handles):
            continue  # of another driver, or the only one of a provisioned volume: then its class leads to it
        if address.kind == "persistent_volume_claim" and class_name in other_classes:
            continue
        if address in addresses:
            address = address._replace(name=f"{address.name} (id {live_id})")
        addresses.add(address)
        if storage_class == "":  # in Kubernetes, "" means no class: two claims do not share it
            values = {**values, "storage_class": None}
        yield replace(entry, address=address, values=values)
