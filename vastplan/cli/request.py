"""The requests to vastplan: one frozen value for each command, the only form in which code below the parser sees the arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, field, fields
from enum import Enum
from pathlib import Path
from typing import ClassVar

from vastplan.model.dataclass import dataclass

APPROVALS = "--approvals"
_PLANS = "plans"
"""The key in a field's metadata of its option, if that option controls planning."""


class Format(Enum):
    """The format of standard output."""

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
    MOVE = "move"
    FORGET = "forget"
    EXPORT = "export"
    IMPORT = "import"
    UNLOCK = "unlock"


class OperationVerb(Enum):
    """What to do with a move or a restore."""

    PLAN = "plan"
    RUN = "run"
    STATUS = "status"
    ABORT = "abort"


def _plans(option: str) -> Mapping[str, str]:
    """The metadata of a field whose option (as it is typed) controls planning: with a saved plan it has no effect."""
    return {_PLANS: option}


def planning_options(request: Request) -> dict[str, list[str]]:
    """The given options of a request that control planning, in the order of the fields, each with all its typed words."""
    return {
        each.metadata[_PLANS]: _words(each.metadata[_PLANS], getattr(request, each.name))
        for each in fields(request)
        if _PLANS in each.metadata and each.default is not MISSING and getattr(request, each.name) != each.default
    }


def _words(option: str, value: object) -> list[str]:
    if value is True:
        return [option]
    return [word for one in (value if isinstance(value, tuple) else (value,)) for word in (option, str(one))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The fields of every command: its document, and the output."""

    command: ClassVar[str]
    colour: bool = False
    paths: tuple[Path, ...] = ()
    connections: Path | None = None
    format: Format = Format.TEXT
    reports: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class InitRequest(Request):
    """`vastplan init`. An option that was not typed is `None`, and asked for at a terminal."""

    command = "init"
    site: str | None = None
    sim: bool = False
    vast_url: str | None = None
    kubeconfig: str | None = None
    context: str | None = None
    runai_url: str | None = None
    tenant: str | None = None
    project: str | None = None
    vips: str | None = None
    clients: str | None = None


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
    """The fields that `plan` and `apply PATH` share: the selection, and the consents. `site` is a comma-separated list."""

    site: str | None = field(default=None, metadata=_plans("--site"))
    targets: tuple[str, ...] = field(default=(), metadata=_plans("--target"))
    keep_drift: tuple[str, ...] = field(default=(), metadata=_plans("--keep-drift"))
    adopt: bool = field(default=False, metadata=_plans("--adopt"))
    allow_delete: tuple[str, ...] = field(default=(), metadata=_plans("--allow-delete"))
    allow_narrow: tuple[str, ...] = field(default=(), metadata=_plans("--allow-narrow"))
    believe_gone: tuple[str, ...] = field(default=(), metadata=_plans("--believe-gone"))
    approvals: Path | None = field(default=None, metadata=_plans(APPROVALS))
    max_changes: int | None = field(default=None, metadata=_plans("--max-changes"))
    review_key: Path | None = field(default=None, metadata=_plans("--review-key"))
    expand: tuple[str, ...] = field(default=(), metadata=_plans("--expand"))


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRequest(PlanningRequest):
    """`vastplan plan`."""

    command = "plan"
    snapshot: Path | None = None
    base: Path | None = None
    out: Path | None = None
    sign: Path | None = None
    approvals_template: Path | None = None
    detailed_exitcode: bool = False
    isolation: bool = False
    commitments: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplyRequest(PlanningRequest):
    """`vastplan apply`: a saved plan, or a document. `documents` is where a saved plan's document is now, if it moved."""

    command = "apply"
    reviewed: Path | None = field(default=None, metadata=_plans("--reviewed"))
    allow_difference: bool = field(default=False, metadata=_plans("--allow-difference"))
    allow_secret_values: tuple[str, ...] = field(default=(), metadata=_plans("--allow-secret-values"))
    auto_approve: bool = False
    require_signature: Path | None = None
    documents: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRequest(Request):
    """`vastplan record`."""

    command = "record"
    out: Path
    site: str | None = None
    without: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRequest(Request):
    """`vastplan import`."""

    command = "import"
    site: str | None = None
    snapshot: Path | None = None
    out: Path | None = None
    layout: str = "tenants"
    tenants: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    take: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    full: tuple[str, ...] = ()
    census: bool = False
    defaults: bool = False
    close: bool = False
    terraform: tuple[str, ...] = ()
    dry_run: bool = False
    detailed_exitcode: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportRequest(Request):
    """`vastplan export`. `target` is the tool to write for."""

    command = "export"
    target: str
    out: Path
    site: str | None = None
    tenants: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    tasks: tuple[Path, ...] = ()
    snapshot: Path | None = None
    skypilot: str = ""
    with_credentials: bool = False
    secret: str = ""
    overwrite: bool = False


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
    """`vastplan show`: a saved plan, its actions on one address, an object of a document, or the rights that a document needs."""

    command = "show"
    address: str | None = None
    rights: bool = False
    expand: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRequest(Request):
    """`vastplan ledger`. `subjects` are the arguments of the verb: addresses, patterns of addresses, or a file."""

    command = "ledger"
    verb: LedgerVerb
    subjects: tuple[str, ...] = ()
    site: str | None = None
    out: Path | None = None
    forget: bool = False
    with_parts: bool = False
    dry_run: bool = False
    yes: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationRequest(Request):
    """The fields that moves and restores share. `subject` is an address, or the id of an operation; for a run, `paths` is its file."""

    command = ""
    verb: OperationVerb
    subject: str = ""
    out: Path | None = None
    lose: str = ""
    approvals: Path | None = None
    documents: tuple[Path, ...] = ()
    yes: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveRequest(OperationRequest):
    """`vastplan move`."""

    command = "move"
    to: str = ""
    rejoin: str = ""
    keep: str = ""
    unplanned: bool = False
    broken: str = ""
    through: bool = False
    warm: str = ""
    fork: str = ""
    live: bool = False
    rehearse: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreRequest(OperationRequest):
    """`vastplan restore`. `name` and `directory` are those of the new volume."""

    command = "restore"
    snapshot: str = ""
    name: str = ""
    directory: str = ""
    in_place: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SimRequest(Request):
    """`vastplan sim`. `subject` is a document's path, or the system to serve; the other options are for a system."""

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
class ExplainRequest(Request):
    """`vastplan explain`."""

    command = "explain"
    place: str = ""
    recursive: bool = False


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
    InitRequest, ValidateRequest, PlanRequest, ApplyRequest, RecordRequest, ImportRequest, ExportRequest, DriftRequest, ShowRequest, LedgerRequest,
    MoveRequest, RestoreRequest, SimRequest, ExplainRequest, SchemaRequest, CompletionRequest,
)  # fmt: skip
