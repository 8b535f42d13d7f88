"""The proof that projects meet in nothing, or where they do.

From each project the chain is followed: its namespace, the classes that are open to it and the volumes bound in it, and
from there to secrets, VIP pools, view policies, tenants and directories. Projects are then grouped by what they reach,
never compared with each other: the work grows with the document, not with the square of its projects.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from vastplan.checks.index import Index
from vastplan.checks.isolation.classes import named, openings
from vastplan.checks.isolation.reach import Reached, SiteReach, Step
from vastplan.checks.paths import enclosing
from vastplan.model.isolation import LAYERS, Isolation, Meeting, OpenEnd
from vastplan.schema.entries import Entry

Who = tuple[str, ...] | None  # projects; `None` is every one


@dataclass(slots=True)
class _Group:
    """Who reaches one thing, each with the first way there."""

    first: Reached
    ways: dict[str, tuple[Step, ...]] = field(default_factory=dict)
    everybody: tuple[Step, ...] | None = None
    inside: dict[str, tuple[Step, ...]] = field(default_factory=dict)
    everybody_inside: tuple[Step, ...] | None = None

    def add(self, who: Who, steps: tuple[Step, ...]) -> None:
        """More who reach it."""
        if who is None:
            self.everybody = self.everybody or steps
        else:
            for project in who:
                self.ways.setdefault(project, steps)


def namespaces_of(site: str, objects: Index) -> dict[str, str]:
    """The namespace of each project: the one that it asks for, or the one that Run:AI makes."""
    return {
        name: str(project.values.get("namespace") or f"runai-{project.values.get('name', name)}")
        for name, project in objects.on(site, "project").items()
    }


def prove(site: str, objects: Index, namespaces: Mapping[str, str]) -> Isolation:
    """Where the projects of a site meet. `namespaces` is that of each project."""
    tenants: dict[str, list[str]] = {}
    for project, namespace in namespaces.items():
        tenants.setdefault(namespace, []).append(project)
    living = {namespace: tuple(projects) for namespace, projects in tenants.items()}
    opened = openings(site, objects, namespaces)
    groups: dict[Step, _Group] = {}
    ends: dict[Step, _Group] = {}
    for one, who in _ways(site, objects, namespaces, living, opened):
        for reached in one if who is None or who else ():
            table = ends if reached.unknown else groups
            key = (str(reached.entry.address), reached.unknown) if reached.unknown else (reached.layer, reached.element)
            table.setdefault(key, _Group(reached)).add(who, reached.steps)
    for namespace, projects in living.items():
        if len(projects) > 1:
            entry = objects.on(site, "project")[projects[0]]
            groups["namespace", namespace] = _Group(Reached("namespace", namespace, entry, ()))
            groups["namespace", namespace].add(projects, ())
    _nest(groups)
    met = [_meeting(group, namespaces) for group in groups.values()]
    meetings = [one for one in met if one is not None]
    return Isolation(
        site,
        dict(sorted(namespaces.items())),
        {name: tuple(sorted(found)) for name, found in sorted(opened.items()) if found is not None},
        tuple(sorted(name for name, found in opened.items() if found is None)),
        tuple(sorted(meetings, key=lambda one: (LAYERS.index(one.layer), one.element))),
        tuple(
            OpenEnd(address, reason, tuple(sorted(group.ways)), group.everybody is not None)
            for (address, reason), group in sorted(ends.items())
            if len(namespaces) > 1
        ),
    )


def _ways(
    site: str,
    objects: Index,
    namespaces: Mapping[str, str],
    living: Mapping[str, tuple[str, ...]],
    opened: Mapping[str, frozenset[str] | None],
) -> Iterable[tuple[list[Reached], Who]]:
    """What projects reach together: by a class that is open to them or that a claim of theirs names, and by volumes."""
    walk = SiteReach(site, objects, namespaces)
    using: dict[str, dict[str, Entry]] = {}
    for claim in objects.on(site, "persistent_volume_claim").values():
        of = claim.values.get("storage_class")
        if of is not None:
            using.setdefault(named(of, {}), {})[named(claim.values["namespace"], namespaces)] = claim
    for name, one in objects.on(site, "storage_class").items():
        allowed = opened[name]
        reached = list(walk.of_class(one))
        if allowed is None:
            yield reached, None
            continue
        yield reached, tuple(project for namespace in sorted(allowed) for project in living.get(namespace, ()))
        for namespace, claim in using.get(name, {}).items():
            if namespace not in allowed:  # it was made before the class was closed, or would be refused
                step = ("claim", claim.address.name)
                yield [replace(found, steps=(step, *found.steps)) for found in reached], living.get(namespace, ())
    for volume in objects.on(site, "persistent_volume").values():
        if volume.values.get("claim_namespace") is not None:
            yield list(walk.of_volume(volume)), living.get(named(volume.values["claim_namespace"], namespaces), ())
    for name in sorted(using.keys() - opened.keys()):
        for namespace, claim in using[name].items():
            yield list(_foreign(claim, name)), living.get(namespace, ())


def _foreign(claim: Entry, name: str) -> Iterable[Reached]:
    """A class that is not here: those who name it meet in it, and nobody knows where it leads."""
    steps = (("claim", claim.address.name), ("storage class", name))
    yield Reached("storage class", name, claim, steps)
    yield Reached("storage class", name, claim, steps, unknown=f"storage class {name} is not managed here")


def _nest(groups: Mapping[Step, _Group]) -> None:
    """Directories inside one another: whoever reaches the inner one is inside the outer one."""
    by_tenant: dict[str, dict[str, _Group]] = {}
    for group in groups.values():
        if group.first.layer == "path":
            by_tenant.setdefault(group.first.tenant, {})[group.first.path] = group
    for paths in by_tenant.values():
        for path, outer in enclosing(paths).items():
            for one in outer:
                paths[one].inside.update(paths[path].ways)
                paths[one].everybody_inside = paths[one].everybody_inside or paths[path].everybody


def _meeting(group: _Group, namespaces: Mapping[str, str]) -> Meeting | None:
    """Where those of a group meet; `None` for one alone."""
    inside = group.inside.keys() - group.ways.keys()
    ways = {**{name: group.inside[name] for name in sorted(inside)}, **group.ways}
    dependents = bool(group.ways) and group.everybody_inside is not None
    for all_of_them in (group.everybody_inside if dependents else None, group.everybody):
        if all_of_them is not None:
            ways = {**dict.fromkeys(sorted(namespaces), all_of_them), **ways}
    here = sorted(ways) if group.everybody is not None else sorted(group.ways)
    two = [*here, *sorted(ways.keys() - set(here))][:2]
    if not here or len(two) < 2:
        return None
    return Meeting(
        group.first.layer,
        group.first.element,
        str(group.first.entry.address),
        tuple(sorted(group.ways)),
        tuple(sorted(inside)),
        group.everybody is not None,
        dependents,
        tuple(_told(name, namespaces[name], ways[name]) for name in two),
    )


def _told(project: str, namespace: str, steps: Iterable[Step]) -> tuple[str, ...]:
    return (f"project {project}", f"namespace {namespace}", *(f"{layer} {element}" for layer, element in steps))


__all__ = ["namespaces_of", "prove"]
