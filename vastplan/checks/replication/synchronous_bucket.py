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
        others = [
            other for other in facts.sites if other != site and bucket.address.name in facts.written.on(other, "bucket")
        ]
        for other in others:
            yield Violation(bucket, f"each write waits for the round trip to {other}, {how_fast(facts, site, other)}")


CHECK = Check(
    code="REP-21",
    title="a bucket whose every write waits for the other site",
    severity=Severity.NOTE,
    why="A write is acknowledged when both sites have it: its latency includes the round trip between them, and its rate is that of the link.",
    fix="write replicate: SCHEDULE instead where the last writes may be lost with the site; write the speed of the WAN in sites.SITE.capability.wan_bw_mbps",
    source="VAST knowledge base, S3 synchronous and asynchronous replication: a write is acknowledged when both clusters have it",
    run=_run,
)
