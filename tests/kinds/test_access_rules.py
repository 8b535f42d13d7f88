"""Access rules by themselves: in the whole cluster, for every sort of subject, and what they refer to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.kinds.test_runai_units import plane
from tests.lab import Lab
from vastplan.engine.live.consent import Consent
from vastplan.model.errors import Invalid
from vastplan.model.plan import Verb

ROLE = {"existing": "ML engineer"}
WIDE = {"subject": "ops", "subject_type": "group", "role": ROLE, "scope": {"existing": "iad"}, "scope_type": "cluster"}


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    with Lab(tmp_path, {"iad": ["runai"]}) as one:
        yield one


def rules(**entries: dict[str, Any]) -> dict[str, Any]:
    return {"access_rules": entries, "projects": {"t": {"gpus": {"default": 1}}}}


def test_a_rule_of_the_whole_cluster_is_made_kept_and_adopted(lab: Lab) -> None:
    lab.write(rules(wide=WIDE))
    lab.converge()
    assert lab.plan().actions == ()
    (row,) = lab.rows("iad", "access_rule")
    assert (row["scopeType"], row["scopeName"], row["scopeId"]) == ("cluster", "iad", row["clusterId"])
    for file in (lab.folder / ".vastplan" / "ledger").glob("*.json"):
        file.unlink()
    adopted = {str(action.address): (action.verb, action.changes) for action in lab.plan().actions}
    assert adopted["iad/access_rule/wide"] == (Verb.ADOPT, ())


def test_another_cluster_is_another_site_s(lab: Lab) -> None:
    lab.write(rules(wide={**WIDE, "scope": {"existing": "pdx"}}))
    plan = lab.plan()
    action = next(action for action in plan.actions if action.address.kind == "access_rule")
    assert "which does not exist on iad" in " ".join(block.message for block in action.blocked)


def test_whoever_works_in_the_cluster_is_asked_before_its_rule_goes(lab: Lab) -> None:
    lab.write(rules(wide=WIDE))
    lab.converge()
    plane(lab).submit("t", "train", gpus=1)
    lab.write(rules())
    (action,) = lab.plan(Consent(allow_delete=("*",), max_count=100)).actions
    assert (action.verb, [block.guard for block in action.blocked]) == (Verb.DELETE, ["narrows"])


def test_a_scope_is_of_the_type_that_is_said(lab: Lab) -> None:
    rule = {"subject": "g", "subject_type": "group", "role": ROLE, "scope": "t"}
    for type_, existing in (("project", False), ("department", True)):
        lab.write(
            {
                **rules(r={**rule, "scope_type": type_, "scope": {"existing": "t"} if existing else "t"}),
                "departments": {} if existing else {"t": {"gpus": {"default": 1}}},
            }
        )
        entries, _ = lab.workspace().entries()
        ref = next(entry.values["scope"] for entry in entries if entry.address.kind == "access_rule")
        assert (str(ref.target), ref.managed) == (f"iad/{type_}/t", not existing)


def test_every_sort_of_subject_has_a_word(lab: Lab) -> None:
    subjects = [
        "grp",
        "ana@example.com",
        {"user": "root"},
        {"group": "all@example.com"},
        {"service_account": "ci"},
        {"app": "ci"},
    ]
    lab.write({"projects": {"t": {"gpus": {"default": 1}, "access": {"ML engineer": subjects}}}})
    lab.converge()
    assert lab.plan().actions == ()
    made = {(row["subjectType"], row["subjectId"]) for row in lab.rows("iad", "access_rule")}
    assert made == {
        ("group", "grp"), ("user", "ana@example.com"), ("user", "root"), ("group", "all@example.com"),
        ("service-account", "ci"), ("app", "ci"),
    }  # fmt: skip


def test_one_that_says_what_access_says_is_refused(lab: Lab) -> None:
    project = {"gpus": {"default": 1}, "access": {"ML engineer": ["g"]}}
    rule = {"subject": "g", "subject_type": "group", "role": ROLE, "scope": "t", "scope_type": "project"}
    lab.write({"projects": {"t": project}, "access_rules": {"r": rule}})
    with pytest.raises(Invalid) as refused:
        lab.workspace().entries()
    assert [finding.code for finding in refused.value.findings] == ["VP230"]
