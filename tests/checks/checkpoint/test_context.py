"""What a volume refers to, and what its policies hold its writes to, by hand."""

from __future__ import annotations

from typing import Any

import pytest

from vastplan.checks.checkpoint.document import VolumeContext
from vastplan.checks.checkpoint.inputs import SnapshotFrame
from vastplan.checks.checkpoint.write_time import LimitKind, follows_used_capacity, policy_limits
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.composition import Scope
from vastplan.schema.entries import Entry

MB = 10**6


def ref(kind: str, name: str) -> Ref:
    return Ref(Address("iad", kind, name))


def entry(kind: str, name: str, /, **values: Any) -> Entry:
    return Entry(Address("iad", kind, name), values)


def context(*entries: Entry, **volume: Any) -> VolumeContext:
    return VolumeContext(entry("volume", "v", **volume), Scope({}, entries))


def limits(volume: VolumeContext, per_cnode: int | None = None) -> list[tuple[LimitKind, str, float]]:
    return [(limit.kind, limit.owner, limit.bytes_per_second) for limit in volume.write_limits(per_cnode)]


PER_GB = {"max_writes_bw_mbps_per_gb_capacity": 2, "max_writes_iops_per_gb_capacity": 3}
TOTAL_PER_GB = {"max_bw_mbps_per_gb_capacity": 2, "max_iops_per_gb_capacity": 1}
TOTAL = {
    "max_bw_mbps": 6, "burst_bw_mb": 8, "burst_loan_mb": 1, "max_iops": 1, "burst_iops": 2, "burst_loan_iops": 3,
}  # fmt: skip


def capped(rate: int, **more: Any) -> dict[str, Any]:
    return {"static_limits": {"max_writes_bw_mbps": rate}, **more}


MINE, HIS = entry("tenant", "mine", qos=capped(5)), entry("tenant", "his", qos=capped(7))
TEAM = entry("project", "team", tenant=ref("tenant", "mine"), node_pools={"a100": {}})
TENANT_LIMIT = (LimitKind.QOS_BANDWIDTH, "tenant mine", 5 * MB)


def test_whose_tenant_holds_a_volume() -> None:
    assert limits(context(MINE, HIS, TEAM, tenant=ref("tenant", "mine"))) == [TENANT_LIMIT]
    assert limits(context(MINE, HIS, TEAM, project=ref("project", "team"))) == [TENANT_LIMIT]
    assert limits(context(MINE, HIS, TEAM, project=ref("project", "team"), tenant=ref("tenant", "his"))) == [
        (LimitKind.QOS_BANDWIDTH, "tenant his", 7 * MB)
    ]
    assert limits(context(MINE, HIS, TEAM)) == []
    assert limits(context(MINE, entry("project", "alone"), project=ref("project", "alone"))) == []
    bare = context(entry("tenant", "mine"), tenant=ref("tenant", "mine"))
    assert limits(bare) == [] and bare.unknown == [] and bare.tenant_values == {}


def test_what_is_not_in_the_document_is_said() -> None:
    volume = context(storage_class=ref("storage_class", "c"), qos_policy=ref("qos_policy", "q"), tenant=ref("tenant", "t"),
                   snapshots=ref("protection_policy", "s"))  # fmt: skip
    assert limits(volume) == [] and volume.snapshot_schedule() == ((), "")
    assert volume.unknown == [
        "storage class c is not in this document: its limits are not counted",
        "QoS policy q is not in this document: its limits are not counted",
        "tenant t is not in this document: its limits are not counted",
        "snapshot schedule s is not in this document: its limits are not counted",
    ]


def test_the_policies_that_hold_a_volume() -> None:
    gold, of_class = entry("qos_policy", "gold", **capped(11)), entry("qos_policy", "silver", **capped(12))
    users = [
        entry(
            "qos_policy", "everybody", tenant=ref("tenant", "mine"), policy_type="USER", is_default=True, **capped(13)
        ),
        entry("qos_policy", "few", tenant=ref("tenant", "mine"), policy_type="USER", is_default=False, **capped(14)),
        entry("qos_policy", "views", tenant=ref("tenant", "mine"), policy_type="VIEW", is_default=True, **capped(15)),
        entry("qos_policy", "others", tenant=ref("tenant", "his"), policy_type="USER", is_default=True, **capped(16)),
    ]
    storage_class = entry("storage_class", "c", qos_policy=ref("qos_policy", "silver"))
    volume = context(
        gold, of_class, *users, storage_class, MINE, HIS, tenant=ref("tenant", "mine"), qos_policy=ref("qos_policy", "gold"),
        storage_class=ref("storage_class", "c"), qos=capped(10), size=10**9,
    )  # fmt: skip
    assert [(owner, rate // MB) for _, owner, rate in limits(volume)] == [
        ("volume v", 10), ("policy gold", 11), ("policy silver", 12), ("tenant mine", 5), ("policy everybody", 13),
    ]  # fmt: skip
    by_use = context(MINE, tenant=ref("tenant", "mine"), qos={"mode": "USED_CAPACITY"})
    assert limits(by_use) == [TENANT_LIMIT]
    assert by_use.unknown == ["QoS of volume v depends on the used capacity, which a document does not say"]


def test_the_pool_that_a_volume_is_mounted_by() -> None:
    def pool(name: str, cnodes: int, tenant: str = "mine") -> Entry:
        ids = list(range(cnodes)) or None
        return entry("vip_pool", name, tenant=ref("tenant", tenant), cnode_ids=ids)

    pools = [pool("two", 2), pool("three", 3, "his"), pool("all", 0, "nobody")]
    mine: dict[str, Any] = {"tenant": ref("tenant", "mine")}
    his: dict[str, Any] = {"tenant": ref("tenant", "his")}

    def pool_limits(per_cnode: int | None = 10, **volume: Any) -> list[tuple[LimitKind, str, float]]:
        storage_class = entry("storage_class", "c", vip_pool=ref("vip_pool", "three"))
        entries = (entry("tenant", "mine"), entry("tenant", "his"), *pools, storage_class)
        return limits(context(*entries, **volume), per_cnode)

    assert pool_limits(**mine) == [(LimitKind.VIP_POOL, "two", 20 * MB)]
    assert pool_limits(**his) == [(LimitKind.VIP_POOL, "three", 30 * MB)]
    assert pool_limits(**his, vip_pool=ref("vip_pool", "two")) == [(LimitKind.VIP_POOL, "two", 20 * MB)]
    assert pool_limits(**mine, storage_class=ref("storage_class", "c")) == [(LimitKind.VIP_POOL, "three", 30 * MB)]
    both: dict[str, Any] = {"vip_pool": ref("vip_pool", "two"), "storage_class": ref("storage_class", "c")}
    assert pool_limits(**his, **both) == [(LimitKind.VIP_POOL, "two", 20 * MB)]
    assert pool_limits(**his, vip_pool=ref("vip_pool", "all")) == pool_limits(None, **mine) == pool_limits() == []
    pools.append(pool("four", 4))
    assert pool_limits(**mine) == []  # of two nobody knows which


def test_a_project_is_the_tenants_only_one_where_none_is_named() -> None:
    mine = {"tenant": ref("tenant", "mine")}
    for entries, refused in (
        ((TEAM,), True),
        ((TEAM, entry("project", "other", tenant=ref("tenant", "mine"))), False),
        ((), False),
    ):
        volume = context(MINE, *entries, **mine)
        if refused:
            with pytest.raises(
                ValueError,
                match=r"^project team has no GPUs in node pool h200: give it some there, or use one of a100$",
            ):
                volume.require_node_pools({"a100": 8, "h200": 8})
        else:
            volume.require_node_pools({"h200": 8})
        volume.require_node_pools({"a100": 8})
    nothing: dict[str, Any] = {}
    for empty in (None, nothing):
        context(
            MINE, entry("project", "team", tenant=ref("tenant", "mine"), node_pools=empty), **mine
        ).require_node_pools({"h200": 8})


def test_the_schedule_of_a_volume() -> None:
    frames = [
        {"every": 60, "keep_local": 3},
        {"every": 70, "keep_remote": 4},
        {"every": 80, "keep_local": 5, "keep_remote": 6},
    ]
    local = entry("protection_policy", "s", frames=frames)
    named = {"snapshots": ref("protection_policy", "s")}
    assert context(local, **named).snapshot_schedule() == (
        (
            SnapshotFrame(every=60, keep_local=3), SnapshotFrame(every=70, keep_remote=4),
            SnapshotFrame(every=80, keep_local=5, keep_remote=6),
        ),
        "",
    )  # fmt: skip
    for between, there in ((("iad", "pdx"), "pdx"), (("pdx", "iad"), "pdx"), (("iad",), "")):
        peering = entry("replication_peering", "link", between={site: {} for site in between})
        far = entry("protection_policy", "s", frames=frames, replicate_to=ref("replication_peering", "link"))
        assert context(far, peering, **named).snapshot_schedule()[1] == there
    assert context().snapshot_schedule() == ((), "")


@pytest.mark.parametrize(
    ("values", "expected"),
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
def test_what_a_policy_holds_writes_to(values: dict[str, Any], expected: list[Any]) -> None:
    limits_set = list(policy_limits(values, "v", 3 * 10**9))
    assert [
        (limit.bytes_per_second, limit.burst_bytes_per_second, limit.credit_bytes) for limit in limits_set
    ] == expected
    assert {limit.owner for limit in limits_set} <= {"v"}
    if "capacity" in str(values):
        assert list(policy_limits(values, "v")) == []
    assert not follows_used_capacity(values)
