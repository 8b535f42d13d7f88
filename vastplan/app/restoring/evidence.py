"""The evidence for a restore, which a person weighs: the snapshot, and the newer data, counted where a system reports it."""

from __future__ import annotations

from datetime import datetime

from vastplan.app.restoring.place import Place
from vastplan.model.operation_plan import Fact
from vastplan.operations.ends import Home, Work
from vastplan.operations.plan.evidence import mounted_by, used_bytes
from vastplan.schema.ports.snapshots import Restorable, Snapshot, Store
from vastplan.schema.ports.workloads import Job

_SHOWN = 5  # names of snapshots


def of_snapshot(source: Store, snapshot: Snapshot) -> tuple[Fact, ...]:
    """The snapshot to restore."""
    return (
        Fact("snapshot", f"{snapshot.name} of {source.directory}, taken {snapshot.created}"),
        Fact("it expires", snapshot.expires or "never"),
        Fact("used bytes now", used_bytes(source.used())),
    )


def newer(source: Restorable, place: Place, snapshot: Snapshot, now: datetime) -> tuple[Fact, ...]:
    """The data, snapshots and checkpoints that are newer than the snapshot."""
    later = [one.name for one in source.snapshots() if (one.created, one.id) > (snapshot.created, snapshot.id)]
    used, then = source.used(), source.size_of(snapshot)
    text = "unknown: VAST reports only how many there are now"
    if then is not None and used is not None:
        text = f"{used} now and {then} then, so at least {max(0, used - then)}"
    names = ", ".join(later[-_SHOWN:]) + (f" and {len(later) - _SHOWN} older ones" if len(later) > _SHOWN else "")
    return (
        Fact("newer bytes", text),
        Fact("newer snapshots", f"{len(later)}, which stay: {names}" if later else "none"),
        Fact("newer checkpoints", _checkpoints(place, snapshot, now)),
    )


def of_path(source: Restorable, home: Home, users: tuple[tuple[Work, Job], ...]) -> tuple[Fact, ...]:
    """The state of the protected path, and who uses it."""
    side, said = source.look(), source.warnings()
    facts = [Fact("protected path", f"{side.said}, {side.state}")]
    if said.get("is_source_ppath") and side.connected:
        facts.append(Fact("its copy", "does not change until the next restore point after the commit arrives there"))
    if said.get("has_gn_streams"):
        facts.append(Fact("global access", "other sites read it, and their caches may still hold the old data"))
    versions = said.get("s3_versioning")
    if isinstance(versions, list) and versions:
        facts.append(Fact("object versions that may be lost", ", ".join(map(str, versions))))
    for work, job in users:
        text = f"{job.phase}, {job.gpus:g} GPUs, by {work.source.address}; suspended, and resumed afterwards"
        facts.append(Fact(f"workload {job.name}", text))
    return (*facts, *mounted_by(home))


def _checkpoints(place: Place, snapshot: Snapshot, now: datetime) -> str:
    said = place.written.values.get("checkpoint") if place.written is not None else None
    interval = said.get("interval") if isinstance(said, dict) else None
    try:
        age = (now - datetime.fromisoformat(snapshot.created)).total_seconds()
    except (ValueError, TypeError):  # not a time, or one without a zone
        return "unknown"
    if not isinstance(interval, int) or not interval:
        return f"unknown: the document gives no checkpoint interval; the snapshot is {age:.0f} s old"
    return f"up to {int(age // interval)}, one every {interval} s as the document says"
