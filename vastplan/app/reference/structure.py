"""A field and a section of the document, as the reference describes them. Values only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field

from vastplan.model.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class DocumentField:
    """One field. `path` has the names from below the section on, without the keys that the writer of a document chooses.

    `type` says what to write, `meaning` what it means, `left_out` what is in force if it is left out, `facts` are further sentences,
    and `vendor` is its name in the API of its system, "" if it has none. `fields` are the fields inside it.
    """

    path: tuple[str, ...]
    type: str
    meaning: str
    left_out: str = ""
    facts: tuple[str, ...] = ()
    vendor: str = ""
    fields: tuple[DocumentField, ...] = ()

    @property
    def name(self) -> str:
        """The field's own name."""
        return self.path[-1]

    def walk(self) -> Iterator[DocumentField]:
        """The field and all fields inside it, each before its inner ones."""
        yield self
        for inner in self.fields:
            yield from inner.walk()


@dataclass(frozen=True, slots=True)
class DocumentSection:
    """A top-level key of the document, and what is written below it. `example` is YAML, "" if there is none.

    `within` maps the keys that an entry may have to the sections whose entries go there (`quotas`, or `quota` for the only one).
    """

    name: str
    type: str
    meaning: str
    facts: tuple[str, ...] = ()
    fields: tuple[DocumentField, ...] = ()
    example: str = ""
    within: Mapping[str, str] = field(default_factory=dict)

    def walk(self) -> Iterator[DocumentField]:
        """All fields, each before its inner ones."""
        for inner in self.fields:
            yield from inner.walk()
