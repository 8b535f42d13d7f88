"""Who changed an object: the interface to systems that record it. Optional for a provider."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Protocol, runtime_checkable

from vastplan.model.dataclass import dataclass
from vastplan.schema.kind import Kind

WirePath = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChangedObject:
    """An object that has changed: its kind, id and locator, and when it was last applied (ISO 8601, whole seconds)."""

    kind: Kind
    id: str
    locator: str
    since: str


@dataclass(frozen=True, slots=True)
class Trace:
    """A change that a system recorded: who made it, when (ISO 8601), and in the system's words what was done (`how`).

    `paths` are the places on the wire that were changed; empty where the system records changes only of the object as a whole.
    """

    who: str
    when: str
    how: str = ""
    paths: tuple[WirePath, ...] = ()


@runtime_checkable
class Historian(Protocol):
    """A provider that can show who changed what."""

    def history(self, sought: Sequence[ChangedObject]) -> Iterator[tuple[int, Trace]]:
        """The changes of these objects since they were applied, each with the object's index in `sought`; only reads.

        Raises what reads raise; a caller reports the author as unknown and goes on.
        """


def zoned_moment(text: str) -> datetime | None:
    """A time with its zone, `None` for text that is not one."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time if time.tzinfo is not None else None


def is_later(when: str, since: str, slack: int = 1) -> bool:
    """Whether something was done after an apply, by at least `slack` seconds, because the ledger records whole seconds.

    vastplan's own writes come just before that record; to report one of them as a change by others would be worse than to miss
    a change.
    """
    changed_at, applied = zoned_moment(when), zoned_moment(since)
    return changed_at is not None and applied is not None and changed_at >= applied + timedelta(seconds=slack)


def earliest(sought: Sequence[ChangedObject]) -> datetime | None:
    """The earliest time at which one of these was applied, `None` where it is not known for any."""
    times = [time for changed in sought if (time := zoned_moment(changed.since)) is not None]
    return min(times, default=None)
