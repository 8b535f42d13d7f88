"""The shared context of all handlers of one control plane: rows, clusters, clock, and one request."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, Protocol

from vastplan.sim.agenda import Agenda
from vastplan.sim.runai.cluster import KubernetesSide
from vastplan.sim.runai.errors import RunaiError
from vastplan.sim.store import Row, Store
from vastplan.sim.tables import Table, TableOperation
from vastplan.sim.wire import Response

TENANT = 1001
OmittedPools = Literal["zero", "keep"]


class WorkloadJobs(Protocol):
    """The jobs of workloads, whose state decides phases, by workload id; ids without a job are ignored."""

    def stop(self, workload: str) -> None:
        """Stop a job's writes."""

    def go_on(self, workload: str) -> None:
        """Restart a job."""

    def failed(self, workload: str) -> bool:
        """Whether a job has ended with an error."""


class NoWorkers:
    """Workloads without jobs."""

    def stop(self, workload: str) -> None:
        """Nothing runs."""

    def go_on(self, workload: str) -> None:
        """Nothing runs."""

    def failed(self, workload: str) -> bool:
        """Nothing fails."""
        return False


@dataclass(frozen=True, slots=True)
class Context:
    """One control plane's configuration and rows; `sides` maps cluster names to their Kubernetes sides."""

    store: Store
    table: Table
    name: str
    version: tuple[int, ...]
    sides: Mapping[str, KubernetesSide]
    clock: Callable[[], float]
    settle_reads: int
    omitted_pools: OmittedPools
    author: str
    agenda: Agenda
    finishes: Mapping[str, Finish]
    workers: WorkloadJobs = field(default_factory=NoWorkers)

    def rows(self, kind: str) -> list[Row]:
        """All rows of a kind, oldest first."""
        return list(self.store.rows(f"{self.name}/{kind}"))

    def where(self, kind: str, /, **fields: Any) -> Iterator[Row]:
        """The rows of a kind whose fields equal `fields`, oldest first."""
        return self.store.where(f"{self.name}/{kind}", **fields)

    def get(self, kind: str, key: str) -> Row | None:
        """One row, or `None`."""
        return self.store.get(f"{self.name}/{kind}", key)

    def need(self, kind: str, key: str) -> Row:
        """One row; raises `RunaiError` (404) if it does not exist."""
        row = self.get(kind, key)
        if row is None:
            raise RunaiError(404, f"{kind} {key}")
        return row

    def put(self, kind: str, row: Row) -> None:
        """Store a row under its `id`."""
        self.store.put(f"{self.name}/{kind}", str(row["id"]), row)

    def remove(self, kind: str, row: Row) -> None:
        """Remove a row."""
        self.store.remove(f"{self.name}/{kind}", str(row["id"]))

    def number(self, counter: str, start: int) -> int:
        """The counter's next number, never one that it gave before."""
        return self.store.next(f"{self.name}/{counter}", start)

    def now(self) -> str:
        """The current time as the API writes times."""
        return datetime.fromtimestamp(self.clock(), UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def side(self, cluster_id: str) -> KubernetesSide | None:
        """The Kubernetes side of a cluster, `None` while it is not connected."""
        row = self.get("cluster", cluster_id)
        return self.sides.get(row["name"]) if row and row["state"] == "Connected" else None

    def stamps(self) -> Row:
        """The time and author fields of a new row."""
        return {"createdAt": self.now(), "createdBy": self.author, "updatedAt": self.now(), "updatedBy": self.author}

    def restamp(self, row: Row) -> None:
        """Update the time and author fields of a changed row."""
        row |= {"updatedAt": self.now(), "updatedBy": self.author}


Finish = Callable[[Context, Row, str], None]
"""Completes a change of one kind's row towards a goal."""


@dataclass(frozen=True, slots=True)
class RunaiCall:
    """One request that the document allows: path parameters, typed query, body."""

    operation: TableOperation
    params: tuple[str, ...]
    query: Mapping[str, Any]
    body: Any


Handler = Callable[[Context, RunaiCall], Response]
Routes = dict[tuple[str, str], Handler]
ACCEPTED = {"code": 202, "message": "The request is accepted"}
