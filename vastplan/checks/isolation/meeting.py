"""ISO-01 and ISO-02: projects whose chains meet; in a log-in of the CSI driver, or in anything else."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.isolation.sentences import met
from vastplan.model.finding import Severity


def _elsewhere(facts: Facts) -> Iterator[Violation]:
    return met(facts, lambda layer: layer != "secret")


def _in_secrets(facts: Facts) -> Iterator[Violation]:
    return met(facts, lambda layer: layer == "secret")


CHECKS = (
    Check(
        code="ISO-01",
        title="projects that are not isolated from each other",
        severity=Severity.WARNING,
        why="Only the project itself should reach its namespace, classes, tenant, VIP pool, view policy, directories, S3 users and buckets.",
        fix="give each project its own; where sharing is intended, waive the finding with a reason",
        source="the chain project, namespace, class, secret, tenant, VIP pool, view policy, path, S3 key, user, bucket, followed in the document",
        run=_elsewhere,
    ),
    Check(
        code="ISO-02",
        title="projects whose classes log in with the same secret",
        severity=Severity.NOTE,
        why="Only the CSI driver uses the Secret and no project sees it; but whoever reads it reaches the data of all these projects.",
        fix="give each tenant its own secret, of a manager of that tenant only",
        source="Kubernetes CSI: secrets of a class; VAST knowledge base: tenant administrators",
        run=_in_secrets,
    ),
)
