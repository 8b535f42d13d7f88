"""The proof that projects meet in nothing, or where they do.

From each project the chain is followed: its namespace, the classes that are open to it and the volumes bound in it, and from
there to secrets, VIP pools, view policies, tenants, directories and buckets; and the S3 keys in that namespace, from there to
their users and the buckets that these may use. Projects are then grouped by what they reach, never compared with each other:
the work grows with the document, not with the square of its projects. The same elements are then what the ways around the
chain are tried on (`_reach.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING

from vastplan.checks.index import Index
from vastplan.checks.paths import enclosing
from vastplan.checks.proof.chain import ChainElement, ChainWalker, Step
from vastplan.checks.proof.class_access import Projects, open_namespaces, reference_name, seen_namespaces
from vastplan.checks.proof.keys import KeyWalker
from vastplan.model.dataclass import dataclass
from vastplan.model.isolation import LAYERS, Isolation, Meeting, OpenEnd, WayResult
from vastplan.schema.entries import Entry

if TYPE_CHECKING:
    from vastplan.checks.proof._surroundings import Beside


@dataclass(slots=True)
class _Reached:
    """An element with the projects that reach it and the first way of each; for a directory also the projects inside it."""

    element: ChainElement
    ways: dict[str, tuple[Step, ...]] = field(default_factory=dict)
    everybody: tuple[Step, ...] | None = None
    inside: dict[str, tuple[Step, ...]] = field(default_factory=dict)
    everybody_inside: tuple[Step, ...] | None = None

    def add(self, projects: Projects, steps: tuple[Step, ...]) -> None:
        """Add projects that reach it by these steps."""
        if projects is None:
            self.everybody = self.everybody or steps
        else:
            for project in projects:
                self.ways.setdefault(project, steps)

    @property
    def projects(self) -> Projects:
        """Those that reach it."""
        return None if self.everybody is not None else tuple(sorted(self.ways))


def namespaces_of(site: str, objects: Index) -> dict[str, str]:
    """The namespace of each project: the one that it asks for, or the one that Run:AI creates."""
    return {
        name: str(project.values.get("namespace") or f"runai-{project.values.get('name', name)}")
        for name, project in objects.on(site, "project").items()
    }


def prove(site: str, objects: Index, namespaces: Mapping[str, str], beside: Beside | None = None) -> Isolation:
    """Where the projects of a site meet. `namespaces` has the namespace of each project, `beside` what else a live cluster shows."""
    neighbours: dict[str, list[str]] = {}
    for project, namespace in namespaces.items():
        neighbours.setdefault(namespace, []).append(project)
    projects_by_namespace = {namespace: tuple(projects) for namespace, projects in neighbours.items()}
    open_to = open_namespaces(site, objects, namespaces)
    elements: dict[Step, _Reached] = {}
    ends: dict[Step, _Reached] = {}
    for chain, projects in _chains(site, objects, namespaces, projects_by_namespace, open_to):
        for element in chain if projects is None or projects else ():
            if element.unknown:
                ends.setdefault((str(element.entry.address), element.unknown), _Reached(element)).add(
                    projects, element.steps
                )
            else:
                elements.setdefault((element.layer, element.element), _Reached(element)).add(projects, element.steps)
    for namespace, projects in projects_by_namespace.items():
        if len(projects) > 1:
            entry = objects.on(site, "project")[projects[0]]
            elements["namespace", namespace] = _Reached(ChainElement("namespace", namespace, entry, ()))
            elements["namespace", namespace].add(projects, ())
    _add_projects_inside(elements)
    meetings = [meeting for one in elements.values() if (meeting := _meeting(one, namespaces)) is not None]
    reached = ((one.element, one.projects) for one in elements.values())
    seen = seen_namespaces(site, objects, namespaces)
    ways: tuple[WayResult, ...] = ()
    if len(namespaces) > 1:
        from vastplan.checks.proof._reach import ways_around  # a document of one project does not load it

        ways = ways_around(site, objects, namespaces, projects_by_namespace, open_to, seen, reached, beside)
    return Isolation(
        site,
        dict(sorted(namespaces.items())),
        {name: tuple(sorted(allowed)) for name, allowed in sorted(open_to.items()) if allowed is not None},
        tuple(sorted(name for name, allowed in open_to.items() if allowed is None)),
        tuple(sorted(meetings, key=lambda meeting: (LAYERS.index(meeting.layer), meeting.element))),
        tuple(
            OpenEnd(address, reason, tuple(sorted(reached.ways)), reached.everybody is not None)
            for (address, reason), reached in sorted(ends.items())
            if len(namespaces) > 1
        ),
        seen={name: tuple(sorted(allowed)) for name, allowed in sorted(seen.items())},
        ways=ways,
    )


def _chains(
    site: str,
    objects: Index,
    namespaces: Mapping[str, str],
    projects_by_namespace: Mapping[str, tuple[str, ...]],
    open_to: Mapping[str, frozenset[str] | None],
) -> Iterator[tuple[list[ChainElement], Projects]]:
    """Each chain with the projects at its start: by a class that is open to them or that a claim of theirs names, by
    volumes, and by keys.
    """
    walker = ChainWalker(site, objects, namespaces)
    claims: dict[str, dict[str, Entry]] = {}  # one for each namespace, by class
    for claim in objects.on(site, "persistent_volume_claim").values():
        class_ref = claim.values.get("storage_class")
        if class_ref is not None:
            claims.setdefault(reference_name(class_ref, {}), {})[
                reference_name(claim.values["namespace"], namespaces)
            ] = claim
    for name, storage_class in objects.on(site, "storage_class").items():
        allowed = open_to[name]
        chain = list(walker.from_class(storage_class))
        if allowed is None:
            yield chain, None
            continue
        yield (
            chain,
            tuple(project for namespace in sorted(allowed) for project in projects_by_namespace.get(namespace, ())),
        )
        for namespace, claim in claims.get(name, {}).items():
            if namespace not in allowed:  # it was created before the class was closed, or would be refused
                step = ("claim", claim.address.name)
                through_claim = [replace(element, steps=(step, *element.steps)) for element in chain]
                yield through_claim, projects_by_namespace.get(namespace, ())
    for volume in objects.on(site, "persistent_volume").values():
        handle, claimed = str(volume.values["volume_handle"]), volume.values.get("claim_namespace")
        projects = None if claimed is None else projects_by_namespace.get(reference_name(claimed, namespaces), ())
        if not handle.startswith("/"):  # several show what the driver created for one of them
            yield [ChainElement("volume", handle, volume, (("volume", volume.address.name),))], projects
        elif claimed is not None:
            yield list(walker.from_volume(volume)), projects
    key_walker = KeyWalker(site, objects)
    for namespace, key in key_walker.keys(namespaces):
        yield list(key_walker.from_key(key)), projects_by_namespace.get(namespace, ())
    for name in sorted(claims.keys() - open_to.keys()):
        for namespace, claim in claims[name].items():
            yield _unmanaged_class(claim, name), projects_by_namespace.get(namespace, ())


def _unmanaged_class(claim: Entry, name: str) -> list[ChainElement]:
    """A class that the document does not manage: projects that name it meet in it, and what it leads to is unknown."""
    steps = (("claim", claim.address.name), ("storage class", name))
    unknown = f"storage class {name} is not managed here"
    return [ChainElement("storage class", name, claim, steps, unknown=reason) for reason in ("", unknown)]


def _add_projects_inside(elements: Mapping[Step, _Reached]) -> None:
    """Directories inside one another: whoever reaches the inner one is inside the outer one."""
    by_tenant: dict[str, dict[str, _Reached]] = {}
    for reached in elements.values():
        if reached.element.layer == "path":
            by_tenant.setdefault(reached.element.tenant, {})[reached.element.path] = reached
    for directories in by_tenant.values():
        for path, outer_paths in enclosing(directories).items():
            inner = directories[path]
            for outer in (directories[outer_path] for outer_path in outer_paths):
                outer.inside.update(inner.ways)
                outer.everybody_inside = outer.everybody_inside or inner.everybody


def _meeting(reached: _Reached, namespaces: Mapping[str, str]) -> Meeting | None:
    """Where the projects that reach an element meet; `None` if only one reaches it."""
    projects_inside = reached.inside.keys() - reached.ways.keys()
    everybody_inside = bool(reached.ways) and reached.everybody_inside is not None
    # A project's way is its own, else that of everybody, else the one to what lies inside.
    ways_inside = {project: reached.inside[project] for project in sorted(projects_inside)}
    if everybody_inside and reached.everybody_inside is not None:
        ways_inside = {**dict.fromkeys(sorted(namespaces), reached.everybody_inside), **ways_inside}
    ways_here = reached.ways
    if reached.everybody is not None:
        ways_here = {**dict.fromkeys(sorted(namespaces), reached.everybody), **ways_here}
    ways, reaching = {**ways_inside, **ways_here}, sorted(ways_here)
    two = [*reaching, *sorted(ways.keys() - set(reaching))][:2]
    if not reaching or len(two) < 2:
        return None
    return Meeting(
        reached.element.layer,
        reached.element.element,
        str(reached.element.entry.address),
        tuple(sorted(reached.ways)),
        tuple(sorted(projects_inside)),
        reached.everybody is not None,
        everybody_inside,
        tuple(_chain_text(project, namespaces[project], ways[project]) for project in two),
    )


def _chain_text(project: str, namespace: str, steps: Iterable[Step]) -> tuple[str, ...]:
    return (f"project {project}", f"namespace {namespace}", *(f"{layer} {element}" for layer, element in steps))
