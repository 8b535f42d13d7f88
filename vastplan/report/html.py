"""A page that stands alone: the verdict, the picture of each site, every action. It loads nothing and runs nothing."""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.model.plan import Plan, Verb
from vastplan.report.change import parted, provenance, uncovered, withdrawn
from vastplan.report.graph import graphs, sites
from vastplan.report.html_actions import filter_style, filters, tables
from vastplan.report.html_escape import Html, code, joined, tag
from vastplan.report.html_page import document, finding, notes, worst
from vastplan.report.html_proofs import proofs
from vastplan.report.html_style import STYLE
from vastplan.report.json_report import Problems
from vastplan.report.review import left_words, verdict
from vastplan.report.svg import figure
from vastplan.report.values import counted

_MOST_PICTURES = 20


def page(plan: Plan) -> str:
    """The whole plan as one HTML document."""
    skip = tag("a", "Skip to the changes", href="#changes", class_="skip")
    parts = [*([skip] if plan.actions else []), _head(plan)]
    new, old = parted(plan)
    main: list[object] = [notes("Checks", [finding(one) for one in worst(new)])]
    unknown = [
        tag("li", code(f"{one.site}/{one.kind}"), f" could not be read: {one.reason}", class_="warning")
        for one in plan.unknown
    ]
    main.append(notes("Unknown, and left out of this plan", unknown))
    kept = [tag("li", code(one.address), f" {words}") for one in plan.left for words in left_words(one)]
    main.append(notes("Changed by hand and left alone", kept))
    main += _pictures(plan)
    if plan.actions:
        main += [tag("h2", "Changes", id="changes"), filters(plan), tables(plan)]
    main += proofs(plan)
    main.append(notes("Pending before, and not any more", [tag("li", code(one)) for one in withdrawn(plan)]))
    main.append(notes("Checks that the base has too", [finding(one) for one in worst(old)]))
    parts += [tag("main", *main, id="main"), _foot(plan)]
    return document(f"vastplan: {plan.document}", STYLE + filter_style(plan), parts)


def problems(name: str, found: Problems) -> str:
    """What there is to say where no plan could be made."""
    listed = [finding(one) for one in worst(found.findings)]
    listed = listed or [tag("li", line, class_="error") for line in found.error.splitlines()]
    head = tag("header", tag("h1", f"vastplan: {name}"), tag("p", "No plan could be made.", class_="verdict"))
    return document(f"vastplan: {name}", STYLE, [head, tag("main", notes("Checks", listed), id="main")])


def _head(plan: Plan) -> Html:
    facts = [
        tag("li", tag("b", count), f" to {verb.value}")
        for verb in Verb
        if (count := sum(1 for action in plan.actions if action.verb is verb))
    ]
    blocked = sum(1 for action in plan.actions if action.blocked)
    if blocked:
        facts.append(tag("li", tag("b", blocked), " blocked"))
    facts.append(tag("li", tag("b", plan.in_sync), " in sync"))
    return tag(
        "header",
        tag("h1", "vastplan: ", code(plan.document)),
        tag("p", verdict(plan), class_="verdict"),
        *_provenance(plan),
        tag("ul", *facts, class_="facts"),
    )


def _provenance(plan: Plan) -> Iterator[Html]:
    if plan.snapshot is not None:
        yield tag("p", provenance(plan), class_="stop")
        lines = [tag("li", f"not covered: {one}") for one in uncovered(plan)]
        if lines:
            yield tag("ul", *lines, class_="notes")


def _pictures(plan: Plan) -> Iterator[Html]:
    drawn = sites(plan)
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
        yield joined(tag("h3", graph.site), figure(graph, number))
    if len(drawn) > _MOST_PICTURES:
        yield tag("p", f"{counted(len(drawn) - _MOST_PICTURES, 'more site')} not drawn; the table has all changes.")


def _foot(plan: Plan) -> Html:
    valid = "" if plan.snapshot else f", valid until {plan.expires}"
    return tag(
        "footer",
        "Plan ", code(plan.id[:12]), f", made {plan.created}{valid}, from ", code(plan.source), ".",
    )  # fmt: skip
