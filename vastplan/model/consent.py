"""What a person allowed when the plan was made. It is part of the plan, so that an apply can check the actions again."""

from __future__ import annotations

from vastplan.model.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Approval:
    """An entry of the approvals file: another person accepts the loss of an address's data, until a day (ISO), up to an amount.

    `max_used` is the most that may be in use, in bytes or as a count, as the guard shows it; `max_orphans` is how many snapshots
    may stay behind. With an `id` only the object of that id is approved, whatever is called so now. `by` is who approves, as the file says.
    """

    address: str
    reason: str
    until: str
    max_used: int = 0
    max_orphans: int = 0
    id: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True)
class Consent:
    """What the person who runs the command allows; addresses may be patterns.

    `max_count` is that person's limit of changes for a kind on a site; it replaces the recorded limit.
    """

    allow_delete: tuple[str, ...] = ()
    adopt: bool = False
    approvals: tuple[Approval, ...] = ()
    max_count: int | None = None
    allow_narrow: tuple[str, ...] = ()
    believe_gone: tuple[str, ...] = ()
