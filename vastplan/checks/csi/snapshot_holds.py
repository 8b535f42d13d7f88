"""CSI-07: snapshots of the directory of a class that deletes its volumes."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.paths import path_names
from vastplan.model.address import Address
from vastplan.model.finding import Severity
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry


def _run(facts: Facts) -> Iterator[Violation]:
    protected: dict[tuple[Address, tuple[str, ...]], Entry] = {}
    for path in facts.objects.all("protected_path"):
        if isinstance(path.values.get("tenant"), Ref):
            protected[path.values["tenant"].target, path_names(path.values["source_dir"])] = path
    for storage_class in facts.objects.all("storage_class"):
        tenant = facts.tenant_of_class(storage_class)
        if (
            "storage_path" not in storage_class.values
            or storage_class.values.get("reclaim_policy") == "Retain"
            or not isinstance(tenant, Ref)
        ):
            continue
        steps = path_names(storage_class.values["storage_path"])
        for end in range(len(steps) + 1):
            over = protected.get((tenant.target, steps[:end]))
            if over is not None:
                text = f"snapshots of {over.values['source_dir']} ({over.address.name}) keep the driver from deleting its volumes"
                yield Violation(storage_class, text)


CHECK = Check(
    code="CSI-07",
    title="snapshots of the directory of a class",
    severity=Severity.WARNING,
    why="The driver does not delete a volume whose path has snapshots: the volume of a deleted claim stays until the last snapshot expires.",
    fix="write reclaim_policy: Retain, or take snapshots of single volumes instead (a snapshot_class)",
    source="vast-csi DeleteVolume: refuses while snapshots of the path exist",
    run=_run,
)
