"""ISO-01: projects whose chains meet."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.isolation.met import met
from vastplan.model.finding import Severity


def _run(facts: Facts) -> Iterator[Violation]:
    return met(facts, lambda layer: layer != "secret")


CHECK = Check(
    code="ISO-01",
    title="projects that are not kept apart",
    severity=Severity.WARNING,
    why="Each project's namespace, classes, tenant, VIP pool, view policy, directories, S3 users and buckets should be reached by it alone.",
    fix="give each project what they meet in of its own; where it is meant, waive it with a reason",
    source="the chain project, namespace, class, secret, tenant, VIP pool, view policy, path, S3 key, user, bucket, followed in the document",
    run=_run,
)
