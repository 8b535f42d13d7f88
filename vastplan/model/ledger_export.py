"""What one ledger passes to another: which objects, under which addresses, and which of their fields were set."""

from __future__ import annotations

from vastplan.model.dataclass import dataclass

FORMAT_VERSION = "1.0"


@dataclass(frozen=True, slots=True)
class ExportedObject:
    """One object. `fields` are the paths of the leaves that were set; only the ledger that it came from knows their values' digests."""

    address: str
    id: str
    locator: str
    fields: tuple[str, ...] = ()
    refers: tuple[str, ...] = ()
    applied: str = ""


@dataclass(frozen=True, slots=True)
class LedgerExport:
    """Objects of one document's ledger, and when they were exported. It holds no values and no digests."""

    document: str
    exported: str
    objects: tuple[ExportedObject, ...]
    format_version: str = FORMAT_VERSION
    id: str = ""
