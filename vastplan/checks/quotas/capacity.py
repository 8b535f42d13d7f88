"""CAP-01: more bytes promised on a site than it has."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Finding
from vastplan.checks.commitments import CAPACITY, commitments
from vastplan.checks.facts import Facts
from vastplan.kinds.vast.cluster import USABLE
from vastplan.model.diagnostic import Severity
from vastplan.model.units import BYTES, show


def _run(facts: Facts) -> Iterator[Finding]:
    for row in commitments(facts):
        entries = facts.objects.on(row.site, "tenant") or facts.objects.on(row.site, "quota")
        holders = sorted(entries.values(), key=lambda one: one.address)
        if row.what == CAPACITY and row.over and holders:
            has = show(int(row.limit or 0), BYTES)
            text = (
                f"hard limits on {row.site} promise {show(int(row.after), BYTES)} together, and {has} may be promised"
            )
            yield Finding(holders[0], text)


def _wanted(facts: Facts) -> Iterator[str]:
    for row in commitments(facts):
        if row.what == CAPACITY and row.after and "usable_capacity" not in facts.capability(row.site):
            yield row.site


CHECK = Check(
    code="CAP-01",
    title="more capacity promised than there is",
    severity=Severity.WARNING,
    why="When tenants use what they were promised the cluster is full before their quotas are, for all of them at once.",
    fix="lower quotas and sizes, or say in sites.SITE.capability how much is there (usable_capacity) and what share may be promised (promised_percent)",
    source="VMS 5.5 document, clusters.usable_capacity_bytes",
    run=_run,
    reads=("cluster",),
    figures=(USABLE,),
    wanted=_wanted,
)
