"""The stage that puts entries where a person looks for them: inside their tenant, in its file; all others in one more file. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import field
from typing import Any

from vastplan.importing.fold import fold
from vastplan.importing.model import Degraded, EntryForm, LiveKey
from vastplan.importing.name import as_key
from vastplan.importing.recover import Written
from vastplan.model.dataclass import dataclass
from vastplan.model.value import Ref
from vastplan.schema.discover import Registry
from vastplan.schema.entries import EntryType, Site

_NO_FILE = re.compile(r"[^A-Za-z0-9._-]+")
"""Characters that some file system does not accept in a name, or that a log takes for a command."""
Typed = dict[str, Any]
DocumentForm = Callable[[EntryType, Written], Typed]
"""Returns what a person would type for the values of an entry."""


@dataclass(slots=True)
class Placed:
    """One entry as it is to be written, on all its sites; `parts` are the entries inside it."""

    type: EntryType
    key: str
    values: Typed
    stands_for: tuple[LiveKey, ...]
    sites: tuple[str, ...]
    parts: list[Placed] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class File:
    """A file of the document that is to be written."""

    name: str
    entries: tuple[Placed, ...]


def place_entries(
    written: Sequence[Written],
    sites: Mapping[str, Site],
    registry: Registry,
    degraded: Degraded,
    document_form: DocumentForm,
    *,
    single: bool = False,
    given_sites: Set[str] = frozenset(),
) -> tuple[File, ...]:
    """The files to write. With `single` there is one file, and all else is the same.

    `given_sites` are the sections for which the document's `defaults` set the sites of an entry.
    """
    tenants = {
        entry.entry.address: entry.entry.address.name
        for entry in written
        if registry.types[entry.entry.address.kind].contains
    }
    groups: dict[tuple[str, str, str], dict[str, Written]] = {}
    for item in written:
        address = item.entry.address
        nested = all(degraded.step(key).value <= EntryForm.NESTED.value for key in item.stands_for)
        own = item.entry.values.get("tenant")
        tenant = tenants.get(own.target, "") if nested and isinstance(own, Ref) else ""
        groups.setdefault((tenant, address.kind, address.name), {})[address.site] = item
    containers: dict[str, Placed] = {}
    flat: list[Placed] = []
    inside: list[tuple[str, Placed]] = []
    for (tenant, kind, key), by_site in groups.items():
        type_ = registry.types[kind]
        ordered = {site: by_site[site] for site in sites if site in by_site}
        typed = {site: _typed(type_, part, tenant, document_form) for site, part in ordered.items()}
        stands_for = tuple(live for part in ordered.values() for live in part.stands_for)
        entry = Placed(type_, key, fold(typed), stands_for, tuple(ordered))
        if type_.contains:
            containers[key] = entry
        elif tenant:
            inside.append((tenant, entry))
        else:
            flat.append(entry)
    for tenant, entry in inside:
        containers[tenant].parts.append(entry)
    for entry in (*flat, *containers.values()):
        _write_sites(entry, sites, None, given_sites)
        for part in entry.parts:
            _write_sites(part, sites, entry, given_sites)
    return _files(containers, flat, single=single)


def _typed(type_: EntryType, entry: Written, tenant: str, document_form: DocumentForm) -> Typed:
    values = document_form(type_, entry)
    if tenant:
        values.pop("tenant", None)
    return values


def _write_sites(entry: Placed, sites: Mapping[str, Site], container: Placed | None, given: Set[str]) -> None:
    """Write `sites` if an entry would be on other sites without it, or if the document's defaults set it."""
    if entry.type.sites is not None:
        return
    around = container.sites if container is not None else tuple(sites)
    needed = entry.type.systems(entry.values)
    if entry.type.section in given or entry.sites != tuple(site for site in around if needed <= sites[site].systems):
        entry.values = {"sites": list(entry.sites), **entry.values}


def _files(containers: Mapping[str, Placed], flat: list[Placed], *, single: bool) -> tuple[File, ...]:
    if single:
        return (File("imported.yaml", (*flat, *containers.values())),) if flat or containers else ()
    files = [File("shared.yaml", tuple(flat))] if flat else []
    names: set[str] = set()
    for key in sorted(containers):
        stem, number = f"tenant-{_NO_FILE.sub('-', as_key(key))}", 1
        name = f"{stem}.yaml"
        while name in names:
            number += 1
            name = f"{stem}-{number}.yaml"
        names.add(name)
        files.append(File(name, (containers[key],)))
    return tuple(files)
