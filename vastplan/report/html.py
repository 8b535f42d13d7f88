"""A plan as a self-contained page: the verdict, the picture of each site, every action. It loads nothing and works without a script."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from vastplan.model.finding import Severity
from vastplan.model.plan import DocumentEdit, Plan
from vastplan.report import view
from vastplan.report.change import provenance, settings_changed, settings_title, uncovered_lines, withdrawn
from vastplan.report.edits import TITLE as EDITS
from vastplan.report.edits import edit_alone, object_words, own_edits
from vastplan.report.graph import drawn_sites, graphs
from vastplan.report.html_actions import filter_style, filters, risk_tables, tenant_table
from vastplan.report.html_escape import Html, code_html, joined, tag
from vastplan.report.html_page import checks, document, header, notes, unknown_table
from vastplan.report.html_proofs import proof_sections
from vastplan.report.html_script import FILTER
from vastplan.report.html_style import LONG_STYLE, STYLE
from vastplan.report.json_report import Problems
from vastplan.report.long_plan import is_large
from vastplan.report.losses import TITLE as LOSSES
from vastplan.report.losses import loss_lines
from vastplan.report.openings import opening_notes
from vastplan.report.ownership import WAY_OUT, not_owned, shorten_not_owned
from vastplan.report.review import left_words
from vastplan.report.svg import site_picture
from vastplan.report.values import VERB_WORDS, counted, verb_word
from vastplan.report.view import of_change, worst_first

_MOST_PICTURES = 20


def plan_page(plan: Plan) -> str:
    """The whole plan as one HTML document."""
    summary, unowned = view.plan_view(plan), not_owned(plan)
    plan = shorten_not_owned(plan, unowned)
    skip = [tag("a", "Skip to the changes", href="#changes", class_="skip")] if plan.actions else []
    kept = [tag("li", code_html(left.address), f" {words}") for left in plan.left for words in left_words(left)]
    gone = [tag("li", code_html(address)) for address in withdrawn(plan)]
    changes = (
        [tag("h2", "Changes", id="changes"), filters(plan), tenant_table(plan), risk_tables(plan)]
        if plan.actions
        else []
    )
    settings = [
        tag("li", code_html(change.path), " ", code_html(line), class_="warning")
        for change in settings_changed(plan)
        for line in of_change(change).lines()
    ]
    # In a long plan the notes come after the changes: no decision depends on them.
    large = is_large(plan)
    minor = [finding for finding in summary.findings if large and finding.severity is Severity.NOTE]
    reported = [finding for finding in summary.findings if not (large and finding.severity is Severity.NOTE)]
    main = [
        opening_notes(plan),
        notes(LOSSES, [tag("li", line, class_="error") for line in loss_lines(plan, str, str)]),
        notes(EDITS, [_edit(edit) for edit in own_edits(plan)]),
        notes(settings_title(plan), settings),
        checks(reported),
        notes("The ledger is empty", [tag("li", f"{group.text}; {WAY_OUT}", class_="error") for group in unowned]),
        unknown_table(summary.unknown, "Unknown, and left out of this plan"),
        notes("Changed outside vastplan and kept", kept),
        *changes,
        checks(minor, "Notes"),
        *_pictures(plan),
        *proof_sections(plan),
        notes("Pending before, no longer pending", gone),
        checks(summary.base_findings, "Checks that the base has too"),
    ]
    head = header(summary, *_provenance(plan), facts=_facts(plan))
    parts = [*skip, head, tag("main", *main, id="main"), _foot(plan)]
    style, script = (STYLE + LONG_STYLE, FILTER) if large else (STYLE, "")
    return document(f"vastplan: {plan.document}", style + filter_style(plan), parts, script)


def _edit(edit: DocumentEdit) -> Html:
    """An edit, which opens to its objects."""
    line = edit_alone(edit, str)
    if not edit.objects:
        return tag("li", line)
    objects = tag("ul", *(tag("li", code_html(address)) for address in edit.objects))
    return tag("li", tag("details", tag("summary", f"{line}: {object_words(edit, str, str)}"), objects, class_="list"))


def problems_page(name: str, problems: Problems) -> str:
    """The page for when no plan could be made."""
    lines = [tag("li", line, class_="error") for line in problems.error.splitlines()]
    listed = checks(worst_first(problems.findings)) or notes("Checks", lines)
    head = tag("header", tag("h1", f"vastplan: {name}"), tag("p", "No plan could be made.", class_="verdict"))
    return document(f"vastplan: {name}", STYLE, [head, tag("main", listed, id="main")])


def _facts(plan: Plan) -> Iterator[Html]:
    counts = Counter(verb_word(action) for action in plan.actions)
    for word in VERB_WORDS:
        if counts[word]:
            yield tag("li", tag("b", f"{counts[word]:,}"), f" to {word}")
    blocked = sum(1 for action in plan.actions if action.blocked)
    if blocked:
        yield tag("li", tag("b", f"{blocked:,}"), " blocked")


def _provenance(plan: Plan) -> Iterator[Html]:
    if plan.snapshot is not None:
        yield tag("p", provenance(plan), class_="stop")
        lines = [tag("li", f"not covered: {line}") for line in uncovered_lines(plan)]
        if lines:
            yield tag("ul", *lines, class_="notes")


def _pictures(plan: Plan) -> Iterator[Html]:
    drawn = drawn_sites(plan)
    if not drawn:
        return
    views = tag(
        "fieldset",
        tag("legend", "Picture"),
        *(
            tag("label", tag("input", type="radio", name="view", id=f"view-{view}", checked=view == "both"), view)
            for view in ("before", "both", "after")
        ),
    )
    yield tag("h2", "Topology")
    yield tag("form", views, class_="filters", aria_label="Before or after", autocomplete="off")
    for number, graph in enumerate(graphs(plan, drawn[:_MOST_PICTURES])):
        yield joined(tag("h3", graph.site), site_picture(graph, number))
    if len(drawn) > _MOST_PICTURES:
        yield tag("p", f"{counted(len(drawn) - _MOST_PICTURES, 'more site')} not drawn; the table has all changes.")


def _foot(plan: Plan) -> Html:
    valid = "" if plan.snapshot else f", valid until {plan.expires}"
    return tag(
        "footer",
        "Plan ", code_html(plan.id[:12]), f", created {plan.created}{valid}, from ", code_html(plan.source), ".",
    )  # fmt: skip
