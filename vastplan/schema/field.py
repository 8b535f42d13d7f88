"""A field of a kind: its name in the document, its place on the wire, and what its markers say."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from vastplan.schema.markers import (
    Admits,
    Codec,
    Deletes,
    Exclusive,
    InsteadOf,
    Limits,
    MadeWith,
    Marker,
    Opens,
    Refers,
    RequiredFrom,
    Revokes,
    ServerDefault,
    Shorthand,
    Shown,
    Since,
    Theirs,
    Typed,
    Until,
)
from vastplan.schema.rows import ABSENT
from vastplan.schema.shapes.shape import Shape
from vastplan.schema.shapes.value import VALUE
from vastplan.schema.walk import table


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
    unit: str = ""
    typed: Typed | None = None
    shorthand: Shorthand | None = None
    default: Any = ABSENT  # its value where the document leaves it out; `ABSENT` for none
    admits: Admits | None = None
    opens: Opens | None = None
    revokes: Revokes | None = None
    deletes: Deletes | None = None
    made_with: MadeWith | None = None
    limits: Limits | None = None
    exclusive: Exclusive | None = None
    instead_of: InsteadOf | None = None
    shown: Shown | None = None  # of a mapping: keys whose values hold no secret, whoever set them
    theirs: Theirs | None = None  # of a mapping: each key belongs to whoever wrote it
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
        parts = table(self.fields)
        unshown = Marker.WRITE_ONLY in self.markers
        secret = Marker.SENSITIVE in self.markers or any(part.secret for part in parts)
        _set(self, "fields", parts)
        _set(self, "has_references", self.refers is not None or any(part.has_references for part in parts))
        _set(self, "secret", secret)
        _set(self, "undisclosed", secret or unshown or any(part.undisclosed for part in parts))
        by_version = bool(self.versions) or self.required_from is not None
        _set(self, "versioned", by_version or any(part.versioned for part in parts))
        _set(self, "readable", not unshown and Marker.DOCUMENT not in self.markers)

    @property
    def read_at(self) -> tuple[str, ...]:
        """The field's place in an answer."""
        return self.shown_at or self.wire

    def has(self, marker: Marker) -> bool:
        """Whether the field carries the marker."""
        return marker in self.markers


_set = object.__setattr__
