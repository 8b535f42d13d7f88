"""How ready replicated paths are for the loss of their source: the last arming and rehearsal of each, from the ledger. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from vastplan.model.escaping import inert
from vastplan.model.moments import parse_moment
from vastplan.model.move_plan import ARM, REHEARSE
from vastplan.model.operation import MEASURED, Operation, Phase
from vastplan.model.replication import WRITTEN_TWICE, Readiness, Replication, ReplicationState
from vastplan.model.shell import word
from vastplan.operations.modes.arm import NOT_KEPT, WORKLOADS, lapsed
from vastplan.operations.modes.group.pairs import to_arm
from vastplan.operations.modes.rehearsal.stages import CAME, NOT_TRIED
from vastplan.operations.plan.claims import claims_by_directory
from vastplan.operations.plan.pair import movable
from vastplan.schema.entries import Entry

_KINDS = ("protected_path", "persistent_volume", "persistent_volume_claim")
_IMPOSSIBLE = WRITTEN_TWICE | {ReplicationState.COPY_GONE}


def with_readiness(
    rows: Iterable[Replication],
    guids: Mapping[str, str],
    entries: Iterable[Entry],
    operations: tuple[Operation, ...],
    documents: str,
    now: datetime,
) -> tuple[Replication, ...]:
    """The rows with the readiness of each path that a move of roles can take with a workload: one with claims at both sites.

    `guids` are those of the paths by address, `operations` the last ones of each subject, `documents` the files as they are typed.
    """
    mounted = tuple(entry for entry in entries if entry.address.kind in _KINDS)
    claims = claims_by_directory(mounted)
    paths = {str(entry.address): entry for entry in mounted if entry.address.kind == _KINDS[0]}
    last = {operation.subject: operation for operation in operations}

    def ready(row: Replication) -> Readiness | None:
        guid, directories = guids.get(row.address, ""), movable(paths[row.address]) if row.address in paths else {}
        move = last.get(guid)
        source = row.leads or (move.target if move is not None and move.phase is Phase.DONE else row.active)
        if row.state in _IMPOSSIBLE or source not in directories or not all(map(claims.get, directories.items())):
            return None
        (target,) = directories.keys() - {source}
        projects = {claim.project for claim in claims[source, directories[source]]}
        path = paths[row.address].address
        arm, rehearse = (
            " ".join(filter(None, (documents, word(what), "--to", word(target))))
            for what in (to_arm(mounted, path, projects, target), path)
        )
        found = Readiness(
            target, f"vastplan move arm {arm} --out armed.json", f"vastplan move run {rehearse} --rehearse"
        )
        return _by_records(found, source, guid, last, now)

    return tuple(replace(row, readiness=ready(row)) for row in rows)


def _by_records(found: Readiness, source: str, guid: str, last: Mapping[str, Operation], now: datetime) -> Readiness:
    arming, rehearsal = last.get(f"{ARM} {guid}"), last.get(f"{REHEARSE} {guid}")
    if arming is not None:
        found = replace(
            found,
            armed=inert(arming.began, 40),
            armed_ago=_ago(arming, now),
            kept=len(_table(arming, WORKLOADS)),
            not_kept=len(_table(arming, NOT_KEPT)),
            lapsed=lapsed(arming, source, last.get(guid)),
        )
    if rehearsal is not None and rehearsal.target == found.target and rehearsal.phase is Phase.DONE:
        outcomes, untried = _table(rehearsal, CAME).values(), _table(rehearsal, NOT_TRIED).values()
        reached = [(one.get("name"), one.get("phase")) for one in outcomes if isinstance(one, dict)]
        reached += [(one.get("name"), "not tried") for one in untried if isinstance(one, dict)]
        found = replace(
            found,
            rehearsed=inert(rehearsal.began, 40),
            rehearsed_ago=_ago(rehearsal, now),
            seconds=sum(seconds for seconds in _table(rehearsal, MEASURED).values() if isinstance(seconds, int)),
            workloads={inert(name, 80): inert(phase, 40) for name, phase in reached},
        )
    return found


def _table(operation: Operation, fact: str) -> Mapping[str, Any]:
    """A fact of a record; nothing for another form, because anybody may have written the ledger."""
    table = operation.facts.get(fact)
    return table if isinstance(table, dict) else {}


def _ago(operation: Operation, now: datetime) -> int:
    began = parse_moment(operation.began)
    return 0 if began is None else max(0, int((now - began).total_seconds()))
