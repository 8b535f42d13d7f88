"""SKY-03: names and mount paths that SkyPilot, or the shell that it mounts with, does not accept, and folders that a node needs."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.skypilot.buckets import buckets_of
from vastplan.checks.tasks import CLAIM, LONGEST_VOLUME, TaskMount, is_bucket_name, is_mount_path, is_of_the_system
from vastplan.model.finding import Severity
from vastplan.model.wording import quoted


def _run(facts: Facts) -> Iterator[Violation]:
    buckets = buckets_of(facts)
    for tenant in sorted(buckets.endpoints):
        for view in buckets.views.get(tenant, ()):
            if not is_bucket_name(view.values["bucket"]):
                text = f"SkyPilot does not accept {quoted(view.values['bucket'])} as the name of a bucket, and an export leaves it out"
                yield Violation(view, text, severity=Severity.WARNING)
    for task in facts.tasks:
        for mount in task.mounts:
            if mount.of_vast and mount.bucket and "://" not in mount.bucket and not is_bucket_name(mount.bucket):
                yield Violation(mount.entry, f"SkyPilot does not accept {quoted(mount.bucket)} as the name of a bucket")
            if mount.mode == CLAIM and len(mount.name) > LONGEST_VOLUME:
                text = f"{quoted(mount.name)} is longer than {LONGEST_VOLUME} characters, the most that SkyPilot accepts as the name of a volume"
                yield Violation(mount.entry, text, fix="give the volume a shorter name")
            if is_of_the_system(mount.path):
                text = f"{quoted(mount.path)} is a folder that a node needs, and SkyPilot empties the folder that it mounts on"
                yield Violation(mount.entry, text, fix="mount it elsewhere, for example at /data")
            elif not is_mount_path(mount.path):
                yield Violation(
                    mount.entry,
                    f"{quoted(mount.path)} is not one word for a shell, and SkyPilot uses it in shell commands",
                )
    yield from _two_of_one_name(facts)


def _two_of_one_name(facts: Facts) -> Iterator[Violation]:
    """Claims of one name in several namespaces: whoever uses the tenant's home directory would apply both."""
    first_mounts: dict[tuple[str, object, str], TaskMount] = {}
    for task in facts.tasks:
        for mount in (mount for mount in task.mounts if mount.mode == CLAIM):
            other = first_mounts.setdefault((task.site, task.tenant, mount.name), mount)
            if other is not mount:
                text = f"claim {mount.name} has the same name as the claim of volume {other.entry.address.name}, and SkyPilot takes the one it finds first"
                yield Violation(
                    mount.entry, text, fix="export one project at a time (--project), each to its own home directory"
                )


CHECK = Check(
    code="SKY-03",
    title="a bucket name or a mount path that SkyPilot does not accept",
    severity=Severity.ERROR,
    milder=Severity.WARNING,
    why=(
        "SkyPilot checks bucket names against the rules of AWS, and VAST does not. Mount paths become words of shell commands, and the "
        "first of these empty the folder."
    ),
    fix="use 3 to 63 lowercase letters, digits, - and . for a bucket; letters, digits, ., _ and - between the slashes of a path",
    source="SkyPilot 0.14.1, sky/data/storage.py, S3CompatibleStore.validate_name; sky/data/mounting_utils.py",
    run=_run,
)
