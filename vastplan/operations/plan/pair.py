"""The pair of a volume: its protected path, its two sites, and the claims that workloads use on each. Reads only the document.

Only this module interprets a volume with two sites in the document.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.value import Ref
from vastplan.operations.plan.claims import ClaimOf, Claims, claims_by_directory, objects_on
from vastplan.schema.entries import Entry

GLOBAL = ("STARED_GLOBAL_NAMESPACE", "REPLICATION_AND_GN")
SYNCHRONOUS = "SYNC_REPLICATION"
NOT_MOVED = (
    "is replicated synchronously, so vastplan does not move it: the vendor's documents do not describe the calls well enough (change the "
    "roles in VMS, where both sites have every write, and write active for the new source)"
)
"""Why no mode moves a path that is replicated synchronously."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A volume of the document, at the target of a fork, that is a clone: the name of the clone, and its directory.

    `background` is whether all of it is copied, `live` whether the workloads at the source keep running meanwhile.
    """

    address: Address
    name: str
    directory: str
    background: bool
    live: bool


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """Marks a move of a pair as a rehearsal. `every` is the shortest time between two restore points in the document, in seconds."""

    every: float


@dataclass(frozen=True, slots=True)
class Pair:
    """A protected path whose other side is a site of the document. `covers` are the addresses of all objects on its data, on both sites.

    `path` is at the site where the document has it: the source, or the target if the document already names the new source.
    """

    path: Address
    name: str
    source: str
    target: str
    source_directory: str
    target_directory: str
    work: tuple[tuple[ClaimOf, ClaimOf | None], ...]
    covers: tuple[str, ...]
    along: frozenset[tuple[Address, str]] = frozenset()
    """Claims of projects at the source, each with its name, that exist at the target under the same name with the same data."""
    where: str = ""
    """File, line and column of the entry that the path is part of."""
    origin: str = ""
    """With global access: the site that has the data, of which the other is a satellite; "" if both have it."""
    lease: float = 0.0
    """With global access: the lease, in seconds."""
    volume: str = ""
    """With global access: the volume that the path belongs to, "" if it belongs to something else."""
    reads: bool = False
    """Whether the document lets workloads at the target only read."""
    warm: str = ""
    """The directory at the satellite to prefetch, "" for all."""
    branch: Branch | None = None
    rehearsal: Rehearsal | None = None
    entry: str = ""
    """The entry of the document that the path is part of, "" if that is the path itself."""
    guid: str = ""
    """Of a move that has begun: the guid of the path."""


def pair_of(entries: Iterable[Entry], address: Address, to: str) -> Pair:
    """The pair of a volume, view, bucket or protected path, in either direction. Raises `VastplanError` if none includes site `to`."""
    all_entries = tuple(entries)
    path = _path(all_entries, address)
    ends = directories_of(path)
    if path.values.get("capabilities") == SYNCHRONOUS:
        raise VastplanError(f"{path.address} {NOT_MOVED}")
    if len(ends) < 2:
        raise VastplanError(f"{path.address} replicates to no site of this document, so it cannot be moved")
    if to not in ends:
        raise VastplanError(f"{path.address} replicates to {[*ends][-1]}, not to {inert(to, 80)}")
    (source,) = ends.keys() - {to}
    claims = claims_by_directory(all_entries)
    target_claims = claims.get((to, ends[to]), ())
    spare = target_claims[0] if len(target_claims) == 1 else None
    by_name = {claim.address.name: claim for claim in target_claims}
    work = tuple((claim, by_name.get(claim.address.name, spare)) for claim in claims.get((source, ends[source]), ()))
    covers = {str(path.address._replace(site=site)) for site in ends}
    for site, directory in ends.items():
        covers |= set(objects_on(all_entries, site, directory))
    if path.origin:
        covers.add(path.origin)
    along = frozenset(claim for _, shared in shared_between(all_entries, claims, source, to) for claim in shared)
    return Pair(
        path.address, path.called, source, to, ends[source], ends[to], work, tuple(sorted(covers)), along, str(path.where or ""),
        *_global_access(path, all_entries, target_claims), entry=path.origin,
    )  # fmt: skip


def directories_of(path: Entry) -> dict[str, str]:
    """The directories of a path by site, its own site first; only that one if its other side is not a site of the document."""
    directories = {path.address.site: str(path.values.get("source_dir"))}
    remote = path.values.get("remote_tenant")
    if isinstance(remote, Ref):
        directories[remote.target.site] = str(path.values.get("target_exported_dir"))
    return directories


def movable(path: Entry) -> dict[str, str]:
    """The directories of a path by site if a move can change its roles, nothing otherwise."""
    directories = directories_of(path)
    alone = path.values.get("capabilities") in (SYNCHRONOUS, GLOBAL[0])
    return {} if alone or len(directories) < 2 else directories


def shared_between(
    everything: tuple[Entry, ...], claims: Claims, source: str, target: str
) -> Iterator[tuple[Entry, frozenset[tuple[Address, str]]]]:
    """The paths of global access between two sites, each with the claims at the source that the target mounts under the same name."""
    for path in everything:
        if path.address.kind != "protected_path" or path.values.get("capabilities") not in GLOBAL:
            continue
        ends = directories_of(path)
        if ends.keys() == {source, target}:
            target_names = {claim.name for claim in claims.get((target, ends[target]), ())}
            source_claims = claims.get((source, ends[source]), ())
            yield path, frozenset((claim.project, claim.name) for claim in source_claims if claim.name in target_names)


def _global_access(
    path: Entry, everything: tuple[Entry, ...], claims: tuple[ClaimOf, ...]
) -> tuple[str, float, str, bool]:
    """For a path with global access: its origin, lease and volume, and whether a data source of its claims is read-only."""
    if path.values.get("capabilities") != "STARED_GLOBAL_NAMESPACE":
        return "", 0.0, "", False
    whole = Address.parse(path.origin) if path.origin else None
    volume = whole.name if whole is not None and whole.kind == "volume" else ""
    claim_addresses = {claim.address for claim in claims}
    reads = any(
        entry.values.get("read_only") is True
        for entry in everything
        if entry.address.kind == "data_source"
        and isinstance(claim := entry.values.get("claim"), Ref)
        and claim.target in claim_addresses
    )
    return path.address.site, float(path.values.get("lease_expiry_time") or 0), volume, reads


def other_of(entries: Iterable[Entry], address: Address, site: str) -> str:
    """The other site of a pair. Raises `VastplanError`."""
    path = _path(tuple(entries), address)
    sites = set(directories_of(path))
    if site not in sites or len(sites) != 2:
        raise VastplanError(
            f"{path.address} is on {' and '.join(sorted(sites))}, not on {inert(site, 80)} and another site"
        )
    (other,) = sites - {site}
    return other


def _path(everything: tuple[Entry, ...], address: Address) -> Entry:
    by_address = {entry.address: entry for entry in everything}
    if address.kind == "protected_path" and address in by_address:
        return by_address[address]
    moved = [
        path for path in everything if path.address.kind == "protected_path" and _elsewhere(path, address, by_address)
    ]
    if len(moved) == 1:  # the document has the path on the other site, the active one
        return moved[0]
    paths = [path for path in everything if path.address.kind == "protected_path" and path.address.site == address.site]
    if address.kind == "view" and address in by_address:
        view = by_address[address].values
        matches = [path for path in paths if _same(path.values, "source_dir", view)]
    else:
        matches = [path for path in paths if path.origin == str(address)]
    if not matches:
        # the path of a view that is part of a volume has that volume as its origin
        views = [path for path in everything if path.origin == str(address) and path.address.kind == "view"]
        matches = [path for path in paths for view in views if _same(path.values, "source_dir", view.values)]
    if len(matches) != 1:
        addresses = sorted(str(path.address) for path in paths if isinstance(path.values.get("remote_tenant"), Ref))
        replicated = f"replicated there: {', '.join(addresses)}" if addresses else "nothing is replicated there"
        raise VastplanError(
            f"{inert(address, 200)} is not a replicated volume, view, bucket or protected path; {replicated}"
        )
    return matches[0]


def _elsewhere(path: Entry, address: Address, by_address: Mapping[Address, Entry]) -> bool:
    """Whether an address means a path that the document has on the other site: by its name, its volume, or its view there."""
    remote = path.values.get("remote_tenant")
    if not isinstance(remote, Ref) or remote.target.site != address.site:
        return False
    if address in (path.address._replace(site=address.site), _composite(path, address.site)):
        return True
    view = by_address.get(address) if address.kind == "view" else None
    return view is not None and _same({**path.values, "tenant": remote}, "target_exported_dir", view.values)


def _composite(path: Entry, site: str) -> Address | None:
    """The entry that a path is part of, with its address on a site."""
    return Address.parse(path.origin)._replace(site=site) if path.origin else None


def _same(path: dict[str, object], name: str, view: dict[str, object]) -> bool:
    return path.get(name) == view.get("path") and path.get("tenant") == view.get("tenant")
