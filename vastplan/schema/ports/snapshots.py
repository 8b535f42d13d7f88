"""The interface of operations to a directory with snapshots: take, clone and restore them. Systems implement these protocols."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol

from vastplan.model.dataclass import dataclass
from vastplan.schema.ports.replica import Directory, Keeps, Side


@dataclass(frozen=True, slots=True)
class DirectorySnapshot:
    """A snapshot of a directory. `ready` is whether it can be used; `expires` is when the system deletes it, "" for never; `locked`
    whether it can be deleted only after an unlock; `size` the bytes that only it holds, `None` where the system does not say."""

    id: int
    guid: str
    name: str
    created: str
    ready: bool
    expires: str = ""
    locked: bool = False
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Copy:
    """The current state of a copy of a snapshot. `held` is whether it does not continue by itself: it is paused, or it failed.

    `usable` is whether the new directory can be read already; `snapshot` is the name of the snapshot, `directory` the new
    directory.
    """

    guid: str
    state: str
    complete: bool
    held: bool
    progress: str = ""
    usable: bool = False
    snapshot: str = ""
    directory: str = ""


class SnapshotStore(Directory, Protocol):
    """A directory and its snapshots. Calls raise what `Provider` raises. Changing calls return nothing: the effect is read."""

    directory: str

    def snapshots(self) -> tuple[DirectorySnapshot, ...]:
        """The snapshots of exactly this directory, the oldest first."""

    def elsewhere(self, name: str) -> str:
        """Another directory that has a snapshot of that name, "" where none is found."""

    def copy(self, name: str) -> Copy | None:
        """The copy with a name, `None` where it does not exist, or no longer."""

    def taken(self, directory: str) -> str:
        """What prevents creating a new directory there, "" where nothing is found."""

    def clone(self, snapshot: int, name: str, directory: str) -> None:
        """Start copying a snapshot to a directory that does not exist yet."""

    def stop_clone(self, name: str) -> None:
        """Stop a copy; data that is not complete is given up."""


class Clonable(SnapshotStore, Protocol):
    """A directory of which an operation can create copies for its own use, and delete them again."""

    def make(self, snapshot: int, name: str, directory: str, *, background: bool) -> None:
        """Copy a snapshot to a directory that does not exist yet: all of it in the `background`, or only what is read."""

    def reached(self, directory: str) -> str:
        """What lets somebody write to a directory, "" where nothing is found."""

    def drop(self, name: str, guid: str) -> None:
        """Delete the copy with a name and its directory, if it has that guid; it is no error if the copy is gone."""


class Restorable(SnapshotStore, Keeps, Protocol):
    """A directory that its system can restore in place."""

    path: str
    """The path of its calls, for messages and the record."""

    def look(self) -> Side:
        """The current status of the directory."""

    def now(self) -> datetime | None:
        """The time by the clock of the system, which dates its snapshots; `None` where its last answer had no date."""

    def size_of(self, snapshot: DirectorySnapshot) -> int | None:
        """The bytes in the directory when the snapshot was taken, `None` where the system does not return them."""

    def restoring(self) -> bool:
        """Whether a restore has begun and is neither committed nor stopped."""

    def warnings(self) -> Mapping[str, Any]:
        """What a restore would endanger, as the system returns it."""

    def restore(self, snapshot: int, name: str) -> None:
        """Start a restore: the snapshot is copied beside the directory, which does not change yet."""

    def stop(self) -> None:
        """Stop the restore; the directory stays as it is."""

    def commit(self) -> None:
        """Replace the directory by the copy; this cannot be undone."""
