"""The stage that makes of each live object the entry that says it alone: what is there, without what need not be said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from pydantic_core import PydanticUndefined

from vastplan.engine.observe import Live, Observed
from vastplan.importing.classify import leave
from vastplan.importing.model import Degraded, Detail, Left, LiveKey, Reason, key_of
from vastplan.model.address import Address
from vastplan.model.value import REDACTED, Ref
from vastplan.schema.defaults import is_witness, known_defaults
from vastplan.schema.entries import Entry, EntryType
from vastplan.schema.kind import Field, Kind, Values
from vastplan.schema.markers import Evidence, Marker, Refers
from vastplan.schema.references import raw_references
from vastplan.schema.rows import Path
from vastplan.schema.types import MISSING
from vastplan.schema.walk import leaves, map_references, same, table

NO_MORE = Detail()
_UNWRITTEN = frozenset({Marker.DOCUMENT, Marker.CREATE_ONLY, Marker.WRITE_ONLY, Marker.SENSITIVE})
_OF_A_SITE = frozenset({"id", "name", "path", "namespace"})
"""What says nothing elsewhere: on another site it is of another object."""


@dataclass(frozen=True, slots=True)
class Flat:
    """One object as an entry of its own. `full` are all its values; `whole` are those of an entry that says all of them, where
    somebody asked for that."""

    live: Live
    entry: Entry
    full: Mapping[str, Any]
    known: Mapping[Path, Evidence]
    """Its values that are what the system takes anyway, with how that is known."""
    fallen: tuple[Left, ...] = ()
    """Fields that are left."""
    whole: Mapping[str, Any] | None = None


class Addresses:
    """How live objects are referred to: by the address of their entry, else by the name that only one of them has."""

    def __init__(
        self,
        observed: Observed,
        kinds: Mapping[str, Kind],
        addresses: Mapping[LiveKey, Address],
        unread: Set[LiveKey] = frozenset(),
    ) -> None:
        """`unread` are the objects that stand on something that could not be read."""
        self._observed, self._kinds, self._addresses, self._unread = observed, kinds, addresses, unread

    def unread(self, site: str, refers: Refers, raw: Any) -> str:
        """What could not be read of what a raw value stands for: its kind, or an object that stands on such; "" where all was."""
        missing = ""
        for kind, attribute in refers.targets:
            for where in (site,) if attribute == "id" else dict.fromkeys((site, *self._observed.sites(kind))):
                live = self._observed.find(where, kind, attribute, raw)
                if live is not None:
                    return f"{kind} {live.name}" if key_of(live) in self._unread else ""
                if not missing and self._observed.error(where, kind) and not self._observed.absent(where, kind):
                    missing = kind if where == site else f"{kind} of {where}"
        return missing

    def named(self, live: Live, refers: Refers, raw: Any) -> Ref | None:
        """The reference that a raw value of an object stands for; `None` where nothing names it, or several are called so."""
        site = live.site
        for kind, attribute in refers.targets:
            everywhere = () if attribute in _OF_A_SITE else self._observed.sites(kind)
            for where in dict.fromkeys((site, *everywhere)):
                found = self._observed.having(where, kind, attribute, raw)
                if attribute == "name" and self._kinds[kind].endpoint.namespaced:
                    found = [other for other in found if self._beside(live, other)]
                if found:
                    return self._ref(found[0])
        for kind, attribute in refers.targets:
            if attribute in ("name", "path") and self._observed.absent(site, kind):
                return Ref(Address(site, kind, str(raw)), managed=False)
        return None

    def _beside(self, live: Live, other: Live) -> bool:
        """Whether an object stands in something that another stands in: the namespace of a project, say."""
        return not self._stands_in(live).isdisjoint(self._stands_in(other))

    def _stands_in(self, live: Live) -> Set[LiveKey]:
        return {
            key_of(target)
            for _, refers, raw in raw_references(live.kind.fields, live.values)
            for kind, attribute in refers.targets
            for target in self._observed.having(live.site, kind, attribute, raw)
        }

    def _ref(self, live: Live) -> Ref | None:
        address = self._addresses.get(key_of(live))
        return Ref(address) if address is not None else self.existing(live)

    def existing(self, live: Live) -> Ref | None:
        """A reference by name, which more than one may have."""
        name = live.locator if live.kind.endpoint.namespaced else live.name
        if len(self._observed.named(live.site, live.kind, name)) != 1:
            return None
        return Ref(Address(live.site, live.kind.name, name), managed=False)


class Defaults:
    """What the systems of one observation take for what nobody says; the rows that show it are looked for once."""

    def __init__(self, observed: Observed, versions: Mapping[tuple[str, str], str]) -> None:
        """`versions` are those of the systems, by site and system."""
        self._observed, self._versions = observed, versions
        self._witnesses: dict[tuple[str, str], Mapping[str, Any] | None] = {}

    def known(self, live: Live) -> Mapping[Path, Evidence]:
        """The leaves of an object that need not be written, and how that is known."""
        key = live.site, live.kind.name
        if key not in self._witnesses:
            rows = self._observed.objects(*key)
            self._witnesses[key] = next((row.values for row in rows if is_witness(live.kind, row.values)), None)
        return known_defaults(
            live.kind, live.values, self._witnesses[key], self._versions.get((live.site, live.kind.system), "")
        )


def flatten(
    live: Live, address: Address, addresses: Addresses, defaults: Defaults, degraded: Degraded, detail: Detail = NO_MORE
) -> Flat | Left:
    """An object as an entry, or why it cannot be one: it has a value that this version does not know, or stands on what has no name."""
    kind, key = live.kind, key_of(live)
    dropped = dict(degraded.fields.get(key, {}))
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

    full: Values = {}
    mappers = {name: mapper for name, _, mapper in table(kind.fields).referring}
    for field in kind.fields:
        value = live.values.get(field.name)
        if field.markers & _UNWRITTEN or field.name not in live.values or value is REDACTED:
            continue
        if field.theirs is not None and isinstance(value, dict):
            value = {key: item for key, item in value.items() if detail.keeps(kind, field.theirs, key)}
        dropped |= _withheld(field, value)
        before = len(unnamed)
        mapped = mappers.get(field.name)
        full[field.name] = value if mapped is None or value is None else mapped(value, change)
        if unread:
            text = f"its {field.name} stands on what could not be read: {unread[-1]}"
            return leave(live, Reason.UNREAD, text, "import again when that can be read")
        if len(unnamed) > before:
            if _required(kind, field):
                return leave(live, Reason.REFERENCE, f"{field.name} is {unnamed[-1]!r}, which nothing names")
            dropped.setdefault(field.name, f"nothing names {unnamed[-1]!r}")
    known = defaults.known(live)
    values = _said(kind, full, frozenset(dropped), known.keys())
    values, fell, why = _acceptable(kind, address, values)
    if why:
        return leave(live, Reason.VALUE, why)
    dropped |= fell
    said_otherwise = {field.instead_of.field for field in kind.fields if field.instead_of and field.name in values}
    fallen = tuple(
        leave(live, Reason.VALUE, why, path=name) for name, why in sorted(dropped.items()) if name not in said_otherwise
    )
    whole = _whole(kind, address, full, frozenset(dropped)) if detail.whole(kind) else None
    return Flat(live, Entry(address, values), full, known, fallen, whole)


def _whole(kind: Kind, address: Address, full: Values, dropped: Set[str]) -> Values | None:
    """The values of an entry that says all that there is; `None` where there can be no such."""
    values, _, why = _acceptable(kind, address, _said(kind, full, dropped, frozenset(), whole=True))
    return None if why else values


def _acceptable(kind: Kind, address: Address, values: Values) -> tuple[Values, dict[str, str], str]:
    """The values that the model takes; by field or key why others fell; and why nothing can be said, "" where it can."""
    fell: dict[str, str] = {}
    while (problems := refused(kind, address, values)) is not None:
        name, text = problems
        name = name or _without_one(kind, address, values)
        culprit = next((field for field in kind.fields if field.name == name), None)
        if culprit is None or name not in values or _required(kind, culprit):
            return values, fell, f"{name}: {text}" if name else text
        rest = {other: value for other, value in values.items() if other != name}
        keys = _refused_keys(kind, address, values, culprit)
        if keys:
            fell |= {f"{name}.{key}": why for key, why in keys.items()}
            kept = {key: value for key, value in values[name].items() if key not in keys}
            values = {**values, name: kept} if kept else rest
            continue
        if values[name] is not None:  # that nothing is there is not lost by leaving it unsaid
            fell[name] = text
        values = rest
    return values, fell, ""


def _required(kind: Kind, field: Field) -> bool:
    """Whether no entry can be without a field."""
    return field.name in kind.identity or kind.model.model_fields[field.name].is_required()


def _said(kind: Kind, full: Values, dropped: Set[str], unsaid: Set[Path], *, whole: bool = False) -> Values:
    """The values that an entry has to say: not what is unset, nor what the document means where it says nothing, but for `whole`."""
    elsewhere = {field.wire for field in kind.fields}
    values: Values = {}
    for leaf in leaves(kind.fields, full):
        top = kind.field(leaf.path[0])
        if top.name in dropped or leaf.path in unsaid or is_unset(leaf.field, leaf.value) or leaf.value is REDACTED:
            continue
        if len(leaf.path) == 2 and leaf.field is top and (*top.wire, leaf.path[1]) in elsewhere:
            continue  # a key of a mapping that has a field of its own
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
    """The parts of a list without what is unset in them."""
    if not field.fields or not isinstance(value, list):
        return value
    unset = {part.name for part in field.fields if part.nullable and not part.has(Marker.EXPLICIT_NULL)}
    return [
        {name: inner for name, inner in item.items() if inner is not None or name not in unset}
        if isinstance(item, dict)
        else item
        for item in value
    ]


def is_unset(field: Field, value: Any) -> bool:
    """Whether there is nothing to say of a value."""
    if field.has(Marker.EXPLICIT_NULL) and value is None:
        return False
    if value is None or isinstance(value, bool) or value not in field.cleared:
        return value is None
    default = field.server_default  # where it takes another value than none, none is somebody's choice
    return default is None or default.value is None or default.value in field.cleared


def refused(kind: Kind | EntryType, address: Address, values: Mapping[str, Any]) -> tuple[str, str] | None:
    """The first field that the model does not take, and why; `None` where it takes all."""
    typed = map_references(kind.fields, values, lambda _, value: _typed(value))
    for name in _named_after(kind):
        typed.setdefault(name, address.name)
    try:
        kind.model.model_validate(typed)
    except ValidationError as invalid:
        problem = invalid.errors(include_url=False, include_context=False, include_input=False)[0]
        where = [str(step) for step in problem["loc"]]
        return (where[0] if where else ""), problem["msg"].removeprefix("Value error, ")
    return None


def _typed(value: Any) -> Any:
    return (
        {"existing": str(value)}
        if isinstance(value, Ref) and not value.managed
        else str(value)
        if isinstance(value, Ref)
        else value
    )


def _without_one(kind: Kind, address: Address, values: Values) -> str:
    """The one field without which the model takes the others, the last in its order; "" where there is none."""
    for field in reversed(kind.fields):
        if field.name in values and not _required(kind, field):
            rest = {name: value for name, value in values.items() if name != field.name}
            if refused(kind, address, rest) is None:
                return field.name
    return ""


def _refused_keys(kind: Kind, address: Address, values: Values, field: Field) -> dict[str, str]:
    """The keys of a mapping that the model takes in no company, each with why; none where it is not about single ones."""
    mapping = values[field.name]
    if field.fields or not isinstance(mapping, dict):
        return {}
    problems = {key: refused(kind, address, {**values, field.name: {key: mapping[key]}}) for key in mapping}
    return {key: problem[1] for key, problem in problems.items() if problem is not None}


def _withheld(field: Field, value: Any) -> dict[str, str]:
    """What of a mapping is kept from everybody because it may be a secret, where a person might look for it."""
    if field.shown is None or not field.shown.keys or not isinstance(value, dict):
        return {}
    keys = (key for key, item in value.items() if item is REDACTED)
    return {f"{field.name}.{key}": "it may be a secret, and is not read" for key in keys}


def _named_after(kind: Kind | EntryType) -> Iterator[str]:
    for field in kind.fields:
        if field.has(Marker.NAMED) or (field.name == "name" and field.has(Marker.IDENTITY)):
            yield field.name
