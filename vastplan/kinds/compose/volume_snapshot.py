"""Declared snapshots: the data of a volume at one moment, such as before an upgrade; created once and kept until they expire."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from vastplan.kinds._moments import Moment
from vastplan.kinds.compose._claims import is_kubernetes_name, volume_project
from vastplan.kinds.compose._source import tenant_of
from vastplan.kinds.vast.clone import LATEST
from vastplan.model.value import Ref
from vastplan.schema.composition import Composition, Scope
from vastplan.schema.entries import Entry, composite
from vastplan.schema.markers import NAMED, Refers
from vastplan.schema.types import MISSING, Name, ReferenceName, Spec


class VolumeSnapshot(Spec):
    """A snapshot of a volume: created once, by the first apply that has it, and not recreated when it has expired or is
    gone.

    For a volume with `path` VAST creates it of the directory; for one of a class the CSI driver creates it, as a
    VolumeSnapshot of the claim.
    """

    name: Annotated[Name | MISSING, NAMED] = MISSING
    """Name of the snapshot in VAST, or of the VolumeSnapshot in Kubernetes."""
    volume: Annotated[ReferenceName, Refers("volume")]
    """Volume of the document whose data the snapshot keeps. A snapshot without `sites` is on the sites of its volume."""
    expires: Moment | None | MISSING = MISSING
    """Time at which VAST deletes the snapshot; left out or null, it stays. Refused for a volume of a class, as
    Kubernetes has no expiry."""
    snapshot_class: Annotated[ReferenceName | MISSING, Refers("snapshot_class")] = MISSING
    """Class by which the CSI driver creates the snapshot of a volume of a class; left out, the document's only one
    for that driver, else the cluster's default."""


def _compose(entry: Entry, scope: Scope) -> Iterable[Entry]:
    if entry.address.name == LATEST:
        scope.refuse(
            entry, "VP294", f"{LATEST} means the newest snapshot, and cannot be the name of one", "choose another name"
        )
        return
    of = entry.values["volume"]
    volume = scope.get(of.target) if of.managed else None
    if volume is None:
        scope.refuse(entry, "VP294", f"{of} is not a volume of this document", "name a volume of this document")
        return
    if "path" not in volume.values:
        yield from _of_a_claim(entry, scope, volume)
        return
    if "snapshot_class" in entry.values:
        scope.refuse(entry, "VP294", f"snapshot_class is for volumes of a class, and {of} has a path", "remove it")
        return
    tenant = tenant_of(volume, scope)
    if not isinstance(tenant, Ref):  # the volume itself is refused
        return
    values = {
        "name": entry.called,
        "tenant": tenant,
        "path": volume.values["path"],
        **{name: entry.values[name] for name in ("expires",) if name in entry.values},
    }
    view = volume.address._replace(kind="view")
    yield entry.part("snapshot", entry.address.name, values, after=(view,))


def _of_a_claim(entry: Entry, scope: Scope, volume: Entry) -> Iterable[Entry]:
    """The VolumeSnapshot of the claim of a volume of a class, in the namespace of its project."""
    if entry.values.get("expires") is not None:
        text = f"volume {volume.address.name} is of a StorageClass, and Kubernetes deletes no VolumeSnapshot by itself"
        fix = "remove expires, and remove the entry from the document when the snapshot should be deleted"
        scope.refuse(entry, "VP294", text, fix)
        return
    if not is_kubernetes_name(entry.called):
        scope.refuse(entry, "VP294", f"{entry.called} cannot be the name of a VolumeSnapshot", "write another name")
        return
    project = volume_project(volume, scope)
    if project is None:  # the volume itself is refused
        return
    class_, chosen = _class_of(entry, scope, volume)
    claim = volume.address._replace(kind="persistent_volume_claim")
    values = {"name": entry.called, "namespace": project, "claim": Ref(claim), **class_}
    yield entry.part("claim_snapshot", entry.address.name, values, chosen=chosen, after=(project.target,))


def _class_of(entry: Entry, scope: Scope, volume: Entry) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The class by which a VolumeSnapshot is created, and a note if vastplan chose it."""
    if "snapshot_class" in entry.values:
        return {"snapshot_class": entry.values["snapshot_class"]}, ()
    of = volume.values["storage_class"]
    used = scope.get(of.target) if isinstance(of, Ref) and of.managed else None
    driver = None if used is None else used.values.get("driver")
    fitting = [
        class_
        for class_ in scope.of(entry.address.site, "snapshot_class")
        if driver is None or class_.values.get("driver") == driver
    ]
    if len(fitting) != 1:
        return {}, ()
    name = fitting[0].address.name
    return {"snapshot_class": Ref(fitting[0].address)}, (f"snapshot_class {name}, the only one of its driver",)


def _systems(values: Mapping[str, Any]) -> frozenset[str]:
    return frozenset({"kubernetes"} if "snapshot_class" in values else {"vast", "kubernetes"})


ENTRY = composite(VolumeSnapshot, name="volume_snapshot", section="snapshots", systems=_systems, follows="volume")
COMPOSITION = Composition("volume_snapshot", _compose, creates=frozenset({"snapshot", "claim_snapshot"}))
