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
    """How two sides of a path differ: the labels of the newest common restore point, and the labels and bytes that only one side has."""

    common: tuple[str, ...]
    only: dict[str, tuple[str, ...]]
    bytes: dict[str, int]


@dataclass(frozen=True, slots=True)
class TrainingJob:
    """A training job: `running`, `stopped`, `failed` or `away`; its newest checkpoint, the one it resumed from, why it failed, and the
    step that it does now."""

    state: str
    step: int
    resumed: int
    why: str
    now: int


class Controls:
    """The part of `VastPlane` that no request reaches. Call it under the world's lock while the plane is being served."""

    _cluster: VastCluster

    def link(self, other: Controls) -> None:
        """Connect the replication pools of two clusters; from then on they share one logical clock."""
        self._cluster.links.append(other._cluster)
        other._cluster.links.append(self._cluster)
        fabric.join_clock(other._cluster, self._cluster.fabric)

    def set_link(self, other: Controls, *, up: bool | None = None, bandwidth: float | None = None) -> None:
        """Cut or restore a link, or set its bandwidth in bytes per second, which counts from the next restore point on."""
        if bandwidth is not None:
            pair = frozenset({self._cluster.name, other._cluster.name})
            self._cluster.fabric.bandwidth[pair] = bandwidth
        if up is not None:
            links.set_link(self._cluster, other._cluster, up=up)

    def set_power(self, *, on: bool) -> None:
        """Cut or restore a cluster's power, and with it its links; its timers wait without power and then go on."""
        self._cluster.lost = not on
        for other in self._cluster.links:
            if not other.lost:
                links.set_link(self._cluster, other, up=on)

    def pass_time(self, seconds: float) -> None:
        """Advance the logical clock of all linked clusters; what falls due meanwhile happens in order."""
        clockwork.pass_time(self._cluster.fabric, seconds)

    def now(self) -> float:
        """The cluster's time, in seconds since 1970."""
        return self._cluster.clock()

    def usage(self, path: str, tenant_id: int, bytes: int, inodes: int) -> None:
        """Set how much lies directly in a directory, which is created; directories above it count it too."""
        directories.use(self._cluster, tenant_id, path, bytes, inodes)

    def fail_next_task(self, message: str) -> None:
        """Let the next async task fail with `message`; its effect does not happen."""
        tasks.fail_next(self._cluster, message)

    def write(
        self, path: str, bytes: int, label: str, *, tenant_id: int = DEFAULT_TENANT, of: int | None = None
    ) -> None:
        """Write to a directory as a client; the directory is created. With `of` above `bytes` it is a part of the file `label`.

        Raises `ReadOnly` where the path's role accepts no writes, and `NoAnswer` for a cluster without power.
        """
        clients.client_write(self._cluster, tenant_id, path, bytes, label, of)

    def labels(self, path: str, *, tenant_id: int = DEFAULT_TENANT, torn: bool = False) -> list[str]:
        """The labels that a client finds in a directory and below it, oldest first; with `torn` the incomplete ones only."""
        return content.complete_labels(
            self._cluster, clients.visible_content(self._cluster, tenant_id, path), torn=torn
        )

    def labels_of_snapshot(self, name: str, *, torn: bool = False) -> list[str]:
        """The labels that a snapshot holds. Raises `KeyError` if it does not exist."""
        row = next(self._cluster.rows("snapshots", name=name), None)
        if row is None:
            raise KeyError(name)
        return content.complete_labels(self._cluster, row[POINTER], torn=torn)

    def read(self, path: str, label: str, *, tenant_id: int = DEFAULT_TENANT) -> int:
        """Read all of a label as a client. Returns the bytes that crossed the link to fill a satellite's cache.

        Raises `KeyError` if the label does not exist, and `NoAnswer` if the data is on a cluster that cannot be reached.
        """
        writes = [
            write
            for write in content.write_versions(self._cluster, clients.visible_content(self._cluster, tenant_id, path))
            if write["label"] == label
        ]
        if not writes:
            raise KeyError(label)
        row = shared_access.satellite(self._cluster, tenant_id, path)
        if row is not None:
            try:
                return shared_access.fetch(self._cluster, row, writes)
            except shared_access.Away as away:
                raise NoAnswer(str(away)) from None
        if copies.unreadable_versions(self._cluster, tenant_id, path) & {write["key"] for write in writes}:
            raise NoAnswer(f"{label} is not copied yet, and its owner is away")
        return 0

    def takes_writes(self, path: str, *, tenant_id: int = DEFAULT_TENANT) -> bool:
        """Whether a client may write there now. Raises `NoAnswer` for a cluster without power."""
        return clients.takes_writes(self._cluster, tenant_id, path)

    def divergence(self, guid: str) -> Divergence:
        """How the two sides of a path differ. Raises `KeyError` for a path without two sides."""
        row = sides.cluster_row(self._cluster, guid)
        side = row and sides.other_side(self._cluster, row)
        if row is None or not side:
            raise KeyError(guid)
        base = row.get(sides.BASE) or {"pointer": {}}
        labels: dict[str, tuple[str, ...]] = {}
        sizes: dict[str, int] = {}
        common = content.complete_labels(self._cluster, base["pointer"])
        for cluster, side_row in ((self._cluster, row), side):
            now = content.pointer(cluster, side_row["tenant_id"], sides.own_directory(side_row))
            sizes[cluster.name] = content.missing_bytes(cluster, now, base["pointer"])
            labels[cluster.name] = tuple(name for name in content.complete_labels(cluster, now) if name not in common)
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
        """Start a job that writes a checkpoint of `bytes` each `every` seconds of the logical clock, as `step-100`, `step-200`.

        It resumes from the newest complete checkpoint, if one exists. A write that fails ends the job. Raises `ValueError` for a
        name that is taken.
        """
        jobs.start_job(self._cluster, name, path, tenant_id, every, bytes, steps)

    def stop_job(self, name: str) -> None:
        """Suspend a job: it writes nothing until `go_on_job`. Raises `KeyError`."""
        jobs.stop_job(self._cluster, name)

    def go_on_job(self, name: str) -> None:
        """Restart a stopped or failed job from the newest complete checkpoint. Raises `KeyError`."""
        jobs.restart_job(self._cluster, name)

    def job(self, name: str) -> TrainingJob:
        """The state of a job. Raises `KeyError`."""
        row = jobs.get(self._cluster, name)
        return TrainingJob(row["state"], row["step"], row["resumed"], row["why"], jobs.step_now(self._cluster, row))

    def has_job(self, name: str) -> bool:
        """Whether a job of that name was ever started here."""
        return any(name == job for state in jobs.STATES for job in jobs.job_names(self._cluster, state))

    def workers(self, *, on: bool) -> None:
        """Remove or return the nodes that jobs run on; when they return, jobs that were running restart, and stopped ones do not."""
        for name in jobs.job_names(self._cluster, jobs.AWAY if on else jobs.RUNNING):
            if on:
                jobs.restart_job(self._cluster, name)
            else:
                jobs.stop_job(self._cluster, name, jobs.AWAY)


def writers(planes: list[Controls], guid: str) -> list[str]:
    """The names of the clusters that would accept a client's write to a replicated path now."""
    names = []
    for plane in planes:
        cluster = plane._cluster
        row = sides.cluster_row(cluster, guid)
        if row is not None and not cluster.lost and not sides.read_only(row):
            names.append(cluster.name)
    return names
