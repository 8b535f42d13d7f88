"""What a person allowed when a plan was made: a plan carries it, so that an apply can weigh its actions again."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Approval:
    """Consent of somebody else to the loss of data behind an address, until a day (ISO), up to an amount.

    `max_used` is what may be in use at most, bytes or a count, as the guard shows it; `max_orphans` how many snapshots may
    stay behind.
    """

    address: str
    reason: str
    until: str
    max_used: int = 0
    max_orphans: int = 0


@dataclass(frozen=True, slots=True)
class Consent:
    """What the person who runs the command has allowed; addresses may be patterns.

    `max_count` is that person's own limit for a kind on a site, in the place of what is recorded.
    """

    allow_delete: tuple[str, ...] = ()
    adopt: bool = False
    approvals: tuple[Approval, ...] = ()
    max_count: int | None = None
    allow_narrow: tuple[str, ...] = ()
    believe_gone: tuple[str, ...] = ()
