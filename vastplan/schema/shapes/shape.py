"""The base class of shapes. Its methods are those of a single value that is compared and sent as a whole.

A field has the shape that its type implies (see `compile`), or the shape in its `Annotated`.
What runs for every object of a large collection is compiled once per field: `reader`, `reference_mapper`, `canonicaliser`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from vastplan.model.value import Secret
from vastplan.schema.markers import Codec, Marker, Refers
from vastplan.schema.rows import ABSENT, Path

if TYPE_CHECKING:
    from vastplan.schema.field import Field

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


class Encoder(Protocol):
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
        """Makes a value from the document canonical: sets sorted, secrets as `Secret`."""
        return secrets if Marker.SENSITIVE in field.markers else None

    # called for each value

    def leaves(self, field: Field, value: Any, path: Path, immutable: bool) -> Iterable[Leaf]:
        """The parts that are compared separately."""
        return (Leaf(path, field, value, immutable),)

    def equal(self, field: Field, desired: Any, live: Any) -> bool:
        """Whether a leaf that is neither null nor a boolean has the desired value."""
        return bool(desired == live)

    def digestible(self, field: Field, value: Any) -> Any:
        """The part of a leaf's value that its digest is computed from."""
        return value

    def encode(self, field: Field, value: Any, encoder: Encoder) -> Any:
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
    """The value with sources of secrets (`{env: NAME}`, `{file: PATH}`) as `Secret`, in mappings at all levels."""
    if isinstance(value, dict):
        if set(value) == {"env"} or set(value) == {"file"}:
            ((source, place),) = value.items()
            return Secret((source, place))
        return {key: secrets(item) for key, item in value.items()}
    return value
