"""The record of an operation, in the ledgers of its sites: written to one after the other, and the later one is believed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from vastplan.app.locks import LockedLedgers
from vastplan.ledger import events
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.operation import Operation, last_of_each
from vastplan.model.site_ledger import SiteLedger


def operations(parts: Mapping[str, SiteLedger]) -> tuple[Operation, ...]:
    """The last operation of each subject, by whichever part knows more of it; in the order in which they began."""
    return last_of_each(part.operations.values() for part in parts.values())


def of_kind(parts: Mapping[str, SiteLedger], kind: str) -> tuple[Operation, ...]:
    """Those of one kind: `move`, `restore`."""
    return tuple(one for one in operations(parts) if one.kind == kind)


def by_id(parts: Mapping[str, SiteLedger], kind: str, id: str) -> Operation:
    """The operation of an id; raises `VastplanError`."""
    known = of_kind(parts, kind)
    found = [one for one in known if one.id == id or one.address == id]
    if len({one.id for one in found}) != 1:
        told = ", ".join(f"{one.id} ({one.address})" for one in known) or "none"
        raise VastplanError(f"no {kind} {inert(id, 80)} is known; known are: {told}")
    return max(
        found, key=lambda one: one.serial
    )  # a move of several paths has a record for each, which a kill leaves uneven


def journal(ledgers: LockedLedgers) -> Callable[[Operation], None]:
    """What makes a record durable in the parts of its sites, the source's first."""

    def write(operation: Operation) -> None:
        for site in dict.fromkeys((operation.source, operation.target)):
            session = ledgers.sessions[site]
            session.holds()
            session.record(events.operate(operation))

    return write
