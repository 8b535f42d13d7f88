"""The pair of a move that has begun, as its record keeps it: what is taken back is what was begun, whatever the document says by now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from vastplan.app.moving.pair import ClaimOf, Pair, Rehearsal
from vastplan.app.workspace import Workspace
from vastplan.model.address import Address
from vastplan.model.errors import Invalid, VastplanError
from vastplan.model.escaping import inert
from vastplan.model.operation import Operation

PAIRS = "pairs"
"""In the facts of a record: each pair that is moved, by the address of its path."""


def facts_of_pairs(pairs: Iterable[Pair]) -> dict[str, Any]:
    """Pairs as a record keeps them."""
    return {str(pair.path): _facts(pair) for pair in pairs}


def pair_begun(operation: Operation, path: str) -> Pair | None:
    """The pair of a path that an operation began with; `None` in a record of a vastplan that did not note it."""
    try:
        return _pair(path, operation, operation.facts[PAIRS][path])
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def left_out(workspace: Workspace, operation: Operation, problem: VastplanError, ways: str) -> VastplanError:
    """What is said where the document does not have any more what an operation needs. `ways` is what can be typed once it is back."""
    under_way = f"the {operation.kind} {inert(operation.id, 40)} of it is under way (stage {inert(operation.stage or 'none yet', 40)})"
    if isinstance(problem, Invalid):
        whole = f"{inert(operation.address, 200)}: {under_way}, and the document is not valid now; put it right, then {ways}"
        return VastplanError(f"{whole}\n{problem}")
    known = {str(one.address) for one in workspace.entries()[0]}
    known |= {str(one.address) for one in workspace.document.entries}
    gone = [address for address in _needed(operation) if address not in known]
    if not gone:
        return problem
    return VastplanError(
        f"{', '.join(inert(address, 200) for address in gone)}: not in the document any more, and {under_way}; "
        f"put it back as it was, then {ways}"
    )


def refuse_other_claims(pair: Pair, operation: Operation) -> None:
    """Raises `VastplanError` where work reaches the data by other claims than when it began: who still writes could not be told."""
    before = pair_begun(operation, str(pair.path))
    now = {(claim.address, claim.project) for both in pair.work for claim in both if claim is not None}
    for claim, _ in before.work if before is not None else ():
        if (claim.address, claim.project) not in now:
            raise VastplanError(
                f"{claim.project}: the document has no {claim.address} of it any more, by which work reaches {pair.path}, and the "
                f"{operation.kind} {operation.id} of that is under way; put it back as it was, or give up"
            )


def _needed(operation: Operation) -> tuple[str, ...]:
    """The entries of the document without which it does not go on."""
    fork = operation.facts.get("fork")
    said = operation.facts.get(PAIRS)
    entries = [str(one["entry"]) for one in said.values()] if isinstance(said, Mapping) else [operation.address]
    return (*entries, *([str(fork["address"])] if isinstance(fork, Mapping) else ()))


def _facts(pair: Pair) -> dict[str, Any]:
    return {
        "entry": pair.entry or str(pair.path),
        "name": pair.name,
        "source": pair.source,
        "target": pair.target,
        "source_directory": pair.source_directory,
        "target_directory": pair.target_directory,
        "work": [[None if claim is None else _claim(claim) for claim in both] for both in pair.work],
        "along": sorted([str(project), name] for project, name in pair.along),
        "origin": pair.origin,
        "lease": pair.lease,
        "every": None if pair.rehearsal is None else pair.rehearsal.every,
    }


def _claim(claim: ClaimOf) -> list[str]:
    return [str(claim.address), claim.name, str(claim.project)]


def _claim_of(said: list[str]) -> ClaimOf:
    address, name, project = said
    return ClaimOf(Address.parse(address), str(name), Address.parse(project))


def _pair(path: str, operation: Operation, said: Mapping[str, Any]) -> Pair:
    work = tuple((_claim_of(here), None if there is None else _claim_of(there)) for here, there in said["work"])
    return Pair(
        Address.parse(path),
        name=str(said["name"]),
        source=str(said["source"]),
        target=str(said["target"]),
        source_directory=str(said["source_directory"]),
        target_directory=str(said["target_directory"]),
        work=work,
        covers=operation.covers,
        along=frozenset((Address.parse(project), str(name)) for project, name in said["along"]),
        origin=str(said["origin"]),
        lease=float(said["lease"]),
        rehearsal=None if said["every"] is None else Rehearsal(float(said["every"])),
        entry=str(said["entry"]),
    )
