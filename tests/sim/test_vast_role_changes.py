"""Role changes, lost sites and their return: who may write when, and which writes are there afterwards."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sim.twins import GB, HOUR, ONE, Twins
from vastplan.sim.vast.assumptions import REFUSALS, TAKEN, Assumed
from vastplan.sim.vast.control import ReadOnly

SOON = ("GRACEFULLY_BECOMING_DESTINATION", "GRACEFULLY_BECOMING_SOURCE")
BECAUSE = {"failover": True, "graceful": True}


@pytest.fixture
def make(start: Any) -> Any:
    def made(**settings: Any) -> Twins:
        twins = Twins(start, assumed=Assumed(**settings))
        twins.write("step-1")
        twins.protect()
        twins.pass_time(20)
        assert twins.labels() == (["step-1"], ["step-1"])
        return twins

    return made


@pytest.fixture
def twins(make: Any) -> Twins:
    return make()  # type: ignore[no-any-return]


def lose_a(twins: Twins) -> None:
    """A is gone, and B has become the source."""
    twins.a.plane.set_power(on=False)
    twins.pass_time(30)
    take_over(twins)


def take_over(twins: Twins) -> None:
    twins.fail_over(twins.b, graceful=False)
    twins.pass_time(10)
    twins.force(twins.b)
    twins.pass_time(10)
    assert twins.path(twins.b)["role"] == "SOURCE"


# Planned


def test_a_planned_failover_loses_nothing(twins: Twins) -> None:
    twins.write("step-2", 10 * GB)
    twins.fail_over(twins.b, graceful=True)
    assert twins.roles() == SOON and twins.writers() == ["a"]
    twins.write("step-3", 5 * GB)  # while the first copy runs
    twins.pass_time(5)
    assert [twins.path(vms)["role_change_progress_promil"] for vms in (twins.a, twins.b)] == [250, 250]
    assert twins.path(twins.b)["role_change_eta_sec"] == 15
    twins.pass_time(5)
    assert twins.writers() == []
    with pytest.raises(ReadOnly):
        twins.write("too late")
    twins.pass_time(9)
    assert twins.roles() == SOON and twins.writers() == [] and twins.path(twins.b)["role_change_eta_sec"] == 1
    twins.pass_time(1)
    assert twins.roles() == ("DESTINATION", "SOURCE") and twins.writers() == ["b"]
    assert twins.labels() == (["step-1", "step-2", "step-3"],) * 2
    assert twins.states() == ("Active", "Active") and twins.path(twins.b)["enabled"]
    assert twins.path(twins.b)["role_change_progress_promil"] == 0


def test_after_a_failover_the_frames_run_the_other_way_and_back_again(twins: Twins) -> None:
    twins.fail_over(twins.b, graceful=True)
    twins.pass_time(20)
    twins.write_there("step-2")
    assert twins.labels()[0] == ["step-1"]
    twins.pass_time(HOUR)
    assert twins.labels()[0] == ["step-1", "step-2"]
    assert twins.path(twins.a)["failback_allowed"] == "true" and twins.path(twins.b)["failback_allowed"] == "false"
    twins.fail_over(twins.a, graceful=True)
    twins.pass_time(20)
    assert twins.roles() == ("SOURCE", "DESTINATION") and twins.writers() == ["a"]
    twins.write("step-3")
    twins.pass_time(HOUR + 5)
    assert twins.labels()[1] == ["step-1", "step-2", "step-3"]


def test_at_most_one_writes_in_every_second_of_a_planned_failover(twins: Twins) -> None:
    twins.write("step-2", 3 * GB)
    twins.fail_over(twins.b, graceful=True)
    seen = []
    for _ in range(30):
        seen.append(tuple(twins.writers()))
        twins.pass_time(1)
    assert set(seen) == {("a",), (), ("b",)} and seen == sorted(seen, key=[("a",), (), ("b",)].index)


def test_an_abort_gives_the_role_back(twins: Twins) -> None:
    twins.write("step-2", 10 * GB)
    twins.fail_over(twins.b, graceful=True)
    twins.pass_time(12)
    assert twins.writers() == []
    assert "on the cluster that began it" in twins.a.refused("PATCH", ONE, {"abort": True})["detail"]
    assert twins.b.call("PATCH", ONE, {"abort": True}).status_code == 200
    assert twins.roles() == ("SOURCE", "DESTINATION") and twins.writers() == ["a"]
    twins.pass_time(HOUR)
    assert twins.roles() == ("SOURCE", "DESTINATION")
    twins.b.refused("PATCH", ONE, {"abort": True})


def test_a_link_that_is_cut_after_the_freeze_leaves_nobody_to_write(twins: Twins) -> None:
    twins.fail_over(twins.b, graceful=True)
    assert twins.writers() == []
    twins.link(up=False)
    twins.pass_time(HOUR)
    assert twins.roles() == SOON and twins.writers() == []
    assert twins.a.call("PATCH", ONE, {"abort": True}).status_code == 200  # each side takes one for itself now
    assert twins.roles() == ("SOURCE", SOON[1]) and twins.writers() == ["a"]
    twins.link(up=True)
    twins.pass_time(30)
    assert twins.roles() == ("SOURCE", "DESTINATION") and twins.writers() == ["a"]


def test_a_link_that_comes_back_lets_the_failover_end(twins: Twins) -> None:
    twins.write("step-2", 10 * GB)
    twins.fail_over(twins.b, graceful=True)
    twins.pass_time(5)
    twins.link(up=False)
    twins.pass_time(60)
    assert twins.writers() == ["a"]  # the first copy was not complete
    twins.link(up=True)
    twins.pass_time(30 + 10 + 10)
    assert twins.roles() == ("DESTINATION", "SOURCE") and twins.labels()[1] == ["step-1", "step-2"]


def test_the_source_may_be_assumed_to_stop_at_the_call(make: Any) -> None:
    twins = make(read_only_from="call")
    twins.write("step-2", 10 * GB)
    twins.fail_over(twins.b, graceful=True)
    assert twins.writers() == []
    twins.pass_time(20)
    assert twins.writers() == ["b"]


def test_a_path_may_be_assumed_to_be_suspended_after_a_failover(make: Any) -> None:
    twins = make(enabled_after_failover=False)
    twins.fail_over(twins.b, graceful=True)
    twins.pass_time(20)
    assert twins.states()[1] == "Suspended" and not twins.path(twins.b)["enabled"]
    twins.write_there("step-2")
    twins.pass_time(2 * HOUR)
    assert twins.labels()[0] == ["step-1"]
    assert twins.b.call("PATCH", ONE, {"enabled": True}).status_code == 200
    twins.pass_time(HOUR + 5)
    assert twins.labels()[0] == ["step-1", "step-2"]


# Forced


def test_the_loss_of_a_site_costs_what_came_after_the_last_restore_point(twins: Twins) -> None:
    twins.pass_time(HOUR)
    twins.write("step-2", 100 * GB)
    twins.pass_time(HOUR - 10)  # half of it has crossed
    lose_a(twins)
    assert twins.b.plane.labels("/replica", tenant_id=2) == ["step-1"]
    twins.write_there("step-2b")
    assert twins.b.plane.labels("/replica", tenant_id=2) == ["step-1", "step-2b"]
    members = twins.path(twins.b)["members_info"]
    assert members["a"]["role"] == "N/A"  # unknown, not absent


def test_a_forced_failover_is_two_calls_and_a_task(twins: Twins) -> None:
    twins.a.plane.set_power(on=False)
    twins.fail_over(twins.b, graceful=False)
    assert twins.path(twins.b)["role"] == "BECOMING_STANDALONE"
    twins.b.refused("PATCH", f"{ONE}force_failover", status=409)
    twins.pass_time(10)
    row = twins.path(twins.b)
    assert (row["role"], row["state"]) == ("STANDALONE", "Writable")
    task = twins.force(twins.b)
    assert twins.path(twins.b)["role"] == "BECOMING_SOURCE"
    twins.pass_time(4)
    assert twins.path(twins.b)["role_change_eta_sec"] == 6
    assert [twins.b.get(f"/vtasks/{task}/")["state"] for _ in range(3)] == ["RUNNING"] * 3
    twins.pass_time(6)
    assert twins.b.get(f"/vtasks/{task}/")["state"] == "COMPLETED"
    assert twins.path(twins.b)["role"] == "SOURCE"


def test_a_forced_failover_whose_task_fails_stays_alone(twins: Twins) -> None:
    twins.fail_over(twins.b, graceful=False)
    twins.pass_time(10)
    twins.b.plane.fail_next_task("no quorum")
    task = twins.force(twins.b)
    twins.pass_time(10)
    failed = twins.b.get(f"/vtasks/{task}/")
    assert (failed["state"], failed["messages"][-1]) == ("FAILED", "no quorum")
    assert twins.path(twins.b)["role"] == "STANDALONE"


def test_detached_with_the_link_up_both_take_writes(twins: Twins) -> None:
    twins.fail_over(twins.b, graceful=False)
    assert twins.roles() == ("BECOMING_STANDALONE",) * 2
    twins.pass_time(10)
    assert twins.roles() == ("STANDALONE",) * 2 and twins.writers() == ["a", "b"]
    twins.write("mine")
    twins.write_there("yours")
    twins.pass_time(5 * HOUR)
    assert twins.labels() == (["step-1", "mine"], ["step-1", "yours"])
    different = twins.a.plane.divergence(twins.path(twins.a)["guid"])
    assert different.common == ("step-1",) and different.only == {"a": ("mine",), "b": ("yours",)}
    assert different.bytes == {"a": GB, "b": GB}


def test_a_source_may_be_assumed_to_hear_of_it_only_when_another_leads(make: Any) -> None:
    twins = make(hears_of_detach=False)
    twins.fail_over(twins.b, graceful=False)
    twins.pass_time(10)
    assert twins.roles() == ("SOURCE", "STANDALONE")
    twins.force(twins.b)
    twins.pass_time(10)
    assert twins.roles() == ("SOURCE", "SOURCE")
    twins.pass_time(30)
    assert twins.roles() == ("STANDALONE", "SOURCE")


@pytest.mark.parametrize(
    ("old_source", "role", "state", "writes"),
    [("standalone", "STANDALONE", "Writable", True), ("stays", "SOURCE", "Active", True), ("blocked", "SOURCE", "Blocked", False)],
)  # fmt: skip
def test_what_a_source_is_that_comes_back(make: Any, old_source: str, role: str, state: str, writes: bool) -> None:
    twins = make(old_source=old_source)
    twins.link(up=False)  # A goes on: this is the case that hurts
    twins.pass_time(30)
    take_over(twins)
    twins.write("mine")
    twins.write_there("yours")
    assert twins.writers() == ["a", "b"]
    twins.link(up=True)
    twins.pass_time(29)
    assert twins.path(twins.a)["role"] == "SOURCE"
    twins.pass_time(1)
    row = twins.path(twins.a)
    assert (row["role"], row["state"]) == (role, state)
    assert ("a" in twins.writers()) is writes
    (alarm,) = [event for event in twins.a.get("/events/") if event["severity"] == "CRITICAL"]
    assert "r is SOURCE on b, and SOURCE here" in alarm["event_message"]
    twins.pass_time(5 * HOUR)
    assert twins.labels() == (["step-1", "mine"], ["step-1", "yours"])  # nothing is sent, nothing is lost
    twins.reattach(twins.b)
    twins.pass_time(11)
    assert twins.roles() == ("DESTINATION", "SOURCE") and twins.labels()[0] == ["step-1", "yours"]


# Attached again


def test_a_side_that_is_attached_again_loses_its_branch(twins: Twins) -> None:
    lose_a(twins)
    twins.write_there("step-2b", 5 * GB)
    twins.a.plane.set_power(on=True)
    twins.pass_time(30)
    twins.write("mine")
    twins.reattach(twins.b)
    assert twins.path(twins.a)["role"] == "BECOMING_DESTINATION" and twins.writers() == ["b"]
    twins.pass_time(10)
    assert twins.roles() == ("DESTINATION", "SOURCE") and twins.states()[0] == "Syncing"
    assert twins.labels()[0] == ["step-1"]  # rewound to what both had
    twins.pass_time(4)
    assert twins.states()[0] == "Syncing"
    twins.pass_time(1)
    assert twins.states() == ("Active", "Active") and twins.labels()[0] == ["step-1", "step-2b"]
    twins.write_there("step-3b")
    twins.pass_time(2 * HOUR)
    assert twins.labels()[0] == ["step-1", "step-2b", "step-3b"]
    twins.fail_over(twins.a, graceful=True)
    twins.pass_time(20)
    assert twins.roles() == ("SOURCE", "DESTINATION")


def test_everything_may_be_assumed_to_be_sent_again(make: Any) -> None:
    twins = make(rejoined_from_common=False)
    lose_a(twins)
    twins.write_there("step-2b", 5 * GB)
    twins.a.plane.set_power(on=True)
    twins.pass_time(30)
    twins.reattach(twins.b)
    twins.pass_time(10)
    assert twins.labels()[0] == []
    twins.pass_time(5)
    assert twins.labels()[0] == []
    twins.pass_time(1)
    assert twins.labels()[0] == ["step-1", "step-2b"]


def test_the_branch_may_be_assumed_to_stay_as_a_snapshot(make: Any) -> None:
    twins = make(rejoined_branch_kept=True)
    lose_a(twins)
    twins.a.plane.set_power(on=True)
    twins.pass_time(30)
    twins.write("mine")
    twins.reattach(twins.b)
    twins.pass_time(20)
    assert twins.labels()[0] == ["step-1"]
    assert twins.a.plane.labels_of_snapshot("r-before-reattach-1") == ["step-1", "mine"]


def test_a_blocked_source_that_attaches_the_other_leads_again(make: Any) -> None:
    twins = make(old_source="blocked")
    twins.link(up=False)
    twins.fail_over(twins.b, graceful=False)
    twins.pass_time(10)
    twins.write_there("yours")
    twins.link(up=True)
    twins.pass_time(30)
    assert twins.states()[0] == "Blocked" and twins.writers() == ["b"]
    twins.reattach(twins.a)
    twins.pass_time(10)
    assert twins.roles() == ("SOURCE", "DESTINATION") and twins.writers() == ["a"]
    assert twins.states() == ("Active", "Active") and twins.labels() == (["step-1"], ["step-1"])


def test_a_link_that_is_cut_while_a_side_is_attached_again(twins: Twins) -> None:
    lose_a(twins)
    twins.write_there("step-2b")
    twins.a.plane.set_power(on=True)
    twins.pass_time(30)
    twins.reattach(twins.b)
    twins.link(up=False)
    twins.pass_time(HOUR)
    assert twins.path(twins.a)["role"] == "BECOMING_DESTINATION"
    twins.link(up=True)
    twins.pass_time(31)
    assert twins.roles() == ("DESTINATION", "SOURCE") and twins.labels()[0] == ["step-1", "step-2b"]
    assert twins.states()[0] == "Active"


def test_a_standalone_path_is_deleted_on_its_side_alone(twins: Twins) -> None:
    twins.fail_over(twins.b, graceful=False)
    assert "role is changing" in twins.b.refused("DELETE", ONE)["detail"]
    twins.pass_time(10)
    assert twins.b.call("DELETE", ONE).status_code == 200
    while twins.b.get("/protectedpaths/"):
        pass
    assert twins.path(twins.a)["state"] == "DELETED_ON_PEER"


def test_reads_may_be_what_moves_the_clock_while_something_is_under_way(make: Any) -> None:
    twins = make(per_read=5)
    before = twins.a.plane.now()
    assert [twins.path(twins.a)["role"] for _ in range(3)] == ["SOURCE"] * 3
    assert twins.a.plane.now() == before
    twins.fail_over(twins.b, graceful=True)
    twins.b.get("/tenants/")
    assert twins.a.plane.now() == before
    assert [twins.path(twins.b)["role"] for _ in range(3)] == [SOON[1]] * 2 + ["SOURCE"]
    assert twins.path(twins.a)["role"] == "DESTINATION" and twins.a.plane.now() == before + 10


def test_so_may_be_reads_of_snapshots_until_what_arrived_shows(make: Any) -> None:
    twins = make(per_read=5)
    twins.a.call("PATCH", f"{ONE}replicate_now/", now(twins.a))
    while {row["state"] for row in twins.b.get("/replicationrestorepoints/")} != {"READY"}:
        pass
    name = twins.b.get("/replicationrestorepoints/")[-1]["name"]
    reads = next(number for number in range(100) if name in {row["name"] for row in twins.b.get("/snapshots/")})
    before = twins.a.plane.now()
    twins.b.get("/snapshots/")
    assert reads > 0 and twins.a.plane.now() == before


# Now


def now(vms: Any, hours: int = 5) -> dict[str, str]:
    from datetime import UTC, datetime

    text = datetime.fromtimestamp(vms.plane.now() + hours * HOUR, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return {"time_expires_local": text, "time_expires_target": text}


def test_replicate_now_sends_what_is_there_and_a_second_one_waits(twins: Twins) -> None:
    twins.write("step-2", 10 * GB)
    asked = twins.a.plane.now()
    assert twins.a.call("PATCH", f"{ONE}replicate_now/", now(twins.a)).content == b""
    twins.write("step-3")
    twins.a.call("PATCH", f"{ONE}replicate_now/", now(twins.a))
    assert [row["state"] for row in twins.a.get("/replicationrestorepoints/")] == ["READY", "UPLOADING", "QUEUED"]
    twins.pass_time(10)
    assert twins.labels()[1] == ["step-1", "step-2"]
    twins.pass_time(1)
    assert twins.labels()[1] == ["step-1", "step-2", "step-3"]
    from datetime import datetime

    created = twins.b.get("/replicationrestorepoints/")[-1]["created"]
    assert datetime.fromisoformat(created).timestamp() >= asked
    assert list(twins.a.refused("PATCH", f"{ONE}replicate_now/", now(twins.a) | {"time_expires_local": "soon"})) == [
        "time_expires_local"
    ]


# What comes at the wrong time

PATCH = {
    "fail": (ONE, {"failover": True, "graceful": False}),
    "plan": (ONE, BECAUSE),
    "abort": (ONE, {"abort": True}),
    "force": (f"{ONE}force_failover", None),
    "now": (f"{ONE}replicate_now/", {"time_expires_local": "2030-01-01T00:00:00", "time_expires_target": "2030-01-01T00:00:00"}),
    "attach": (f"{ONE}reattach_stream/", {"stream_id": "1"}),
}  # fmt: skip
WRONG: dict[str, tuple[str, str, str]] = {  # what is wrong: the state that is made, the call, and to whom
    "failover while one runs": ("planned", "plan", "b"),
    "failover at the source": ("", "fail", "a"),
    "failover of what is detached": ("detached", "plan", "b"),
    "graceful before the first copy is complete": ("new", "plan", "b"),
    "graceful while suspended": ("suspended", "plan", "b"),
    "graceful while the link is down": ("cut", "plan", "b"),
    "force at the source": ("", "force", "a"),
    "force at a destination": ("", "force", "b"),
    "force while the role changes": ("planned", "force", "b"),
    "abort of nothing": ("", "abort", "b"),
    "abort at the source": ("planned", "abort", "a"),
    "replicate at a replica": ("", "now", "b"),
    "replicate while suspended": ("suspended", "now", "a"),
    "reattach of what cannot be reached": ("cut", "attach", "a"),
    "reattach at a replica": ("", "attach", "b"),
    "reattach of what is attached": ("", "attach", "a"),
}


def wrong(start: Any, what: str, **settings: Any) -> tuple[Twins, Any, str, Any]:
    state, call, side = WRONG[what]
    twins = Twins(start, assumed=Assumed(**settings))
    twins.write("step-1", 10 * GB)
    twins.protect()
    if state != "new":
        twins.pass_time(20)
    if state == "planned":
        twins.write("step-2")
        twins.fail_over(twins.b, graceful=True)
    elif state == "detached":
        twins.fail_over(twins.b, graceful=False)
        twins.pass_time(10)
    elif state == "suspended":
        twins.a.call("PATCH", ONE, {"enabled": False})
    elif state == "cut":
        twins.link(up=False)
    path, body = PATCH[call]
    return twins, getattr(twins, side), path, body


@pytest.mark.parametrize("what", WRONG)
def test_a_call_at_the_wrong_time_or_place(start: Any, what: str) -> None:
    twins, vms, path, body = wrong(start, what)
    before = twins.roles(), twins.writers()
    assert vms.refused("PATCH", path, body, status=REFUSALS[what])["detail"]
    assert (twins.roles(), twins.writers()) == before


@pytest.mark.parametrize("what", WRONG)
def test_it_may_be_assumed_to_be_answered_otherwise(start: Any, what: str) -> None:
    twins, vms, path, body = wrong(start, what, answers={what: TAKEN})
    before = twins.roles(), twins.writers()
    assert vms.call("PATCH", path, body).status_code == TAKEN
    assert (twins.roles(), twins.writers()) == before


def test_force_may_be_assumed_to_detach_first(make: Any) -> None:
    twins = make(force_detaches=True)
    twins.force(twins.b)
    twins.pass_time(20)
    assert twins.roles() == ("STANDALONE", "SOURCE")


def test_either_side_may_be_assumed_to_take_an_abort(make: Any) -> None:
    twins = make(abort_at="either")
    twins.fail_over(twins.b, graceful=True)
    assert twins.a.call("PATCH", ONE, {"abort": True}).status_code == 200
    assert twins.roles() == ("SOURCE", "DESTINATION")


def test_fields_are_not_changed_while_the_role_is(twins: Twins) -> None:
    twins.fail_over(twins.b, graceful=True)
    for vms in (twins.a, twins.b):
        assert "role of r is changing" in vms.refused("PATCH", ONE, {"name": "s"})["detail"]
    twins.a.refused("PATCH", f"{ONE}reattach_stream/", {"stream_id": "7"}, status=404)
