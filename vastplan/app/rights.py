"""The rights that vastplan needs: in a system as a whole, by task, and in the systems of a document. Contacts no system."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any

import vastplan.systems
from vastplan.app import checks
from vastplan.app.planning import isolation
from vastplan.app.workspace import Workspace
from vastplan.engine.deciding.plan import collections_to_read
from vastplan.engine.guards.evidence_reads import may_be_read
from vastplan.engine.live.names import NOTHING_NAMED, Named, names_to_read
from vastplan.model.rights import DocumentRights, NamedObjects, Right, SystemRights
from vastplan.schema.discover import Registry
from vastplan.schema.endpoint import Asked, AskedMembers
from vastplan.schema.kind import Kind
from vastplan.schema.operations import ApiOperation, Purpose, read_operations, write_operations
from vastplan.schema.system import System, discover_systems


def writable_kinds(registry: Registry) -> frozenset[str]:
    """The kinds whose objects a document can have, itself or by composition; all others are only read."""
    made = {name for composition in registry.compositions.values() for name in composition.creates}
    return frozenset(name for name, kind in registry.kinds.items() if kind.section or name in made)


def api_operations(
    system: System[Any], kinds: Iterable[Kind], writable: Set[str], changed: Set[str]
) -> Iterator[ApiOperation]:
    """The API calls to a system for some kinds, and its other calls. Kinds in `changed` are also written; kinds in `writable`, which
    a document can have, are also read one by one; the others are only listed."""
    for kind in kinds:
        yield from read_operations(kind, alone=kind.name in writable)
        if kind.name in changed:
            yield from write_operations(kind)
    yield from system.besides
    yield from (ApiOperation(Purpose.CENSUS, "GET", each.path) for each in system.uncovered if each.path)


def by_task(system: System[Any], asked: Iterable[ApiOperation]) -> dict[Purpose, frozenset[Right]]:
    """The rights that API calls need, by task; for tasks other than reading only those that reading does not need already."""
    assert system.right_of is not None
    by_purpose: dict[Purpose, set[Right]] = {task: set() for task in Purpose}
    for operation in asked:
        right = system.right_of(operation.method, operation.path)
        if right is not None:
            by_purpose[operation.task].add(right)
    needed = by_purpose[Purpose.READ]
    return {task: frozenset(rights if task is Purpose.READ else rights - needed) for task, rights in by_purpose.items()}


def document_rights(workspace: Workspace) -> DocumentRights:
    """The rights that a document needs in each of its systems with an access model, without a network. Raises `Invalid`."""
    kinds, entries = workspace.registry.kinds, workspace.composed().entries
    has = workspace.systems()
    facts = checks.check_facts(workspace, workspace.composed())
    read = collections_to_read(kinds, entries, {}, has) | checks.collections_of_checks(facts)
    read |= isolation.collections(kinds, has, has)
    changed = {(entry.address.site, entry.address.kind) for entry in entries}
    for site, name in changed:
        read |= {(site, each) for each in may_be_read(kinds, name) if kinds[each].system in has[site]}
    named = names_to_read(kinds, entries, {})
    systems = discover_systems(vastplan.systems)
    return DocumentRights(
        workspace.name,
        tuple(
            _of_system(
                site,
                systems[name],
                [kinds[kind] for at, kind in sorted(read) if at == site and kinds[kind].system == name],
                {kind for at, kind in changed if at == site},
                {kind: named.get((site, kind), NOTHING_NAMED) for kind in kinds},
                writable_kinds(workspace.registry),
            )
            for site in has
            for name in sorted(has[site])
            if name in systems and systems[name].right_of is not None
        ),
    )


def _of_system(
    site: str,
    system: System[Any],
    kinds: Iterable[Kind],
    changed: Set[str],
    names: Mapping[str, Named],
    writable: Set[str],
) -> SystemRights:
    single = [kind for kind in kinds if kind.read_by_name and not isinstance(kind.endpoint.shape, Asked | AskedMembers)]
    listed = [kind for kind in kinds if kind not in single]
    asked = [
        each for each in api_operations(system, listed, writable, changed) if each.task in (Purpose.READ, Purpose.WRITE)
    ]
    needed = by_task(system, (each for each in asked if not each.optional))
    everything = by_task(system, asked)
    optional = (everything[Purpose.READ] | everything[Purpose.WRITE]) - needed[Purpose.READ] - needed[Purpose.WRITE]
    return SystemRights(
        site,
        system.name,
        tuple(sorted(needed[Purpose.READ])),
        tuple(sorted(needed[Purpose.WRITE])),
        tuple(sorted(optional)),
        tuple(objects for kind in single for objects in _named(system, kind, names[kind.name])),
    )


def _named(system: System[Any], kind: Kind, named: Named) -> Iterator[NamedObjects]:
    """The objects of a kind that is read by name, by namespace: "" for those without one, or with one known only after an apply."""
    needed = by_task(system, (each for each in (*read_operations(kind), *write_operations(kind)) if not each.optional))
    places: dict[str, set[str]] = {}
    for locator in named.locators:
        namespace, _, name = locator.rpartition("/")
        places.setdefault(namespace, set()).add(name)
    for name in named.called:
        places.setdefault("", set()).add(name)
    for namespace, inside in sorted(places.items()):
        own = {name for name in inside if name in named.called or f"{namespace}/{name}".lstrip("/") in named.whole}
        reading, writing = (
            tuple(sorted(right.verb for right in needed[task])) for task in (Purpose.READ, Purpose.WRITE)
        )
        on = next(right.on for right in needed[Purpose.READ])
        yield NamedObjects(on, namespace, tuple(sorted(inside)), tuple(sorted(own)), reading, writing)
