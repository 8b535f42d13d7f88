"""Who changed an object: what the engine can ask a system that records it. A provider need not have it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol, runtime_checkable

from vastplan.schema.kind import Kind

WirePath = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sought:
    """An object that has changed: its kind, id and locator, and when it was last applied (ISO 8601, whole seconds)."""

    kind: Kind
    id: str
    locator: str
    since: str


@dataclass(frozen=True, slots=True)
class Trace:
    """What a system remembers of a change: who made it, when (ISO 8601), and in its own words what was done.

    `paths` are the places on the wire that were touched; none means that the system only tells of the object as a whole.
    """

    who: str
    when: str
    how: str = ""
    paths: tuple[WirePath, ...] = ()


@runtime_checkable
class Historian(Protocol):
    """A provider that can show who changed what."""

    def history(self, sought: Sequence[Sought]) -> Iterator[tuple[int, Trace]]:
        """What was done to these objects since they were applied, each with its place in `sought`; reads only.

        Raises what reads raise: a system that does not let us see it is no reason to doubt anything else.
        """


def moment(text: str) -> datetime | None:
    """A time with its zone, `None` for what is none."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time if time.tzinfo is not None else None


def later(when: str, since: str, slack: int = 1) -> bool:
    """Whether something was done after an apply: by more than `slack` seconds, as the ledger notes whole ones.

    Our own writes come just before that note; taking one of them for a change by others would be worse than not
    reporting it.
    """
    done, applied = moment(when), moment(since)
    return done is not None and applied is not None and done >= applied + timedelta(seconds=slack)


def earliest(sought: Sequence[Sought]) -> datetime | None:
    """When the first of these was applied, `None` where that is not known of any."""
    times = [time for changed in sought if (time := moment(changed.since)) is not None]
    return min(times, default=None)
