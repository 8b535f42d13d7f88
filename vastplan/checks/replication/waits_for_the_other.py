"""REP-21: a bucket whose every write waits for the other site."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.replication._links import how_fast
from vastplan.model.finding import Severity


def _run(facts: Facts) -> Iterator[Violation]:
    for bucket in facts.written.all("bucket"):
        values, site = bucket.values, bucket.address.site
        if "synchronous_replication" not in values or values.get("active") != site:
            continue
        others = [one for one in facts.sites if one != site and bucket.address.name in facts.written.on(one, "bucket")]
        for other in others:
            yield Violation(bucket, f"each write waits for the way to {other} and back, {how_fast(facts, site, other)}")


CHECK = Check(
    code="REP-21",
    title="a bucket whose every write waits for the other site",
    severity=Severity.NOTE,
    why="A write is answered when both sites have it: its latency has the round trip between them in it, and its rate is that of the link.",
    fix="sites.SITE.capability.wan_bw_mbps says what the WAN carries; replicate: SCHEDULE where what was written last may be lost with the site",
    source="VAST knowledge base, S3 synchronous and asynchronous replication: a write is acknowledged when both clusters have it",
    run=_run,
)
