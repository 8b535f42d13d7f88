"""CSI-13: what the file driver cannot do: block devices."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.csi.driven import driven
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity


def _run(facts: Facts) -> Iterator[Violation]:
    for name, claim in driven(facts, "file"):
        if claim.values.get("volume_mode") == "Block":
            yield Violation(claim, f"volume_mode Block of class {name}, whose driver makes file systems only")


CHECK = Check(
    code="CSI-13",
    title="what the file driver cannot do",
    severity=Severity.ERROR,
    why="The file driver refuses a claim for a block device, and it stays Pending.",
    fix="volume_mode: Filesystem, or a class of the block driver",
    source="vast-csi 2.4 and newer: the file driver refuses volumeMode Block",
    run=_run,
)
