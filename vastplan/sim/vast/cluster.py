"""One simulated cluster: its configuration, its rows, and the clusters it can reach."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from vastplan.sim.agenda import Agenda, Key
from vastplan.sim.store import Row, Store
from vastplan.sim.vast.assumptions import Assumed

DEFAULT_TENANT = 1
PENDING = "_pending"


@dataclass(slots=True)
class Fabric:
    """One logical clock (`passed`, seconds) and the links between its clusters; `bandwidth` is in bytes per second, by link."""

    passed: float = 0.0
    clusters: list[VastCluster] = field(default_factory=list)
    cut: set[frozenset[str]] = field(default_factory=set)
    bandwidth: dict[frozenset[str], float] = field(default_factory=dict)
    timers: list[tuple[float, str, int]] | None = None  # the pending timers, while time passes

    def is_cut(self, name: str, other: str) -> bool:
        """Whether the link between two clusters is cut."""
        return frozenset({name, other}) in self.cut

    def cluster(self, name: str) -> VastCluster | None:
        """The cluster with this name."""
        return next((cluster for cluster in self.clusters if cluster.name == name), None)

    def due(self, at: float, name: str, key: int) -> None:
        """Add a timer that is armed while time passes."""
        if self.timers is not None:
            heapq.heappush(self.timers, (at, name, key))


@dataclass(slots=True)
class VastCluster:
    """The state that all modules of the plane share. Rows are stored under their id in decimal.

    `blanks` holds, per collection, a row with no field set. `VastPlane` explains `strict`. `wall` is the
    wall clock, without the time passed on the logical clock, which `fabric` keeps; `lost` marks a cluster without power.
    """

    name: str
    version: str
    store: Store
    wall: Callable[[], float]
    settle_reads: int
    strict: bool = False
    assumed: Assumed = field(default_factory=Assumed)
    links: list[VastCluster] = field(default_factory=list)
    fabric: Fabric = field(default_factory=Fabric)
    lost: bool = False
    blanks: dict[str, Row] = field(default_factory=dict)
    expiries: list[tuple[float, int]] | None = None  # a heap of (time, snapshot id); None before the first request
    agenda: Agenda = field(init=False)

    def __post_init__(self) -> None:
        self.agenda = Agenda(self.store, self.clock, self.settle_reads, self._pending_rows)

    def _pending_rows(self) -> Iterator[Key]:
        for collection, rows in self.store.collections().items():
            yield from ((collection, key) for key, row in rows.items() if PENDING in row)

    def clock(self) -> float:
        """The cluster's time, in seconds since 1970: the wall clock plus the time passed on the logical clock."""
        return self.wall() + self.fabric.passed

    def now(self, after: float = 0.0) -> str:
        """The time in `after` seconds, as ISO 8601 UTC with `Z`."""
        return datetime.fromtimestamp(self.clock() + after, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def reaches(self, other: VastCluster) -> bool:
        """Whether another cluster can be reached now."""
        return other in self.links and not (self.lost or other.lost) and not self.fabric.is_cut(self.name, other.name)

    def reached(self) -> list[VastCluster]:
        """The linked clusters that can be reached now."""
        return [other for other in self.links if self.reaches(other)]

    def get(self, collection: str, key: int | str | None) -> Row | None:
        """One row, or `None`."""
        return None if key is None or isinstance(key, bool) else self.store.get(collection, str(key))

    def name_of(self, collection: str, key: int | str | None) -> str | None:
        """The name of a row, or `None` if it does not exist."""
        row = self.get(collection, key)
        return None if row is None else row["name"]

    def brief(self, collection: str, key: int | str | None) -> Row | None:
        """`{id, name}` of a row, or `None`."""
        row = self.get(collection, key)
        return None if row is None else {"id": row["id"], "name": row["name"]}

    def rows(self, collection: str, /, **fields: Any) -> Iterator[Row]:
        """The rows whose fields equal `fields`."""
        return self.store.where(collection, **fields)

    def put(self, collection: str, row: Row) -> Row:
        """Store a row under its id; from then on the time of its pending changes comes by itself."""
        pending = row.get(PENDING)
        if pending is not None and not pending.get("queued"):
            pending["queued"] = True
            self.agenda.add((collection, str(row["id"])))
        return self.store.put(collection, str(row["id"]), row)

    def add(self, collection: str, values: Row) -> Row:
        """Store a new row: a blank one with `values`, an id, and a guid and times where it has such fields."""
        row = {**self.blanks[collection], **values, "id": self.store.next(collection)}
        now = self.now()
        for name, value in (("guid", str(uuid4())), ("created", now), ("sync", "SYNCED"), ("sync_time", now)):
            if name in row and not row[name]:
                row[name] = value
        return self.put(collection, row)

    def remove(self, collection: str, row: Row) -> None:
        """Remove a row."""
        self.store.remove(collection, str(row["id"]))
