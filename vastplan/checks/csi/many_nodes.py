"""CSI-05: what the block driver cannot do: file systems on many nodes, and clusters that are too old."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity

_MANY = ("ReadOnlyMany", "ReadWriteMany")
_OLDEST = (5, 3)  # the first VMS with block storage


def _run(facts: Facts) -> Iterator[Violation]:
    for storage_class in facts.objects.all("storage_class"):
        if storage_class.values.get("driver") != "block":
            continue
        for claim in facts.claims.get(storage_class.address, ()):
            many = [mode for mode in _MANY if mode in claim.values["access_modes"]]
            if many and claim.values.get("volume_mode") != "Block":
                yield Violation(
                    claim,
                    f"{many[-1]} of class {storage_class.address.name}, whose driver mounts a file system on one node",
                )
        version = _version(str(facts.sites[storage_class.address.site].facts.get("vast_version", "")))
        if version is not None and version < _OLDEST:
            there = ".".join(map(str, version))
            yield Violation(
                storage_class,
                f"the block driver needs VAST 5.3, and this cluster has {there}",
                "use the file driver here",
            )


def _version(text: str) -> tuple[int, int] | None:
    major, minor = (*text.split("."), "")[:2]
    return (int(major), int(minor)) if major.isdecimal() and minor.isdecimal() else None


CHECK = Check(
    code="CSI-05",
    title="what the block driver cannot do",
    severity=Severity.ERROR,
    why="A file system on a block volume is mounted by one node; the driver refuses more, and older clusters have no blocks.",
    fix="access_modes: [ReadWriteOnce], or volume_mode: Block, or a class of the file driver",
    source="vast-csi 2.6: file system volumes do not support multi-node attach; VAST knowledge base: block from 5.3",
    run=_run,
)
