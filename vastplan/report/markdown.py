"""One comment under a change request: the verdict, the worst first, and no more than a code host takes.

The first line is a marker that no page shows. Whoever posts the comment looks for it and replaces the comment that has it,
so that there is one per document however often it is planned. GitHub takes 65,536 characters; what does not fit is counted
and named, and is in the other reports.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from urllib.parse import quote

from vastplan.model.escaping import inert
from vastplan.model.finding import Finding, Severity
from vastplan.model.plan import Action, FieldChange, Plan, UnknownCollection, Verb
from vastplan.report.change import HEADINGS, parted, provenance, shares, uncovered, withdrawn
from vastplan.report.json_report import Problems
from vastplan.report.markdown_escape import code, prose, size, summary_code
from vastplan.report.markdown_proofs import proofs
from vastplan.report.review import Crowd, Risk, by_risk, left_words, reverts, verdict
from vastplan.report.values import CAUSES, before_after, counted, inside, plain

LIMIT = 65_536
_FOOT = 1_500  # kept free for what must be said at the end
_SHOWN_FINDINGS, _SHOWN_CHANGES, _SHOWN_NOTES = 40, 40, 12
_NAMES_FROM = 0.85  # of the limit: from here on actions are named, not shown
_OPEN = (Risk.DATA, Risk.REMOVAL, Risk.BLOCKED)
_DONE = {
    Verb.CREATE: "create", Verb.UPDATE: "update", Verb.REPLACE: "replace", Verb.DELETE: "delete", Verb.ADOPT: "adopt",
    Verb.RELEASE: "release",
}  # fmt: skip


def marker(document: str) -> str:
    """The line to find the comment of a document by."""
    return f"<!-- vastplan:plan:{quote(inert(document, 60), safe='').replace('-', '%2D')} -->"


def comment(plan: Plan, attached: Sequence[str] = ()) -> str:
    """The plan as a comment; `attached` are the names of files that hold all of it. Never longer than `LIMIT`."""
    page = Page(LIMIT - _FOOT)
    page.add(f"{marker(plan.document)}\n### vastplan: {code(plan.document, 100)}\n\n**{verdict(plan)}**\n")
    page.add(_provenance(plan))
    page.add(_numbers(plan))
    new, old = parted(plan)
    page.add(findings(new))
    if plan.unknown:
        page.add(unknown(plan.unknown))
    page.add(_by_hand(plan))
    for proof in proofs(plan):
        page.add(proof)
    crowd = Crowd(plan)
    left: list[Action] = []
    for standing, part in shares(plan):
        if standing is not None:
            page.add(f"\n### {HEADINGS[standing]} ({len(part.actions)})\n")
        for risk, group in groupby(by_risk(part), key=lambda one: one[0]):
            actions = [action for _, action in group]
            page.add(f"\n#### {risk.label} ({len(actions)})\n\n")
            for action in actions:
                if page.used > _NAMES_FROM * LIMIT or not page.add(_action(action, crowd, risk in _OPEN)):
                    left.append(action)
    if withdrawn(plan):
        page.add("\n### Pending before, and not any more\n\n" + "".join(f"- {code(one)}\n" for one in withdrawn(plan)))
    page.add(findings(old, "Checks that the base has too"))
    return page.text() + _rest(left, page.room) + _foot(plan, len(left), attached)


def problems(document: str, found: Problems) -> str:
    """What there is to say where no plan could be made; it takes the place of the comment of an earlier plan."""
    listed = findings(found.findings) or "".join(f"\n- Error: {prose(line)}" for line in found.error.splitlines()[:20])
    wrong = sum(1 for one in found.findings if one.severity is Severity.ERROR)
    said = f"No plan: {counted(wrong, 'error')} in the document." if wrong else "No plan could be made."
    return f"{marker(document)}\n### vastplan: {code(document, 100)}\n\n**{said}**\n{listed}\n"


class Page:
    """Text that says no when it is full."""

    def __init__(self, limit: int) -> None:
        self._parts: list[str] = []
        self._limit = limit
        self.used = 0

    @property
    def room(self) -> int:
        """What is left of it."""
        return self._limit - self.used

    def add(self, text: str) -> bool:
        """Add all of a text, or nothing of it."""
        length = size(text)
        if length > self.room:
            return False
        self._parts.append(text)
        self.used += length
        return True

    def text(self) -> str:
        """All of it."""
        return "".join(self._parts)


def _numbers(plan: Plan) -> str:
    """How much on which site."""
    lines = []
    sites = sorted({action.address.site for action in plan.actions})
    for site in sites[:40]:
        mine = [action for action in plan.actions if action.address.site == site]
        counts = {verb: sum(1 for one in mine if one.verb is verb) for verb in Verb}
        parts = [f"{count} to {_DONE[verb]}" for verb, count in counts.items() if count]
        blocked = sum(1 for one in mine if one.blocked)
        lines.append(f"\n- On {code(site, 60)}: {', '.join(parts)}" + (f"; {blocked} blocked" if blocked else ""))
    more = f"\n- and {len(sites) - 40} more sites" if len(sites) > 40 else ""
    return "".join(lines) + more + f"\n- {counted(plan.in_sync, 'object')} in sync\n"


def _provenance(plan: Plan) -> str:
    """What a reviewer must know of a plan that was made without the systems."""
    if plan.snapshot is None:
        return ""
    lines = "".join(f"- not covered: {prose(one)}\n" for one in uncovered(plan))
    return f"\n{prose(provenance(plan), 400)}\n" + (f"\n{lines}" if lines else "")


def findings(found: tuple[Finding, ...], title: str = "Checks") -> str:
    """Findings, the worst first."""
    if not found:
        return ""
    worst = sorted(found, key=lambda one: tuple(Severity).index(one.severity))
    lines = [f"\n- {one.severity.value.capitalize()} {code(one.code, 20)} {_where(one)}{prose(one.message)}{_fix(one.fix)}"
             for one in worst[:_SHOWN_FINDINGS]]  # fmt: skip
    more = f"\n- and {len(worst) - _SHOWN_FINDINGS} more" if len(worst) > _SHOWN_FINDINGS else ""
    return f"\n#### {title} ({len(worst)})\n" + "".join(lines) + more + "\n"


def _where(one: Finding) -> str:
    place = " ".join(code(part) for part in (one.where, one.address) if part)
    return f"at {place}: " if place else ""


def _fix(text: str) -> str:
    return f" — to go on: {prose(text)}" if text else ""


def unknown(missing: Sequence[UnknownCollection]) -> str:
    """What could not be read."""
    lines = [f"\n- {code('/'.join((one.site, one.kind)))} could not be read: {prose(one.reason)}"
             for one in missing[:_SHOWN_FINDINGS]]  # fmt: skip
    more = f"\n- and {len(missing) - _SHOWN_FINDINGS} more" if len(missing) > _SHOWN_FINDINGS else ""
    return f"\n#### Unknown, and left out ({len(missing)})\n" + "".join(lines) + more + "\n"


def _by_hand(plan: Plan) -> str:
    """The changes by hand that the plan undoes, and those that it leaves alone, before anything else."""
    found, lines = reverts(plan), []
    for one in found[:_SHOWN_CHANGES]:
        author = f": {prose(one.author, 600)}" if one.author else ""
        if one.change is None:
            lines.append(f"- {code(one.action.address)} is gone, and is made again{author}\n")
        else:
            before, after = before_after(one.change)
            lines.append(
                f"- {code(one.action.address)} {code(one.change.path)}: {code(before)} → {code(after)}{author}\n"
            )
    more = f"- and {len(found) - _SHOWN_CHANGES} more\n" if len(found) > _SHOWN_CHANGES else ""
    text = f"\n#### Undoes what was changed by hand ({len(found)})\n\n{''.join(lines)}{more}" if found else ""
    kept = [f"- {code(one.address)}: {prose(words, 600)}\n" for one in plan.left for words in left_words(one)]
    more = f"- and {len(kept) - _SHOWN_CHANGES} more\n" if len(kept) > _SHOWN_CHANGES else ""
    shown = "".join(kept[:_SHOWN_CHANGES])
    return text + (f"\n#### Changed by hand and left alone ({len(kept)})\n\n{shown}{more}" if kept else "")


def _action(action: Action, crowd: Crowd, open_: bool) -> str:
    """One action, folded; the blank lines are what lets Markdown be Markdown inside HTML."""
    blocked = " — blocked" if action.blocked else ""
    head = f"{action.verb.sign} {_DONE[action.verb]} {summary_code(action.address, 300)}{blocked}"
    lines = "".join(f"- {line}\n" for line in _details(action, crowd))
    return f"<details{' open' if open_ else ''}><summary>{head}</summary>\n\n{lines}\n</details>\n"


def _details(action: Action, crowd: Crowd) -> Iterator[str]:
    yield f"Why: {prose(action.reason)}"
    for block in action.blocked[:_SHOWN_NOTES]:
        yield f"**Blocked** ({code(block.guard, 40)}): {prose(block.message)}{_fix(block.fix)}"
    behind = str(crowd.behind(action))
    if behind:
        yield f"Affects: {prose(behind, 400)}"
    for one in action.evidence[:_SHOWN_NOTES]:
        yield f"Seen: {prose(one.name)} {code(plain(one.value, one.unit))}"
    for change in action.changes[:_SHOWN_CHANGES]:
        yield from _change(change, action.verb)
    if len(action.changes) > _SHOWN_CHANGES:
        yield f"and {len(action.changes) - _SHOWN_CHANGES} more fields"
    if action.released:
        yield f"No longer managed: {code(', '.join(action.released))}"
    for note in action.notes[:_SHOWN_NOTES]:
        yield f"Chosen: {prose(note)}"


def _change(change: FieldChange, verb: Verb) -> Iterator[str]:
    before, after = before_after(change)
    if verb is Verb.CREATE:
        yield f"{code(change.path)}: {code(after)}"
        return
    markers = CAUSES[change.cause] + (", before this change" if change.already else "")
    markers += ", **forces replacement**" if change.replaces else ""
    details = list(inside(change))
    if not details:
        yield f"{code(change.path)}: {code(before)} → {code(after)} ({markers})"
        return
    yield f"inside {code(change.path)} ({markers}):"
    for path, old, new in details[:_SHOWN_CHANGES]:
        yield f"{code(path)}: {code(old)} → {code(new)}"


def _rest(left: list[Action], room: int) -> str:
    """What did not fit, by name as far as there is room, then by number."""
    if not left:
        return ""
    lines, used, named = [f"\n#### Not shown in full ({len(left)})\n\n"], 200, 0
    for action in left:
        line = f"- {action.verb.sign} {_DONE[action.verb]} {code(action.address)}{' — blocked' if action.blocked else ''}\n"
        used += size(line)
        if used > room:
            break
        lines.append(line)
        named += 1
    if named < len(left):
        counts = {verb: sum(1 for one in left[named:] if one.verb is verb) for verb in Verb}
        parts = ", ".join(f"{count} to {_DONE[verb]}" for verb, count in counts.items() if count)
        lines.append(f"- and {len(left) - named} more: {parts}\n")
    return "".join(lines)


def _foot(plan: Plan, left: int, attached: Sequence[str]) -> str:
    files = ", ".join(code(name, 80) for name in attached[:5])
    lines = []
    if left:
        where = (
            f"in full in the attached {files}"
            if files
            else "in full in the plan file: `vastplan show PLAN --format html`"
        )
        lines.append(f"**Cut**: {left} of {len(plan.actions)} actions did not fit into a comment; they are {where}.")
    elif files:
        lines.append(f"With the topology of each site in the attached {files}.")
    valid = "" if plan.snapshot else f", valid until {code(plan.expires, 40)}"  # one from a snapshot is never applied
    lines.append(f"Plan {code(plan.id[:12])}, made {code(plan.created, 40)}{valid}.")
    return "\n" + "\n\n".join(lines) + "\n"
