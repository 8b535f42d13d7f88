"""SKY-01: a mount that SkyPilot cannot make out."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.skypilot.tasks import CLAIM, MODES, SCHEME, STORE, Mount
from vastplan.model.finding import Severity
from vastplan.model.wording import quoted


def _run(facts: Facts) -> Iterator[Violation]:
    for task in facts.tasks:
        there: dict[str, Mount] = {}
        for mount in task.mounts:
            problem = _problem(mount)
            if problem:
                yield Violation(mount.entry, f"{quoted(mount.path)}: {problem}")
            first = there.setdefault(mount.path.rstrip("/"), mount)
            if first is not mount:
                text = (
                    f"{quoted(mount.path)}: {first.entry.address.kind} {first.entry.address.name} is mounted there, too"
                )
                yield Violation(mount.entry, text, fix="give one of them another mount")


def _problem(mount: Mount) -> str:
    if mount.mode not in MODES and mount.mode != CLAIM:
        return f"its mode is {quoted(mount.mode)}, and SkyPilot has {', '.join(MODES)}"
    if mount.scheme == "vast":
        return f"no store has the scheme vast; VAST's is {SCHEME}://BUCKET"
    if mount.name and mount.scheme:
        return "it has a name and a source with a scheme: the name makes a bucket, the source takes one that is there"
    if mount.name and "://" in mount.name:
        return "its name has a scheme: what is there is named by source"
    if mount.store == STORE and mount.scheme and mount.scheme != SCHEME:
        return f"its store is {STORE.lower()}, and its source is not"
    if mount.store == STORE and mount.mode == "COPY" and not mount.source:
        return "nothing can be copied from a bucket that is only made: it has no source"
    return ""


CHECK = Check(
    code="SKY-01",
    title="a mount of a SkyPilot task that is said twice, or not at all",
    severity=Severity.ERROR,
    why="SkyPilot's parser takes it and its storage class refuses it, when the cluster is there already and costs money.",
    fix=f"for a bucket that is there write source: {SCHEME}://BUCKET alone; for a new one name and store: {STORE.lower()}",
    source="SkyPilot 0.14.1, sky/data/storage.py, Storage._validate_storage_spec and _validate_source",
    run=_run,
)
