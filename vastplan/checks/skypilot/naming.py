"""SKY-01: a mount that contradicts itself."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.tasks import CLAIM, MODES, SCHEME, STORE, TaskMount
from vastplan.model.finding import Severity
from vastplan.model.wording import quoted


def _run(facts: Facts) -> Iterator[Violation]:
    for task in facts.tasks:
        by_path: dict[str, TaskMount] = {}
        for mount in task.mounts:
            problem = _problem(mount)
            if problem:
                yield Violation(mount.entry, f"{quoted(mount.path)}: {problem}")
            first_mount = by_path.setdefault(mount.path.rstrip("/"), mount)
            if first_mount is not mount:
                text = f"{quoted(mount.path)}: {first_mount.entry.address.kind} {first_mount.entry.address.name} is mounted there, too"
                yield Violation(mount.entry, text, fix="give one of them another mount")


def _problem(mount: TaskMount) -> str:
    if mount.mode not in MODES and mount.mode != CLAIM:
        return f"mode is {quoted(mount.mode)}, and SkyPilot knows {', '.join(MODES)}"
    if mount.scheme == "vast":
        return f"SkyPilot has no scheme vast; VAST's is {SCHEME}://BUCKET"
    if mount.name and mount.scheme:
        return "it has both name and a source with a scheme: name creates a bucket, source uses one that exists"
    if mount.name and "://" in mount.name:
        return "name has a scheme: only source may name a bucket that exists"
    if mount.store == STORE and mount.scheme and mount.scheme != SCHEME:
        return f"store is {STORE.lower()}, and source is not"
    if mount.store == STORE and mount.mode == "COPY" and not mount.source:
        return "mode COPY has no source: there is nothing to copy from a new bucket"
    return ""


CHECK = Check(
    code="SKY-01",
    title="a mount of a SkyPilot task that contradicts itself",
    severity=Severity.ERROR,
    why="SkyPilot's parser accepts it, and its storage class refuses it later, when the cluster already runs and costs money.",
    fix=f"for a bucket that exists write only source: {SCHEME}://BUCKET; for a new one write name and store: {STORE.lower()}",
    source="SkyPilot 0.14.1, sky/data/storage.py, Storage._validate_storage_spec and _validate_source",
    run=_run,
)
