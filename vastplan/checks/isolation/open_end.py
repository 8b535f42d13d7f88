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
    why="Where the document does not manage an object, or the object serves every tenant, the document does not say what lies behind it.",
    fix="manage it in the document, for one tenant only; or prove it from the live state with vastplan drift --isolation",
    source="the chain project, namespace, class, secret, tenant, VIP pool, view policy, path, followed in the document",
    run=_run,
)
