"""The errors a user can meet.

VastplanError                   exit 1
├── Invalid                     findings about a document or another input
│   └── Forbidden               errors that checks found in what a document asks for, exit 3
├── Unreachable                 a system that did not answer: its part is unknown, never absent
├── Refused                     a system that answered no
│   ├── NotFound                there is no such object
│   │   └── Nobody              there is the place, and no such user or group in it
│   ├── Conflict                it exists already, or moved under us
│   └── NotAuthorised           the credential is wrong or lacks the right
├── Unclear                     a write was sent and no answer came: it may have happened
├── Stale                       the plan no longer describes what is there, exit 5
├── Locked                      somebody else holds the ledger
└── Lost                        the ledger can no longer be written by us: nothing more may be begun
"""

from __future__ import annotations

from collections.abc import Sequence

from vastplan.model.finding import Finding, in_order
from vastplan.model.outcome import StaleField
from vastplan.model.sensitive import without_secrets

OK, ERROR, CHANGES, BLOCKED, PARTIAL, STALE, INCOMPLETE = range(7)


class VastplanError(Exception):
    """Anything that stops a command; its text is for the person who typed it, and holds no secret that was used."""

    exit_code = ERROR

    def __init__(self, message: str) -> None:
        super().__init__(without_secrets(message))


class Invalid(VastplanError):
    """An input that cannot be accepted; all findings at once."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(in_order(list(findings)))
        super().__init__("\n".join(map(str, self.findings)))


class Forbidden(Invalid):
    """What a document asks for could be done, and checks say that it should not be."""

    exit_code = BLOCKED


class Unreachable(VastplanError):
    """A system did not answer, or its answer cannot be understood."""


class Refused(VastplanError):
    """A system answered with a refusal; `status` is the HTTP status."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class NotFound(Refused):
    """There is no such object."""


class Nobody(NotFound):
    """The place that was asked is there, and knows nobody of that name."""


class Conflict(Refused):
    """The object exists already, or was changed since it was read."""


class NotAuthorised(Refused):
    """The credential is wrong, expired beyond refresh, or lacks the right."""


class Unclear(VastplanError):
    """A write was sent and no answer came back; only reading can tell whether it happened."""


class Stale(VastplanError):
    """What the plan was made from is no longer what is there; `moved` says what, where that can be said by field."""

    exit_code = STALE

    def __init__(self, message: str, moved: tuple[StaleField, ...] = ()) -> None:
        super().__init__(message)
        self.moved = moved


class Locked(VastplanError):
    """Somebody else is applying to this ledger."""


class Lost(VastplanError):
    """The hold on a ledger is gone, or it cannot be written: what is done can no longer be noted, so nothing is begun."""


def exit_code(conditions: set[int]) -> int:
    """The exit code where several conditions hold: the first of 1, 5, 4, 3, 2, 6, else 0."""
    return next((code for code in (ERROR, STALE, PARTIAL, BLOCKED, CHANGES, INCOMPLETE) if code in conditions), OK)
