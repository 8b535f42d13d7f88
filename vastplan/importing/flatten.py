"""The stage that turns each live object into an entry of its own, without the values that need not be written."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

from pydantic_core import PydanticUndefined

from vastplan.engine.live.observe import Live
from vastplan.importing.acceptance import accepted_values, is_required, name_fields
from vastplan.importing.addresses import Addresses
from vastplan.importing.classify import leave
from vastplan.importing.model import Degraded, Detail, Left, LeftReason, object_key
from vastplan.importing.server_defaults import ServerDefaults
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.value import REDACTED
from vastplan.schema.entries import Entry
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind, Values
from vastplan.schema.markers import DefaultEvidence, Marker, Refers
from vastplan.schema.rows import Path
from vastplan.schema.types import MISSING
from vastplan.schema.walk import leaves, same

NO_MORE = Detail()
_UNSAID = object()
_UNWRITTEN = frozenset({Marker.DOCUMENT, Marker.CREATE_ONLY, Marker.WRITE_ONLY, Marker.SENSITIVE})


@dataclass(frozen=True, slots=True)
class Flat:
    """One object as an entry of its own. `full` are all its values; `whole` are those of an entry that writes all of them, if `--full`
    asks for it."""

    live: Live
    entry: Entry
    full: Mapping[str, Any]
    known: Mapping[Path, DefaultEvidence]
    """The values that are the system's defaults, with the evidence for each."""
    fallen: tuple[Left, ...] = ()
    """Fields that are left out."""
    whole: Mapping[str, Any] | None = None


def flatten(
    live: Live,
    address: Address,
    addresses: Addresses,
    defaults: ServerDefaults,
    degraded: Degraded,
    detail: Detail = NO_MORE,
) -> Flat | Left:
    """An object as an entry, or why it cannot be one: this version does not know a value, or a reference has no name or could not be
    read."""
    kind, key = live.kind, object_key(live)
    dropped = dict(degraded.fields.get(key, {}))
    nameless = ""
    unnamed: list[str] = []
    unread: list[str] = []

    def change(refers: Refers, raw: Any) -> Any:
        if raw is None or raw == "":
            return None
        missing = addresses.unread(live.site, refers, raw)
        if missing:
            unread.append(missing)
        ref = addresses.named(live, refers, raw)
        if ref is None:
            unnamed.append(str(raw))
        return raw if ref is None else ref

    for name in name_fields(kind):
        if live.values.get(name, _UNSAID) in (None, ""):
            return leave(live, LeftReason.VALUE, f"its {name} is empty, which no entry can express")
    full: Values = {}
    mappers = {name: mapper for name, _, mapper in kind.fields.referring}
    for field in kind.fields:
        value = live.values.get(field.name)
        if field.markers & _UNWRITTEN or field.name not in live.values or value is REDACTED:
            continue
        if field.keys_of_others is not None and isinstance(value, dict):
            value = {key: item for key, item in value.items() if detail.keeps(kind, field.keys_of_others, key)}
        dropped |= _withheld(field, value)
        before = len(unnamed)
        mapped = mappers.get(field.name)
        full[field.name] = value if mapped is None else mapped(value, change)
        if unread:
            text = f"its {field.name} depends on what could not be read: {unread[-1]}"
            return leave(live, LeftReason.UNREAD, text, "import again when it can be read")
        if len(unnamed) > before:
            if is_required(kind, field):
                return leave(live, LeftReason.REFERENCE, f"{field.name} is {unnamed[-1]!r}, which has no name here")
            nameless = nameless or f"{field.name} is {unnamed[-1]!r}, which has no name here"
            dropped.setdefault(field.name, f"no name here for {unnamed[-1]!r}")
    evidence = defaults.known(live)
    values, fell, why = accepted_values(kind, address, _stated(kind, full, frozenset(dropped), evidence.keys()))
    others = {field.instead_of.field for field in kind.fields if field.instead_of}
    refused = {name: text for name, text in fell.items() if name in others}
    if refused:  # another field may express it
        unsaid = frozenset(dropped) | refused.keys()
        values, fell, why = accepted_values(kind, address, _stated(kind, full, unsaid, evidence.keys()))
        fell = dict.fromkeys(refused, "the kind accepts neither form of it") | fell
    if why:  # if a reference without a name was dropped, that is reported as the cause
        return leave(live, LeftReason.REFERENCE, nameless) if nameless else leave(live, LeftReason.VALUE, why)
    dropped |= fell
    expressed = {field.instead_of.field for field in kind.fields if field.instead_of and field.name in values}
    fallen = tuple(
        leave(live, LeftReason.VALUE, why, path=name) for name, why in sorted(dropped.items()) if name not in expressed
    )
    whole = _whole(kind, address, full, frozenset(dropped)) if detail.whole(kind) else None
    return Flat(live, Entry(address, values), full, evidence, fallen, whole)


def _whole(kind: Kind, address: Address, full: Values, dropped: Set[str]) -> Values | None:
    """The values of an entry that writes every value; `None` if no such entry is possible."""
    values, _, why = accepted_values(kind, address, _stated(kind, full, dropped, frozenset(), whole=True))
    return None if why else values


def _stated(kind: Kind, full: Values, dropped: Set[str], unsaid: Set[Path], *, whole: bool = False) -> Values:
    """The values that an entry has to set: not what is unset, and, unless `whole`, not what the document means by default."""
    elsewhere = {field.wire for field in kind.fields}
    values: Values = {}
    for leaf in leaves(kind.fields, full):
        top = kind.field(leaf.path[0])
        if top.name in dropped or leaf.path in unsaid or leaf.value is REDACTED:
            continue
        if is_unset(leaf.field, leaf.value) and (whole or leaf.value is None or leaf.field.server_default is None):
            continue  # an empty value of a field with a server default is left out only where `known_defaults` has it
        if len(leaf.path) == 2 and leaf.field is top and (*top.wire, leaf.path[1]) in elsewhere:
            continue  # this key of the mapping has a field of its own
        holder = values
        for step in leaf.path[:-1]:
            holder = holder.setdefault(step, {})
        holder[leaf.path[-1]] = _without_nulls(leaf.field, leaf.value)
    for field in kind.fields:
        if field.instead_of is None:
            continue
        if values.get(field.instead_of.field) is not None:
            values.pop(field.name, None)
        elif field.name in values:
            for other, key in field.instead_of.keys:
                values.get(other, {}).pop(key, None)
                if values.get(other) == {}:
                    del values[other]
    for name, info in kind.model.model_fields.items():
        default = info.default
        if default is MISSING or default is PydanticUndefined or name not in full or name in dropped:
            continue
        field = kind.field(name)
        if same(field, default, full[name]):
            if not whole:
                values.pop(name, None)
        elif name not in values and field.nullable:
            values[name] = None
    return values


def _without_nulls(field: Field, value: Any) -> Any:
    """The items of a list without their unset parts."""
    if not field.fields or not isinstance(value, list):
        return value
    unset = {part.name for part in field.fields if not part.has(Marker.EXPLICIT_NULL)}
    return [
        {name: inner for name, inner in item.items() if inner is not None or name not in unset}
        if isinstance(item, dict)
        else item
        for item in value
    ]


def is_unset(field: Field, value: Any) -> bool:
    """Whether a value is empty, so that an entry need not write it."""
    if field.has(Marker.EXPLICIT_NULL) and value is None:
        return False
    if value is None or isinstance(value, bool) or value not in field.cleared:
        return value is None
    default = field.server_default  # if the server's default is not empty, an empty value is somebody's choice
    return default is None or default.value in field.cleared


def _withheld(field: Field, value: Any) -> dict[str, str]:
    """The keys of a mapping that are withheld because they may be secrets, in fields where a person might look for them."""
    if field.shown is None or not isinstance(value, dict):
        return {}
    keys = (key for key, item in value.items() if item is REDACTED)
    return {f"{field.name}.{key}": "it may be a secret, so vastplan does not read it" for key in keys}
