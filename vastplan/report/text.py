"""The plan, and the result of an apply, for a terminal: signs, colour where it helps, nothing wider than the window."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from dataclasses import replace

from vastplan.model.address import Address
from vastplan.model.escaping import inert
from vastplan.model.finding import ENDPOINT_CHANGED, Finding, Severity
from vastplan.model.outcome import Receipt, State
from vastplan.model.plan import Action, Plan, UnknownCollection
from vastplan.model.replication import ReplicationState
from vastplan.report.budgets import budget_lines
from vastplan.report.change import (
    HEADINGS,
    plan_parts,
    provenance,
    settings_changed,
    settings_title,
    split_findings,
    uncovered_lines,
    unrelated_actions,
    withdrawn,
)
from vastplan.report.edits import TITLE as EDITS
from vastplan.report.edits import edit_line, own_edits
from vastplan.report.findings import findings_lines
from vastplan.report.folding import counted_known, folded_unknown
from vastplan.report.long_plan import expanded, is_large, unlisted_reverts
from vastplan.report.losses import TITLE as LOSSES
from vastplan.report.losses import loss_lines
from vastplan.report.openings import opening_text
from vastplan.report.owners import TenantFinder
from vastplan.report.ownership import WAY_OUT, NotOwned, not_owned, shorten_not_owned
from vastplan.report.replication import TITLE as TWO_SITES
from vastplan.report.replication import replication_lines
from vastplan.report.review import blind, keeps, left_words, reverts, review_line
from vastplan.report.standing import standing_sentences
from vastplan.report.style import Style
from vastplan.report.text_action import action_lines
from vastplan.report.text_long_plan import Large, more
from vastplan.report.values import VERB_WORDS, counted, plain_value, verb_word
from vastplan.report.view import of_change

__all__ = ["Style", "findings_lines", "part_text", "plan_summary", "plan_text", "receipt_text", "unknown_lines"]

_TOGETHER = re.compile(r"\n{3,}")  # parts are apart by one empty line
_TOP = 5  # lines of each list before the changes of a long plan
_MOST = 10  # changes outside vastplan that a long plan lists


def plan_text(plan: Plan, style: Style, *, title: str = "Plan", expand: Sequence[str] = (), whole: bool = False) -> str:
    """A plan: every action if it can be read from end to end, or if the `whole` is asked for.

    A longer plan shows once what many actions have in common, and in full what `expand` names (addresses and patterns).
    """
    unknown_here = not_owned(plan)
    counted_from, plan = plan, shorten_not_owned(plan, unknown_here)
    large = Large(plan, style, expand) if is_large(plan) and not whole else None
    asked = {action.address for action in expanded(plan.actions, expand, TenantFinder(plan))} if expand else set()
    in_full = {action.address for action in plan.actions} if whole else asked
    part_lines = large.lines if large else lambda part: _by_site(part, style, in_full)
    elsewhere = [finding for finding in plan.findings if finding.code == ENDPOINT_CHANGED]
    others = [finding for finding in plan.findings if finding.code != ENDPOINT_CHANGED]
    edits = own_edits(plan)
    top = [
        [style.paint(line, "bold") for line in style.wrapped(inert(review_line(plan), 600), "")]
        if plan.actions or edits or any(standing_sentences(plan.replications, plan.states))
        else [],
        findings_lines(elsewhere, style),
        [*opening_text(plan, style, short=large is not None)],
        _listed(LOSSES, loss_lines(plan, plain_value, plain_value), style, short=large is not None),
        _listed(EDITS, [edit_line(edit, plain_value, plain_value) for edit in edits], style, short=large is not None),
        [*_settings(plan, style)],
    ]
    lines = [line for part in top if part for line in (*part, "")]
    # In a long plan the notes come after the changes: no decision depends on them.
    notes = [finding for finding in others if large and finding.severity is Severity.NOTE]
    lines += _findings(
        plan, [finding for finding in others if not (large and finding.severity is Severity.NOTE)], style
    )
    lines += _not_owned(unknown_here, style, large is not None)
    dropped = {action.address for group in unknown_here for action in group.same} - asked
    for standing, part in plan_parts(plan):
        if standing is not None:
            lines += ["", style.paint(f"{HEADINGS[standing]} ({counted(len(part.actions), 'object')})", "cyan")]
        lines += part_lines(drop_addresses(part, dropped))
    lines += large.by_tenant(plan) if large else []
    gone = withdrawn(plan)
    if gone:
        lines += ["", "Pending before, no longer pending", *(f"  {inert(address, 200)}" for address in gone)]
    lines += _outside_changes(plan, style, _MOST if large else None)
    if notes:
        lines += ["", *_findings(plan, notes, style, wrap=True)]
    lines += large.rest() if large else []
    if plan.unknown:
        lines += ["", style.paint("Unknown (could not be read, left out of this plan)", "yellow")]
        lines += unknown_lines(plan.unknown)
    if plan.snapshot is not None:
        lines += ["", style.paint(inert(provenance(plan), 400), "yellow")]
        lines += [f"  not covered: {inert(line, 300)}" for line in uncovered_lines(plan)]
    lines += [*budget_lines(plan.budgets, style), *_on_two_sites(plan, style)]
    lines += ["", plan_summary(counted_from, style, title)]
    if plan.base is not None and unrelated_actions(plan):
        lines.append(unrelated_actions(plan))
    return _TOGETHER.sub("\n\n", "\n".join(lines)).lstrip("\n") + "\n"


def _on_two_sites(plan: Plan, style: Style) -> Iterator[str]:
    """What is not in order, and how much is."""
    amiss = [row for row in plan.replications if row.state is not ReplicationState.IN_ORDER]
    yield from replication_lines(amiss, style)
    if len(amiss) < len(plan.replications):
        yield ""
        yield f"{TWO_SITES}: {counted(len(plan.replications) - len(amiss), 'object')} in order"


def _listed(title: str, items: Sequence[str], style: Style, *, short: bool) -> list[str]:
    """What stands before the changes, a line each; the `short` form counts what is beyond its first lines."""
    shown = items[: _TOP if short else None]
    left = len(items) - len(shown)
    lines = [line for item in shown for line in style.wrapped(item, "  ")] + ([more(left)] if left else [])
    return [style.paint(f"{title} ({len(items):,})", "red" if title == LOSSES else "cyan"), *lines] if items else []


def drop_addresses(plan: Plan, dropped: Collection[Address]) -> Plan:
    """The plan without the actions at some addresses."""
    if not dropped:
        return plan
    return replace(plan, actions=tuple(action for action in plan.actions if action.address not in dropped))


def _not_owned(groups: Iterable[NotOwned], style: Style, large: bool) -> Iterator[str]:
    """What exists although the ledger is empty, once; with the names of the objects that no action shows."""
    for group in groups:
        yield from (style.paint(line, "red") for line in style.wrapped(inert(f"{group.text}; {WAY_OUT}", 600), ""))
        if group.same and large:
            text = f"as the document has them: {len(group.same):,}, each shown with --expand ADDRESS"
            yield from style.wrapped(text, "  ")
        elif group.same:
            names = ", ".join(inert(action.address) for action in group.same)
            yield from style.wrapped(f"as the document has them: {names}", "  ")


def _findings(plan: Plan, reported: Sequence[Finding], style: Style, *, wrap: bool = False) -> list[str]:
    """The findings; of those that the base has too only the errors, and the number of the others."""
    base = {id(finding) for finding in split_findings(plan)[1] if finding.severity is not Severity.ERROR}
    lines = findings_lines((finding for finding in reported if id(finding) not in base), style, wrap=wrap)
    quiet = counted_known(finding for finding in reported if id(finding) in base)
    return [*lines, style.paint(quiet, "dim")] if quiet else lines


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
    chosen = tuple(actions)
    about = {str(action.address) for action in chosen}
    findings = findings_lines((finding for finding in plan.findings if finding.address in about), style)
    lines = [*findings, *_by_site(replace(plan, actions=chosen), style, {action.address for action in chosen})]
    return "\n".join(lines).lstrip("\n") + "\n"


def _by_site(plan: Plan, style: Style, in_full: Set[Address]) -> Iterator[str]:
    site = ""
    # The sort is stable: within a site the actions stay in the order of work.
    for action in sorted(plan.actions, key=lambda action: action.address.site):
        if action.address.site != site:
            site = action.address.site
            yield ""
            yield style.paint(inert(site), "bold")
        yield from action_lines(action, style, in_full=action.address in in_full)


def _outside_changes(plan: Plan, style: Style, most: int | None) -> Iterator[str]:
    """The changes made outside vastplan that the plan undoes, and those that it keeps: nobody should have to look for them."""
    undone = reverts(plan)
    if undone:
        heading = f"Undoes changes made outside vastplan ({len(undone):,}); {keeps(undone)}"
        yield ""
        yield from (style.paint(line, "red") for line in ([heading] if most is None else style.wrapped(heading, "")))
    listed = undone if most is None else unlisted_reverts(plan, undone)
    if len(listed) < len(undone):
        yield f"  shown above, grouped: {counted(len(undone) - len(listed), 'change')}"
    for revert in listed[:most]:
        author = f", {revert.author}" if revert.author else ""
        since = f", last applied {inert(revert.action.since, 40)}" if revert.action.since else ""
        address = inert(revert.action.address)
        if revert.change is None:
            yield f"  {address} {revert.as_a_whole}{author}{since}"
        else:
            yield f"  {address} {inert(revert.change.path)}  {of_change(revert.change).planned()}{author}{since}"
    if most is not None and len(listed) > most:
        yield more(len(listed) - most)
    if plan.left:
        yield ""
        yield style.paint("Changed outside vastplan and kept", "cyan")
        kept = [f"  {inert(left.address)} {words}" for left in plan.left for words in left_words(left)]
        yield from kept[:most]
        if most is not None and len(kept) > most:
            yield more(len(kept) - most)


def plan_summary(plan: Plan, style: Style, title: str = "Plan") -> str:
    """One line: how many changes of each sort, and how many are blocked or unknown."""
    counts = Counter("blocked" if action.blocked else verb_word(action) for action in plan.actions)
    words = {word: f"to {word}" for word in VERB_WORDS} | {"record": "to record in the ledger", "blocked": "blocked"}
    parts = [f"{counts[name]:,} {text}" for name, text in words.items() if counts[name]]
    unknown = f" {counted(len(plan.unknown), 'collection')} unknown." if plan.unknown else ""
    if blind(plan):
        return (
            style.paint(f"{title}: incomplete. Nothing could be read: cannot determine what would change.", "bold")
            + unknown
        )
    settings = (
        f" {counted(len(settings_changed(plan)), 'setting')} of the document changed." if settings_title(plan) else ""
    )
    amiss = "".join(f" {sentence}" for sentence in standing_sentences(plan.replications, plan.states))
    if not parts and plan.unknown:
        text = f"{title}: no changes in what could be read, {counted(plan.in_sync, 'object')} in sync."
        return style.paint(text, "bold") + settings + unknown + amiss
    if not parts:
        text = f"{title}: no changes{' of objects' if settings else ''}. {counted(plan.in_sync, 'object')} in sync."
        return style.paint(text, "bold" if settings or amiss else "green") + settings + amiss
    return (
        style.paint(f"{title}: {', '.join(parts)}.", "bold") + f" {counted(plan.in_sync, 'object')} in sync."
        + settings + unknown + amiss
    )  # fmt: skip


def unknown_lines(unknown: Iterable[UnknownCollection]) -> list[str]:
    """What could not be read, each cause on a line."""
    return [
        f"  ? {inert(f'{collection.site} {collection.system} {collection.kind}')}: {inert(collection.reason)}"
        for collection in folded_unknown(unknown)
    ]


def receipt_text(receipt: Receipt, style: Style) -> str:
    """What an apply did; only what did not succeed is listed by address."""
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
