"""The values that `--format json` prints: one for each command that does not print a plan, and one for errors.

Each has a published schema (`app/schemas.py`). A minor version adds fields; a major one may remove some.
"""

from __future__ import annotations

from typing import Any, Literal

from vastplan.model import canonical_json
from vastplan.model.budget import CheckpointBudget
from vastplan.model.commitment import Commitment
from vastplan.model.dataclass import dataclass
from vastplan.model.drift import Drift
from vastplan.model.export_result import Export
from vastplan.model.finding import Finding, Severity
from vastplan.model.import_result import Import
from vastplan.model.isolation import Isolation
from vastplan.model.ledger_log import LedgerLog
from vastplan.model.live_state import ObjectState
from vastplan.model.outcome import Outcome, Receipt
from vastplan.model.replication import Replication
from vastplan.model.rights import DocumentRights

FORMAT_VERSION = "1.0"


@dataclass(frozen=True, slots=True)
class Validation:
    """`validate`: a document that could be read, and what was found; the severities of `findings` say how bad it is."""

    document: str
    objects: int
    findings: tuple[Finding, ...]
    isolation: tuple[Isolation, ...] = ()
    commitments: tuple[Commitment, ...] = ()
    budgets: tuple[CheckpointBudget, ...] = ()
    format_version: str = FORMAT_VERSION


@dataclass(frozen=True, slots=True)
class Problems:
    """Any command that could not continue; `findings` are those of an input, and `error` is the whole problem as text."""

    error: str
    findings: tuple[Finding, ...] = ()
    format_version: str = FORMAT_VERSION


@dataclass(frozen=True, slots=True)
class Review:
    """`apply --reviewed`: the reviewed plan, and whether the live one does no more. `differences` is what else the live one does,
    `untold` the secrets that cannot be compared."""

    plan: str
    same: bool
    differences: tuple[str, ...] = ()
    untold: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Applied:
    """`apply`: how every action of the plan ended; `reviewed` where it was compared with a reviewed plan."""

    plan: str
    outcomes: tuple[Outcome, ...]
    reviewed: Review | None = None
    format_version: str = FORMAT_VERSION


@dataclass(frozen=True, slots=True)
class ShownField:
    """One field on both sides; `cause` is empty where they do not differ."""

    path: str
    desired: Any
    live: Any
    differs: bool
    cause: Literal["", "document", "system", "both", "new", "dependency"]
    unit: str
    unordered: bool = False


@dataclass(frozen=True, slots=True)
class ShownUnsaid:
    """A live value that the document leaves out. `evidence` says what shows that it is the system's default: the vendor's `schema`, the
    vendor's `prose`, or only a `witness`; empty if nothing shows it."""

    path: str
    live: Any
    evidence: Literal["", "schema", "prose", "witness"]
    unit: str


@dataclass(frozen=True, slots=True)
class ShownPart:
    """An object of another entry, and what a plan would do to it."""

    address: str
    state: str


@dataclass(frozen=True, slots=True)
class ShownObject:
    """`show PATH ADDRESS`: one object of the document. `id` and `applied` are empty for an object that does not exist or is not in the
    ledger.

    `parts` are the objects that the entry composes to; a composite entry has only those.
    """

    address: str
    origin: str
    id: str
    applied: str
    state: str
    chosen: tuple[str, ...]
    fields: tuple[ShownField, ...]
    writers: tuple[str, ...]
    parts: tuple[ShownPart, ...] = ()
    unsaid: tuple[ShownUnsaid, ...] = ()
    replications: tuple[Replication, ...] = ()
    """Its paths on two sites: which side is the source, and how old the copy is."""
    states: tuple[ObjectState, ...] = ()
    """Which of its objects are not well by what their systems report: being deleted, failed, or not finished."""
    format_version: str = FORMAT_VERSION


@dataclass(frozen=True, slots=True)
class ShownBudget:
    """`show PATH ADDRESS` of a volume: what its checkpoints take; `budget` is missing if the values make no sense.

    `parts` are the addresses of the objects that the volume stands for.
    """

    address: str
    budget: CheckpointBudget | None
    findings: tuple[Finding, ...] = ()
    parts: tuple[str, ...] = ()
    format_version: str = FORMAT_VERSION


@dataclass(frozen=True, slots=True)
class OwnedObject:
    """An object in the ledger; `fields` counts the values that vastplan set. `site_in_document` is false if the document no longer has
    the site."""

    address: str
    id: str
    applied: str
    fields: int
    site_in_document: bool = True


@dataclass(frozen=True, slots=True)
class OwnedObjects:
    """`ledger list`: every object in the ledger."""

    document: str
    owned: tuple[OwnedObject, ...]
    format_version: str = FORMAT_VERSION


@dataclass(frozen=True, slots=True)
class KnownCheck:
    """One check: what it finds, how bad that is, why, what to do about it, and its source."""

    code: str
    title: str
    severity: Severity
    why: str
    fix: str
    source: str
    live: bool
    milder: Severity | None = None
    """The severity of its findings that are less bad than `severity`, if there are any."""


@dataclass(frozen=True, slots=True)
class KnownChecks:
    """`validate --list-checks` and `--explain`: checks that are `live` also look at what a plan observes."""

    checks: tuple[KnownCheck, ...]
    format_version: str = FORMAT_VERSION


Printed = (
    KnownChecks
    | Validation
    | Problems
    | Applied
    | Drift
    | ShownObject
    | ShownBudget
    | OwnedObjects
    | LedgerLog
    | Import
    | Export
    | DocumentRights
)


def apply_report(receipt: Receipt, reviewed: Review | None = None) -> Applied:
    """The value of an apply."""
    return Applied(receipt.plan, receipt.outcomes, reviewed)


def object_report(described: dict[str, Any]) -> ShownObject:
    """The value of one object, from what `describe` returns."""
    rows = ({name: value for name, value in row.items() if name != "names"} for row in described["fields"])
    fields = tuple(ShownField(**row) for row in rows)  # a reference there is its address, which is exact
    lists = {name: tuple(described[name]) for name in ("chosen", "writers", "replications", "states")}
    parts = tuple(ShownPart(**part) for part in described["parts"])
    unsaid = tuple(ShownUnsaid(**row) for row in described["unsaid"])
    return ShownObject(**{**described, **lists, "fields": fields, "parts": parts, "unsaid": unsaid})


def owned_report(document: str, rows: list[dict[str, Any]]) -> OwnedObjects:
    """The value of the ledger's rows."""
    return OwnedObjects(document, tuple(OwnedObject(**row) for row in rows))


def report_data(value: Printed) -> dict[str, Any]:
    """The value as JSON-able data."""
    data: dict[str, Any] = canonical_json.plain_json(value)
    if isinstance(value, Drift):
        rows = zip(data["coverage"], value.coverage, strict=True)
        data["coverage"] = [{**row, "percent": coverage.percent} for row, coverage in rows]
    return data


def dumps(value: Printed) -> str:
    """The value as JSON text."""
    return canonical_json.json_file_text(report_data(value))
