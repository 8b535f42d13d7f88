"""What tests and demonstrations do to a simulated cluster beside its API: content, links, power, the logical clock."""

from __future__ import annotations

from dataclasses import dataclass

from vastplan.sim.vast import (
    clients,
    clockwork,
    content,
    copies,
    directories,
    fabric,
    jobs,
    links,
    shared_access,
    sides,
    tasks,
)
from vastplan.sim.vast.clients import NoAnswer as NoAnswer
from vastplan.sim.vast.clients import ReadOnly as ReadOnly
from vastplan.sim.vast.cluster import DEFAULT_TENANT, VastCluster
from vastplan.sim.vast.snapshots import POINTER


@dataclass(frozen=True, slots=True)
class Divergence:
    """What two sides of a path have: the labels of the newest restore point on both, and what only one has, with its bytes."""

    common: tuple[str, ...]
    only: dict[str, tuple[str, ...]]
    bytes: dict[str, int]


@dataclass(frozen=True, slots=True)
class Job:
    """A training job: `running`, `stopped`, `failed` or `away`; its newest checkpoint, the one that it began with, why it failed."""

    state: str
    step: int
    resumed: int
    why: str


class Controls:
    """The part of `VastPlane` that no request reaches. Call it under the world's lock where the plane is being served."""

    _cluster: VastCluster

    def link(self, other: Controls) -> None:
        """Let two clusters reach each other's replication pools; from then on they share one logical clock."""
        self._cluster.links.append(other._cluster)
        other._cluster.links.append(self._cluster)
        fabric.join(other._cluster, self._cluster.fabric)

    def set_link(self, other: Controls, *, up: bool | None = None, bandwidth: float | None = None) -> None:
        """Cut a link, or let it carry again; say how many bytes a second it carries, from the next restore point on."""
        if bandwidth is not None:
            pair = frozenset({self._cluster.name, other._cluster.name})
            self._cluster.fabric.bandwidth[pair] = bandwidth
        if up is not None:
            links.set_link(self._cluster, other._cluster, up=up)

    def set_power(self, *, on: bool) -> None:
        """Take a cluster's power, and with it its links and all that is due on it; with power what is due goes on."""
        self._cluster.lost = not on
        for other in self._cluster.links:
            if not other.lost:
                links.set_link(self._cluster, other, up=on)

    def pass_time(self, seconds: float) -> None:
        """Move the logical clock of all linked clusters: what falls due meanwhile happens in its order."""
        clockwork.pass_time(self._cluster.fabric, seconds)

    def now(self) -> float:
        """What time it is here, in seconds since 1970."""
        return self._cluster.clock()

    def usage(self, path: str, tenant_id: int, bytes: int, inodes: int) -> None:
        """Say how much lies directly in a directory, which is created; directories above it count it too."""
        directories.use(self._cluster, tenant_id, path, bytes, inodes)

    def fail_next_task(self, message: str) -> None:
        """Let the next async task fail with `message`; what it was to do does not happen."""
        tasks.fail_next(self._cluster, message)

    def write(
        self, path: str, bytes: int, label: str, *, tenant_id: int = DEFAULT_TENANT, of: int | None = None
    ) -> None:
        """A client writes to a directory, which is created. With `of` above `bytes` it is a part of what `label` names.

        Raises `ReadOnly` where the path's role takes no writes, and `NoAnswer` of a cluster without power.
        """
        clients.write(self._cluster, tenant_id, path, bytes, label, of)

    def labels(self, path: str, *, tenant_id: int = DEFAULT_TENANT, torn: bool = False) -> list[str]:
        """What a client finds in a directory and below it, the oldest first; with `torn` what is there in part only."""
        return content.labels(self._cluster, clients.seen(self._cluster, tenant_id, path), torn=torn)

    def labels_of_snapshot(self, name: str, *, torn: bool = False) -> list[str]:
        """What a snapshot holds. Raises `KeyError` for one that is not there."""
        row = next(self._cluster.rows("snapshots", name=name), None)
        if row is None:
            raise KeyError(name)
        return content.labels(self._cluster, row[POINTER], torn=torn)

    def read(self, path: str, label: str, *, tenant_id: int = DEFAULT_TENANT) -> int:
        """A client reads all that a label names: how many bytes crossed the link for a satellite's cache.

        Raises `KeyError` where there is no such label, and `NoAnswer` where the data is on a cluster that is away.
        """
        writes = [
            one
            for one in content.writes(self._cluster, clients.seen(self._cluster, tenant_id, path))
            if one["label"] == label
        ]
        if not writes:
            raise KeyError(label)
        row = shared_access.satellite(self._cluster, tenant_id, path)
        if row is not None:
            try:
                return shared_access.fetch(self._cluster, row, writes)
            except shared_access.Away as away:
                raise NoAnswer(str(away)) from None
        if copies.unread(self._cluster, tenant_id, path) & {write["key"] for write in writes}:
            raise NoAnswer(f"{label} is not copied yet, and its owner is away")
        return 0

    def takes_writes(self, path: str, *, tenant_id: int = DEFAULT_TENANT) -> bool:
        """Whether a client may write there now. Raises `NoAnswer` of a cluster without power."""
        return clients.takes_writes(self._cluster, tenant_id, path)

    def divergence(self, guid: str) -> Divergence:
        """How the two sides of a path differ. Raises `KeyError` for a path that has no two sides."""
        row = sides.cluster_row(self._cluster, guid)
        side = row and sides.other_side(self._cluster, row)
        if row is None or not side:
            raise KeyError(guid)
        base = row.get(sides.BASE) or {"pointer": {}}
        labels: dict[str, tuple[str, ...]] = {}
        sizes: dict[str, int] = {}
        common = content.labels(self._cluster, base["pointer"])
        for cluster, one in ((self._cluster, row), side):
            now = content.pointer(cluster, one["tenant_id"], sides.own_directory(one))
            sizes[cluster.name] = content.behind(cluster, now, base["pointer"])
            labels[cluster.name] = tuple(name for name in content.labels(cluster, now) if name not in common)
        return Divergence(tuple(common), labels, sizes)

    def start_job(
        self,
        name: str,
        path: str,
        *,
        every: float,
        bytes: int,
        steps: int = 100,
        tenant_id: int = DEFAULT_TENANT,
    ) -> None:
        """Let a job write a checkpoint of so many bytes each `every` seconds of the logical clock, as `step-100`, `step-200`.

        It begins with the newest complete one that is there. What it cannot write ends it. Raises `ValueError` for a name
        that is taken.
        """
        jobs.start(self._cluster, name, path, tenant_id, every, bytes, steps)

    def stop_job(self, name: str) -> None:
        """Suspend a job: it writes no more until `go_on_job`. Raises `KeyError`."""
        jobs.stop(self._cluster, name)

    def go_on_job(self, name: str) -> None:
        """Let a job that was stopped, or has failed, start from the newest complete checkpoint. Raises `KeyError`."""
        jobs.go_on(self._cluster, name)

    def job(self, name: str) -> Job:
        """What there is to know of a job. Raises `KeyError`."""
        row = jobs.get(self._cluster, name)
        return Job(row["state"], row["step"], row["resumed"], row["why"])

    def has_job(self, name: str) -> bool:
        """Whether a job of that name was ever started here."""
        return any(name == one for state in jobs.STATES for one in jobs.names(self._cluster, state))

    def workers(self, *, on: bool) -> None:
        """Take away the nodes that jobs run on; with nodes those that ran start again, and those that were stopped do not."""
        for name in jobs.names(self._cluster, jobs.AWAY if on else jobs.RUNNING):
            if on:
                jobs.go_on(self._cluster, name)
            else:
                jobs.stop(self._cluster, name, jobs.AWAY)


def writers(planes: list[Controls], guid: str) -> list[str]:
    """The clusters that would take a client's write to a replicated path now."""
    found = []
    for plane in planes:
        cluster = plane._cluster
        row = sides.cluster_row(cluster, guid)
        if row is not None and not cluster.lost and not sides.read_only(row):
            found.append(cluster.name)
    return found
