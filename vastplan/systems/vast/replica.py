"""One side of a replicated path: its role, its restore points, and the calls that change roles.

Each cluster is read about itself only. An unknown role counts as changing and an unknown state as not good: never a reason to go on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from vastplan.model.errors import Unreachable
from vastplan.schema.ports.replica import Kept, Point, Side, SideRole
from vastplan.systems.transport import segment
from vastplan.systems.vast.client import VastProvider

PATHS, SNAPSHOTS = "/protectedpaths/", "/snapshots/"
_ROLES = {role.value: role for role in SideRole}
_GOOD = frozenset({"ACTIVE", "SYNCING", "PARTIALLY_ACTIVE", "REPLICATION_READY"})
TAKEN = frozenset(
    {"SUCCEED"}
)  # of a snapshot that is complete; the document lists no states, so any other is one that is not
_KEEP = timedelta(days=7)  # after which a snapshot of an operation expires: a person has that long to take over
Row = Mapping[str, Any]


def paths_like(provider: VastProvider, *, guid: str = "", name: str = "") -> list[Row]:
    """The rows of paths with a guid, or without one with a name."""
    rows = provider.rows(PATHS, {} if guid else {"name": name})  # both sides may have another name for it
    return [row for row in rows if (row.get("guid") == guid if guid else row.get("name") == name)]


class VastReplica:
    """A protected path on one cluster. `now` returns the time from which expiries are counted."""

    def __init__(
        self, site: str, provider: VastProvider, id: str, guid: str, directory: str, now: Callable[[], datetime]
    ) -> None:
        self.site = site
        self.path = f"{PATHS}{segment(id)}/"
        self._provider, self._guid, self._directory, self._now = provider, guid, directory, now
        self._stream = ""

    def look(self) -> Side:
        """Its own row, which must still be the one of that guid."""
        row = self._provider.object(self.path)
        if row.get("guid") != self._guid:
            raise Unreachable(f"{self._provider.describe()}: {self.path} is now another protected path")
        role_text, state = (_plain(row.get(name)) for name in ("role", "state"))
        forecast = row.get("estimated_read_only_time")
        return Side(
            role=_ROLES.get(role_text, SideRole.CHANGING),
            stated_role=role_text,
            state=state,
            good=state in _GOOD,
            enabled=row.get("enabled") is True,
            connected=_plain(row.get("peer_connection_state")) in ("CONNECTED", "OK"),
            as_of=str(row.get("last_restore_point_creation_time") or ""),
            read_only=float(forecast) if isinstance(forecast, int | float) else 0.0,
        )

    def points(self) -> tuple[Point, ...]:
        """The restore points of its stream, oldest first; one that has not arrived has no time of arrival."""
        rows = self._provider.rows("/replicationrestorepoints/", {"stream__id": self._stream_id(), "page_size": None})
        own_rows = [row for row in rows if row.get("protected_path_guid") == self._guid and row.get("guid")]
        own_rows.sort(key=lambda row: (str(row.get("created")), int(row.get("id") or 0)))
        return tuple(
            Point(
                str(row["guid"]),
                str(row.get("created")),
                str(row.get("upload_finish_time") or ""),
                row["logical_size"] if isinstance(row.get("logical_size"), int) else None,
                str(row.get("name") or ""),
            )
            for row in own_rows
        )

    def now(self) -> datetime | None:
        """The time by the clock of its cluster."""
        return self._provider.now()

    def used(self) -> int | None:
        """The bytes that it uses, by the quota of its directory; `None` without one."""
        return used_in(self._provider, self._tenant(), self._directory)

    def replicate_now(self) -> None:
        """Create a restore point that both sides keep for a week."""
        end = (self._now() + _KEEP).strftime("%Y-%m-%dT%H:%M:%S")
        body = {"time_expires_local": end, "time_expires_target": end}
        self._provider.ask("PATCH", f"{self.path}replicate_now/", body)

    def take_over(self) -> None:
        """Graceful failover, sent to the side that becomes the source."""
        self._provider.ask("PATCH", self.path, {"failover": True, "graceful": True})

    def give_up(self) -> None:
        """Abort the failover, sent to the side that began it."""
        self._provider.ask("PATCH", self.path, {"abort": True})

    def detach(self) -> None:
        """Failover without grace: this side becomes STANDALONE."""
        self._provider.ask("PATCH", self.path, {"failover": True, "graceful": False})

    def force(self) -> None:
        """The STANDALONE side becomes the source. Its role shows the result, whatever the state of the task."""
        self._provider.ask("PATCH", f"{self.path}force_failover")

    def enable(self) -> None:
        """Enable replication and snapshots."""
        self._provider.ask("PATCH", self.path, {"enabled": True})

    def reattach(self) -> None:
        """Reattach the stream that the body names; sent to the source."""
        self._provider.ask("PATCH", f"{self.path}reattach_stream/", {"stream_id": self._stream_id()})

    def keep(self, name: str) -> None:
        """Take a snapshot of its directory that expires after a week."""
        end = (self._now() + _KEEP).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        body = {"name": name, "path": self._directory, "tenant_id": self._tenant(), "expiration_time": end}
        self._provider.ask("POST", SNAPSHOTS, body)

    def kept(self, name: str) -> Kept | None:
        """The snapshot of its directory of that name; names are not unique in VMS, so several are an error."""
        rows = self._provider.rows(SNAPSHOTS, {"name__contains": name})
        own_rows = [
            row
            for row in rows
            if row.get("name") == name and _directory(row.get("path")) == _directory(self._directory)
        ]
        if len(own_rows) > 1:
            raise Unreachable(f"{self._provider.describe()} has {len(own_rows)} snapshots {name} of one directory")
        return Kept(str(own_rows[0].get("id")), name, _plain(own_rows[0].get("state")) in TAKEN) if own_rows else None

    def _tenant(self) -> Any:
        return self._provider.object(self.path).get("tenant_id")

    def _stream_id(self) -> str:
        if not self._stream:
            rows = self._provider.rows("/replicationstreams/", {})
            own_rows = [row for row in rows if row.get("protected_path_guid") == self._guid]
            if len(own_rows) != 1:
                text = f"{self._provider.describe()}: {self.path} has {len(own_rows)} streams; vastplan supports one"
                raise Unreachable(text)
            self._stream = str(own_rows[0].get("id"))
        return self._stream


def used_in(provider: VastProvider, tenant: Any, directory: str) -> int | None:
    """The bytes that a directory uses, by its quota; `None` without one."""
    for row in provider.rows("/quotas/", {"tenant_id": tenant}):
        if str(row.get("path", "")).rstrip("/") == directory.rstrip("/"):
            used = row.get("used_effective_capacity")
            return used if isinstance(used, int) else None
    return None


def _directory(path: Any) -> str:
    """A path without the slash at its end."""
    return str(path or "").rstrip("/")


def _plain(value: Any) -> str:
    """A value in upper case with underscores: case and blanks vary between versions."""
    return str(value or "").strip().upper().replace(" ", "_")
