"""What an operation asks of something that two sites share, and of the work that uses it. Systems implement these protocols.

Roles are words that storage products share; how a product calls them, and which calls it takes, its own folder knows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any, Protocol


class Role(Enum):
    """What one side is to the other. Whatever is not understood is `CHANGING`: busy, never good."""

    SOURCE = "SOURCE"
    DESTINATION = "DESTINATION"
    STANDALONE = "STANDALONE"
    CHANGING = "CHANGING"


@dataclass(frozen=True, slots=True)
class Point:
    """A state of the data that is kept: when it was taken, and when it had arrived at the other side ("" while it has not).

    `size` is how many bytes it holds, `None` where nobody says; `name` what the snapshot is called that keeps it.
    """

    guid: str
    created: str
    arrived: str = ""
    size: int | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Kept:
    """A snapshot that an operation had taken of one side. `ready` is whether all of it is there."""

    id: str
    name: str
    ready: bool


@dataclass(frozen=True, slots=True)
class Side:
    """What one side says of itself, read from its own system. `said` is its role in the system's words.

    `good` is whether its state is one in which it works; `as_of` is of when the data is that it has, "" where it has none.
    """

    role: Role
    said: str
    state: str
    good: bool
    enabled: bool
    connected: bool
    as_of: str = ""
    read_only: float = 0.0
    """The forecast of how long nobody may write in a planned change, in seconds; 0 where nothing is said."""

    @property
    def writes(self) -> bool:
        """Whether it takes writes, as far as its role says."""
        return self.role in (Role.SOURCE, Role.STANDALONE)


class Directory(Protocol):
    """Data on one site."""

    site: str

    def used(self) -> int | None:
        """How many bytes lie in it, `None` where nothing tells."""


class Keeps(Directory, Protocol):
    """Data on one site of which an operation can have a snapshot taken."""

    def keep(self, name: str) -> None:
        """Take a snapshot that nothing replicates, and that lasts for a week."""

    def kept(self, name: str) -> Kept | None:
        """The snapshot of that name, `None` where there is none."""


class Replica(Keeps, Protocol):
    """One side of what two sites share. Every call raises what `Provider`'s do, and answers nothing: what it did is read."""

    path: str
    """Where its calls go, for messages and the record."""

    def look(self) -> Side:
        """The side as it is now."""

    def points(self) -> tuple[Point, ...]:
        """The states that are kept on this side, the oldest first."""

    def now(self) -> datetime | None:
        """What time it is by its own clock, as its last answer was dated; `None` where it has not said."""

    def replicate_now(self) -> None:
        """Take a state and send it; only where it is the source."""

    def take_over(self) -> None:
        """Become the source, planned: brought level first."""

    def give_up(self) -> None:
        """Call a planned change off."""

    def detach(self) -> None:
        """Stand alone without asking the other side: what has not arrived is lost."""

    def force(self) -> None:
        """Become the source from standing alone, without asking the other side."""

    def enable(self) -> None:
        """Let states be taken and sent."""

    def reattach(self) -> None:
        """Let the other side follow again; only where it is the source. What only the other side has is gone from it."""


STOPPED = frozenset({"Stopped", "Failed", "Completed"})
"""The phases in which a workload runs nothing, and holds nothing."""


@dataclass(frozen=True, slots=True)
class Job:
    """A workload that uses a claim."""

    id: str
    name: str
    type: str
    phase: str
    project: str
    gpus: float = 0.0
    preemptible: bool = False
    claims: tuple[str, ...] = ()
    """All that it mounts, where that was read."""
    says: str = ""
    """Why it is in its phase, as the system says."""

    @property
    def stopped(self) -> bool:
        """Whether it runs nothing."""
        return self.phase in STOPPED


class Jobs(Protocol):
    """The workloads of one site."""

    site: str

    def using(self, project: str, claim: str) -> tuple[Job, ...]:
        """Those of a project whose specification mounts a claim, and that are not over."""

    def job(self, id: str) -> Job | None:
        """One of them as it is now, `None` where it is gone."""

    def named(self, name: str) -> Job | None:
        """The one of a name that is not deleted."""

    def ours(self, project: str, name: str, label: str) -> Job | None:
        """The one of a name in a project that was submitted with a label, and is not deleted."""

    def suspend(self, job: Job) -> None:
        """Let it stop; it can be resumed."""

    def resume(self, job: Job) -> None:
        """Let it go on."""

    def specification(self, job: Job) -> Mapping[str, Any]:
        """What it was submitted with."""

    def submit(self, type: str, name: str, project: str, specification: Mapping[str, Any]) -> None:
        """Submit a new one to a project of this site."""

    def remove(self, job: Job) -> None:
        """Delete it, with what it runs; what is gone is fine."""

    def small(self, specification: Mapping[str, Any]) -> Mapping[str, Any]:
        """The specification with at most one GPU for each of its parts, and one worker."""

    def mapped(self, specification: Mapping[str, Any], claims: Mapping[str, str], label: str) -> Mapping[str, Any]:
        """The specification as another site takes it: with other claims, without what only the first one has, and labelled."""


class Mounts(Protocol):
    """Who mounts a claim on one site."""

    def pods(self, namespace: str, claim: str) -> tuple[str, ...]:
        """The pods that have it, without those that have ended."""
