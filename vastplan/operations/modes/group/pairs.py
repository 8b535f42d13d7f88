"""The paths that move together: every path with volumes of a project or tenant. Reads only the document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import replace
from typing import TypeAlias

from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.value import Ref
from vastplan.operations.plan.claims import claims_by_directory
from vastplan.operations.plan.pair import NOT_MOVED, SYNCHRONOUS, Pair, directories_of, movable, pair_of, shared_between
from vastplan.schema.entries import Entry

TOGETHER = ("project", "tenant")


@dataclass(frozen=True, slots=True)
class LeftBehind:
    """A volume that the target does not have: its address, why, and its claims, each with its project."""

    address: str
    why: str
    claims: frozenset[tuple[Address, str]]


@dataclass(frozen=True, slots=True)
class Whole:
    """What becomes of all directories of a project or tenant: the paths that move, the paths of global access that stay, and what the
    target does not have."""

    moving: tuple[Address, ...]
    staying: tuple[Entry, ...]
    left: tuple[LeftBehind, ...]


def pairs_of(entries: Iterable[Entry], address: Address, to: str) -> tuple[Pair, ...]:
    """The pairs of all volumes of a project or tenant whose roles change, in the order of their addresses.

    Raises `VastplanError` if there is none, and says why of each volume. Those that the target would not have are left behind.
    """
    all_entries = tuple(entries)
    if not any(entry.address == address for entry in all_entries):
        raise VastplanError(f"{inert(address, 200)} is not a {address.kind} of this document")
    if address.site == to:
        raise VastplanError(
            f"{address} is already at {to} (give the address of the {address.kind} at the site that the data leaves)"
        )
    whole = whole_of(all_entries, address, to)
    if whole.left and not whole.moving:
        reasons = "; ".join(f"{one.address} {one.why}" for one in whole.left)
        raise VastplanError(f"{address} cannot be moved to {to}: {reasons}")
    if whole.staying and not whole.moving:
        shared = ", ".join(path.origin or str(path.address) for path in whole.staying)
        raise VastplanError(
            f"{address} has only volumes that are shared by global access, whose roles do not change: {shared} (run the workloads of "
            f"each at {to}: --through-global-access)"
        )
    if not whole.moving:
        raise VastplanError(f"{address} has no volumes to move")
    return tuple(pair_of(all_entries, path, to) for path in whole.moving)


def pairs_at(entries: Iterable[Entry], address: Address, to: str) -> tuple[Pair, ...]:
    """The pairs of all volumes of a project or tenant, or the one of any other address. Raises `VastplanError`."""
    return pairs_of(entries, address, to) if address.kind in TOGETHER else (pair_of(entries, address, to),)


def whole_of(entries: tuple[Entry, ...], address: Address, to: str) -> Whole:
    """What becomes of the directories of a project or tenant. Raises `VastplanError` if one is replicated more than once."""
    claims = claims_by_directory(entries)
    shared = {path.address: names for path, names in shared_between(entries, claims, address.site, to)}
    moving, staying, left = set[Address](), dict[Address, Entry](), dict[str, LeftBehind]()
    for text, directory, claim_of_text in _directories(entries, address):
        path = _path_of(entries, address.site, directory) if directory else None
        mounted = {(claim.project, claim.name) for claim in claims.get((address.site, directory), ())}
        if path is not None and path.address in shared and to not in movable(path) and mounted <= shared[path.address]:
            staying[path.address] = path
        elif path is not None and to in movable(path):
            moving.add(path.address)
        else:
            before = left[text].claims if text in left else frozenset()
            left[text] = LeftBehind(text, _why_not(path, address.site, to), before | mounted | claim_of_text)
    return Whole(tuple(sorted(moving)), tuple(staying.values()), tuple(left.values()))


def to_arm(entries: tuple[Entry, ...], path: Address, projects: Set[Address], to: str) -> Address:
    """What to arm for a path: the project whose claims mount it, if a move takes several paths of it, else the path alone.

    A workload that mounts two of them would be kept for a move of one path, and then submitted nowhere.
    """
    if len(projects) != 1:
        return path
    (project,) = projects
    try:
        whole = whole_of(entries, project, to)
    except VastplanError:
        return path
    return project if len(whole.moving) > 1 else path


def with_each_other(pairs: tuple[Pair, ...]) -> tuple[Pair, ...]:
    """The pairs, each also with the claims of the others: a workload that mounts several paths finds all of them at the target."""
    moving = {(source.project, source.name) for pair in pairs for source, target in pair.work if target is not None}
    return tuple(replace(pair, along=pair.along | moving) for pair in pairs)


_Mounted: TypeAlias = tuple[str, str, frozenset[tuple[Address, str]]]


def _directories(everything: tuple[Entry, ...], address: Address) -> tuple[_Mounted, ...]:
    """The objects with data of the project or tenant on its site, each with its directory, "" for a volume that a CSI driver created, and
    its claim."""
    if address.kind == "project":
        return tuple(_of_project(everything, address))
    views = [
        (str(view.origin or view.address), str(view.values["path"]), frozenset[tuple[Address, str]]())
        for view in everything
        if (view.address.site, view.address.kind) == (address.site, "view") and _refers(view, "tenant", address)
    ]
    view_directories = {directory for _, directory, _ in views}
    projects = [
        entry.address for entry in everything if (entry.address.site, entry.address.kind) == (address.site, "project")
    ]
    claims = [tuple(_of_project(everything, project)) for project in projects]
    # a project belongs to the tenant if it mounts a directory of the tenant: then all of the project's claims move
    project_claims = [
        claim
        for claims_of_project in claims
        if any(directory in view_directories for _, directory, _ in claims_of_project)
        for claim in claims_of_project
    ]
    return tuple(dict.fromkeys((*views, *project_claims)))


def _of_project(everything: tuple[Entry, ...], project: Address) -> Iterator[_Mounted]:
    by_address = {entry.address: entry for entry in everything}
    for entry in everything:
        if entry.address.kind != "persistent_volume_claim" or not _refers(entry, "namespace", project):
            continue
        volume = entry.values.get("volume")
        bound = by_address.get(volume.target) if isinstance(volume, Ref) else None
        handle = "" if bound is None else str(bound.values.get("volume_handle") or "")
        yield str(entry.origin or entry.address), handle, frozenset({(project, entry.called)})


def _why_not(path: Entry | None, site: str, to: str) -> str:
    """Why a directory at a site does not go to another one, and what can be done."""
    sites = {site} if path is None else set(directories_of(path))
    if path is None or len(sites) < 2:
        return f"lives at {site} only: nothing replicates it"
    if to not in sites:
        (other,) = sites - {site}
        moves = f" (--to {other} moves it)" if other in movable(path) else ""
        return f"lives at {' and '.join(sorted(sites))}, not at {to}{moves}"
    if path.values.get("capabilities") == SYNCHRONOUS:
        return NOT_MOVED
    return (
        f"is shared by global access, and {to} does not mount it by a claim of the same name (give the claims one name)"
    )


def _path_of(everything: tuple[Entry, ...], site: str, directory: str) -> Entry | None:
    paths = [
        path
        for path in everything
        if path.address.kind == "protected_path" and directories_of(path).get(site) == directory
    ]
    if len(paths) > 1:
        addresses = ", ".join(str(path.address) for path in paths)
        raise VastplanError(
            f"{inert(directory, 200)} at {site} is replicated more than once: {addresses}; move each by itself"
        )
    return paths[0] if paths else None


def _refers(entry: Entry, field: str, address: Address) -> bool:
    value = entry.values.get(field)
    return isinstance(value, Ref) and value.target == address
