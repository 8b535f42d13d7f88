"""The place of a restore: a directory of the document, its protected path, the objects on it and the workloads that use it."""

from __future__ import annotations

from typing import Any

from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.operation import Operation
from vastplan.model.restore_plan import IN_PLACE
from vastplan.model.value import Ref
from vastplan.operations.document import Document
from vastplan.operations.plan.claims import ClaimOf, mounted, objects_on
from vastplan.schema.entries import Entry

PLACE = "place"
"""The key in a record's facts of the restored place."""
DEFAULT_TENANT = "default"  # if a document names none


@dataclass(frozen=True, slots=True)
class Place:
    """A directory on a site. `tenant` is the name in its system; `path` is its protected path, `None` for an unprotected one.

    `entry` is the entry with the directory, `written` the volume of the document that it belongs to, `None` without one.
    """

    address: Address
    site: str
    directory: str
    tenant: str
    path: Entry | None
    entry: Entry
    written: Entry | None
    work: tuple[ClaimOf, ...]
    covers: tuple[str, ...]
    tenant_address: Address | None = None
    """The tenant's address, if the document has it."""
    guid: str = ""
    """Of a restore in place that has begun: the guid of the protected path."""
    tenant_id: str = ""
    """Of another restore that has begun: the id of the tenant."""


def place_of(document: Document, address: Address) -> Place:
    """The place of a volume, view, bucket or protected path. Raises `VastplanError` if the document has no directory for it."""
    all_entries = document.objects()
    entry = _directory_of(document, all_entries, address)
    site = entry.address.site
    directory = str(entry.values.get("source_dir") or entry.values["path"]).rstrip("/")
    tenant = entry.values.get("tenant")
    path = next((entry for entry in all_entries if _protects(entry, site, directory, tenant)), None)
    origin = entry.origin or str(address)
    volume = next(
        (entry for entry in document.written if str(entry.address) == origin and entry.address.kind == "volume"), None
    )
    covers = set(objects_on(all_entries, site, directory))
    if path is not None:
        covers.add(str(path.address))
        remote = path.values.get("remote_tenant")
        if isinstance(remote, Ref):
            covers.add(str(path.address._replace(site=remote.target.site)))
    tenant_name, tenant_address = DEFAULT_TENANT, None
    if isinstance(tenant, Ref):
        tenant_address = tenant.target if tenant.managed else None
        tenant_name = next(
            (entry.called for entry in all_entries if entry.address == tenant.target), tenant.target.name
        )
    work = mounted(all_entries, site, directory)
    return Place(
        address, site, directory, tenant_name, path, entry, volume, work, tuple(sorted(covers)), tenant_address
    )


def facts_of(place: Place) -> dict[str, Any]:
    """A place as the record of a restore keeps it: an abort follows the record, whatever the document says by then."""
    return {
        "entry": place.entry.origin or str(place.entry.address),
        "directory": place.directory,
        "tenant": place.tenant,
        "path": None if place.path is None else [str(place.path.address), place.path.called],
        "work": [claim.recorded() for claim in place.work],
    }


def place_begun(operation: Operation) -> Place | None:
    """The place of a restore that has begun; `None` if an older vastplan wrote the record without it."""
    try:
        place = operation.facts[PLACE]
        address, directory, path = Address.parse(operation.address), str(place["directory"]), place["path"]
        work = tuple(map(ClaimOf.of_record, place["work"]))
        return Place(
            address=address,
            site=operation.source,
            directory=directory,
            tenant=str(place["tenant"]),
            path=None if path is None else Entry(Address.parse(path[0]), {"name": str(path[1])}),
            entry=Entry(address, {"path": directory}),
            written=None,
            work=work,
            covers=operation.covers,
            guid=operation.subject if operation.mode == IN_PLACE else "",
            tenant_id="" if operation.mode == IN_PLACE else operation.subject.split()[1],
        )
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        return None


def _directory_of(document: Document, everything: tuple[Entry, ...], address: Address) -> Entry:
    """The view or the protected path with the directory of an address."""
    for entry in everything:
        if entry.address == address and address.kind in ("view", "protected_path"):
            return entry
    for entry in everything:
        if entry.origin == str(address) and entry.address.kind == "view" and entry.address.site == address.site:
            return entry
    volumes = {str(entry.address) for entry in document.written if entry.address.kind == "volume"}
    if str(address) in volumes:
        raise VastplanError(
            f"{address} is of a storage class: the CSI driver creates its directory, and its snapshots are VolumeSnapshots of Kubernetes "
            "(recreate the claim from one); vastplan restores only what has a path"
        )
    known_volumes = ", ".join(sorted(volumes)) or "none"
    raise VastplanError(
        f"{inert(address, 200)} is not a volume, view, bucket or protected path of this document; its volumes: {inert(known_volumes, 400)}"
    )


def _protects(entry: Entry, site: str, directory: str, tenant: object) -> bool:
    return (
        (entry.address.site, entry.address.kind) == (site, "protected_path")
        and str(entry.values.get("source_dir")).rstrip("/") == directory
        and entry.values.get("tenant") == tenant
    )
