"""What live objects will be called once they are as desired: what refers to them by name has to follow. Pure."""

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
        if (found := [attribute for attribute in kind.attributes if attribute.predict is not None])
    }
    coming: dict[Address, dict[str, Any]] = {}
    for address, entry in desired.items():
        live = there.get(address) if address.kind in predicted else None
        if live is None:
            continue
        values = called_as_it_is(entry, live).values if entry.defaults else entry.values
        kind = kinds[address.kind]
        if any(isinstance(values.get(name), Ref) for name in kind.identity):
            values = resolved(kind, values)
        if all(
            isinstance(values.get(name), Ref) or values.get(name) == live.values.get(name) for name in kind.identity
        ):
            values = {**live.values, **values}  # it stays the one that it is, with all that the document leaves alone
        for attribute in predicted[address.kind]:
            assert attribute.predict is not None
            value = attribute.predict(values)
            if value is not None and value != attribute.predict(live.values):
                coming.setdefault(address, {})[attribute.name] = value
    return coming


def names_of(kind: Kind) -> set[str]:
    """The fields that may be a part of what an object is called, told without what is live."""
    return {attribute.name for attribute in kind.attributes if attribute.predict is not None} | {*kind.identity}


def called_as_it_is(entry: Entry, live: Live) -> Entry:
    """The entry with the live values of what nobody wrote: a default is for the object that is yet to be made."""
    known = [name for name in entry.defaults if name in entry.values and live.values.get(name) is not None]
    kept = {name: live.values[name] for name in known}
    return replace(entry, values={**entry.values, **kept})
