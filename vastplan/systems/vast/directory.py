"""A directory with its snapshots, and a protected path that can be restored in place.

VAST restores in place only what has a protected path (`/protectedpaths/{id}/restore`, OpenAPI of VMS 5.5); any snapshot can be
cloned to a directory that does not exist yet (`/snapshots/{id}/clone/`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from vastplan.model.errors import ObjectNotFound, Unreachable
from vastplan.schema.ports.replica import Kept, Side
from vastplan.schema.ports.snapshots import Copy, DirectorySnapshot
from vastplan.systems.transport import segment
from vastplan.systems.vast.client import VastProvider
from vastplan.systems.vast.replica import PATHS, SNAPSHOTS, TAKEN, Row, VastReplica, used_in

STREAMS, POINTS = "/globalsnapstreams/", "/replicationrestorepoints/"
_COMPLETE = frozenset({"COMPLETED", "FINISHED"})
_USABLE = frozenset({"SYNCING", "FINALIZING", "ACTIVE", "COMPLETED", "SUSPENDED"})
_HELD = frozenset({"SUSPENDED", "PAUSED", "FAILED", "ERROR"})


class VastDirectory:
    """A directory of a tenant."""

    def __init__(self, site: str, provider: VastProvider, tenant: int, directory: str) -> None:
        self.site = site
        self.directory = directory
        self.tenant = tenant
        self._provider = provider

    def used(self) -> int | None:
        """The bytes that it uses, by the quota of the directory; `None` without one."""
        return used_in(self._provider, self.tenant, self.directory)

    def snapshots(self) -> tuple[DirectorySnapshot, ...]:
        """The snapshots of exactly this directory, whoever created them, oldest first."""
        rows = [row for row in self._provider.rows(SNAPSHOTS, {"tenant_id": self.tenant}) if self._is_of(row)]
        rows.sort(key=lambda row: (str(row.get("created")), _number(row)))
        return tuple(
            DirectorySnapshot(
                _number(row), str(row.get("guid") or ""), str(row.get("name")), str(row.get("created") or ""),
                str(row.get("state") or "").upper() in TAKEN, str(row.get("expiration_time") or ""),
                row.get("indestructible") is True, size if isinstance(size := row.get("unique_phys_estimation"), int) else None,
            )
            for row in rows
        )  # fmt: skip

    def elsewhere(self, name: str) -> str:
        """The path of another directory that has a snapshot of that name, "" if none does."""
        rows = self._provider.rows(SNAPSHOTS, {"name__contains": name})
        snapshots = [row for row in rows if row.get("name") == name and not self._is_of(row)]
        return str(snapshots[0].get("path") or "") if snapshots else ""

    def copy(self, name: str) -> Copy | None:
        """The clone of that name, `None` if it does not exist."""
        row = self._stream(name)
        if row is None:
            return None
        status = row.get("status")
        states = {
            str(row.get("state") or "").upper(),
            str(status.get("state") if isinstance(status, dict) else "").upper(),
        }
        progress = row.get("sync_progress")
        return Copy(
            guid=str(row.get("guid") or ""), state=str(row.get("state") or ""), complete=bool(states & _COMPLETE),
            held=bool(states & _HELD), progress="" if progress is None else f"{progress} %",
            usable=str(row.get("state") or "").upper() in _USABLE, snapshot=str(row.get("source_snapshot") or ""),
            directory=str(row.get("loanee_root_path") or "").rstrip("/"),
        )  # fmt: skip

    def taken(self, directory: str) -> str:
        """Why the directory is in use, from views, quotas and clones: no list shows directories. VMS refuses one that exists anyway."""
        for path, field, noun in (
            ("/views/", "path", "a view"), ("/quotas/", "path", "a quota"), (STREAMS, "loanee_root_path", "a clone"),
        ):  # fmt: skip
            for row in self._provider.rows(path, {} if path == STREAMS else {"tenant_id": self.tenant}):
                if str(row.get(field) or "").rstrip("/") == directory:
                    return f"{noun} ({row.get('name') or row.get('id')}) already exists at {directory}"
        return ""

    def clone(self, snapshot: int, name: str, directory: str) -> None:
        """Clone within the cluster; the data follows in the background."""
        self.make(snapshot, name, directory, background=True)

    def make(self, snapshot: int, name: str, directory: str, *, background: bool) -> None:
        """Clone in the form that an apply sends, so that an apply recognises the clone by its name."""
        body = {"name": name, "loanee_root_path": directory, "loanee_tenant_id": self.tenant, "enabled": background}
        self._provider.ask("POST", f"{SNAPSHOTS}{segment(str(snapshot))}/clone/", body)

    def stop_clone(self, name: str) -> None:
        """Stop a clone; one that is gone counts as stopped."""
        row = self._stream(name)
        if row is not None:
            self._provider.ask("PATCH", f"{STREAMS}{segment(str(row.get('id')))}/stop")

    def reached(self, directory: str) -> str:
        """The view of the tenant that reaches the directory (at it, above it or below it), "" if none does."""
        for row in self._provider.rows("/views/", {"tenant_id": self.tenant}):
            path = str(row.get("path") or "").rstrip("/")
            if row.get("path") and (f"{directory}/".startswith(f"{path}/") or path.startswith(f"{directory}/")):
                return f"a view ({row.get('name') or row.get('id')}) of {path or '/'}"
        return ""

    def drop(self, name: str, guid: str) -> None:
        """Delete as the vendor's own driver does: a clone that still copies is stopped first, which deletes its directory."""
        row = self._stream(name)
        if row is None or str(row.get("guid") or "") != guid:
            return
        path = f"{STREAMS}{segment(str(row.get('id')))}/"
        try:
            copy = self.copy(name)
            if copy is not None and not copy.complete:
                self._provider.finished("PATCH", f"{path}stop")
            self._provider.finished("DELETE", path, {"remove_dir": True})
        except ObjectNotFound:
            return

    def _stream(self, name: str) -> Row | None:
        rows = [row for row in self._provider.rows(STREAMS, {"name": name}) if row.get("name") == name]
        if len(rows) > 1:
            raise Unreachable(f"{self._provider.describe()} has {len(rows)} streams {name}")
        return rows[0] if rows else None

    def _is_of(self, row: Row) -> bool:
        return row.get("tenant_id") == self.tenant and str(row.get("path") or "").rstrip("/") == self.directory


class VastProtected(VastDirectory):
    """A protected path that its own cluster restores in place. `now` returns the time from which expiries of snapshots are counted."""

    def __init__(
        self, site: str, provider: VastProvider, row: Row, directory: str, now: Callable[[], datetime]
    ) -> None:
        super().__init__(site, provider, int(row["tenant_id"]), directory)
        self._replica = VastReplica(site, provider, str(row["id"]), str(row["guid"]), directory, now)
        self.path = f"{PATHS}{segment(str(row['id']))}/"
        self._name = str(row.get("name") or "")

    def keep(self, name: str) -> None:
        """Take a snapshot, as a move does."""
        self._replica.keep(name)

    def kept(self, name: str) -> Kept | None:
        """The snapshot of that name."""
        return self._replica.kept(name)

    def look(self) -> Side:
        """Its row, which must still be the same protected path."""
        return self._replica.look()

    def now(self) -> datetime | None:
        """The time by the clock of its cluster."""
        return self._provider.now()

    def size_of(self, snapshot: DirectorySnapshot) -> int | None:
        """The size of the restore point of that name: VMS returns no size for a snapshot that was not replicated."""
        rows = self._provider.rows(POINTS, {"stream__name": self._name, "page_size": None})
        sizes = [row.get("logical_size") for row in rows if row.get("name") == snapshot.name]
        return sizes[0] if len(sizes) == 1 and isinstance(sizes[0], int) else None

    def restoring(self) -> bool:
        """Whether its row has a restore task."""
        return bool(self._provider.object(self.path).get("restore_task"))

    def warnings(self) -> Mapping[str, Any]:
        """What VAST returns to check before a restore."""
        return self._provider.object(f"{self.path}validate")

    def restore(self, snapshot: int, name: str) -> None:
        """Start the restore; its progress shows in the clone that it creates."""
        self._provider.ask("POST", f"{self.path}restore", {"loanee_snapshot_id": snapshot, "name": name})

    def stop(self) -> None:
        """Delete the copy."""
        self._provider.ask("PATCH", f"{self.path}stop")

    def commit(self) -> None:
        """Replace the directory: the point of no return."""
        self._provider.ask("PATCH", f"{self.path}commit", {})


def _number(row: Row) -> int:
    number = row.get("id")
    if not isinstance(number, int):
        raise Unreachable("a snapshot without a number")
    return number
