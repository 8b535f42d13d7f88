"""Replication between two clusters: what is sent when, by a clock that only the tests move."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.sim.conftest import Vms
from tests.sim.twins import GB, HOUR, Twins
from vastplan.sim.store import Store
from vastplan.sim.vast.assumptions import Assumed
from vastplan.sim.vast.control import NoAnswer, ReadOnly


@pytest.fixture
def twins(start: Any) -> Twins:
    return Twins(start)


def points(vms: Vms) -> list[Any]:
    return [point for point in vms.get("/replicationrestorepoints/") if point["state"] != "FAILED"]


def test_what_is_written_is_at_hand_over_there_after_the_upload(twins: Twins) -> None:
    twins.a.plane.write("/v", 10 * GB, "step-1", tenant_id=2)
    twins.protect()
    assert twins.states() == ("Initial Sync", "Initial Sync")
    assert twins.path(twins.b)["last_restore_point_creation_time"] is None
    with pytest.raises(ReadOnly):
        twins.b.plane.write("/replica", 1, "mine", tenant_id=2)
    twins.a.plane.write("/v", GB, "step-2", tenant_id=2)
    twins.pass_time(9)
    assert twins.labels() == (["step-1", "step-2"], [])
    twins.pass_time(1)
    assert twins.labels() == (["step-1", "step-2"], ["step-1"])
    assert twins.states() == ("Active", "Active")
    for vms in (twins.a, twins.b):
        assert twins.path(vms)["last_restore_point_creation_time"]
    twins.pass_time(HOUR - 11)
    assert twins.labels()[1] == ["step-1"]
    twins.pass_time(2)  # the frame is due, and a second later a gigabyte has crossed
    assert twins.labels()[1] == ["step-1", "step-2"]
    assert twins.b.post("quotas", name="q", path="/replica", tenant_id=2)["used_effective_capacity"] == 11 * GB


def test_reads_and_the_walls_clock_move_nothing(twins: Twins) -> None:
    twins.a.plane.write("/v", GB, "step-1", tenant_id=2)
    twins.protect()
    twins.a.clock.now += HOUR
    twins.b.clock.now += HOUR
    for _ in range(5):
        assert twins.states() == ("Initial Sync", "Initial Sync")
    assert twins.labels()[1] == []


def test_a_restore_point_shows_on_both_sides_with_one_guid(twins: Twins) -> None:
    twins.protect()
    twins.a.plane.write("/v", 4 * GB, "step-1", tenant_id=2)
    twins.pass_time(HOUR)
    twins.pass_time(1)
    (sending,) = [point for point in points(twins.a) if point["state"] == "UPLOADING"]
    assert sending["progress_promil"] == "250" and sending["logical_backlog"] == 3 * GB
    assert sending["upload_finish_time"] is None and sending["protected_path_guid"] == twins.path(twins.a)["guid"]
    assert twins.states() == ("Syncing", "Active") and twins.path(twins.a)["progress"] == "250"
    twins.pass_time(3)
    here, there = points(twins.a)[-1], points(twins.b)[-1]
    assert here["guid"] == there["guid"] == sending["guid"] and here["upload_finish_time"]
    stream = twins.b.get("/replicationstreams/")[0]
    assert [row["guid"] for row in twins.b.get("/replicationrestorepoints/", stream__id=stream["id"])] == [
        row["guid"] for row in points(twins.b)
    ]
    assert stream["guid"] == twins.a.get("/replicationstreams/")[0]["guid"]
    assert (stream["role"], twins.a.get("/replicationstreams/1/")["role"]) == ("DESTINATION", "SOURCE")


def test_snapshots_that_vms_did_not_make_show_later_on_both_sides(twins: Twins) -> None:
    twins.protect()
    twins.a.plane.write("/v", GB, "step-1", tenant_id=2)
    twins.pass_time(14)
    assert twins.a.get("/snapshots/") == twins.b.get("/snapshots/") == []
    twins.pass_time(HOUR - 4)
    assert len(twins.b.get("/snapshots/", path="/replica/")) == 1  # a new one shows fifteen seconds after it arrived
    twins.pass_time(10)
    name = twins.b.get("/snapshots/", path="/replica/")[-1]["name"]
    assert twins.b.plane.labels_of_snapshot(name) == ["step-1"]
    assert twins.a.plane.labels_of_snapshot(name) == ["step-1"]


def test_a_snapshot_between_two_halves_holds_a_torn_checkpoint(twins: Twins) -> None:
    twins.protect()
    twins.a.plane.write("/v/deep", GB, "step-1", tenant_id=2, of=2 * GB)
    twins.pass_time(HOUR + 1)
    twins.a.plane.write("/v/deep", GB, "step-1", tenant_id=2, of=2 * GB)
    assert twins.labels() == (["step-1"], [])
    assert twins.b.plane.labels("/replica", tenant_id=2, torn=True) == ["step-1"]
    assert twins.a.plane.labels("/v", tenant_id=2, torn=True) == []


def test_a_suspended_path_sends_nothing_and_goes_on(twins: Twins) -> None:
    twins.protect()
    twins.a.call("PATCH", "/protectedpaths/1/", {"enabled": False})
    twins.a.plane.write("/v", GB, "step-1", tenant_id=2)
    twins.pass_time(3 * HOUR)
    assert twins.labels()[1] == [] and twins.states()[0] == "Suspended"
    twins.a.call("PATCH", "/protectedpaths/1/", {"enabled": True})
    twins.pass_time(HOUR + 1)
    assert twins.labels()[1] == ["step-1"] and twins.states()[0] == "Active"


def test_a_cut_link_is_noticed_and_the_upload_begins_again(twins: Twins) -> None:
    twins.protect()
    twins.a.plane.write("/v", 10 * GB, "step-1", tenant_id=2)
    twins.pass_time(HOUR + 9)
    twins.link(up=False)
    assert twins.a.get("/nativereplicationremotetargets/1/")["state"] == "CONNECTED"
    twins.pass_time(30)
    assert twins.states() == ("Sync Failed", "Active")
    for vms in (twins.a, twins.b):
        peer = vms.get("/nativereplicationremotetargets/1/")
        assert peer["state"] == "ERROR" and "does not answer" in peer["state_description"]
    assert peer["last_heart_beat"] == "2027-01-15T09:00:09Z"  # the last that was answered
    twins.a.plane.write("/v", GB, "step-2", tenant_id=2)  # its jobs go on
    twins.link(up=True)
    twins.pass_time(30)
    assert twins.states()[0] == "Syncing"
    twins.pass_time(9)
    assert twins.labels()[1] == []
    twins.pass_time(1)
    assert twins.labels()[1] == ["step-1"] and twins.states() == ("Active", "Active")
    assert twins.a.get("/nativereplicationremotetargets/1/")["state"] == "CONNECTED"


def test_the_newest_common_point_outlives_its_time(twins: Twins) -> None:
    twins.policy(frames=[{"every": "1h", "keep-local": "2h", "keep-remote": "3h"}])
    twins.protect(policy=2)
    twins.pass_time(2 * HOUR + 20)
    assert len(points(twins.a)) == 2 and len(points(twins.b)) == 3  # the first one went at A
    twins.a.call("PATCH", "/protectedpaths/1/", {"enabled": False})
    twins.pass_time(50 * HOUR)
    assert len(points(twins.a)) == len(points(twins.b)) == 1
    assert len(twins.a.get("/snapshots/")) == len(twins.b.get("/snapshots/")) == 1
    snapshot = twins.b.get("/snapshots/")[0]["id"]
    assert "newest restore point" in twins.b.refused("DELETE", f"/snapshots/{snapshot}/")["detail"]


def test_a_common_point_may_be_taken_to_expire(start: Any) -> None:
    twins = Twins(start, assumed=Assumed(common_point_expires=True))
    twins.policy(frames=[{"every": "1h", "keep-local": "2h", "keep-remote": "3h"}])
    twins.protect(policy=2)
    twins.pass_time(20)
    twins.a.call("PATCH", "/protectedpaths/1/", {"enabled": False})
    twins.pass_time(50 * HOUR)
    assert points(twins.a) == points(twins.b) == twins.b.get("/snapshots/") == []


def test_a_policy_appears_on_the_other_side(twins: Twins) -> None:
    guid = twins.protect()["protection_policy_name"] and twins.a.get("/protectionpolicies/1/")["guid"]
    twins.pass_time(59)
    assert twins.b.get("/protectionpolicies/") == []
    twins.pass_time(1)
    (policy,) = twins.b.get("/protectionpolicies/")
    assert (policy["guid"], policy["target_name"]) == (guid, "a-b")
    assert twins.path(twins.b)["protection_policy_name"] == policy["name"]


def test_the_remote_directory_must_not_be_there(start: Any, twins: Twins) -> None:
    twins.b.post("views", path="/replica", policy_id=4, tenant_id=2, create_dir=True)
    refused = twins.a.refused("POST", "/protectedpaths/", twins.body())
    assert refused["detail"] == "Cannot create remote stream: path on peer exists"
    twins.protect(target_exported_dir="/other")
    task = twins.a.call("DELETE", "/protectedpaths/1/").json()["async_task"]
    assert task["name"] == "delete_protected_path"
    while twins.a.get("/protectedpaths/"):
        pass
    assert twins.b.get("/protectedpaths/") == twins.b.get("/replicationstreams/") == []
    refused = twins.a.refused("POST", "/protectedpaths/", twins.body(target_exported_dir="/other"))  # it stayed behind
    assert "path on peer exists" in refused["detail"]


def test_an_existing_directory_may_be_assumed_to_be_taken(start: Any) -> None:
    twins = Twins(start, assumed=Assumed(existing_target="taken"))
    twins.b.post("views", path="/replica", policy_id=4, tenant_id=2, create_dir=True)
    assert twins.protect()["role"] == "SOURCE"


def test_the_other_row_may_be_assumed_to_come_later(start: Any) -> None:
    twins = Twins(start, assumed=Assumed(mirrored_path_after=5))
    twins.a.plane.write("/v", GB, "step-1", tenant_id=2)
    twins.a.post("protectedpaths", **twins.body())
    twins.pass_time(4)
    assert twins.b.get("/protectedpaths/") == []
    twins.pass_time(1)
    assert twins.path(twins.b)["role"] == "DESTINATION"
    twins.pass_time(6)
    assert twins.labels()[1] == ["step-1"]


def test_a_delete_that_cannot_tell_the_other_side(twins: Twins) -> None:
    twins.protect()
    twins.link(up=False)
    task = twins.a.call("DELETE", "/protectedpaths/1/").json()["async_task"]["id"]
    assert twins.a.call("DELETE", "/protectedpaths/1/").json()["async_task"]["id"] == task
    twins.pass_time(HOUR)
    assert [twins.a.get(f"/vtasks/{task}/")["state"] for _ in range(3)] == ["RUNNING"] * 3
    assert twins.states()[0] == "DELETE_PENDING"
    twins.link(up=True)
    twins.pass_time(30)
    assert twins.a.get(f"/vtasks/{task}/")["state"] == "TIMEOUT"
    assert twins.states() == ("Active", "Active")
    assert twins.a.call("DELETE", "/protectedpaths/1/").status_code == 200
    while twins.a.get("/protectedpaths/"):
        pass
    assert twins.b.get("/protectedpaths/") == []


def test_a_cluster_without_power(twins: Twins) -> None:
    twins.protect()
    twins.a.plane.write("/v", GB, "step-1", tenant_id=2)
    twins.a.plane.set_power(on=False)
    twins.pass_time(3 * HOUR)
    with pytest.raises(NoAnswer):
        twins.a.plane.write("/v", GB, "step-2", tenant_id=2)
    with pytest.raises(NoAnswer):
        twins.a.plane.labels("/v", tenant_id=2)
    assert twins.b.plane.labels("/replica", tenant_id=2) == []
    assert twins.b.get("/nativereplicationremotetargets/1/")["state"] == "ERROR"
    twins.a.plane.set_power(on=True)
    twins.pass_time(40)  # the frame that was missed is made up for
    assert twins.labels() == (["step-1"], ["step-1"])


def test_a_local_path_makes_snapshots_by_its_frames(vms: Vms) -> None:
    vms.plane.write("/v", GB, "step-1")
    frames = [{"every": "1h", "keep-local": "3h"}]
    vms.post("protectionpolicies", name="p", prefix="p", clone_type="LOCAL", frames=frames)
    body = {"name": "l", "source_dir": "/v", "target_exported_dir": "/v", "tenant_id": 1, "protection_policy_id": 1}
    vms.post("protectedpaths", **body)
    vms.plane.pass_time(2 * HOUR + 30)
    assert vms.get("/protectedpaths/1/")["state"] == "Active"
    first, second = vms.get("/snapshots/")
    assert first["expiration_time"] < second["expiration_time"] and first["path"] == "/v/"
    assert vms.plane.labels_of_snapshot(first["name"]) == ["step-1"]
    vms.plane.pass_time(4 * HOUR)
    assert len(vms.get("/snapshots/")) == 3
    with pytest.raises(KeyError):
        vms.plane.labels_of_snapshot(first["name"])


def test_clock_content_and_what_is_due_outlive_a_restart(start: Any, tmp_path: Path) -> None:
    files = {name: tmp_path / f"{name}.sqlite" for name in "ab"}
    twins = Twins(start, stores={name: Store(file) for name, file in files.items()})
    twins.protect()
    twins.a.plane.write("/v", 10 * GB, "step-1", tenant_id=2)
    twins.pass_time(HOUR + 5)
    began = twins.a.plane.now()
    again = Twins.reopened(start, {name: Store(file) for name, file in files.items()}, twins)
    assert again.a.plane.now() == began
    again.pass_time(5)
    assert again.labels() == (["step-1"], ["step-1"])
    again.link(up=False)
    third = Twins.reopened(start, {name: Store(file) for name, file in files.items()}, twins)
    third.pass_time(30)
    assert third.states()[0] == "Sync Failed"


def test_time_does_not_go_backwards(vms: Vms) -> None:
    with pytest.raises(ValueError, match="forward"):
        vms.plane.pass_time(-1)


def test_a_setting_for_a_refusal_that_nobody_knows() -> None:
    with pytest.raises(ValueError, match="no such refusals: failover at night"):
        Assumed(answers={"failover at night": 200})
