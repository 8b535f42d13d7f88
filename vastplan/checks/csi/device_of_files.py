"""CSI-13: block devices, which the file driver does not provide."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.csi.driver_claims import driven
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity


def _run(facts: Facts) -> Iterator[Violation]:
    for name, claim in driven(facts, "file"):
        if claim.values.get("volume_mode") == "Block":
            yield Violation(claim, f"has volume_mode Block, and the driver of class {name} provides file systems only")


CHECK = Check(
    code="CSI-13",
    title="a block device of the file driver",
    severity=Severity.ERROR,
    why="The file driver refuses a claim for a block device, and the claim stays Pending.",
    fix="write volume_mode: Filesystem, or name a class of the block driver",
    source="vast-csi 2.4 and newer: the file driver refuses volumeMode Block",
    run=_run,
)
