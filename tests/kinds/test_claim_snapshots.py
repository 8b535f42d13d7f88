"""Volumes of a class from a VolumeSnapshot, of their own project and of another one; declared snapshots of such volumes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.kinds.test_clones import BASE, CLASS, HOME, owned, refused, told, verbs
from tests.lab import Lab
from vastplan.app.ledger import release_objects
from vastplan.engine.live import wait
from vastplan.model.address import Address
from vastplan.model.outcome import State
from vastplan.model.plan import Plan, Verb
from vastplan.sim.csi import files
from vastplan.sim.faults import Effect, Fault
from vastplan.sim.kubernetes import KubernetesPlane
from vastplan.sim.kubernetes.storage import SnapshotMade
from vastplan.systems.kubernetes import client

SNAPSHOTS = "/apis/snapshot.storage.k8s.io/v1"
FIRST: dict[str, Any] = {"project": "a", "storage_class": "fast", "size": "1 TiB"}
CLASS_OF_SNAPSHOTS: dict[str, Any] = {"driver": "file", "deletion_policy": "Delete"}
NIGHTLY = {"nightly": {"volume": "first"}}
CLAIM = "iad/persistent_volume_claim/second"
CONTENT, BOUND = "iad/snapshot_content/a2-second", "iad/bound_snapshot/second"


def second(snapshot: Any = None, **changes: Any) -> dict[str, Any]:
    """A volume of the class, from a snapshot of the first one."""
    source = {"volume": "first", **({} if snapshot is None else {"snapshot": snapshot})}
    said = {**FIRST, "source": source, **changes}
    return {name: value for name, value in said.items() if value is not None}


def document(snapshots: dict[str, Any] | None = None, **volumes: Any) -> dict[str, Any]:
    """A tenant with two projects and a class, and volumes."""
    tenants = {**BASE["tenants"], "a": {**BASE["tenants"]["a"], "storage_classes": {"fast": CLASS}}}
    more = {"a2": {"tenant": "a", "department": "research", "gpus": {"default": 4}}}
    kept = {"snapshots": snapshots} if snapshots else {}
    classes = {"snapshot_classes": {"vast-snapshots": CLASS_OF_SNAPSHOTS}}
    return {**BASE, "tenants": tenants, "projects": more, "volumes": {"first": FIRST, **volumes}, **classes, **kept}


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    with Lab(tmp_path, {"iad": ["vast", "kubernetes", "runai"]}) as one:
        secret(tmp_path)
        one.write(document())
        one.converge()
        yield one


def secret(folder: Path) -> None:
    (folder / "pw").write_text("pw", encoding="utf-8")
    (folder / "pw").chmod(0o600)


def rows(lab: Lab, plural: str, site: str = "iad") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = lab.by_hand(site, "kubernetes", "GET", f"{SNAPSHOTS}/{plural}")["items"]
    return found


def snapshots(lab: Lab, site: str = "iad") -> list[str]:
    return [
        f"{row['metadata']['namespace']}/{row['metadata']['name']}"
        for row in rows(lab, "volumesnapshots", site)
        if "deletionTimestamp" not in row["metadata"]
    ]


def by_hand(lab: Lab, name: str, of: str = "first", namespace: str = "runai-a", **spec: Any) -> None:
    """A VolumeSnapshot that somebody makes, read until it is ready."""
    body = {
        "apiVersion": "snapshot.storage.k8s.io/v1",
        "kind": "VolumeSnapshot",
        "metadata": {"name": name},
        "spec": {"source": {"persistentVolumeClaimName": of}, "volumeSnapshotClassName": "vast-snapshots", **spec},
    }
    lab.by_hand("iad", "kubernetes", "POST", f"{SNAPSHOTS}/namespaces/{namespace}/volumesnapshots", body)
    for _ in range(10):
        rows(lab, "volumesnapshots")


def remove(lab: Lab, path: str) -> None:
    """Something is deleted by hand, and gone."""
    lab.by_hand("iad", "kubernetes", "DELETE", path)
    for _ in range(10):
        lab.by_hand("iad", "kubernetes", "GET", path.rpartition("/")[0])


def hours_pass(lab: Lab, hours: float) -> None:
    """The cluster's own clock goes on."""
    plane = lab.world.sites["iad"].planes["kubernetes"]
    assert isinstance(plane, KubernetesPlane)
    before = plane._cluster.clock
    plane._cluster.clock = lambda: before() + hours * 3600


def copied(lab: Lab) -> None:
    """Nothing is copied any more: VAST deletes no snapshot before."""
    while any(row["status"]["state"] != "FINISHED" for row in lab.rows("iad", "clone")):
        pass


def claim(lab: Lab, name: str = "second", site: str = "iad") -> dict[str, Any]:
    found: dict[str, Any] = next(
        one for one in lab.rows(site, "persistent_volume_claim") if one["metadata"]["name"] == name
    )
    return found


def bound(lab: Lab, name: str = "second") -> bool:
    return any(claim(lab, name)["status"]["phase"] == "Bound" for _ in range(10))


def blocks(plan: Plan) -> dict[str, dict[str, str]]:
    return {str(one.address): {each.guard: each.message for each in one.blocked} for one in plan.actions if one.blocked}


def made_of(name: str) -> dict[str, str]:
    return {"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": name}


# Declared snapshots


def test_a_declared_snapshot_is_made_once(lab: Lab) -> None:
    lab.write(document(NIGHTLY))
    plan = lab.converge()
    assert verbs(plan) == {"iad/claim_snapshot/nightly": Verb.CREATE}
    assert plan.actions[0].notes == ("snapshot_class vast-snapshots, the only one of its driver",)
    assert lab.plan().actions == ()
    (row,) = rows(lab, "volumesnapshots")
    assert row["metadata"]["namespace"] == "runai-a" and row["status"]["readyToUse"] is True
    assert row["spec"] == {
        "source": {"persistentVolumeClaimName": "first"},
        "volumeSnapshotClassName": "vast-snapshots",
    }
    assert owned(lab, "iad/claim_snapshot/nightly").made_of == {
        "created": row["status"]["creationTime"],
        "content": row["status"]["boundVolumeSnapshotContentName"],
    }


def test_one_that_somebody_deletes_is_told_and_not_made_again(lab: Lab) -> None:
    lab.write(document(NIGHTLY))
    lab.converge()
    remove(lab, f"{SNAPSHOTS}/namespaces/runai-a/volumesnapshots/nightly")
    plan = lab.plan()
    assert plan.actions == () and "it is created once and never recreated" in told(plan, "VP349")
    lab.write(document())
    assert verbs(lab.converge()) == {"iad/claim_snapshot/nightly": Verb.RELEASE}


def test_of_another_volume_it_is_another_one(lab: Lab) -> None:
    lab.write(document(NIGHTLY, other=FIRST))
    lab.converge()
    lab.write(document({"nightly": {"volume": "other"}}, other=FIRST))
    assert "claim cannot be changed afterwards" in told(lab.plan(), "VP350")


def test_another_class_of_snapshots_does_nothing_to_it(lab: Lab) -> None:
    lab.write(document(NIGHTLY))
    lab.converge()
    kept = {**CLASS_OF_SNAPSHOTS, "deletion_policy": "Retain"}
    sections = document({"nightly": {"volume": "first", "snapshot_class": "kept"}})
    lab.write({**sections, "snapshot_classes": {**sections["snapshot_classes"], "kept": kept}})
    assert verbs(lab.converge()) == {"iad/snapshot_class/kept": Verb.CREATE}
    assert lab.plan().actions == ()


def test_by_an_existing_class(lab: Lab) -> None:
    body = {
        "apiVersion": "snapshot.storage.k8s.io/v1",
        "kind": "VolumeSnapshotClass",
        "metadata": {"name": "theirs"},
        "driver": "csi.vastdata.com",
        "deletionPolicy": "Retain",
    }
    lab.by_hand("iad", "kubernetes", "POST", f"{SNAPSHOTS}/volumesnapshotclasses", body)
    lab.write(document({"nightly": {"volume": "first", "snapshot_class": {"existing": "theirs"}}}))
    lab.converge()
    assert rows(lab, "volumesnapshots")[0]["spec"]["volumeSnapshotClassName"] == "theirs"
    lab.write(document())
    lab.converge(lab.consent_to_loss("iad/claim_snapshot/nightly"))
    assert rows(lab, "volumesnapshots") == [] and len(rows(lab, "volumesnapshotcontents")) == 1
    assert len(lab.rows("iad", "snapshot")) == 1  # as its class says


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"volume": "first", "expires": "2999-01-01"}, "Kubernetes deletes no VolumeSnapshot by itself"),
        ({"volume": "first", "name": "Nightly"}, "Nightly cannot be the name of a VolumeSnapshot"),
        ({"volume": "home", "snapshot_class": "vast-snapshots"}, "snapshot_class is for volumes of a class"),
        ({"volume": "first", "snapshot_class": "nothing"}, "no snapshot_class nothing"),
    ],
)
def test_what_is_no_snapshot_of_a_claim_is_refused(lab: Lab, said: dict[str, Any], why: str) -> None:
    assert why in refused(lab, document({"nightly": said}, home={**HOME, "project": "a"}))


def test_expires_null_is_what_kubernetes_does(lab: Lab) -> None:
    lab.write(document({"nightly": {"volume": "first", "expires": None}}))
    lab.converge()
    assert snapshots(lab) == ["runai-a/nightly"]


def test_one_that_is_there_is_taken_over_when_asked_only(lab: Lab) -> None:
    by_hand(lab, "nightly")
    lab.write(document(NIGHTLY))
    plan = lab.plan()
    assert verbs(plan) == {"iad/claim_snapshot/nightly": Verb.ADOPT}
    lab.converge()
    assert lab.plan().actions == () and snapshots(lab) == ["runai-a/nightly"]


def test_an_answer_that_is_lost_makes_no_second_one(lab: Lab) -> None:
    lab.write(document(NIGHTLY))
    plan = lab.plan()
    lab.world.sites["iad"].servers["kubernetes"].faults.arm(Fault(Effect.DROP_AFTER, "POST", r"/volumesnapshots\b"))
    lab.apply(plan)
    lab.converge()
    assert snapshots(lab) == ["runai-a/nightly"] and lab.plan().actions == ()


# A claim of the same project


@pytest.mark.parametrize("said", ["nightly", "latest", {"before": "2999-01-01"}])
def test_a_claim_waits_for_the_snapshot_that_the_document_declares(lab: Lab, said: Any) -> None:
    lab.write(document(NIGHTLY, second=second(said)))
    assert verbs(lab.converge()) == {"iad/claim_snapshot/nightly": Verb.CREATE, CLAIM: Verb.CREATE}
    assert claim(lab)["spec"]["dataSource"] == made_of("nightly")
    assert bound(lab)
    assert lab.plan().actions == ()


def test_a_declared_one_that_is_called_otherwise(lab: Lab) -> None:
    lab.write(document({"nightly": {"volume": "first", "name": "of-the-night"}}, second=second("nightly")))
    lab.converge()
    assert claim(lab)["spec"]["dataSource"] == made_of("of-the-night")


def test_latest_is_the_newest_that_is_there_and_stays_what_it_was(lab: Lab) -> None:
    for name in ("two", "one"):
        by_hand(lab, name)
        hours_pass(lab, 1)
    by_hand(lab, "broken", volumeSnapshotClassName="nothing")
    by_hand(lab, "of-another", of="nobody")
    lab.write(document(second=second("latest")))
    lab.converge()
    assert claim(lab)["spec"]["dataSource"] == made_of("one")
    by_hand(lab, "three")
    assert lab.plan().actions == ()
    lab.write(document(second=second("latest"), third=second("two")))
    lab.converge()
    assert claim(lab, "third")["spec"]["dataSource"] == made_of("two")
    assert snapshots(lab) == [f"runai-a/{name}" for name in ("broken", "of-another", "one", "three", "two")]


def test_before_a_time(lab: Lab) -> None:
    by_hand(lab, "one")
    (row,) = rows(lab, "volumesnapshots")
    hours_pass(lab, 1)
    by_hand(lab, "two")
    lab.write(document(second=second({"before": row["status"]["creationTime"]})))
    lab.converge()
    assert claim(lab)["spec"]["dataSource"] == made_of("one")
    assert lab.plan().actions == ()


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("latest", "claim first has no VolumeSnapshot"),
        ({"before": "2001-01-01"}, "claim first has no VolumeSnapshot from 2001-01-01T00:00:00Z or before"),
        ("gone", "no VolumeSnapshot gone of claim first exists"),
    ],
)
@pytest.mark.parametrize("project", ["a", "a2"])
def test_without_such_a_snapshot_nothing_of_it_is_made(lab: Lab, said: Any, why: str, project: str) -> None:
    lab.write(document(second=second(said, project=project)))
    plan = lab.plan()
    blocked = {str(action.address): action.blocked for action in plan.actions if action.blocked}
    (block,) = blocked[CLAIM if project == "a" else CONTENT]
    assert (block.guard, block.message) == ("no-source", why)
    assert CLAIM in blocked
    lab.apply(plan)
    assert [one["metadata"]["name"] for one in lab.rows("iad", "persistent_volume_claim")] == ["first"]


def test_a_declared_one_that_never_gets_ready_is_told(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wait, "TIMEOUT", 0.2)
    plane = lab.world.sites["iad"].planes["kubernetes"]
    assert isinstance(plane, KubernetesPlane)
    plane._cluster.controllers = False
    lab.write(document(NIGHTLY, second=second("nightly")))
    outcomes = {one.address: one for one in lab.apply(lab.plan()).outcomes}
    assert "is not ready yet (waited 0 s)" in outcomes["iad/claim_snapshot/nightly"].message
    assert outcomes[CLAIM].state is State.SKIPPED
    assert [one["metadata"]["name"] for one in lab.rows("iad", "persistent_volume_claim")] == ["first"]


def test_one_of_somebody_that_never_gets_ready_is_told(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "SNAPSHOT_TIMEOUT", 0.2)
    by_hand(lab, "nightly", volumeSnapshotClassName="nothing")
    lab.write(document(second=second("nightly")))
    (outcome,) = lab.apply(lab.plan()).outcomes
    assert outcome.state is State.FAILED
    assert "VolumeSnapshot runai-a/nightly is not ready after 0 s; nothing was created from it: " in outcome.message
    assert 'volumesnapshotclass "nothing" not found' in outcome.message
    assert [one["metadata"]["name"] for one in lab.rows("iad", "persistent_volume_claim")] == ["first"]


@pytest.mark.parametrize("other", ["one", "latest", {"before": "2999-01-01"}, None])
def test_another_choice_is_refused_for_one_that_is_there(lab: Lab, other: Any) -> None:
    by_hand(lab, "one")
    by_hand(lab, "two")
    lab.write(document(second=second("two")))
    lab.converge()
    lab.write(document(second=second(other)))
    plan = lab.plan()
    assert "cannot be changed afterwards" in told(plan, "VP350")
    assert CLAIM not in verbs(plan)


def test_a_source_comes_too_late_for_a_claim_that_is_there(lab: Lab) -> None:
    by_hand(lab, "one")
    lab.write(document(second=FIRST))
    lab.converge()
    for said in ("one", "latest"):
        lab.write(document(second=second(said)))
        assert "cannot be changed afterwards" in told(lab.plan(), "VP350")


@pytest.mark.parametrize("said", ["one", "latest"])
def test_a_source_may_be_taken_away_later(lab: Lab, said: str) -> None:
    by_hand(lab, "one")
    lab.write(document(second=second(said)))
    lab.converge()
    lab.write(document(second=FIRST))
    assert verbs(lab.converge()) == {CLAIM: Verb.RELEASE}
    assert lab.plan().actions == () and snapshots(lab) == ["runai-a/one"]


def test_a_claim_that_is_gone_is_made_again_of_the_same_snapshot(lab: Lab) -> None:
    lab.write(document(NIGHTLY, second=second("nightly")))
    lab.converge()
    remove(lab, "/api/v1/namespaces/runai-a/persistentvolumeclaims/second")
    assert verbs(lab.converge()) == {CLAIM: Verb.CREATE}
    assert claim(lab)["spec"]["dataSource"] == made_of("nightly")
    assert bound(lab)
    copied(lab)
    remove(lab, "/api/v1/namespaces/runai-a/persistentvolumeclaims/second")
    remove(lab, f"{SNAPSHOTS}/namespaces/runai-a/volumesnapshots/nightly")
    plan = lab.plan()
    assert "it is created once" in told(plan, "VP349")
    outcomes = {one.address: one for one in lab.apply(plan).outcomes}
    assert "no VolumeSnapshot nightly of claim first exists" in outcomes[CLAIM].message


# Guards


def test_no_snapshot_goes_unasked_while_claims_are_made_from_it(lab: Lab) -> None:
    lab.write(document(NIGHTLY, second=second("nightly"), third=second("nightly", project="a2")))
    lab.converge()
    assert bound(lab) and bound(lab, "third")
    lab.write(document(second=second("nightly"), third=second("nightly", project="a2")))
    assert blocks(lab.plan()) == {
        "iad/claim_snapshot/nightly": {
            "approval": "a delete of a claim_snapshot needs an approval because data depends on it",
            "in-use": "claims created from it: 1; copies of it for other projects: 1",
        }
    }
    copied(lab)
    lab.converge(lab.consent_to_loss("iad/claim_snapshot/nightly"))
    assert lab.plan().actions == ()
    assert snapshots(lab) == ["runai-a2/third-of-first-nightly"]


def test_no_source_goes_unasked_while_claims_and_snapshots_are_of_it(lab: Lab) -> None:
    lab.write(document(second=second()))
    lab.converge()
    by_hand(lab, "theirs")
    sections = document(second=FIRST)
    del sections["volumes"]["first"]
    lab.write(sections)
    found = blocks(lab.plan())["iad/persistent_volume_claim/first"]
    assert found["in-use"] == "claims created from it: 1"  # it is bound, and empty
    assert found["orphans"] == "1 snapshots would stay behind"
    lab.converge(lab.consent_to_loss("iad/persistent_volume_claim/first"))
    assert snapshots(lab) == ["runai-a/theirs"]
    assert [one["metadata"]["name"] for one in lab.rows("iad", "persistent_volume_claim")] == ["second"]


def test_all_goes_in_order(lab: Lab) -> None:
    lab.write(document(NIGHTLY, second=second("nightly"), third=second("nightly", project="a2")))
    lab.converge()
    assert bound(lab) and bound(lab, "third")
    copied(lab)
    sections = document()
    lab.write({**sections, "volumes": {}})
    going = [str(action.address) for action in lab.plan().actions]
    lab.clear_calls()
    lab.converge(lab.consent_to_loss(*going))
    gone = [call.path.rpartition("/")[2] for call in lab.calls() if call.method == "DELETE"]
    assert gone.index("nightly") < gone.index("first") and gone.index("third-of-first-nightly") < gone.index("a2-third")
    assert rows(lab, "volumesnapshots") == rows(lab, "volumesnapshotcontents") == []
    assert lab.rows("iad", "persistent_volume_claim") == [] and lab.rows("iad", "snapshot") == []


# Another project


@pytest.mark.parametrize("said", ["nightly", "latest", {"before": "2999-01-01"}])
def test_into_another_project_by_a_content_of_its_own(lab: Lab, said: Any) -> None:
    lab.write(document(NIGHTLY, second=second(said, project="a2")))
    copy_name = f"second-of-first-{said if isinstance(said, str) else 'before'}"
    assert verbs(lab.converge()) == dict.fromkeys(["iad/claim_snapshot/nightly", CONTENT, BOUND, CLAIM], Verb.CREATE)
    assert lab.plan().actions == ()
    original, copy = sorted(rows(lab, "volumesnapshotcontents"), key=lambda row: row["metadata"]["name"] == "a2-second")
    assert copy["spec"]["source"] == {"snapshotHandle": original["status"]["snapshotHandle"]}
    assert copy["spec"]["deletionPolicy"] == "Retain" and copy["spec"]["driver"] == "csi.vastdata.com"
    assert copy["spec"]["sourceVolumeMode"] == original["spec"]["sourceVolumeMode"]
    assert {name: copy["spec"]["volumeSnapshotRef"][name] for name in ("namespace", "name")} == {
        "namespace": "runai-a2",
        "name": copy_name,
    }
    assert snapshots(lab) == ["runai-a/nightly", f"runai-a2/{copy_name}"]
    assert claim(lab)["metadata"]["namespace"] == "runai-a2"
    assert claim(lab)["spec"]["dataSource"] == made_of(copy_name)
    assert bound(lab)
    assert owned(lab, CONTENT).made_of == {
        "made_of": "runai-a/nightly",
        "handle": original["status"]["snapshotHandle"],
    }


def test_a_claim_that_was_made_of_another_one_is_not_taken_for_its_clone(lab: Lab) -> None:
    lab.write(document(NIGHTLY, second=second("nightly", project="a2")))
    lab.converge()
    lab.write(document(NIGHTLY, second=second(source=None, project="a2")))
    lab.converge()
    by_hand(lab, "other")
    lab.write(document(NIGHTLY, second=second("other", project="a2")))
    assert "cannot be changed afterwards" in told(lab.plan(), "VP350")


def test_a_snapshot_of_somebody_goes_to_another_project_too(lab: Lab) -> None:
    by_hand(lab, "one")
    lab.write(document(second=second("one", project="a2")))
    lab.converge()
    assert bound(lab) and lab.plan().actions == ()
    lab.write(document())
    going = [str(action.address) for action in lab.plan().actions]
    assert going == [BOUND, CLAIM, CONTENT] or set(going) == {BOUND, CLAIM, CONTENT}
    lab.converge(lab.consent_to_loss(*going))
    assert snapshots(lab) == ["runai-a/one"] and len(rows(lab, "volumesnapshotcontents")) == 1
    assert len(lab.rows("iad", "snapshot")) == 1


def test_its_source_may_be_taken_away_later_with_its_copy(lab: Lab) -> None:
    lab.write(document(NIGHTLY, second=second("nightly", project="a2")))
    lab.converge()
    assert bound(lab)
    lab.write(document(NIGHTLY, second={**FIRST, "project": "a2"}))
    assert verbs(lab.converge()) == {CLAIM: Verb.RELEASE, CONTENT: Verb.DELETE, BOUND: Verb.DELETE}
    assert snapshots(lab) == ["runai-a/nightly"] and lab.plan().actions == ()
    assert len(lab.rows("iad", "snapshot")) == 1


def test_a_copy_does_not_go_while_a_claim_waits_for_it(lab: Lab) -> None:
    lab.write(document(NIGHTLY, second=second("nightly", project="a2")))
    lab.converge()
    lab.by_hand("iad", "kubernetes", "DELETE", "/api/v1/namespaces/vast-csi/secrets/vast-mgmt")
    remove(lab, "/api/v1/namespaces/runai-a2/persistentvolumeclaims/second")
    body = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "second"},
        "spec": {
            "accessModes": ["ReadWriteMany"],
            "resources": {"requests": {"storage": "1Ti"}},
            "storageClassName": "fast",
            "dataSource": made_of("second-of-first-nightly"),
        },
    }
    lab.by_hand("iad", "kubernetes", "POST", "/api/v1/namespaces/runai-a2/persistentvolumeclaims", body)
    lab.write(document(NIGHTLY))
    assert blocks(lab.plan())[BOUND]["in-use"] == "claims that wait for it: 1"


def test_what_somebody_removes_of_a_copy_is_told(lab: Lab) -> None:
    lab.write(document(NIGHTLY, second=second("nightly", project="a2")))
    lab.converge()
    remove(lab, f"{SNAPSHOTS}/namespaces/runai-a2/volumesnapshots/second-of-first-nightly")
    remove(lab, f"{SNAPSHOTS}/volumesnapshotcontents/a2-second")
    plan = lab.plan()
    assert plan.actions == ()
    assert "made_of runai-a/nightly" in told(plan, "VP349") and "it was created (handle " in told(plan, "VP349")


def test_a_claim_that_is_gone_is_not_made_empty_in_its_place(lab: Lab) -> None:
    lab.write(document(NIGHTLY, second=second("nightly", project="a2")))
    lab.converge()
    copied(lab)
    remove(lab, f"{SNAPSHOTS}/namespaces/runai-a2/volumesnapshots/second-of-first-nightly")
    remove(lab, "/api/v1/namespaces/runai-a2/persistentvolumeclaims/second")
    lab.write(document(NIGHTLY, second={**FIRST, "project": "a2"}))
    plan = lab.plan()
    assert CLAIM not in verbs(plan) and "would be recreated without that data" in told(plan, "VP350")
    lab.write(document(NIGHTLY, second=second("nightly", project="a2")))
    release_objects(lab.workspace(), [Address.parse(BOUND)])
    lab.converge()
    assert bound(lab) and claim(lab)["spec"]["dataSource"] == made_of("second-of-first-nightly")


@pytest.mark.parametrize("project", ["a", "a2"])
def test_a_snapshot_by_hand_of_another_claim_is_none_of_this_one(lab: Lab, project: str) -> None:
    lab.write(document(other=FIRST))
    lab.converge()
    by_hand(lab, "one", of="other")
    lab.write(document(other=FIRST, second=second("one", project=project)))
    plan = lab.plan()
    messages = [one.message for one in lab.apply(plan).outcomes if one.state is State.FAILED]
    assert "VolumeSnapshot runai-a/one is of claim other, not of first" in " ".join(messages)
    assert [row["metadata"]["name"] for row in lab.rows("iad", "persistent_volume_claim")].count("second") == 0


def test_no_claim_is_smaller_than_its_snapshot(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    # VAST's driver tells no size of one, and takes any; others do
    monkeypatch.setattr(files, "SnapshotMade", lambda handle: SnapshotMade(handle, 2**40))
    by_hand(lab, "one")
    lab.write(document(second=second("one", size="1 GiB")))
    messages = [one.message for one in lab.apply(lab.plan()).outcomes if one.state is State.FAILED]
    assert "its size 1Gi is less than that of VolumeSnapshot runai-a/one, 1099511627776" in " ".join(messages)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"project": "b"}, "its source first is of tenant a, it is of a and b, and a clone stays in its tenant"),
        ({"project": "free"}, "its source first is of tenant a, it is of a"),
        (
            {"project": "a2", "source": {"volume": "first"}},
            "its source first is of project a, and a claim is created from one of",
        ),
        ({"source": {"volume": "second", "snapshot": "latest"}}, "it is its own source"),
        (
            {"source": {"volume": "home", "snapshot": "latest"}},
            "its source home has a path, and it has a storage_class",
        ),
        ({"copies": "on_read"}, "copies has no effect on a claim: the driver decides how it copies"),
        ({"source": {"volume": "other", "snapshot": "nightly"}}, "snapshot nightly is of first, not of other"),
        ({"project": "a2", "source": {"volume": "other", "snapshot": "nightly"}}, "snapshot nightly is of first"),
    ],
)
def test_what_is_made_from_no_snapshot_is_refused(lab: Lab, changes: dict[str, Any], why: str) -> None:
    sections = document(NIGHTLY, home={**HOME, "project": "a"}, other=FIRST, second=second("latest", **changes))
    sections["projects"]["free"] = {"department": "research", "gpus": {"default": 4}}
    assert why in refused(lab, sections)
