"""VIP pools: their ranges, which may not overlap."""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.sim.store import Row
from vastplan.sim.vast import addresses, limits
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.errors import Problem, missing_object
from vastplan.sim.vast.records import ApiCollection, Memo, Reference

CNODES = (1, 2, 3, 4)


def _fill(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> None:
    if "ip_ranges" not in body and {"start_ip", "end_ip"} & body.keys():  # the obsolete fields
        row["ip_ranges"] = [[row["start_ip"], row["end_ip"]]]
    first = row["ip_ranges"][0] if row["ip_ranges"] else None
    well_formed = isinstance(first, list) and len(first) == 2
    row["start_ip"], row["end_ip"] = first if well_formed and first else (None, None)


def _check(cluster: VastCluster, row: Row, body: Row, old: Row | None) -> Iterator[Problem]:
    others = (
        (f"VIP pool {other['name']}", other["ip_ranges"])
        for other in cluster.store.rows("vippools")
        if other["id"] != row["id"]
    )
    yield from addresses.range_problems("ip_ranges", row["ip_ranges"], others)
    if row["subnet_cidr"] is None and row["subnet_cidr_ipv6"] is None:
        yield "subnet_cidr", "This field is required, or subnet_cidr_ipv6."
    yield from limits.outside_range(row, 1, 32, "subnet_cidr")
    yield from limits.outside_range(row, 1, 128, "subnet_cidr_ipv6")
    yield from limits.outside_range(row, 0, 4096, "vlan")
    for name in ("gw_ip", "gw_ipv6"):
        if row[name] and not addresses.is_ip_address(row[name]):
            yield name, "Enter a valid IPv4 or IPv6 address."
    for name in ("peer_asn", "vast_asn", "bgp_config_id"):
        if row[name] is not None and not row["enable_l3"]:
            yield name, "Only with enable_l3."
    if row["peer_asn"] is not None and row["peer_asn"] == row["vast_asn"]:
        yield "peer_asn", "peer_asn and vast_asn must differ."
    yield from (("cnode_ids", missing_object(node)) for node in row["cnode_ids"] if node not in CNODES)


def _show(cluster: VastCluster, row: Row, memo: Memo) -> Row:
    nodes = row["cnode_ids"] or list(CNODES)
    return {
        "ranges_summary": addresses.ranges_text(row["ip_ranges"]),
        "active_cnode_ids": nodes if row["enabled"] else [],
        "cnodes": [f"cnode-{node}" for node in row["cnode_ids"]],
        "state": "ENABLED" if row["enabled"] else "DISABLED",
    }


VIP_POOLS = ApiCollection(
    "vippools",
    unique=(("name",),),
    references=(Reference("tenant_id", "tenants"), Reference("cluster_id", "clusters")),
    blockers=(
        ("viewpolicies", "vip_pools"),
        ("nativereplicationremotetargets", "pool_id"),
        ("views", "kafka_vip_pools"),
    ),
    defaults={"role": "PROTOCOLS", "enabled": True, "port_membership": "ALL", "vlan": 0, "cluster_id": 1},
    required=frozenset({"name"}),
    optional=frozenset({"subnet_cidr"}),  # a pool may have IPv6 addresses only
    nullable=frozenset(
        {"tenant_id", "gw_ip", "gw_ipv6", "vlan", "bgp_config_id", "peer_asn", "vast_asn", "domain_name"}
    ),
    choices={"port_membership": frozenset({"RIGHT", "LEFT", "ALL"})},
    fill=_fill,
    check=_check,
    show=_show,
)
