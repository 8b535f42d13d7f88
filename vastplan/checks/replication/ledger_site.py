"""REP-20: the ledger is on the site whose loss the document protects against."""

from collections.abc import Iterator
from itertools import chain

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.kinds.compose._two_sites import SHARING
from vastplan.model.finding import Severity


def _run(facts: Facts) -> Iterator[Violation]:
    for shared in chain.from_iterable(map(facts.written.all, SHARING)):
        active = shared.values.get("active")
        if active is not None and active == facts.ledger_site == shared.address.site:
            yield Violation(shared, f"is active on {active}, and the ledger is kept there, too")


CHECK = Check(
    code="REP-20",
    title="the ledger on the active site of what two sites share",
    severity=Severity.WARNING,
    why="When that site is lost, the ledger is lost with it: vastplan cannot determine what it owns on the other site, and plans nothing.",
    fix="keep the ledger on a cluster of neither site: ledger: {kubernetes: {...}}",
    source="recovered controllers that had lost their state with the site (RamenDR/ramen, issues 533, 724 and 912)",
    run=_run,
)
