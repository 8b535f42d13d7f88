"""QOS-07: minimums that cannot all be kept at once."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.commitments import commitments
from vastplan.checks.facts import Facts
from vastplan.kinds.vast.cluster import READS, WRITES
from vastplan.model.commitment import Commitment
from vastplan.model.finding import Severity
from vastplan.model.units import show

_FLOORS = "QoS minimums"


def _run(facts: Facts) -> Iterator[Violation]:
    for row in commitments(facts):
        policies = sorted(facts.objects.on(row.site, "qos_policy").values(), key=lambda one: one.address)
        with_floors = [
            one
            for one in policies
            if any(value and name.startswith("min_") for name, value in (one.values.get("static_limits") or {}).items())
        ]
        if row.what.startswith(_FLOORS) and row.over and with_floors:
            yield Violation(
                with_floors[0],
                f"{row.what} on {row.site} are {_shown(row, row.after)} together, of {_shown(row, row.limit)}",
            )


def _shown(row: Commitment, value: float | None) -> str:
    return show(int(value or 0), row.unit)


def _wanted(facts: Facts) -> Iterator[str]:
    for row in commitments(facts):
        if row.what.startswith(_FLOORS) and row.after and row.unit != "IOPS" and row.limit is None:
            yield row.site


CHECK = Check(
    code="QOS-07",
    title="more QoS minimums than the cluster can keep",
    severity=Severity.WARNING,
    why="Under contention every view is owed its minimum: together they are more than there is, so none is kept.",
    fix="lower min_* limits; what a site can do is said in sites.SITE.capability where its cluster does not say it",
    source="VMS 5.5 document, clusters.max_cluster_read_bw_mb and max_cluster_write_bw_mb; qospolicies.static_limits",
    run=_run,
    reads=("cluster",),
    figures=(READS, WRITES),
    wanted=_wanted,
)
