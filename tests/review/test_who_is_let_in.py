"""Whom a change lets in is the first thing in a comment that has no room for all of it, whatever the document puts around it."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

import pytest
import yaml

from tests.lab import Lab
from tests.report.reading import FORMATS
from vastplan.engine.live.consent import Consent
from vastplan.model.plan import Door, Plan, Verb, lets_in
from vastplan.report.markdown import plan_comment
from vastplan.report.markdown_escape import text_length
from vastplan.report.markdown_page import LIMIT
from vastplan.report.openings import opening_lines
from vastplan.report.results import plan_results
from vastplan.report.sarif import sarif

MINIMAL = Path(__file__).parents[2] / "examples" / "minimal.yaml"
POLICY, RULE = "iad/admission_policy/vastplan-team-a", "iad/access_rule/project/team-a/group/grp-eve/ML engineer"
NOWHERE = {"tenant": "team-a", "view_policy": {"existing": "nope"}}
MANY = {f"v{number}": {**NOWHERE, "path": f"/v{number}/{'x' * 200}"} for number in range(200)}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """The minimal document, applied."""
    folder = tmp_path_factory.mktemp("open")
    (folder / "csi-password").write_text("x")
    with Lab(folder, {"iad": ["vast", "kubernetes", "runai"]}) as one:
        one.write(minimal())
        one.converge()
        yield one


def minimal() -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load(MINIMAL.read_text())
    return {name: value for name, value in document.items() if name not in ("version", "name", "sites")}


def opened() -> dict[str, Any]:
    """The same with a class for everybody and one more who may enter the project."""
    document = copy.deepcopy(minimal())
    team = document["tenants"]["team-a"]
    team["storage_class"]["shared"] = True
    team["project"]["access"]["ML engineer"].append("grp-eve")
    return document


def planned(lab: Lab, document: dict[str, Any]) -> Plan:
    lab.write(document)
    return lab.plan(Consent())


def test_two_hundred_blocked_actions_hide_no_opening(lab: Lab) -> None:
    plan = planned(lab, {**opened(), "views": MANY})
    assert sum(bool(action.blocked) for action in plan.actions) == 200
    text = plan_comment(plan)
    assert text_length(text) < LIMIT
    assert "**Cut**" not in text and text.count("<code>200 views</code> — blocked") == 1  # told once
    told = text[text.index("#### Lets somebody in (2)") :]
    assert all(re.search(rf"<details open><summary>. \w+ <code>{one}</code>", told) for one in (POLICY, RULE))
    assert "- `open`: `false` → `true`" in told


def test_nor_do_two_hundred_of_which_no_two_say_the_same(lab: Lab) -> None:
    plan = planned(lab, {**opened(), "views": MANY})
    actions = (
        replace(one, reason=f"{one.reason}, {number}") if one.blocked else one
        for number, one in enumerate(plan.actions)
    )
    text = plan_comment(replace(plan, actions=tuple(actions)))
    assert text_length(text) < LIMIT
    told = text[text.index("#### Who is let in (") :].splitlines()
    assert told[2:4] == [
        f"- `{RULE}`: lets in `subject` `grp-eve`, `role` `ML engineer`, `scope` `team-a`",
        f"- `{POLICY}`: `open` becomes: `true` (before: `false`), which lets in `every namespace of the cluster`",
    ]
    assert all(line.endswith(" — blocked") for line in told[4:8])
    assert text.index("#### Who is let in (") < text.index("<details")
    assert max(text.index(f"<code>{one}</code>") for one in (POLICY, RULE)) < text.index("#### Blocked (200)")


@pytest.mark.parametrize("ending", ["txt", "md", "html"])
def test_what_lets_in_stands_first_in_every_report(lab: Lab, ending: str) -> None:
    """An operator's changes: root from anywhere, a protocol, a namespace, a person, addresses, and a policy that is only audited."""
    document = opened()
    team = document["tenants"]["team-a"]
    team["storage_class"] = {**team["storage_class"], "shared": False, "open_to": ["vast-csi"]}
    team["view_policy"]["nfs_no_squash"].append("0.0.0.0/0")
    team["vip_pool"]["ip_ranges"] = ["10.20.1.10 - 10.20.1.20"]
    text = FORMATS[ending](planned(lab, document)).replace("`", "")
    text = re.sub(r"\x1b\[\d+m|<[^>]+>", "", text)
    told = " ".join(text[text.index("Who is let in (3)") :].split())
    for line in (
        f"{RULE}: lets in subject grp-eve, role ML engineer, scope team-a",
        f"{POLICY}: namespaces lets in: vast-csi (before: runai-team-a)",
        "iad/view_policy/team-a: nfs_no_squash lets in: 0.0.0.0/0 (before: 10.12.0.0/24)",
    ):
        assert line in told, line
    after = {"txt": "\n\niad\n", "md": "- On iad:", "html": "Topology"}[ending]
    assert text.index("Who is let in (3)") < text.index(RULE) < text.index(after)


def test_a_first_apply_has_a_line_for_each_kind(tmp_path: Path) -> None:
    (tmp_path / "csi-password").write_text("x")
    with Lab(tmp_path, {"iad": ["vast", "kubernetes", "runai"]}) as empty:
        plan = planned(empty, minimal())
    lines = [line.written(str) for line in opening_lines(plan, str)]
    assert "1 new admission policy on iad: namespaces lets in runai-team-a" in lines
    assert "1 new access rule on iad: subject grp-team-a; role ML engineer; scope team-a" in lines
    assert len(lines) == len({line.split(" on iad")[0] for line in lines})


def test_sarif_has_what_lets_somebody_in(lab: Lab) -> None:
    plan = planned(lab, opened())
    run = json.loads(sarif(plan_results(plan), "0.0.0", PurePath("/repo")))["runs"][0]
    told = {one["message"]["text"].partition(":")[0]: one for one in run["results"] if one["ruleId"] == "opens"}
    assert set(told) == {POLICY, RULE}
    assert told[POLICY]["level"] == "note" and "open: false → true" in told[POLICY]["message"]["text"]


def test_what_closes_is_no_opening(lab: Lab) -> None:
    document = copy.deepcopy(minimal())
    document["tenants"]["team-a"]["view_policy"]["nfs_no_squash"] = []
    plan = planned(lab, document)
    assert [(action.verb, lets_in(action)) for action in plan.actions] == [(Verb.UPDATE, False)]


def test_what_a_system_opens_unasked_is_said(lab: Lab) -> None:
    view_policy = {"flavor": "NFS", "nfs_read_write": []}
    document = {**minimal(), "tenants": {**minimal()["tenants"], "b": {"view_policy": view_policy}}}
    plan = planned(lab, document)
    (made,) = [action for action in plan.actions if action.address.kind == "view_policy"]
    unsaid = {opening.fields: opening.whom for opening in made.opens if opening.door is Door.UNSAID}
    everybody = ("read_write", "nfs_root_squash", "smb_read_write", "s3_read_write")
    assert unsaid == {everybody: ("*",), ("vip_pools",): ()}
    assert f"Lets in: `*`, because the document does not set `{everybody[0]}`, `{everybody[1]}`" in plan_comment(plan)


def test_removing_all_of_a_class_opens_nothing(lab: Lab) -> None:
    """The policy goes with what it closes; the one that keeps pods from going around every class closes no more."""
    document = copy.deepcopy(minimal())
    team = document["tenants"]["team-a"]
    del team["storage_class"], team["volumes"]
    lab.write(document)
    plan = lab.plan()
    doors = {str(action.address): action.opens for action in plan.actions if action.verb is Verb.DELETE}
    assert doors[POLICY] == () and doors["iad/admission_binding/vastplan-team-a"] == ()
    gone = [one.door for one in doors["iad/admission_policy/vastplan-inline-volumes"]]
    assert gone == [Door.GONE]
