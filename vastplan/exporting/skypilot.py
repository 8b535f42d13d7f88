"""What SkyPilot needs to use the buckets and claims of a document: for each site and tenant where its endpoint is, and tasks.

A tenant has a folder on each site: SkyPilot reads one endpoint and one key from fixed places in a home, so a home is for one of both.
What is a bucket is mounted as one, so that a task is the same wherever it runs; what is none is mounted as its claim.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace

from vastplan.checks.facts import Facts
from vastplan.checks.skypilot.buckets import Buckets, buckets_of
from vastplan.checks.skypilot.cache import budgets_by_view, needed_cache
from vastplan.checks.tasks import CLAIM, SCHEME, TASK, SkyTask, TaskMount, is_bucket_name
from vastplan.kinds.runai.project import namespace_of
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry

BUCKETS = "/buckets"
"""Below it is mounted what has no mount of its own."""
_MODES = ("ReadWriteMany", "ReadWriteOnce", "ReadOnlyMany", "ReadWriteOncePod")


@dataclass(frozen=True, slots=True)
class MountableClaim:
    """A claim that a task can mount. `access_mode` is the widest that it has, `storage_class` "" for one without a class."""

    name: str
    namespace: str
    access_mode: str
    storage_class: str
    volume: Entry


@dataclass(frozen=True, eq=False)
class Folder:
    """What is written for a tenant on a site. `endpoint` is "" where it has no bucket; `tasks` are by the names of their files."""

    site: str
    tenant: str
    infra: str
    endpoint: str
    owners: tuple[str, ...]
    """Whom the buckets belong to."""
    tasks: Mapping[str, SkyTask]
    claims: tuple[MountableClaim, ...]

    @property
    def buckets(self) -> bool:
        """Whether there is a bucket in any of its tasks."""
        return any(mount.of_vast for task in self.tasks.values() for mount in task.mounts)


@dataclass(frozen=True, slots=True)
class ExportSelection:
    """What to export: sites, and the names of projects (all where there are none)."""

    sites: Container[str]
    projects: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class _Home:
    """A tenant on a site, with what is of it alone and what is of each of its projects."""

    tenant: Address
    common: tuple[TaskMount, ...]
    by_project: Mapping[str, tuple[TaskMount, ...]]
    claims: tuple[MountableClaim, ...]


def folders(facts: Facts, infra: Mapping[str, str], selection: ExportSelection, reader: str = "") -> tuple[Folder, ...]:
    """What there is to write, by site and tenant. `infra` says where each site's tasks run, `reader` is the version of SkyPilot."""
    buckets = buckets_of(facts)
    homes = sorted(_homes(facts, buckets, selection), key=lambda home: home.tenant)
    return tuple(_folder(facts, buckets, home, infra.get(home.tenant.site, ""), reader) for home in homes)


def _folder(facts: Facts, buckets: Buckets, home: _Home, infra: str, reader: str) -> Folder:
    mounts = {name: (*home.common, *own) for name, own in sorted(home.by_project.items())} or {
        home.tenant.name: home.common
    }
    entry = facts.objects.get(Ref(home.tenant))
    tasks = {
        name: SkyTask(
            Entry(Address(home.tenant.site, TASK, name), {}, entry.where if entry else None),
            home.tenant,
            mounted,
            (),
            reader,
        )
        for name, mounted in mounts.items()
    }
    endpoint = buckets.endpoint(home.tenant)
    names = {mount.bucket for mounted in mounts.values() for mount in mounted if mount.of_vast}
    views = [view for view in buckets.views.get(home.tenant, ()) if view.values["bucket"] in names]
    return Folder(
        home.tenant.site,
        home.tenant.name,
        infra,
        endpoint.url if endpoint and names else "",
        tuple(sorted({str(view.values["bucket_owner"]) for view in views if "bucket_owner" in view.values})),
        tasks,
        home.claims,
    )


def _homes(facts: Facts, buckets: Buckets, selection: ExportSelection) -> Iterator[_Home]:
    common: dict[Address, list[TaskMount]] = defaultdict(list)
    by_project: dict[Address, dict[str, list[TaskMount]]] = defaultdict(lambda: defaultdict(list))
    claims: dict[Address, list[MountableClaim]] = defaultdict(list)
    chosen = _chosen(facts, selection)
    for project in chosen.values():
        tenant = facts.tenant_of(project)
        if isinstance(tenant, Ref):
            by_project[tenant.target][project.address.name] = []
    with_bucket = set()
    for tenant, views in buckets.views.items():
        for view in views if tenant.site in selection.sites else ():
            if not is_bucket_name(view.values["bucket"]):
                continue  # SKY-03 says so; where it is a volume's, its claim is mounted
            maker = _maker(facts, view)
            with_bucket.add(view.address)
            mount = _bucket_mount(facts, view, maker)
            of = maker.values.get("project") if maker is not None else None
            if not isinstance(of, Ref):
                if not selection.projects or tenant in by_project:
                    common[tenant].append(mount)
            elif of.target in chosen:
                by_project[tenant][of.target.name].append(mount)
    for address, project in chosen.items():
        for claim in _claims(facts, address):
            tenant = claim.volume.values.get("tenant") or facts.tenant_of(project)
            path = claim.volume.values["mount"]
            if isinstance(tenant, Ref):
                claims[tenant.target].append(claim)
                if claim.volume.address._replace(kind="view") not in with_bucket:
                    mount = TaskMount(claim.volume, path, name=claim.name, mode=CLAIM)
                    by_project[tenant.target][address.name].append(mount)
    for tenant in {*common, *claims, *(tenant for tenant, mounts in by_project.items() if any(mounts.values()))}:
        projects = {name: tuple(_in_order(mounts)) for name, mounts in by_project.get(tenant, {}).items()}
        yield _Home(tenant, tuple(_in_order(common.get(tenant, ()))), projects, tuple(claims.get(tenant, ())))


def _in_order(mounts: Sequence[TaskMount]) -> list[TaskMount]:
    return sorted(mounts, key=lambda mount: (mount.path, mount.entry.address))


def _chosen(facts: Facts, selection: ExportSelection) -> dict[Address, Entry]:
    """The projects to export."""
    return {
        project.address: project
        for project in facts.objects.all("project")
        if project.address.site in selection.sites
        and (not selection.projects or {project.address.name, project.called} & set(selection.projects))
    }


def _maker(facts: Facts, view: Entry) -> Entry | None:
    """The entry that a view is a part of: it says of which project it is, and where it is mounted."""
    return facts.written.at(view.origin) if view.origin else None


def _bucket_mount(facts: Facts, view: Entry, maker: Entry | None) -> TaskMount:
    bucket, path = view.values["bucket"], maker.values.get("mount") if maker is not None else None
    mount = TaskMount(view, path or f"{BUCKETS}/{bucket}", source=f"{SCHEME}://{bucket}")
    if maker is None or "checkpoint" not in maker.values:
        return mount
    budget = budgets_by_view(facts).get(view.address)
    return replace(mount, mode="MOUNT_CACHED", cache_bytes=needed_cache(budget) if budget is not None else None)


def _claims(facts: Facts, project: Address) -> Iterator[MountableClaim]:
    """The claims of a project's volumes that jobs mount as file systems."""
    for claim in facts.objects.referring(project.site, "persistent_volume_claim", "namespace", project):
        volume = facts.written.at(claim.origin) if claim.origin else None
        if volume is None or "mount" not in volume.values or volume.values.get("volume_mode") == "Block":
            continue
        owner = facts.objects.get(Ref(project))
        namespace = namespace_of({"name": owner.called, **owner.values}) if owner is not None else None
        storage_class = claim.values.get("storage_class")
        modes = claim.values["access_modes"]
        yield MountableClaim(
            claim.called,
            namespace or project.name,
            next(mode for mode in _MODES if mode in modes),
            _class_name(facts, storage_class) if isinstance(storage_class, Ref) else "",
            volume,
        )


def _class_name(facts: Facts, storage_class: Ref) -> str:
    """The name of a class in its cluster."""
    entry = facts.objects.get(storage_class)
    return entry.called if entry is not None else storage_class.target.name
