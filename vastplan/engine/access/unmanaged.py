"""What lets everybody in by a field of which the document says nothing, because somebody else has set it. Pure.

No plan changes such a field, and no drift shows it: what the document does not set is not compared. What a system has by its default is not
said either: the plan that created the object did.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from vastplan.engine.live.matches import Matches
from vastplan.model.address import Address
from vastplan.model.finding import Finding, Severity
from vastplan.model.ip_ranges import everybody_of
from vastplan.model.value import json_text, to_json
from vastplan.schema.entries import Entry
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind, Values
from vastplan.schema.markers import AsWitness, SameAs
from vastplan.schema.opening import EVERYBODY, let_in, opens


def opened_outside(matches: Matches, entries: Mapping[Address, Entry]) -> Iterator[Finding]:
    """A warning for each field that lets everybody in although neither the document nor the system's default says so."""
    kinds = {address.kind for address in entries}
    fields = {name: dict(_fields(matches.kinds[name])) for name in kinds}
    for address, entry in sorted(entries.items()):
        unsaid = {name: rest for name, rest in fields[address.kind].items() if name not in entry.values}
        live = matches.match(address).live if unsaid else None
        values = live.values if live is not None else {}
        for name, (field, default) in unsaid.items():
            value = values.get(name)
            whom = _everybody(field, default, value, values) if value is not None else ""
            if whom:
                text = f"{name} is {json_text(to_json(value))}, which lets in {whom}; the document does not have it"
                fix = f"set it to {json_text(default)} there, or write it in its entry"
                yield Finding("VP362", Severity.WARNING, text, fix, str(address), entry.where)


def _fields(kind: Kind) -> Iterator[tuple[str, tuple[Field, Any]]]:
    """The fields by which everybody may be let in, with the default of the system."""
    for field in kind.fields:
        default = field.server_default.value if field.server_default is not None else AsWitness()
        if not isinstance(default, AsWitness | SameAs):
            yield field.name, (field, default)


def _words(field: Field) -> str:
    return field.opens.whom if field.opens is not None and isinstance(field.opens.whom, str) else ""


def _everybody(field: Field, default: Any, value: Any, values: Values) -> str:
    """Whom a field lets in by its live value and not by its default, if that is everybody; "" otherwise."""
    if field.admits is None:
        return _words(field) if opens(field, default, value) else ""
    clients = let_in(field, {**values, field.name: default}, values)
    return EVERYBODY if {EVERYBODY, "*"} & {*clients} else everybody_of(clients)
