"""REP-20: the ledger is kept on the site whose loss a replicated volume is there for."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity


def _run(facts: Facts) -> Iterator[Violation]:
    for volume in facts.written.all("volume"):
        active = volume.values.get("active")
        if active is not None and active == facts.ledger_site == volume.address.site:
            yield Violation(volume, f"it is active on {active}, and so is the ledger")


CHECK = Check(
    code="REP-20",
    title="the ledger on the active site of a volume that two sites share",
    severity=Severity.WARNING,
    why="When that site is gone, what the other one takes over cannot be told from what is not ours: nothing can be planned.",
    fix="ledger: {kubernetes: {...}} on a cluster of neither site",
    source="recovered controllers that had lost their state with the site (RamenDR/ramen, issues 533, 724 and 912)",
    run=_run,
)
