"""SKY-02: a mount of a part of a bucket."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity
from vastplan.model.wording import quoted


def _run(facts: Facts) -> Iterator[Violation]:
    for task in facts.tasks:
        for mount in task.mounts:
            if mount.key and mount.mode != "COPY":
                yield Violation(
                    mount.entry, f"{quoted(mount.path)}: {quoted(mount.key)} is a part of bucket {mount.bucket}"
                )


CHECK = Check(
    code="SKY-02",
    title="a mount of a part of a bucket",
    severity=Severity.ERROR,
    why="SkyPilot mounts whole buckets; it can only copy a part of one.",
    fix="mount the bucket and use the path below it, or write mode: COPY",
    source="SkyPilot 0.14.1, sky/data/storage.py, StorageModeError of Storage._validate_source",
    run=_run,
)
