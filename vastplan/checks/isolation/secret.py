"""ISO-02: projects whose classes log in with the same secret."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.isolation.sentences import met
from vastplan.model.finding import Severity


def _run(facts: Facts) -> Iterator[Violation]:
    return met(facts, lambda layer: layer == "secret")


CHECK = Check(
    code="ISO-02",
    title="projects whose classes log in with the same secret",
    severity=Severity.NOTE,
    why="Only the CSI driver uses the Secret and no project sees it; but whoever reads it reaches the data of all these projects.",
    fix="give each tenant its own secret, of a manager of that tenant only",
    source="Kubernetes CSI: secrets of a class; VAST knowledge base: tenant administrators",
    run=_run,
)
