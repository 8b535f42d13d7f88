"""ISO-03: chains that cannot be followed to their end."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.isolation.sentences import open_end_text
from vastplan.model.finding import Severity


def _run(facts: Facts) -> Iterator[Violation]:
    for proof in facts.isolation.values():
        for end in proof.open_ends:
            yield Violation(facts.objects.at(end.address), open_end_text(end))


CHECK = Check(
    code="ISO-03",
    title="a chain that cannot be followed",
    severity=Severity.NOTE,
    why="Where something is not managed here, or serves every tenant, nobody can say from the document what is behind it.",
    fix="manage it here, and for one tenant alone; or look at what drift proves from the live state",
    source="the chain project, namespace, class, secret, tenant, VIP pool, view policy, path, followed in the document",
    run=_run,
)
