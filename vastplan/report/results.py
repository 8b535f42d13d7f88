"""What a run found, as results that a build server and a code review can show: one value for every command."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

from vastplan.model.diagnostic import Diagnostic, Severity, Where
from vastplan.model.outcome import Receipt, State
from vastplan.model.plan import Action, Plan
from vastplan.report.commitments import cells
from vastplan.report.drift import by_hand
from vastplan.report.isolation import verdict
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
    "isolation": "Whether the projects of a site are kept apart.",
    "commitment": "What a site promises together, of what it has.",
    "budget": "What a volume's checkpoints take.",
}
_LEVELS = {Severity.ERROR: Level.ERROR, Severity.WARNING: Level.WARNING, Severity.NOTE: Level.NOTE}
_SHOWN_FIELDS = 20


def of_plan(plan: Plan, places: Places = NOWHERE) -> Results:
    """A plan: its findings, what is blocked and unknown, and every change."""
    changes = [_change(action, places) for action in plan.actions]
    return Results("plan", plan.document, (*_found(plan.findings), *_unknown(plan), *changes, *_proofs(plan)))


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


def _proofs(plan: Plan) -> Iterator[Result]:
    """Told, not judged: what is wrong of it is a finding, which the document may have waived."""
    for proof in plan.isolation:
        if proof.namespaces or proof.unknown:
            yield Result(
                "isolation", Level.NONE, verdict(proof), f"{proof.site}/isolation", unclear=bool(proof.unknown)
            )
    for row in plan.commitments:
        what, before, after, has, share = cells(row)
        yield Result("commitment", Level.NONE, f"{before} -> {after} of {has} ({share})", f"{row.site}/{what}")
    for one in plan.budgets:
        yield Result("budget", Level.NONE, "; ".join((one.line, *one.changes)), one.address)


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
