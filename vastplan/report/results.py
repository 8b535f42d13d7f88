"""What a run found, as results that a build server and a code review can show: one value for every command."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from types import MappingProxyType

from vastplan.model.diagnostic import Diagnostic, Severity, Where
from vastplan.model.outcome import Receipt, State
from vastplan.model.plan import Action, Plan, Standing
from vastplan.report.drift import by_hand
from vastplan.report.machine import BY_HAND, Problems, Stranger, Validation
from vastplan.report.values import CAUSES, before_after, counted

# Where the entry of each address stands. A plan does not hold it: two ways of writing a document make one plan.
Places = Mapping[str, Where | None]
NOWHERE: Places = MappingProxyType({})


class Level(Enum):
    """How a result counts: SARIF's levels, and `none` for what is as it should be."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Result:
    """One finding, change or outcome. `rule` is bounded: a code of ours, never a name; `unclear` could not be told."""

    rule: str
    level: Level
    message: str
    address: str = ""
    where: Where | None = None
    unclear: bool = False
    before: bool | None = None  # whether the base has it too; `None` where there is no base


@dataclass(frozen=True, slots=True)
class Results:
    """Everything that one command found about one document."""

    command: str
    document: str
    results: tuple[Result, ...]


RULES = {
    "blocked": "A guard stops this change.",
    "unknown": "A collection could not be read; what depends on it is left out of the plan.",
    "change": "A change that the plan would make.",
    "drift-changed": "An object is not as it was last applied.",
    "drift-gone": "An object that was applied is gone.",
    "unmanaged": "An object that nobody manages here.",
    "apply": "How one change of an apply ended.",
    "problem": "The command could not go on.",
}
_LEVELS = {Severity.ERROR: Level.ERROR, Severity.WARNING: Level.WARNING, Severity.NOTE: Level.NOTE}
_SHOWN_FIELDS = 20


def of_plan(plan: Plan, places: Places = NOWHERE) -> Results:
    """A plan: its findings, what is blocked and unknown, and every change."""
    changes = [_change(action, places) for action in plan.actions]
    found = _found(plan.findings)
    if plan.base is not None:
        new = plan.base.findings
        found = tuple(replace(one, before=number >= new) for number, one in enumerate(found))
        changes = [
            replace(one, before=action.standing is not Standing.CHANGE)
            for one, action in zip(changes, plan.actions, strict=True)
        ]
    return Results("plan", plan.document, (*found, *_unknown(plan), *changes))


def of_validation(found: Validation) -> Results:
    """A document that is valid, with what was found besides."""
    return Results("validate", found.document, _found(found.findings))


def of_problems(command: str, document: str, found: Problems) -> Results:
    """A command that could not go on."""
    if found.findings:
        return Results(command, document, _found(found.findings))
    return Results(command, document, (Result("problem", Level.ERROR, found.error),))


def of_drift(plan: Plan, found: Sequence[Action], strangers: Iterable[Stranger], places: Places = NOWHERE) -> Results:
    """What moved behind our back, what nobody manages, and what could not be read."""
    unmanaged = [
        Result("unmanaged", Level.NOTE, "nobody manages it here", "/".join(stranger)) for stranger in strangers
    ]
    return Results(
        "drift",
        plan.document,
        (*_found(plan.findings), *_unknown(plan), *(_drifted(one, places) for one in found), *unmanaged),
    )


def of_receipt(plan: Plan, receipt: Receipt, places: Places = NOWHERE) -> Results:
    """An apply, address by address."""
    levels = {State.DONE: Level.NONE, State.SKIPPED: Level.WARNING}
    return Results(
        "apply",
        plan.document,
        tuple(
            Result(
                "apply", levels.get(one.state, Level.ERROR), f"{one.verb} {one.state.value}: {one.message}".rstrip(": "),
                one.address, places.get(one.address), unclear=one.state in (State.UNKNOWN, State.STALE),
            )
            for one in receipt.outcomes
        ),
    )  # fmt: skip


def _found(findings: Iterable[Diagnostic]) -> tuple[Result, ...]:
    return tuple(
        Result(
            one.code, _LEVELS[one.severity], one.message + (f" ({one.fix})" if one.fix else ""), one.address, one.where
        )
        for one in findings
    )


def _unknown(plan: Plan) -> tuple[Result, ...]:
    return tuple(
        Result(
            "unknown",
            Level.WARNING,
            f"{one.kind} could not be read: {one.reason}",
            f"{one.site}/{one.kind}",
            unclear=True,
        )
        for one in plan.unknown
    )


def _change(action: Action, places: Places) -> Result:
    said = f"{action.verb.value}: {action.reason}"
    if not action.blocked:
        return Result("change", Level.NONE, said, str(action.address), places.get(str(action.address)))
    stops = "; ".join(f"{one.guard}: {one.message}" + (f" ({one.fix})" if one.fix else "") for one in action.blocked)
    return Result(
        "blocked", Level.WARNING, f"{said}; blocked by {stops}", str(action.address), places.get(str(action.address))
    )


def _drifted(action: Action, places: Places) -> Result:
    assert by_hand(action)
    moved = [change for change in action.changes if change.cause in BY_HAND]
    if not moved:
        return Result("drift-gone", Level.WARNING, action.reason, str(action.address), places.get(str(action.address)))
    parts = []
    for change in moved[:_SHOWN_FIELDS]:
        live, applied = before_after(change)
        parts.append(f"{change.path} is {live}, was applied as {applied} ({CAUSES[change.cause]})")
    more = f"; and {counted(len(moved) - _SHOWN_FIELDS, 'more field')}" if len(moved) > _SHOWN_FIELDS else ""
    return Result(
        "drift-changed", Level.WARNING, "; ".join(parts) + more, str(action.address), places.get(str(action.address))
    )
