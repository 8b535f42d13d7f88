"""The errors that end a command, with their exit codes.

VastplanError                   exit 1
├── Invalid                     findings about a document or another input
│   └── Forbidden               errors that checks found in what a document asks for, exit 3
├── Unreachable                 a system did not answer: its part is unknown, never absent
├── Refused                     a system refused
│   ├── NotFound                the object does not exist
│   │   └── Nobody              the place exists, and has no such user or group
│   ├── Conflict                the object exists already, or was changed since it was read
│   └── NotAuthorised           the credential is wrong or lacks the right
├── Unclear                     a write was sent and no answer came: it may have happened
├── Stale                       the plan no longer describes the live objects, exit 5
├── Locked                      another run holds the ledger
└── Lost                        this run can no longer write the ledger: it must not start anything more
"""

from __future__ import annotations

from collections.abc import Sequence

from vastplan.model.finding import Finding, sort_findings
from vastplan.model.outcome import StaleField
from vastplan.model.sensitive import without_secrets

OK, ERROR, CHANGES, BLOCKED, PARTIAL, STALE, INCOMPLETE = range(7)


class VastplanError(Exception):
    """The base of all errors that stop a command; the text is for the user, and secrets that were used are removed from it."""

    exit_code = ERROR

    def __init__(self, message: str) -> None:
        super().__init__(without_secrets(message))


class Invalid(VastplanError):
    """An input that cannot be accepted, with all findings at once."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(sort_findings(list(findings)))
        super().__init__("\n".join(map(str, self.findings)))


class Forbidden(Invalid):
    """What a document asks for is possible, but checks found errors in it."""

    exit_code = BLOCKED


class Unreachable(VastplanError):
    """A system did not answer, or its answer cannot be understood."""


class Silent(Unreachable):
    """Nothing came from a system, nor from anybody in its place: no connection, or no answer in time."""


class Refused(VastplanError):
    """A system answered with a refusal; `status` is the HTTP status."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class ObjectNotFound(Refused):
    """The object does not exist."""


class Nobody(ObjectNotFound):
    """The place exists, and has no user or group of that name."""


class Conflict(Refused):
    """The object exists already, or was changed since it was read."""


class NotAuthorised(Refused):
    """The credential is wrong, expired beyond refresh, or lacks the right."""


class Unclear(VastplanError):
    """A write was sent and no answer came; only a read can show whether it happened.

    `ended`: the system ended the exchange, with an error of its own or by closing the connection; otherwise it may still be at work.
    """

    def __init__(self, message: str, *, ended: bool = False) -> None:
        super().__init__(message)
        self.ended = ended


class Stale(VastplanError):
    """The live objects changed since the plan was made; `moved` lists the fields that changed, where these are known."""

    exit_code = STALE

    def __init__(self, message: str, moved: tuple[StaleField, ...] = ()) -> None:
        super().__init__(message)
        self.moved = moved


class Locked(VastplanError):
    """Another run is applying to this ledger."""


class Lost(VastplanError):
    """The lock on a ledger is lost, or it cannot be written: changes can no longer be recorded, so none is started."""


def exit_code(conditions: set[int]) -> int:
    """The exit code for several conditions: the first of 1, 5, 4, 3, 2, 6 that is among them, else 0."""
    return next((code for code in (ERROR, STALE, PARTIAL, BLOCKED, CHANGES, INCOMPLETE) if code in conditions), OK)
