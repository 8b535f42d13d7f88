"""`vastplan ledger`: what we own, letting go of it, and breaking a lock."""

from __future__ import annotations

from typing import Any

from vastplan.app.clock import timestamp
from vastplan.app.locks import locked_ledgers
from vastplan.app.workspace import Workspace
from vastplan.ledger import events
from vastplan.ledger.backend import LockOwner
from vastplan.model.address import Address
from vastplan.model.errors import VastplanError


def forget(workspace: Workspace, address: Address) -> None:
    """Drop ownership of an object without touching it; raises `VastplanError` when we do not own it."""
    (site,) = workspace.chosen(address.site)
    with locked_ledgers(workspace, [site]) as ledgers:
        session = ledgers.sessions[site]
        if str(address) not in session.part.entries:
            raise VastplanError(f"{address} is not in the ledger")
        session.record(events.begin("", {}, timestamp()), events.drop(str(address)))


def owned(workspace: Workspace) -> list[dict[str, Any]]:
    """What the ledger owns, by address."""
    rows = []
    with workspace.ledger() as backend:
        for site in workspace.document.head.sites:
            for address, entry in sorted(backend.read(site).entries.items()):
                rows.append({"address": address, "id": entry.id, "applied": entry.applied, "fields": len(entry.fields)})
    return rows


def unlock(workspace: Workspace, site: str) -> LockOwner | None:
    """Break the lock of a holder that is gone, and answer who it was; raises `Locked` for one that may be at work."""
    with workspace.ledger(writable=True) as backend:
        return backend.unlock(site)
