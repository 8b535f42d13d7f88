"""CSI-05: file systems on many nodes, which the block driver does not mount."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.csi.driver_claims import driven
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity

_MANY = ("ReadOnlyMany", "ReadWriteMany")


def _run(facts: Facts) -> Iterator[Violation]:
    for name, claim in driven(facts, "block"):
        many = [mode for mode in _MANY if mode in claim.values["access_modes"]]
        if many and claim.values.get("volume_mode") != "Block":
            yield Violation(
                claim,
                f"has access mode {many[-1]}, and the driver of class {name} mounts a file system on one node only",
            )


CHECK = Check(
    code="CSI-05",
    title="a file system of the block driver on many nodes",
    severity=Severity.ERROR,
    why="Only one node can mount the file system of a block volume; the driver refuses more.",
    fix="write access_modes: [ReadWriteOnce] or volume_mode: Block, or name a class of the file driver",
    source="vast-csi 2.6: file system volumes do not support multi-node attach",
    run=_run,
)
