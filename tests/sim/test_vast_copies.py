"""Clones, restores and global access: what is there at once, what crosses a link, and what cannot be read without it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.sim.conftest import Vms
from tests.sim.twins import GB, HOUR, ONE, Twins
from vastplan.sim.store import Store
from vastplan.sim.vast.assumptions import TAKEN, Assumed
from vastplan.sim.vast.control import NoAnswer

STREAM = "/globalsnapstreams/1/"


@pytest.fixture
def twins(start: Any) -> Twins:
    return Twins(start)


def snapshot(vms: Vms, name: str = "s", path: str = "/v", tenant: int = 2) -> Any:
    made = vms.post("snapshots", name=name, path=path, tenant_id=tenant)
    while vms.get(f"/snapshots/{made['id']}/")["state"] != "SUCCEED":
        pass
    return made


def copied(vms: Vms) -> tuple[str, int]:
    row = vms.get(STREAM)
    return row["state"], row["sync_progress"]


# Clones


def test_a_clone_shows_the_snapshot_at_once_and_copies_by_the_clock(twins: Twins) -> None:
    vms = twins.a
    twins.write("step-1", 10 * GB)
    made = snapshot(vms)
    twins.write("step-2")
    body = {"name": "c", "loanee_root_path": "/copy", "loanee_tenant_id": 2, "enabled": True}
    vms.call("POST", f"/snapshots/{made['id']}/clone/", body)
    assert vms.plane.labels("/copy", tenant_id=2) == ["step-1"] and vms.plane.read("/copy", "step-1", tenant_id=2) == 0
    vms.plane.write("/copy", GB, "mine", tenant_id=2)
    assert [copied(vms) for _ in range(3)] == [("Syncing", 0)] * 3
    twins.pass_time(5)
    assert copied(vms) == ("Syncing", 50)
    for _ in range(2):
        assert vms.call("PATCH", f"{STREAM}pause", {"enabled": False}).status_code == 200
    twins.pass_time(HOUR)
    assert copied(vms) == ("Suspended", 50)
    assert vms.call("PATCH", f"{STREAM}resume", {"enabled": True}).status_code == 200
    twins.pass_time(5)
    assert copied(vms) == ("Completed", 100)
    assert vms.plane.labels("/copy", tenant_id=2) == ["step-1", "mine"]
    assert twins.labels()[0] == ["step-1", "step-2"]
    assert vms.post("quotas", name="q", path="/copy", tenant_id=2)["used_effective_capacity"] == 11 * GB


@pytest.mark.parametrize("keeps", [False, True])
def test_a_clone_that_is_stopped_before_it_is_complete(start: Any, keeps: bool) -> None:
    vms = start(assumed=Assumed(stopped_clone_keeps=keeps))
    vms.plane.write("/v", GB, "step-1")
    made = snapshot(vms, tenant=1)
    body = {"name": "c", "loanee_root_path": "/copy", "loanee_tenant_id": 1, "enabled": True}
    vms.call("POST", f"/snapshots/{made['id']}/clone/", body)
    vms.call("PATCH", f"{STREAM}stop")
    assert vms.plane.labels("/copy") == (["step-1"] if keeps else [])
    vms.plane.pass_time(HOUR)
    while vms.get("/globalsnapstreams/"):
        pass


def remote_body(twins: Twins, **changes: Any) -> dict[str, Any]:
    """What the lookups lead to."""
    peer = twins.b.get("/nativereplicationremotetargets/1/")
    of = {"remote_target_guid": peer["guid"]}
    tenant = next(one for one in twins.b.get("/clusters/list_tenants_remote/", **of) if one["name"] == "t")
    (path,) = twins.b.get("/clusters/list_snapshoted_paths_remote/", **of, remote_tenant_guid=tenant["guid"])
    asked = {**of, "handle": path["handle"], "start_snapshot_id": 0}
    (found,) = twins.b.get("/clusters/list_clone_snapshoted_paths_remote/", **asked)
    assert path["name"] == "/v/" and found["name"] == "s"
    return {
        "name": "far", "remote_target_id": peer["id"], "owner_tenant": tenant, "loanee_root_path": "/copy",
        "loanee_tenant_id": 2, "enabled": True,
        "owner_root_snapshot": {**found, "parent_handle_ehandle": path["handle"].split("_")[0]},
    } | changes  # fmt: skip


@pytest.fixture
def far(twins: Twins) -> Twins:
    """Two checkpoints and a snapshot of them at A."""
    twins.write("step-1", 4 * GB)
    twins.write("step-2", 6 * GB)
    snapshot(twins.a)
    return twins


def test_a_remote_clone_reads_from_its_owner_what_it_does_not_have(far: Twins) -> None:
    made = far.b.post("globalsnapstreams", **remote_body(far))
    assert (made["source_cluster"], made["target_cluster"], made["source_path"]) == ("a", "b", "/v/")
    assert made["async_task"]["name"] == "clone_snapshot"
    there = far.b.plane
    assert there.labels("/copy", tenant_id=2) == ["step-1", "step-2"]
    assert "cloned by far" in far.a.refused("DELETE", "/snapshots/1/")["detail"]
    far.pass_time(5)
    far.link(up=False)
    there.read("/copy", "step-1", tenant_id=2)
    with pytest.raises(NoAnswer, match="owner is away"):
        there.read("/copy", "step-2", tenant_id=2)
    far.pass_time(HOUR)
    assert copied(far.b) == ("Syncing", 50)
    far.link(up=True)
    far.pass_time(30)
    assert copied(far.b) == ("Syncing", 50)
    far.pass_time(5)
    assert copied(far.b) == ("Completed", 100)
    far.a.plane.set_power(on=False)
    there.read("/copy", "step-2", tenant_id=2)
    with pytest.raises(KeyError):
        there.read("/copy", "step-3", tenant_id=2)


def test_a_remote_clone_that_copies_nothing_depends_on_its_owner(far: Twins) -> None:
    far.b.post("globalsnapstreams", **remote_body(far, enabled=False))
    far.pass_time(HOUR)
    far.a.plane.set_power(on=False)
    with pytest.raises(NoAnswer):
        far.b.plane.read("/copy", "step-1", tenant_id=2)
    far.a.plane.set_power(on=True)
    far.pass_time(30)
    far.b.call("PATCH", STREAM, {"enabled": True})
    far.pass_time(10)
    assert copied(far.b) == ("Completed", 100)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"remote_target_id": 7}, "remote_target_id"),
        ({"owner_root_snapshot": {"name": "s", "clone_id": 9}}, "owner_root_snapshot"),
        ({"owner_root_snapshot": {"name": "other", "clone_id": 1}}, "owner_root_snapshot"),
        ({"owner_root_snapshot": {"name": "s", "clone_id": 1, "parent_handle_ehandle": "0"}}, "owner_root_snapshot"),
        ({"owner_root_snapshot": {}}, "owner_root_snapshot"),
        ({"owner_root_snapshot": {"name": "other"}}, "owner_root_snapshot"),
        ({"owner_tenant": {"guid": "nobody"}}, "owner_root_snapshot"),
        ({"name": None}, "name"),
    ],
)
def test_a_remote_clone_is_refused(far: Twins, changes: Any, field: str) -> None:
    assert field in far.b.refused("POST", "/globalsnapstreams/", remote_body(far, **changes))


@pytest.mark.parametrize("wanted", [{"name": "s"}, {"clone_id": 1}])
def test_a_snapshot_of_a_peer_is_named_by_its_name_or_its_number(far: Twins, wanted: Any) -> None:
    number = next(row["id"] for row in far.a.get("/snapshots/") if row["name"] == "s")
    wanted = {"clone_id": number} if "clone_id" in wanted else wanted
    made = far.b.post("globalsnapstreams", **remote_body(far, owner_root_snapshot=wanted))
    assert made["source_snapshot"] == "s"


def test_lookups_need_a_peer_that_answers(far: Twins) -> None:
    body = remote_body(far, remote_target="a-b")
    del body["remote_target_id"]
    assert list(far.b.refused("GET", "/clusters/list_tenants_remote/")) == ["remote_target_guid"]
    far.link(up=False)
    guid = far.b.get("/nativereplicationremotetargets/1/")["guid"]
    refused = far.b.refused("GET", "/clusters/list_tenants_remote/", remote_target_guid=guid)
    assert "not connected" in refused["detail"]
    assert "remote_target_id" in far.b.refused("POST", "/globalsnapstreams/", body)
    far.link(up=True)
    assert far.b.post("globalsnapstreams", **body)["remote_target_id"] == 1


def test_a_replicas_snapshot_is_cloned_there_without_the_link(twins: Twins) -> None:
    twins.write("step-1")
    twins.protect()
    twins.pass_time(30)
    twins.a.plane.set_power(on=False)
    body = {"name": "rehearsal", "loanee_root_path": "/rehearsal", "loanee_tenant_id": 2, "enabled": True}
    assert twins.b.call("POST", "/snapshots/1/clone/", body).status_code == 200
    twins.b.plane.write("/rehearsal", GB, "mine", tenant_id=2)
    twins.b.plane.read("/rehearsal", "step-1", tenant_id=2)
    assert twins.path(twins.b)["role"] == "DESTINATION" and twins.labels_there() == ["step-1"]


# Restores


@pytest.fixture
def damaged(twins: Twins) -> Twins:
    twins.write("good", 10 * GB)
    twins.protect()
    twins.pass_time(30)
    snapshot(twins.a)
    twins.write("bad")
    return twins


def restore(twins: Twins, name: str = "s") -> Any:
    key = twins.a.get("/snapshots/", name=name)[0]["id"]
    answer = twins.a.call("POST", f"{ONE}restore", {"loanee_snapshot_id": key, "name": "back"})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_restore_is_a_clone_until_it_is_committed(damaged: Twins) -> None:
    stream = restore(damaged)
    assert stream["async_task"]["name"] == "clone_snapshot" and stream["source_snapshot"] == "s"
    row = damaged.path(damaged.a)
    assert row["restore_progress"] == {"state": "Syncing", "percent": 0}
    assert row["restore_task"] == str(stream["async_task"]["id"])
    assert "not complete" in damaged.a.refused("PATCH", f"{ONE}commit", {})["detail"]
    assert "not committed" in damaged.a.refused("DELETE", ONE)["detail"]
    damaged.pass_time(5)
    damaged.a.call("PATCH", f"{ONE}pause", {"enabled": False})
    damaged.pass_time(60)
    assert damaged.path(damaged.a)["restore_progress"]["percent"] == 50
    damaged.a.call("PATCH", f"{ONE}resume", {"enabled": True})
    damaged.pass_time(5)
    assert damaged.path(damaged.a)["restore_progress"] == {"state": "Completed", "percent": 100}
    assert damaged.labels()[0] == ["good", "bad"]
    assert damaged.a.call("PATCH", f"{ONE}commit", {}).status_code == 200
    assert damaged.labels()[0] == ["good"] and damaged.a.get("/globalsnapstreams/") == []
    assert damaged.path(damaged.a)["restore_task"] is None
    damaged.write("better")
    damaged.pass_time(HOUR + 5)
    assert damaged.labels()[1] == ["good", "better"]


def test_a_restore_that_is_stopped_changes_nothing(damaged: Twins) -> None:
    restore(damaged)
    damaged.a.call("PATCH", f"{ONE}stop")
    assert damaged.labels()[0] == ["good", "bad"] and damaged.a.get("/globalsnapstreams/") == []
    for call in ("stop", "pause", "resume", "commit"):
        assert "not being restored" in damaged.a.refused("PATCH", f"{ONE}{call}", {})["detail"]
    restore(damaged)


def test_restores_that_are_refused(damaged: Twins) -> None:
    there = damaged.b.get("/snapshots/")[0]["id"]
    assert "DESTINATION" in damaged.b.refused("POST", f"{ONE}restore", {"loanee_snapshot_id": there})["detail"]
    damaged.a.view("/elsewhere")
    other = snapshot(damaged.a, "other", "/elsewhere", 1)["id"]
    for key in (None, 99, other):
        assert list(damaged.a.refused("POST", f"{ONE}restore", {"loanee_snapshot_id": key})) == ["loanee_snapshot_id"]
    restore(damaged)
    own = damaged.a.get("/snapshots/", name="s")[0]["id"]
    assert "already" in damaged.a.refused("POST", f"{ONE}restore", {"loanee_snapshot_id": own})["detail"]
    body = {"time_expires_local": "2030-01-01T00:00:00", "time_expires_target": "2030-01-01T00:00:00"}
    assert "being restored" in damaged.a.refused("PATCH", f"{ONE}replicate_now/", body)["detail"]


@pytest.mark.parametrize("what", ["replicate during a restore", "commit before it is copied"])
def test_a_call_during_a_restore_may_be_assumed_to_do_nothing(start: Any, what: str) -> None:
    twins = Twins(start, assumed=Assumed(answers={what: TAKEN}))
    twins.write("good")
    twins.protect()
    twins.pass_time(30)
    snapshot(twins.a)
    twins.write("bad")
    restore(twins)
    body = {"time_expires_local": "2030-01-01T00:00:00", "time_expires_target": "2030-01-01T00:00:00"}
    calls = {"replicate during a restore": ("replicate_now/", body), "commit before it is copied": ("commit", {})}
    path, sent = calls[what]
    before = len(twins.a.get("/replicationrestorepoints/"))
    assert twins.a.call("PATCH", ONE + path, sent).status_code == TAKEN
    assert len(twins.a.get("/replicationrestorepoints/")) == before and twins.labels()[0] == ["good", "bad"]


@pytest.mark.parametrize("what", ["restore of two", "restore at a replica"])
def test_a_restore_may_be_assumed_to_be_taken_and_ignored(start: Any, what: str) -> None:
    twins = Twins(start, assumed=Assumed(answers={what: TAKEN}))
    twins.write("good")
    twins.protect()
    twins.pass_time(30)
    vms = twins.a if what == "restore of two" else twins.b
    body = {"loanee_snapshot_id": 1}
    if vms is twins.a:
        vms.call("POST", f"{ONE}restore", body)
    before = vms.get("/globalsnapstreams/")
    assert vms.call("POST", f"{ONE}restore", body).status_code == TAKEN
    assert vms.get("/globalsnapstreams/") == before


def test_what_a_restore_would_be_dangerous_to(damaged: Twins) -> None:
    said = damaged.a.get(f"{ONE}validate")
    assert (said["is_source_ppath"], said["is_dest_ppath"], said["has_gn_streams"]) == (True, False, False)
    assert said["is_multi_tenant_system"] and said["s3_versioning"] == []
    assert damaged.b.get(f"{ONE}validate")["is_dest_ppath"]


# Global access


@pytest.fixture
def shared(twins: Twins) -> Twins:
    """`/v` at A can be used at B, with a lease of a minute."""
    twins.write("model", 10 * GB)
    twins.protect(
        None, capabilities="STARED_GLOBAL_NAMESPACE", remote_target_id=1, lease_expiry_time=60
    )  # no policy  # fmt: skip
    assert twins.states() == ("Active", "Active") and twins.path(twins.b)["is_gn_enabled"]
    return twins


def test_a_satellite_reads_through_its_cache_while_the_lease_holds(shared: Twins) -> None:
    there = shared.b.plane
    assert shared.labels_there() == ["model"]
    assert [there.read("/replica", "model", tenant_id=2) for _ in range(2)] == [10 * GB, 0]
    shared.write("model-2")
    assert shared.labels_there() == ["model"]  # as it was when the lease began
    shared.pass_time(60)
    assert shared.labels_there() == ["model", "model-2"]
    assert there.read("/replica", "model", tenant_id=2) == 10 * GB
    shared.a.call("PATCH", ONE, {"lease_expiry_time": 300})
    shared.pass_time(60)
    assert there.read("/replica", "model", tenant_id=2) == 10 * GB
    shared.pass_time(299)
    assert there.read("/replica", "model", tenant_id=2) == 0


def test_a_satellite_without_its_origin(shared: Twins) -> None:
    there = shared.b.plane
    there.read("/replica", "model", tenant_id=2)
    shared.link(up=False)
    assert there.read("/replica", "model", tenant_id=2) == 0
    with pytest.raises(NoAnswer):
        there.write("/replica", GB, "mine", tenant_id=2)
    shared.pass_time(60)
    for attempt in (shared.labels_there, lambda: there.read("/replica", "model", tenant_id=2)):
        with pytest.raises(NoAnswer):
            attempt()


def test_what_is_listed_and_not_cached_needs_the_link(shared: Twins) -> None:
    assert shared.labels_there() == ["model"]
    shared.link(up=False)
    with pytest.raises(NoAnswer):
        shared.b.plane.read("/replica", "model", tenant_id=2)


def test_writes_at_a_satellite_land_at_the_origin(shared: Twins) -> None:
    shared.b.plane.write("/replica/deep", GB, "result", tenant_id=2)
    assert shared.labels()[0] == ["model", "result"] and shared.a.plane.labels("/v/deep", tenant_id=2) == ["result"]
    assert shared.writers() == ["a"]
    shared.pass_time(5 * HOUR)
    assert shared.a.get("/replicationrestorepoints/") == []  # nothing is replicated
    assert shared.b.plane.labels("/replica/deep", tenant_id=2) == ["result"]


def prefetch(shared: Twins, kind: str = "FULL", path: str = "/replica", **query: Any) -> Any:
    answer = shared.b.call("POST", f"{ONE}prefetch_path", {"path": path, "prefetch_type": kind}, **query)
    assert answer.status_code == 200, answer.text
    return answer.json()["task_id"]


def test_a_prefetch_warms_the_cache(shared: Twins) -> None:
    task = prefetch(shared)
    shared.pass_time(4)
    said = shared.b.get(f"{ONE}prefetch_path", task_id=task)
    assert (said["size_retrieved"], said["prefetch_type"], said["path"]) == (4 * GB, "FULL", "/replica")
    running = shared.b.get("/clusters/list_prefetch_paths_info/")["prefetch_data"]
    assert running[0]["paths"] == [{"path": "/replica", "task_id": task}]
    path, body = f"{ONE}prefetch_path", {"path": "/replica", "prefetch_type": "FULL"}
    assert shared.b.refused("POST", path, body, status=409)["code"]
    assert prefetch(shared, force="true") != task
    shared.pass_time(6)
    assert shared.b.get(path, task_id=task)["code"] == "COMPLETED"
    assert shared.b.plane.read("/replica", "model", tenant_id=2) == 0
    assert shared.b.call("DELETE", path, {"task_id": task, "stop_running_prefetch": False}).status_code == 204
    shared.b.refused("GET", path, task_id=task, status=404)


def test_a_prefetch_of_what_there_is_brings_no_data(shared: Twins) -> None:
    task = prefetch(shared, "META_DATA_ONLY")
    shared.pass_time(0)
    assert shared.b.get(f"{ONE}prefetch_path", task_id=task)["inodes_retrieved"] == 1
    assert shared.b.plane.read("/replica", "model", tenant_id=2) == 10 * GB


def test_a_prefetch_is_stopped_only_when_that_is_said(shared: Twins) -> None:
    task = prefetch(shared)
    path = f"{ONE}prefetch_path"
    shared.b.refused("DELETE", path, {"task_id": task, "stop_running_prefetch": False})
    assert shared.b.call("DELETE", path, {"task_id": task, "stop_running_prefetch": True}).status_code == 204
    shared.pass_time(HOUR)
    assert shared.b.get("/clusters/list_prefetch_paths_info/") == {"prefetch_data": [], "stale_tasks": []}
    assert shared.b.plane.read("/replica", "model", tenant_id=2) == 10 * GB


def test_prefetches_that_fail_or_are_refused(shared: Twins) -> None:
    path = f"{ONE}prefetch_path"
    body = {"path": "/v", "prefetch_type": "FULL"}
    assert "satellite" in shared.a.refused("POST", path, body)["detail"]
    assert list(shared.b.refused("POST", path, body)) == ["path"]
    task = prefetch(shared)
    shared.link(up=False)
    shared.b.refused("POST", path, {"path": "/replica/deep", "prefetch_type": "FULL"})
    shared.pass_time(10)
    assert shared.b.get(path, task_id=task)["code"] == "FAILED"


@pytest.mark.parametrize("what", ["prefetch at the source", "prefetch of what is prefetched"])
def test_a_prefetch_may_be_assumed_to_be_taken_and_ignored(start: Any, what: str) -> None:
    twins = Twins(start, assumed=Assumed(answers={what: TAKEN}))
    twins.write("model", 10 * GB)
    twins.protect(None, capabilities="STARED_GLOBAL_NAMESPACE", remote_target_id=1)
    running = prefetch(twins)
    vms, path = (twins.a, "/v") if what == "prefetch at the source" else (twins.b, "/replica")
    answer = vms.call("POST", f"{ONE}prefetch_path", {"path": path, "prefetch_type": "FULL"})
    assert answer.status_code == TAKEN
    found = twins.b.get("/clusters/list_prefetch_paths_info/")["prefetch_data"]
    assert [one["task_id"] for one in found[0]["paths"]] == [running]


def test_a_prefetch_outlives_a_restart(start: Any, tmp_path: Path) -> None:
    files = {name: tmp_path / f"{name}.sqlite" for name in "ab"}
    twins = Twins(start, stores={name: Store(file) for name, file in files.items()})
    twins.write("model", 10 * GB)
    twins.protect(None, capabilities="STARED_GLOBAL_NAMESPACE", remote_target_id=1)
    task = prefetch(twins)
    twins.pass_time(4)
    again = Twins.reopened(start, {name: Store(file) for name, file in files.items()}, twins)
    again.pass_time(6)
    assert again.b.get(f"{ONE}prefetch_path", task_id=task)["code"] == "COMPLETED"
    assert again.b.plane.read("/replica", "model", tenant_id=2) == 0
