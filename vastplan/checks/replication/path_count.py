"""REP-14: more protected paths or schedules than the documented limit of a cluster."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity

_MOST = {"protected_path": 128, "protection_policy": 64}


def _run(facts: Facts) -> Iterator[Violation]:
    for site in facts.sites:
        for kind, maximum in _MOST.items():
            entries = sorted(facts.objects.on(site, kind).values(), key=lambda entry: entry.address)
            if len(entries) > maximum:
                yield Violation(
                    entries[maximum],
                    f"is one of {len(entries)} of kind {kind} on {site}, and VAST documents a limit of {maximum}",
                )


CHECK = Check(
    code="REP-14",
    title="more protected paths or schedules than a cluster takes",
    severity=Severity.WARNING,
    why="The cluster refuses the next one beyond its limit, in the middle of an apply.",
    fix="protect a common parent directory instead; ask VAST for the limit of your release",
    source="VAST knowledge base, replication overview (an older page): 128 protected paths, 64 policies",
    run=_run,
)
