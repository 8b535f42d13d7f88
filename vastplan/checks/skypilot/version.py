"""SKY-08: a SkyPilot that does not know VAST."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity
from vastplan.model.wording import quoted
from vastplan.schema.versions import at_least, parse_version

FIRST = (0, 12, 0)


def _run(facts: Facts) -> Iterator[Violation]:
    for task in facts.tasks:
        if not task.reader or not any(mount.of_vast for mount in task.mounts):
            continue
        version = parse_version(task.reader)
        if version is None:
            yield Violation(
                task.entry, f"{quoted(task.reader)} is not a version", fix="write what `sky --version` says: 0.14.1"
            )
        elif not at_least(version, FIRST):
            yield Violation(
                task.entry, f"SkyPilot {quoted(task.reader)} does not know VAST; 0.12.0 is the first version that does"
            )


CHECK = Check(
    code="SKY-08",
    title="a SkyPilot that is too old for VAST",
    severity=Severity.ERROR,
    why="SkyPilot has the store vastdata and its scheme since 0.12.0; the older name vast is that of another company, which rents GPUs.",
    fix='pip install "skypilot[vastdata]>=0.12"',
    source="the wheels of skypilot 0.11.2 and 0.12.0, sky/data/storage.py; skypilot-org/skypilot#9041",
    run=_run,
)
