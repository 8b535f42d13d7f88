"""Operations as text: what a plan would do, and how far an operation has got."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from vastplan.model.arming import Arming
from vastplan.model.escaping import inert
from vastplan.model.move_plan import ARM, FORK, KEEP, PLANNED, REHEARSE, REJOIN, MovePlan
from vastplan.model.operation import BACK, MEASURED, PAST, Operation, Outcome, Phase
from vastplan.model.operation_plan import OperationPlan
from vastplan.model.restore_plan import RestorePlan
from vastplan.model.wording import counted


def headline(plan: MovePlan) -> str:
    """What moves, and in which direction."""
    if plan.mode in (REJOIN, KEEP):
        return f"{plan.mode} {plan.id[:8]} of {inert(plan.path, 200)}: {plan.target} is kept, and {plan.source} becomes its destination again"
    if plan.mode == FORK:
        live = ", live" if plan.live else ""
        return f"fork {plan.id[:8]} of {inert(plan.path, 200)} at {plan.source} to {inert(plan.fork, 200)} at {plan.target}{live}"
    if plan.mode == REHEARSE:
        return f"rehearsal {plan.id[:8]} of a move of {inert(plan.path, 200)} from {plan.source} to {plan.target}: no role changes"
    advance = f", planned in advance: all of this is as of {plan.created}" if plan.armed else ""
    return f"{plan.mode} move {plan.id[:8]} of {inert(plan.path, 200)} from {plan.source} to {plan.target}{advance}"


def move_text(plan: MovePlan, command: str) -> str:
    """A planned move as a person reads it before consent."""
    return _text(plan, headline(plan), command)


def restore_text(plan: RestorePlan, command: str) -> str:
    """A planned restore as a person reads it before consent."""
    to = f"to {inert(plan.directory, 300)}" if plan.directory else "in place"
    way = f"restore {plan.id[:8]} of {inert(plan.path, 200)} from {inert(plan.snapshot.get('name'), 200)}, {to}"
    text = _text(plan, way, command)
    lines = [inert(line, None) for line in plan.lines.splitlines()]
    return (
        "\n".join([text, "", "for the document, after the restore:", *(f"  {line}" for line in lines)])
        if lines
        else text
    )


def _text(plan: OperationPlan, way: str, command: str) -> str:
    lines = [
        way,
        f"loses: {inert(plan.loss, 300)}",
        "",
        "evidence:",
        *(f"  {inert(fact.name, 200)}: {inert(fact.value, 400)}" for fact in plan.evidence),
        "",
        "stages:",
    ]
    for number, stage in enumerate(plan.stages, 1):
        lines += [
            f"  {number}. {stage.name}: {inert(stage.does, None)}",
            f"     until: {inert(stage.until, None)}" + (f" (at most {stage.bound:.0f} s)" if stage.bound else ""),
            f"     taken back by: {inert(stage.back, None)}",
        ]
        if stage.no_return:
            lines.append("     --- the point of no return lies here ---")
    lines += ["", "by hand:", *(f"  {inert(line, None)}" for line in plan.by_hand), "", f"expires {plan.expires}"]
    return "\n".join([*lines, f"to do it: {command}"] if command else lines)


def _of_copy(operation: Operation) -> list[str]:
    """The lines about the copy that an operation creates at the target."""
    facts, lines = operation.facts, []
    if "fork" in facts:
        branch, point = facts["fork"], facts.get("final copy point") or {}
        how = "crash-consistent" if branch.get("live") else "with the workloads stopped"
        of = f", of the restore point of {inert(point.get('created'), 40)}, {how}" if point else ""
        gone = operation.phase is Phase.ABORTED and "stays" not in facts
        made = "was to be" if gone else "is"
        lines.append(
            f"  the branch {made} {inert(branch.get('address'), 200)} at {inert(branch.get('directory'), 300)}{of}"
        )
    if "rehearsal" in facts:
        lines += _of_rehearsal(operation)
    if "stays" in facts:
        lines.append(f"  not taken back: {inert(facts['stays'], 600)}")
    return lines


def _of_rehearsal(operation: Operation) -> list[str]:
    """The duration of a rehearsal, and its results."""
    facts, lines = operation.facts, []
    if "point" in facts:
        point = facts["point"]
        lines.append(
            f"  a rehearsal with the restore point of {inert(point.get('created'), 40)}, {inert(point.get('age'), 40)} s old then"
        )
    for workload in (facts.get("came") or {}).values():
        message = f": {inert(workload.get('says'), 300)}" if workload.get("says") else ""
        lines.append(
            f"  {inert(workload.get('name'), 200)} was {inert(workload.get('phase'), 40)} after {inert(workload.get('seconds'), 40)} s{message}"
        )
    for workload in _untried(operation):
        why = f": {inert(workload['why'], 300)}" if workload.get("why") else ""
        lines.append(f"  {inert(workload.get('name'), 200)} was not tried{why}")
    return lines


def _of_time(operation: Operation) -> list[str]:
    """The restore points that an operation goes back to, and the seconds of its stages."""
    lines = [f"  {inert(line, 600)}" for line in operation.facts.get(BACK) or ()]
    took = operation.facts.get(MEASURED)
    if took:
        order = dict.fromkeys((*operation.passed, *took))  # a ledger sorts its keys
        durations = ", ".join(f"{inert(stage, 40)} {inert(took[stage], 40)} s" for stage in order if stage in took)
        lines.append(f"  measured: {durations}; together {sum(took.values())} s")
    return lines


def _of_unsubmitted(operation: Operation) -> Iterable[str]:
    """The workloads that a move has submitted nowhere, because its target lacks a claim."""
    if operation.kind != "move" or operation.phase is not Phase.DONE or operation.mode in (REJOIN, KEEP, REHEARSE):
        return
    for job in operation.facts.get("jobs") or ():
        if not job.get("to_claim"):
            claims = ", ".join(inert(claim, 80) for claim in job.get("lacks") or ()) or "a claim"
            yield f"  {inert(job.get('name'), 200)} was not submitted at {operation.target}, which lacks {claims} that it mounts"


def _untried(operation: Operation) -> Iterable[Mapping[str, Any]]:
    """The workloads that were not tried; in an older record, those without a claim at the target."""
    facts = operation.facts
    if "not tried" in facts:
        return tuple(facts["not tried"].values())
    return tuple(job for job in facts.get("jobs") or () if not job.get("to_claim"))


def _of_arming(operation: Operation, standing: Sequence[str]) -> str:
    """What was kept when a move was armed."""
    facts = operation.facts
    kept, others = facts.get("workloads") or {}, facts.get("workloads not kept") or {}
    lines = [
        f"{inert(operation.address, 200)} was armed for a move from {operation.source} to {operation.target} ({operation.kind} {operation.id})",
        f"  at {operation.began}; kept: {len(kept)} of {len(kept) + len(others)} workloads",
    ]
    for workload in kept.values():
        where = (
            ""
            if workload.get("to_claim")
            else f", but {operation.target} lacks a claim that it mounts: it is not submitted there"
        )
        lines.append(
            f"  {inert(workload.get('name'), 200)}: {inert(workload.get('phase'), 40)}, {workload.get('gpus', 0):g} GPUs{where}"
        )
    lines += [f"  not kept: {inert(one.get('name'), 200)}: {inert(one.get('why'), 300)}" for one in others.values()]
    return "\n".join([*lines, *(f"  {inert(line, None)}" for line in standing)])


def arming_text(arming: Arming) -> str:
    """A line about a project or path that was armed with all of its site, or not."""
    lapsed = f"; what was armed before no longer counts: {inert(arming.lapsed, 200)}" if arming.lapsed else ""
    if arming.problem:
        return f"{inert(arming.address, 200)}: not armed: {inert(arming.problem, 600)}{lapsed}"
    text = f"{inert(arming.address, 200)}: armed for {arming.target}, {counted(arming.kept, 'workload')} kept"
    if arming.unsubmitted:
        text += f"; {arming.target} lacks a claim of {inert(', '.join(arming.unsubmitted), 300)}, not submitted there"
    for why in arming.not_kept:
        text += f"; not kept: {inert(why, 300)}"
    return text + (f"; {inert(arming.gpus, 300)}" if arming.gpus else "") + lapsed


def status_text(operation: Operation, standing: Sequence[str] = ()) -> str:
    """An operation from its record, with each call whose outcome matters now, and the present roles."""
    if operation.mode == ARM:
        return _of_arming(operation, standing)
    state = (
        operation.phase.value
        if operation.phase.closed
        else f"{operation.phase.value} at stage {operation.stage or 'none yet'}"
    )
    way = f"from {operation.source} to {operation.target}"
    if operation.mode != PLANNED and operation.source != operation.target:
        way = f"{way}, {inert(operation.mode, 40)}"
    if operation.source == operation.target:
        to = operation.facts.get("directory")
        way = f"to {inert(to, 300)}" if to else f"at {operation.source}, {inert(operation.mode, 40)}"
    lines = [
        f"{operation.kind} {operation.id} of {inert(operation.address, 200)} {way}: {state}",
        f"  began {operation.began}; passed: {', '.join(operation.passed) or 'nothing yet'}",
    ]
    if not operation.phase.closed:
        back = f"give up: vastplan {operation.kind} abort PATH {operation.id}"
        if PAST in operation.facts:
            back = f"it can no longer be taken back (past stage {inert(operation.facts[PAST], 40)})"
        on = "abort PATH " + operation.id if operation.phase is Phase.ABORTING else "run PATH " + operation.id
        lines.append(
            f"  go on: vastplan {operation.kind} {on}" + ("" if operation.phase is Phase.ABORTING else f"; {back}")
        )
    for attempt in operation.attempts:
        if operation.phase.closed and attempt.outcome is Outcome.SEEN:
            continue
        why = f" ({inert(attempt.why, 300)})" if attempt.why else ""
        lines.append(f"  {attempt.at} {inert(attempt.what, 300)}: {attempt.outcome.value}{why}")
    started = operation.facts.get("started") or {}
    lines += [
        f"  {inert(name, 200)} is {inert(workload.get('phase'), 40)} at {operation.target}"
        for name, workload in started.items()
    ]
    lines += _of_unsubmitted(operation)
    if "warmed" in operation.facts:
        warmed = operation.facts["warmed"]
        lines.append(f"  {inert(warmed['directory'], 300)} was prefetched at {operation.target}")
    if "prefetch left" in operation.facts:
        lines.append(f"  {inert(operation.facts['prefetch left'], 200)}")
    if "branch" in operation.facts:
        kept = operation.facts["branch"]
        lines.append(
            f"  what only {operation.source} had is in its snapshot {inert(kept['name'], 80)} ({inert(kept['id'], 40)})"
        )
    if "kept" in operation.facts:
        lines.append(
            f"  the data before the restore is in the snapshot {inert(operation.facts['kept']['name'], 80)}, which expires after a week"
        )
    after = operation.facts.get("used after")
    if after is not None and after == operation.facts.get("used"):
        # a stopped copy is gone, as a committed one is
        lines.append(f"  {after} bytes are used, as many as before: check that it holds the data of the snapshot")
    if operation.facts.get("left"):
        lines.append(f"  the copy was complete: {inert(operation.facts['left'], 300)} stays and is not in the document")
    lines += _of_copy(operation)
    lines += _of_time(operation)
    if "fenced" in operation.facts:
        lines.append(f"  {operation.source}: {inert(operation.facts['fenced'], 300)}")
    lines += [f"  {inert(line, 600)}" for line in standing]
    return "\n".join(lines)
