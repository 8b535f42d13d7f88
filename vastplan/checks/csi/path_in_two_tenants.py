"""CSI-08: one directory name that the file driver uses in two tenants."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.paths import path_names
from vastplan.model.finding import Severity
from vastplan.model.value import Ref
from vastplan.schema import versions
from vastplan.schema.entries import Entry

_BY_TENANT = "2.6"  # from here on the driver looks views up by path and tenant


def _run(facts: Facts) -> Iterator[Violation]:
    for name, site in facts.sites.items():
        if versions.has(site, "csi", _BY_TENANT):
            continue
        first_users: dict[tuple[str, ...], tuple[str, str]] = {}
        for entry, path, tenant in _used(facts, name):
            first_tenant, first_name = first_users.setdefault(path_names(path), (tenant, entry.address.name))
            if first_tenant != tenant:
                yield Violation(
                    entry, f"{path} of tenant {tenant} is also a path of tenant {first_tenant} ({first_name})"
                )


def _used(facts: Facts, site: str) -> Iterator[tuple[Entry, str, str]]:
    for storage_class in facts.objects.on(site, "storage_class").values():
        tenant = facts.tenant_of_class(storage_class)
        if "storage_path" in storage_class.values and isinstance(tenant, Ref):
            yield storage_class, storage_class.values["storage_path"], tenant.target.name
    for volume in facts.objects.on(site, "persistent_volume").values():
        path = str(volume.values.get("volume_handle"))
        for view in facts.views_at(site, path):
            yield volume, path, str(view.values["tenant"])


CHECK = Check(
    code="CSI-08",
    title="one path that the driver uses in two tenants",
    severity=Severity.WARNING,
    why="Drivers before 2.6 look up a view by its path alone, and may find the view of the other tenant.",
    fix="give each tenant its own paths, such as /team-a/k8s, or write csi: 2.6 on a site whose driver is newer",
    source="vast-csi 2.4 and 2.5: views are looked up by path",
    run=_run,
)
