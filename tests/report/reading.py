"""Plans as files, read without an engine; and a plan of any size, made by a rule."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path, PurePath
from types import FrameType
from typing import Any

from vastplan.app.drifting import earlier_check
from vastplan.app.files import plan as plan_file
from vastplan.model.address import Address
from vastplan.model.drift import Drift
from vastplan.model.finding import Where
from vastplan.model.plan import Action, Block, Cause, FieldChange, Node, Plan, Stage, Verb
from vastplan.report import drift as drift_text
from vastplan.report import drift_html, drift_markdown, html, json_report, markdown, prometheus, results
from vastplan.report.html_style import STYLE
from vastplan.report.junit import junit
from vastplan.report.sarif import sarif
from vastplan.report.text import Style, plan_text

HERE = Path(__file__).parent
DRIFTS = sorted(file.stem for file in (HERE / "drifts").glob("*.json"))
PLANS = sorted(file.stem for file in (HERE / "plans").glob("*.json"))
# Sarif's paths are relative to the root that it is told, and the version is the product's: both fixed here.
FORMATS: dict[str, Callable[[Plan], str]] = {
    "txt": lambda plan: plan_text(plan, Style(colour=True, width=120)),
    "md": lambda plan: markdown.plan_comment(plan, ["plan.html"]),
    "html": html.plan_page,
    "json": plan_file.dumps,
    "xml": lambda plan: junit(results.plan_results(plan)),
    "sarif": lambda plan: sarif(results.plan_results(plan), "0.0.0", PurePath("/work/repo")),
    "prom": prometheus.plan_figures,
}

DRIFT_FORMATS: dict[str, Callable[[Drift], str]] = {
    "txt": lambda checked: drift_text.drift_text(checked, Style(colour=True, width=120)),
    "md": drift_markdown.drift_comment,
    "html": drift_html.drift_page,
    "json": json_report.dumps,
    "xml": lambda checked: junit(results.drift_results(checked)),
    "sarif": lambda checked: sarif(results.drift_results(checked), "0.0.0", PurePath("/work/repo")),
    "prom": prometheus.drift_figures,
}


@cache
def drift(name: str) -> Drift:
    """A check for drift from its file, as `--since` reads it."""
    file = HERE / "drifts" / f"{name}.json"
    return earlier_check.load_drift(file, json.loads(file.read_text())["document"])


@cache
def data(name: str) -> dict[str, Any]:
    """A plan file as JSON."""
    parsed: dict[str, Any] = json.loads((HERE / "plans" / f"{name}.json").read_text())
    return parsed


@cache
def plan(name: str) -> Plan:
    """A plan file as a value, with a line for every second action, in a file that is called as the plan's source is."""
    planned = plan_file.plan_from_data(data(name))
    file = f"{planned.source}/a.yaml"
    actions = (
        replace(action, where=Where(file, line, 3)) if line % 2 else action
        for line, action in enumerate(planned.actions, 1)
    )
    return replace(planned, actions=tuple(actions))


def lines_run(work: Callable[[], object]) -> int:
    """How many lines of code run, each turn of a loop counted: what time is made of, and the same every time."""
    steps = 0

    def count(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal steps
        steps += event == "line"
        return count

    work()  # what is made once, is made
    before = sys.gettrace()
    sys.settrace(count)
    try:
        work()
    finally:
        sys.settrace(before)
    return steps


def without_style(page: str) -> str:
    """A page without its style sheet and the digest of it, so that a golden page is about what it says."""
    before, _, rest = page.partition(STYLE)
    head, _, tail = before.partition("style-src 'sha256-") if "style-src 'sha256-" in before else (before, "", "")
    if not tail:
        head, _, tail = before.partition("style-src &#x27;sha256-")
    return f"{head}style-src (digest)&#x27;{tail.partition('&#x27;')[2]}(style){rest}"


def large(count: int) -> Plan:
    """A plan of `count` actions of all sorts, with their topology."""
    typical = plan("typical")
    verbs = [Verb.CREATE, Verb.UPDATE, Verb.CREATE, Verb.DELETE, Verb.CREATE, Verb.REPLACE]
    actions, nodes = [], []
    for number in range(count):
        verb, tenant = verbs[number % len(verbs)], f"iad/tenant/team-{number % 60}"
        address = Address("iad" if number % 3 else "pdx", "view", f"directory-{number}")
        changes = (
            FieldChange("path", None, f"/data/{number}", Cause.NEW),
            FieldChange("size", 2**40, 2**41, Cause.DOCUMENT, "bytes"),
        )
        blocked = (
            (Block("approval", "a delete needs consent", f"--allow-delete {address}"),) if verb is Verb.DELETE else ()
        )
        actions.append(
            Action(address, verb, "the document changed", changes, blocked=blocked, holds_data=number % 12 == 3)
        )
        nodes.append(Node(str(address), "vast", Stage.DATA, (tenant,)))
    owners = [Node(f"iad/tenant/team-{number}", "vast", Stage.OWNER) for number in range(60)]
    return replace(typical, actions=tuple(actions), topology=(*nodes, *owners))


def unlike(count: int) -> Plan:
    """The same, but for each of them there is another reason, so that no two of them are told together."""
    made = large(count)
    actions = (replace(one, reason=f"{one.reason}, {number}") for number, one in enumerate(made.actions))
    return replace(made, actions=tuple(actions))


def crowded(count: int) -> Plan:
    """A plan of `count` views on one tenant, each mounted by the one project that there is: everything affects everything."""
    tenant, project = Address("iad", "tenant", "all"), Address("iad", "project", "all")
    views = [Address("iad", "view", f"view-{number}") for number in range(count)]
    claims = [Address("iad", "persistent_volume_claim", f"claim-{number}") for number in range(count)]
    change = (FieldChange("size", 2**40, 2**41, Cause.DOCUMENT, "bytes"),)
    dependents = tuple(map(str, [*views, *claims, project]))
    actions = [Action(tenant, Verb.UPDATE, "the document changed", change, dependents=dependents)]
    nodes = [
        Node(str(tenant), "vast", Stage.OWNER),
        Node(str(project), "runai", Stage.TEAM, tuple(map(str, claims))),
    ]
    for view, claim in zip(views, claims, strict=True):
        actions.append(Action(view, Verb.UPDATE, "the document changed", change, dependents=(str(claim), str(project))))
        nodes.append(Node(str(view), "vast", Stage.DATA, (str(tenant),)))
        nodes.append(Node(str(claim), "kubernetes", Stage.VOLUME, (str(view),)))
    return replace(plan("typical"), actions=tuple(actions), topology=tuple(nodes))
