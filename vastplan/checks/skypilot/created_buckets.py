"""SKY-06: buckets that SkyPilot creates."""

from collections.abc import Iterator
from difflib import get_close_matches

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.skypilot.buckets import Buckets, buckets_of
from vastplan.checks.tasks import SCHEME, SkyTask, TaskMount
from vastplan.model.finding import Severity
from vastplan.model.wording import quoted


def _run(facts: Facts) -> Iterator[Violation]:
    buckets = buckets_of(facts)
    for tenant in sorted(buckets.endpoints):
        for view in buckets.makers.get(tenant, ()):
            if view.address not in buckets.limited:
                text = "buckets created below it have no limit: it has no qos_policy, and its directory has no quota"
                yield Violation(view, text, fix="give it a quota, or a qos_policy, or both")
    for task in facts.tasks:
        for mount in task.mounts:
            if mount.of_vast and mount.bucket:
                yield from _of_mount(buckets, task, mount)


def _of_mount(found: Buckets, task: SkyTask, mount: TaskMount) -> Iterator[Violation]:
    views = found.by_name.get((task.site, mount.bucket), ())
    if mount.makes_its_bucket and views:
        text = f"{quoted(mount.path)}: bucket {mount.bucket} is in the document, and SkyPilot would create it where it does not exist yet"
        yield Violation(
            mount.entry,
            text,
            fix=f"write source: {SCHEME}://{mount.bucket}, which fails where the bucket does not exist",
        )
    elif mount.makes_its_bucket and not (found.makers.get(task.tenant, ()) if task.tenant else found.makers):
        text = f"{quoted(mount.path)}: SkyPilot creates bucket {quoted(mount.bucket)}, and nothing in the document says who may create buckets, and where"
        yield Violation(mount.entry, text)
    elif not mount.makes_its_bucket and not views:
        text = f"{quoted(mount.path)}: bucket {quoted(mount.bucket)} is not in the document"
        matches = get_close_matches(
            mount.bucket[:64], [name for site, name in found.by_name if site == task.site][:2000], n=1
        )
        declare = "declare it: without that nothing says who owns it, how large it may be and who may read it"
        yield Violation(
            mount.entry, text, fix=f"did you mean {matches[0]}? Otherwise {declare}" if matches else declare
        )


CHECK = Check(
    code="SKY-06",
    title="a bucket that SkyPilot creates, or that the document does not declare",
    severity=Severity.WARNING,
    why=(
        "VAST puts a bucket that is created by S3 below the S3 endpoint view that names its creator, else below / with the default policy: "
        "nobody chose its quota, limits and owner."
    ),
    fix="declare the bucket, or a view with protocol ENDPOINT, bucket_creators and a quota",
    source="VAST knowledge base, managing S3 request-initiated bucket creation; VMS 5.5 document, views.bucket_creators",
    run=_run,
)
