"""What sites promise, by hand: before and after as a plan has them, on two sites, with what could not be read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from vastplan.app.checks import catalogue
from vastplan.checks.commitments.capacity import claimed_bytes, hard_limits_of, promised_bytes
from vastplan.checks.commitments.pools import deserved, pools, sites_of_unknown_pools
from vastplan.checks.commitments.sums import capacity_limit, commitment_rows
from vastplan.checks.facts import Facts, LiveObject
from vastplan.checks.index import Index
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry

EVERYTHING = frozenset((site, kind) for site in ("iad", "pdx") for kind in ("quota", "view", "qos_policy", "project"))


def at(site: str, kind: str, name: str) -> Ref:
    return Ref(Address(site, kind, name))


def entry(site: str, kind: str, name: str, /, **values: Any) -> Entry:
    return Entry(Address(site, kind, name), values)


def site(name: str, *, quota: int = 0, gpus: float = 0, reads: int = 0, views: int = 0) -> list[Entry]:
    """A tenant with a quota, views that share a policy, and a project."""
    floor = {"static_limits": {"min_reads_bw_mbps": reads, "max_writes_iops": None}}
    return [
        entry(name, "tenant", "t"),
        entry(name, "quota", "q", tenant=at(name, "tenant", "t"), path="/q", hard_limit=quota),
        entry(name, "project", "p", node_pools={"a100": {"gpu": {"deserved": gpus}}, "idle": {"gpu": None}, "none": None}),
        entry(name, "qos_policy", "gold", **floor),
        *(entry(name, "view", f"v{number}", path=f"/v{number}", qos_policy=at(name, "qos_policy", "gold")) for number in range(views)),
    ]  # fmt: skip


def facts(objects: Iterable[Entry], **more: Any) -> Facts:
    index = Index(objects)
    return Facts(**{"sites": {"iad": None, "pdx": None}, "objects": index, "written": index, **more})


def sums(facts_of_sites: Facts) -> dict[tuple[str, str], tuple[Any, ...]]:
    return {(row.site, row.what): (row.before, row.after, row.limit) for row in commitment_rows(facts_of_sites)}


READS, GPUS = "QoS minimums of reads", "GPUs of node pool a100"
BIG = [*site("iad", quota=10, gpus=8, reads=5, views=2), *site("pdx", quota=100, gpus=64, reads=50, views=2)]
SMALL = [*site("iad", quota=7, gpus=3, reads=4, views=1), *site("pdx", quota=70, gpus=24, reads=40, views=1)]


def test_a_document_by_itself_has_no_before() -> None:
    assert sums(facts(BIG)) == {
        ("iad", "hard limits"): (None, 10, None),
        ("iad", READS): (None, 10, None),
        ("iad", GPUS): (None, 8, None),
        ("pdx", "hard limits"): (None, 100, None),
        ("pdx", READS): (None, 100, None),
        ("pdx", GPUS): (None, 64, None),
    }


def test_before_and_after_of_each_site_are_its_own() -> None:
    document = facts(BIG, before=Index(SMALL), after=Index(BIG), known=EVERYTHING)
    assert sums(document) == {
        ("iad", "hard limits"): (7, 10, None),
        ("iad", READS): (4, 10, None),
        ("iad", GPUS): (3, 8, None),
        ("pdx", "hard limits"): (70, 100, None),
        ("pdx", READS): (40, 100, None),
        ("pdx", GPUS): (24, 64, None),
    }


def test_after_is_what_stays_there_and_not_only_the_document() -> None:
    document = facts(SMALL, before=Index(SMALL), after=Index(BIG), known=EVERYTHING)
    assert sums(document)["iad", "hard limits"] == (7, 10, None) and sums(document)["iad", GPUS] == (3, 8, None)


def test_what_all_goes_is_still_told() -> None:
    document = facts([], before=Index(SMALL), after=Index([]), known=EVERYTHING)
    assert sums(document) == {
        ("iad", "hard limits"): (7, 0, None),
        ("iad", READS): (4, 0, None),
        ("iad", GPUS): (3, 0, None),
        ("pdx", "hard limits"): (70, 0, None),
        ("pdx", READS): (40, 0, None),
        ("pdx", GPUS): (24, 0, None),
    }


def test_what_is_new_was_nothing() -> None:
    rows = sums(facts(BIG, before=Index([]), after=Index(BIG), known=EVERYTHING))
    assert {key: value for key, value in rows.items() if key[0] == "iad"} == {
        ("iad", "hard limits"): (0, 10, None),
        ("iad", READS): (0, 10, None),
        ("iad", GPUS): (0, 8, None),
    }


@pytest.mark.parametrize(
    ("lost", "rows"),
    [("quota", {"hard limits"}), ("view", {READS}), ("qos_policy", {READS}), ("project", {GPUS})],
)
def test_what_could_not_be_read_has_no_before(lost: str, rows: set[str]) -> None:
    without = sums(facts(BIG, before=Index(SMALL), after=Index(BIG), known=EVERYTHING - {("iad", lost)}))
    assert {(name, what) for (name, what), (before, _, _) in without.items() if before is None} == {
        ("iad", what) for what in rows
    }


def test_what_a_site_has() -> None:
    capabilities = {
        "iad": {
            "usable_capacity": 1000, "promised_percent": 80, "reads_bw_mbps": 6, "writes_bw_mbps": 7, "reads_iops": 8,
            "writes_iops": 9, "gpus": {"a100": 4},
        }
    }  # fmt: skip
    names = [
        f"{bound}_{way}_{unit}"
        for bound in ("min", "max")
        for way in ("reads", "writes")
        for unit in ("bw_mbps", "iops")
    ]
    policy = entry("iad", "qos_policy", "all", static_limits=dict.fromkeys(names, 1))
    view = entry("iad", "view", "v", path="/v", qos_policy=at("iad", "qos_policy", "all"))
    document = facts([*site("iad", quota=10, gpus=8), policy, view], capabilities=capabilities)
    live = {
        ("iad", "cluster"): (
            LiveObject(Address("iad", "cluster", "c"), {}, {"read bandwidth": 1, "write bandwidth": 2}),
        )
    }
    assert sums(document)["iad", "hard limits"] == (None, 10, 800) and sums(document)["iad", GPUS] == (None, 8, 4)
    rows = {(row.what, row.unit): row.limit for row in commitment_rows(document) if row.what.startswith("QoS")}
    assert rows == {
        (f"QoS {bound} of {way}", unit): limit
        for bound in ("minimums", "maximums")
        for way, unit, limit in (
            ("reads", "MB/s", 6),
            ("reads", "IOPS", 8),
            ("writes", "MB/s", 7),
            ("writes", "IOPS", 9),
        )
    }
    bare = facts([*site("iad", quota=10), policy, view], seen=live)
    rows = {
        (row.what, row.unit): row.limit
        for row in commitment_rows(bare)
        if row.what.startswith("QoS m") and "max" not in row.what
    }
    assert rows["QoS minimums of reads", "MB/s"] == 1 and rows["QoS minimums of writes", "MB/s"] == 2
    assert rows["QoS minimums of reads", "IOPS"] is None


def test_the_capacity_of_a_site_is_that_of_its_only_cluster() -> None:
    def having(*figures: Any) -> Facts:
        clusters = tuple(
            LiveObject(Address("iad", "cluster", str(n)), {}, {"usable capacity": capacity})
            for n, capacity in enumerate(figures)
        )
        return facts([], seen={("iad", "cluster"): clusters})

    assert [capacity_limit(having(*figures), "iad") for figures in ((9,), (), (9, 9), (None,))] == [9, None, None, None]


def test_claims_count_where_no_quota_holds_them() -> None:
    tenant, policy = at("iad", "tenant", "t"), entry("iad", "view_policy", "p", tenant=at("iad", "tenant", "t"))
    values = {"driver": "file", "view_policy": at("iad", "view_policy", "p")}

    def of(path: str, *quotas: str, made: dict[Address, int] | None = None, **more: Any) -> int:
        entries = [
            policy,
            entry("iad", "storage_class", "first", storage_path="/other", **values),
            entry("iad", "quota", "other", tenant=tenant, path="/other", hard_limit=100),
            entry("iad", "storage_class", "c", storage_path=path, **{**values, **more}),
            entry("iad", "persistent_volume_claim", "x", storage_class=at("iad", "storage_class", "c"), size=8),
            entry("iad", "persistent_volume_claim", "y", storage_class=at("iad", "storage_class", "c"), size=None),
            *(entry("iad", "quota", quota, tenant=tenant, path=quota, hard_limit=100) for quota in quotas),
            entry("iad", "quota", "soft", tenant=tenant, path=path, hard_limit=None),
            entry("iad", "quota", "nobody", tenant=None, path=path, hard_limit=5),
        ]
        document = facts(entries)
        return claimed_bytes(document, hard_limits_of(document.objects), made).get(tenant.target, 0)

    claim = Address("iad", "persistent_volume_claim", "x")
    assert of("/k8s") == of("/k8s/deep", "/k8s/deep/er") == of("/k8s", "/k8s2") == of("/a/b", "/b") == 8
    assert of("/k8s", "/k8s") == of("/k8s/deep", "/k8s") == of("/a/b/c", "/a/b") == of("/k8s", "/") == of("/", "/") == 0
    assert [of("/k8s", made={claim: size}) for size in (3, 8, 9)] == [5, 0, 0]


def test_guaranteed_gpus() -> None:
    pools: dict[str, Any] = {
        "a": {"gpu": {"deserved": 2}},
        "b": {"gpu": {"deserved": 0}},
        "c": {"gpu": None},
        "d": None,
    }
    assert list(deserved(entry("iad", "project", "p", node_pools=pools))) == [("a", 2)]
    assert list(deserved(entry("iad", "project", "p"))) == []
    two = [entry("iad", "project", name, node_pools=pools) for name in ("p", "q")]
    assert sums(facts(two))["iad", "GPUs of node pool a"] == (None, 4, None)


def test_a_class_whose_tenant_nobody_says_stands_for_it() -> None:
    def of(*quotas: Entry) -> dict[Address, int]:
        entries = [
            entry("iad", "storage_class", "c", driver="file", storage_path="/k8s/c", view_policy=at("iad", "view_policy", "x")),
            entry("iad", "persistent_volume_claim", "x", storage_class=at("iad", "storage_class", "c"), size=8),
        ]  # fmt: skip
        document = facts([*entries, *quotas])
        return claimed_bytes(document, hard_limits_of(document.objects))

    def quota(site: str, tenant: str, path: str) -> Entry:
        return entry(site, "quota", f"{tenant}{path}", tenant=at(site, "tenant", tenant), path=path, hard_limit=1)

    klass = Address("iad", "storage_class", "c")
    assert of() == of(quota("pdx", "t", "/k8s")) == of(quota("iad", "t", "/k")) == {klass: 8}
    assert of(quota("iad", "t", "/k8s")) == of(quota("iad", "s", "/z"), quota("iad", "t", "/")) == {}


def test_claims_count_on_their_own_site_and_not_as_what_was_there() -> None:
    def claims(name: str, *sizes: int) -> list[Entry]:
        of = at(name, "storage_class", "c")
        return [
            entry(name, "view_policy", "p", tenant=at(name, "tenant", "t")),
            entry(name, "qos_policy", "gold", static_limits={"min_reads_bw_mbps": 5}),
            entry(name, "storage_class", "c", driver="file", storage_path="/k8s", view_policy=at(name, "view_policy", "p"),
                qos_policy=at(name, "qos_policy", "gold")),
            *(entry(name, "persistent_volume_claim", f"x{size}", storage_class=of, size=size) for size in sizes),
        ]  # fmt: skip

    both = [*claims("iad", 1, 2), *claims("pdx", 10, 20, 40)]
    assert sums(facts(both)) == {
        ("iad", "hard limits"): (None, 3, None), ("iad", READS): (None, 10, None),
        ("pdx", "hard limits"): (None, 70, None), ("pdx", READS): (None, 15, None),
    }  # fmt: skip
    made = {Address("iad", "persistent_volume_claim", "x1"): 1}
    live = facts(both, before=Index(both), after=Index(both), known=EVERYTHING, made=made)
    assert sums(live)["iad", READS] == (0, 5, None) and sums(live)["iad", "hard limits"] == (0, 2, None)
    assert promised_bytes(facts(both)) == {Address("iad", "tenant", "t"): 3, Address("pdx", "tenant", "t"): 70}


def test_blocks_are_in_no_directory() -> None:
    block = entry("iad", "storage_class", "c", driver="block", tenant_name=at("iad", "tenant", "t"))
    claim = entry("iad", "persistent_volume_claim", "x", storage_class=at("iad", "storage_class", "c"), size=8)
    root = entry("iad", "quota", "q", tenant=at("iad", "tenant", "t"), path="/", hard_limit=5)
    assert promised_bytes(facts([block, claim, root])) == {Address("iad", "tenant", "t"): 13}


def test_every_sum_has_its_unit() -> None:
    units = {row.what: row.unit for row in commitment_rows(facts(BIG))}
    assert units == {"hard limits": "bytes", READS: "MB/s", GPUS: "GPUs"}


def test_where_a_check_wants_to_look() -> None:
    peer = entry("iad", "replication_peer", "link")
    assert list(catalogue()["REP-06"].wanted(facts([peer]))) == ["iad"]
    assert list(catalogue()["REP-06"].wanted(facts([]))) == []


def node(site: str, name: str, pool: str, gpus: int | None = None) -> LiveObject:
    return LiveObject(Address(site, "node", name), {"pool": pool, "gpus": gpus}, {})


def test_pools_have_what_their_nodes_have() -> None:
    seen = {
        ("iad", "node"): (
            LiveObject(Address("iad", "node", "z"), {}, {}),
            node("iad", "a", "a100", 8),
            node("iad", "b", "a100", 4),
            node("iad", "c", "cpu"),
        ),
        ("pdx", "node"): (node("pdx", "a", "a100", 3),),
    }
    document = facts(BIG, seen=seen)
    assert (pools(document, "iad"), pools(document, "pdx"), pools(document, "fra")) == (
        {"a100": 12, "cpu": 0},
        {"a100": 3},
        {},
    )
    assert sums(document)["iad", GPUS] == (None, 8, 12) and sums(document)["pdx", GPUS] == (None, 64, 3)
    declared = facts(BIG, seen=seen, capabilities={"iad": {"gpus": {"a100": 5, "h100": 1}}})
    assert pools(declared, "iad") == {"a100": 5, "cpu": 0, "h100": 1}


def test_nodes_are_looked_at_where_the_document_does_not_say_how_many_there_are() -> None:
    assert set(sites_of_unknown_pools(facts(BIG))) == {"iad", "pdx"}
    assert set(
        sites_of_unknown_pools(facts(BIG, capabilities={"iad": {"gpus": {"a100": 5}}, "pdx": {"gpus": {"h100": 5}}}))
    ) == {"pdx"}
    assert set(sites_of_unknown_pools(facts(site("iad")))) == set()  # nothing is promised
