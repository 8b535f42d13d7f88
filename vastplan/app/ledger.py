"""Looking, without planning a change: one object, what we own; and letting go of what we own."""

from __future__ import annotations

from contextlib import closing
from typing import Any

from vastplan.app.clock import now
from vastplan.app.flows import Options, holder, make_plan
from vastplan.app.workspace import Workspace
from vastplan.document.instantiate import nearest
from vastplan.engine.diff import leaves, value_at
from vastplan.ledger import events
from vastplan.ledger.backend import LockOwner
from vastplan.model.address import Address
from vastplan.model.errors import VastplanError
from vastplan.model.site_ledger import path_text
from vastplan.model.value import references, to_json
from vastplan.schema.markers import Marker


def forget(workspace: Workspace, address: Address) -> None:
    """Drop ownership of an object without touching it; raises `VastplanError` when we do not own it."""
    (site,) = workspace.chosen(address.site)
    with workspace.ledger(writable=True) as backend, closing(backend.open(site, holder())) as session:
        if str(address) not in session.part.entries:
            raise VastplanError(f"{address} is not in the ledger")
        session.record(events.begin("", {}, now().isoformat(timespec="seconds")), events.drop(str(address)))


def owned(workspace: Workspace) -> list[dict[str, Any]]:
    """What the ledger owns, by address."""
    rows = []
    with workspace.ledger() as backend:
        for site in workspace.document.head.sites:
            for address, one in sorted(backend.read(site).entries.items()):
                rows.append({"address": address, "id": one.id, "applied": one.applied, "fields": len(one.fields)})
    return rows


def unlock(workspace: Workspace, site: str) -> LockOwner | None:
    """Break the lock of a holder that is gone, and answer who it was; raises `Locked` for one that may be at work."""
    with workspace.ledger(writable=True) as backend:
        return backend.unlock(site)


def describe(workspace: Workspace, address: Address) -> dict[str, Any]:
    """One object of the document: its fields on both sides, and what was chosen for it. Raises `VastplanError`."""
    options = Options(workspace.chosen(address.site if address.site in workspace.document.head.sites else None))
    planned = make_plan(workspace, options)
    entry = next((one for one in planned.entries if one.address == address), None)
    if entry is None:
        near = nearest(str(address), [str(one.address) for one in planned.entries])
        raise VastplanError(f"the document yields no {address}" + (f" ({near})" if near else ""))
    kind = workspace.registry.kinds[address.kind]
    match = planned.matcher.match(address)
    live = planned.matcher.symbolic(kind, match.live, references(entry.values)) if match.live else {}
    action = next((one for one in planned.plan.actions if one.address == address), None)
    changes = {change.path: change for change in action.changes} if action else {}
    fields = []
    for leaf in leaves(kind.fields, entry.values):
        text = path_text(leaf.path)
        change = changes.get(text)
        hidden = leaf.field.has(Marker.SENSITIVE)
        fields.append(
            {
                "path": text,
                "desired": "(sensitive)" if hidden else to_json(leaf.value),
                "live": "(sensitive)" if hidden else to_json(value_at(live, leaf.path)),
                "differs": change is not None,
                "cause": change.cause.value if change else "",
                "unit": leaf.field.unit,
            }
        )
    state = match.unknown or (action.reason if action else "in sync")
    return {
        "address": str(address),
        "origin": entry.origin,
        "id": match.live.id if match.live else "",
        "applied": match.owned.applied if match.owned else "",
        "state": state,
        "chosen": list(entry.chosen),
        "fields": fields,
        "writers": list(match.live.writers) if match.live else [],
    }
