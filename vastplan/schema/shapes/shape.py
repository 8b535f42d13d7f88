"""What a shape says of its fields. The defaults are those of one value that is compared and sent as a whole.

A shape is used by a field whose type implies it (see `compile`) or whose `Annotated` holds the shape itself.
What is needed for every object of a large collection is compiled once a field: `reader`, `reference_mapper`, `canonicaliser`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from vastplan.model.value import Secret
from vastplan.schema.markers import Codec, Marker, Refers
from vastplan.schema.rows import ABSENT, Path

if TYPE_CHECKING:
    from vastplan.schema.kind import Field

Read = Callable[[Any], Any]  # a raw value that is not null -> the canonical one
Change = Callable[[Refers, Any], Any]
MapReferences = Callable[[Any, Change], Any]
Canonicalise = Callable[[Any], Any]


class Leaf(NamedTuple):
    """One value of the document that is compared as a whole."""

    path: Path
    field: Field
    value: Any
    immutable: bool


class Encoder(Protocol):
    """What a shape needs of the encoder."""

    def value(self, field: Field, value: Any) -> Any:
        """The wire form of a field's value."""

    def scalar(self, field: Field, value: Any) -> Any:
        """The wire form of a plain value of the field, of a reference or of a secret."""

    def struct(self, fields: tuple[Field, ...], values: dict[str, Any]) -> dict[str, Any]:
        """The wire form of the parts of a field."""

    def key(self, refers: Refers, name: str) -> Any:
        """What is sent for a key that names another object."""


class Typist(Protocol):
    """What a shape needs of what writes a value as a person would."""

    def scalar(self, field: Field, value: Any) -> Any:
        """A plain value of the field, a reference, or where a secret is found."""

    def struct(self, fields: tuple[Field, ...], values: Mapping[str, Any]) -> dict[str, Any]:
        """The parts of a field."""


class Shape:
    """How fields of this shape are walked; each has one module."""

    name = "value"
    detachable = False
    """Whether a reference can be taken out of it: null, or the collection without it, means no reference."""
    unordered = False
    """Whether null and an empty collection mean the same."""
    overlays = False
    """Whether what is on the wire is merged item by item with what was read, when an object is sent whole."""

    def __repr__(self) -> str:
        return self.name

    # compiled once for a field; `None` says that values are taken as they are

    def reader(self, field: Field) -> Read | None:
        """From the wire; what does not have the documented form stays as it came, and so differs."""
        return scalar_reader(field.codec)

    def reference_mapper(self, field: Field) -> MapReferences | None:
        """The value with its references replaced."""
        return None if field.refers is None else reference_mapper(field.refers)

    def canonicaliser(self, field: Field) -> Canonicalise | None:
        """From the document: sets sorted, secrets as `Secret`."""
        return secrets if Marker.SENSITIVE in field.markers else None

    # walked

    def leaves(self, field: Field, value: Any, path: Path, immutable: bool) -> Iterable[Leaf]:
        """The parts that are compared each for itself."""
        return (Leaf(path, field, value, immutable),)

    def equal(self, field: Field, desired: Any, live: Any) -> bool:
        """Whether a leaf that is neither null nor a switch is as desired."""
        return bool(desired == live)

    def digestible(self, field: Field, value: Any) -> Any:
        """What of a leaf its digest is made of."""
        return value

    def encode(self, field: Field, value: Any, encoder: Encoder) -> Any:
        """The wire form of a value that is not null."""
        return encoder.scalar(field, value)

    def typed(self, field: Field, value: Any, typist: Typist) -> Any:
        """A canonical value that is not null, as the document has it."""
        return typist.scalar(field, value)

    def merge(self, field: Field, live: dict[str, Any], desired: Any) -> Any:
        """A desired value over a live one that is an object."""
        return desired

    def changed_part(self, field: Field, value: dict[str, Any], paths: Collection[Path], path: Path) -> Any:
        """The part of an object whose leaves are in `paths`; empty when none is."""
        return {}

    def only_named(self, members: Any, named: Any) -> Any:
        """What is sent of merged members where the rest of the list goes back as it was read."""
        return members

    def overlay(self, field: Field, below: Any, above: Any) -> Any:
        """What is sent over what was read; asked only where the shape `overlays`."""
        return above

    def parts(self, value: Any) -> Iterable[dict[str, Any]]:
        """The structs in a value: what the field's own fields are of."""
        return ()

    def without(self, value: Any, gone: Collection[str]) -> Any:
        """A live value without the raw references in `gone`; asked only where the shape is `detachable`."""
        return None

    def wire(self, field: Field, steps: Path) -> Path:
        """Where the part at `steps` of the field is on the wire."""
        return field.wire

    def redacted(self, field: Field, value: Any, path: Path, owned: Collection[str]) -> tuple[Any, list[Path]]:
        """What of a live value may be kept, or `ABSENT`, and the paths that are withheld.

        An object of any form, which we did not set, is withheld: nobody knows what is in it.
        """
        return (ABSENT, [path]) if isinstance(value, dict) else (value, [])


_MALFORMED = (ValueError, TypeError, KeyError, AttributeError)


def scalar_reader(codec: Codec | None) -> Read | None:
    """Through the codec; what is not in the form that is documented stays as it is, and so is a difference."""
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
    """One reference, or a list of them."""

    def mapped(value: Any, change: Change) -> Any:
        return [change(refers, item) for item in value] if isinstance(value, list) else change(refers, value)

    return mapped


def secrets(value: Any) -> Any:
    """Sources of secrets as `Secret`, all the way down."""
    if isinstance(value, dict):
        if set(value) == {"env"} or set(value) == {"file"}:
            ((source, place),) = value.items()
            return Secret((source, place))
        return {key: secrets(item) for key, item in value.items()}
    return value
