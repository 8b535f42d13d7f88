"""Synchronous replication of a bucket: made of a bucket alone, each write on both sides, parted when the link is cut for too long."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sim.conftest import Vms
from tests.sim.twins import GB, ONE, Twins
from vastplan.sim.vast.assumptions import Assumed
from vastplan.sim.vast.control import NoAnswer, ReadOnly

WAITS = 20


def made(start: Any, *, size: int = 0, **assumed: Any) -> Twins:
    """The twins with a bucket in `/v` that is replicated synchronously, `size` bytes in it before."""
    twins = Twins(start, assumed=Assumed(**assumed))
    bucket(twins)
    if size:
        twins.write("step-0", size)
    twins.a.post("protectedpaths", **body(twins))
    for vms in (twins.a, twins.b):
        while vms.get(ONE)["state"] == "Initializing":
            pass
    return twins


def bucket(twins: Twins) -> None:
    """The view of `/v` becomes a bucket."""
    twins.a.post("users", name="ana", uid=7, local_provider_id=1)
    twins.a.call("DELETE", "/views/2/")
    view = {"path": "/v", "policy_id": 4, "tenant_id": 2, "protocols": ["S3"], "bucket": "sets", "bucket_owner": "ana"}
    twins.a.post("views", **view)


def body(twins: Twins, **changes: Any) -> dict[str, Any]:
    return twins.body(
        None, capabilities="SYNC_REPLICATION", remote_target_id=1, **{"sync_disconnect_time": WAITS, **changes}
    )


def cut(twins: Twins, seconds: float) -> None:
    """The link is cut for so long."""
    link(twins, up=False)
    twins.pass_time(seconds)


def link(twins: Twins, *, up: bool) -> None:
    twins.a.plane.set_link(twins.b.plane, up=up)


def patch(vms: Vms, **changes: Any) -> int:
    return int(vms.call("PATCH", ONE, changes).status_code)


def reattach(vms: Vms) -> Any:
    stream = vms.get(ONE)["replication_streams"][0]["id"]
    return vms.call("PATCH", f"{ONE}reattach_stream/", {"stream_id": str(stream)})


def test_it_is_of_a_bucket_alone(start: Any) -> None:
    twins = Twins(start)
    answer = twins.a.refused("POST", "/protectedpaths/", body(twins))
    assert answer == {"source_dir": ["Synchronous replication is for an existing S3 bucket."]}
    bucket(twins)
    row = twins.a.post("protectedpaths", **body(twins))
    assert (row["capabilities"], row["sync_disconnect_time"], row["protection_policy_id"]) == (
        "SYNC_REPLICATION",
        WAITS,
        None,
    )
    assert twins.b.get(ONE)["sync_disconnect_time"] == WAITS


def test_what_was_there_is_sent_first_and_then_each_write_is_on_both_at_once(start: Any) -> None:
    twins = made(start, size=10 * GB)
    assert twins.states() == ("Initial Sync", "Initial Sync") and twins.labels_there() == []
    with pytest.raises(ReadOnly):
        twins.write_there("early")
    twins.write("meanwhile")
    assert twins.labels_there() == []
    twins.pass_time(10)
    assert twins.states() == ("Active", "Active") and twins.labels() == (["step-0", "meanwhile"],) * 2
    twins.write("step-1")
    twins.pass_time(1)
    twins.write_there("step-2")
    assert twins.labels() == (["step-0", "meanwhile", "step-1", "step-2"],) * 2
    row = twins.path(twins.b)
    assert (row["failback_allowed"], row["last_restore_point_creation_time"]) == ("true", None)
    assert twins.path(twins.a)["estimated_read_only_time"] == 10
    assert twins.writers() == ["a", "b"]


def test_the_other_side_may_be_one_that_takes_no_writes(start: Any) -> None:
    twins = made(start, synchronous_secondary_writes=False)
    assert twins.writers() == ["a"]
    with pytest.raises(ReadOnly):
        twins.write_there("x")


def test_a_write_waits_while_the_link_is_cut_and_is_answered_when_it_carries(start: Any) -> None:
    twins = made(start)
    cut(twins, WAITS - 1)
    for write in (twins.write, twins.write_there):
        with pytest.raises(NoAnswer, match="waits for the other side"):
            write("x")
    assert twins.labels() == ([], [])
    link(twins, up=True)
    twins.write("x")
    twins.pass_time(60)
    assert twins.labels() == (["x"], ["x"]) and twins.states() == ("Active", "Active")


def test_parted_the_source_goes_on_alone_until_it_is_restored(start: Any) -> None:
    twins = made(start)
    twins.write("before")
    cut(twins, WAITS)
    assert twins.states() == ("Degraded", "Blocked") and twins.roles() == ("SOURCE", "DESTINATION")
    twins.write("alone")
    with pytest.raises(NoAnswer, match="gives no access"):
        twins.write_there("x")
    with pytest.raises(NoAnswer, match="gives no access"):
        twins.labels_there()
    assert twins.writers() == ["a"]
    assert twins.a.plane.divergence(twins.path(twins.a)["guid"]).only == {"a": ("alone",), "b": ()}
    assert reattach(twins.a).status_code == 400  # the link is cut still
    link(twins, up=True)
    twins.pass_time(600)
    assert twins.states() == ("Degraded", "Blocked")
    assert reattach(twins.b).status_code == 400
    assert twins.a.call("PATCH", f"{ONE}reattach_stream/", {"stream_id": "77"}).status_code == 404
    assert reattach(twins.a).status_code == 200
    assert twins.states() == ("Initial Sync", "Initial Sync")
    twins.pass_time(1)
    assert twins.states() == ("Active", "Active") and twins.labels() == (["before", "alone"],) * 2
    assert reattach(twins.a).status_code == 400


def test_it_may_come_together_by_itself(start: Any) -> None:
    twins = made(start, synchronous_rejoins=True, synchronous_source_apart="Active")
    cut(twins, WAITS)
    assert twins.states() == ("Active", "Blocked")
    twins.write("alone")
    link(twins, up=True)
    twins.pass_time(60)
    assert twins.states() == ("Active", "Active") and twins.labels() == (["alone"],) * 2


def test_a_source_that_was_without_power_hears_that_they_were_parted(start: Any) -> None:
    twins = made(start)
    twins.write("before")
    twins.a.plane.set_power(on=False)
    twins.pass_time(WAITS)
    with pytest.raises(NoAnswer):
        twins.labels_there()
    twins.a.plane.set_power(on=True)
    twins.pass_time(60)
    assert twins.states() == ("Degraded", "Blocked")


def test_a_first_copy_that_is_cut_begins_again(start: Any) -> None:
    twins = made(start, size=10 * GB)
    twins.pass_time(5)
    cut(twins, 1)
    link(twins, up=True)
    twins.pass_time(30)
    assert twins.states() == ("Initial Sync", "Initial Sync")
    twins.pass_time(10)
    assert twins.states() == ("Active", "Active")


def test_suspended_nothing_is_sent(start: Any) -> None:
    twins = made(start)
    assert patch(twins.a, enabled=False) == 200
    assert twins.states() == ("Suspended", "Blocked")
    twins.write("alone")
    assert patch(twins.a, enabled=True) == 200
    twins.pass_time(1)
    assert twins.states() == ("Active", "Active") and twins.labels() == (["alone"],) * 2


def test_how_long_it_waits_is_changed_at_the_source(start: Any) -> None:
    twins = made(start)
    assert patch(twins.a, sync_disconnect_time=300) == 200
    assert [vms.get(ONE)["sync_disconnect_time"] for vms in (twins.a, twins.b)] == [300, 300]
    cut(twins, 299)
    assert twins.states() == ("Active", "Active")
    twins.pass_time(1)
    assert twins.states() == ("Degraded", "Blocked")


def test_without_a_time_it_is_the_assumed_one(start: Any) -> None:
    twins = Twins(start, assumed=Assumed(synchronous_disconnect=50))
    bucket(twins)
    unsaid = {name: value for name, value in body(twins).items() if name != "sync_disconnect_time"}
    twins.a.post("protectedpaths", **unsaid)
    for vms in (twins.a, twins.b):
        while vms.get(ONE)["state"] == "Initializing":
            pass
    cut(twins, 49)
    assert twins.states() == ("Active", "Active")
    twins.pass_time(1)
    assert twins.states() == ("Degraded", "Blocked")


def test_a_turnover_changes_the_roles_and_both_go_on_taking_writes(start: Any) -> None:
    twins = made(start)
    assert twins.b.call("PATCH", ONE, {"failover": True, "graceful": False}).status_code == 501
    assert patch(twins.a, failover=True, graceful=True) == 400
    assert patch(twins.b, failover=True, graceful=True) == 200
    assert twins.roles() == ("GRACEFULLY_BECOMING_DESTINATION", "GRACEFULLY_BECOMING_SOURCE")
    twins.write("during")
    twins.pass_time(10)
    assert twins.roles() == ("DESTINATION", "SOURCE") and twins.states() == ("Active", "Active")
    twins.write("after")
    twins.pass_time(1)
    twins.write_there("too")
    assert twins.labels() == (["during", "after", "too"],) * 2
    assert twins.path(twins.a)["role_change_progress_promil"] == 0


def test_a_turnover_can_be_called_off_and_needs_two_in_step(start: Any) -> None:
    twins = made(start)
    assert patch(twins.b, failover=True, graceful=True) == 200
    assert twins.path(twins.b)["role_change_eta_sec"] == 10
    assert patch(twins.b, abort=True) == 200
    twins.pass_time(60)
    assert twins.roles() == ("SOURCE", "DESTINATION")
    cut(twins, 1)
    assert patch(twins.b, failover=True, graceful=True) == 400
    twins.pass_time(WAITS)
    link(twins, up=True)
    assert patch(twins.b, failover=True, graceful=True) == 400


def test_nothing_of_it_is_replicated_now(start: Any) -> None:
    twins = made(start)
    ends = {"time_expires_local": "2030-01-01T00:00:00", "time_expires_target": "2030-01-01T00:00:00"}
    assert twins.a.call("PATCH", f"{ONE}replicate_now/", ends).status_code == 400


def test_a_delete_takes_both_sides_and_leaves_the_data(start: Any) -> None:
    twins = made(start)
    twins.write("x")
    assert twins.a.call("DELETE", ONE).status_code == 200
    for vms in (twins.a, twins.b):
        while vms.get("/protectedpaths/"):
            pass
    assert twins.labels() == (["x"], ["x"])
    twins.write("y")
    assert twins.labels() == (["x", "y"], ["x"])


def test_the_mirror_may_come_later(start: Any) -> None:
    twins = Twins(start, assumed=Assumed(mirrored_path_after=20))
    bucket(twins)
    twins.a.post("protectedpaths", **body(twins))
    twins.pass_time(30)
    for vms in (twins.a, twins.b):
        while vms.get(ONE)["state"] == "Initializing":
            pass
    assert twins.states() == ("Active", "Active")
    twins.write("x")
    assert twins.labels() == (["x"], ["x"])
