"""Moves as text: what one would do, and how far one is."""

from __future__ import annotations

from vastplan.model.escaping import inert
from vastplan.model.move_plan import KEEP, REJOIN, MovePlan
from vastplan.model.operation import Operation, Outcome


def headline(plan: MovePlan) -> str:
    """What moves, and which way."""
    if plan.mode in (REJOIN, KEEP):
        return f"{plan.mode} {plan.id[:8]} of {inert(plan.path, 200)}: {plan.target} is kept, and {plan.source} follows it again"
    return f"{plan.mode} move {plan.id[:8]} of {inert(plan.path, 200)} from {plan.source} to {plan.target}"


def move_text(plan: MovePlan, command: str) -> str:
    """A planned move as a person reads it before consent."""
    lines = [
        headline(plan),
        f"loses: {inert(plan.loss, 300)}",
        "",
        "evidence:",
        *(f"  {inert(fact.name, 200)}: {inert(fact.value, 400)}" for fact in plan.evidence),
        "",
        "stages:",
    ]
    for number, stage in enumerate(plan.stages, 1):
        lines += [
            f"  {number}. {stage.name}: {inert(stage.does, 300)}",
            f"     until: {inert(stage.until, 300)}" + (f" (at most {stage.bound:.0f} s)" if stage.bound else ""),
            f"     taken back by: {inert(stage.back, 300)}",
        ]
        if stage.no_return:
            lines.append("     --- the point of no return lies here ---")
    lines += ["", "by hand:", *(f"  {inert(line, 400)}" for line in plan.by_hand), "", f"expires {plan.expires}"]
    return "\n".join([*lines, f"to do it: {command}"] if command else lines)


def status_text(operation: Operation) -> str:
    """A move as its record says, with each call whose outcome matters now."""
    state = (
        operation.phase.value
        if operation.phase.closed
        else f"{operation.phase.value} at stage {operation.stage or 'none yet'}"
    )
    lines = [
        f"{operation.kind} {operation.id} of {inert(operation.address, 200)} from {operation.source} to {operation.target}: {state}",
        f"  began {operation.began}; passed: {', '.join(operation.passed) or 'nothing yet'}",
    ]
    for attempt in operation.attempts:
        if operation.phase.closed and attempt.outcome is Outcome.SEEN:
            continue
        why = f" ({inert(attempt.why, 300)})" if attempt.why else ""
        lines.append(f"  {attempt.at} {inert(attempt.what, 300)}: {attempt.outcome.value}{why}")
    started = operation.facts.get("started") or {}
    lines += [
        f"  {inert(name, 200)} is {inert(one.get('phase'), 40)} at {operation.target}" for name, one in started.items()
    ]
    if "branch" in operation.facts:
        kept = operation.facts["branch"]
        lines.append(
            f"  what only {operation.source} had is there in the snapshot {inert(kept['name'], 80)} ({inert(kept['id'], 40)})"
        )
    if "fenced" in operation.facts:
        lines.append(f"  {operation.source}: {inert(operation.facts['fenced'], 300)}")
    return "\n".join(lines)
