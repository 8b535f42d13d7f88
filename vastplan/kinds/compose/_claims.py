"""The source of the claim of a volume with `storage_class`: another claim in its current state, or a VolumeSnapshot of one. The
VolumeSnapshot may be of another project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from pydantic import TypeAdapter, ValidationError

from vastplan.kinds.compose._source import of_another, tenant_of, volume_of, which
from vastplan.kinds.vast.clone import BEFORE, LATEST
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.value import Ref
from vastplan.schema.composition import Scope
from vastplan.schema.entries import Entry
from vastplan.schema.types import KubernetesName

Problem = tuple[str, str]
_NAME: TypeAdapter[str] = TypeAdapter(KubernetesName)


@dataclass(frozen=True, slots=True)
class FromAnother:
    """The fields of a claim that name its source, the objects that these need, and what must exist before the claim."""

    values: Mapping[str, Any] = field(default_factory=dict)
    parts: tuple[Entry, ...] = ()
    after: tuple[Address, ...] = ()


_NOTHING = FromAnother()


def volume_project(volume: Entry, scope: Scope) -> Ref | None:
    """The project of a volume: its own, or the only one of its tenant."""
    project = volume.values.get("project")
    if project is None and isinstance(tenant := volume.values.get("tenant"), Ref):
        owned = scope.owned_by(tenant, volume.address.site, "project")
        project = Ref(owned[0].address) if len(owned) == 1 else None
    return project if isinstance(project, Ref) else None


def is_kubernetes_name(name: str) -> bool:
    """Whether an object of Kubernetes can have this name."""
    try:
        _NAME.validate_python(name)
    except ValidationError:
        return False
    return True


def claimed(entry: Entry, scope: Scope, project: Ref, prefix: str) -> FromAnother:
    """The source of the claim of a volume with `storage_class`; empty if it is refused, or if the volume has no source.

    Kubernetes restores a claim only from a VolumeSnapshot in its own namespace. For a snapshot of another project, vastplan creates a
    VolumeSnapshotContent named after `prefix` and the claim, and a VolumeSnapshot in the claim's namespace that is bound to it.
    """
    if "source" not in entry.values:
        return _NOTHING
    volume = volume_of(entry, scope)
    if volume is None:
        return _NOTHING
    source, of_source = entry.values["source"], volume_project(volume, scope)
    problem = (
        _problem(entry, volume) or of_another(entry, volume, scope) or _of_a_claim(entry, volume, project, of_source)
    )
    if problem is None and of_source != project:
        problem = _of_tenants(entry, volume, scope)
    if problem is not None:
        scope.refuse(entry, "VP293", *problem)
        return _NOTHING
    claim = volume.address._replace(kind="persistent_volume_claim")
    if "snapshot" not in source:
        return FromAnother({"from_claim": Ref(claim)})
    origin, first = _snapshot(entry, volume, scope)
    if of_source == project:
        of: dict[str, Any] = {key: Ref(claim) for key in ("newest_of", "of_claim") if key in origin}
        return FromAnother({**origin, **of}, after=first)
    name, called = entry.address.name, entry.called
    copy_name = _copy_of(called, volume, which(source))
    if not is_kubernetes_name(copy_name):
        scope.refuse(
            entry,
            "VP293",
            f"{copy_name} is too long as the name of the snapshot that it is created from",
            "choose a shorter name",
        )
        return _NOTHING
    content = {
        "name": f"{prefix}-{called}",
        "namespace": project,
        "snapshot": copy_name,
        "deletion_policy": "Retain",
        "of_namespace": of_source,
        **{"of_snapshot" if key == "from_snapshot" else key: value for key, value in origin.items()},
    }
    content_key = f"{project}-{name}"
    bound = {"name": copy_name, "namespace": project, "content": entry.ref("snapshot_content", content_key)}
    copy = entry.part("bound_snapshot", name, bound, after=(project.target,))
    parts = (entry.part("snapshot_content", content_key, content, after=(project.target, *first)), copy)
    return FromAnother({"from_snapshot": copy_name}, parts, (copy.address,))


def _copy_of(called: str, volume: Entry, wanted: str) -> str:
    """The name of the VolumeSnapshot bound in another project. It contains the source volume and snapshot: a claim's source is
    immutable, so another source needs another name."""
    return f"{called}-of-{volume.called}-{wanted.partition(' ')[0]}"


def _snapshot(entry: Entry, volume: Entry, scope: Scope) -> tuple[dict[str, Any], tuple[Address, ...]]:
    """The fields that name the VolumeSnapshot of a volume, and what must exist before: its claim, and those of the VolumeSnapshots in
    question that the document declares."""
    site, wanted, snapshot = entry.address.site, which(entry.values["source"]), entry.values["source"]["snapshot"]
    of_it = [each for each in scope.of(site, "volume_snapshot") if each.values["volume"].target == volume.address]
    by_name = isinstance(snapshot, str) and snapshot != LATEST
    meant = [each for each in of_it if each.address.name == wanted] if by_name else of_it
    claim = volume.address._replace(kind="persistent_volume_claim")
    first = (claim, *(each.address._replace(kind="claim_snapshot") for each in meant))
    if by_name:
        return {"from_snapshot": meant[0].called if meant else wanted, "of_claim": volume.called}, first
    until = {} if isinstance(snapshot, str) else {"until": snapshot["before"]}
    return {"newest_of": volume.called, **until}, first


def _problem(entry: Entry, volume: Entry) -> Problem | None:
    """Why no claim can be created from a volume, whatever its project."""
    name, wanted = volume.address.name, which(entry.values["source"])
    if volume.address == entry.address:
        return "it is its own source", "name another volume in source"
    if "path" in volume.values:
        return (
            f"its source {name} has a path, and it has a storage_class",
            "name a source with a storage_class, or give this volume a path",
        )
    if volume.address.site != entry.address.site:
        return (
            "its source is on another site, and a claim is created from one of its own site",
            "name a source on this site",
        )
    if "copies" in entry.values:
        return "copies has no effect on a claim: the driver decides how it copies (blockingClones)", "remove copies"
    if not wanted.startswith(BEFORE) and not is_kubernetes_name(wanted):
        return f"{wanted} cannot be the name of a VolumeSnapshot", "write snapshot: latest, or the name of one"
    return None


def _of_a_claim(entry: Entry, volume: Entry, project: Ref, of_source: Ref | None) -> Problem | None:
    """Why no claim can be created from the current state of the claim of `volume`. With a snapshot in the source, the only problem is
    that the project of `volume` is unknown."""
    name = volume.address.name
    if "snapshot" in entry.values["source"]:
        return (
            None
            if of_source is not None
            else (
                f"the document does not say which project its source {name} is of",
                "write project: NAME in the source",
            )
        )
    if of_source != project:
        text = f"its source {name} is of project {of_source}, and a claim is created from one of its own project"
        return text, f"write project: {of_source}, or snapshot: latest or NAME: a snapshot may be of another project"
    if entry.values["size"] < volume.values["size"]:
        return f"it is smaller than its source {name}", "raise size to that of the source, or more"
    return None


def _of_tenants(entry: Entry, volume: Entry, scope: Scope) -> Problem | None:
    """Why a snapshot cannot be used in a project other than that of its volume: both volumes, with their projects and classes, must
    be of one tenant."""
    of_source, own = _tenants(volume, scope), _tenants(entry, scope)
    if len(of_source) == 1 and of_source == own and None not in of_source:
        return None
    of, to = (" and ".join(sorted(str(tenant or "none") for tenant in tenants)) for tenants in (of_source, own))
    text = f"its source {volume.address.name} is of tenant {of}, it is of {to}, and a clone stays in its tenant"
    return text, "use projects and classes of one tenant"


def _tenants(volume: Entry, scope: Scope) -> set[Ref | None]:
    """All tenants of a volume: its own, that of its project (`None` if it has none), and that of its class, if known."""
    project, of = volume_project(volume, scope), volume.values.get("storage_class")
    owner = scope.get(project.target) if project is not None else None
    class_ = scope.get(of.target) if isinstance(of, Ref) and of.managed else None
    declared = [tenant_of(volume, scope), class_.values.get("tenant") if class_ is not None else None]
    tenants: set[Ref | None] = {ref for ref in declared if isinstance(ref, Ref)}
    tenant = owner.values.get("tenant") if owner is not None else None
    return tenants | {tenant if isinstance(tenant, Ref) else None}
