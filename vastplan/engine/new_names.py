"""The names that live objects will have after the plan: what refers to them by name has to change too. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from vastplan.engine.observe import Live
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind, Values


def new_names(
    kinds: Mapping[str, Kind],
    desired: Mapping[Address, Entry],
    there: Mapping[Address, Live],
    resolved: Callable[[Kind, Values], Values],
) -> dict[Address, dict[str, Any]]:
    """By address, the attributes that the document tells and that are otherwise now: of a rename, and of a hand's.

    `resolved` has references as they are known so far: what is in a namespace is called otherwise where that is.
    """
    predicted = {
        name: found
        for name, kind in kinds.items()
        if (found := [attribute for attribute in kind.attributes if attribute.of])
    }
    telling = {name: tuple({field for one in found for field in one.of}) for name, found in predicted.items()}
    coming: dict[Address, dict[str, Any]] = {}
    for address, entry in desired.items():
        fields = telling.get(address.kind, ())
        live = there.get(address) if fields else None
        if live is None or _as_it_is(fields, entry.values, live.values):
            continue
        kind = kinds[address.kind]
        values = called_as_it_is(entry, live).values if entry.defaults else entry.values
        if any(isinstance(values.get(name), Ref) for name in kind.identity):
            values = resolved(kind, values)
        if all(
            isinstance(values.get(name), Ref) or values.get(name) == live.values.get(name) for name in kind.identity
        ):
            values = {**live.values, **values}  # it stays the one that it is, with all that the document leaves alone
        for attribute in predicted[address.kind]:
            value = attribute.predicted(values)
            if value is not None and value != attribute.predicted(live.values):
                coming.setdefault(address, {})[attribute.name] = value
    return coming


def _as_it_is(fields: tuple[str, ...], values: Values, live: Values) -> bool:
    """Whether all that a name is told by is as it is now, as of nearly all objects: nothing has to be resolved for that.

    What is left out and what is none tell the same. A reference is never plainly what is live, so it is looked at closely.
    """
    return list(map(values.get, fields)) == list(map(live.get, fields))  # every object of a plan comes by


def names_of(kind: Kind) -> set[str]:
    """The fields that may be a part of what an object is called, told without what is live."""
    return {field for attribute in kind.attributes for field in attribute.of} | {*kind.identity}


def called_as_it_is(entry: Entry, live: Live) -> Entry:
    """The entry with the live values of what nobody wrote: a default is for the object that is yet to be made."""
    known = [name for name in entry.defaults if name in entry.values and live.values.get(name) is not None]
    kept = {name: live.values[name] for name in known}
    return replace(entry, values={**entry.values, **kept})
