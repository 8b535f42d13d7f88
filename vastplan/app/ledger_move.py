"""`vastplan ledger move`: moves an address to another in the same ledger, with the addresses derived from its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from vastplan.app.authorship import done_at_once, new_run
from vastplan.app.clock import timestamp
from vastplan.app.ledger import read_parts
from vastplan.app.locks import locked_ledgers
from vastplan.app.workspace import Workspace
from vastplan.engine.live.moved_references import moved_references, under_new_names
from vastplan.ledger import events
from vastplan.model.address import Address
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.site_ledger import SiteLedger
from vastplan.schema.former_names import former_names

Moves = Mapping[Address, Address]  # from the address in the ledger to the new one


def planned_moves(workspace: Workspace, old: Address, new: Address) -> Moves:
    """The addresses to move: the object itself, the parts of a composite entry, and what is named after it, inside it or elsewhere.

    They follow from the document, which must have the entry under its old or its new name. Raises `VastplanError` if there is
    nothing to move, or the new address is taken or of another site or kind.
    """
    if old[:2] != new[:2] or old == new:
        raise VastplanError(f"{inert(new, 200)} is not another name of a {old.kind} on {old.site}")
    part = read_parts(workspace, old.site)[old.site]
    moves = _named_after(workspace, old, new)
    if old.kind in workspace.registry.kinds:
        moves = {old: new, **moves}
    elif not moves:
        raise VastplanError(
            f"the document has no {inert(old, 200)} and no {inert(new, 200)}, so vastplan cannot determine their parts; "
            "move them one by one (see vastplan ledger list)"
        )
    moves = {before: after for before, after in moves.items() if _has(part, before)}
    if not moves:
        raise VastplanError(f"{inert(old, 200)} is not in the ledger")
    _check(part, moves)
    return moves


def _named_after(workspace: Workspace, old: Address, new: Address) -> dict[Address, Address]:
    document = workspace.document
    written = {entry.address: replace(entry, renamed_from="") for entry in document.entries}
    present, other = (new, old) if new in written else (old, new)
    if present not in written:
        return {}
    for address, entry in written.items():
        named_so = entry.inside is not None and entry.inside.shares_name and entry.inside.container == present
        if address == present or named_so:
            written[address] = replace(entry, renamed_from=other.name)
    names = former_names(document.sites(), tuple(written.values()), workspace.registry.compositions)
    if present == new:
        return {match.former: address for address, match in names.items()}
    return {address: match.former for address, match in names.items()}


def _has(part: SiteLedger, address: Address) -> bool:
    return str(address) in part.entries or str(address) in part.intents


def _check(part: SiteLedger, moves: Moves) -> None:
    """Raises `VastplanError` if a new address is taken by an object that does not move."""
    for old, new in moves.items():
        if _has(part, new) and new not in moves:
            raise VastplanError(
                f"{inert(new, 200)} is in the ledger already, so {inert(old, 200)} cannot take its place; "
                "forget or move that first"
            )


def move_addresses(workspace: Workspace, moves: Moves, report: Callable[[str], None] = lambda _: None) -> None:
    """Move all addresses or none. Raises `VastplanError`."""
    site, kinds = next(iter(moves)).site, workspace.registry.kinds
    entries = tuple(under_new_names(kinds, workspace.entries()[0], moves))
    run = new_run(workspace, "ledger move")
    with locked_ledgers(workspace, [site], report) as ledgers:
        session = ledgers.sessions[site]
        missing = [old for old in moves if not _has(session.part, old)]
        if missing:
            raise VastplanError(f"{inert(missing[0], 200)} is no longer in the ledger")
        _check(session.part, moves)
        texts = {str(old): str(new) for old, new in moves.items()}
        digests = moved_references(kinds, entries, {site: session.part}, moves)
        run = done_at_once(run, "move", [f"{old} → {new}" for old, new in texts.items()])
        session.record(events.move_event(texts, digests.get(site)), events.begin_event("", {}, timestamp(), None, run))
