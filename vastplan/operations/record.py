"""The records of operations in the parts of the ledger; the newer record counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.operation import WHOLE, Operation
from vastplan.model.site_ledger import SiteLedger, latest_operations


def of_kind(parts: Mapping[str, SiteLedger], kind: str) -> tuple[Operation, ...]:
    """The operations of one kind, `move` or `restore`. One over several paths has a record for each; the newest counts if they differ."""
    newest: dict[tuple[str, str], Operation] = {}
    for operation in latest_operations(parts):
        key = operation.id, str(operation.facts.get(WHOLE) or operation.subject)
        if operation.kind == kind and (key not in newest or operation.serial > newest[key].serial):
            newest[key] = whole(operation)
    return tuple(newest.values())


def whole(operation: Operation) -> Operation:
    """The record with the address that was typed."""
    return replace(operation, address=str(operation.facts.get(WHOLE) or operation.address))


def by_id(parts: Mapping[str, SiteLedger], kind: str, id: str) -> Operation:
    """The operation that an id or address means, an open one before closed ones. Raises `VastplanError`."""
    operations = of_kind(parts, kind)
    matches = [operation for operation in operations if meant(operation, id)]
    matches = [operation for operation in matches if not operation.phase.closed] or matches
    if len(matches) != 1:
        raise unknown(kind, id, operations)
    return matches[0]


def unknown(kind: str, typed: str, known: Iterable[Operation]) -> VastplanError:
    """The error for a typed id or address that fits no operation, or several."""
    listed = ", ".join(f"{operation.id} ({operation.address})" for operation in known) or "none"
    return VastplanError(f"no {kind} {inert(typed, 80)} is known; known are: {listed}")


def meant(one: Operation, typed: str) -> bool:
    """Whether a typed text means this operation: its id, the id of its plan, its address, or an address that it covers."""
    return typed in (one.id, one.consent.get("plan"), one.address, *one.covers)
