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
    found: dict[tuple[str, str], Operation] = {}
    for one in latest_operations(parts):
        key = one.id, str(one.facts.get(WHOLE) or one.subject)
        if one.kind == kind and (key not in found or one.serial > found[key].serial):
            found[key] = whole(one)
    return tuple(found.values())


def whole(operation: Operation) -> Operation:
    """The record with the address that was typed."""
    return replace(operation, address=str(operation.facts.get(WHOLE) or operation.address))


def by_id(parts: Mapping[str, SiteLedger], kind: str, id: str) -> Operation:
    """The operation that an id or address means, an open one before closed ones. Raises `VastplanError`."""
    known = of_kind(parts, kind)
    found = [one for one in known if meant(one, id)]
    found = [one for one in found if not one.phase.closed] or found
    if len(found) != 1:
        raise unknown(kind, id, known)
    return found[0]


def unknown(kind: str, typed: str, known: Iterable[Operation]) -> VastplanError:
    """The error for a typed id or address that fits no operation, or several."""
    listed = ", ".join(f"{one.id} ({one.address})" for one in known) or "none"
    return VastplanError(f"no {kind} {inert(typed, 80)} is known; known are: {listed}")


def meant(one: Operation, typed: str) -> bool:
    """Whether a typed text means this operation: its id, the id of its plan, its address, or an address that it covers."""
    return typed in (one.id, one.consent.get("plan"), one.address, *one.covers)
