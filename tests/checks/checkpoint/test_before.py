"""The budget as it is now, by hand: what is live of a volume's limits; and all the volumes of a document together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from vastplan.checks.checkpoint.judged import budgets, judged
from vastplan.checks.checkpoint.live import before
from vastplan.checks.facts import Facts
from vastplan.checks.index import Index
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry

KNOWN = frozenset(("iad", kind) for kind in ("view", "qos_policy", "tenant"))
SAID = {"size": 10**12, "keep_last": 1, "concurrent_jobs": 1, "aligned": True, "mode": "sync"}


def ref(kind: str, name: str, site: str = "iad") -> Ref:
    return Ref(Address(site, kind, name))


def one(kind: str, name: str, /, site: str = "iad", **values: Any) -> Entry:
    return Entry(Address(site, kind, name), values)


def volume(name: str = "v", **values: Any) -> Entry:
    return one("volume", name, **{"checkpoint": SAID, "path": "/v", **values})


def capped(rate: int) -> dict[str, Any]:
    return {"static_limits": {"max_writes_bw_mbps": rate}}


def facts(written: Iterable[Entry], live: Iterable[Entry] | None, **more: Any) -> Facts:
    index = Index(written)
    was = None if live is None else Index(live)
    return Facts(**{"sites": {"iad": None}, "objects": index, "written": index, "before": was, "known": KNOWN, **more})


def binds(mine: Entry, others: Iterable[Entry], live: Iterable[Entry], **more: Any) -> str:
    """What bound the volume before the plan, and how fast: `QoS bandwidth of volume v at 5`, in MB/s."""
    found = before(facts((mine, *others), live, **more), mine)
    assert found is not None
    return f"{found.binding} at {found.binding.limit.bytes_per_second / 10**6:g}" if found.binding else "nothing"


VIEW, LIMITED = one("view", "v"), one("view", "v", qos_policy=ref("qos_policy", "v"))
LIVE = one("qos_policy", "v", **capped(5), tenant=None, name="v")


def test_there_is_no_before_where_nothing_was_seen() -> None:
    mine = volume()
    assert before(facts((mine,), None), mine) is None
    assert before(facts((mine,), ()), mine) is None  # there is no such view
    assert before(facts((mine,), (one("view", "v", site="pdx"), one("view", "w"))), mine) is None
    for kind in ("view", "qos_policy", "tenant"):
        assert before(facts((mine,), (VIEW,), known=KNOWN - {("iad", kind)}), mine) is None
    assert before(facts((mine,), (VIEW,)), mine) is not None


def test_a_view_has_the_policy_that_it_has_now() -> None:
    inline, named = volume(qos=capped(9)), volume(qos_policy=ref("qos_policy", "gold"))
    gold = one("qos_policy", "gold", **capped(9))
    assert binds(inline, (), (VIEW,)) == "nothing"
    assert binds(inline, (), (LIMITED, LIVE)) == "QoS bandwidth of volume v at 5"
    assert binds(volume(), (), (LIMITED, LIVE)) == "QoS bandwidth of policy v at 5"
    assert binds(named, (gold,), (VIEW, gold)) == "nothing"
    assert binds(named, (gold,), (LIMITED, LIVE, gold)) == "QoS bandwidth of policy v at 5"
    silver = one("view", "v", qos_policy=ref("qos_policy", "silver"))
    assert binds(inline, (), (silver, LIVE, one("qos_policy", "silver", **capped(7)))) == (
        "QoS bandwidth of policy silver at 7"
    )


def test_a_policy_by_name_limits_as_it_is_live() -> None:
    of_class = volume(path="/v", storage_class=ref("storage_class", "c"))
    klass, gold = (
        one("storage_class", "c", qos_policy=ref("qos_policy", "gold")),
        one("qos_policy", "gold", **capped(9)),
    )
    assert binds(of_class, (klass, gold), (VIEW, one("qos_policy", "gold", **capped(3)))) == (
        "QoS bandwidth of policy gold at 3"
    )
    assert binds(of_class, (klass, gold), (VIEW,)) == "nothing"
    assert binds(of_class, (klass, gold), (VIEW, one("qos_policy", "gold", site="pdx", **capped(3)))) == "nothing"
    gold = one("qos_policy", "gold", **capped(8))
    elsewhere = one("storage_class", "c", qos_policy=ref("qos_policy", "gold", "pdx"))
    there = one("qos_policy", "gold", site="pdx", **capped(9))
    assert binds(of_class, (elsewhere, there), (VIEW, gold)) == "QoS bandwidth of policy gold at 9"


def test_the_policy_of_everybody_is_still_its_tenants() -> None:
    mine, team = volume(tenant=ref("tenant", "t")), one("tenant", "t")
    default: dict[str, Any] = {"policy_type": "USER", "is_default": True}
    said = one("qos_policy", "u", tenant=ref("tenant", "t"), **default, **capped(9))
    live = one("qos_policy", "u", tenant=None, burst=None, **default, **capped(4))
    assert binds(mine, (team, said), (VIEW, team, live)) == "QoS bandwidth of policy u at 4"


@pytest.mark.parametrize(
    ("live", "expected"),
    [
        (one("tenant", "t", qos=capped(4), comment=None), "QoS bandwidth of tenant t at 4"),
        (one("tenant", "t", qos=None), "nothing"),
        (one("tenant", "t"), "nothing"),
        (one("tenant", "other", qos=capped(4)), "nothing"),
        (one("qos_policy", "t", qos=capped(4)), "nothing"),
    ],
)
def test_a_tenants_limits_are_those_it_has_now(live: Entry, expected: str) -> None:
    mine = volume(tenant=ref("tenant", "t"))
    assert binds(mine, (one("tenant", "t", qos=capped(9)),), (VIEW, live)) == expected


def test_what_else_a_tenant_says_is_the_documents() -> None:
    mine = volume(tenant=ref("tenant", "t"))
    team = one("tenant", "t", qos=capped(9), capacity_rules={"hard_limit": 7})
    found = before(facts((mine, team), (VIEW, one("tenant", "t", capacity_rules={"hard_limit": 5}))), mine)
    assert found is not None and found.demand.tenant_bytes == 7
    free = one("tenant", "t", capacity_rules={"hard_limit": 0})  # no limit
    found = before(facts((mine, free), (VIEW, free)), mine)
    assert found is not None and found.demand.tenant_bytes is None


def test_a_claim_has_a_before_once_it_is_made() -> None:
    mine = volume(qos_policy=ref("qos_policy", "gold"))
    claim = mine.without("path")
    mine = one("volume", "v", **claim)
    gold = one("qos_policy", "gold", **capped(9))
    live = (one("qos_policy", "gold", **capped(3)),)
    made = {Address("iad", "persistent_volume_claim", "v"): 1}
    assert before(facts((mine, gold), live), mine) is None
    assert before(facts((mine, gold), live, made={Address("iad", "persistent_volume_claim", "w"): 1}), mine) is None
    assert binds(mine, (gold,), live, made=made) == "QoS bandwidth of policy gold at 3"


def test_a_policy_that_the_document_does_not_have() -> None:
    mine = one("volume", "v", checkpoint=SAID, qos_policy=ref("qos_policy", "x"))
    made = {Address("iad", "persistent_volume_claim", "v"): 1}
    assert binds(mine, (), (one("qos_policy", "x", **capped(2)),), made=made) == "QoS bandwidth of policy x at 2"


def test_what_the_site_can_do_counts_before_and_after() -> None:
    mine = volume()
    told = {"capabilities": {"iad": {"writes_bw_mbps": 6}, "pdx": {"writes_bw_mbps": 1}}}
    assert binds(mine, (), (VIEW,), **told) == "site's write bandwidth at 6"
    (found,) = budgets(facts((mine,), (LIMITED, LIVE), **told))
    assert found.figures["write_seconds"] == 10**12 / (6 * 10**6)
    assert found.changes[:2] == (
        "write time 55.6 h -> 46.3 h",
        "what binds: QoS bandwidth of policy v -> site's write bandwidth",
    )
    assert budgets(facts((mine,), None, **told))[0].changes == ()


def test_all_volumes_in_the_order_of_their_addresses() -> None:
    senseless = volume("a", checkpoint={**SAID, "keep_last": 0})
    silent = one("volume", "c", path="/c")
    mine = [volume("d", qos=capped(4)), silent, senseless, volume("b", qos=capped(7))]
    found = facts(mine, None, capabilities={"iad": {"writes_bw_mbps": 10}})
    assert [(each.volume.address.name, each.budget is None) for each in judged(found)] == [
        ("a", True),
        ("b", False),
        ("d", False),
    ]
    assert [each.address for each in budgets(found)] == ["iad/volume/b", "iad/volume/d"]
    codes = [[each.code for each in one.findings] for one in judged(found)]
    assert [("CKP-10" in each) for each in codes] == [True, False, False]
    first = judged(found)[0].findings[0]
    assert first.fix == "the budget is computed once this is settled" and first.severity.value == "error"
    assert "CKP-00" in codes[0] and "CKP-16" in codes[1]
    assert judged(found) is judged(found)


def test_volumes_of_two_sites_do_not_coincide() -> None:
    there = Entry(Address("pdx", "volume", "b"), {"checkpoint": SAID, "path": "/b", "qos": capped(7)})
    sites = {"iad": {"writes_bw_mbps": 10}, "pdx": {"writes_bw_mbps": 10}}
    found = facts([volume(qos=capped(4)), there], None, sites={"iad": None, "pdx": None}, capabilities=sites)
    assert [each.code for one in judged(found) for each in one.findings if each.code == "CKP-10"] == []
    twice = [Entry(Address("pdx", "volume", name), there.values) for name in "ba"]
    found = facts([volume(qos=capped(4)), *twice], None, sites={"iad": None, "pdx": None}, capabilities=sites)
    assert [["CKP-10" in [each.code for each in one.findings]] for one in judged(found)] == [[False], [True], [False]]


def test_the_digits_of_a_curve() -> None:
    mine = volume(checkpoint={**SAID, "gpus": {"default": 16384}})
    (found,) = budgets(facts((mine,), None, capabilities={"iad": {"writes_bw_mbps": 7000}}))
    assert found.curve and all(
        len(f"{value:.15g}".replace(".", "").strip("0")) <= 6 for pair in found.curve for value in pair
    )
    assert any(len(f"{value:.15g}".replace(".", "").strip("0")) == 6 for pair in found.curve for value in pair)
