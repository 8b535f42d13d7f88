"""One comment under a change request: the verdict, the worst first, and no more than a code host takes.

What does not fit is counted and named, and is in the other reports.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from vastplan.model.finding import Severity
from vastplan.model.plan import Action, Plan, Verb
from vastplan.report import view
from vastplan.report.change import (
    HEADINGS,
    provenance,
    settings_changed,
    settings_title,
    shares,
    uncovered,
    withdrawn,
)
from vastplan.report.differences import Sign
from vastplan.report.json_report import Problems
from vastplan.report.markdown_escape import code, prose, size, summary_code
from vastplan.report.markdown_page import LIMIT, Page, bullets, findings, fix, head, marker, section, unknown
from vastplan.report.markdown_proofs import proofs
from vastplan.report.review import Revert, Risk, Topology, by_risk, left_words, reverts
from vastplan.report.values import VERB_WORDS, counted, plain, verb_word
from vastplan.report.view import FieldView, worst_first

_FOOT = 1_500  # characters kept free for what must be said at the end
_SHOWN_SITES, _SHOWN_CHANGES, _SHOWN_NOTES = 40, 40, 12
_SHOWN_SETTINGS = 100
_LONG = 200  # characters of a value where there is not room for all of it
_NAMES_FROM = 0.85  # of the limit: from here on actions are named, not shown
_OPEN = (Risk.DATA, Risk.REMOVAL, Risk.BLOCKED)


def comment(plan: Plan, attached: Sequence[str] = ()) -> str:
    """The plan as a comment; `attached` are the names of files that hold all of it. Never longer than `LIMIT`."""
    page, cut = _page(plan, "")
    if cut.some:  # then what lets somebody in comes before all that it could be hidden behind
        page, cut = _page(plan, _lets_in(plan))
    return page.text() + _rest(cut.named, page.room) + _foot(plan, cut, attached)


@dataclass(slots=True)
class _Cut:
    """The actions of which only the name is shown, and how many are shown in part."""

    named: list[Action] = field(default_factory=list)
    partly: int = 0

    @property
    def some(self) -> int:
        """How many actions are not shown in full."""
        return len(self.named) + self.partly


def _page(plan: Plan, first: str) -> tuple[Page, _Cut]:
    """The page but for its end, `first` before the actions and what was done by hand."""
    shown, page = view.of_plan(plan), Page(LIMIT - _FOOT)
    page.add(head(shown))
    page.add(_provenance(plan))
    for part in (
        _settings(plan),
        _numbers(plan),
        first,
        findings(shown.findings),
        unknown(shown.unknown),
        _by_hand(plan),
    ):
        page.add_lines(part)
    for proof in proofs(plan):
        page.add(proof)
    cut = _actions(page, plan)
    gone = withdrawn(plan)
    if gone:
        page.add("\n### Pending before, and not any more\n\n" + bullets(gone, code))
    page.add(findings(shown.base_findings, "Checks that the base has too"))
    return page, cut


def _lets_in(plan: Plan) -> str:
    """What comes into lists that let clients in, of all actions, a line for each object and field; what is left out is counted."""
    lines = [line for action in plan.actions for line in _admitted(action)]
    if not lines:
        return ""
    room, shown = LIMIT // 3, []
    for line in lines:
        room -= size(line)
        if room < 0:
            break
        shown.append(line)
    more = len(lines) - len(shown)
    rest = f"- and {more} more: `vastplan show PLAN`\n" if more else ""
    return f"\n#### Lets clients in ({len(lines)})\n\n{''.join(shown)}{rest}"


def _admitted(action: Action) -> Iterator[str]:
    for change in action.changes:
        if not change.admits:
            continue
        if change.before and not change.after:
            yield f"- {code(action.address)} {code(change.path)}: becomes empty\n"
            continue
        told = view.of_change(change)
        added = [part.value() for part in told.parts if part.sign is Sign.ADDED]
        if not told.parts:
            whole = change.after if isinstance(change.after, list) else [change.after]
            added = [plain(value, change.unit, change.units) for value in whole if value is not None]
        for number in range(0, len(added), _SHOWN_CHANGES):  # a line holds so many that one that is cut hides few
            values = ", ".join(code(value, _LONG) for value in added[number : number + _SHOWN_CHANGES])
            yield f"- {code(action.address)} {code(change.path)}: adds {values}\n"


def problems(document: str, shown: Problems) -> str:
    """What there is to say where no plan could be made; it takes the place of the comment of an earlier plan."""
    listed = findings(worst_first(shown.findings)) or "".join(
        f"\n- Error: {prose(line)}" for line in shown.error.splitlines()[:20]
    )
    errors = sum(1 for finding in shown.findings if finding.severity is Severity.ERROR)
    verdict = f"No plan: {counted(errors, 'error')} in the document." if errors else "No plan could be made."
    return f"{marker(document)}\n### vastplan: {code(document, 100)}\n\n**{verdict}**\n{listed}\n"


def _actions(page: Page, plan: Plan) -> _Cut:
    """Adds the actions, the worst first; answers what did not fit."""
    topology, cut = Topology(plan), _Cut()
    for standing, part in shares(plan):
        if standing is not None:
            page.add(f"\n### {HEADINGS[standing]} ({len(part.actions)})\n")
        for risk, group in groupby(by_risk(part), key=lambda ranked: ranked[0]):
            actions = [action for _, action in group]
            page.add(f"\n#### {risk.label} ({len(actions)})\n\n")
            for action in actions:
                if page.used > _NAMES_FROM * LIMIT:
                    cut.named.append(action)
                    continue
                whole = _action(action, topology, risk in _OPEN)
                if size(whole) <= page.room // 2 and page.add(whole):
                    continue
                if page.add(_action(action, topology, risk in _OPEN, _SHOWN_CHANGES)):
                    cut.partly += 1
                else:
                    cut.named.append(action)
    return cut


def _numbers(plan: Plan) -> str:
    """How much on which site."""
    counts: dict[str, Counter[str]] = {}
    blocked: Counter[str] = Counter()
    for action in plan.actions:
        site = action.address.site
        counts.setdefault(site, Counter())[verb_word(action)] += 1
        blocked[site] += bool(action.blocked)
    lines = []
    for site in sorted(counts)[:_SHOWN_SITES]:
        parts = _counted_verbs(counts[site])
        lines.append(f"\n- On {code(site, 60)}: {parts}" + (f"; {blocked[site]} blocked" if blocked[site] else ""))
    more = f"\n- and {len(counts) - _SHOWN_SITES} more sites" if len(counts) > _SHOWN_SITES else ""
    return "".join(lines) + more + f"\n- {counted(plan.in_sync, 'object')} in sync\n"


def _counted_verbs(counts: Counter[str]) -> str:
    return ", ".join(f"{counts[verb]} to {verb}" for verb in VERB_WORDS if counts[verb])


def _provenance(plan: Plan) -> str:
    """What a reviewer must know of a plan that was made without the systems."""
    if plan.snapshot is None:
        return ""
    lines = "".join(f"- not covered: {prose(line)}\n" for line in uncovered(plan))
    return f"\n{prose(provenance(plan), 400)}\n" + (f"\n{lines}" if lines else "")


def _settings(plan: Plan) -> str:
    """The settings of the document that changed, before all that it does to objects; a rule that is long is cut."""
    lines: list[str] = []
    for setting in map(view.of_change, settings_changed(plan)):
        told = setting.lines()
        lines += (f"{code(setting.path)} {code(line, _LONG)}" for line in told[:_SHOWN_NOTES])
        if len(told) > _SHOWN_NOTES:
            lines.append(f"{code(setting.path)} and {len(told) - _SHOWN_NOTES} more: `vastplan show PLAN`")
    return section(settings_title(plan), lines, str, _SHOWN_SETTINGS)


def _by_hand(plan: Plan) -> str:
    """The changes by hand that the plan undoes, and those that it leaves alone, before anything else."""
    kept = [f"{code(left.address)}: {prose(words, 4_000)}" for left in plan.left for words in left_words(left)]
    return section("Undoes what was changed by hand", reverts(plan), _revert, _SHOWN_CHANGES) + section(
        "Changed by hand and left alone", kept, str, _SHOWN_CHANGES
    )


def _revert(revert: Revert) -> str:
    author = f": {prose(revert.author, 600)}" if revert.author else ""
    if revert.change is None:
        return f"{code(revert.action.address)} is gone, and is made again{author}"
    planned = view.of_change(revert.change).planned(code)
    return f"{code(revert.action.address)} {code(revert.change.path)}: {planned}{author}"


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
    behind = str(topology.affected(action))
    if behind:
        yield f"Affects: {prose(behind, 400)}"
    yield from _first([f"Seen: {prose(seen.name)} {code(plain(seen.value, seen.unit))}" for seen in action.evidence])
    if most:
        fields = sorted(map(view.of_change, action.changes), key=lambda field: not field.admits)
        lines = [line for told in fields for line in _field(told, action.verb, _LONG)]
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
    yield from lines[:_SHOWN_NOTES]
    if len(lines) > _SHOWN_NOTES:
        yield f"and {len(lines) - _SHOWN_NOTES} more"


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


def _rest(left: list[Action], room: int) -> str:
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
        lines.append(f"- and {len(left) - named} more: {_counted_verbs(counts)}\n")
    return "".join(lines)


def _foot(plan: Plan, cut: _Cut, attached: Sequence[str]) -> str:
    files = ", ".join(code(name, 80) for name in attached[:5])
    lines = []
    if cut.some:
        where = "in full with `vastplan show PLAN`, each with `vastplan show PLAN ADDRESS`"
        if files:
            where = f"in full in the attached {files}, and {where.removeprefix('in full ')}"
        of_all = f"{cut.some} of {len(plan.actions)} actions"
        lines.append(f"**Cut**: {of_all} did not fit into a comment; they are {where}.")
    elif files:
        lines.append(f"With the topology of each site in the attached {files}.")
    valid = "" if plan.snapshot else f", valid until {code(plan.expires, 40)}"  # one from a snapshot is never applied
    lines.append(f"Plan {code(plan.id[:12])}, made {code(plan.created, 40)}{valid}.")
    return "\n" + "\n\n".join(lines) + "\n"
