"""What stands around a volume, and what its policies hold its writes to, by hand."""

from __future__ import annotations

from typing import Any

import pytest

from vastplan.checks.checkpoint import Frame, Sort
from vastplan.checks.checkpoint.around import Around
from vastplan.checks.checkpoint.qos import limits_of, unknown_of
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry, Scope

MB = 10**6


def ref(kind: str, name: str) -> Ref:
    return Ref(Address("iad", kind, name))


def one(kind: str, name: str, /, **values: Any) -> Entry:
    return Entry(Address("iad", kind, name), values)


def around(*entries: Entry, **volume: Any) -> Around:
    return Around(one("volume", "v", **volume), Scope({}, entries))


def told(found: Around, per_cnode: int | None = None) -> list[tuple[Sort, str, float]]:
    return [(one.sort, one.owner, one.bytes_per_second) for one in found.limits(per_cnode)]


PER_GB = {"max_writes_bw_mbps_per_gb_capacity": 2, "max_writes_iops_per_gb_capacity": 3}
TOTAL_PER_GB = {"max_bw_mbps_per_gb_capacity": 2, "max_iops_per_gb_capacity": 1}
TOTAL = {
    "max_bw_mbps": 6, "burst_bw_mb": 8, "burst_loan_mb": 1, "max_iops": 1, "burst_iops": 2, "burst_loan_iops": 3,
}  # fmt: skip


def capped(rate: int, **more: Any) -> dict[str, Any]:
    return {"static_limits": {"max_writes_bw_mbps": rate}, **more}


MINE, HIS = one("tenant", "mine", qos=capped(5)), one("tenant", "his", qos=capped(7))
TEAM = one("project", "team", tenant=ref("tenant", "mine"), node_pools={"a100": {}})
TENANT_LIMIT = (Sort.QOS_BANDWIDTH, "tenant mine", 5 * MB)


def test_whose_tenant_holds_a_volume() -> None:
    assert told(around(MINE, HIS, TEAM, tenant=ref("tenant", "mine"))) == [TENANT_LIMIT]
    assert told(around(MINE, HIS, TEAM, project=ref("project", "team"))) == [TENANT_LIMIT]
    assert told(around(MINE, HIS, TEAM, project=ref("project", "team"), tenant=ref("tenant", "his"))) == [
        (Sort.QOS_BANDWIDTH, "tenant his", 7 * MB)
    ]
    assert told(around(MINE, HIS, TEAM)) == []
    assert told(around(MINE, one("project", "alone"), project=ref("project", "alone"))) == []
    bare = around(one("tenant", "mine"), tenant=ref("tenant", "mine"))
    assert told(bare) == [] and bare.unknown == [] and bare.tenant_values == {}


def test_what_is_not_in_the_document_is_said() -> None:
    found = around(storage_class=ref("storage_class", "c"), qos_policy=ref("qos_policy", "q"), tenant=ref("tenant", "t"),
                   snapshots=ref("protection_policy", "s"))  # fmt: skip
    assert told(found) == [] and found.schedule() == ((), "")
    assert found.unknown == [
        "storage class c is not in this document: what it limits is not counted",
        "QoS policy q is not in this document: what it limits is not counted",
        "tenant t is not in this document: what it limits is not counted",
        "snapshot schedule s is not in this document: what it limits is not counted",
    ]


def test_the_policies_that_hold_a_volume() -> None:
    gold, of_class = one("qos_policy", "gold", **capped(11)), one("qos_policy", "silver", **capped(12))
    users = [
        one("qos_policy", "everybody", tenant=ref("tenant", "mine"), policy_type="USER", is_default=True, **capped(13)),
        one("qos_policy", "few", tenant=ref("tenant", "mine"), policy_type="USER", is_default=False, **capped(14)),
        one("qos_policy", "views", tenant=ref("tenant", "mine"), policy_type="VIEW", is_default=True, **capped(15)),
        one("qos_policy", "others", tenant=ref("tenant", "his"), policy_type="USER", is_default=True, **capped(16)),
    ]
    made = one("storage_class", "c", qos_policy=ref("qos_policy", "silver"))
    found = around(
        gold, of_class, *users, made, MINE, HIS, tenant=ref("tenant", "mine"), qos_policy=ref("qos_policy", "gold"),
        storage_class=ref("storage_class", "c"), qos=capped(10), size=10**9,
    )  # fmt: skip
    assert [(owner, rate // MB) for _, owner, rate in told(found)] == [
        ("volume v", 10), ("policy gold", 11), ("policy silver", 12), ("tenant mine", 5), ("policy everybody", 13),
    ]  # fmt: skip
    by_use = around(MINE, tenant=ref("tenant", "mine"), qos={"mode": "USED_CAPACITY"})
    assert told(by_use) == [TENANT_LIMIT]
    assert by_use.unknown == ["QoS of volume v follows the capacity used, which a document does not say"]


def test_the_pool_that_a_volume_is_mounted_by() -> None:
    def pool(name: str, cnodes: int, tenant: str = "mine") -> Entry:
        ids = list(range(cnodes)) or None
        return one("vip_pool", name, tenant=ref("tenant", tenant), cnode_ids=ids)

    pools = [pool("two", 2), pool("three", 3, "his"), pool("all", 0, "nobody")]
    mine: dict[str, Any] = {"tenant": ref("tenant", "mine")}
    his: dict[str, Any] = {"tenant": ref("tenant", "his")}

    def held(per_cnode: int | None = 10, **volume: Any) -> list[tuple[Sort, str, float]]:
        made = one("storage_class", "c", vip_pool=ref("vip_pool", "three"))
        entries = (one("tenant", "mine"), one("tenant", "his"), *pools, made)
        return told(around(*entries, **volume), per_cnode)

    assert held(**mine) == [(Sort.VIP_POOL, "two", 20 * MB)]
    assert held(**his) == [(Sort.VIP_POOL, "three", 30 * MB)]
    assert held(**his, vip_pool=ref("vip_pool", "two")) == [(Sort.VIP_POOL, "two", 20 * MB)]
    assert held(**mine, storage_class=ref("storage_class", "c")) == [(Sort.VIP_POOL, "three", 30 * MB)]
    both: dict[str, Any] = {"vip_pool": ref("vip_pool", "two"), "storage_class": ref("storage_class", "c")}
    assert held(**his, **both) == [(Sort.VIP_POOL, "two", 20 * MB)]
    assert held(**his, vip_pool=ref("vip_pool", "all")) == held(None, **mine) == held() == []
    pools.append(pool("four", 4))
    assert held(**mine) == []  # of two nobody knows which


def test_a_project_is_the_tenants_only_one_where_none_is_named() -> None:
    mine = {"tenant": ref("tenant", "mine")}
    for entries, refused in (
        ((TEAM,), True),
        ((TEAM, one("project", "other", tenant=ref("tenant", "mine"))), False),
        ((), False),
    ):
        found = around(MINE, *entries, **mine)
        if refused:
            with pytest.raises(
                ValueError,
                match=r"^project team has no GPUs in node pool h200: give it some there, or take one of a100$",
            ):
                found.pools({"a100": 8, "h200": 8})
        else:
            found.pools({"h200": 8})
        found.pools({"a100": 8})
    nothing: dict[str, Any] = {}
    for empty in (None, nothing):
        around(MINE, one("project", "team", tenant=ref("tenant", "mine"), node_pools=empty), **mine).pools({"h200": 8})


def test_the_schedule_of_a_volume() -> None:
    frames = [
        {"every": 60, "keep_local": 3},
        {"every": 70, "keep_remote": 4},
        {"every": 80, "keep_local": 5, "keep_remote": 6},
    ]
    local = one("protection_policy", "s", frames=frames)
    named = {"snapshots": ref("protection_policy", "s")}
    assert around(local, **named).schedule() == (
        (Frame(every=60, keep_local=3, keep_remote=0), Frame(every=70, keep_local=0, keep_remote=4), Frame(every=80, keep_local=5, keep_remote=6)),
        "",
    )  # fmt: skip
    for between, there in ((("iad", "pdx"), "pdx"), (("pdx", "iad"), "pdx"), (("iad",), "")):
        peering = one("replication_peering", "link", between={site: {} for site in between})
        far = one("protection_policy", "s", frames=frames, replicate_to=ref("replication_peering", "link"))
        assert around(far, peering, **named).schedule()[1] == there
    assert around().schedule() == ((), "")


@pytest.mark.parametrize(
    ("values", "limits"),
    [
        ({}, []),
        (capped(0), []),
        (capped(7, limit_by="IOPS"), []),
        (capped(7, limit_by="BW"), [(7 * MB, None, 0)]),
        ({"static_limits": {"max_reads_bw_mbps": 7}}, []),
        ({"static_limits": {"max_writes_bw_mbps": 7, "burst_writes_bw_mb": 9, "burst_writes_loan_mb": 5}}, [(7 * MB, 9 * MB, 5 * MB)]),
        ({"static_limits": {"max_writes_bw_mbps": 7, "burst_writes_loan_mb": 5}}, [(7 * MB, None, 0)]),
        ({"static_limits": {"max_writes_iops": 2, "burst_writes_iops": 3, "burst_writes_loan_iops": 4}}, [(131072, 196608, 262144)]),
        ({"static_limits": {"max_writes_iops": 2, "burst_writes_loan_iops": 4}}, [(131072, None, 0)]),
        ({"static_limits": {"max_writes_iops": 2, "burst_writes_iops": 3, "burst_writes_loan_iops": None}}, [(131072, 196608, 0)]),
        ({"static_limits": {"max_writes_iops": None, "max_writes_bw_mbps": None}}, []),
        ({"limit_by": "BW", "static_limits": {"max_writes_iops": 2}}, []),
        ({"use_total_limits": True, **capped(7), "static_total_limits": TOTAL}, [(6 * MB, 8 * MB, MB), (65536, 131072, 196608)]),
        ({"static_total_limits": {"max_bw_mbps": 6}}, []),
        ({"mode": "PROVISIONED_CAPACITY", "capacity_limits": PER_GB}, [(6 * MB, None, 0), (9 * 65536, None, 0)]),
        ({"mode": "PROVISIONED_CAPACITY", "limit_by": "BW", "capacity_limits": PER_GB}, [(6 * MB, None, 0)]),
        ({"mode": "PROVISIONED_CAPACITY", "limit_by": "IOPS", "capacity_limits": PER_GB}, [(9 * 65536, None, 0)]),
        ({"mode": "PROVISIONED_CAPACITY", "use_total_limits": True, "capacity_total_limits": TOTAL_PER_GB}, [(6 * MB, None, 0), (3 * 65536, None, 0)]),
        ({"mode": "PROVISIONED_CAPACITY"}, []),
        ({"mode": "STATIC", "capacity_limits": {"max_writes_bw_mbps_per_gb_capacity": 2}}, []),
    ],
)  # fmt: skip
def test_what_a_policy_holds_writes_to(values: dict[str, Any], limits: list[Any]) -> None:
    found = list(limits_of(values, "it", 3 * 10**9))
    assert [(one.bytes_per_second, one.burst_bytes_per_second, one.credit_bytes) for one in found] == limits
    assert {one.owner for one in found} <= {"it"}
    if "capacity" in str(values):
        assert list(limits_of(values, "it")) == []
    assert list(unknown_of(values, "it")) == []
