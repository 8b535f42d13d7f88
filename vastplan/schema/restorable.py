"""What an operation asks of data that has snapshots: take one, copy one elsewhere, go back to one. Systems implement these protocols."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from vastplan.schema.replicated import Directory, Keeps, Side


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A state of a directory that is kept. `ready` is whether it can be used, `expires` when it goes, "" for never."""

    id: int
    guid: str
    name: str
    created: str
    ready: bool
    expires: str = ""


@dataclass(frozen=True, slots=True)
class Copy:
    """What copies a snapshot, as it is now. `held` is whether it does not go on by itself: paused, or failed.

    `usable` is whether what it copies to can be read by now; `snapshot` is the name of what it copies, `directory` where to.
    """

    guid: str
    state: str
    complete: bool
    held: bool
    progress: str = ""
    usable: bool = False
    snapshot: str = ""
    directory: str = ""


class Store(Directory, Protocol):
    """A directory and its snapshots. Every call raises what `Provider`'s do, and answers nothing: what it did is read."""

    directory: str

    def snapshots(self) -> tuple[Snapshot, ...]:
        """Those of exactly this directory, the oldest first."""

    def copy(self, name: str) -> Copy | None:
        """What copies under a name, `None` where nothing does, or no more."""

    def taken(self, directory: str) -> str:
        """What is in the way of a new directory, "" where nothing is seen."""

    def clone(self, snapshot: int, name: str, directory: str) -> None:
        """Begin to copy a snapshot to a directory that is not there yet."""

    def stop_clone(self, name: str) -> None:
        """Copy no more; what is not whole is given up."""


class Clonable(Store, Protocol):
    """A directory whose copies an operation may make as it wants them, and remove again."""

    def make(self, snapshot: int, name: str, directory: str, *, background: bool) -> None:
        """Copy a snapshot to a directory that is not there yet: at once in the background, or only what is read."""

    def reached(self, directory: str) -> str:
        """By what somebody may write to a directory, "" where nothing is seen."""

    def drop(self, name: str, guid: str) -> None:
        """Remove the copy of a name with its directory, where it is the one of that guid; what is gone is fine."""


class Restorable(Store, Keeps, Protocol):
    """A directory that its system can put back in place."""

    path: str
    """Where its calls go, for messages and the record."""

    def look(self) -> Side:
        """How it stands now."""

    def size_of(self, snapshot: Snapshot) -> int | None:
        """How many bytes there were when it was made, `None` where nothing tells."""

    def restoring(self) -> bool:
        """Whether a restore of it has begun and is neither committed nor stopped."""

    def warnings(self) -> Mapping[str, Any]:
        """What its system says that a restore would be dangerous to."""

    def restore(self, snapshot: int, name: str) -> None:
        """Begin: the snapshot is copied beside the directory, which stays as it is."""

    def stop(self) -> None:
        """Leave it as it is."""

    def commit(self) -> None:
        """Put the copy in its place, for good."""
