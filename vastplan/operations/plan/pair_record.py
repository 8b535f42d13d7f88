"""The pair of a move that has begun, as its record keeps it: an abort follows the record, whatever the document says now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from vastplan.model.address import Address
from vastplan.model.errors import VastplanError
from vastplan.model.move_plan import BESIDE
from vastplan.model.operation import PATHS, Operation
from vastplan.operations.plan.claims import ClaimOf
from vastplan.operations.plan.pair import Pair, Rehearsal

PAIRS = "pairs"
"""The key in a record's facts of the moved pairs, each by the address of its path."""


def facts_of_pairs(pairs: Iterable[Pair]) -> dict[str, Any]:
    """Pairs as a record keeps them."""
    return {str(pair.path): _facts(pair) for pair in pairs}


def pair_begun(operation: Operation, path: str) -> Pair | None:
    """The pair of a path that an operation began with; `None` if an older vastplan wrote the record without it."""
    try:
        return _pair(path, operation, operation.facts[PAIRS][path])
    except (LookupError, TypeError, ValueError, AttributeError):
        return None


def refuse_other_claims(pair: Pair, operation: Operation) -> None:
    """Raises `VastplanError` if workloads use the data through other claims than at the beginning: who still writes is unknown."""
    before = pair_begun(operation, str(pair.path))
    now = {(claim.address, claim.project) for counterparts in pair.work for claim in counterparts if claim is not None}
    for claim, _ in before.work if before is not None else ():
        if (claim.address, claim.project) not in now:
            raise VastplanError(
                f"{claim.project}: the document no longer has its {claim.address}, through which workloads use {pair.path}, and the "
                f"{operation.kind} {operation.id} of that path is under way; put it back as it was, or give up"
            )


def entries_of(operation: Operation) -> tuple[str, ...]:
    """The entries of the document that an operation needs to go on."""
    fork = operation.facts.get("fork")
    pairs = operation.facts.get(PAIRS)
    entries = [str(pair["entry"]) for pair in pairs.values()] if isinstance(pairs, Mapping) else [operation.address]
    return (*entries, *([str(fork["address"])] if isinstance(fork, Mapping) else ()))


def _facts(pair: Pair) -> dict[str, Any]:
    return {
        "entry": pair.entry or str(pair.path),
        "name": pair.name,
        "source": pair.source,
        "target": pair.target,
        "source_directory": pair.source_directory,
        "target_directory": pair.target_directory,
        "work": [[None if claim is None else claim.recorded() for claim in counterparts] for counterparts in pair.work],
        "along": sorted([str(project), name] for project, name in pair.along),
        "origin": pair.origin,
        "lease": pair.lease,
        "every": None if pair.rehearsal is None else pair.rehearsal.every,
    }


def _pair(path: str, operation: Operation, data: Mapping[str, Any]) -> Pair:
    work = tuple(
        (ClaimOf.of_record(source), None if target is None else ClaimOf.of_record(target))
        for source, target in data["work"]
    )
    return Pair(
        Address.parse(path),
        name=str(data["name"]),
        source=str(data["source"]),
        target=str(data["target"]),
        source_directory=str(data["source_directory"]),
        target_directory=str(data["target_directory"]),
        work=work,
        covers=operation.covers,
        along=frozenset((Address.parse(project), str(name)) for project, name in data["along"]),
        origin=str(data["origin"]),
        lease=float(data["lease"]),
        rehearsal=None if data["every"] is None else Rehearsal(float(data["every"])),
        entry=str(data["entry"]),
        guid=_guid(path, operation),
    )


def _guid(path: str, operation: Operation) -> str:
    """The guid of a path that an operation began with: of one path its subject has it."""
    guids = operation.facts.get(PATHS)
    if isinstance(guids, Mapping):
        return str(guids[path])
    return operation.subject.split()[1] if operation.mode in BESIDE else operation.subject
