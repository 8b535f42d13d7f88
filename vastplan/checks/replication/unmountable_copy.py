"""REP-12: a copy on a site where nobody could mount it after a failover."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity
from vastplan.model.value import Ref


def _run(facts: Facts) -> Iterator[Violation]:
    for path in facts.objects.all("protected_path"):
        remote = path.values.get("remote_tenant")
        if not isinstance(remote, Ref) or remote.target.site not in facts.sites:
            continue
        site = remote.target.site
        missing_kinds = [
            name
            for kind, name in (("vip_pool", "VIP pool"), ("view_policy", "view policy"))
            if not facts.objects.referring(site, kind, "tenant", remote) and not _serves_every_tenant(facts, site, kind)
        ]
        if missing_kinds:
            yield Violation(
                path, f"tenant {remote} has no {' and no '.join(missing_kinds)} on {site}, the destination of this path"
            )


def _serves_every_tenant(facts: Facts, site: str, kind: str) -> bool:
    """Whether something there serves every tenant."""
    return any(
        "tenant" in entry.values and entry.values["tenant"] is None for entry in facts.objects.on(site, kind).values()
    )


CHECK = Check(
    code="REP-12",
    title="a copy that nobody could mount",
    severity=Severity.WARNING,
    why="Only data is replicated: VIP pools, view policies and views have to exist before the other site can become active.",
    fix="add the site to the sites of the tenant's vip_pool and view_policy",
    source="VAST knowledge base, replication: what has to be configured on the peer before resuming operations",
    run=_run,
)
