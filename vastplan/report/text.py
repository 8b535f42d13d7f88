"""The plan, and what came of it, for a terminal: signs, colour where it helps, nothing wider than the window."""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.model.escaping import inert
from vastplan.model.finding import Finding, Severity
from vastplan.model.outcome import Receipt, State
from vastplan.model.plan import Action, Cause, Plan, Verb
from vastplan.report.budgets import budget_lines
from vastplan.report.change import HEADINGS, beside, provenance, shares, uncovered, withdrawn
from vastplan.report.review import left_words, reverts
from vastplan.report.values import CAUSES, before_after, counted, inside, plain

_COLOURS = {"green": "32", "yellow": "33", "red": "31", "cyan": "36", "magenta": "35", "dim": "2", "bold": "1"}
_OF_VERB = {
    Verb.CREATE: "green", Verb.UPDATE: "yellow", Verb.REPLACE: "magenta", Verb.DELETE: "red",
    Verb.ADOPT: "cyan", Verb.RELEASE: "dim",
}  # fmt: skip
_SHOWN_DEPENDENTS = 6


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


def plan_text(plan: Plan, style: Style, *, title: str = "Plan") -> str:
    """A whole plan."""
    lines = [*findings_lines(plan.findings, style)]
    for standing, part in shares(plan):
        if standing is not None:
            lines += ["", style.paint(f"{HEADINGS[standing]} ({counted(len(part.actions), 'object')})", "cyan")]
        lines += _by_site(part, style)
    if withdrawn(plan):
        lines += ["", "Pending before, and not any more", *(f"  {inert(one, 200)}" for one in withdrawn(plan))]
    lines += _by_hand(plan, style)
    if plan.unknown:
        lines += ["", style.paint("Unknown (could not be read, left out of this plan)", "yellow")]
        lines += [f"  ? {inert(f'{one.site} {one.system} {one.kind}')}: {inert(one.reason)}" for one in plan.unknown]
    if plan.snapshot is not None:
        lines += ["", style.paint(inert(provenance(plan), 400), "yellow")]
        lines += [f"  not covered: {inert(one, 300)}" for one in uncovered(plan)]
    lines += [*budget_lines(plan.budgets, style), "", summary(plan, style, title)]
    if plan.base is not None and beside(plan):
        lines.append(beside(plan))
    return "\n".join(lines).lstrip("\n") + "\n"


def _by_site(plan: Plan, style: Style) -> Iterator[str]:
    site = ""
    for action in sorted(plan.actions, key=lambda one: one.address.site):  # stable: in the order of work within a site
        if action.address.site != site:
            site = action.address.site
            yield ""
            yield style.paint(inert(site), "bold")
        yield from _action(action, style)


def _by_hand(plan: Plan, style: Style) -> Iterator[str]:
    """The changes by hand that the plan undoes, and those that it leaves alone: nobody should have to look for them."""
    found = reverts(plan)
    if found:
        yield ""
        yield style.paint(
            f"Undoes what was changed by hand ({len(found)}); --keep-drift or drift --accept keeps it", "red"
        )
    for one in found:
        author = f", {one.author}" if one.author else ""
        since = f", last applied {inert(one.action.since, 40)}" if one.action.since else ""
        if one.change is None:
            yield f"  {inert(one.action.address)} is gone{author}{since}"
        else:
            before, after = before_after(one.change)
            yield f"  {inert(one.action.address)} {inert(one.change.path)}  {before} → {after}{author}{since}"
    if plan.left:
        yield ""
        yield style.paint("Changed by hand and left alone", "cyan")
        yield from (f"  {inert(one.address)} {words}" for one in plan.left for words in left_words(one))


def summary(plan: Plan, style: Style, title: str = "Plan") -> str:
    """One line that says how much, and how bad."""
    counts = plan.count()
    words = {
        "create": "to create", "update": "to update", "replace": "to replace", "delete": "to delete", "adopt": "to adopt",
        "release": "to release", "blocked": "blocked",
    }  # fmt: skip
    parts = [f"{counts[name]} {text}" for name, text in words.items() if counts[name]]
    unknown = f" {len(plan.unknown)} collections unknown." if plan.unknown else ""
    if not parts:
        return style.paint(f"{title}: no changes. {counted(plan.in_sync, 'object')} in sync.", "green") + unknown
    return (
        style.paint(f"{title}: {', '.join(parts)}.", "bold") + f" {counted(plan.in_sync, 'object')} in sync." + unknown
    )


def _action(action: Action, style: Style) -> Iterator[str]:
    colour = _OF_VERB[action.verb]
    head = f"{action.verb.sign:>3} {inert(action.address.kind)} {inert(action.address.name, 120)}"
    if action.verb is Verb.CREATE:
        yield style.paint(head, colour) + style.paint(
            style.cut("  " + _essence(action))[: max(0, style.width - len(head))], "dim"
        )
        if action.reason != "not there yet":
            yield f"      why: {inert(action.reason)}"
    else:
        yield style.paint(head, colour) + f"  {inert(action.reason)}"
    for note in action.notes:
        yield style.paint(style.cut(f"      chosen: {inert(note)}"), "dim")
    if action.verb is not Verb.CREATE:
        for change in action.changes:
            before, after = before_after(change)
            mark = style.paint("  forces replacement", "magenta") if change.replaces else ""
            before_it = ", before this change" if change.already else ""
            cause = style.paint(
                f"  [{CAUSES[change.cause]}{before_it}]", "red" if change.cause in (Cause.SYSTEM, Cause.BOTH) else "dim"
            )
            details = list(inside(change))
            shown = "" if details else f"  {before} → {after}"
            yield f"      {inert(change.path)}{shown}{cause}{mark}"
            for path, old, new in details:
                yield f"        {path}  {old} → {new}"
    if action.released:
        yield style.cut(f"      no longer managed: {', '.join(map(inert, action.released))}")
    for one in action.evidence:
        yield f"      seen: {inert(one.name)} {plain(one.value, one.unit)}"
    if action.verb in (Verb.UPDATE, Verb.REPLACE, Verb.DELETE) and action.dependents:
        shown_dependents = ", ".join(inert(one) for one in action.dependents[:_SHOWN_DEPENDENTS])
        more = len(action.dependents) - _SHOWN_DEPENDENTS
        yield style.cut(f"      behind it: {shown_dependents}" + (f" and {more} more" if more > 0 else ""))
    for block in action.blocked:
        fix = f"; to go on: {inert(block.fix)}" if block.fix else ""
        yield style.paint(f"      blocked ({inert(block.guard)}): {inert(block.message)}{fix}", "red")


def _essence(action: Action) -> str:
    """The values of a create on one line."""
    return ", ".join(f"{inert(one.path, 80)}: {before_after(one)[1]}" for one in action.changes if one.path != "name")


def findings_lines(findings: tuple[Finding, ...], style: Style) -> list[str]:
    """Findings, one per line."""
    colours = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}
    return [style.paint(inert(one, 600), colours[one.severity]) for one in findings]


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
    counts = {state: sum(1 for one in receipt.outcomes if one.state is state) for state in State}
    parts = [f"{count} {state.value}" for state, count in counts.items() if count]
    good = set(receipt.states()) <= {State.DONE}
    lines.append(style.paint(f"Apply: {', '.join(parts) if parts else 'nothing to do'}.", "green" if good else "bold"))
    return "\n".join(lines) + "\n"
