"""A plan as one comment under a change request: the verdict, the worst first, within the limit of a code host.

It begins with who is let in. What does not fit is counted and named, and is in the other reports; then what is blocked, and so would not
be carried out, comes last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from vastplan.model.finding import Finding, Severity
from vastplan.model.plan import Plan
from vastplan.report import view
from vastplan.report.change import (
    provenance,
    settings_changed,
    settings_title,
    uncovered_lines,
    withdrawn,
)
from vastplan.report.edits import TITLE as EDITS
from vastplan.report.edits import edit_line, own_edits
from vastplan.report.folding import counted_known
from vastplan.report.json_report import Problems
from vastplan.report.long_plan import is_large, unlisted_reverts
from vastplan.report.losses import TITLE as LOSSES
from vastplan.report.losses import loss_lines
from vastplan.report.markdown_actions import (
    LONG,
    SHOWN_CHANGES,
    SHOWN_NOTES,
    Cut,
    add_actions,
    add_bounded,
    counted_verbs,
    omitted_names,
    tenant_lines,
)
from vastplan.report.markdown_escape import code_span, prose
from vastplan.report.markdown_page import LIMIT, Page, bullets, findings_list, head, marker, section, unknown_section
from vastplan.report.markdown_proofs import proof_lines
from vastplan.report.openings import opening_section
from vastplan.report.ownership import WAY_OUT, not_owned, shorten_not_owned
from vastplan.report.review import Revert, left_words, reverts
from vastplan.report.values import counted, verb_word
from vastplan.report.view import worst_first

_FOOT = 1_500  # characters kept free for what must be said at the end
_SHOWN_SITES, _SHOWN_SETTINGS = 40, 100


def plan_comment(plan: Plan, attached: Sequence[str] = ()) -> str:
    """The plan as a comment; `attached` are the names of files that have the whole plan. Never longer than `LIMIT`."""
    plan = shorten_not_owned(plan, not_owned(plan))
    page, cut = _page(plan)
    if cut.some:  # then the actions that let somebody in come first, so that nothing hides them
        page, cut = _page(plan, full=True)
    return page.text() + omitted_names(cut.named, page.room) + _foot(plan, cut, attached)


def _page(plan: Plan, *, full: bool = False) -> tuple[Page, Cut]:
    """The page without its end. `full` means that not all of it fits."""
    summary, page = view.plan_view(plan), Page(LIMIT - _FOOT)
    # In a long plan the notes come after the changes: no decision depends on them.
    large = is_large(plan)
    notes = [finding for finding in summary.findings if large and finding.severity is Severity.NOTE]
    reported = [finding for finding in summary.findings if not (large and finding.severity is Severity.NOTE)]
    page.add(head(summary))
    for part in (
        _provenance(plan),
        opening_section(plan, full=full),
        section(LOSSES, loss_lines(plan, code_span, prose), str),
        section(EDITS, own_edits(plan), lambda edit: edit_line(edit, code_span, prose)),
        _settings(plan),
        _not_owned(plan),
        findings_list(reported),
        unknown_section(summary.unknown),
        _outside_changes(plan, whole=full or not large),
        _numbers(plan),
    ):
        page.add_lines(part)
    cut = add_bounded(page, plan) if full else add_actions(page, plan)
    for part in (tenant_lines(plan), findings_list(notes, "Notes"), *proof_lines(plan)):
        page.add_lines(part)
    gone = withdrawn(plan)
    if gone:
        page.add_lines("\n### Pending before, no longer pending\n\n" + bullets(gone, code_span))
    page.add_lines(_known(summary.base_findings))
    return page, cut


def _known(base: Sequence[Finding]) -> str:
    """The checks that the base has too: the errors, and the number of the others."""
    errors = [finding for finding in base if finding.severity is Severity.ERROR]
    quiet = counted_known(finding for finding in base if finding.severity is not Severity.ERROR)
    return findings_list(errors, "Errors that the base has too") + (f"\n{prose(quiet)}\n" if quiet else "")


def problems_comment(document: str, problems: Problems) -> str:
    """The comment for when no plan could be made; it replaces the comment of an earlier plan."""
    listed = findings_list(worst_first(problems.findings)) or "".join(
        f"\n- Error: {prose(line)}" for line in problems.error.splitlines()[:20]
    )
    errors = sum(1 for finding in problems.findings if finding.severity is Severity.ERROR)
    verdict = f"No plan: {counted(errors, 'error')} in the document." if errors else "No plan could be made."
    return f"{marker(document)}\n### vastplan: {code_span(document, 100)}\n\n**{verdict}**\n{listed}\n"


def _not_owned(plan: Plan) -> str:
    """What exists although the ledger is empty, before everything that would be done to it."""
    return section("The ledger is empty", [prose(f"{group.text}; {WAY_OUT}") for group in not_owned(plan)], str)


def _numbers(plan: Plan) -> str:
    """How many changes on each site."""
    counts: dict[str, Counter[str]] = {}
    blocked: Counter[str] = Counter()
    for action in plan.actions:
        site = action.address.site
        counts.setdefault(site, Counter())[verb_word(action)] += 1
        blocked[site] += bool(action.blocked)
    lines = []
    for site in sorted(counts)[:_SHOWN_SITES]:
        parts = counted_verbs(counts[site])
        lines.append(
            f"\n- On {code_span(site, 60)}: {parts}" + (f"; {blocked[site]:,} blocked" if blocked[site] else "")
        )
    more = f"\n- and {len(counts) - _SHOWN_SITES} more sites" if len(counts) > _SHOWN_SITES else ""
    return "\n#### By site\n" + "".join(lines) + more + f"\n- {counted(plan.in_sync, 'object')} in sync\n"


def _provenance(plan: Plan) -> str:
    """What a reviewer must know of a plan that was made without the systems."""
    if plan.snapshot is None:
        return ""
    lines = "".join(f"- not covered: {prose(line)}\n" for line in uncovered_lines(plan))
    return f"\n{prose(provenance(plan), 400)}\n" + (f"\n{lines}" if lines else "")


def _settings(plan: Plan) -> str:
    """The settings of the document that changed, before all changes of objects; a long rule is cut."""
    lines: list[str] = []
    for setting in map(view.of_change, settings_changed(plan)):
        lines_of = setting.lines()
        lines += (f"{code_span(setting.path)} {code_span(line, LONG)}" for line in lines_of[:SHOWN_NOTES])
        if len(lines_of) > SHOWN_NOTES:
            lines.append(f"{code_span(setting.path)} and {len(lines_of) - SHOWN_NOTES} more: `vastplan show PLAN`")
    return section(settings_title(plan), lines, str, _SHOWN_SETTINGS)


def _outside_changes(plan: Plan, *, whole: bool) -> str:
    """The changes made outside vastplan that the plan undoes, and those that it keeps, before anything else.

    Unless `whole`, the changes that a section of their own shows, grouped, are not repeated here.
    """
    most = SHOWN_NOTES if is_large(plan) else SHOWN_CHANGES
    undone = reverts(plan) if whole else unlisted_reverts(plan, reverts(plan))
    kept = [f"{code_span(left.address)}: {prose(words, 4_000)}" for left in plan.left for words in left_words(left)]
    return section("Undoes changes made outside vastplan", undone, _revert, most) + section(
        "Changed outside vastplan and kept", kept, str, most
    )


def _revert(revert: Revert) -> str:
    author = f": {prose(revert.author, 600)}" if revert.author else ""
    if revert.change is None:
        made = "another is created" if revert.action.supersedes else "is recreated"
        return f"{code_span(revert.action.address)} {revert.as_a_whole}, and {made}{author}"
    planned = view.of_change(revert.change).planned(code_span)
    return f"{code_span(revert.action.address)} {code_span(revert.change.path)}: {planned}{author}"


def _foot(plan: Plan, cut: Cut, attached: Sequence[str]) -> str:
    files = ", ".join(code_span(name, 80) for name in attached[:5])
    lines = []
    if cut.together:
        each = "each in full with `vastplan show PLAN --expand ADDRESS`"
        if files:
            each += f", and in the attached {files}"
        lines.append(f"{cut.together:,} of {len(plan.actions):,} changes are grouped with similar ones; {each}.")
    if cut.some:
        where = "in full with `vastplan show PLAN`, each with `vastplan show PLAN ADDRESS`"
        if files:
            where = f"in full in the attached {files}, and {where.removeprefix('in full ')}"
        of_all = f"{cut.some:,} of {len(plan.actions):,} actions"
        lines.append(f"**Cut**: {of_all} did not fit into a comment; they are {where}.")
    elif files:
        lines.append(f"The topology of each site is in the attached {files}.")
    valid = (
        "" if plan.snapshot else f", valid until {code_span(plan.expires, 40)}"
    )  # a snapshot's plan is never applied
    lines.append(f"Plan {code_span(plan.id[:12])}, created {code_span(plan.created, 40)}{valid}.")
    return "\n" + "\n\n".join(lines) + "\n"
