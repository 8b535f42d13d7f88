"""The plan, and what came of it, for a terminal: signs, colour where it helps, nothing wider than the window."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from vastplan.model.escaping import inert
from vastplan.model.finding import ENDPOINT_CHANGED, Finding, Severity
from vastplan.model.outcome import Receipt, State
from vastplan.model.plan import Action, FieldChange, Plan, UnknownCollection, Verb
from vastplan.model.wording import some
from vastplan.report.budgets import budget_lines
from vastplan.report.change import (
    HEADINGS,
    beside,
    provenance,
    settings_changed,
    settings_title,
    shares,
    uncovered,
    withdrawn,
)
from vastplan.report.differences import before_after
from vastplan.report.folding import folded
from vastplan.report.replication import replication_lines
from vastplan.report.review import blind, keeps, left_words, reverts
from vastplan.report.values import AMONG_FIELDS, VERB_WORDS, counted, plain, quoted_where_several, verb_word
from vastplan.report.view import FieldView, of_change, unseen_openings

_COLOURS = {"green": "32", "yellow": "33", "red": "31", "cyan": "36", "magenta": "35", "dim": "2", "bold": "1"}
_OF_VERB = {
    Verb.CREATE: "green", Verb.UPDATE: "yellow", Verb.REPLACE: "magenta", Verb.DELETE: "red",
    Verb.ADOPT: "cyan", Verb.RELEASE: "dim",
}  # fmt: skip
_SHOWN_DEPENDENTS = 6
_NO_BREAK = "\xa0"  # a space where no line ends; in what is inert there is none


class Style:
    """Colour on or off, and the width of the window."""

    def __init__(self, *, colour: bool, width: int = 100) -> None:
        self._colour = colour
        self.width = max(40, width)

    def paint(self, text: str, colour: str) -> str:
        """`text` in a colour."""
        return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m" if self._colour else text

    def cut(self, text: str) -> str:
        """`text` no wider than the window."""
        return text if len(text) <= self.width else text[: self.width - 1] + "…"

    def wrapped(self, text: str, indent: str) -> list[str]:
        """`text` on as many lines as the window makes of it, at its spaces; names stay whole.

        None begins with `::`, as `::/0` does: in a log that would be a command to what runs the job.
        """
        lines = textwrap.wrap(
            text.replace(" ::", f"{_NO_BREAK}::"), self.width, initial_indent=indent, subsequent_indent=f"{indent}  ",
            break_long_words=False, break_on_hyphens=False,
        )  # fmt: skip
        return [line.replace(_NO_BREAK, " ") for line in lines]


def plan_text(plan: Plan, style: Style, *, title: str = "Plan") -> str:
    """A whole plan."""
    elsewhere = [finding for finding in plan.findings if finding.code == ENDPOINT_CHANGED]
    others = [finding for finding in plan.findings if finding.code != ENDPOINT_CHANGED]
    lines = [*findings_lines(elsewhere, style), *_settings(plan, style)]
    if others and settings_title(plan):
        lines.append("")
    lines += findings_lines(others, style)
    for standing, part in shares(plan):
        if standing is not None:
            lines += ["", style.paint(f"{HEADINGS[standing]} ({counted(len(part.actions), 'object')})", "cyan")]
        lines += _by_site(part, style)
    gone = withdrawn(plan)
    if gone:
        lines += ["", "Pending before, and not any more", *(f"  {inert(address, 200)}" for address in gone)]
    lines += _by_hand(plan, style)
    if plan.unknown:
        lines += ["", style.paint("Unknown (could not be read, left out of this plan)", "yellow")]
        lines += unknown_lines(plan.unknown)
    if plan.snapshot is not None:
        lines += ["", style.paint(inert(provenance(plan), 400), "yellow")]
        lines += [f"  not covered: {inert(line, 300)}" for line in uncovered(plan)]
    lines += [*budget_lines(plan.budgets, style), *replication_lines(plan.replications, style)]
    lines += ["", summary(plan, style, title)]
    if plan.base is not None and beside(plan):
        lines.append(beside(plan))
    return "\n".join(lines).lstrip("\n") + "\n"


def _settings(plan: Plan, style: Style) -> Iterator[str]:
    """The settings of the document that changed, which no action shows."""
    title = settings_title(plan)
    if title:
        yield style.paint(f"{title} ({len(settings_changed(plan))})", "red")
        for field in map(of_change, settings_changed(plan)):
            sides = "" if field.parts else f"  {field.before} → {field.after}"
            yield f"  {inert(field.path)}{sides}"
            yield from (f"    {line}" for line in (field.lines() if field.parts else ()))


def part_text(plan: Plan, actions: Iterable[Action], style: Style) -> str:
    """Some actions of a plan, with what was found about them."""
    shown = tuple(actions)
    about = {str(action.address) for action in shown}
    findings = findings_lines((finding for finding in plan.findings if finding.address in about), style)
    lines = [*findings, *_by_site(replace(plan, actions=shown), style)]
    return "\n".join(lines).lstrip("\n") + "\n"


def _by_site(plan: Plan, style: Style) -> Iterator[str]:
    site = ""
    # The sort is stable: within a site the actions stay in the order of work.
    for action in sorted(plan.actions, key=lambda action: action.address.site):
        if action.address.site != site:
            site = action.address.site
            yield ""
            yield style.paint(inert(site), "bold")
        yield from _action(action, style)


def _by_hand(plan: Plan, style: Style) -> Iterator[str]:
    """The changes by hand that the plan undoes, and those that it leaves alone: nobody should have to look for them."""
    undone = reverts(plan)
    if undone:
        yield ""
        yield style.paint(f"Undoes what was changed by hand ({len(undone)}); {keeps(undone)}", "red")
    for revert in undone:
        author = f", {revert.author}" if revert.author else ""
        since = f", last applied {inert(revert.action.since, 40)}" if revert.action.since else ""
        address = inert(revert.action.address)
        if revert.change is None:
            yield f"  {address} {revert.as_a_whole}{author}{since}"
        else:
            yield f"  {address} {inert(revert.change.path)}  {of_change(revert.change).planned()}{author}{since}"
    if plan.left:
        yield ""
        yield style.paint("Changed by hand and left alone", "cyan")
        yield from (f"  {inert(left.address)} {words}" for left in plan.left for words in left_words(left))


def summary(plan: Plan, style: Style, title: str = "Plan") -> str:
    """One line that says how much, and how bad."""
    counts = Counter("blocked" if action.blocked else verb_word(action) for action in plan.actions)
    words = {word: f"to {word}" for word in VERB_WORDS} | {"note": "to note in the ledger", "blocked": "blocked"}
    parts = [f"{counts[name]} {text}" for name, text in words.items() if counts[name]]
    unknown = f" {counted(len(plan.unknown), 'collection')} unknown." if plan.unknown else ""
    if blind(plan):
        return (
            style.paint(f"{title}: incomplete. Nothing could be read, so it cannot be told what would change.", "bold")
            + unknown
        )
    settings = (
        f" {counted(len(settings_changed(plan)), 'setting')} of the document changed." if settings_title(plan) else ""
    )
    if not parts and plan.unknown:
        text = f"{title}: no changes in what could be read, {counted(plan.in_sync, 'object')} in sync."
        return style.paint(text, "bold") + settings + unknown
    if not parts:
        text = f"{title}: no changes{' of objects' if settings else ''}. {counted(plan.in_sync, 'object')} in sync."
        return style.paint(text, "bold" if settings else "green") + settings
    return (
        style.paint(f"{title}: {', '.join(parts)}.", "bold") + f" {counted(plan.in_sync, 'object')} in sync."
        + settings + unknown
    )  # fmt: skip


def _action(action: Action, style: Style) -> Iterator[str]:
    colour = _OF_VERB[action.verb]
    head = f"{action.verb.sign:>3} {inert(action.address.kind)} {inert(action.address.name)}"
    if action.verb is Verb.CREATE:
        yield from _made(action, style.paint(head, colour), style.width - len(head), style)
        if action.reason != "not there yet":
            yield f"      why: {inert(action.reason)}"
    else:
        yield style.paint(head, colour) + f"  {inert(action.reason)}"
    for opening in unseen_openings(action):
        yield from style.wrapped(f"lets in: {opening}", "      ")
    for note in action.notes:
        yield from (style.paint(line, "dim") for line in style.wrapped(f"chosen: {inert(note)}", "      "))
    if action.verb is not Verb.CREATE:
        for change in action.changes:
            yield from _field(of_change(change), style)
    if action.released:
        yield from style.wrapped(f"no longer managed: {', '.join(map(inert, action.released))}", "      ")
    for evidence in action.evidence:
        yield f"      seen: {inert(evidence.name)} {plain(evidence.value, evidence.unit)}"
    if action.verb in (Verb.UPDATE, Verb.REPLACE, Verb.DELETE) and action.dependents:
        shown = some(action.dependents, _SHOWN_DEPENDENTS, inert)
        yield from style.wrapped(f"behind it: {shown}", "      ")
    for block in action.blocked:
        fix = f"; to go on: {inert(block.fix)}" if block.fix else ""
        yield style.paint(f"      blocked ({inert(block.guard)}): {inert(block.message)}{fix}", "red")


def _field(field: FieldView, style: Style) -> Iterator[str]:
    mark = style.paint("  forces replacement", "magenta") if field.replaces else ""
    cause = style.paint(f"  [{field.cause}]", "red" if field.by_hand else "dim")
    sides = "" if field.parts else f"  {field.before} → {field.after}"
    yield f"      {inert(field.path)}{sides}{cause}{mark}"
    yield from (f"        {line}" for line in (field.lines() if field.parts else ()))


def _made(action: Action, head: str, room: int, style: Style) -> Iterator[str]:
    """What a create sets, in full: beside its name where there is room, or below it. A name that is its own is not repeated."""
    values = ", ".join(
        f"{quoted_where_several(inert(change.path), AMONG_FIELDS)}: {_made_value(change)}"
        for change in action.changes
        if change.path != "name" or change.after != action.address.name
    )
    if len(values) + 2 <= room:
        yield head + style.paint(f"  {values}" if values else "", "dim")
        return
    yield head
    yield from (style.paint(line, "dim") for line in style.wrapped(values, "      "))


def _made_value(change: FieldChange) -> str:
    """A value among others: a text that could be read as several of them is in quotes."""
    shown = before_after(change)[1]
    is_text = isinstance(change.after, str) and not change.sensitive and not change.known_after_apply
    return quoted_where_several(shown) if is_text else shown


def findings_lines(findings: Iterable[Finding], style: Style) -> list[str]:
    """Findings, each cause on a line."""
    colours = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}
    return [style.paint(inert(finding, 600), colours[finding.severity]) for finding in folded(findings)]


def unknown_lines(unknown: Iterable[UnknownCollection]) -> list[str]:
    """What could not be read, one collection per line."""
    return [
        f"  ? {inert(f'{collection.site} {collection.system} {collection.kind}')}: {inert(collection.reason)}"
        for collection in unknown
    ]


def receipt_text(receipt: Receipt, style: Style) -> str:
    """What an apply did; only what did not end well is listed by address."""
    lines = []
    for outcome in receipt.outcomes:
        if outcome.state is not State.DONE:
            colour = "yellow" if outcome.state is State.SKIPPED else "red"
            lines.append(
                style.paint(f"  {outcome.state.value:8} {inert(outcome.address)}", colour)
                + f"  {inert(outcome.message)}"
            )
    counts = Counter(outcome.state for outcome in receipt.outcomes)
    parts = [f"{counts[state]} {state.value}" for state in State if counts[state]]
    good = set(receipt.states()) <= {State.DONE}
    lines.append(style.paint(f"Apply: {', '.join(parts) if parts else 'nothing to do'}.", "green" if good else "bold"))
    return "\n".join(lines) + "\n"
