"""RAI-12: two data sources that a workload would find at one path."""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry

_KINDS = (
    "data_source", "nfs_data_source", "s3_data_source", "git_data_source", "host_path_data_source", "config_map_data_source",
    "secret_data_source",
)  # fmt: skip
_CLUSTER = "cluster"


def _run(facts: Facts) -> Iterator[Violation]:
    first: dict[tuple[str, str, str], Entry] = {}
    sources = [source for kind in _KINDS for source in facts.objects.all(kind) if source.values.get("mount")]
    # those of a whole cluster or department come first: a project's own is the one to change
    for source in sorted(sources, key=lambda source: (_width(source), source.address)):
        mount = str(source.values["mount"]).rstrip("/")
        units = [(source.address.site, unit, mount) for unit in _units(source, facts)]
        other = next((first[unit] for unit in units if unit in first), None)
        if other is None:
            first[units[0]] = source
        else:
            text = (
                f"is mounted at {source.values['mount']}, as {other.origin or other.address} is for the same workloads"
            )
            yield Violation(source, text)


def _width(source: Entry) -> int:
    return 2 if "project" in source.values else 1 if "department" in source.values else 0


def _units(source: Entry, facts: Facts) -> Iterator[str]:
    """The unit of a data source, and those that contain it."""
    project, department = source.values.get("project"), source.values.get("department")
    if isinstance(project, Ref):
        yield str(project)
        entry = facts.objects.get(project)
        department = entry.values.get("department") if entry is not None else None
    if isinstance(department, Ref):
        yield f"department {department}"
    yield _CLUSTER


CHECK = Check(
    code="RAI-12",
    title="two data sources with one mount",
    severity=Severity.WARNING,
    why="No workload can use both, and which one a path means depends on who submitted it.",
    fix="give one of them another mount",
    source="Kubernetes API: the mountPath of a container's volumeMounts must be unique",
    run=_run,
)
