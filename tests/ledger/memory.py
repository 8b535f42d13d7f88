"""An API server in memory: Namespaces, Secrets and Leases, as far as a ledger uses them.

It is what the ledger's tests run on in microseconds. That it answers as the simulated and the real server do is what they
say themselves: the same tests run on those too (`conftest.py`, `tests/kube`).
"""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest

from tests.ledger.benches import KubernetesBench
from vastplan.model.errors import Conflict, ObjectNotFound

Row = dict[str, Any]


class Memory:
    """Objects by path. Every answer and everything that is kept is a copy."""

    def __init__(self) -> None:
        self.objects: dict[str, Row] = {}
        self.said: list[tuple[str, str]] = []
        self._version = 0
        self._lock = threading.Lock()

    def call(self, method: str, path: str, *, query: list[tuple[str, str]] | None = None, body: Any = None) -> Any:
        """One request."""
        with self._lock:
            self.said.append((method, path))
            given = json.loads(json.dumps(body))
            match method:
                case "GET" if path.endswith(("/secrets", "/leases")):
                    answer: Any = self._listed(path, dict(query or []))
                case "GET":
                    answer = self._at(path)
                case "POST":
                    answer = self._created(path, given)
                case "PUT":
                    answer = self._replaced(path, given)
                case "DELETE":
                    answer = self._at(path)
                    del self.objects[path]
                case _:
                    raise AssertionError(f"{method} {path}")
            return json.loads(json.dumps(answer))

    def _at(self, path: str) -> Row:
        if path not in self.objects:
            raise ObjectNotFound(f"{path} not found", 404)
        return self.objects[path]

    def _listed(self, path: str, query: dict[str, str]) -> Row:
        wanted = dict(one.split("=") for one in query.get("labelSelector", "").split(",") if one)
        rows = [
            row
            for place, row in sorted(self.objects.items())
            if place.rpartition("/")[0] == path and wanted.items() <= row["metadata"].get("labels", {}).items()
        ]
        start, size = int(query.get("continue", "0")), int(query.get("limit", "0")) or len(rows)
        more = {"continue": str(start + size)} if start + size < len(rows) else {}
        return {"items": rows[start : start + size], "metadata": more}

    def _created(self, path: str, row: Row) -> Row:
        above = path.rpartition("/")[0]
        if above.rpartition("/")[2] != "v1" and f"/api/v1/namespaces/{above.rpartition('/')[2]}" not in self.objects:
            raise ObjectNotFound(f"no namespace for {path}", 404)
        place = f"{path}/{row['metadata']['name']}"
        if place in self.objects:
            raise Conflict(f"{place} already exists", 409)
        return self._kept(place, row)

    def _replaced(self, path: str, row: Row) -> Row:
        now = self._at(path)
        if (
            row["metadata"].get("resourceVersion", now["metadata"]["resourceVersion"])
            != now["metadata"]["resourceVersion"]
        ):
            raise Conflict(f"{path} was changed", 409)
        kept = {**row, "metadata": {**row["metadata"], "resourceVersion": now["metadata"]["resourceVersion"]}}
        return now if kept == now else self._kept(path, row)  # what changes nothing makes no new version

    def _kept(self, place: str, row: Row) -> Row:
        self._version += 1
        self.objects[place] = {**row, "metadata": {**row["metadata"], "resourceVersion": str(self._version)}}
        return self.objects[place]


@pytest.fixture
def memory() -> KubernetesBench:
    """One API server, in memory."""
    return KubernetesBench(Memory())
