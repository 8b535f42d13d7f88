"""Findings: what is wrong or worth knowing, where it is in the document, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from types import MappingProxyType

from vastplan.model.dataclass import dataclass
from vastplan.model.wording import shortened


class Severity(Enum):
    """How bad a finding is; an error stops the command, a warning does not."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


ENDPOINT_CHANGED = "VP331"
"""A credential would be sent to another address than before: reports show this before anything else."""

MOVED = "VP345"
"""A replicated object has its source on another site than the document says. The fix is an edit of the document, so the finding
has the place there."""

SPLIT = "VP347"
"""More than one site writes to a replicated object. That is an error of the systems, not of the document: a guard blocks the
actions on that object, and the rest of the plan stands."""


@dataclass(frozen=True, slots=True, order=True)
class Where:
    """A place in a file; lines and columns count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


Places = Mapping[str, Where | None]
"""The place of each address's entry, for reports of what is no plan."""
NOWHERE: Places = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding with a stable code: `VP...` for a problem, `ABC-01` for a check."""

    code: str
    severity: Severity
    message: str
    fix: str = ""
    address: str = ""
    where: Where | None = None
    waived: bool = False
    """Whether a waiver of the document accepts it until a day."""
    group: str = ""
    """The text that several findings share, up to their `item`: reports for people show them as one."""
    item: str = ""

    @property
    def checked(self) -> bool:
        """Whether it comes from a check (`ABC-01`); other findings are problems (`VP...`)."""
        return "-" in self.code

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        subject = f"{self.address}: " if self.address else ""
        return f"{place}{self.severity.value} {self.code}: {subject}{self.message}" + (
            f" ({self.fix})" if self.fix else ""
        )


def error(code: str, message: str, *, fix: str = "", address: str = "", where: Where | None = None) -> Finding:
    """A finding that stops the command. Its texts are shortened: quoted values may have any length, in thousands of findings."""
    return Finding(code, Severity.ERROR, shortened(message), shortened(fix), address, where)


def sort_findings(findings: list[Finding]) -> list[Finding]:
    """The findings sorted by file and line, those without a place last, duplicates removed."""
    return sorted(dict.fromkeys(findings), key=_place)


def once(findings: Iterable[Finding]) -> list[Finding]:
    """Each finding once, in the given order: an entry for several sites has the same mistake on each of them."""
    kept: dict[tuple[object, ...], Finding] = {}
    for finding in findings:
        kept.setdefault((finding.code, finding.message, finding.fix, finding.where or finding.address), finding)
    return list(kept.values())


def _place(finding: Finding) -> tuple[bool, Where, str, str, str]:
    where = finding.where or Where("", 0, 0)
    return finding.where is None, where, finding.code, finding.address, finding.message
