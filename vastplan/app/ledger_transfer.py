"""`vastplan ledger export` and `import`: transfer addresses from one document's ledger to another's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from vastplan.app.authorship import done_at_once, new_run
from vastplan.app.clock import timestamp
from vastplan.app.files.ledger_export import EXPORT_FILE
from vastplan.app.ledger import matching_addresses, read_parts
from vastplan.app.locks import locked_ledgers
from vastplan.app.workspace import Workspace
from vastplan.ledger import events
from vastplan.ledger.backend import OtherParts
from vastplan.model.address import Address
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.ledger_export import ExportedObject, LedgerExport
from vastplan.model.site_ledger import UNKNOWN_DIGEST, Owned, SiteLedger
from vastplan.model.wording import some

_SHOWN = 8


def exported(workspace: Workspace, wanted: Iterable[str], *, with_parts: bool = False) -> LedgerExport:
    """An export of the wanted addresses and patterns; of the whole ledger if none are given. Raises `VastplanError` for open intents."""
    parts = read_parts(workspace)
    addresses = matching_addresses(workspace, tuple(wanted) or ("*",), parts, with_parts=with_parts)
    unsettled = [address for address in addresses if str(address) in parts[address.site].intents]
    if unsettled:
        raise VastplanError(
            f"{inert(unsettled[0], 200)} was being written when a run was interrupted; plan and apply before the export"
        )
    objects = tuple(_object(address, parts[address.site].entries[str(address)]) for address in sorted(addresses))
    return EXPORT_FILE.sealed(LedgerExport(workspace.name, timestamp(), objects))


def _object(address: Address, owned: Owned) -> ExportedObject:
    return ExportedObject(
        str(address), owned.id, owned.locator, tuple(sorted(owned.fields)), owned.refers, owned.applied
    )


def importable(workspace: Workspace, path: Path) -> LedgerExport:
    """The export in a file. Raises `VastplanError` unless this ledger can take all of it."""
    export = EXPORT_FILE.load(path)
    entries, _ = workspace.entries()
    desired = {entry.address for entry in entries}
    strange = [address for address in map(Address.parse, _addresses(export)) if address not in desired]
    if strange:
        raise VastplanError(
            f"{_some(strange)}: not in the document {workspace.name}, so its next plan would delete it; "
            "write it there first, or export less"
        )
    with workspace.ledger() as backend:
        _check_others(export, backend.others())
    _check_parts(export, read_parts(workspace))
    return export


def _addresses(export: LedgerExport) -> list[str]:
    return [exported.address for exported in export.objects]


def _check_others(export: LedgerExport, others: OtherParts) -> None:
    """Raises `VastplanError` for an object that another document in the same ledger store owns: an object has one owner."""
    owners = {
        (part.site, Address.parse(text).kind, owned.id): part.document
        for part in others.parts
        for text, owned in part.entries.items()
    }
    for entry in export.objects:
        address = Address.parse(entry.address)
        owner = owners.get((address.site, address.kind, entry.id))
        if owner is not None:
            raise VastplanError(
                f"{inert(address, 200)}: still owned by document {inert(owner, 80)}; release it there first "
                "(vastplan ledger export --forget does both)"
            )


def _check_parts(export: LedgerExport, parts: Mapping[str, SiteLedger]) -> None:
    """Raises `VastplanError` for an object that these parts already have, by id or by address."""
    ids = {
        (site, Address.parse(text).kind, owned.id): text
        for site, part in parts.items()
        for text, owned in part.entries.items()
    }
    for entry in export.objects:
        address, part = Address.parse(entry.address), parts[Address.parse(entry.address).site]
        present = ids.get((address.site, address.kind, entry.id))
        if present is not None:
            raise VastplanError(
                f"{inert(address, 200)}: its object is already in this ledger, as {inert(present, 200)}"
            )
        if entry.address in part.entries or entry.address in part.intents:
            raise VastplanError(f"{inert(address, 200)}: this ledger has another object at this address")


def record_owned(workspace: Workspace, export: LedgerExport, report: Callable[[str], None] = lambda _: None) -> None:
    """Record all objects as owned; none if the ledger already has one of them, which raises `VastplanError`.

    The digests of their fields stay unknown until the next apply records them.
    """
    by_site: dict[str, list[ExportedObject]] = {}
    for entry in export.objects:
        by_site.setdefault(Address.parse(entry.address).site, []).append(entry)
    run = new_run(workspace, "ledger import", export.id)
    with locked_ledgers(workspace, by_site, report) as ledgers:
        _check_parts(export, ledgers.parts())
        for site, objects in by_site.items():
            owned = [events.own_event(entry.address, _owned(entry)) for entry in objects]
            imported = done_at_once(run, "import", [entry.address for entry in objects])
            ledgers.sessions[site].record(events.begin_event("", {}, timestamp(), None, imported), *owned)


def _owned(entry: ExportedObject) -> Owned:
    return Owned(entry.id, entry.locator, dict.fromkeys(entry.fields, UNKNOWN_DIGEST), entry.refers, entry.applied)


def _some(addresses: list[Address]) -> str:
    return some(addresses, _SHOWN, lambda address: inert(address, 200))
