"""The interface of operations to a replicated object of two sites. Systems implement these protocols.

Roles have the names that storage products share; the folder of each system maps them to the product's words and calls.
"""

from __future__ import annotations

from datetime import datetime
from enum import Enum
from typing import Protocol

from vastplan.model.dataclass import dataclass


class SideRole(Enum):
    """The role of one side. An unknown role counts as `CHANGING`: busy, never good."""

    SOURCE = "SOURCE"
    DESTINATION = "DESTINATION"
    STANDALONE = "STANDALONE"
    CHANGING = "CHANGING"


@dataclass(frozen=True, slots=True)
class Point:
    """A restore point: when it was taken (`created`), and when it arrived at the other side ("" while it has not).

    `size` is in bytes, `None` where the system does not return it; `name` is the name of the snapshot that keeps it.
    """

    guid: str
    created: str
    arrived: str = ""
    size: int | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Kept:
    """A snapshot that an operation took of one side. `ready` is whether it is complete."""

    id: str
    name: str
    ready: bool


@dataclass(frozen=True, slots=True)
class Side:
    """The status of one side, read from its own system. `stated_role` is its role in the system's words.

    `good` is whether its state means that replication works; `as_of` is the time of its data, "" where it has none.
    """

    role: SideRole
    stated_role: str
    state: str
    good: bool
    enabled: bool
    connected: bool
    as_of: str = ""
    read_only: float = 0.0
    """The system's forecast of how long nobody can write during a planned change, in seconds; 0 where it returns none."""

    @property
    def writes(self) -> bool:
        """Whether it takes writes, by its role."""
        return self.role in (SideRole.SOURCE, SideRole.STANDALONE)


class Directory(Protocol):
    """A directory on one site."""

    site: str

    def used(self) -> int | None:
        """The bytes in it, `None` where the system does not return them."""


class Keeps(Directory, Protocol):
    """A directory on one site of which an operation can take a snapshot."""

    def keep(self, name: str) -> None:
        """Take a snapshot that is not replicated and expires after a week."""

    def kept(self, name: str) -> Kept | None:
        """The snapshot of that name, `None` where it does not exist."""


class Replica(Keeps, Protocol):
    """One side of a replicated object. Calls raise what `Provider` raises. Changing calls return nothing: the effect is read."""

    path: str
    """The path of its calls, for messages and the record."""

    def look(self) -> Side:
        """The current status of the side."""

    def points(self) -> tuple[Point, ...]:
        """The restore points on this side, the oldest first."""

    def now(self) -> datetime | None:
        """The time by the side's own clock, from the date of its last answer; `None` where that had none."""

    def replicate_now(self) -> None:
        """Take a restore point and send it; only on the source."""

    def take_over(self) -> None:
        """Become the source in a planned change: the system first sends the data that is missing."""

    def give_up(self) -> None:
        """Cancel a planned change."""

    def detach(self) -> None:
        """Become standalone without asking the other side: data that has not arrived is lost."""

    def force(self) -> None:
        """Change from standalone to source, without asking the other side."""

    def enable(self) -> None:
        """Enable replication: restore points are taken and sent."""

    def reattach(self) -> None:
        """Make the other side the destination again; only on the source. Data that only the other side has is lost."""
