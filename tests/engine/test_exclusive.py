"""Addresses of VIP pools and tenants that somebody else holds: waited for where they are freed, refused where they are not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab import EVERYTHING, Lab
from vastplan.model.plan import Plan, Verb

A, B, BOTH = "10.0.0.1 - 10.0.0.9", "10.0.0.10 - 10.0.0.19", "10.0.0.1 - 10.0.0.19"


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    with Lab(tmp_path, {"iad": ["vast"]}) as one:
        yield one


def pools(lab: Lab, **ranges: Any) -> None:
    """A document with these pools, by name: ranges, or fields."""
    made = {
        name: {
            "tenant": None,
            "subnet_cidr": 24,
            **(said if isinstance(said, dict) else {"ip_ranges": said if isinstance(said, list) else [said]}),
        }
        for name, said in ranges.items()
    }
    lab.write({"vip_pools": made})


def blocks(plan: Plan) -> dict[str, list[tuple[str, str]]]:
    return {
        action.address.name: [(block.guard, block.message) for block in action.blocked]
        for action in plan.actions
        if action.blocked
    }


def stranger(lab: Lab, name: str, start: str, end: str, **more: Any) -> None:
    body = {"name": name, "ip_ranges": [[start, end]], "subnet_cidr": 24, "role": "PROTOCOLS", **more}
    lab.by_hand("iad", "vast", "POST", "/api/v5/vippools/", body)


def test_what_a_stranger_holds_is_refused_before_anything_is_sent(lab: Lab) -> None:
    stranger(lab, "theirs", "10.0.0.5", "10.0.0.30")
    pools(lab, mine=A, free="10.0.1.1")
    plan = lab.plan()
    text = "ip_ranges share 10.0.0.5 - 10.0.0.9 with vip_pool theirs (not in the ledger), which exists"
    assert blocks(plan) == {"mine": [("overlap", text)]}
    lab.clear_calls()
    lab.apply(plan)
    assert [call.status for call in lab.calls()] == [201]


def test_a_change_that_reaches_into_another_pool_is_refused(lab: Lab) -> None:
    stranger(lab, "theirs", "10.0.0.15", "10.0.0.15")
    pools(lab, mine=A)
    lab.converge()
    pools(lab, mine=BOTH)
    text = "ip_ranges share 10.0.0.15 with vip_pool theirs (not in the ledger), which exists"
    assert blocks(lab.plan()) == {"mine": [("overlap", text)]}


def test_every_holder_is_named_once(lab: Lab) -> None:
    for number in range(4):
        stranger(lab, f"s{number}", f"10.0.0.{2 + number * 2}", f"10.0.0.{2 + number * 2}")
    pools(lab, mine={"ip_ranges": ["10.0.0.1 - 10.0.0.5", "10.0.0.6 - 10.0.0.9"]})
    named = {message.split("vip_pool ")[1].split(" ")[0] for _, message in blocks(lab.plan())["mine"]}
    assert named == {"s0", "s1", "s2", "s3"} and len(blocks(lab.plan())["mine"]) == 4


def test_the_same_address_in_another_network_is_another(lab: Lab) -> None:
    stranger(lab, "theirs", "10.0.0.5", "10.0.0.30", vlan=7)
    pools(lab, mine=A)
    assert blocks(lab.plan()) == {}
    pools(lab, mine={"ip_ranges": [A], "vlan": 7})
    assert "mine" in blocks(lab.plan())
    pools(lab, mine={"ip_ranges": ["fd00::5"], "subnet_cidr_ipv6": 64, "vlan": 7})
    assert blocks(lab.plan()) == {}


def test_a_pool_that_goes_frees_its_addresses_first(lab: Lab) -> None:
    pools(lab, old=A)
    lab.converge()
    pools(lab, new=A)
    plan = lab.converge()
    assert {action.address.name: action.verb for action in plan.actions} == {"old": Verb.DELETE, "new": Verb.CREATE}
    assert lab.plan().actions == ()


def test_and_keeps_them_while_its_delete_is_not_approved(lab: Lab) -> None:
    pools(lab, old=A)
    lab.converge()
    pools(lab, new=A)
    plan = lab.plan(consent=type(EVERYTHING)())
    assert blocks(plan)["old"][0][0] == "approval"
    assert blocks(plan)["new"] == [("waits", "waits for iad/vip_pool/old, which is blocked")]


def test_addresses_move_from_one_pool_to_another(lab: Lab) -> None:
    pools(lab, giver=BOTH, taker="10.0.1.1")
    lab.converge()
    pools(lab, giver=A, taker=B)
    lab.converge()
    assert lab.plan().actions == ()
    pools(lab, giver=BOTH, taker="10.0.1.1")
    lab.converge()
    assert lab.plan().actions == ()


def test_a_holder_that_gives_away_something_else_is_in_the_way(lab: Lab) -> None:
    pools(lab, giver=BOTH, taker="10.0.1.1")
    lab.converge()
    pools(lab, giver="10.0.0.1 - 10.0.0.12", taker=B)
    (block,) = blocks(lab.plan())["taker"]
    assert block == ("overlap", "ip_ranges share 10.0.0.10 - 10.0.0.19 with vip_pool giver, which exists")
    pools(lab, giver=["10.0.0.1", "10.0.0.19"], taker=["10.0.0.5", "10.0.0.19"])  # one part is freed, and one is not
    assert blocks(lab.plan())["taker"][0][0] == "overlap"


def test_two_that_exchange_addresses_do_so_in_two_steps(lab: Lab) -> None:
    pools(lab, one=A, two=B)
    lab.converge()
    pools(lab, one=B, two=A)
    plan = lab.plan()
    assert not plan.findings
    stopped = blocks(plan)
    assert {guard for found in stopped.values() for guard, _ in found} <= {"overlap", "waits"}
    assert any("frees them only after this" in text for found in stopped.values() for _, text in found)
    pools(lab, one="10.0.1.1", two=A)
    lab.converge()
    pools(lab, one=B, two=A)
    lab.converge()


def test_who_lets_go_only_afterwards_is_waited_for_in_vain(lab: Lab) -> None:
    """The policy leaves the old pool for the new one, which needs the old one's addresses first."""

    def document(pool: str) -> dict[str, Any]:
        return {
            "tenants": {"t": {}},
            "vip_pools": {pool: {"tenant": "t", "subnet_cidr": 24, "ip_ranges": [A]}},
            "view_policies": {"v": {"tenant": "t", "flavor": "NFS", "vip_pools": [pool]}},
        }

    lab.write(document("old"))
    lab.converge()
    lab.write(document("new"))
    plan = lab.plan()
    assert not [finding for finding in plan.findings if finding.code == "VP301"]
    assert plan.operations
    assert blocks(plan)["new"][0][0] == "overlap"


def test_against_a_snapshot_too(lab: Lab, tmp_path: Path) -> None:
    from vastplan.app.plan import PlanOptions, make_plan
    from vastplan.app.record import record_snapshot

    stranger(lab, "theirs", "10.0.0.5", "10.0.0.30")
    pools(lab)
    snapshot = record_snapshot(lab.workspace(), ("iad",))
    pools(lab, mine=A)
    plan = make_plan(lab.workspace(), PlanOptions(("iad",), consent=EVERYTHING, snapshot=snapshot)).plan
    assert blocks(plan)["mine"][0][0] == "overlap"


def tenants(lab: Lab, **ranges: str) -> None:
    """A document with these tenants and the addresses of their clients."""
    lab.write({"tenants": {name: {"client_ip_ranges": [said]} for name, said in ranges.items()}})


def test_the_clients_of_a_strangers_tenant_are_refused_before_anything_is_sent(lab: Lab) -> None:
    lab.by_hand("iad", "vast", "POST", "/api/v5/tenants/", {"name": "theirs", "client_ip_ranges": [["10.0.0.5"] * 2]})
    tenants(lab, mine=A, free=B)
    text = "client_ip_ranges share 10.0.0.5 with tenant theirs (not in the ledger), which exists"
    plan = lab.plan()
    assert blocks(plan) == {"mine": [("overlap", text)]}
    lab.clear_calls()
    lab.apply(plan)
    assert [call.status for call in lab.calls()] == [201]


def test_clients_change_tenants_in_one_apply(lab: Lab) -> None:
    tenants(lab, a=BOTH, b="10.0.1.1")
    lab.converge()
    tenants(lab, a=A, b=B, c="10.0.1.1")
    lab.converge()
    assert not lab.plan(EVERYTHING).actions
