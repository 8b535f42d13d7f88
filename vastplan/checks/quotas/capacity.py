"""CAP-01: more bytes promised on a site than it has."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.commitments.sums import Promised, sums_of
from vastplan.checks.facts import Facts
from vastplan.kinds.vast.cluster import USABLE
from vastplan.model.finding import Severity
from vastplan.model.units import BYTES, show_alike

_HOLDERS = ("tenant", "quota", "storage_class")
"""The kinds that promise: a finding is about the first entry of the first of these kinds that the document has on a site."""


def _run(facts: Facts) -> Iterator[Violation]:
    for row in sums_of(facts, Promised.CAPACITY):
        holders = next(filter(None, (facts.objects.on(row.site, kind) for kind in _HOLDERS)), {})
        if row.over and holders:
            sum_text, limit_text = show_alike(BYTES, int(row.after), int(row.limit or 0))
            text = f"hard limits on {row.site} add up to {sum_text}, and {limit_text} may be promised"
            yield Violation(min(holders.values(), key=lambda entry: entry.address), text)


def _wanted(facts: Facts) -> Iterator[str]:
    for row in sums_of(facts, Promised.CAPACITY):
        if row.after and "usable_capacity" not in facts.capability(row.site):
            yield row.site


CHECK = Check(
    code="CAP-01",
    title="more capacity promised than the site has",
    severity=Severity.WARNING,
    why="When tenants use what they were promised, the cluster is full before their quotas are, for all tenants at once.",
    fix="lower quotas and sizes, or write the capacity (usable_capacity) or the share that may be promised (promised_percent) in sites.SITE.capability",
    source="VMS 5.5 document, clusters.usable_capacity_bytes",
    run=_run,
    reads=("cluster",),
    figures=(USABLE,),
    wanted=_wanted,
)
