"""QOS-07: minimums that a cluster cannot all keep at once."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.commitments.sums import Promised, sums_of
from vastplan.checks.facts import Facts
from vastplan.kinds.vast.cluster import READS, WRITES
from vastplan.model.finding import Severity
from vastplan.model.units import BANDWIDTH, show_amount
from vastplan.schema.entries import Entry


def _run(facts: Facts) -> Iterator[Violation]:
    for row in sums_of(facts, Promised.QOS_MINIMUM):
        policies = filter(_has_minimum, facts.objects.on(row.site, "qos_policy").values())
        first_policy = min(policies, key=lambda policy: policy.address, default=None)
        if row.over and first_policy is not None:
            after, limit = (show_amount(int(value or 0), row.unit) for value in (row.after, row.limit))
            yield Violation(
                first_policy,
                f"{row.what} on {row.site} add up to {after}, and the cluster can do {limit}",
                group="the clusters cannot keep all QoS minimums together:",
                item=f"{row.what.rpartition(' ')[2]} on {row.site} {after} of {limit}",
            )


def _has_minimum(policy: Entry) -> bool:
    limits = policy.values.get("static_limits") or {}
    return any(value and name.startswith("min_") for name, value in limits.items())


def _wanted(facts: Facts) -> Iterator[str]:
    for row in sums_of(facts, Promised.QOS_MINIMUM):
        if row.after and row.unit == BANDWIDTH and row.limit is None:  # no API returns the IOPS that a cluster can do
            yield row.site


CHECK = Check(
    code="QOS-07",
    title="more QoS minimums than the cluster can keep",
    severity=Severity.WARNING,
    why="Under contention every view should get its minimum: together the minimums exceed the cluster, so it keeps none of them.",
    fix="lower min_* limits, or write in sites.SITE.capability what the site can do where its cluster does not report it",
    source="VMS 5.5 document, clusters.max_cluster_read_bw_mb and max_cluster_write_bw_mb; qospolicies.static_limits",
    run=_run,
    reads=("cluster",),
    figures=(READS, WRITES),
    wanted=_wanted,
)
