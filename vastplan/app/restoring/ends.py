"""The directory that a restore works on, and the clients of its site."""

from __future__ import annotations

from collections.abc import Mapping

from vastplan.app.connect import Providers
from vastplan.app.operating.clients import jobs_at, mounts_at, vast_at, work_of
from vastplan.app.restoring.place import Place
from vastplan.app.workspace import Workspace
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.restore_plan import IN_PLACE
from vastplan.model.site_ledger import SiteLedger
from vastplan.operations.clock import Clock
from vastplan.operations.ends import Work
from vastplan.operations.modes.restore.stages import Cloned, Rewound, in_place, into_new, patience
from vastplan.operations.plan.pair import GLOBAL, SYNCHRONOUS
from vastplan.operations.stages.stage import Stage
from vastplan.schema.ports.snapshots import Snapshot
from vastplan.schema.ports.workloads import Job
from vastplan.systems.vast.client import VastProvider
from vastplan.systems.vast.replica import find
from vastplan.systems.vast.restorable import VastDirectory, VastProtected


@dataclass(frozen=True, slots=True)
class Met:
    """The objects that a restore works on, its stages, and the key of its record. `home` is `None` unless it restores in place."""

    source: VastDirectory
    home: Rewound | None
    clone: Cloned
    subject: str
    stages: tuple[Stage, ...]

    def users(self) -> tuple[tuple[Work, Job], ...]:
        """The workloads that are suspended during the restore."""
        return self.home.users() if self.home is not None else ()


def meet(
    workspace: Workspace, providers: Providers, place: Place, mode: str, directory: str,
    ledger: Mapping[str, SiteLedger], clock: Clock,
) -> Met:  # fmt: skip
    """The objects that a restore works on. Raises `VastplanError` if the site lacks them, or cannot restore them in this mode."""
    provider = vast_at(providers, place.site)
    if mode != IN_PLACE:
        tenant = _tenant(provider, place.tenant)
        source = VastDirectory(place.site, provider, tenant, place.directory)
        clone = Cloned(source)
        bound = patience(source.used())
        return Met(source, None, clone, f"clone {tenant} {directory}", into_new(clone, bound))
    if place.path is None:
        raise _not_in_place(f"{place.address} has no protected path, and VAST restores in place only what has one")
    why = _NOT_IN_PLACE.get(str(place.path.values.get("capabilities")))
    if why is not None:
        raise _not_in_place(f"{place.path.address} is {why}")
    row = find(provider, name=place.path.called)
    if row is None:
        raise VastplanError(f"{place.path.address}: {provider.describe()} has no protected path {place.path.called}")
    protected = VastProtected(place.site, provider, row, place.directory, clock.now)
    work, unread = work_of(workspace, providers, ((claim, None) for claim in place.work), ledger)
    home = Rewound(
        source=protected, clock=clock, work=work, unread=unread,
        source_jobs=jobs_at(providers, place.site), source_mounts=mounts_at(workspace, providers, place.site),
    )  # fmt: skip
    return Met(protected, home, Cloned(protected), str(row["guid"]), in_place(home, patience(protected.used())))


_NOT_IN_PLACE = {
    SYNCHRONOUS: "replicated synchronously, and the vendor's documents do not say what a restore in place does to the other site",
    **dict.fromkeys(
        GLOBAL,
        "used at other sites by global access, whose workloads and caches do not notice a restore in place",
    ),
}
"""Why a path cannot be restored in place, by its capability."""


def _not_in_place(why: str) -> VastplanError:
    return VastplanError(f"{why}; restore into a new volume: the same command without --in-place")


def snapshot_named(source: VastDirectory, name: str) -> Snapshot:
    """The snapshot with a typed name. Raises `VastplanError` if it cannot be restored."""
    found = [one for one in source.snapshots() if one.name == name]
    if len(found) == 1 and found[0].ready:
        return found[0]
    if found:
        state = "is not ready" if len(found) == 1 else f"is the name of {len(found)} snapshots"
        raise VastplanError(f"{inert(name, 200)} {state} of {source.directory} at {source.site}")
    other = source.elsewhere(name)
    if other:
        raise VastplanError(f"{inert(name, 200)} is a snapshot of {inert(other, 200)}, not of {source.directory}")
    known = [one.name for one in source.snapshots()][-5:]
    last = f"the newest are {', '.join(map(inert, known))}" if known else "it has none"
    raise VastplanError(f"{source.directory} at {source.site} has no snapshot {inert(name, 200)}; {last}")


def _tenant(provider: VastProvider, name: str) -> int:
    rows = [row for row in provider.rows("/tenants/", {"name": name}) if row.get("name") == name]
    if len(rows) != 1 or not isinstance(rows[0].get("id"), int):
        raise VastplanError(f"{provider.describe()} has no tenant {name}; apply first")
    return int(rows[0]["id"])
