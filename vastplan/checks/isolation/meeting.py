"""ISO-01: projects whose chains meet."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.isolation.sentences import met
from vastplan.model.finding import Severity


def _run(facts: Facts) -> Iterator[Violation]:
    return met(facts, lambda layer: layer != "secret")


CHECK = Check(
    code="ISO-01",
    title="projects that are not isolated from each other",
    severity=Severity.WARNING,
    why="Only the project itself should reach its namespace, classes, tenant, VIP pool, view policy, directories, S3 users and buckets.",
    fix="give each project its own; where sharing is intended, waive the finding with a reason",
    source="the chain project, namespace, class, secret, tenant, VIP pool, view policy, path, S3 key, user, bucket, followed in the document",
    run=_run,
)
