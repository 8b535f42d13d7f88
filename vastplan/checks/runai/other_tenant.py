"""RAI-07: a data source that gives projects of one tenant a directory or bucket of another."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.paths import path_names
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.finding import Severity
from vastplan.model.ip_ranges import Interval, parse_interval
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry


@dataclass(slots=True)
class _Unit:
    """The projects that a data source of some scope is for: the first of each tenant, and their number by tenant."""

    first: dict[Ref, Entry] = field(default_factory=dict)
    count: dict[Ref, int] = field(default_factory=dict)
    total: int = 0

    def add(self, project: Entry, tenant: Ref) -> None:
        """Count one more project."""
        self.first.setdefault(tenant, project)
        self.count[tenant] = self.count.get(tenant, 0) + 1
        self.total += 1

    def others(self, tenant: Ref) -> tuple[Entry, Ref, int] | None:
        """A project of another tenant, that tenant, and how many more such projects exist."""
        for other, project in self.first.items():
            if other != tenant:
                return project, other, self.total - self.count.get(tenant, 0) - 1
        return None


def _units(facts: Facts) -> Mapping[tuple[str, Address | None], _Unit]:
    """The projects by site and by project or department; `None` stands for the whole site."""
    units: dict[tuple[str, Address | None], _Unit] = {}
    for project in facts.objects.all("project"):
        tenant, department = facts.tenant_of(project), project.values.get("department")
        if not isinstance(tenant, Ref):
            continue
        targets = [None, project.address, *([department.target] if isinstance(department, Ref) else [])]
        for target in targets:
            units.setdefault((project.address.site, target), _Unit()).add(project, tenant)
    return units


class _Pools:
    """The tenants of addresses on one site, from VIP pools that serve one tenant."""

    def __init__(self, facts: Facts, site: str) -> None:
        self._owned: list[tuple[Interval, Ref]] = sorted(
            (
                (parse_interval(text), pool.values["tenant"])
                for pool in facts.objects.on(site, "vip_pool").values()
                if isinstance(pool.values.get("tenant"), Ref)
                for text in pool.values.get("ip_ranges") or ()
            ),
            key=lambda item: item[0],
        )
        self._starts = [(version, first) for (version, first, _), _ in self._owned]

    def tenant(self, server: str) -> Ref | None:
        """The tenant whose pool has an address; `None` for a name."""
        try:
            version, address, _ = parse_interval(server)
        except ValueError:
            return None
        place = bisect_right(self._starts, (version, address)) - 1
        if place < 0:
            return None
        (owned, _, last), tenant = self._owned[place]
        return tenant if owned == version and address <= last else None


def _only(tenants: set[Any]) -> Ref | None:
    """The only tenant, `None` if there are several."""
    (tenant,) = tenants if len(tenants) == 1 else (None,)
    return tenant if isinstance(tenant, Ref) else None


def _of_directory(facts: Facts, pools: _Pools, source: Entry) -> Ref | None:
    """The tenant of an NFS data source's directory: by the pool of its server, else by the view that contains it."""
    tenant = pools.tenant(source.values["server"])
    names = path_names(source.values["path"])
    for depth in range(len(names), 0, -1) if tenant is None else ():
        views = facts.views_at(source.address.site, "/" + "/".join(names[:depth]))
        if views:
            return _only({view.values.get("tenant") for view in views})
    return tenant


def _buckets(facts: Facts, site: str) -> Mapping[str, set[Any]]:
    """The tenants that have a bucket of a name, by the name."""
    tenants: dict[str, set[Any]] = {}
    for view in facts.objects.on(site, "view").values():
        if "bucket" in view.values:
            tenants.setdefault(view.values["bucket"], set()).add(view.values.get("tenant"))
    return tenants


def _run(facts: Facts) -> Iterator[Violation]:
    units = _units(facts)
    for site in facts.sites:
        directories = facts.objects.on(site, "nfs_data_source").values()
        pools = _Pools(facts, site) if directories else None
        for source in directories:
            assert pools is not None
            data_text = f"directory {source.values['path']}"
            yield from _judged(units, source, data_text, _of_directory(facts, pools, source))
        sources = facts.objects.on(site, "s3_data_source").values()
        buckets = _buckets(facts, site) if sources else {}
        for source in sources:
            data_text = f"bucket {source.values['bucket']}"
            yield from _judged(units, source, data_text, _only(buckets.get(source.values["bucket"], set())))


def _judged(
    units: Mapping[tuple[str, Address | None], _Unit], source: Entry, what: str, tenant: Ref | None
) -> Iterator[Violation]:
    owner = source.values.get("project") or source.values.get("department")
    if owner is not None and not isinstance(owner, Ref):
        return
    unit = units.get((source.address.site, owner.target if owner else None))
    foreign = unit.others(tenant) if unit and tenant else None
    if foreign:
        project, other, more_projects = foreign
        besides = f" and {more_projects} more of other tenants" if more_projects else ""
        text = f"gives {what} of tenant {tenant} to project {project.address.name} of tenant {other}{besides}"
        yield Violation(source, text)


CHECK = Check(
    code="RAI-07",
    title="a data source that crosses tenants",
    severity=Severity.WARNING,
    why="Whoever may start a workload in one of these projects can mount it: no class, quota or namespace prevents that.",
    fix="limit its scope to projects of that tenant, or keep data for all tenants in a tenant of its own",
    source="Run:AI documentation, data sources: an asset is for all units under its scope, also those that come later",
    run=_run,
)
