"""Departments, projects and data sources beyond the case files: units of quota, what runs there, who has access."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab import Lab
from vastplan.engine.live.consent import Approval, Consent
from vastplan.kinds.runai._access import Grant, grants, rule_name
from vastplan.kinds.runai._org_unit import finish_encode
from vastplan.kinds.runai.data_source import KIND as DATA_SOURCE
from vastplan.kinds.runai.project import KIND as PROJECT
from vastplan.model.errors import Invalid
from vastplan.model.plan import Plan, Verb
from vastplan.schema.codec import decode_row
from vastplan.sim.runai import RunaiPlane

PROJECT_PATH = "/api/v1/org-unit/projects"


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    with Lab(tmp_path, {"iad": ["runai"]}) as one:
        yield one


def plane(lab: Lab) -> RunaiPlane:
    found = lab.world.sites["iad"].planes["runai"]
    assert isinstance(found, RunaiPlane)
    return found


def blocks(plan: Plan) -> dict[str, str]:
    """Why the first action is blocked, by guard."""
    return {block.guard: block.message for block in plan.actions[0].blocked}


def with_gpus(count: float) -> dict[str, Any]:
    return {"projects": {"team-c": {"gpus": {"default": count}}}}


def test_gpus_is_short_for_node_pools(lab: Lab) -> None:
    lab.write(with_gpus(64))
    lab.converge()
    lab.write({"projects": {"team-c": {"node_pools": {"default": {"gpu": {"deserved": 64.0}}}}}})
    assert lab.plan().actions == ()


def test_a_quota_is_not_set_below_what_cannot_be_preempted(lab: Lab) -> None:
    lab.write(with_gpus(16))
    lab.converge()
    plane(lab).submit("team-c", "train", gpus=8)
    plane(lab).submit("team-c", "spare", gpus=4, preemptible=True)
    for count in (7.5, 0):  # here 0 is no GPU, not no limit
        lab.write(with_gpus(count))
        reason = blocks(lab.plan())["below-use"]
        assert "node_pools.default.gpu.deserved" in reason and "8" in reason
    lab.write(with_gpus(8))
    assert blocks(lab.plan()) == {}
    lab.converge()


def test_a_project_or_department_in_which_something_runs_is_not_deleted(lab: Lab) -> None:
    project = {"department": "research", "gpus": {"default": 8}}
    lab.write({"departments": {"research": {"gpus": {"default": 16}}}, "projects": {"team-c": project}})
    lab.converge()
    job = plane(lab).submit("team-c", "train", gpus=2.5)
    lab.write({})

    def plan(most: int) -> Plan:
        addresses = ("iad/project/team-c", "iad/department/research")
        return lab.plan(Consent(approvals=tuple(Approval(one, "in a test", "2999-01-01", most) for one in addresses)))

    found = {str(one.address): one for one in plan(0).actions}
    for address in ("iad/project/team-c", "iad/department/research"):
        (block,) = [one for one in found[address].blocked if one.guard == "in-use"]
        assert block.message == "GPUs allocated: 2.5; running workloads: 1" and "max_used: 3" in block.fix
    assert not any(block.guard == "in-use" for one in plan(3).actions for block in one.blocked)
    plane(lab).end(job)
    assert not any(block.guard == "in-use" for one in plan(0).actions for block in one.blocked)


def test_a_data_source_that_is_mounted_is_not_deleted(lab: Lab) -> None:
    source = {"project": "team-c", "mount": "/data", "existing_claim": False, "size": "1 GiB"}
    lab.write({**with_gpus(8), "data_sources": {"data": source}})
    lab.converge()
    live = lab.live("iad/data_source/data")
    assert live is not None and live.metrics["trainings that use it"] == 0
    plane(lab).submit("team-c", "train", datasources=[live.id])
    lab.write(with_gpus(8))
    plan = lab.plan(Consent(approvals=(Approval("iad/data_source/data", "in a test", "2999-01-01", 9),)))
    (block,) = [block for action in plan.actions for block in action.blocked]
    assert block.message == "Run:AI deletes no data source or credential that is in use; trainings that use it: 1"
    assert not block.max_used and "max_used" not in block.fix


def test_a_project_with_data_sources_goes_after_them(lab: Lab) -> None:
    source = {"project": "team-c", "mount": "/data", "existing_claim": False, "size": "1 GiB"}
    lab.write({**with_gpus(8), "data_sources": {"data": source}})
    lab.converge()
    lab.write({})
    lab.clear_calls()
    lab.converge(lab.consent_to_loss("iad/project/team-c", "iad/data_source/data"))
    deletes = [call.path for call in lab.calls()]
    assert len(deletes) == 2 and "datasource" in deletes[0] and "projects" in deletes[1]


def test_a_project_without_quota_is_made_where_there_is_one_node_pool(lab: Lab) -> None:
    lab.write({"projects": {"team-c": {"description": "quota is somebody else's business"}}})
    lab.converge()
    (row,) = lab.rows("iad", "project")
    assert row["resources"][0]["gpu"]["deserved"] == 0
    lab.by_hand("iad", "runai", "PATCH", f"{PROJECT_PATH}/{row['id']}/resources", [{"gpu": {"deserved": 5}}])
    assert lab.plan().actions == ()


def test_the_namespace_of_a_project_is_known_beforehand(lab: Lab) -> None:
    lab.write(with_gpus(1))
    lab.converge()
    live = lab.live("iad/project/team-c")
    predict = PROJECT.attribute("namespace").predict
    assert predict is not None and live is not None
    assert live.attributes["namespace"] == "runai-team-c" == predict({"name": "team-c"})
    assert predict({"name": "team-c", "namespace": "team-c"}) == "team-c"


def test_quota_of_an_unknown_node_pool_is_not_sent(lab: Lab) -> None:
    lab.write({"projects": {"team-c": {"gpus": {"h200": 1}}}})
    receipt = lab.apply(lab.plan())
    assert "node_pool h200" in receipt.outcomes[0].message and lab.calls() == []


def labelled(lab: Lab, name: str, project: str) -> None:
    """A namespace that somebody made for a project."""
    manifest = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": {"runai/queue": project}}}
    lab.by_hand("iad", "kubernetes", "POST", "/api/v1/namespaces", manifest)


def test_a_project_takes_a_namespace_that_is_there_and_cannot_change_it(tmp_path: Path) -> None:
    with Lab(tmp_path, {"iad": ["kubernetes", "runai"]}) as lab:
        labelled(lab, "team-c", "team-c")
        lab.write({"projects": {"team-c": {"gpus": {"default": 1}, "namespace": "team-c"}}})
        lab.converge()
        live = lab.live("iad/project/team-c")
        assert live is not None and live.attributes["namespace"] == "team-c"
        assert lab.plan().actions == ()
        lab.write({"projects": {"team-c": {"gpus": {"default": 1}, "namespace": "team-c-2"}}})
        (action,) = lab.plan().actions
        assert action.verb is Verb.REPLACE and [one.path for one in action.changes if one.replaces] == ["namespace"]


@pytest.mark.slow
def test_a_data_source_leaves_a_claim_that_was_there(tmp_path: Path) -> None:
    claims = "/api/v1/namespaces/runai-team-c/persistentvolumeclaims"
    manifest = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data"},
        "spec": {
            "accessModes": ["ReadWriteMany"],
            "storageClassName": "",
            "resources": {"requests": {"storage": "1Gi"}},
        },
    }
    with Lab(tmp_path, {"iad": ["kubernetes", "runai"]}) as lab:
        lab.write(with_gpus(1))
        lab.converge()
        lab.by_hand("iad", "kubernetes", "POST", claims, manifest)
        source = {"project": "team-c", "mount": "/data", "claim": {"existing": "runai-team-c/data"}}
        lab.write({**with_gpus(1), "data_sources": {"data": source}})
        lab.converge()
        assert lab.plan().actions == ()
        lab.write(with_gpus(1))
        lab.converge(lab.consent_to_loss("iad/data_source/data"))
        assert lab.by_hand("iad", "kubernetes", "GET", f"{claims}/data")["metadata"]["name"] == "data"


@pytest.mark.parametrize(
    ("given", "deserved"),
    [
        ({"deserved": 1024, "units": "Mib"}, 2**30),
        ({"deserved": 2, "units": "GB"}, 2 * 10**9),
        ({"deserved": 1073.741824, "units": "MB"}, 2**30),
        ({"deserved": -1, "units": "MB"}, -1),
        ({"deserved": None, "units": "MB"}, None),
    ],
)
def test_memory_is_read_in_every_unit(given: dict[str, Any], deserved: int | None) -> None:
    row = {"resources": [{"nodePool": {"id": "1", "name": "default"}, "gpu": {"deserved": 1.0}, "memory": given}]}
    pool = decode_row(PROJECT, row)["node_pools"]["default"]
    assert pool["memory"]["deserved"] == deserved
    assert repr(pool["gpu"]["deserved"]) == "1"


@pytest.mark.parametrize(
    ("size", "expected"),
    [("10Gi", 10 * 2**30), ("10GiB", 10 * 2**30), ("1TB", 10**12), ("5G", 5 * 10**9), ("some", "some")],
)
def test_the_size_of_a_claim_is_read_in_every_dialect(size: str, expected: object) -> None:
    assert decode_row(DATA_SOURCE, {"spec": {"claimInfo": {"size": size}}})["size"] == expected


def test_rules_that_are_all_unset_are_no_rules() -> None:
    def rules(seconds: int) -> Any:
        return decode_row(PROJECT, {"schedulingRules": {"trainingJobTimeLimitSeconds": seconds}})["scheduling_rules"]

    assert rules(0) is None
    assert rules(60) == {"training_job_time_limit": 60}
    body = finish_encode({"schedulingRules": {"trainingJobTimeLimitSeconds": 0}}, {})
    assert body == {"schedulingRules": {"trainingJobTimeLimitSeconds": None}}  # a zero is refused


def test_a_project_with_access_is_not_replaced_but_goes_with_it(lab: Lab) -> None:
    two = {name: {"gpus": {"default": 8}} for name in ("research", "product")}
    access = {"ML engineer": ["grp", {"service_account": "ci"}]}
    project = {"gpus": {"default": 1}, "department": "research", "access": access}
    lab.write({"departments": two, "projects": {"team-c": project}})
    lab.converge()
    lab.write({"departments": two, "projects": {"team-c": {**project, "department": "product"}}})
    consent = lab.consent_to_loss("iad/project/team-c")
    assert "2 objects still refer to it" in blocks(lab.plan(consent))["in-use"]
    lab.write({"departments": two})
    lab.clear_calls()
    lab.converge(consent)
    assert ["access-rules" in call.path for call in lab.calls()] == [True, True, False]


@pytest.mark.slow
def test_access_that_is_taken_away_by_hand_is_given_back(lab: Lab) -> None:
    lab.write({"projects": {"team-c": {"gpus": {"default": 1}, "access": {"ML engineer": ["grp-team-c"]}}}})
    lab.converge()
    (row,) = lab.rows("iad", "access_rule")
    lab.by_hand("iad", "runai", "DELETE", f"/api/v1/authorization/access-rules/{row['id']}")
    (action,) = lab.plan().actions
    assert action.verb is Verb.CREATE and "outside vastplan" in action.reason
    lab.converge()
    (again,) = lab.rows("iad", "access_rule")
    assert again["id"] != row["id"] and again["roleName"] == "ML engineer" and again["subjectType"] == "group"
    lab.write({"projects": {"team-c": {"gpus": {"default": 1}, "access": {"Viewer": ["grp-team-c"]}}}})
    lab.converge()
    assert [one["roleName"] for one in lab.rows("iad", "access_rule")] == ["Viewer"]


def test_access_is_one_grant_for_every_subject_and_role() -> None:
    access: dict[str, list[Any]] = {
        "ML engineer": ["grp-team-c", "lead@example.com", {"user": "lead@example.com"}, {"service_account": "ci"}],
        "Viewer": [{"group": "all@example.com"}, {"user": "root"}],
        "Editor": [],
    }
    assert grants(access) == (
        Grant("all@example.com", "group", "Viewer"),
        Grant("ci", "service-account", "ML engineer"),
        Grant("grp-team-c", "group", "ML engineer"),
        Grant("lead@example.com", "user", "ML engineer"),
        Grant("root", "user", "Viewer"),
    )
    name = rule_name("project", "team-c", Grant("ci", "service-account", "Viewer"))
    assert name == "project/team-c/service-account/ci/Viewer"


@pytest.mark.parametrize(
    "subject", [" grp", "grp ", "", "a\nb", {"group": ""}, {"user": "a", "group": "b"}, {}, None, 5]
)
def test_a_subject_that_cannot_be_is_refused(lab: Lab, subject: object) -> None:
    lab.write({"projects": {"team-c": {"gpus": {"default": 1}, "access": {"Viewer": [subject]}}}})
    with pytest.raises(Invalid):
        lab.workspace().entries()
