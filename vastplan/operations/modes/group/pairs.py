"""The paths that move together: every path with volumes of a project or tenant. Reads only the document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import replace

from vastplan.model.address import Address
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.value import Ref
from vastplan.operations.plan.pair import Pair, directories_of, movable, pair_of
from vastplan.schema.entries import Entry

TOGETHER = ("project", "tenant")


def pairs_of(entries: Iterable[Entry], address: Address, to: str) -> tuple[Pair, ...]:
    """The pairs of all volumes of a project or tenant, in the order of their addresses.

    Raises `VastplanError`, which names the volumes that are not on both sites: a project never moves in part.
    """
    all_entries = tuple(entries)
    if not any(entry.address == address for entry in all_entries):
        raise VastplanError(f"{inert(address, 200)} is not a {address.kind} of this document")
    if address.site == to:
        raise VastplanError(
            f"{address} is already at {to} (give the address of the {address.kind} at the site that the data leaves)"
        )
    directories = _directories(all_entries, address)
    if not directories:
        raise VastplanError(f"{address} has no volumes to move")
    paths, problems = set(), []
    for address_text, directory in directories:
        path = _path_of(all_entries, address.site, directory) if directory else None
        sites = {address.site} if path is None else set(directories_of(path))
        if path is None or to not in sites:
            sites_text = f"at {address.site} only" if path is None else f"at {' and '.join(sorted(sites))}, not at {to}"
            problems.append(f"{address_text} lives {sites_text}")
        else:
            paths.add(path.address)
    if problems:
        raise VastplanError(f"{address} cannot be moved to {to} as a whole: {'; '.join(dict.fromkeys(problems))}")
    return tuple(pair_of(all_entries, path, to) for path in sorted(paths))


def to_arm(entries: tuple[Entry, ...], path: Address, projects: Set[Address], to: str) -> Address:
    """What to arm for a path: the project whose claims mount it, if a move takes all of several directories of it, else the path alone.

    A workload that mounts two of them would be kept for a move of one path, and then submitted nowhere.
    """
    if len(projects) != 1:
        return path
    (project,) = projects
    directories = {directory for _, directory in _of_project(entries, project)}
    try:
        paths = [_path_of(entries, project.site, directory) if directory else None for directory in directories]
    except VastplanError:
        return path
    whole = len(paths) > 1 and all(other is not None and to in movable(other) for other in paths)
    return project if whole else path


def with_each_other(pairs: tuple[Pair, ...]) -> tuple[Pair, ...]:
    """The pairs, each also with the claims of the others: a workload that mounts several paths finds all of them at the target."""
    moving = {(source.project, source.name) for pair in pairs for source, target in pair.work if target is not None}
    return tuple(replace(pair, along=pair.along | moving) for pair in pairs)


def _directories(everything: tuple[Entry, ...], address: Address) -> tuple[tuple[str, str], ...]:
    """The objects with data of the project or tenant on its site, each with its directory; "" for a volume that a CSI driver created."""
    if address.kind == "project":
        return tuple(_of_project(everything, address))
    views = [
        (str(view.origin or view.address), str(view.values["path"]))
        for view in everything
        if (view.address.site, view.address.kind) == (address.site, "view") and _refers(view, "tenant", address)
    ]
    view_directories = {directory for _, directory in views}
    projects = [
        entry.address for entry in everything if (entry.address.site, entry.address.kind) == (address.site, "project")
    ]
    claims = [tuple(_of_project(everything, project)) for project in projects]
    # a project belongs to the tenant if it mounts a directory of the tenant: then all of the project's claims move
    project_claims = [
        claim
        for claims_of_project in claims
        if any(directory in view_directories for _, directory in claims_of_project)
        for claim in claims_of_project
    ]
    return tuple(dict.fromkeys((*views, *project_claims)))


def _of_project(everything: tuple[Entry, ...], project: Address) -> Iterator[tuple[str, str]]:
    by_address = {entry.address: entry for entry in everything}
    for entry in everything:
        if entry.address.kind != "persistent_volume_claim" or not _refers(entry, "namespace", project):
            continue
        volume = entry.values.get("volume")
        bound = by_address.get(volume.target) if isinstance(volume, Ref) else None
        handle = "" if bound is None else str(bound.values.get("volume_handle") or "")
        yield str(entry.origin or entry.address), handle


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
