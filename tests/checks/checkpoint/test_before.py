"""The budget as it is now, by hand: what is live of a volume's limits; and all the volumes of a document together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from vastplan.checks.checkpoint.evaluate import budget_before, evaluated_volumes
from vastplan.checks.checkpoint.summary import budgets
from vastplan.checks.facts import Facts
from vastplan.checks.index import Index
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry

KNOWN = frozenset(("iad", kind) for kind in ("view", "qos_policy", "tenant"))
CHECKPOINT = {"size": 10**12, "keep_last": 1, "concurrent_jobs": 1, "aligned": True, "mode": "sync"}


def ref(kind: str, name: str, site: str = "iad") -> Ref:
    return Ref(Address(site, kind, name))


def entry(kind: str, name: str, /, site: str = "iad", **values: Any) -> Entry:
    return Entry(Address(site, kind, name), values)


def volume(name: str = "v", **values: Any) -> Entry:
    return entry("volume", name, **{"checkpoint": CHECKPOINT, "path": "/v", **values})


def capped(rate: int) -> dict[str, Any]:
    return {"static_limits": {"max_writes_bw_mbps": rate}}


def facts(written: Iterable[Entry], live: Iterable[Entry] | None, **more: Any) -> Facts:
    index = Index(written)
    was = None if live is None else Index(live)
    return Facts(**{"sites": {"iad": None}, "objects": index, "written": index, "before": was, "known": KNOWN, **more})


def binds(mine: Entry, others: Iterable[Entry], live: Iterable[Entry], **more: Any) -> str:
    """What bound the volume before the plan, and how fast: `QoS bandwidth of volume v at 5`, in MB/s."""
    budget = budget_before(facts((mine, *others), live, **more), mine)
    assert budget is not None
    return f"{budget.binding} at {budget.binding.limit.bytes_per_second / 10**6:g}" if budget.binding else "nothing"


VIEW, LIMITED = entry("view", "v"), entry("view", "v", qos_policy=ref("qos_policy", "v"))
LIVE = entry("qos_policy", "v", **capped(5), tenant=None, name="v")


def test_there_is_no_before_where_nothing_was_seen() -> None:
    mine = volume()
    assert budget_before(facts((mine,), None), mine) is None
    assert budget_before(facts((mine,), ()), mine) is None  # there is no such view
    assert budget_before(facts((mine,), (entry("view", "v", site="pdx"), entry("view", "w"))), mine) is None
    for kind in ("view", "qos_policy", "tenant"):
        assert budget_before(facts((mine,), (VIEW,), known=KNOWN - {("iad", kind)}), mine) is None
    assert budget_before(facts((mine,), (VIEW,)), mine) is not None


def test_a_view_has_the_policy_that_it_has_now() -> None:
    inline, named = volume(qos=capped(9)), volume(qos_policy=ref("qos_policy", "gold"))
    gold = entry("qos_policy", "gold", **capped(9))
    assert binds(inline, (), (VIEW,)) == "nothing"
    assert binds(inline, (), (LIMITED, LIVE)) == "QoS bandwidth of volume v at 5"
    assert binds(volume(), (), (LIMITED, LIVE)) == "QoS bandwidth of policy v at 5"
    assert binds(named, (gold,), (VIEW, gold)) == "nothing"
    assert binds(named, (gold,), (LIMITED, LIVE, gold)) == "QoS bandwidth of policy v at 5"
    silver = entry("view", "v", qos_policy=ref("qos_policy", "silver"))
    assert binds(inline, (), (silver, LIVE, entry("qos_policy", "silver", **capped(7)))) == (
        "QoS bandwidth of policy silver at 7"
    )


def test_a_policy_by_name_limits_as_it_is_live() -> None:
    of_class = volume(path="/v", storage_class=ref("storage_class", "c"))
    klass, gold = (
        entry("storage_class", "c", qos_policy=ref("qos_policy", "gold")),
        entry("qos_policy", "gold", **capped(9)),
    )
    assert binds(of_class, (klass, gold), (VIEW, entry("qos_policy", "gold", **capped(3)))) == (
        "QoS bandwidth of policy gold at 3"
    )
    assert binds(of_class, (klass, gold), (VIEW,)) == "nothing"
    assert binds(of_class, (klass, gold), (VIEW, entry("qos_policy", "gold", site="pdx", **capped(3)))) == "nothing"
    gold = entry("qos_policy", "gold", **capped(8))
    elsewhere = entry("storage_class", "c", qos_policy=ref("qos_policy", "gold", "pdx"))
    there = entry("qos_policy", "gold", site="pdx", **capped(9))
    assert binds(of_class, (elsewhere, there), (VIEW, gold)) == "QoS bandwidth of policy gold at 9"


def test_the_policy_of_everybody_is_still_its_tenants() -> None:
    mine, team = volume(tenant=ref("tenant", "t")), entry("tenant", "t")
    default: dict[str, Any] = {"policy_type": "USER", "is_default": True}
    policy = entry("qos_policy", "u", tenant=ref("tenant", "t"), **default, **capped(9))
    live = entry("qos_policy", "u", tenant=None, burst=None, **default, **capped(4))
    assert binds(mine, (team, policy), (VIEW, team, live)) == "QoS bandwidth of policy u at 4"


@pytest.mark.parametrize(
    ("live", "expected"),
    [
        (entry("tenant", "t", qos=capped(4), comment=None), "QoS bandwidth of tenant t at 4"),
        (entry("tenant", "t", qos=None), "nothing"),
        (entry("tenant", "t"), "nothing"),
        (entry("tenant", "other", qos=capped(4)), "nothing"),
        (entry("qos_policy", "t", qos=capped(4)), "nothing"),
    ],
)
def test_a_tenants_limits_are_those_it_has_now(live: Entry, expected: str) -> None:
    mine = volume(tenant=ref("tenant", "t"))
    assert binds(mine, (entry("tenant", "t", qos=capped(9)),), (VIEW, live)) == expected


def test_what_else_a_tenant_says_is_the_documents() -> None:
    mine = volume(tenant=ref("tenant", "t"))
    team = entry("tenant", "t", qos=capped(9), capacity_rules={"hard_limit": 7})
    budget = budget_before(facts((mine, team), (VIEW, entry("tenant", "t", capacity_rules={"hard_limit": 5}))), mine)
    assert budget is not None and budget.inputs.tenant_bytes == 7
    free = entry("tenant", "t", capacity_rules={"hard_limit": 0})  # no limit
    budget = budget_before(facts((mine, free), (VIEW, free)), mine)
    assert budget is not None and budget.inputs.tenant_bytes is None


def test_a_claim_has_a_before_once_it_is_made() -> None:
    mine = volume(qos_policy=ref("qos_policy", "gold"))
    claim = mine.without("path")
    mine = entry("volume", "v", **claim)
    gold = entry("qos_policy", "gold", **capped(9))
    live = (entry("qos_policy", "gold", **capped(3)),)
    sizes = {Address("iad", "persistent_volume_claim", "v"): 1}
    assert budget_before(facts((mine, gold), live), mine) is None
    assert (
        budget_before(facts((mine, gold), live, made={Address("iad", "persistent_volume_claim", "w"): 1}), mine) is None
    )
    assert binds(mine, (gold,), live, made=sizes) == "QoS bandwidth of policy gold at 3"


def test_a_policy_that_the_document_does_not_have() -> None:
    mine = entry("volume", "v", checkpoint=CHECKPOINT, qos_policy=ref("qos_policy", "x"))
    sizes = {Address("iad", "persistent_volume_claim", "v"): 1}
    assert binds(mine, (), (entry("qos_policy", "x", **capped(2)),), made=sizes) == "QoS bandwidth of policy x at 2"


def test_what_the_site_can_do_counts_before_and_after() -> None:
    mine = volume()
    sites = {"capabilities": {"iad": {"writes_bw_mbps": 6}, "pdx": {"writes_bw_mbps": 1}}}
    assert binds(mine, (), (VIEW,), **sites) == "site's write bandwidth at 6"
    (budget,) = budgets(facts((mine,), (LIMITED, LIVE), **sites))
    assert budget.figures["write_seconds"] == 10**12 / (6 * 10**6)
    assert budget.changes[:2] == (
        "write time 55.6 h -> 46.3 h",
        "binding limit: QoS bandwidth of policy v -> site's write bandwidth",
    )
    assert budgets(facts((mine,), None, **sites))[0].changes == ()


def test_all_volumes_in_the_order_of_their_addresses() -> None:
    senseless = volume("a", checkpoint={**CHECKPOINT, "keep_last": 0})
    silent = entry("volume", "c", path="/c")
    entries = [volume("d", qos=capped(4)), silent, senseless, volume("b", qos=capped(7))]
    document = facts(entries, None, capabilities={"iad": {"writes_bw_mbps": 10}})
    evaluated = evaluated_volumes(document)
    assert [(item.volume.address.name, item.budget is None) for item in evaluated] == [
        ("a", True),
        ("b", False),
        ("d", False),
    ]
    assert [budget.address for budget in budgets(document)] == ["iad/volume/b", "iad/volume/d"]
    codes = [[finding.code for finding in item.findings] for item in evaluated]
    assert ["CKP-10" in of_volume for of_volume in codes] == [True, False, False]
    first = evaluated[0].findings[0]
    assert first.fix == "correct this: the budget is computed after that" and first.severity.value == "error"
    assert "CKP-00" in codes[0] and "CKP-16" in codes[1]
    assert evaluated_volumes(document) is evaluated


def test_volumes_of_two_sites_do_not_coincide() -> None:
    capabilities = {"iad": {"writes_bw_mbps": 10}, "pdx": {"writes_bw_mbps": 10}}

    def coinciding(*names: str) -> list[bool]:
        """Of a volume in iad and those of these names in pdx, which is told that they coincide."""
        there = [
            Entry(Address("pdx", "volume", name), {"checkpoint": CHECKPOINT, "path": "/b", "qos": capped(7)})
            for name in names
        ]
        sites = {"iad": None, "pdx": None}
        document = facts([volume(qos=capped(4)), *there], None, sites=sites, capabilities=capabilities)
        return [any(finding.code == "CKP-10" for finding in item.findings) for item in evaluated_volumes(document)]

    assert coinciding("b") == [False, False]
    assert coinciding("b", "a") == [False, True, False]


def test_the_digits_of_a_curve() -> None:
    mine = volume(checkpoint={**CHECKPOINT, "gpus": {"default": 16384}})
    (budget,) = budgets(facts((mine,), None, capabilities={"iad": {"writes_bw_mbps": 7000}}))
    assert budget.curve and all(
        len(f"{value:.15g}".replace(".", "").strip("0")) <= 6 for pair in budget.curve for value in pair
    )
    assert any(len(f"{value:.15g}".replace(".", "").strip("0")) == 6 for pair in budget.curve for value in pair)
