"""Whose change it is: the change's own, what was pending before it, and what drifted; the same live and from a snapshot."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Ran, Run
from tests.lab import Lab
from vastplan.app.files import plan as plan_file
from vastplan.model.plan import Plan, Standing

C, P, D = Standing.CHANGE, Standing.PENDING, Standing.DRIFT
APPLIED = {
    name: {"max_views": 3} for name in ("edited", "pending", "drifted", "both", "leaves", "calm", "gone", "back")
}
BASE = {**APPLIED, "pending": {"max_views": 4}, "waiting": {}, "back": {"max_views": 9}}


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """Applied, then moved by hand, then edited without an apply: that is the base of the change."""
    with Lab(tmp_path, {"iad": ["vast"]}) as one:
        one.write({"tenants": APPLIED})
        one.converge()
        ids = {row["name"]: row["id"] for row in one.rows("iad", "tenant")}
        for name in ("drifted", "both"):
            one.by_hand("iad", "vast", "PATCH", f"/api/v5/tenants/{ids[name]}/", {"max_views": 7})
        one.by_hand("iad", "vast", "DELETE", f"/api/v5/tenants/{ids['gone']}/")
        one.write({"tenants": BASE})
        (tmp_path / "base.yaml").write_text((tmp_path / "lab.yaml").read_text())
        yield one


def change(lab: Lab) -> None:
    """The change: a field, an entry more, an entry less, a further field of what drifted, a pending edit taken back."""
    mine: dict[str, Any] = {**BASE, "edited": {"max_views": 5}, "new": {}, "back": {"max_views": 3}}
    mine["both"] = {"max_views": 3, "domain_name": "x.example.com"}
    del mine["leaves"]
    lab.write({"tenants": mine})


def standings(plan: Plan) -> dict[str, Standing | None]:
    return {one.address.name: one.standing for one in plan.actions}


WANTED = {
    "edited": C, "new": C, "leaves": C, "both": C, "pending": P, "waiting": P, "drifted": D, "gone": D,
}  # fmt: skip


@pytest.mark.parametrize("offline", [False, True], ids=["live", "from a snapshot"])
def test_each_action_has_its_standing(offline: bool, lab: Lab, vastplan: Run) -> None:
    change(lab)
    document, base, file = lab.folder / "lab.yaml", lab.folder / "base.yaml", lab.folder / "plan.json"
    more: tuple[str | Path, ...] = ()
    if offline:
        assert vastplan("record", base, "--out", lab.folder / "s.json").code == 0
        more = ("--snapshot", lab.folder / "s.json")
    lab.clear_calls()
    ran = vastplan("plan", document, "--base", base, "--out", file, *more)
    assert ran.code == 0, ran
    read = [call.path for call in lab.all_calls() if call.method == "GET"]
    assert len(read) == len(set(read)), "something was read for each of the documents"
    plan = plan_file.load(file)
    assert standings(plan) == WANTED
    assert [one.standing for one in plan.actions] == sorted(standings(plan).values(), key=[C, P, D].index)  # type: ignore[arg-type]
    assert plan.base is not None and plan.base.withdrawn == ("iad/tenant/back",)
    both = next(one for one in plan.actions if one.address.name == "both")
    assert {one.path: one.already for one in both.changes} == {"max_views": True, "domain_name": False}
    if not offline:  # what is applied is all of it, in the order of work
        assert {one.address for one in plan.operations} >= {one.address for one in plan.actions if not one.blocked}


def positions(text: str, *words: str) -> list[int]:
    found = [text.find(word) for word in words]
    assert -1 not in found, (words, found, text)
    return found


@pytest.mark.slow
def test_a_reviewer_sees_their_own_change_first(lab: Lab, vastplan: Run) -> None:
    change(lab)
    words: tuple[str | Path, ...] = ("plan", lab.folder / "lab.yaml", "--base", lab.folder / "base.yaml")
    reports = [lab.folder / f"r{ending}" for ending in (".md", ".html", ".sarif", ".json")]
    ran = vastplan(*words, *(word for file in reports for word in ("--report", file)))
    md, page, sarif, plan = (file.read_text() for file in reports)
    heads = ("This change (4 objects)", "tenant edited", "Pending before this change (2 objects)", "tenant waiting",
             "Drift, independent of this change (2 objects)", "tenant drifted")  # fmt: skip
    for text, order in (
        (ran.out, heads),
        (
            md,
            (
                "This change: ",
                "### This change (4)",
                "<code>iad/tenant/edited",
                "### Pending before this change (2)",
                "### Drift, independent of this change (2)",
            ),
        ),
        (page, ('id="standing-change"', 'id="standing-pending"', 'id="standing-drift"')),
    ):
        found = positions(text, *order)
        assert found == sorted(found), text
    assert "Besides this change: 2 objects pending, 2 objects drifted, 1 pending change withdrawn by it." in md
    assert "before this change" in md
    assert {one["standing"] for one in json.loads(plan)["actions"][:4]} == {"change"}
    (blocked,) = [one for one in json.loads(sarif)["runs"][0]["results"] if one["ruleId"] == "blocked"]
    assert blocked["baselineState"] == "new"  # the tenant that leaves


def against(lab: Lab, vastplan: Run, text: str) -> Ran:
    (lab.folder / "base.yaml").write_text(text)
    return vastplan("plan", lab.folder / "lab.yaml", "--base", lab.folder / "base.yaml", "--format", "json")


@pytest.mark.slow
def test_a_base_that_is_broken_is_said_and_one_that_is_not_there_is_an_error(lab: Lab, vastplan: Run) -> None:
    change(lab)
    text = (lab.folder / "base.yaml").read_text()
    circle = yaml.safe_load(text)
    circle["tenants"]["calm"] = {"max_vews": 1}
    for broken in (yaml.safe_dump(circle), "{", text.replace("iad", "pdx")):
        found = json.loads(against(lab, vastplan, broken).out)
        if "pdx" in broken:  # a site of that name is not there yet: all of it is the change's
            assert {one["standing"] for one in found["actions"]} == {"change"}
            continue
        assert [one["code"] for one in found["findings"]] == ["VP332"] and found["base"] is None
        assert {one["standing"] for one in found["actions"]} == {None}
    (lab.folder / "base.yaml").unlink()
    ran = vastplan("plan", lab.folder / "lab.yaml", "--base", lab.folder / "base.yaml")
    assert ran.code == 1 and ran.out == "" and "base.yaml does not exist" in ran.err, ran


@pytest.mark.slow
def test_the_same_finding_is_not_new(lab: Lab, vastplan: Run) -> None:
    sections = {
        "tenants": BASE,
        "view_policies": {"p": {"tenant": "edited", "flavor": "NFS", "vip_pools": [{"existing": "nowhere"}]}},
    }
    lab.write(sections)
    before = json.loads(
        vastplan("plan", lab.folder / "lab.yaml", "--base", lab.folder / "lab.yaml", "--format", "json").out
    )
    assert before["base"]["findings"] == 0
    assert {one["standing"] for one in before["actions"]} == {"pending", "drift"}
