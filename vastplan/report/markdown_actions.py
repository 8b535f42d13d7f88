"""The actions of a plan in a comment: folded, the worst first, as far as there is room; the others by name, or counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from vastplan.model.plan import Action, Plan, Verb, lets_in
from vastplan.report import view
from vastplan.report.change import HEADINGS, shares
from vastplan.report.differences import Sign
from vastplan.report.markdown_escape import code, prose, size, summary_code
from vastplan.report.markdown_page import LIMIT, Page, fix
from vastplan.report.review import Risk, Topology, by_risk
from vastplan.report.review import risk as risk_of
from vastplan.report.values import VERB_WORDS, plain, verb_word
from vastplan.report.view import FieldView

SHOWN_CHANGES, SHOWN_NOTES = 40, 12
LONG = 200  # characters of a value where there is not room for all of it
_NAMES_FROM = 0.85  # of the limit: from here on actions are named, not shown
_LOSSES = (Risk.DATA, Risk.REMOVAL)
_OPEN = (*_LOSSES, Risk.BLOCKED)
_RANK = {risk: number for number, risk in enumerate(Risk)}


@dataclass(slots=True)
class Cut:
    """The actions of which only the name is shown, and how many are shown in part."""

    named: list[Action] = field(default_factory=list)
    partly: int = 0

    @property
    def some(self) -> int:
        """How many actions are not shown in full."""
        return len(self.named) + self.partly


def in_order(page: Page, plan: Plan) -> Cut:
    """Adds the actions, the worst first; answers what did not fit."""
    topology, cut = Topology(plan), Cut()
    for standing, part in shares(plan):
        if standing is not None:
            page.add(f"\n### {HEADINGS[standing]} ({len(part.actions)})\n")
        for risk, group in groupby(by_risk(part), key=lambda ranked: ranked[0]):
            _group(page, cut, topology, risk.label, [action for _, action in group], opened=risk in _OPEN)
    return cut


def bounded(page: Page, plan: Plan) -> Cut:
    """The same where there is no room for all of them: no number of those before hides what somebody has to see.

    First what lets somebody in, then what is lost, each in half of what room there is; what is blocked comes last, and nothing of
    it is done.
    """
    topology, cut = Topology(plan), Cut()
    for standing, part in shares(plan):
        coming = [ranked for ranked in by_risk(part) if not ranked[1].blocked]
        if standing is not None and coming:
            page.add(f"\n### {HEADINGS[standing]} ({len(part.actions)})\n")
        entering = [action for _, action in coming if lets_in(action)]
        _group(page, cut, topology, "Lets somebody in", entering, opened=True, most=page.room // 2)
        for risk, group in groupby((ranked for ranked in coming if not lets_in(ranked[1])), key=lambda one: one[0]):
            most = page.room // 2 if risk in _LOSSES else page.room
            _group(page, cut, topology, risk.label, [action for _, action in group], opened=risk in _OPEN, most=most)
    blocked = [action for _, part in shares(plan) for _, action in by_risk(part) if action.blocked]
    _group(page, cut, topology, Risk.BLOCKED.label, blocked, opened=True)
    cut.named.sort(key=lambda action: (bool(action.blocked), not lets_in(action), _RANK[risk_of(action)]))
    return cut


def _group(
    page: Page,
    cut: Cut,
    topology: Topology,
    title: str,
    actions: Sequence[Action],
    *,
    opened: bool,
    most: int = LIMIT,
) -> None:
    """Adds the actions below a title, in `most` characters; what does not fit is cut."""
    if not actions:
        return
    page.add(f"\n#### {title} ({len(actions)})\n\n")
    end = min(page.used + most, int(_NAMES_FROM * LIMIT))
    for action in actions:
        if page.used > end:
            cut.named.append(action)
            continue
        whole = _action(action, topology, opened)
        if size(whole) <= page.room // 2 and page.add(whole):
            continue
        if page.add(_action(action, topology, opened, SHOWN_CHANGES)):
            cut.partly += 1
        else:
            cut.named.append(action)


def _action(action: Action, topology: Topology, open_: bool, most: int = 0) -> str:
    """One action, folded; with `most` so many lines of what it changes, and values cut. The blank lines are what lets
    Markdown be Markdown inside HTML."""
    blocked = " — blocked" if action.blocked else ""
    summary = f"{action.verb.sign} {verb_word(action)} {summary_code(action.address, 300)}{blocked}"
    lines = "".join(f"- {line}\n" for line in _details(action, topology, most))
    return f"<details{' open' if open_ else ''}><summary>{summary}</summary>\n\n{lines}\n</details>\n"


def _details(action: Action, topology: Topology, most: int) -> Iterator[str]:
    yield f"Why: {prose(action.reason)}"
    yield from _first(
        [f"**Blocked** ({code(block.guard, 40)}): {prose(block.message)}{fix(block.fix)}" for block in action.blocked]
    )
    yield from (f"Lets in: {prose(opening)}" for opening in view.unseen_openings(action))
    behind = str(topology.affected(action))
    if behind:
        yield f"Affects: {prose(behind, 400)}"
    yield from _first([f"Seen: {prose(seen.name)} {code(plain(seen.value, seen.unit))}" for seen in action.evidence])
    if most:
        fields = sorted(map(view.of_change, action.changes), key=lambda field: not field.admits)
        lines = [line for told in fields for line in _field(told, action.verb, LONG)]
        yield from lines[:most]
        if len(lines) > most:
            yield f"and {len(lines) - most} more lines: {code(f'vastplan show PLAN {action.address}', 300)}"
    else:
        for change in action.changes:
            yield from _field(view.of_change(change), action.verb, None)
    if action.released:
        yield f"No longer managed: {code(', '.join(action.released))}"
    yield from _first([f"Chosen: {prose(note)}" for note in action.notes])


def _first(lines: Sequence[str]) -> Iterator[str]:
    yield from lines[:SHOWN_NOTES]
    if len(lines) > SHOWN_NOTES:
        yield f"and {len(lines) - SHOWN_NOTES} more"


def _field(field: FieldView, verb: Verb, limit: int | None) -> Iterator[str]:
    path = code(field.path)
    if verb is Verb.CREATE:
        yield f"{path}: {code(field.after, limit)}"
        return
    why = field.cause + (", **forces replacement**" if field.replaces else "")
    if not field.parts:
        yield f"{path}: {code(field.before, limit)} → {code(field.after, limit)} ({why})"
        return
    stays = f"; {field.unchanged} unchanged" if field.unchanged else ""
    yield f"{path} ({why}){stays}:"
    for part in sorted(field.parts, key=lambda part: part.sign is not Sign.ADDED) if limit else field.parts:
        yield f"{path} {code(part.line(), limit)}"


def by_name(left: list[Action], room: int) -> str:
    """What did not fit, by name as far as there is room, then by number."""
    if not left:
        return ""
    lines, used, named = [f"\n#### Not shown in full ({len(left)})\n\n"], 200, 0
    for action in left:
        blocked = " — blocked" if action.blocked else ""
        line = f"- {action.verb.sign} {verb_word(action)} {code(action.address)}{blocked}\n"
        used += size(line)
        if used > room:
            break
        lines.append(line)
        named += 1
    if named < len(left):
        counts = Counter(verb_word(action) for action in left[named:])
        lines.append(f"- and {len(left) - named} more: {counted_verbs(counts)}\n")
    return "".join(lines)


def counted_verbs(counts: Counter[str]) -> str:
    """`2 to create, 1 to delete`."""
    return ", ".join(f"{counts[verb]} to {verb}" for verb in VERB_WORDS if counts[verb])
