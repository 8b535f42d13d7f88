"""The page of one planned move: what is lost, its stages as a timeline with the point of no return, the evidence, and the steps by hand."""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.model import formatting
from vastplan.model.move_plan import REHEARSE, MovePlan
from vastplan.model.operation_plan import PlannedStage
from vastplan.report.html_escape import Html, code_html, joined, tag
from vastplan.report.html_page import document, notes
from vastplan.report.html_proofs import scrolling_table
from vastplan.report.html_style import STYLE
from vastplan.report.operations import headline
from vastplan.report.values import counted

_STYLE = """
body { overflow-wrap: anywhere }
.timeline { list-style: none; margin: 0; padding: 0 0 0 12px; max-width: 60em }
.timeline > li { position: relative; border-left: 2px solid var(--line); padding: 0 0 18px 26px }
.timeline > li:last-child { border-color: transparent }
.timeline .number { position: absolute; left: -15px; top: 0; width: 28px; height: 28px; border-radius: 50%; text-align: center; line-height: 26px;
  font-size: 13px; font-weight: 600; background: var(--card); border: 1px solid var(--soft) }
.timeline h3 { margin: 0; padding-top: 2px } .timeline p { margin: 2px 0 } .timeline .after > .number { border-color: var(--delete) }
.timeline .after { border-left-color: var(--delete) }
.timeline .no-return { margin: 8px 0 0; padding: 6px 12px; border: 2px solid var(--delete); border-radius: 8px; color: var(--delete); font-weight: 600 }
.lost { border-left: 3px solid var(--update); padding: 4px 0 4px 12px; max-width: 60em }
@media print { .timeline > li { break-inside: avoid } }
"""


def move_page(plan: MovePlan, command: str) -> str:
    """The page. `command` carries the move out; it is valid until the move expires."""
    title = f"vastplan: {plan.mode} move of {plan.path}"
    head = tag(
        "header",
        tag("h1", "vastplan: ", code_html(plan.document)),
        tag("p", headline(plan), class_="verdict"),
        tag("p", tag("b", "Loses: "), plan.loss, class_="lost"),
        tag("ul", *_facts(plan), class_="facts"),
    )
    manual = [tag("li", line, class_="warning") for line in plan.by_hand]
    evidence = (tag("tr", tag("th", fact.name, scope="row"), tag("td", fact.value)) for fact in plan.evidence)
    main = [
        tag("h2", "Stages"),
        tag("ol", *_timeline(plan), class_="timeline", aria_label="The stages, in their order"),
        notes("By hand", manual),
        tag("h2", "Evidence"),
        scrolling_table(("read", "value"), evidence),
        tag("h2", "To do it"),
        tag("p", code_html(command)),
    ]
    foot = tag("footer", "Move ", code_html(plan.id[:8]), f", planned {plan.created}, valid until {plan.expires}.")
    return document(title, STYLE + _STYLE, [head, tag("main", *main, id="main"), foot])


def _facts(plan: MovePlan) -> Iterator[Html]:
    yield tag("li", tag("b", len(plan.stages)), " stages")
    does = "to try" if plan.mode == REHEARSE else "that run on" if plan.live else "to suspend"
    jobs = len([job for job in plan.jobs if plan.mode != REHEARSE or job.get("to_claim")])
    yield tag("li", tag("b", jobs), f" {counted(jobs, 'workload').partition(' ')[2]} {does}")
    longest = sum(stage.bound for stage in plan.stages)
    yield tag("li", "waits for at most ", tag("b", formatting.span(longest)), " in all")


def _timeline(plan: MovePlan) -> Iterator[Html]:
    """One item for each stage; those from the point of no return on are marked, in words too."""
    crossed = False
    for number, stage in enumerate(plan.stages, 1):
        crossed = crossed or stage.no_return
        yield tag("li", *_stage(number, stage), class_="after" if crossed else False)


def _stage(number: int, stage: PlannedStage) -> Iterator[Html]:
    yield tag("span", number, class_="number")
    yield tag("h3", stage.name)
    yield tag("p", stage.does)
    yield tag("p", "Until: ", stage.until)
    if stage.bound:
        yield tag("p", f"Waits for at most {formatting.span(stage.bound)}, then stops and asks.", class_="quiet")
    back = joined("Way back: ", stage.back)
    if stage.no_return:
        yield tag("p", "The point of no return lies here. ", back, class_="no-return")
    else:
        yield tag("p", back, class_="quiet")
