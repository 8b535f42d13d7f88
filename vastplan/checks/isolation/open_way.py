"""ISO-04: ways around the classes that nothing closes."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.isolation.sentences import projects_text
from vastplan.model.finding import Severity


def _run(facts: Facts) -> Iterator[Violation]:
    for proof in facts.isolation.values():
        for way in proof.open_ways:
            whose = f"the data of {projects_text(way.projects, way.everybody)} open to {projects_text(way.to, way.to_everybody)}"
            group = f"on {proof.site} {whose}: {way.reason} (write {way.fix}); by"
            yield Violation(facts.objects.at(proof.found_at(way)), f"{group} {way.way}", group=group, item=way.way)


CHECK = Check(
    code="ISO-04",
    title="a way to another project's data",
    severity=Severity.WARNING,
    why="A pod needs no class to mount what its node or a VIP pool serves, and a bucket may need no key.",
    fix="close it as the proof says; where it is intended, waive the finding with a reason",
    source="the ways around the classes, each with its own source: vastplan drift --isolation",
    run=_run,
)
