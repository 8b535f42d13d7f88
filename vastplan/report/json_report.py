"""What `--format json` prints, as values: one for each command that does not print a plan, and one for what went wrong.

Each has a published schema (`app/schemas.py`). A minor version adds fields; a major one may take some away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from vastplan.model import canonical_json
from vastplan.model.budget import CheckpointBudget
from vastplan.model.commitment import Commitment
from vastplan.model.drift import Drift
from vastplan.model.exported import Export
from vastplan.model.finding import Finding, Severity
from vastplan.model.imported import Import
from vastplan.model.isolation import Isolation
from vastplan.model.outcome import Outcome, Receipt
from vastplan.model.replication import Replication
from vastplan.model.rights import Rights

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
    """Any command that could not continue; `findings` are those of an input, and `error` is all of it as text."""

    error: str
    findings: tuple[Finding, ...] = ()
    format_version: str = FORMAT_VERSION


@dataclass(frozen=True, slots=True)
class Review:
    """`apply --reviewed`: the reviewed plan, whether the live one does no more, what else it does, and the secrets that it
    cannot compare."""

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
    """A live value that the document leaves out. `evidence` says how it is known that it is the system's default: the vendor's
    `schema`, or its `prose`, or a `witness` alone; empty where it is not known to."""

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
    """`show PATH ADDRESS`: one object of the document. `id` and `applied` are empty for an object that does not exist or is not in the ledger.

    `parts` are the objects that come of it; a composite entry has only those.
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
    """An object in the ledger; `fields` counts the values that vastplan set. A site may have left the document."""

    address: str
    id: str
    applied: str
    fields: int
    site_in_document: bool = True


@dataclass(frozen=True, slots=True)
class OwnedObjects:
    """`ledger list`: everything that it has."""

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
    """What it also finds, where that is less bad than `severity`."""


@dataclass(frozen=True, slots=True)
class KnownChecks:
    """`validate --list-checks` and `--explain`: `live` ones also look at what a plan observes."""

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
    | Import
    | Export
    | Rights
)


def applied(receipt: Receipt, reviewed: Review | None = None) -> Applied:
    """An apply."""
    return Applied(receipt.plan, receipt.outcomes, reviewed)


def shown(described: dict[str, Any]) -> ShownObject:
    """One object, from what `describe` says of it."""
    fields = tuple(ShownField(**row) for row in described["fields"])
    lists = {name: tuple(described[name]) for name in ("chosen", "writers", "replications")}
    parts = tuple(ShownPart(**part) for part in described["parts"])
    unsaid = tuple(ShownUnsaid(**row) for row in described["unsaid"])
    return ShownObject(**{**described, **lists, "fields": fields, "parts": parts, "unsaid": unsaid})


def owned(document: str, rows: list[dict[str, Any]]) -> OwnedObjects:
    """The ledger's rows."""
    return OwnedObjects(document, tuple(OwnedObject(**row) for row in rows))


def plain(value: Printed) -> dict[str, Any]:
    """The value as JSON-able data."""
    data: dict[str, Any] = canonical_json.plain(value)
    if isinstance(value, Drift):
        rows = zip(data["coverage"], value.coverage, strict=True)
        data["coverage"] = [{**row, "percent": coverage.percent} for row, coverage in rows]
    return data


def dumps(value: Printed) -> str:
    """The value as JSON text."""
    return canonical_json.text(plain(value))
