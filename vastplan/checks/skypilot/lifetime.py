"""SKY-09: a bucket of the document that SkyPilot would delete."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.skypilot.buckets import buckets_of
from vastplan.model.finding import Severity
from vastplan.model.wording import quoted


def _run(facts: Facts) -> Iterator[Violation]:
    buckets = buckets_of(facts)
    for task in facts.tasks:
        for mount in task.mounts:
            if mount.of_vast and not mount.persistent and buckets.by_name.get((task.site, mount.bucket)):
                yield Violation(
                    mount.entry, f"{quoted(mount.path)}: SkyPilot deletes bucket {mount.bucket} when the task ends"
                )


CHECK = Check(
    code="SKY-09",
    title="a bucket of the document that SkyPilot deletes with a task",
    severity=Severity.ERROR,
    why="With persistent: false SkyPilot deletes a bucket with all its data when the task ends; the document manages this bucket.",
    fix="remove persistent: false",
    source="SkyPilot documentation, storage: persistent",
    run=_run,
)
