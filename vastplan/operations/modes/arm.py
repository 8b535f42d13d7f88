"""Arming: while all is well, the ledger keeps what a move without the source could no longer read there.

It is the specification of each workload that uses the data, so that the workload can be submitted at the target when the source's
Run:AI is lost, too. Nothing is sent to any system.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vastplan.model.escaping import inert
from vastplan.model.move_plan import ARM
from vastplan.model.operation import Facts, Operation, Phase
from vastplan.model.site_ledger import SiteLedger, last_on
from vastplan.operations.ends import ALONG, LACKS, SPECIFICATION, Ends, noted
from vastplan.operations.modes.mode import Users
from vastplan.operations.modes.planned import Planned
from vastplan.operations.plan.pair import Pair
from vastplan.operations.stage import Stage
from vastplan.schema.ports.workloads import Job, Jobs

WORKLOADS, NOT_KEPT = "workloads", "workloads not kept"
"""Facts of the record: what is kept of each workload, and why nothing is, by its id."""


class Arm(Planned):
    """Keeps the workloads. It is possible whenever a planned move is: then an unplanned one is, later."""

    submits = tried = False
    done = "armed"

    def stages(self, ends: Ends, broken: str) -> tuple[Stage, ...]:
        """None."""
        return ()

    def facts(self, pair: Pair, ends: Ends, users: Users, id: str) -> Mapping[str, Any]:
        """The workloads with their specifications, and those that are not kept."""
        kept: dict[str, Facts] = {}
        not_kept: dict[str, Facts] = {}
        for work, job in users:
            assert ends.source_jobs is not None
            specification, why = keepable(ends.source_jobs, job)
            if why:
                not_kept[job.id] = {"name": job.name, "why": why}
            else:
                kept[job.id] = {**noted(work, job), SPECIFICATION: dict(specification)}
        return {WORKLOADS: kept, NOT_KEPT: not_kept}


def keepable(jobs: Jobs, job: Job) -> tuple[Mapping[str, Any], str]:
    """The specification of a workload, and why it is not kept, "" if it is: what looks like a secret is in it."""
    specification = jobs.specification(job)
    secrets = jobs.secrets(specification)
    if not secrets:
        return specification, ""
    return (
        specification,
        f"its specification contains the value of {', '.join(secrets)} (use a credential of Run:AI instead)",
    )


def kept_for(pair: Pair, record: Operation) -> tuple[Facts, ...]:
    """The kept workloads for a move of a pair: one that mounts a claim which does not move now has none at the target."""
    moving = {name for _, name in pair.along}
    facts: tuple[Facts, ...] = tuple(record.facts[WORKLOADS].values())
    missing = (sorted({*fact.get(ALONG, ())} - moving) for fact in facts)
    return tuple(
        {**fact, "to_claim": "", LACKS: names} if names else fact for fact, names in zip(facts, missing, strict=True)
    )


def lapsed(arming: Operation, source: str, last_move: Operation | None) -> str:
    """Why an arming of a path no longer counts, "" while it does: `source` is the site that is the source now.

    After a move and a move back the roles are the same, but not the workloads. What was kept is still better than nothing, and used.
    """
    if source != arming.source:
        return f"{source} is the source now"
    if last_move is not None and last_move.phase is Phase.DONE and last_move.began > arming.began:
        return f"the move {inert(last_move.id, 40)} has changed the roles since"
    return ""


def last_arming(ledger: Mapping[str, SiteLedger], guid: str) -> Operation | None:
    """The record of the last arming of a path."""
    return last_on(ledger, f"{ARM} {guid}")
