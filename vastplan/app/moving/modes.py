"""The modes of a move: the stages of each, why it is refused, what it loses, and the steps by hand."""

from __future__ import annotations

from vastplan.app.moving.beside import by_hand_beside, loss_beside, refuse_beside, stages_beside
from vastplan.model.errors import Refused, Unreachable, VastplanError
from vastplan.model.escaping import inert
from vastplan.model.move_plan import BESIDE, KEEP, LOSSLESS, PLANNED, REJOIN, THROUGH, UNPLANNED
from vastplan.model.operation import Operation, Phase
from vastplan.operations.calls.copy import Beside
from vastplan.operations.ends import Ends, Work, jobs_of
from vastplan.operations.modes.global_access.plan import by_hand_through, loss_through, refuse_through, shares
from vastplan.operations.modes.global_access.stages import through
from vastplan.operations.modes.planned import amiss, planned, unread_of
from vastplan.operations.modes.rejoin import EVERYTHING, common, rejoin
from vastplan.operations.modes.rejoin import amiss as amiss_of_rejoin
from vastplan.operations.modes.unplanned import answers, newest, unplanned
from vastplan.operations.plan.pair import Pair
from vastplan.operations.plan.steps import to_stop, unmounted
from vastplan.operations.stages.stage import Stage
from vastplan.schema.ports.replica import Role
from vastplan.schema.ports.workloads import Job

ATTACHING = (REJOIN, KEEP)


def stages_of(mode: str, ends: Ends, broken: str) -> tuple[Stage, ...]:
    """The stages of a mode."""
    if mode == THROUGH:
        return through(shares(ends))
    if isinstance(ends, Beside):
        return stages_beside(ends)
    if mode in ATTACHING:
        return rejoin(ends, forced=mode == KEEP)
    return planned(ends) if mode == PLANNED else unplanned(ends, broken)


def refuse_mode(ends: Ends, mode: str, broken: str, pair: Pair) -> None:
    """Raise `VastplanError` if the present state does not allow this mode."""
    if mode == THROUGH or pair.origin:
        refuse_through(ends, mode, pair)
    elif isinstance(ends, Beside):
        refuse_beside(ends, pair)
    elif mode == PLANNED:
        problem = amiss(ends.source.look(), ends.target.look(), ends)
        if problem:
            raise VastplanError(f"{pair.path} cannot be moved as planned: {problem}")
    elif mode in ATTACHING:
        problem = amiss_of_rejoin(ends.source.look(), ends.target.look(), ends, forced=mode == KEEP)
        if problem:
            raise VastplanError(f"{pair.path}: {pair.source} cannot rejoin {pair.target}: {problem}")
    elif (side := ends.target.look()).role is not Role.DESTINATION:
        raise VastplanError(f"{pair.path}: {pair.target} has to be DESTINATION; it is {side.said}")
    elif not broken and answers(ends):
        raise VastplanError(
            f"{pair.path}: {pair.source} answers, so a planned move loses nothing (leave out "
            "--unplanned, or say why the site is broken: --broken REASON)"
        )


def loss_of(mode: str, ends: Ends) -> tuple[dict[str, str], str]:
    """The restore point to go back to, as consent names it, and what is lost, in words."""
    if mode == THROUGH:
        return {}, loss_through(shares(ends))
    if isinstance(ends, Beside):
        return {}, loss_beside(ends)
    if mode in ATTACHING:
        return _loss_of_branch(ends)
    guid, created = newest(ends.target)
    if mode == PLANNED:
        return {"guid": guid, "created": created}, "nothing that was written before the freeze"
    text = f"all that was written after {created or 'the beginning'}, an unknown number of bytes"
    return {"guid": guid, "created": created}, text


def _loss_of_branch(ends: Ends) -> tuple[dict[str, str], str]:
    found, used, site = common(ends), ends.source.used(), ends.source.site
    holds = "its size is unknown" if used is None else f"it holds {used} bytes now"
    if found is None:
        text = f"all data at {site}, because no restore point is on both sides: {holds}, and all data is sent again"
        return {"guid": EVERYTHING, "created": ""}, f"{text}; a snapshot of it is kept there for 7 days"
    # no vendor document says how the two sizes compare, so vastplan computes no difference
    then = "unknown" if found.size is None else str(found.size)
    text = f"all that was written at {site} since {found.created}: {holds}; the logical size of that restore point is {then}"
    return {"guid": found.guid, "created": found.created}, f"{text}; a snapshot of it is kept there for 7 days"


def users_of(ends: Ends, mode: str) -> tuple[tuple[Work, Job], ...]:
    """The workloads that use the data at the source; if the source is given up, those that can still be read.

    Raises `Unreachable` if they cannot be read in any other mode, or if their claims at the target cannot be read.
    """
    if mode in LOSSLESS and (unread := unread_of(ends)):
        raise Unreachable(unread)
    if mode != UNPLANNED:
        return ends.users()
    try:
        return ends.users()
    except (Refused, Unreachable):
        return ()


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
    if last is None or last.phase is not Phase.DONE or last.source != target:
        return ()
    return tuple(
        f"workload {inert(fact['name'], 80)} is suspended at {target} since the move {inert(last.id, 40)}, which submitted it "
        "nowhere: resume it there after this move"
        for fact in jobs_of(last)
        if not fact.get("to_claim")
    )


def by_hand(pair: Pair, mode: str) -> tuple[str, ...]:
    """The steps that remain by hand."""
    if mode == THROUGH:
        return by_hand_through(pair)
    if mode in BESIDE:
        return by_hand_beside(pair)
    told = []
    if pair.path.site != pair.target:
        text = f"{pair.target} replicates to {pair.source} now (active: {pair.target})"
        told.append(f"change the document{f', at {pair.where}' if pair.where else ''}: {text}")
    if mode in ATTACHING:
        told.append(
            f"workloads that are suspended at {pair.source} are submitted nowhere: what they wrote is in the snapshot"
        )
    else:
        told += unmounted(pair, f"the data at {pair.target}", "submitted there")
    return (*told, to_stop(pair.source))
