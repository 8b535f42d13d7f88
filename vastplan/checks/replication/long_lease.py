"""REP-19: a lease of global access that is longer than the time between two checkpoints."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity
from vastplan.model.units import SECONDS, show_amount


def _run(facts: Facts) -> Iterator[Violation]:
    for volume in facts.written.all("volume"):
        values = volume.values
        shared, interval = values.get("global_access"), values.get("checkpoint", {}).get("interval")
        if shared is None or not isinstance(interval, int) or volume.address.site != values["active"]:
            continue
        if shared["lease"] > interval:
            text = f"has a lease of {show_amount(shared['lease'], SECONDS)}, and writes a checkpoint every {show_amount(interval, SECONDS)}"
            yield Violation(volume, text)


CHECK = Check(
    code="REP-19",
    title="a lease that is longer than the time between checkpoints",
    severity=Severity.WARNING,
    why="The other site answers from its cache while the lease lasts: it may not see a checkpoint until after the next one is written.",
    fix="shorten lease to at most the interval",
    source="VMS 5.5 document, protectedpaths.lease_expiry_time; VAST knowledge base, global namespace overview",
    run=_run,
)
