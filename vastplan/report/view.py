"""What every format shows of a plan and of a check for drift, built once from either: texts as people read them.

Nothing here is escaped: each format escapes what it puts on its page.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from vastplan.model.dataclass import dataclass
from vastplan.model.drift import Drift, DriftedField, IgnoredDrift
from vastplan.model.escaping import inert
from vastplan.model.finding import Finding, Severity
from vastplan.model.plan import Action, Cause, Door, FieldChange, Opening, Plan, UnknownCollection, Verb, outside_move
from vastplan.model.value import with_names
from vastplan.model.wording import some
from vastplan.report import review
from vastplan.report.change import split_findings
from vastplan.report.differences import NO_DIFFERENCE, Part, Show, Sign, ValueDifference, before_after, difference
from vastplan.report.folding import folded_unknown
from vastplan.report.sets import NO_CHANGE, SetChange, of_parts, set_change
from vastplan.report.standing import standing_sentences
from vastplan.report.values import (
    CALLED_OTHERWISE,
    CAUSES,
    SENSITIVE,
    author_text,
    counted,
    kind_words,
    plain_value,
)

_SEVERITIES = tuple(Severity)


_SHOWN = 12
_APPLIED = "was applied as"
_WANTED = "was applied as another value, and the document says"


@dataclass(frozen=True, slots=True)
class FieldView:
    """A field on both sides: of a plan, what it is and what it becomes; of drift, what was applied and what it is now.

    `then` says what `before` is in drift: if the document changed too, it is the value in the document, because the applied one is not
    known.

    `parts` are the inner parts that differ, and `unchanged` counts those that do not. A value that is shown whole has no parts; a value
    with parts has empty sides. `items` is what an unordered list has or lacks. `cause` says which side changed, `author` who changed it,
    "" if that is not known.
    """

    path: str
    before: str
    after: str
    cause: str = ""
    author: str = ""
    outside: bool = False
    replaces: bool = False
    parts: tuple[Part, ...] = ()
    unchanged: int = 0
    then: str = _APPLIED
    items: SetChange = NO_CHANGE
    admits: bool = False

    def planned(self, show: Show = str) -> str:
        """What a plan does, on one line; shows only the first of many parts, because the same report lists all elsewhere."""
        if self.items or not self.parts:
            return self.items.planned(show) or f"{show(self.before)} → {show(self.after)}"
        return some([part.line(show) for part in self.parts], _SHOWN)

    def lines(self, show: Show = str) -> list[str]:
        """What a plan does, in full: a line for each part and one for what stays, or one line with both sides."""
        if not self.parts:
            return [self.planned(show)]
        stays = [f"{self.unchanged} unchanged"] if self.unchanged else []
        return [*(part.line(show) for part in self.parts), *stays]

    def found(self, show: Show = str) -> str:
        """What it is now, and what was applied, on one line."""
        if not self.items:
            return f"is {show(self.after)}, {self.then} {show(self.before)}"
        then = "" if self.then == _APPLIED else "was applied as another value, and "
        return then + self.items.found(self.other, show)

    @property
    def other(self) -> str:
        """What the live value of drift is compared with."""
        return "what was applied" if self.then == _APPLIED else "what the document says"

    @property
    def applied(self) -> str:
        """The value that was applied, for a place that shows no more than that."""
        return self.before if self.then == _APPLIED else f"unknown; the document says {self.before}"


def of_change(change: FieldChange) -> FieldView:
    """A field that a plan changes."""
    follows = change.cause is Cause.DEPENDENCY and not change.known_after_apply
    cause = CALLED_OTHERWISE if follows else CAUSES[change.cause]
    cause += ", before this change" if change.already else ""
    difference = inner_difference(change)
    before, after = ("", "") if difference.parts else before_after(change)
    items = of_parts(difference.parts) if change.unordered else NO_CHANGE
    return FieldView(
        change.path, before, after, cause, author_text(change.author), outside_move(change), change.replaces, difference.parts,
        difference.unchanged, items=items, admits=change.admits,
    )  # fmt: skip


def shown_lines(verb: Verb, fields: Iterable[FieldView], opens: Iterable[Opening] = ()) -> list[str]:
    """What an action does, a line each: openings first, with what is added to fields that let somebody in; then what is removed from
    these; then the rest."""
    first = [f"lets in: {opening_words(opening)}" for opening in opens]
    second: list[str] = []
    lines: list[str] = []
    for field in fields:
        path = inert(field.path)
        if verb is Verb.CREATE:
            (first if field.admits else lines).append(f"{path}: {field.after}")
            continue
        for line in field.lines():
            comes = not field.parts or line.startswith(Sign.ADDED.value)
            (lines if not field.admits else first if comes else second).append(f"{path}: {line}")
    return [*first, *second, *lines]


def opening_words(opening: Opening, show: Show = inert, by: str = "") -> str:
    """How an action as a whole lets somebody in: whom, and why. `show` shows a name; `by` says more of how it does through another object."""
    if opening.door is Door.MADE:
        who = ", ".join(f"{show(path)} {show(value)}" for path, value in zip(opening.fields, opening.whom, strict=True))
        return who or "those it is for, because it is created"
    if opening.door is Door.GONE:
        return "those that it keeps out, because it is deleted"
    if opening.door is Door.REFERRED:
        target = " ".join((kind_words(opening.fields[0]), show(opening.fields[1]))) if opening.fields else ""
        return f"by {target}{by}: {'; '.join(map(show, opening.whom))}"
    if opening.door is Door.ADOPTED:
        whom = f"{', '.join(map(show, opening.whom))} " if opening.whom else ""
        return f"{whom}by {', '.join(map(show, opening.fields))}: the system does already, and from now on the document too"
    whom = ", ".join(map(show, opening.whom)) or "everybody"
    return f"{whom}, because the document does not set {', '.join(map(show, opening.fields))}"


def unseen_openings(action: Action) -> list[str]:
    """The openings that the action's verb does not show: what is deleted, and what the document does not set."""
    return [opening_words(opening) for opening in action.opens if opening.door is not Door.MADE]


def inner_difference(change: FieldChange) -> ValueDifference:
    """Where both sides of a change differ inside, if they are lists or mappings that may be shown."""
    if change.sensitive or change.known_after_apply:
        return NO_DIFFERENCE
    return difference(change.shown_before, change.shown_after, change.unit, change.units, unordered=change.unordered)


AS_A_WHOLE = {
    "gone": "deleted outside vastplan",
    "replaced": "deleted and recreated outside vastplan: the live object is not in the ledger",
    "undelivered": "it exists, but its value is missing where it was delivered",
}
"""The text on an object that changed as a whole, by `what`."""


def of_drifted(field: DriftedField) -> FieldView:
    """A field that differs from what was applied."""
    before, after = _applied_and_live(field)
    then = _WANTED if field.cause is Cause.BOTH else _APPLIED
    was = field.wanted if field.cause is Cause.BOTH else field.applied
    was, live = with_names(was, field.names), with_names(field.live, field.names)
    items = set_change(was, live, field.unit, field.units) if _is_set(field) else NO_CHANGE
    return FieldView(
        field.path, before, after, CAUSES[field.cause], author_text(field.author), outside=True, then=then, items=items
    )


def of_ignored(ignored: IgnoredDrift) -> FieldView:
    """A field whose difference a rule of the document ignores."""
    applied, live = with_names(ignored.applied, ignored.names), with_names(ignored.live, ignored.names)
    items = set_change(applied, live, ignored.unit) if _is_set(ignored) else NO_CHANGE
    return FieldView(ignored.path, *_applied_and_live(ignored), items=items)


def _is_set(field: DriftedField | IgnoredDrift) -> bool:
    return field.unordered and not field.sensitive


def _applied_and_live(field: DriftedField | IgnoredDrift) -> tuple[str, str]:
    if field.sensitive:
        return SENSITIVE, SENSITIVE
    units = field.units if isinstance(field, DriftedField) else {}
    was = field.wanted if isinstance(field, DriftedField) and field.cause is Cause.BOTH else field.applied
    before, after = (with_names(value, field.names) for value in (was, field.live))
    return plain_value(before, field.unit, units), plain_value(after, field.unit, units)


@dataclass(frozen=True, slots=True)
class ReportView:
    """The beginning of a report. `findings` are those of the change itself, `base_findings` those that its base has too.

    Both are in order of severity, the worst first.
    """

    command: Literal["plan", "drift"]
    document: str
    verdict: str
    in_sync: int
    findings: tuple[Finding, ...] = ()
    base_findings: tuple[Finding, ...] = ()
    unknown: tuple[UnknownCollection, ...] = ()

    @property
    def title(self) -> str:
        """The title of the report."""
        return "vastplan" if self.command == "plan" else "vastplan drift"


def plan_view(plan: Plan) -> ReportView:
    """The view of a plan."""
    own, base = split_findings(plan)
    verdict = review.review_line(plan)
    return ReportView(
        "plan", plan.document, verdict, plan.in_sync, worst_first(own), worst_first(base), folded_unknown(plan.unknown)
    )


def drift_view(drift: Drift) -> ReportView:
    """The view of a check for drift."""
    findings = worst_first(drift.findings)
    return ReportView(
        "drift", drift.document, drift_verdict(drift), drift.in_sync, findings, (), folded_unknown(drift.unknown)
    )


def worst_first(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """In order of severity; equal ones keep their order."""
    return tuple(sorted(findings, key=lambda finding: _SEVERITIES.index(finding.severity)))


def drift_blind(drift: Drift) -> bool:
    """Whether nothing could be read: of no object is it known whether it exists."""
    read_anything = (
        drift.drift
        or drift.in_sync
        or drift.pending
        or drift.ignored
        or drift.unmanaged
        or drift.made
        or drift.elsewhere
    )
    return bool(drift.unknown) and not read_anything


def drift_verdict(drift: Drift) -> str:
    """One line: how much changed, how much of it is new, what is still to be applied."""
    moved, new = len(drift.drift), sum(1 for drifted in drift.drift if drifted.new)
    amiss = tuple(standing_sentences(drift.replications, drift.states))
    if drift_blind(drift):
        sentences = ["Nothing could be read: cannot determine what changed."]
    elif not moved and drift.unknown:
        sentences = ["Nothing changed outside vastplan in what could be read."]
    elif not moved:
        sentences = [] if amiss else ["Nothing changed outside vastplan."]
    elif drift.compared_with:
        since = inert(drift.compared_with, 40)
        sentences = [f"{counted(new, 'object')} changed outside vastplan since {since}, {moved - new} before."]
    else:
        sentences = [f"{counted(moved, 'object')} changed outside vastplan."]
    sentences += amiss
    for site, count in sorted(drift.not_ours.items()):
        sentences.append(
            f"{inert(site, 60)}: the ledger is empty: {counted(count, 'object')} of the document exist but are not in it; "
            "plan --adopt shows what adopting them would change."
        )
    pending = drift.pending - sum(drift.not_ours.values())
    if pending > 0:
        sentences.append(f"{counted(pending, 'change')} of the document not applied yet.")
    if drift.ignored:
        sentences.append(f"{counted(len(drift.ignored), 'difference')} ignored by rules of the document.")
    if drift.unknown:
        sentences.append(f"{counted(len(drift.unknown), 'collection')} could not be read.")
    return " ".join(sentences)
