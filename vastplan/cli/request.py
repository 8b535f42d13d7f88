"""What can be asked of vastplan, one frozen value a command. Nothing below the parser sees what was typed in any other form."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import ClassVar


class Format(Enum):
    """What standard output holds."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    HTML = "html"

    @property
    def ending(self) -> str:
        """The ending of a report in this format."""
        return {"text": ".txt", "json": ".json", "markdown": ".md", "html": ".html"}[self.value]


class LedgerVerb(Enum):
    """What to do with the ledger."""

    LIST = "list"
    FORGET = "forget"
    UNLOCK = "unlock"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What every command has: which document it is about, and where its results go."""

    command: ClassVar[str]
    colour: bool = False
    paths: tuple[Path, ...] = ()
    connections: Path | None = None
    format: Format = Format.TEXT
    reports: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidateRequest(Request):
    """`vastplan validate`."""

    command = "validate"
    isolation: bool = False
    commitments: bool = False
    list_checks: bool = False
    explain: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanningRequest(Request):
    """What `plan` and `apply PATH` have in common: which part, and what somebody allows. `site` is a list with commas."""

    site: str | None = None
    targets: tuple[str, ...] = ()
    keep_drift: tuple[str, ...] = ()
    adopt: bool = False
    allow_delete: tuple[str, ...] = ()
    allow_narrow: tuple[str, ...] = ()
    believe_gone: tuple[str, ...] = ()
    approvals: Path | None = None
    max_changes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRequest(PlanningRequest):
    """`vastplan plan`."""

    command = "plan"
    snapshot: Path | None = None
    base: Path | None = None
    out: Path | None = None
    detailed_exitcode: bool = False
    isolation: bool = False
    commitments: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplyRequest(PlanningRequest):
    """`vastplan apply`: a saved plan, or a document. `documents` is where a saved plan's document is now, if it moved."""

    command = "apply"
    reviewed: Path | None = None
    allow_difference: bool = False
    auto_approve: bool = False
    documents: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRequest(Request):
    """`vastplan record`."""

    command = "record"
    out: Path
    site: str | None = None
    without: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftRequest(Request):
    """`vastplan drift`."""

    command = "drift"
    site: str | None = None
    isolation: bool = False
    since: Path | None = None
    accept: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowRequest(Request):
    """`vastplan show`: a saved plan without an address, an object of a document with one."""

    command = "show"
    address: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRequest(Request):
    """`vastplan ledger`. `subject` is the address to forget, or the site to unlock."""

    command = "ledger"
    verb: LedgerVerb
    subject: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SimRequest(Request):
    """`vastplan sim`. `subject` is a path, or the plane to serve, for which all the rest is."""

    command = "sim"
    subject: str
    port: int = 0
    user: str = "admin"
    password: str | None = None
    state: Path | None = None
    rate: int | None = None
    api_version: str | None = None
    strict: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaRequest(Request):
    """`vastplan schema`."""

    command = "schema"
    which: str = "desired-state"


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionRequest(Request):
    """`vastplan completion`."""

    command = "completion"
    shell: str


REQUESTS: tuple[type[Request], ...] = (
    ValidateRequest, PlanRequest, ApplyRequest, RecordRequest, DriftRequest, ShowRequest, LedgerRequest, SimRequest,
    SchemaRequest, CompletionRequest,
)  # fmt: skip
