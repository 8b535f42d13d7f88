"""What a run found, as results that a build server and a code review can show: one type for every command."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import Enum

from vastplan.model.dataclass import dataclass
from vastplan.model.drift import Drift, DriftedObject
from vastplan.model.finding import NOWHERE, Finding, Places, Severity, Where
from vastplan.model.outcome import Receipt, State
from vastplan.model.plan import Action, Plan, Standing, UnknownCollection, Verb, lets_in
from vastplan.report.change import settings_changed
from vastplan.report.commitments import commitment_cells
from vastplan.report.drift import ignored_words
from vastplan.report.edits import is_of_base
from vastplan.report.isolation import isolation_verdict
from vastplan.report.json_report import Problems, Validation
from vastplan.report.replication import line
from vastplan.report.values import author_text, counted
from vastplan.report.view import AS_A_WHOLE, of_change, of_drifted, shown_lines


class Level(Enum):
    """How a result counts: SARIF's levels, and `none` for what is as it should be."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Result:
    """One finding, change or outcome. `rule` is bounded: a code of vastplan, never a name; `unclear` means that it could not be
    determined.

    `lines` say what a change does, field by field. No number of other results, except errors, hides one that is `first`.
    """

    rule: str
    level: Level
    message: str
    address: str = ""
    where: Where | None = None
    unclear: bool = False
    before: bool | None = None  # whether the base has it too; `None` where there is no base
    lines: tuple[str, ...] = ()
    first: bool = False


@dataclass(frozen=True, slots=True)
class Results:
    """Everything that one command found about one document."""

    command: str
    document: str
    results: tuple[Result, ...]


RULES = {
    "blocked": "A guard stops this change.",
    "unknown": "A collection could not be read; what depends on it is left out of the plan.",
    "settings": "A setting of the document, of no object, that changed.",
    "change": "A change that the plan would make.",
    "opens": "A change that lets somebody in, or gives somebody more access.",
    "items": "A change inside a list or a mapping of an existing object.",
    "drift-changed": "An object differs from what was last applied.",
    "drift-gone": "An object that was applied is gone.",
    "drift-replaced": "An object that was applied is gone, and another exists instead.",
    "drift-undelivered": "A value that a system returns only on creation is missing where it was delivered.",
    "unmanaged": "An object that nobody manages here.",
    "ignored": "A difference that a rule of the document ignores.",
    "apply": "How one change of an apply ended.",
    "problem": "The command could not continue.",
    "isolation": "Whether the projects of a site are isolated from each other.",
    "commitment": "The sum that the document promises on a site, of what the site has.",
    "replication": "An object on two sites: which side is the source, and how old the copy is.",
    "budget": "The time that a volume's checkpoints cost.",
}
_LEVELS = {Severity.ERROR: Level.ERROR, Severity.WARNING: Level.WARNING, Severity.NOTE: Level.NOTE}
_SHOWN_FIELDS = 20


def plan_results(plan: Plan) -> Results:
    """A plan: its findings, what is blocked and unknown, and every change."""
    changes = [_change(action) for action in plan.actions]
    findings = _findings(plan.findings)
    if plan.base is not None:
        new = plan.base.findings
        findings = tuple(replace(result, before=number >= new) for number, result in enumerate(findings))
        changes = [
            replace(result, before=action.standing is not Standing.CHANGE)
            for result, action in zip(changes, plan.actions, strict=True)
        ]
    settings = tuple(
        Result("settings", Level.NOTE, change.path, before=before, lines=tuple(of_change(change).lines()), first=True)
        for change in settings_changed(plan)
        for before in (None if plan.base is None else False,)
    )
    return Results("plan", plan.document, (*findings, *settings, *_unknown(plan.unknown), *changes, *_proofs(plan)))


def validation_results(validation: Validation) -> Results:
    """A valid document, with its findings."""
    return Results("validate", validation.document, _findings(validation.findings))


def problem_results(command: str, document: str, problems: Problems) -> Results:
    """A command that could not continue."""
    if problems.findings:
        return Results(command, document, _findings(problems.findings))
    return Results(command, document, (Result("problem", Level.ERROR, problems.error),))


def drift_results(drift: Drift, places: Places = NOWHERE) -> Results:
    """What changed outside vastplan, what nobody manages, what is ignored, and what could not be read."""
    unmanaged = (
        Result("unmanaged", Level.NOTE, "nobody manages it here", f"{stranger.site}/{stranger.kind}/{stranger.name}")
        for stranger in drift.strangers()
    )
    ignored = (
        Result(
            "ignored", Level.NONE, f"{ignored.path}{ignored_words(ignored)}".strip(), ignored.address,
            places.get(ignored.address),
        )
        for ignored in drift.ignored
    )  # fmt: skip
    moved = (_drifted(drifted, places) for drifted in drift.reported())
    two_sites = (Result("replication", Level.NONE, line(two), two.address) for two in drift.replications)
    return Results(
        "drift",
        drift.document,
        (*_findings(drift.findings), *_unknown(drift.unknown), *moved, *unmanaged, *ignored, *two_sites),
    )


def receipt_results(plan: Plan, receipt: Receipt) -> Results:
    """An apply, address by address."""
    places = {str(action.address): action.where for action in plan.actions}
    levels = {State.DONE: Level.NONE, State.SKIPPED: Level.WARNING}
    return Results(
        "apply",
        plan.document,
        tuple(
            Result(
                "apply",
                levels.get(outcome.state, Level.ERROR),
                f"{outcome.verb} {outcome.state.value}: {outcome.message}".rstrip(": "),
                outcome.address,
                places.get(outcome.address),
                unclear=outcome.state in (State.UNKNOWN, State.STALE),
            )
            for outcome in receipt.outcomes
        ),
    )


def _findings(findings: Iterable[Finding]) -> tuple[Result, ...]:
    return tuple(
        Result(
            finding.code,
            _LEVELS[finding.severity],
            finding.message + (f" ({finding.fix})" if finding.fix else ""),
            finding.address,
            finding.where,
        )
        for finding in findings
    )


def _unknown(unknown: Iterable[UnknownCollection]) -> tuple[Result, ...]:
    return tuple(
        Result(
            "unknown",
            Level.WARNING,
            f"{collection.kind} could not be read: {collection.reason}",
            f"{collection.site}/{collection.kind}",
            unclear=True,
        )
        for collection in unknown
    )


def _proofs(plan: Plan) -> Iterator[Result]:
    """These never fail: what is wrong is also a finding, which the document may have waived."""
    for isolation in plan.isolation:
        if isolation.namespaces or isolation.unknown:
            address = f"{isolation.site}/isolation"
            yield Result(
                "isolation", Level.NONE, isolation_verdict(isolation), address, unclear=bool(isolation.unknown)
            )
    for row in plan.commitments:
        name, before, after, has, share = commitment_cells(row)
        yield Result("commitment", Level.NONE, f"{before} -> {after} of {has} ({share})", f"{row.site}/{name}")
    for two in plan.replications:
        yield Result("replication", Level.NONE, line(two), two.address)
    for budget in plan.budgets:
        yield Result("budget", Level.NONE, "; ".join((budget.line, *budget.changes)), budget.address)


def _change(action: Action) -> Result:
    address, message = str(action.address), f"{action.verb.value}: {action.reason}"
    if is_of_base(action):
        message += " (its line is one of the base)"
    fields = [of_change(change) for change in action.changes]
    lines, where = tuple(shown_lines(action.verb, fields, action.opens)), action.where
    if not action.blocked:
        of_items = action.verb is not Verb.CREATE and any(field.parts for field in fields)
        rule, level = ("items", Level.NOTE) if of_items else ("change", Level.NONE)
        if lets_in(action):
            rule, level = "opens", Level.NOTE
        return Result(rule, level, message, address, where, lines=lines, first=lets_in(action))
    stops = "; ".join(
        f"{block.guard}: {block.message}" + (f" ({block.fix})" if block.fix else "") for block in action.blocked
    )
    return Result("blocked", Level.WARNING, f"{message}; blocked by {stops}", address, where, lines=lines)


def _drifted(drifted: DriftedObject, places: Places) -> Result:
    since = f"; last applied {drifted.since}" if drifted.since else ""
    where = places.get(drifted.address)
    if drifted.what in AS_A_WHOLE:
        author = author_text(drifted.author)
        message = AS_A_WHOLE[drifted.what] + (f" {author}" if author else "")
        return Result(
            f"drift-{drifted.what}", Level.WARNING, message + since, drifted.address, where, first=drifted.opens
        )
    parts = []
    for field in map(of_drifted, drifted.fields[:_SHOWN_FIELDS]):
        author = f", {field.author}" if field.author else ""
        parts.append(f"{field.path} {field.found()} ({field.cause}{author})")
    hidden = len(drifted.fields) - _SHOWN_FIELDS
    more = f"; and {counted(hidden, 'more field')}" if hidden > 0 else ""
    text = "; ".join(parts) + more + since
    return Result("drift-changed", Level.WARNING, text, drifted.address, where, first=drifted.opens)
