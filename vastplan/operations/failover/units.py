"""What fails over together, by the document and the last moves: the paths of a project, or one path."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from vastplan.model.address import Address
from vastplan.model.move_plan import KEEP, REJOIN, ROLES, UNPLANNED
from vastplan.model.operation import PAST, Operation, Phase
from vastplan.model.shell import word
from vastplan.operations.document import Document
from vastplan.operations.failover.watcher import FailoverUnit
from vastplan.operations.modes.group.pairs import pairs_at, to_arm
from vastplan.operations.plan.claims import claims_by_directory
from vastplan.operations.plan.pair import movable


def units_of(document: Document, operations: Iterable[Operation]) -> tuple[FailoverUnit, ...]:
    """Each project or path with workloads that can fail over from its present site, by the last `operations`. Raises `Invalid`.

    A project does so by itself only if the document allows it for each of its paths, and then as the most careful of them says.
    """
    entries = document.objects()
    claims = claims_by_directory(entries)
    allowed = {
        (volume.address.site, str(volume.values.get("path"))): volume.values.get("failover")
        for volume in document.written
    }
    moved = {one.address: one for one in operations if one.mode in ROLES and _counts(one)}
    found: dict[Address, FailoverUnit] = {}
    rejoins: dict[Address, list[str]] = {}
    for path in entries:
        directories = movable(path) if path.address.kind == "protected_path" else {}
        if not directories or not all(claims.get(place) for place in directories.items()):
            continue
        move = moved.get(str(path.address))
        changed = move is not None and (move.phase is Phase.DONE or move.mode in (REJOIN, KEEP))
        source = move.target if move is not None and changed else path.address.site
        (target,) = directories.keys() - {source}
        projects = {claim.project for claim in claims[source, directories[source]]}
        address = to_arm(entries, path.address, projects, target)
        blocks = [allowed.get((source, pair.source_directory)) for pair in pairs_at(entries, address, target)]
        left = move.id if move is not None and _is_undecided(move) else ""
        if left:
            by_id = move is not None and move.mode != UNPLANNED and move.phase is Phase.OPEN
            what = move.id if move is not None and by_id else f"{word(str(path.address))} --rejoin {word(target)}"
            rejoins.setdefault(address, []).append(f"vastplan move run {document.paths} {what}")
        if address not in found or left:
            found[address] = FailoverUnit(
                address,
                source,
                target,
                *_careful(blocks),
                left,
                f"vastplan move run {document.paths} {word(str(address))} --to {word(target)} --unplanned",
                f"vastplan move status {document.paths}",
                move.id if move is not None else "",
            )
    return tuple(
        replace(unit, by_hand=" and ".join(rejoins[address])) if address in rejoins else unit
        for address, unit in found.items()
    )


def _counts(move: Operation) -> bool:
    """Whether a move says where a path is: it has ended, or its roles have changed, or it is the decision after a failover."""
    return move.phase is Phase.DONE or PAST in move.facts or move.mode in (REJOIN, KEEP)


def _is_undecided(move: Operation) -> bool:
    """Whether both sides of a path may take writes after it: a failover, or a decision that has not ended."""
    return move.mode == UNPLANNED or (move.mode in (REJOIN, KEEP) and move.phase is not Phase.DONE)


def _careful(blocks: Iterable[Any]) -> tuple[float, float]:
    """For how long the source must be silent, 0 if it is left to a person, and how old a restore point may be."""
    all_blocks = [block if isinstance(block, Mapping) else {} for block in blocks]
    if not all(all_blocks):
        return 0.0, 0.0
    return max(float(block["after"]) for block in all_blocks), min(float(block["lose_at_most"]) for block in all_blocks)
