"""Steps by hand that several modes have in common."""

from __future__ import annotations

from collections.abc import Iterable

from vastplan.model.address import Address
from vastplan.model.escaping import inert
from vastplan.model.move_plan import CHANGE_DOCUMENT, KEEP, REJOIN, UNPLANNED
from vastplan.model.operation import PATHS, WHOLE, Operation, Phase
from vastplan.model.shell import word
from vastplan.operations.ends import Ends, Work, jobs_of
from vastplan.operations.plan.pair import Pair
from vastplan.schema.ports.workloads import Job


def of_document(pair: Pair) -> tuple[str, ...]:
    """What to change in the document once the target is the source."""
    if pair.path.site == pair.target:
        return ()
    text = f"{pair.target} replicates to {pair.source} now (active: {pair.target}; move run --accept or drift --accept {word(pair.path)}.active writes it)"
    return (f"{CHANGE_DOCUMENT}{f', at {pair.where}' if pair.where else ''}: {text}",)


def unmounted_claims(pair: Pair, what: str, become: str) -> tuple[str, ...]:
    """The claims at the source without a counterpart at the target that mounts `what`; their workloads are not `become`."""
    return tuple(
        f"{claim.address}: no claim of the document mounts {what}, so its workloads are not {become}"
        for claim, counterpart in pair.work
        if counterpart is None
    )


def to_stop(site: str) -> str:
    """The step for pods, clients and workloads at a site that the move does not suspend."""
    return f"stop the pods, clients and workloads at {site} that no project of this document runs"


def commands_afterwards(documents: str, pair: Pair, mode: str, last: Operation | None = None) -> tuple[str, ...]:
    """The commands for a site that was given up, once it is back, and for the way home; `documents` are the files of the document.

    `last` is the last move of the path: what moved as a whole moves home as a whole, because of its workloads.
    """
    command, source = f"vastplan move run {documents} {word(pair.path)}", pair.source
    if mode == REJOIN and last is not None and WHOLE in last.facts:
        whole = Address.parse(str(last.facts[WHOLE]))._replace(site=pair.target)
        paths = ", ".join(inert(path, 200) for path in last.facts[PATHS])
        return (
            f"to move back to {source}, once {paths} have rejoined: vastplan move run {documents} {word(whole)} --to {source}",
        )
    if mode == REJOIN:
        return (f"to move back to {source}: {command} --to {source}",)
    if mode != UNPLANNED:
        return ()
    kept = f"--rejoin {source} (keeps what {pair.target} has), or --keep {source} (keeps what {source} has)"
    return (f"once {source} is back: {command} {kept}",)


def if_unread(ends: Ends, mode: str) -> tuple[str, ...]:
    """The workloads of which nothing was kept when the move was armed: without the source they are submitted nowhere."""
    if mode != UNPLANNED:
        return ()
    return tuple(
        f"workload {inert(fact.get('name'), 80)} was not kept: if {ends.source.site} cannot be read, submit it at {ends.target.site} yourself; "
        f"{inert(fact.get('why'), 300)}"
        for fact in ends.not_kept
    )


def staying(pair: Pair, users: tuple[tuple[Work, Job], ...]) -> tuple[str, ...]:
    """The workloads that are submitted nowhere, because the target does not have all the claims that they mount."""
    return tuple(
        f"workload {inert(job.name, 80)} is not submitted at {pair.target}: it mounts "
        f"{', '.join(inert(name, 80) for name in work.stays(job))} as well, which does not move"
        for work, job in users
        if work.stays(job)
    )


def suspended_before(last: Operation | None, target: str) -> tuple[str, ...]:
    """The workloads that the last move suspended and submitted nowhere, at the site that becomes the source again."""
    if last is None or last.phase is not Phase.DONE or last.source != target or last.mode in (REJOIN, KEEP):
        return ()  # after a rejoin the same workloads come home from the other side
    return tuple(
        f"workload {inert(fact['name'], 80)} is suspended at {target} since the move {inert(last.id, 40)}, which submitted it "
        "nowhere: resume it there after this move"
        for fact in jobs_of(last)
        if not fact.get("to_claim")
    )


def one_by_one(documents: str, paths: Iterable[Address], to: str) -> str:
    """The commands that plan the unplanned move of some paths of a project that cannot move as a whole."""
    plan = f"vastplan move plan {documents}"
    return "; ".join(f"{plan} {word(path)} --to {to} --unplanned --out {word(f'{path.name}.json')}" for path in paths)
