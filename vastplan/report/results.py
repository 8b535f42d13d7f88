"""What a run found, as results that a build server and a code review can show: one value for every command."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from types import MappingProxyType

from vastplan.model.drift import Drift, DriftedObject
from vastplan.model.finding import Finding, Severity, Where
from vastplan.model.outcome import Receipt, State
from vastplan.model.plan import Action, Plan, Standing, UnknownCollection
from vastplan.report.commitments import cells
from vastplan.report.drift import ignored_words, sides
from vastplan.report.isolation import verdict
from vastplan.report.json_report import Problems, Validation
from vastplan.report.values import CAUSES, counted, told

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
    "ignored": "A difference that a rule of the document ignores.",
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
    found = _found(plan.findings)
    if plan.base is not None:
        new = plan.base.findings
        found = tuple(replace(one, before=number >= new) for number, one in enumerate(found))
        changes = [
            replace(one, before=action.standing is not Standing.CHANGE)
            for one, action in zip(changes, plan.actions, strict=True)
        ]
    return Results("plan", plan.document, (*found, *_unknown(plan.unknown), *changes, *_proofs(plan)))


def of_validation(found: Validation) -> Results:
    """A document that is valid, with what was found besides."""
    return Results("validate", found.document, _found(found.findings))


def of_problems(command: str, document: str, found: Problems) -> Results:
    """A command that could not go on."""
    if found.findings:
        return Results(command, document, _found(found.findings))
    return Results(command, document, (Result("problem", Level.ERROR, found.error),))


def of_drift(found: Drift, places: Places = NOWHERE) -> Results:
    """What moved behind our back, what nobody manages, what is ignored, and what could not be read; only what is new."""
    unmanaged = [
        Result("unmanaged", Level.NOTE, "nobody manages it here", f"{one.site}/{one.kind}/{one.name}")
        for one in found.strangers()
    ]
    ignored = [
        Result("ignored", Level.NONE, f"{one.path}{ignored_words(one)}".strip(), one.address, places.get(one.address))
        for one in found.ignored
    ]
    drift = (_drifted(one, places) for one in found.news())
    return Results(
        "drift", found.document, (*_found(found.findings), *_unknown(found.unknown), *drift, *unmanaged, *ignored)
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


def _found(findings: Iterable[Finding]) -> tuple[Result, ...]:
    return tuple(
        Result(
            one.code, _LEVELS[one.severity], one.message + (f" ({one.fix})" if one.fix else ""), one.address, one.where
        )
        for one in findings
    )


def _unknown(found: Iterable[UnknownCollection]) -> tuple[Result, ...]:
    return tuple(
        Result(
            "unknown",
            Level.WARNING,
            f"{one.kind} could not be read: {one.reason}",
            f"{one.site}/{one.kind}",
            unclear=True,
        )
        for one in found
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


def _drifted(one: DriftedObject, places: Places) -> Result:
    since = f"; last applied {one.since}" if one.since else ""
    where = places.get(one.address)
    if one.what == "gone":
        who = told(one.author)
        said = "it was deleted behind our back" + (f" {who}" if who else "")
        return Result("drift-gone", Level.WARNING, said + since, one.address, where)
    parts = []
    for each in one.fields[:_SHOWN_FIELDS]:
        live, applied = sides(each)
        who = f", {told(each.author)}" if told(each.author) else ""
        parts.append(f"{each.path} is {live}, was applied as {applied} ({CAUSES[each.cause]}{who})")
    more = f"; and {counted(len(one.fields) - _SHOWN_FIELDS, 'more field')}" if len(one.fields) > _SHOWN_FIELDS else ""
    return Result("drift-changed", Level.WARNING, "; ".join(parts) + more + since, one.address, where)
