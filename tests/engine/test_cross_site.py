"""Replication across two sites: one plan for both, the mirrors left alone, and all of it taken away in order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab import EVERYTHING, REGISTRY_KINDS, Lab
from vastplan.app import drift, ledger
from vastplan.app.plan import PlanOptions, make_plan
from vastplan.engine.live.observe import Live, Observed, ObservedCollection
from vastplan.engine.matching.match import match
from vastplan.model.address import Address
from vastplan.model.outcome import State
from vastplan.model.plan import Action, Plan, Step, Verb
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry
from vastplan.sim.faults import Effect, Fault

PEERS = "/nativereplicationremotetargets/"
RANGES = {"iad": {"ip_ranges": ["10.9.1.10 - 10.9.1.17"]}, "pdx": {"ip_ranges": ["10.9.2.10 - 10.9.2.17"]}}
ENDS = {"iad": {"vip_pool": "replication"}, "pdx": {"vip_pool": "replication"}}
DOCUMENT: dict[str, Any] = {
    "tenants": {"team-a": {}},
    "vip_pools": {"replication": {"role": "REPLICATION", "subnet_cidr": 24, "per_site": RANGES}},
    "replication_peers": {"iad-pdx": {"between": ENDS}},
    "snapshot_schedules": {
        "protected": {"frames": [{"every": "1h", "keep_local": "1d", "keep_remote": "7d"}], "replicate_to": "iad-pdx"}
    },
}
ALL = {
    "iad/protected_path/data", "iad/protection_policy/protected", "iad/replication_peer/iad-pdx", "iad/tenant/team-a",
    "iad/vip_pool/replication", "pdx/protection_policy/protected", "pdx/tenant/team-a", "pdx/vip_pool/replication",
}  # fmt: skip


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    with Lab(tmp_path, {"iad": ["vast"], "pdx": ["vast"]}) as one:
        one.write(DOCUMENT)
        one.extra = [_path()]
        yield one


def _path() -> Entry:
    """A directory of a tenant here, replicated to the tenant of the same name there."""
    values = {
        "name": "data",
        "tenant": Ref(Address("iad", "tenant", "team-a")),
        "source_dir": "/",
        "target_exported_dir": "/copy",
        "protection_policy": Ref(Address("iad", "protection_policy", "protected")),
        "capabilities": "ASYNC_REPLICATION",
        "remote_tenant": Ref(Address("pdx", "tenant", "team-a")),
    }
    return Entry(Address("iad", "protected_path", "data"), values)


def _actions(plan: Plan) -> dict[str, Action]:
    return {str(action.address): action for action in plan.actions}


def _order(plan: Plan, step: Step) -> list[str]:
    return [str(operation.address) for operation in plan.operations if operation.step is step]


def _deletes(lab: Lab, site: str) -> list[str]:
    calls = lab.world.sites[site].servers["vast"].writes()
    return [call.path.split("/")[3] for call in calls if call.method == "DELETE"]


def _peer_posts(lab: Lab) -> int:
    return sum(call.method == "POST" and call.path.endswith(PEERS) for call in lab.calls())


def test_one_plan_makes_both_ends_in_order_and_leaves_nothing_to_do(lab: Lab) -> None:
    plan = lab.converge()
    assert set(_actions(plan)) == ALL
    order = _order(plan, Step.WRITE)
    for first, second in (
        ("pdx/vip_pool/replication", "iad/replication_peer/iad-pdx"),
        ("iad/vip_pool/replication", "iad/replication_peer/iad-pdx"),
        ("iad/replication_peer/iad-pdx", "iad/protection_policy/protected"),
        ("iad/replication_peer/iad-pdx", "pdx/protection_policy/protected"),  # it uses the mirror
        ("iad/protection_policy/protected", "iad/protected_path/data"),
        ("pdx/tenant/team-a", "iad/protected_path/data"),
    ):
        assert order.index(first) < order.index(second), (first, second)
    again = lab.planned()
    assert again.plan.actions == () and again.plan.in_sync == len(ALL)


def test_mirrors_are_seen_for_what_they_are(lab: Lab) -> None:
    lab.converge()
    (mirror,) = lab.rows("pdx", "protected_path")
    assert (mirror["role"], mirror["source_dir"], mirror["target_exported_dir"]) == ("DESTINATION", "/", "/copy")
    (peer,) = lab.rows("pdx", "replication_peer")
    assert (peer["name"], peer["state"]) == ("iad-pdx", "CONNECTED")
    assert "pdx/replication_peer/iad-pdx" not in {one["address"] for one in ledger.owned_objects(lab.workspace())}
    strangers = {one.kind for one in drift.drifted(lab.planned(), lab.workspace()).unmanaged}
    assert not strangers & {"replication_peer", "protected_path"}


def test_everything_is_deleted_in_order_and_the_mirrors_go_along(lab: Lab) -> None:
    lab.converge()
    lab.write({})
    lab.extra = []
    lab.clear_calls()
    plan = lab.converge(lab.consent_to_loss(*ALL))
    assert {address: action.verb for address, action in _actions(plan).items()} == dict.fromkeys(ALL, Verb.DELETE)
    order = _order(plan, Step.DELETE)
    assert order.index("pdx/protection_policy/protected") < order.index("iad/replication_peer/iad-pdx")
    assert order.index("iad/replication_peer/iad-pdx") < order.index("pdx/vip_pool/replication")
    assert order.index("iad/protected_path/data") < order.index("pdx/tenant/team-a")
    deleted = _deletes(lab, "iad")
    assert [name for name in deleted if name != "tenants"] == [
        "protectedpaths", "protectionpolicies", "nativereplicationremotetargets", "vippools",
    ]  # fmt: skip
    assert deleted.index("protectedpaths") < deleted.index("tenants")
    assert sorted(_deletes(lab, "pdx")) == ["protectionpolicies", "tenants", "vippools"]
    lab.write(DOCUMENT)
    for kind in ("replication_peer", "protected_path", "protection_policy", "vip_pool"):
        assert lab.rows("iad", kind) == lab.rows("pdx", kind) == [], kind


def test_what_a_mirror_uses_stays_while_its_original_does(lab: Lab) -> None:
    lab.converge()
    lab.write({**DOCUMENT, "tenants": {"team-a": {"sites": ["iad"]}}})
    plan = lab.plan(lab.consent_to_loss("pdx/tenant/team-a"))
    action = _actions(plan)["pdx/tenant/team-a"]
    assert action.verb is Verb.DELETE
    (block,) = action.blocked
    assert block.guard == "in-use" and "protected_path data (not in the ledger)" in block.message


def test_a_path_to_another_tenant_is_made_anew(lab: Lab) -> None:
    sections = {**DOCUMENT, "tenants": {"team-a": {}, "team-b": {}}}
    lab.write(sections)
    lab.converge()
    (old,) = lab.rows("iad", "protected_path")
    (path,) = lab.extra
    lab.extra = [Entry(path.address, {**path.values, "remote_tenant": Ref(Address("pdx", "tenant", "team-b"))})]
    plan = lab.converge(lab.consent_to_loss("iad/protected_path/data"))
    (change,) = _actions(plan)["iad/protected_path/data"].changes
    assert (change.path, change.before) == ("remote_tenant", {"$ref": "pdx/tenant/team-a"})
    (new,), (mirror,) = lab.rows("iad", "protected_path"), lab.rows("pdx", "protected_path")
    assert new["id"] != old["id"] and new["remote_tenant_name"] == mirror["tenant_name"] == "team-b"
    assert lab.plan().actions == ()


@pytest.mark.parametrize("effect", [Effect.DROP_AFTER, Effect.COMMIT_THEN_STATUS])
def test_a_peer_that_was_made_without_an_answer_is_found_again(lab: Lab, effect: Effect) -> None:
    lab.world.sites["iad"].servers["vast"].faults.arm(Fault(effect, "POST", PEERS, status=504))
    lab.converge()
    assert _peer_posts(lab) == 1
    assert lab.plan().actions == ()


def test_a_peer_that_was_not_made_is_sent_again(lab: Lab) -> None:
    lab.world.sites["iad"].servers["vast"].faults.arm(Fault(Effect.DROP_BEFORE, "POST", PEERS, times=2))
    lab.converge()
    assert lab.plan().actions == ()


def test_a_peer_that_was_not_made_holds_back_its_users_and_the_next_run_makes_it(lab: Lab) -> None:
    lab.world.sites["iad"].servers["vast"].faults.arm(Fault(Effect.DROP_BEFORE, "POST", PEERS, times=3))
    receipt = lab.apply(lab.plan())
    states = {one.address: one.state for one in receipt.outcomes}
    waiting = {address for address in ALL if "protect" in address}
    assert {address for address, state in states.items() if state is State.SKIPPED} == waiting
    assert {address for address, state in states.items() if state is State.UNKNOWN} == {"iad/replication_peer/iad-pdx"}
    lab.converge()
    assert lab.plan().actions == ()


def test_a_peer_that_does_not_connect_is_ours_all_the_same(lab: Lab) -> None:
    lab.write({name: part for name, part in DOCUMENT.items() if name in ("tenants", "vip_pools")})
    lab.extra = []
    lab.converge()
    (pool,) = lab.rows("pdx", "vip_pool")
    lab.by_hand("pdx", "vast", "PATCH", f"/api/v5/vippools/{pool['id']}/", {"enabled": False})
    lab.write(DOCUMENT)
    failed = next(one for one in lab.apply(lab.plan()).outcomes if one.address == "iad/replication_peer/iad-pdx")
    assert failed.state is State.FAILED and "is not well: ERROR, no replication pool answers" in failed.message
    plan = lab.plan(EVERYTHING)
    assert "iad/replication_peer/iad-pdx" not in _actions(plan), "neither adopted nor made twice"
    lab.by_hand("pdx", "vast", "PATCH", f"/api/v5/vippools/{pool['id']}/", {"enabled": True})
    lab.converge()
    assert _peer_posts(lab) == 1


def test_one_site_alone_sees_the_other_as_it_is(lab: Lab) -> None:
    lab.converge()
    plan = make_plan(lab.workspace(), PlanOptions(("iad",), consent=EVERYTHING)).plan
    assert plan.actions == () and plan.unknown == ()
    assert plan.in_sync == sum(address.startswith("iad/") for address in ALL)


def test_a_name_is_that_of_an_object_of_the_same_site_alone() -> None:
    """What is called so elsewhere is another object: nothing of this site refers to it."""
    pool, of_class = REGISTRY_KINDS["vip_pool"], REGISTRY_KINDS["storage_class"]
    there = Live("pdx", pool, "7", "7", {"name": "x"}, {"id": "7", "name": "x", "leading_vip": "10.9.2.10"}, {})
    here = Live("iad", of_class, "u", "gold", {"name": "gold", "vip_pool": "x"}, {"name": "gold"}, {})
    collections = {("pdx", "vip_pool"): [there], ("iad", "vip_pool"): [], ("iad", "storage_class"): [here]}
    observed = Observed({key: ObservedCollection(objects) for key, objects in collections.items()})
    matches = match(REGISTRY_KINDS, observed, {}, {})
    assert matches.symbolic(of_class, here)["vip_pool"] == "x"
    same = Ref(Address("pdx", "vip_pool", "x"), managed=False)
    assert matches.symbolic(of_class, here, [same])["vip_pool"] == "x"
    peer = REGISTRY_KINDS["replication_peer"]  # an address is of one site only, whichever that is
    end = Live("iad", peer, "1", "1", {"name": "p", "leading_vip": "10.9.2.10"}, {"name": "p"}, {})
    assert matches.symbolic(peer, end)["leading_vip"] == same
