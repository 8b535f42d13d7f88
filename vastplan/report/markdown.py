"""One comment under a change request: the verdict, the worst first, and no more than a code host takes.

What does not fit is counted and named, and is in the other reports.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from vastplan.model.finding import Severity
from vastplan.model.plan import Action, Plan, Verb
from vastplan.report import view
from vastplan.report.change import HEADINGS, provenance, shares, uncovered, withdrawn
from vastplan.report.json_report import Problems
from vastplan.report.markdown_escape import code, prose, size, summary_code
from vastplan.report.markdown_page import LIMIT, Page, bullets, findings, fix, head, marker, section, unknown
from vastplan.report.markdown_proofs import proofs
from vastplan.report.review import Revert, Risk, Topology, by_risk, left_words, reverts
from vastplan.report.values import VERB_WORDS, counted, plain, verb_word
from vastplan.report.view import FieldView, worst_first

_FOOT = 1_500  # characters kept free for what must be said at the end
_SHOWN_SITES, _SHOWN_CHANGES, _SHOWN_NOTES = 40, 40, 12
_NAMES_FROM = 0.85  # of the limit: from here on actions are named, not shown
_OPEN = (Risk.DATA, Risk.REMOVAL, Risk.BLOCKED)


def comment(plan: Plan, attached: Sequence[str] = ()) -> str:
    """The plan as a comment; `attached` are the names of files that hold all of it. Never longer than `LIMIT`."""
    shown, page = view.of_plan(plan), Page(LIMIT - _FOOT)
    page.add(head(shown))
    page.add(_provenance(plan))
    page.add(_numbers(plan))
    page.add(findings(shown.findings))
    page.add(unknown(shown.unknown))
    page.add(_by_hand(plan))
    for proof in proofs(plan):
        page.add(proof)
    left = _actions(page, plan)
    gone = withdrawn(plan)
    if gone:
        page.add("\n### Pending before, and not any more\n\n" + bullets(gone, code))
    page.add(findings(shown.base_findings, "Checks that the base has too"))
    return page.text() + _rest(left, page.room) + _foot(plan, len(left), attached)


def problems(document: str, shown: Problems) -> str:
    """What there is to say where no plan could be made; it takes the place of the comment of an earlier plan."""
    listed = findings(worst_first(shown.findings)) or "".join(
        f"\n- Error: {prose(line)}" for line in shown.error.splitlines()[:20]
    )
    errors = sum(1 for finding in shown.findings if finding.severity is Severity.ERROR)
    verdict = f"No plan: {counted(errors, 'error')} in the document." if errors else "No plan could be made."
    return f"{marker(document)}\n### vastplan: {code(document, 100)}\n\n**{verdict}**\n{listed}\n"


def _actions(page: Page, plan: Plan) -> list[Action]:
    """Adds the actions, the worst first; answers those that did not fit."""
    topology = Topology(plan)
    left: list[Action] = []
    for standing, part in shares(plan):
        if standing is not None:
            page.add(f"\n### {HEADINGS[standing]} ({len(part.actions)})\n")
        for risk, group in groupby(by_risk(part), key=lambda ranked: ranked[0]):
            actions = [action for _, action in group]
            page.add(f"\n#### {risk.label} ({len(actions)})\n\n")
            for action in actions:
                if page.used > _NAMES_FROM * LIMIT or not page.add(_action(action, topology, risk in _OPEN)):
                    left.append(action)
    return left


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


def _by_hand(plan: Plan) -> str:
    """The changes by hand that the plan undoes, and those that it leaves alone, before anything else."""
    kept = [f"{code(left.address)}: {prose(words, 600)}" for left in plan.left for words in left_words(left)]
    return section("Undoes what was changed by hand", reverts(plan), _revert, _SHOWN_CHANGES) + section(
        "Changed by hand and left alone", kept, str, _SHOWN_CHANGES
    )


def _revert(revert: Revert) -> str:
    author = f": {prose(revert.author, 600)}" if revert.author else ""
    if revert.change is None:
        return f"{code(revert.action.address)} is gone, and is made again{author}"
    planned = view.of_change(revert.change).planned(code)
    return f"{code(revert.action.address)} {code(revert.change.path)}: {planned}{author}"


def _action(action: Action, topology: Topology, open_: bool) -> str:
    """One action, folded; the blank lines are what lets Markdown be Markdown inside HTML."""
    blocked = " — blocked" if action.blocked else ""
    summary = f"{action.verb.sign} {verb_word(action)} {summary_code(action.address, 300)}{blocked}"
    lines = "".join(f"- {line}\n" for line in _details(action, topology))
    return f"<details{' open' if open_ else ''}><summary>{summary}</summary>\n\n{lines}\n</details>\n"


def _details(action: Action, topology: Topology) -> Iterator[str]:
    yield f"Why: {prose(action.reason)}"
    for block in action.blocked[:_SHOWN_NOTES]:
        yield f"**Blocked** ({code(block.guard, 40)}): {prose(block.message)}{fix(block.fix)}"
    behind = str(topology.affected(action))
    if behind:
        yield f"Affects: {prose(behind, 400)}"
    for evidence in action.evidence[:_SHOWN_NOTES]:
        yield f"Seen: {prose(evidence.name)} {code(plain(evidence.value, evidence.unit))}"
    for change in action.changes[:_SHOWN_CHANGES]:
        yield from _field(view.of_change(change), action.verb)
    if len(action.changes) > _SHOWN_CHANGES:
        yield f"and {len(action.changes) - _SHOWN_CHANGES} more fields"
    if action.released:
        yield f"No longer managed: {code(', '.join(action.released))}"
    for note in action.notes[:_SHOWN_NOTES]:
        yield f"Chosen: {prose(note)}"


def _field(field: FieldView, verb: Verb) -> Iterator[str]:
    if verb is Verb.CREATE:
        yield f"{code(field.path)}: {code(field.after)}"
        return
    why = field.cause + (", **forces replacement**" if field.replaces else "")
    if not field.inner:
        yield f"{code(field.path)}: {field.planned(code)} ({why})"
        return
    yield f"inside {code(field.path)} ({why}):"
    for path, before, after in field.inner[:_SHOWN_CHANGES]:
        yield f"{code(path)}: {code(before)} → {code(after)}"
    if len(field.inner) > _SHOWN_CHANGES:
        yield f"and {len(field.inner) - _SHOWN_CHANGES} more places"


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
