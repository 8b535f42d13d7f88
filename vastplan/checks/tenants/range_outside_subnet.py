"""TEN-16: addresses of a VIP pool outside of its subnet."""

from collections.abc import Iterator
from ipaddress import ip_network

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity
from vastplan.model.ip_ranges import interval_text, parse_interval
from vastplan.model.wording import some

_FIELDS = {4: ("subnet_cidr", "gw_ip"), 6: ("subnet_cidr_ipv6", "gw_ipv6")}


def _run(facts: Facts) -> Iterator[Violation]:
    for pool in facts.objects.all("vip_pool"):
        if pool.values.get("enable_l3"):
            continue  # each address is routed by itself
        ranges = sorted(map(parse_interval, pool.values["ip_ranges"]))
        for version, (size, gateway) in _FIELDS.items():
            own = [addresses for addresses in ranges if addresses[0] == version]
            length = pool.values.get(size)
            if not own or length is None:
                continue
            start = pool.values.get(gateway) or interval_text((version, own[0][1], own[0][1]))
            subnet = ip_network(f"{start}/{length}", strict=False)
            first, last = int(subnet[0]), int(subnet[-1])
            outside = [interval_text(addresses) for addresses in own if addresses[1] < first or addresses[2] > last]
            if outside:
                yield Violation(
                    pool, f"ip_ranges {some(outside)} leave {subnet}, the subnet of {start} with {size} {length}"
                )


CHECK = Check(
    code="TEN-16",
    title="addresses of a VIP pool outside of its subnet",
    severity=Severity.WARNING,
    why="A pool has one subnet: clients outside of it reach no address that the gateway of that subnet does not route, and "
    "a range that is too long takes addresses of another network.",
    fix="correct the range or the prefix length, or give each subnet a pool of its own",
    source="inferred: subnet_cidr is one prefix length for all ranges of a pool (VMS 5.5 document, vippools.subnet_cidr)",
    run=_run,
)
