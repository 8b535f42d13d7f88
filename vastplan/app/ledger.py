"""`vastplan ledger`: lists what is owned, releases objects, and breaks a lock."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from fnmatch import fnmatchcase
from typing import Any

from vastplan.app.authorship import done_at_once, new_run
from vastplan.app.clock import timestamp
from vastplan.app.locks import locked_ledgers
from vastplan.app.planning.known_addresses import is_pattern
from vastplan.app.workspace import Workspace
from vastplan.ledger import events
from vastplan.ledger.backend import Backend, LockOwner
from vastplan.model.address import Address
from vastplan.model.errors import Invalid, VastplanError
from vastplan.model.escaping import inert
from vastplan.model.finding import error
from vastplan.model.site_ledger import SiteLedger


def known_sites(workspace: Workspace, backend: Backend, site: str | None = None) -> tuple[str, ...]:
    """The sites in the document or in its ledger; only `site` if given, which must be one of them. Raises `Invalid`."""
    sites = tuple(dict.fromkeys((*workspace.document.head.sites, *backend.sites())))
    if site is None:
        return sites
    if site not in sites:
        raise _no_site(site, sites)
    return (site,)


def _no_site(site: str, sites: Iterable[str]) -> Invalid:
    return Invalid([error("VP202", f"no site {inert(site, 80)}", fix=f"known: {', '.join(sites)}")])


def read_parts(workspace: Workspace, site: str | None = None) -> dict[str, SiteLedger]:
    """The ledger parts of all known sites, or of one; read without a lock."""
    with workspace.ledger() as backend:
        return {name: backend.read(name) for name in known_sites(workspace, backend, site)}


def owned_objects(workspace: Workspace, site: str | None = None) -> list[dict[str, Any]]:
    """The objects that the ledger owns, by address. `site_in_document` is false on sites that the document no longer names."""
    return [
        {
            "address": address,
            "id": entry.id,
            "applied": entry.applied,
            "fields": len(entry.fields),
            "site_in_document": name in workspace.document.head.sites,
        }
        for name, part in read_parts(workspace, site).items()
        for address, entry in sorted(part.entries.items())
    ]


def matching_addresses(
    workspace: Workspace, wanted: Iterable[str], parts: Mapping[str, SiteLedger], *, with_parts: bool = False
) -> list[Address]:
    """The ledger's addresses that match the wanted addresses, patterns, and composite entries (which stand for their parts).

    `with_parts` adds all entries written inside these entries in the document, and all objects composed from them. Raises
    `VastplanError` for a text that matches nothing.
    """
    recorded = [Address.parse(text) for part in parts.values() for text in sorted({*part.entries, *part.intents})]
    addresses = set(recorded)
    matches: dict[Address, None] = {}
    for text in wanted:
        matching = _matching(workspace, text, recorded, addresses)
        if with_parts:
            matching += _standing_in(workspace, text, addresses)
        if not matching and not is_pattern(text) and (site := Address.parse(text).site) not in parts:
            raise _no_site(site, parts)
        if not matching:
            problem_text = "matches nothing in the ledger" if is_pattern(text) else "is not in the ledger"
            raise VastplanError(f"{inert(text, 200)} {problem_text}")
        matches |= dict.fromkeys(matching)
    return list(matches)


def _matching(workspace: Workspace, text: str, recorded: list[Address], addresses: set[Address]) -> list[Address]:
    try:
        address = Address.parse(text)
    except ValueError as problem:
        if not is_pattern(text):
            raise VastplanError(str(problem)) from None
    else:
        if address in addresses:
            return [address]
        if address.kind in workspace.registry.types and address.kind not in workspace.registry.kinds:
            entries, _ = workspace.entries()
            return [entry.address for entry in entries if entry.origin == text and entry.address in addresses]
    return [address for address in recorded if fnmatchcase(str(address), text)]


def _standing_in(workspace: Workspace, text: str, addresses: Set[Address]) -> list[Address]:
    """The ledger's addresses among the entries that match, the entries written inside those, and the objects composed from them."""
    written = workspace.document.entries
    meant = {entry.address for entry in written if fnmatchcase(str(entry.address), text)}
    if not meant:
        raise VastplanError(
            f"the document has no {inert(text, 200)}, so vastplan cannot determine its parts: "
            "--with-parts is for what is still in it"
        )
    meant |= {entry.address for entry in written if entry.inside is not None and entry.inside.container in meant}
    origins = set(map(str, meant))
    entries, _ = workspace.entries()
    return [
        entry.address
        for entry in entries
        if entry.address in addresses and (entry.address in meant or entry.origin in origins)
    ]


def release_objects(
    workspace: Workspace, addresses: Iterable[Address], report: Callable[[str], None] = lambda _: None
) -> None:
    """Release objects without changing them; raises `VastplanError`, and releases none, when the ledger does not own one."""
    by_site: dict[str, list[str]] = {}
    for address in addresses:
        by_site.setdefault(address.site, []).append(str(address))
    run = new_run(workspace, "ledger forget")
    with locked_ledgers(workspace, by_site, report) as ledgers:
        for site, texts in by_site.items():
            part = ledgers.sessions[site].part
            for text in texts:
                if text not in part.entries and text not in part.intents:
                    raise VastplanError(f"{inert(text, 200)} is not in the ledger")
        for site, texts in by_site.items():
            dropped = [event for text in texts for event in (events.drop_event(text), events.settle_event(text))]
            forgotten = done_at_once(run, "forget", texts)
            ledgers.sessions[site].record(events.begin_event("", {}, timestamp(), None, forgotten), *dropped)


def unlock(workspace: Workspace, site: str, report: Callable[[str], None] = lambda _: None) -> LockOwner | None:
    """Break the lock of a holder that no longer runs, and return that holder. Raises `Locked` if the holder may still be running."""
    with workspace.ledger(writable=True, report=report) as backend:
        known_sites(workspace, backend, site)
        return backend.unlock(site)
