"""Findings: what is wrong or worth knowing, where it stands, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from vastplan.model.wording import shortened


class Severity(Enum):
    """How bad a finding is; an error stops the command, a warning does not."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


ENDPOINT_CHANGED = "VP331"
"""A credential would go elsewhere than before: reports say so before anything else."""

MOVED = "VP345"
"""What is one on two sites has its source on another one than the document says: the way out is an edit, so it has the place."""

SPLIT = "VP347"
"""More than one site writes to what is one. It is the systems' error and no mistake of the document: a guard stops what is about
that object, and the rest goes on."""


@dataclass(frozen=True, slots=True, order=True)
class Where:
    """A place in a file; lines and columns count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding with a stable code: `VP...` of a problem, `ABC-01` of a check."""

    code: str
    severity: Severity
    message: str
    fix: str = ""
    address: str = ""
    where: Where | None = None
    waived: bool = False
    """Whether the document says that it is known and accepted, for now."""
    group: str = ""
    """What several findings have in common, in words that end before `item`: reports for people tell them as one."""
    item: str = ""

    @property
    def checked(self) -> bool:
        """Whether a check found it, rather than that something could not be done."""
        return "-" in self.code

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        subject = f"{self.address}: " if self.address else ""
        return f"{place}{self.severity.value} {self.code}: {subject}{self.message}" + (
            f" ({self.fix})" if self.fix else ""
        )


def error(code: str, message: str, *, fix: str = "", address: str = "", where: Where | None = None) -> Finding:
    """A finding that stops the command. What it quotes may be of any length, and be quoted a thousand times: it is shortened."""
    return Finding(code, Severity.ERROR, shortened(message), shortened(fix), address, where)


def in_order(findings: list[Finding]) -> list[Finding]:
    """Sorted by file and line, those without a place last; equal findings once."""
    return sorted(dict.fromkeys(findings), key=_place)


def once(findings: Iterable[Finding]) -> list[Finding]:
    """Each finding once, in their order: what is written for several sites has the same mistake on each."""
    kept: dict[tuple[object, ...], Finding] = {}
    for one in findings:
        kept.setdefault((one.code, one.message, one.fix, one.where or one.address), one)
    return list(kept.values())


def _place(finding: Finding) -> tuple[bool, Where, str, str, str]:
    where = finding.where or Where("", 0, 0)
    return finding.where is None, where, finding.code, finding.address, finding.message
