"""CSI-05: what the block driver cannot do: file systems on many nodes."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.csi.driven import driven
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity

_MANY = ("ReadOnlyMany", "ReadWriteMany")


def _run(facts: Facts) -> Iterator[Violation]:
    for name, claim in driven(facts, "block"):
        many = [mode for mode in _MANY if mode in claim.values["access_modes"]]
        if many and claim.values.get("volume_mode") != "Block":
            yield Violation(claim, f"{many[-1]} of class {name}, whose driver mounts a file system on one node")


CHECK = Check(
    code="CSI-05",
    title="what the block driver cannot do",
    severity=Severity.ERROR,
    why="A file system on a block volume is mounted by one node; the driver refuses more.",
    fix="access_modes: [ReadWriteOnce], or volume_mode: Block, or a class of the file driver",
    source="vast-csi 2.6: file system volumes do not support multi-node attach",
    run=_run,
)
