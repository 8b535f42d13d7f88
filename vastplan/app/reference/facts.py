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
    yield from dict.fromkeys(_version(bound) for bound in field.versions)
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
    amount = (
        units.show_amount(field.clears, field.unit)
        if field.unit and isinstance(field.clears, int)
        else repr(field.clears)
    )
    return f"`null` clears it (it is sent as `{amount}`)."


def _version(bound: Since | Until) -> str:
    word, release = "since" if isinstance(bound, Since) else "until", f"{NAMES[bound.product]} {bound.version}"
    values = ", ".join(f"`{value}`" for value in bound.values)
    where = f" where `{bound.when[0]}` is `{bound.when[1]}`" if bound.when else ""
    of = f"{values}{f' of its `{bound.inside}`' if bound.inside else ''}" if values else bound.subject
    return f"{of[:1].upper()}{of[1:]}{where}: {word} {release}." if of or where else f"{word.capitalize()} {release}."


def _required(bound: RequiredFrom) -> str:
    until = f" until {bound.until}" if bound.until else ""
    return f"Required since {NAMES[bound.product]} {bound.version}{until}."
