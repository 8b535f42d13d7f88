"""Guards over HTTP: what they read beyond the plan's own collections, and what they see again when a plan is carried out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.lab import EVERYTHING, Lab
from vastplan.app.apply import record_limits
from vastplan.engine.live.consent import Approval, Consent
from vastplan.model.outcome import State
from vastplan.model.plan import Plan
from vastplan.report.review import reverted
from vastplan.sim.vast.plane import VastPlane

VIEW = "iad/view/home"
QUOTA = "iad/quota/home"
NONE = Consent()


def document(**more: Any) -> dict[str, Any]:
    """A tenant with a view and a quota on one directory."""
    return {
        "tenants": {"team-a": {}},
        "view_policies": {"team-a": {"tenant": "team-a", "flavor": "NFS", "nfs_read_write": ["10.0.0.0/8"]}},
        "quotas": {"home": {"tenant": "team-a", "path": "/home", "hard_limit": "1 TiB", "create_dir": True}},
        "views": {"home": {"tenant": "team-a", "path": "/home", "view_policy": "team-a", "create_dir": True}},
        **more,
    }


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    with Lab(tmp_path, {"iad": ["vast"]}) as one:
        one.write(document())
        one.converge()
        yield one


def used(lab: Lab, size: int, inodes: int) -> None:
    """Somebody writes files."""
    plane = lab.world.sites["iad"].planes["vast"]
    assert isinstance(plane, VastPlane)
    live = lab.live("iad/tenant/team-a")
    assert live is not None
    plane.usage("/home", int(live.id), size, inodes)


def snapshot(lab: Lab, name: str, **more: Any) -> None:
    """Somebody takes a snapshot of the directory."""
    live = lab.live("iad/tenant/team-a")
    assert live is not None
    body = {"name": name, "path": "/home/", "tenant_id": int(live.id), **more}
    lab.by_hand("iad", "vast", "POST", "/api/v5/snapshots/", body)


def consent(address: str, most: int = 0, orphans: int = 0) -> Consent:
    return replace(EVERYTHING, approvals=(Approval(address, "in a test", "2999-01-01", most, orphans),))


def blocks(plan: Plan, address: str) -> dict[str, str]:
    (action,) = [one for one in plan.actions if str(one.address) == address]
    return {one.guard: one.message for one in action.blocked}


def state(lab: Lab, plan: Plan, address: str) -> tuple[State, str]:
    (outcome,) = [one for one in lab.apply(plan).outcomes if one.address == address]
    return outcome.state, outcome.message


def gets(lab: Lab, path: str) -> int:
    return sum(call.method == "GET" and call.path.startswith(f"/api/v5/{path}/") for call in lab.all_calls())


def test_snapshots_are_read_only_where_something_is_to_go(lab: Lab) -> None:
    snapshot(lab, "by-hand")
    lab.clear_calls()
    assert lab.plan().actions == () and gets(lab, "snapshots") == 0
    lab.write(document(views={}))
    assert blocks(lab.plan(consent(VIEW)), VIEW) == {"orphans": "1 snapshots would stay behind"}
    assert gets(lab, "snapshots") == 1
    assert blocks(lab.plan(consent(VIEW, orphans=1)), VIEW) == {}


def test_an_indestructible_snapshot_keeps_its_view(lab: Lab) -> None:
    snapshot(lab, "kept", indestructible=True, expiration_time="2999-01-01T00:00:00Z")
    lab.write(document(views={}))
    assert blocks(lab.plan(consent(VIEW, orphans=9)), VIEW) == {"locked": "1 snapshots are locked: kept"}


def test_snapshots_that_were_taken_since_make_a_delete_stale(lab: Lab) -> None:
    lab.write(document(views={}))
    plan = lab.plan(consent(VIEW))
    for number in (1, 2):
        snapshot(lab, f"s{number}")
    lab.clear_calls()
    assert state(lab, plan, VIEW) == (State.STALE, "snapshots: 0 when the plan was made and 2 now; plan again")
    assert lab.calls() == []


def test_a_quota_that_was_filled_since_is_not_lowered_below_what_is_used(lab: Lab) -> None:
    home = document()["quotas"]["home"]
    lab.write(document(quotas={"home": {**home, "hard_limit": "1 GiB"}}))
    plan = lab.plan(NONE)
    assert blocks(plan, QUOTA) == {}
    used(lab, 2**31, 5)
    lab.clear_calls()
    found = state(lab, plan, QUOTA)
    assert found == (State.STALE, "hard_limit 1 GiB is below what is used, 2 GiB; plan again")
    assert lab.calls() == []


def test_files_that_were_written_since_make_a_delete_stale(lab: Lab) -> None:
    lab.write(document(quotas={}))
    plan = lab.plan(consent(QUOTA))
    used(lab, 0, 5)
    assert state(lab, plan, QUOTA) == (
        State.STALE,
        "it changed since the plan was made: used_inodes was 0 and is 5 now; plan again",
    )


def test_clients_are_not_cut_off_from_data(lab: Lab) -> None:
    address = "iad/view_policy/team-a"
    policy = {**document()["view_policies"]["team-a"], "nfs_read_write": ["10.0.0.0/9"]}
    lab.write(document(view_policies={"team-a": policy}))
    plan = lab.plan(NONE)
    assert blocks(plan, address) == {}
    used(lab, 2**20, 3)
    text = "nfs_read_write would no longer let in 10.128.0.0/9; in use through it: 1 view"
    assert blocks(lab.plan(NONE), address) == {"narrows": text}
    assert blocks(lab.plan(replace(NONE, allow_narrow=(address,))), address) == {}


def test_a_system_that_lost_everything_is_not_filled_again_unasked(lab: Lab) -> None:
    view, quota, policy = (lab.live(one) for one in (VIEW, QUOTA, "iad/view_policy/team-a"))
    assert view and quota and policy
    lab.delete_by_hand(quota)
    one_gone = lab.plan(NONE)
    assert [(str(one.address), one.blocked) for one in one_gone.actions] == [(QUOTA, ())]  # ordinary drift
    tenant = lab.live("iad/tenant/team-a")
    assert tenant
    for live in (view, policy, tenant):
        lab.delete_by_hand(live)
    lab.clear_calls()
    plan = lab.plan(NONE)
    assert len(plan.actions) == 4 and all(action.blocked[0].guard == "emptied" for action in plan.actions)
    assert {one.code for one in plan.findings if not one.checked} == {"VP305"}
    assert len(reverted(plan)) == 4
    lab.apply(plan)
    assert lab.calls() == []
    lab.converge(replace(NONE, believe_gone=("iad/*",)))
    assert lab.plan().actions == ()


def _limits(lab: Lab, **limits: int) -> None:
    file = lab.folder / "lab.yaml"
    whole = yaml.safe_load(file.read_text())
    file.write_text(yaml.safe_dump({**whole, "limits": limits}))


def _tenants(count: int, gid: int) -> dict[str, Any]:
    return {"tenants": {f"t{number}": {"trash_gid": gid} for number in range(count)}}


def test_a_change_does_not_raise_its_own_limit_not_even_by_being_applied_twice(tmp_path: Path) -> None:
    with Lab(tmp_path, {"iad": ["vast"]}) as lab:
        lab.write(_tenants(12, 1))
        _limits(lab, max_changes=50)
        # Creates are not counted, and what was first applied is what the document asks for from then on.
        lab.apply(lab.plan(NONE))
        lab.write(_tenants(12, 2))
        _limits(lab, max_changes=50)
        assert not any(action.blocked for action in lab.plan(NONE).actions)
        _limits(lab, max_changes=3)  # less is in force at once
        assert all(action.blocked[0].guard == "mass-change" for action in lab.plan(NONE).actions)
        lab.converge()
        lab.write(
            {**_tenants(12, 3), "qos_policies": {"gold": {"tenant": "t0", "static_limits": {"max_reads_iops": 5}}}}
        )
        _limits(lab, max_changes=50)
        for _ in range(2):  # more is not, though a part of the same change was applied
            plan = lab.plan(NONE)
            held = [action for action in plan.actions if action.address.kind == "tenant"]
            assert len(held) == 12 and all(action.blocked[0].guard == "mass-change" for action in held)
            lab.apply(plan)
        lab.converge(replace(EVERYTHING, max_count=12))  # a person may
        lab.write(
            {**_tenants(12, 4), "qos_policies": {"gold": {"tenant": "t0", "static_limits": {"max_reads_iops": 5}}}}
        )
        _limits(lab, max_changes=50)
        assert not any(action.blocked for action in lab.plan(NONE).actions)


def test_a_first_limit_above_the_usual_holds_from_the_next_change_on(tmp_path: Path) -> None:
    with Lab(tmp_path, {"iad": ["vast"]}) as lab:
        lab.write(_tenants(12, 1))
        lab.converge(NONE)
        lab.write(_tenants(12, 2))
        _limits(lab, max_changes=50)
        assert all(action.blocked[0].guard == "mass-change" for action in lab.plan(NONE).actions)
        lab.write(_tenants(12, 1))
        _limits(lab, max_changes=50)
        plan = lab.plan(NONE)
        assert plan.actions == ()
        record_limits(lab.workspace(), plan)  # what apply does when there is nothing else to do
        lab.write(_tenants(12, 2))
        _limits(lab, max_changes=50)
        assert not any(action.blocked for action in lab.plan(NONE).actions)
