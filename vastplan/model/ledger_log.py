"""What `ledger log` shows: the runs that changed a document's ledger, the newest first."""

from __future__ import annotations

from dataclasses import field
from enum import Enum

from vastplan.model.dataclass import dataclass
from vastplan.model.site_ledger import Counts, LoggedApproval

FORMAT_VERSION = "1.0"


class Ending(Enum):
    """How a run ended: as its worst change did."""

    DONE = "done"
    INCOMPLETE = "incomplete"  # something was skipped or stale, and nothing failed
    FAILED = "failed"
    UNKNOWN = "unknown"  # something was sent without an answer, and a read did not show whether it happened
    ABORTED = "aborted"  # an operation that was taken back
    OPEN = "open"  # an operation that could go on when this run of it ended
    RUNNING = "running"
    CUT_OFF = "cut off"


@dataclass(frozen=True, slots=True)
class SiteSerials:
    """The serial of a site's part before and after a run began."""

    site: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class ChangedAddress:
    """What a run did to an address. `state` is "" where it is not known whether a run that was cut off did it."""

    address: str
    verb: str
    state: str


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One run. `who` and `commit` are as its surroundings said; nobody has checked them. `plan` is the id of its plan, export or
    operation; `ended` is "" for a run that has not ended. `counts` has all changes by verb and state, `changes` the first of them."""

    command: str
    at: str
    who: str
    commit: str
    plan: str
    ended: str
    ending: Ending
    sites: tuple[SiteSerials, ...]
    counts: Counts
    changes: tuple[ChangedAddress, ...]
    approvals: tuple[LoggedApproval, ...]


@dataclass(frozen=True, slots=True)
class LedgerLog:
    """`ledger log`: the runs, the newest first. `more` counts those that are not shown; `older` the changes of each site's part before its
    oldest run, which the ledger no longer has. `unnamed` counts the runs that are not among those asked for by address, and changed more
    objects than the ledger names: they may have changed these too."""

    document: str
    runs: tuple[LogEntry, ...]
    more: int = 0
    older: dict[str, int] = field(default_factory=dict)
    unnamed: int = 0
    format_version: str = FORMAT_VERSION
