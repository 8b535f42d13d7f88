"""A field's markers as sentences. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from vastplan.model import units
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind
from vastplan.schema.markers import Marker, RequiredFrom, Since, Until
from vastplan.schema.versions import NAMES

_MARKS = {
    Marker.GROW_ONLY: "It only grows: a smaller value is refused.",
    Marker.ONE_WAY: "Once on, it cannot be switched off.",
    Marker.CREATE_ONLY: "It has an effect only when the object is created, and is not compared after that.",
    Marker.WRITE_ONLY: "The system does not show it: it is compared with what was last applied.",
    Marker.SENSITIVE: "It is secret: no plan, report or ledger shows it.",
    Marker.SET: "Order and repetition mean nothing.",
    Marker.DOCUMENT: "Only vastplan uses it: it is not sent to a system.",
}


def field_facts(field: Field, kind: Kind | None) -> tuple[str, ...]:
    """The sentences about a field of a kind or composite entry, beside its type and its meaning."""
    return tuple(_facts(field, kind))


def vendor_name(field: Field, kind: Kind | None, above: tuple[str, ...]) -> str:
    """The field's path in the API of its system, such as `spec.storageClassName`; "" if the API does not have it."""
    if kind is None or field.has(Marker.DOCUMENT):
        return ""
    return ".".join((*above, *field.wire))


def _facts(field: Field, kind: Kind | None) -> Iterator[str]:
    if field.required:
        yield "Required."
    if field.has(Marker.IMMUTABLE) and not field.has(Marker.CREATE_ONLY):
        yield _on_change(field, kind)
    yield from (
        text for marker, text in _MARKS.items() if field.has(marker) and (kind or marker is not Marker.DOCUMENT)
    )
    if field.nullable and not field.shape.unordered:
        yield "`null` is a value of its own." if field.has(Marker.EXPLICIT_NULL) else _cleared(field)
    yield from dict.fromkeys(_version(one) for one in field.versions)
    if field.required_from is not None:
        yield _required(field.required_from)


def _on_change(field: Field, kind: Kind | None) -> str:
    if kind is not None and kind.once is not None:
        return f"It cannot be changed: {kind.once.another}."
    if field.has(Marker.CREATED_WITH):
        return "It cannot be changed once the object exists."
    return "A change replaces the object: it is deleted and created again."


def _cleared(field: Field) -> str:
    if field.clears is None:
        return "`null` clears it."
    shown = (
        units.show_amount(field.clears, field.unit)
        if field.unit and isinstance(field.clears, int)
        else repr(field.clears)
    )
    return f"`null` clears it (it is sent as `{shown}`)."


def _version(one: Since | Until) -> str:
    word, when = "since" if isinstance(one, Since) else "until", f"{NAMES[one.product]} {one.version}"
    values = ", ".join(f"`{value}`" for value in one.values)
    where = f" where `{one.when[0]}` is `{one.when[1]}`" if one.when else ""
    of = f"{values}{f' of its `{one.inside}`' if one.inside else ''}" if values else one.subject
    return f"{of[:1].upper()}{of[1:]}{where}: {word} {when}." if of or where else f"{word.capitalize()} {when}."


def _required(one: RequiredFrom) -> str:
    until = f" until {one.until}" if one.until else ""
    return f"Required since {NAMES[one.product]} {one.version}{until}."
