"""The stage that leaves out what a composition would choose anyway, such as the only policy of a tenant. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from vastplan.importing.recover import Written
from vastplan.model.address import Address
from vastplan.schema.composition import Scope, composed
from vastplan.schema.discover import Registry
from vastplan.schema.entries import Entry, Site


def without_what_is_chosen(
    written: Sequence[Written],
    existing: Iterable[Entry],
    sites: Mapping[str, Site],
    registry: Registry,
    defaults: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
) -> list[Written]:
    """The entries, without the fields that their composition fills in with the same value.

    `existing` are the entries of the document, `defaults` its values by section: a composition does not choose a field that they set.
    """
    scope = Scope(sites, [*existing, *(each.entry for each in written)])
    return [replace(each, entry=_shorter(each.entry, scope, registry, defaults)) for each in written]


def _shorter(entry: Entry, scope: Scope, registry: Registry, defaults: Mapping[str, Mapping[str, Any]]) -> Entry:
    composition = registry.compositions.get(entry.address.kind)
    given = defaults.get(registry.types[entry.address.kind].section, {})
    fields = [
        name for name in entry.values if composition is not None and name in composition.chooses and name not in given
    ]
    if not fields:
        return entry
    whole = _made(entry, scope, registry)
    for name in fields:
        trial = entry.standing_for(entry.without(name))
        if whole is not None and _made(trial, scope, registry) == whole:
            entry = trial
    return entry


def _made(entry: Entry, scope: Scope, registry: Registry) -> dict[Address, Mapping[str, Any]] | None:
    """What an entry composes to; `None` if it cannot be composed."""
    before = len(scope.findings)
    made: dict[Address, Mapping[str, Any]] = {
        each.address: each.values for each in composed(entry, scope, registry.compositions, set())
    }
    if len(scope.findings) > before:
        del scope.findings[before:]
        return None
    return made
