"""What a target takes with it: an object is not deleted alone where others are in it."""

from __future__ import annotations

from pathlib import Path

from tests.lab import EVERYTHING, Lab
from vastplan.app.plan import PlanOptions, make_plan
from vastplan.model.plan import Plan, Verb


def plan_of(lab: Lab, target: str) -> Plan:
    return make_plan(lab.workspace(), PlanOptions(("iad",), (target,), EVERYTHING)).plan


def test_a_secret_leaves_its_namespace_before_that_is_deleted(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("x")
    with Lab(tmp_path, {"iad": ["kubernetes"]}) as lab:
        secret = {"namespace": "old", "data": {"token": {"file": "token"}}}
        kept = {"kept": {**secret, "namespace": "stays"}}
        lab.write({"namespaces": {"old": {}, "stays": {}}, "secrets": {"login": secret, **kept}})
        lab.converge()
        lab.write(
            {"namespaces": {"new": {}, "stays": {}}, "secrets": {"login": {**secret, "namespace": "new"}, **kept}}
        )
        aimed = {(action.address.name, action.verb) for action in plan_of(lab, "iad/namespace/old").actions}
        assert aimed == {("old", Verb.DELETE), ("login", Verb.REPLACE), ("new", Verb.CREATE)}
        assert {action.address.name for action in plan_of(lab, "iad/namespace/new").actions} == {"new"}
        lab.write({"namespaces": {"stays": {}}, "secrets": kept})
        assert {action.address.name for action in plan_of(lab, "iad/namespace/old").actions} == {"old", "login"}
        assert {action.address.name for action in plan_of(lab, "iad/secret/login").actions} == {"login"}
