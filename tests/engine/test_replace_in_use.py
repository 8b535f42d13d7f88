"""What is in use is replaced in steps: its users let go, it is made anew, and they take hold again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab import EVERYTHING, Lab
from vastplan.engine.live.consent import Consent
from vastplan.model.outcome import State
from vastplan.model.plan import Cause, Verb
from vastplan.sim.faults import Effect, Fault

GOLD = "iad/qos_policy/gold"
VIEWS = ("iad/view/one", "iad/view/two")


def document(name: str) -> dict[str, Any]:
    """Two views under one QoS policy of that name, which cannot be changed in place."""
    view = {"tenant": "team-a", "view_policy": "team-a", "qos_policy": "gold", "create_dir": True}
    return {
        "tenants": {"team-a": {}},
        "view_policies": {"team-a": {"tenant": "team-a", "flavor": "NFS"}},
        "qos_policies": {"gold": {"tenant": "team-a", "name": name, "static_limits": {"max_reads_bw_mbps": 1000}}},
        "views": {"one": {**view, "path": "/one"}, "two": {**view, "path": "/two"}},
    }


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    with Lab(tmp_path, {"iad": ["vast"]}) as one:
        one.write(document("gold"))
        one.converge()
        one.write(document("gold-2"))
        one.clear_calls()
        yield one


def _calls(lab: Lab) -> list[tuple[str, str]]:
    """The writes that were carried out, in order, as method and collection."""
    return [(call.method, call.path.split("/")[3]) for call in lab.calls() if call.status < 400]


def _attached(lab: Lab) -> set[Any]:
    return {row["qos_policy_id"] for row in lab.rows("iad", "view") if row["path"] in ("/one", "/two")}


def test_users_let_go_and_take_hold_again(lab: Lab) -> None:
    (old,) = _attached(lab)
    plan = lab.plan()
    actions = {str(action.address): action for action in plan.actions}
    assert actions.keys() == {GOLD, *VIEWS} and not any(action.blocked for action in plan.actions)
    assert actions[GOLD].verb is Verb.REPLACE
    for address in VIEWS:
        (change,) = actions[address].changes
        assert actions[address].verb is Verb.UPDATE and GOLD in actions[address].reason
        assert (change.path, change.cause, change.known_after_apply) == ("qos_policy", Cause.DEPENDENCY, True)
    lab.converge()
    detach = attach = [("PATCH", "views"), ("PATCH", "views")]
    assert _calls(lab) == [*detach, ("DELETE", "qospolicies"), ("POST", "qospolicies"), *attach]
    (new,) = _attached(lab)
    assert new not in (None, old)
    assert lab.plan().actions == ()


def test_a_replace_needs_consent_and_without_it_nothing_lets_go(lab: Lab) -> None:
    plan = lab.plan(Consent(max_count=100))
    assert all(action.blocked for action in plan.actions)
    receipt = lab.apply(plan)
    assert {outcome.state for outcome in receipt.outcomes} == {State.SKIPPED}
    assert _calls(lab) == []


def test_a_user_that_nobody_manages_stops_it(lab: Lab) -> None:
    (policy,) = _attached(lab)
    view = next(row for row in lab.rows("iad", "view") if row["path"] == "/one")
    theirs = {"path": "/theirs", "qos_policy_id": policy, "create_dir": True}
    body = {name: view[name] for name in ("tenant_id", "policy_id")} | theirs
    lab.by_hand("iad", "vast", "POST", "/api/v5/views/", body)
    lab.clear_calls()
    plan = lab.plan(EVERYTHING)
    actions = {str(action.address): action for action in plan.actions}
    (block,) = actions[GOLD].blocked
    assert block.guard == "in-use" and "/theirs (not in the ledger)" in block.message and "another name" in block.fix
    assert all(actions[address].blocked[0].guard == "waits" for address in VIEWS)
    lab.apply(plan)
    assert _calls(lab) == [] and _attached(lab) == {policy}


def test_one_that_broke_off_halfway_is_finished_by_the_next_run(lab: Lab) -> None:
    lab.world.sites["iad"].servers["vast"].faults.arm(Fault(Effect.STATUS, "POST", "/qospolicies/", status=400))
    receipt = lab.apply(lab.plan())
    states = {outcome.address: outcome.state for outcome in receipt.outcomes}
    assert states == {GOLD: State.FAILED, **dict.fromkeys(VIEWS, State.SKIPPED)}
    assert _attached(lab) == {None}
    lab.converge()
    assert None not in _attached(lab)
    assert lab.plan().actions == ()
