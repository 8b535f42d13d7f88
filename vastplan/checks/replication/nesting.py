"""REP-02: replicated directories inside one another, or inside a bucket."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.paths import enclosing
from vastplan.model.address import Address
from vastplan.model.finding import Severity
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry

_REMOTE = ("remote_tenant", "remote_tenant_guid")


def _run(facts: Facts) -> Iterator[Violation]:
    replicated: dict[Address, dict[str, Entry]] = {}
    for protected in facts.objects.all("protected_path"):
        tenant = protected.values.get("tenant")
        if isinstance(tenant, Ref) and any(name in protected.values for name in _REMOTE):
            path = protected.values["source_dir"]
            first_path = replicated.setdefault(tenant.target, {}).setdefault(path, protected)
            if first_path is not protected:
                yield Violation(protected, f"{path} is replicated by {first_path.address.name} too")
    for tenant, paths in replicated.items():
        buckets = {
            view.values["path"]
            for view in facts.objects.referring(tenant.site, "view", "tenant", tenant)
            if "S3" in (view.values.get("protocols") or ())
        }
        for inner, outer in enclosing({*paths, *buckets}).items():
            if inner not in paths:
                continue
            for path in outer:
                if path in paths:
                    yield Violation(
                        paths[inner],
                        f"{inner} lies inside {path}, which is replicated too ({paths[path].address.name})",
                    )
                if path in buckets:
                    yield Violation(paths[inner], f"{inner} lies inside {path}, which is a bucket")


CHECK = Check(
    code="REP-02",
    title="a directory that is replicated twice, inside another one, or inside a bucket",
    severity=Severity.ERROR,
    why="VAST replicates a directory once: it refuses nested protected paths and parts of a bucket.",
    fix="replicate the outer directory only, or move one of them",
    source="VAST knowledge base, managing protected paths",
    run=_run,
)
