"""One side of a global access path: its lease, and the prefetches that fill the cache of its satellite.

A prefetch is a task of its own: only the answer has its id, and running ones are listed by tenant and directory.
"""

from __future__ import annotations

from typing import Any

from vastplan.model.errors import ObjectNotFound, Unclear, Unreachable
from vastplan.schema.ports.cache import Prefetch, Progress
from vastplan.systems.transport import segment
from vastplan.systems.vast.client import VastProvider
from vastplan.systems.vast.replica import PATHS, Row

GLOBAL = "STARED_GLOBAL_NAMESPACE"  # as the OpenAPI document of VMS spells it
FULL = "FULL"
_LISTED = "/clusters/list_prefetch_paths_info/"
_COMPLETE = "COMPLETED"
_FAILED = frozenset({"FAILED", "ERROR", "CANCELLED", "TIMEOUT"})


class VastCached:
    """A protected path on one cluster, as the origin or as the satellite."""

    def __init__(self, site: str, provider: VastProvider, id: str, guid: str) -> None:
        self.site = site
        self.path = f"{PATHS}{segment(id)}/"
        self._provider, self._guid = provider, guid

    def shared(self) -> bool:
        """Whether its capability is global access."""
        return bool(self._row().get("capabilities") == GLOBAL)

    def lease(self) -> float | None:
        """The lease in seconds; 0 counts as unknown, because its meaning is not documented."""
        lease = self._row().get("lease_expiry_time")
        return float(lease) if isinstance(lease, int | float) and lease > 0 else None

    def prefetch(self, directory: str) -> int:
        """Prefetch data and names. If a prefetch of the directory is already running, VMS answers 409."""
        body = {"path": directory, "prefetch_type": FULL}
        answer = self._provider.ask("POST", f"{self.path}prefetch_path", body)
        task = answer.get("task_id") if isinstance(answer, dict) else None
        if not isinstance(task, int):
            raise Unclear(f"POST {self.path}prefetch_path: the answer has no task")
        return task

    def running(self, directory: str) -> tuple[int, ...]:
        """The prefetches under way of a directory of the path's own tenant: another tenant may have one of that name. The list
        may have ended ones, too.
        """
        data = self._provider.object(_LISTED).get("prefetch_data")
        if not isinstance(data, list):
            raise Unreachable(f"{self._provider.describe()}: the answer to GET {_LISTED} has no prefetch_data")
        key = self._row().get("tenant_id")
        name = self._provider.object(f"/tenants/{segment(str(key))}/").get("name")
        return tuple(
            prefetch["task_id"]
            for item in data
            if isinstance(item, dict) and _is_of(item.get("tenant"), key, name)
            for prefetch in _dicts(item.get("paths"))
            if _plain(prefetch.get("path")) == _plain(directory) and isinstance(prefetch.get("task_id"), int)
            if _returned(prefetch) not in (_COMPLETE, *_FAILED)
        )

    def prefetched(self, task: int, directory: str) -> Prefetch | None:
        """A prefetch by its own answer. `SUCCESS` may refer to the request, so it means complete only once the task is not listed."""
        try:
            row = self._provider.object(f"{self.path}prefetch_path", {"task_id": task})
        except ObjectNotFound:
            return None
        state = _returned(row)
        progress = Progress.FAILED if state in _FAILED else Progress.RUNNING
        if state == _COMPLETE or (state == "SUCCESS" and task not in self.running(directory)):
            progress = Progress.COMPLETE
        size = row.get("size_retrieved")
        full = row.get("prefetch_type") in (None, FULL)
        return Prefetch(task, progress, state, full, size if isinstance(size, int) else None)

    def stop(self, task: int) -> None:
        """Stop a prefetch; that also removes it from the list of past ones."""
        self._provider.ask("DELETE", f"{self.path}prefetch_path", {"task_id": task, "stop_running_prefetch": True})

    def _row(self) -> Row:
        row = self._provider.object(self.path)
        if row.get("guid") != self._guid:
            raise Unreachable(f"{self._provider.describe()}: {self.path} is now another protected path")
        return row


def _is_of(tenant: Any, key: Any, name: Any) -> bool:
    """Whether a listed tenant is this one; the API document has its name only."""
    if not isinstance(tenant, dict):
        return False
    return bool(tenant["id"] == key if "id" in tenant else tenant.get("name") == name)


def _dicts(value: Any) -> list[Row]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _returned(row: Row) -> str:
    return str(row.get("code") or "").strip().upper()


def _plain(path: Any) -> str:
    return str(path or "").rstrip("/")
