"""SKY-04: the S3 endpoint of the buckets that a task mounts."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.skypilot.buckets import BucketEndpoint, Buckets, buckets_of
from vastplan.checks.tasks import SkyTask, TaskMount
from vastplan.model.address import Address
from vastplan.model.finding import Severity
from vastplan.model.value import Ref
from vastplan.model.wording import some
from vastplan.schema.entries import Entry


def _run(facts: Facts) -> Iterator[Violation]:
    buckets = buckets_of(facts)
    for tenant, endpoints in sorted(buckets.endpoints.items()):
        entry = facts.objects.get(Ref(tenant))
        if len(endpoints) > 1 and entry is not None:
            urls = some([f"{endpoint.url} (VIP pool {endpoint.pool.address.name})" for endpoint in endpoints])
            yield Violation(
                entry,
                f"has several S3 endpoints: {urls}",
                fix="keep s3_endpoint in one of its pools, and remove it from the others",
            )
        for endpoint in endpoints:
            if endpoint.url.startswith("http://"):
                text = f"{endpoint.url} is not encrypted: anybody on the network path can read the data"
                yield Violation(endpoint.pool, text, fix="write s3_endpoint: https://HOST", severity=Severity.WARNING)
        for view in buckets.views.get(tenant, ()) if len(endpoints) == 1 else ():
            yield from _shut_out(facts, view, endpoints[0])
    for task in facts.tasks:
        yield from _nowhere(buckets, task)


def _shut_out(facts: Facts, view: Entry, endpoint: BucketEndpoint) -> Iterator[Violation]:
    """A bucket whose view policy does not allow the pool of the endpoint."""
    policy = facts.objects.get(view.values.get("view_policy"))
    pools = (
        [pool for name in ("vip_pools", "vip_pools_read_only") for pool in (policy.values.get(name) or ())]
        if policy
        else []
    )
    if policy is not None and pools and Ref(endpoint.pool.address) not in pools:
        text = f"view policy {policy.address.name} does not allow VIP pool {endpoint.pool.address.name}, which has the endpoint"
        yield Violation(
            view, text, fix="add the pool to the policy's vip_pools, or move s3_endpoint to one of these pools"
        )


def _nowhere(found: Buckets, task: SkyTask) -> Iterator[Violation]:
    """Buckets of a tenant without an endpoint, and buckets of several tenants in one task."""
    tenants = dict[Address, TaskMount]()
    for mount in task.mounts:
        for view in found.by_name.get((task.site, mount.bucket), ()) if mount.of_vast else ():
            tenant = view.values["tenant"].target
            if task.tenant in (None, tenant):
                tenants.setdefault(tenant, mount)
    for tenant, mount in tenants.items():
        if tenant not in found.endpoints:
            text = (
                f"bucket {mount.bucket} is of tenant {tenant.name}, and none of the tenant's VIP pools has s3_endpoint"
            )
            yield Violation(mount.entry, text)
    if len(tenants) > 1:
        names = some(sorted(tenant.name for tenant in tenants))
        fix = "write a task for each tenant, or use one tenant for all: SkyPilot has a single profile for VAST"
        yield Violation(task.entry, f"mounts buckets of several tenants: {names}", fix=fix)


CHECK = Check(
    code="SKY-04",
    title="buckets without exactly one S3 endpoint",
    severity=Severity.ERROR,
    milder=Severity.WARNING,
    why="SkyPilot reads one endpoint and one key from fixed files in the home directory: it cannot reach buckets that need others.",
    fix="write s3_endpoint: https://HOST in the VIP pool that S3 clients use",
    source="SkyPilot 0.14.1, sky/adaptors/vastdata.py, VASTDATA_CONFIG_PATH and VASTDATA_PROFILE_NAME; VMS 5.5, viewpolicies.vip_pools",
    run=_run,
)
