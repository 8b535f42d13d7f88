"""The names that live objects will have after the plan: what refers to them by name has to change too. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from vastplan.engine.live.observe import Live
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind, Values


def new_names(
    kinds: Mapping[str, Kind],
    desired: Mapping[Address, Entry],
    existing: Mapping[Address, Live],
    resolved: Callable[[Kind, Values], Values],
) -> dict[Address, dict[str, Any]]:
    """By address, the attributes that follow from the document and differ from the live ones, after a rename on either side.

    `resolved` resolves references with the names known so far: an object in a renamed namespace gets a new path too.
    """
    predicted = {
        name: attributes
        for name in {address.kind for address in desired}
        if (attributes := [attribute for attribute in kinds[name].attributes if attribute.of])
    }
    telling = {
        name: tuple({field for attribute in attributes for field in attribute.of})
        for name, attributes in predicted.items()
    }
    coming: dict[Address, dict[str, Any]] = {}
    for address, entry in desired.items():
        fields = telling.get(address.kind, ())
        live = existing.get(address) if fields else None
        if live is None or _as_it_is(fields, entry.values, live.values):
            continue
        kind = kinds[address.kind]
        values = called_as_it_is(entry, live).values if entry.defaults else entry.values
        if any(isinstance(values.get(name), Ref) for name in kind.identity):
            values = resolved(kind, values)
        if all(
            isinstance(values.get(name), Ref) or values.get(name) == live.values.get(name) for name in kind.identity
        ):
            values = {**live.values, **values}  # the object is kept, with all fields that the document leaves out
        for attribute in predicted[address.kind]:
            value = attribute.predicted(values)
            if value is not None and value != attribute.predicted(live.values):
                coming.setdefault(address, {})[attribute.name] = value
    return coming


def _as_it_is(fields: tuple[str, ...], values: Values, live: Values) -> bool:
    """Whether all fields of a name have their live values, as for nearly all objects: then nothing has to be resolved.

    A field that is left out equals null. A reference never equals a raw live value, so such objects are examined further.
    """
    return list(map(values.get, fields)) == list(map(live.get, fields))  # runs for every object of a plan


def names_of(kind: Kind) -> set[str]:
    """The fields that may be part of the name of an object, determined without live objects."""
    return {field for attribute in kind.attributes for field in attribute.of} | {*kind.identity}


def called_as_it_is(entry: Entry, live: Live) -> Entry:
    """The entry with live values in place of defaults: a default is for an object that is still to be created."""
    names = [name for name in entry.defaults if name in entry.values and live.values.get(name) is not None]
    kept = {name: live.values[name] for name in names}
    return replace(entry, values={**entry.values, **kept})
