"""SKY-05: a secret in a task file."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity


def _run(facts: Facts) -> Iterator[Violation]:
    for task in facts.tasks:
        for place in task.secrets:
            yield Violation(task.entry, f"{place} holds a secret")


CHECK = Check(
    code="SKY-05",
    title="a secret in a SkyPilot task",
    severity=Severity.ERROR,
    why="Task files are kept in git and shown in SkyPilot's dashboard; SkyPilot brings the key to the nodes itself.",
    fix="remove it and create a new key: the key belongs in ~/.vastdata/vastdata.credentials, mode 0600",
    source="SkyPilot 0.14.1, sky/adaptors/vastdata.py, get_credential_file_mounts",
    run=_run,
)
