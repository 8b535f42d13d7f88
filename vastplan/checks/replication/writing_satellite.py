"""REP-08: a satellite of global access that may write."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.replication._links import how_fast
from vastplan.model.finding import Severity


def _run(facts: Facts) -> Iterator[Violation]:
    for volume in facts.written.all("volume"):
        values, site = volume.values, volume.address.site
        if "global_access" not in values or values.get("active") == site or site in values.get("access", {}):
            continue
        origin = values["active"]
        fast = how_fast(facts, site, origin)
        yield Violation(volume, f"reads come over the WAN, and writes go to the origin {origin}, {fast}")


CHECK = Check(
    code="REP-08",
    title="a satellite that writes over the WAN",
    severity=Severity.WARNING,
    why="A write at a satellite goes to the origin and is as slow as the link between them; without the origin it fails.",
    fix="write access: {SITE: read} where the site only reads; else write the speed of the WAN in sites.SITE.capability.wan_bw_mbps",
    source="VAST knowledge base, global namespace overview: writes are forwarded to the origin",
    run=_run,
)
