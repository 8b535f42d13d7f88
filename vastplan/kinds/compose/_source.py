"""The source of a volume, used once when the volume is created: how a document names it, and which directory it means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import field_validator, model_validator

from vastplan.kinds._moments import Moment
from vastplan.kinds.compose.peering import peer_at
from vastplan.kinds.vast._common import Directory
from vastplan.kinds.vast.clone import BEFORE, LATEST, LONGEST_NAME
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.composition import Scope
from vastplan.schema.entries import Entry
from vastplan.schema.markers import Refers
from vastplan.schema.types import MISSING, Name, ReferenceName, Spec

BACKGROUND, ON_READ = "background", "on_read"
Copies = Literal["background", "on_read"]
Problem: TypeAlias = tuple[str, str]
"""Why a source cannot be used, and what to do."""


class Before(Spec):
    """The newest snapshot that was created at a time or before it."""

    SAYS = "{before: TIME}"
    before: Moment
    """Latest time at which the snapshot was created, such as 2027-03-01T06:00:00Z; without a zone it is UTC."""


class Source(Spec):
    """Source of a volume: another volume or directory of the same tenant, and which snapshot of it."""

    SAYS = "{volume: NAME, snapshot: latest | NAME | {before: TIME}, site: SITE}"
    volume: Annotated[ReferenceName | MISSING, Refers("volume", composed=True)] = MISSING
    """Volume of the document whose data is used, of the same tenant."""
    path: Directory | MISSING = MISSING
    """Instead of volume: a directory of the same tenant and site that is of no volume of the document: of a view, or one that exists
    outside the document. For volumes with `path`."""
    snapshot: Name | Before | MISSING = MISSING
    """`latest`, the name of a snapshot, or `{before: TIME}`. Left out, the newest snapshot of a volume with `path`; of
    a volume of a class its claim as it is then."""
    site: Name | MISSING = MISSING
    """Site of the source volume, where it is another one: its data comes over the replication peer between the two
    sites."""

    @model_validator(mode="after")
    def _of_one_sort(self) -> Source:
        if (self.volume is MISSING) == (self.path is MISSING):
            raise ValueError("write volume or path in source, one of them")
        if self.path is not MISSING and self.site is not MISSING:
            raise ValueError("a directory is a source on its own site: write path without site")
        return self

    @field_validator("volume", mode="after")
    @classmethod
    def _of_the_document(cls, volume: Any) -> Any:
        if volume is not MISSING and not isinstance(volume, str):
            raise ValueError("a source has to be a volume of the document")
        return volume


def which(source: Mapping[str, Any]) -> str:
    """Which snapshot is meant: `latest`, `before TIME`, or a name."""
    snapshot = source.get("snapshot", LATEST)
    return f"{BEFORE}{snapshot['before']}" if isinstance(snapshot, Mapping) else str(snapshot)


def tenant_of(volume: Entry, scope: Scope) -> Ref | None:
    """The tenant of a volume: its own, or that of its project."""
    tenant, project = volume.values.get("tenant"), volume.values.get("project")
    if tenant is None and isinstance(project, Ref):
        owner = scope.get(project.target)
        tenant = owner.values.get("tenant") if owner is not None else None
    return tenant if isinstance(tenant, Ref) else None


def volume_of(entry: Entry, scope: Scope) -> Entry | None:
    """The volume that is the source of an entry. If it does not exist, an error is recorded and `None` returned."""
    source = entry.values["source"]
    if "path" in source:
        scope.refuse(
            entry, "VP293", "its source is a directory, and it has a storage_class", "write volume: NAME in source"
        )
        return None
    site, name = source.get("site", entry.address.site), source["volume"]
    if site not in scope.sites:
        scope.refuse(entry, "VP202", f"source: no site {site}", f"write site: {' or '.join(sorted(scope.sites))}")
        return None
    volume = scope.get(Address(site, "volume", name))
    if volume is None:
        scope.refuse(
            entry,
            "VP209",
            f"source: no volume {name} on {site}",
            "correct the name, or write site: SITE where the volume is on another site",
        )
    return volume


def of_another(entry: Entry, volume: Entry, scope: Scope) -> tuple[str, str] | None:
    """Why the snapshot in a source cannot be used: the document declares it for other volumes only. Else `None`."""
    wanted = which(entry.values["source"])
    of = {
        snapshot.values["volume"].target.name: snapshot.values["volume"].target
        for snapshot in scope.of(volume.address.site, "volume_snapshot")
        if snapshot.address.name == wanted
    }
    if not of or volume.address in of.values():
        return None
    name = volume.address.name
    return (
        f"snapshot {wanted} is of {' and '.join(sorted(of))}, not of {name}",
        f"name a snapshot of {name}, or write volume: {min(of)}",
    )


def cloned(entry: Entry, scope: Scope, values: Mapping[str, Any], tenant: Ref) -> Entry | None:
    """The clone that creates the directory of a volume with a path; `None` if that is refused."""
    if "path" in entry.values["source"]:
        return _of_directory(entry, scope, values, tenant)
    volume = volume_of(entry, scope)
    if volume is None:
        return None
    site, name = volume.address.site, entry.address.name
    source_tenant, wanted = tenant_of(volume, scope), which(entry.values["source"])
    problem = _problem(entry, volume, tenant, source_tenant, wanted) or of_another(entry, volume, scope)
    if problem is not None or source_tenant is None:
        scope.refuse(entry, "VP293", *(problem or ("its source is of no tenant", "name a source with a tenant")))
        return None
    declared = [each for each in scope.of(site, "volume_snapshot") if each.values["volume"].target == volume.address]
    meant = [each for each in declared if wanted in (LATEST, each.address.name)]
    if wanted != LATEST and meant:
        wanted = meant[0].called
    first = (volume.address._replace(kind="view"), *(each.address._replace(kind="snapshot") for each in meant))
    clone_values = _values(entry, values["path"], tenant, volume.values["path"], wanted)
    if site != entry.address.site:
        ends = sorted((site, entry.address.site))
        links = [each for each in scope.of(entry.address.site, "peering") if sorted(each.values["between"]) == ends]
        if len(links) != 1:
            text = f"{'no' if not links else 'more than one'} replication peer links {' and '.join(ends)}"
            scope.refuse(entry, "VP293", text, "write one entry of replication_peers between them")
            return None
        peer, before = peer_at(links[0], entry.address.site)
        clone_values |= {"peer": peer, "source_tenant": source_tenant}
        first = (*first, *before)
    return entry.part("clone", name, clone_values, after=first)


def _of_directory(entry: Entry, scope: Scope, values: Mapping[str, Any], tenant: Ref) -> Entry | None:
    """The clone of a directory that is of no volume; after the view of the document that creates it, if there is one."""
    site, path = entry.address.site, entry.values["source"]["path"]
    owners = [
        each
        for kind in ("volume", "view", "bucket")
        for each in scope.of(site, kind)
        if each.values.get("path") == path and tenant_of(each, scope) == tenant
    ]
    volume = next((each.address.name for each in owners if each.address.kind == "volume"), "")
    if volume:
        problem: Problem | None = f"its source {path} is the directory of volume {volume}", f"write volume: {volume}"
    else:
        problem = _unfit(entry, path, path)
    if problem is not None:
        scope.refuse(entry, "VP293", *problem)
        return None
    first = tuple(each.address._replace(kind="view") for each in owners)
    clone_values = _values(entry, values["path"], tenant, path, which(entry.values["source"]))
    return entry.part("clone", entry.address.name, clone_values, after=first)


def _values(entry: Entry, path: str, tenant: Ref, source: str, snapshot: str) -> dict[str, Any]:
    return {
        "name": entry.address.name,
        "tenant": tenant,
        "path": path,
        "source": source,
        "snapshot": snapshot,
        "enabled": entry.values.get("copies", BACKGROUND) == BACKGROUND,
    }


def _problem(entry: Entry, volume: Entry, tenant: Ref, of: Ref | None, wanted: str) -> Problem | None:
    """Why an entry cannot be a clone of a volume, and what to do; `None` if it can."""
    name = volume.address.name
    if volume.address == entry.address:
        return "it is its own source", "name another volume in source"
    if "path" not in volume.values:
        return (
            f"its source {name} has a storage_class, and it has a path",
            "name a source with a path, or write the storage_class of the source",
        )
    if of is None or (of.target.name, of.managed) != (tenant.target.name, tenant.managed):
        return f"its source {name} is of tenant {of}, and a clone stays in its tenant", f"use a volume of tenant {of}"
    if volume.address.site == entry.address.site:
        return _unfit(entry, name, volume.values["path"])
    if wanted.startswith(BEFORE):
        text = "another site returns the names of its snapshots, and not when they were created"
        return text, "write snapshot: latest, or a name"
    return _too_long(entry)


def _unfit(entry: Entry, name: str, path: str) -> Problem | None:
    """Why an entry cannot be a clone of a directory of its site."""
    inner, outer = (f"{each.rstrip('/')}/" for each in (entry.values["path"], path))
    if inner.startswith(outer) or outer.startswith(inner):
        return f"its path and that of its source {name} are one inside the other", "choose a path outside of it"
    return _too_long(entry)


def _too_long(entry: Entry) -> Problem | None:
    if len(entry.address.name) > LONGEST_NAME:
        return f"a clone has a name of at most {LONGEST_NAME} characters", "choose a shorter name"
    return None
