"""SKY-10: mounts whose bucket or path only a launch gives a value."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity
from vastplan.model.wording import quoted, some


def _run(facts: Facts) -> Iterator[Violation]:
    for task in facts.tasks:
        for mount in task.open:
            yield Violation(
                mount.entry, f"{quoted(mount.path)} is not checked: {some(mount.variables)} has no value in envs"
            )


CHECK = Check(
    code="SKY-10",
    title="a mount that is not checked, because a variable has no value",
    severity=Severity.NOTE,
    why="SkyPilot puts the values of envs into file_mounts. A variable without a value gets one when the task is launched (--env).",
    fix="write its value into envs",
    source="SkyPilot 0.14.1, sky/task.py, _fill_in_env_vars",
    run=_run,
)
