"""A field of a kind: its name in the document, its place on the wire, what its markers say, and its shape.

The methods of `Shape`, the base class of shapes, are those of a single value that is compared and sent as a whole; each other
shape has a module in `shapes/`. A field has the shape that its type implies (see `compile`), or the shape in its `Annotated`.
What runs for every object of a large collection is compiled once per field: `reader`, `reference_mapper`, `canonicaliser`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import field
from typing import Any, NamedTuple, Protocol

from vastplan.model.dataclass import dataclass
from vastplan.model.site_ledger import path_text
from vastplan.model.value import SecretSource
from vastplan.schema.markers import (
    Admits,
    Codec,
    CreatedWith,
    Deletes,
    Exclusive,
    FixedWhile,
    FollowsFrom,
    Grows,
    InsteadOf,
    KeysOfOthers,
    Limits,
    Marker,
    Meaning,
    Opens,
    Reduces,
    Refers,
    RequiredFrom,
    Revokes,
    ServerDefault,
    Shorthand,
    Shown,
    Since,
    Typed,
    Until,
)
from vastplan.schema.rows import ABSENT, Path

Read = Callable[[Any], Any]  # a raw value that is not null -> the canonical one
Change = Callable[[Refers, Any], Any]
MapReferences = Callable[[Any, Change], Any]
Canonicalise = Callable[[Any], Any]


class Leaf(NamedTuple):
    """A value of the document that is compared as a whole, with its path and field."""

    path: Path
    field: Field
    value: Any
    immutable: bool


class ShapeEncoder(Protocol):
    """The part of the encoder that shapes use."""

    def value(self, field: Field, value: Any) -> Any:
        """The wire form of a field's value."""

    def scalar(self, field: Field, value: Any) -> Any:
        """The wire form of a plain value of the field, of a reference or of a secret."""

    def struct(self, fields: tuple[Field, ...], values: dict[str, Any]) -> dict[str, Any]:
        """The wire form of a struct's fields."""

    def key(self, refers: Refers, name: str) -> Any:
        """The value to send for a key that names another object."""


class Typist(Protocol):
    """What shapes use to write values as a person would."""

    def scalar(self, field: Field, value: Any) -> Any:
        """A plain value of the field, a reference, or the source of a secret, as a document has it."""

    def struct(self, fields: tuple[Field, ...], values: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a struct, as a document has them."""


class Shape:
    """How fields of this shape are compared, written, read and merged; each shape has a module of its own."""

    name = "value"
    detachable = False
    """Whether a reference can be removed from the field: null, or the collection without it, means no reference."""
    unordered = False
    """Whether null and an empty collection mean the same."""
    overlays = False
    """Whether, in an update that sends an object whole, the field is merged item by item with what was read."""

    def __repr__(self) -> str:
        return self.name

    # compiled once per field; `None` says that values are taken as they are

    def reader(self, field: Field) -> Read | None:
        """Reads a value from the wire; a value without the documented form stays as it is, and so differs."""
        return scalar_reader(field.codec)

    def reference_mapper(self, field: Field) -> MapReferences | None:
        """Replaces the references in a value."""
        return None if field.refers is None else reference_mapper(field.refers)

    def canonicaliser(self, field: Field) -> Canonicalise | None:
        """Makes a value from the document canonical: sets sorted, secrets as `SecretSource`."""
        return secrets if Marker.SENSITIVE in field.markers else None

    # called for each value

    def leaves(self, field: Field, value: Any, path: Path, immutable: bool) -> Iterable[Leaf]:
        """The parts that are compared separately."""
        return (Leaf(path, field, value, immutable),)

    def equal(self, field: Field, desired: Any, live: Any) -> bool:
        """Whether a leaf that is neither null nor a boolean has the desired value."""
        return bool(desired == live) or (field.meaning is not None and field.meant(desired) == field.meant(live))

    def digestible(self, field: Field, value: Any) -> Any:
        """The part of a leaf's value that its digest is computed from: the same for all values that are equal."""
        return field.meant(value)

    def encode(self, field: Field, value: Any, encoder: ShapeEncoder) -> Any:
        """The wire form of a value that is not null."""
        return encoder.scalar(field, value)

    def typed(self, field: Field, value: Any, typist: Typist) -> Any:
        """A canonical value that is not null, as a person writes it in a document."""
        return typist.scalar(field, value)

    def merge(self, field: Field, live: dict[str, Any], desired: Any) -> Any:
        """A desired value merged over a live one that is an object."""
        return desired

    def changed_part(self, field: Field, value: dict[str, Any], paths: Collection[Path], path: Path) -> Any:
        """The part of an object whose leaves are in `paths`; empty when none is."""
        return {}

    def only_named(self, members: Any, named: Any) -> Any:
        """The merged members to send where the rest of the list is sent back as it was read: those in `named`."""
        return members

    def overlay(self, field: Field, below: Any, above: Any) -> Any:
        """What is sent (`above`) over what was read (`below`); called only where the shape `overlays`."""
        return above

    def parts(self, value: Any) -> Iterable[dict[str, Any]]:
        """The structs in a value: those that the field's inner fields describe."""
        return ()

    def without(self, value: Any, gone: Collection[str]) -> Any:
        """A live value without the raw references in `gone`; called only where the shape is `detachable`."""
        return None

    def wire(self, field: Field, steps: Path) -> Path:
        """The place on the wire of the field's part at `steps`."""
        return field.wire

    def redacted(self, field: Field, value: Any, path: Path, owned: Collection[str]) -> tuple[Any, list[Path]]:
        """The part of a live value that may be stored, or `ABSENT`, and the paths that are withheld.

        A free-form object is withheld: nothing is known about what it holds.
        """
        return (ABSENT, [path]) if isinstance(value, dict) else (value, [])


_MALFORMED = (ValueError, TypeError, KeyError, AttributeError)


def scalar_reader(codec: Codec | None) -> Read | None:
    """Reads through the codec; a value without the documented form stays as it is, and so differs."""
    if codec is None:
        return None
    read = codec.read

    def decoded(raw: Any) -> Any:
        if raw is None:
            return None
        try:
            return read(raw)
        except _MALFORMED:
            return raw

    return decoded


def reference_mapper(refers: Refers) -> MapReferences:
    """Replaces one reference, or each in a list."""

    def mapped(value: Any, change: Change) -> Any:
        return [change(refers, item) for item in value] if isinstance(value, list) else change(refers, value)

    return mapped


def secrets(value: Any) -> Any:
    """The value with sources of secrets (`{env: NAME}`, `{file: PATH}`) as `SecretSource`, in mappings at all levels."""
    if isinstance(value, dict):
        if set(value) == {"env"} or set(value) == {"file"}:
            ((source, place),) = value.items()
            return SecretSource((source, place))
        return {key: secrets(item) for key, item in value.items()}
    return value


class Value(Shape):
    """A scalar, a reference, or an object of any form."""

    name = "value"
    detachable = True

    def redacted(self, field: Field, value: Any, path: Path, owned: Collection[str]) -> tuple[Any, list[Path]]:
        """Keeps a value that is not an object, or that vastplan set."""
        return (value, []) if path_text(path) in owned else super().redacted(field, value, path, owned)


VALUE = Value()


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a kind: its name in the document, its place on the wire, and the facts from its markers."""

    name: str
    wire: tuple[str, ...]
    shown_at: tuple[str, ...] = ()  # its place in answers, if that is not `wire`
    shape: Shape = VALUE
    fields: tuple[Field, ...] = ()
    markers: frozenset[Marker] = frozenset()
    refers: Refers | None = None
    key: tuple[str, ...] = ()
    key_writes: tuple[str, ...] = ()
    key_refers: Refers | None = None
    codec: Codec | None = None
    meaning: Meaning | None = None
    unit: str = ""
    typed: Typed | None = None
    shorthand: Shorthand | None = None
    default: Any = ABSENT  # its value where the document leaves it out; `ABSENT` for none
    admits: Admits | None = None
    opens: Opens | None = None
    revokes: Revokes | None = None
    deletes: Deletes | None = None
    reduces: Reduces | None = None
    created_with: CreatedWith | None = None
    limits: Limits | None = None
    grows: Grows | None = None
    fixed_while: FixedWhile | None = None
    exclusive: Exclusive | None = None
    instead_of: InsteadOf | None = None
    shown: Shown | None = None  # of a mapping: keys whose values hold no secret, whoever set them
    keys_of_others: KeysOfOthers | None = None  # of a mapping: each key belongs to whoever wrote it
    follows: FollowsFrom | None = None  # what a person writes elsewhere in the document for another value
    clears: Any = None
    cleared: tuple[Any, ...] = (None, "", [], {})
    nullable: bool = False
    versions: tuple[Since | Until, ...] = ()
    required_from: RequiredFrom | None = None
    server_default: ServerDefault | None = None
    required: bool = False  # an object, or the struct that contains it, needs it
    has_references: bool = field(init=False, compare=False, default=False)  # it, or a part of it, holds references
    secret: bool = field(init=False, compare=False, default=False)  # it, or a part of it, may be a secret
    undisclosed: bool = field(init=False, compare=False, default=False)  # it, or a part of it, is secret or never shown
    versioned: bool = field(
        init=False, compare=False, default=False
    )  # not every version has it, or has all of its parts
    readable: bool = field(init=False, compare=False, default=True)  # the system shows it

    def __post_init__(self) -> None:
        unshown = Marker.WRITE_ONLY in self.markers
        secret = Marker.SENSITIVE in self.markers or any(part.secret for part in self.fields)
        _set(self, "has_references", self.refers is not None or any(part.has_references for part in self.fields))
        _set(self, "secret", secret)
        _set(self, "undisclosed", secret or unshown or any(part.undisclosed for part in self.fields))
        by_version = bool(self.versions) or self.required_from is not None
        _set(self, "versioned", by_version or any(part.versioned for part in self.fields))
        _set(self, "readable", not unshown and Marker.DOCUMENT not in self.markers)

    @property
    def read_at(self) -> tuple[str, ...]:
        """The field's place in an answer."""
        return self.shown_at or self.wire

    def meant(self, value: Any) -> Any:
        """The same value for all texts that mean the same here."""
        return self.meaning.of(value) if self.meaning is not None and isinstance(value, str) else value

    def has(self, marker: Marker) -> bool:
        """Whether the field carries the marker."""
        return marker in self.markers


_set = object.__setattr__
