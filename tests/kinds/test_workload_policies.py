"""Workload policies beyond their case file: what others wrote in one stays, and nobody's is written over unseen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab import Lab
from vastplan.engine.live.consent import Approval, Consent
from vastplan.model.errors import Invalid
from vastplan.model.outcome import State
from vastplan.model.plan import Plan, Verb

TEAM = {
    "tenants": {
        "team-a": {
            "vip_pool": {"subnet_cidr": 24, "ip_ranges": ["10.20.1.10 - 10.20.1.13"]},
            "view_policy": {"flavor": "NFS"},
        }
    },
    "secrets": {"vast-mgmt": {"namespace": {"existing": "default"}, "data": {"endpoint": "vms.example.com"}}},
}
POLICY = "iad/workload_policy/trains"
PATH = "/api/v2/policy/trainings"


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    with Lab(tmp_path, {"iad": ["runai"]}) as one:
        one.write({"projects": {"team-c": {"gpus": {"default": 8}}}})
        one.converge()
        yield one


def document(**policy: Any) -> dict[str, Any]:
    """A project with a policy for what it trains."""
    given = {"workload_policies": {"trains": {"type": "training", "project": "team-c", **policy}}} if policy else {}
    return {"projects": {"team-c": {"gpus": {"default": 8}}}, **given}


def by_hand(lab: Lab, policy: dict[str, Any]) -> None:
    """Somebody writes the policy in Run:AI's own form."""
    (project,) = lab.rows("iad", "project")
    meta = {"scope": "project", "projectId": int(project["id"]), "name": "theirs"}
    lab.by_hand("iad", "runai", "PUT", PATH, {"meta": meta, "policy": policy})


def theirs() -> dict[str, Any]:
    """What somebody has in it: an image, a rule about GPUs, what a class is called in the form, and a claim of every workload."""
    options = [{"value": "standard", "displayed": "Ordinary"}, {"value": "vast-nfs", "displayed": "Fast"}]
    claim = {"storageClass": {"canEdit": True, "options": options}}
    return {
        "defaults": {"image": "nvcr.io/nvidia/pytorch:25.01-py3"},
        "rules": {
            "compute": {"gpuDevicesRequest": {"max": 8}},
            "storage": {"pvc": {"instances": {"canAdd": True, "locked": []}, "attributes": {"claimInfo": claim}}},
        },
    }


def blocks(plan: Plan) -> dict[str, str]:
    """Why the policy is not touched, by guard."""
    return {block.guard: block.message for one in plan.actions if str(one.address) == POLICY for block in one.blocked}


@pytest.mark.slow
def test_what_others_wrote_stays(lab: Lab) -> None:
    by_hand(lab, theirs())
    lab.write(document(storage_classes=[{"existing": "vast-nfs"}], claim_sizes=["100 GiB"]))
    assert "adopt" in blocks(lab.plan(Consent()))
    (action,) = lab.plan().actions
    assert action.verb is Verb.ADOPT and {one.path for one in action.changes} == {
        "name", "storage_classes", "claim_sizes",
    }  # fmt: skip
    lab.converge()
    assert lab.plan().actions == ()
    (row,) = lab.rows("iad", "workload_policy")
    expected = theirs()
    claim = expected["rules"]["storage"]["pvc"]["attributes"]["claimInfo"]
    claim["storageClass"]["options"] = [{"value": "vast-nfs", "displayed": "Fast"}]
    claim["size"] = {"options": [{"value": "100Gi"}]}
    assert row["policy"] == expected


def test_what_others_write_later_is_no_drift_and_stays(lab: Lab) -> None:
    lab.write(document(storage_classes=[{"existing": "vast-nfs"}]))
    lab.converge()
    policy = theirs()
    policy["rules"]["storage"]["pvc"]["attributes"]["claimInfo"]["storageClass"]["options"] = [{"value": "vast-nfs"}]
    by_hand(lab, policy)
    assert [(one.path, one.cause.value) for one in lab.plan().actions[0].changes] == [("name", "system")]
    lab.write(document(name="theirs", storage_classes=[{"existing": "vast-nfs"}], claim_sizes=["1 TiB"]))
    lab.converge()
    (row,) = lab.rows("iad", "workload_policy")
    assert row["policy"]["defaults"] == policy["defaults"]
    assert row["policy"]["rules"]["compute"] == policy["rules"]["compute"]


def test_one_that_holds_what_others_wrote_is_not_deleted_for_ours(lab: Lab) -> None:
    lab.write(document(name="theirs", storage_classes=[{"existing": "vast-nfs"}]))
    lab.converge()
    lab.write(document())
    assert blocks(lab.plan(Consent(allow_delete=(POLICY,)))) == {}
    by_hand(lab, theirs())
    found = blocks(lab.plan(Consent(allow_delete=(POLICY,))))
    assert found["in-use"] == "rules and defaults of others in it: 4"
    approved = Consent(allow_delete=(POLICY,), approvals=(Approval(POLICY, "in a test", "2999-01-01", 4),))
    assert "in-use" not in blocks(lab.plan(approved))


def test_one_that_came_since_the_plan_is_not_written_over(lab: Lab) -> None:
    lab.write(document(storage_classes=[{"existing": "vast-nfs"}]))
    plan = lab.plan()
    assert plan.actions[0].verb is Verb.CREATE
    by_hand(lab, theirs())
    receipt = lab.apply(plan)
    assert [one.state for one in receipt.outcomes] != [State.DONE]
    (row,) = lab.rows("iad", "workload_policy")
    assert row["policy"] == theirs()


def test_each_type_has_one_of_its_own_and_the_narrower_scope_another(lab: Lab) -> None:
    whom: list[dict[str, Any]] = [{"project": "team-c"}, {"scope": "cluster"}]
    entries = {
        f"{type_}-{number}": {"type": type_, **of, "storage_classes": [{"existing": "vast-nfs"}]}
        for type_ in ("workspace", "training", "inference")
        for number, of in enumerate(whom)
    }
    lab.write({**document(), "workload_policies": entries})
    lab.converge()
    assert lab.plan().actions == ()
    assert len(lab.rows("iad", "workload_policy")) == 6
    lab.write({})
    lab.converge(lab.consent_to_loss("iad/project/team-c"))
    assert lab.rows("iad", "workload_policy") == []


def classes(**more: Any) -> dict[str, Any]:
    """A tenant's class, one that is shared and one of nobody."""
    one = {
        "driver": "file",
        "storage_path": "/k8s",
        "secret": "vast-mgmt",
        "view_policy": "team-a",
        "vip_pool": "team-a",
    }
    return {
        **TEAM,
        "storage_classes": {
            "team-a": {**one, "tenant": "team-a"}, "all": {**one, "shared": True}, "closed": one, "listed": one,
        },
        **more,
    }  # fmt: skip


@pytest.mark.slow
def test_a_project_that_asks_for_it_has_a_policy_of_its_classes_for_each_type(tmp_path: Path) -> None:
    with Lab(tmp_path, {"iad": ["vast", "kubernetes", "runai"]}) as lab:
        project: dict[str, Any] = {"gpus": {"default": 8}, "tenant": "team-a", "storage_classes": ["listed"]}
        lab.write(classes(projects={"team-a": project}))
        lab.converge()
        assert lab.rows("iad", "workload_policy") == []  # nobody asked
        lab.write(classes(projects={"team-a": {**project, "storage_policies": True}}))
        lab.converge()
        assert lab.plan().actions == ()
        rows = {row["type"]: row for row in lab.rows("iad", "workload_policy")}
        assert rows.keys() == {"workspace", "training", "inference"}
        claim = rows["training"]["policy"]["rules"]["storage"]["pvc"]["attributes"]["claimInfo"]
        assert claim["storageClass"]["options"] == [{"value": name} for name in ("all", "listed", "team-a")]
        storage = rows["training"]["policy"]["rules"]["storage"]
        assert storage["nfs"] == storage["hostPath"] == {"instances": {"canAdd": False}}
        lab.write(classes(projects={"team-a": {**project, "storage_classes": [], "storage_policies": True}}))
        changed = [str(one.address) for one in lab.converge().actions if one.address.kind == "workload_policy"]
        assert len(changed) == 3 and lab.plan().actions == ()


def test_storage_that_no_workload_may_add_is_refused_when_it_is_submitted(lab: Lab) -> None:
    projects = {name: {"gpus": {"default": 8}} for name in ("team-c", "team-d")}
    rules = {"workload_policies": {"trains": {"type": "training", "project": "team-c", "add_nfs": False}}}
    lab.write({"projects": projects, **rules})
    lab.converge()
    rows = lab.by_hand("iad", "runai", "GET", "/api/v1/org-unit/projects")["projects"]

    def submit(project: str, **storage: Any) -> None:
        (row,) = [row for row in rows if row["name"] == project]
        body = {"name": f"of-{project}", "projectId": row["id"], "clusterId": row["clusterId"],
                "spec": {"image": "train:1", "storage": storage}}  # fmt: skip
        lab.by_hand("iad", "runai", "POST", "/api/v1/workloads/trainings", body)

    of_others = [{"server": "10.20.1.10", "path": "/team-d/data", "mountPath": "/data"}]
    with pytest.raises(AssertionError, match=r"400 .*no storage of type nfs"):
        submit("team-c", nfs=of_others)
    submit("team-c", git=[])
    submit("team-d", nfs=of_others)


def test_a_project_without_a_class_cannot_have_such_a_policy(lab: Lab) -> None:
    lab.write({"projects": {"team-c": {"gpus": {"default": 8}, "storage_policies": True}}})
    with pytest.raises(Invalid, match=r"VP289.*it may use no class"):
        lab.plan()
