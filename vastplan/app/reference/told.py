"""A field and a section of the document, as a reference tells them. Values only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Told:
    """One field. `path` is its names from the section on, without the keys that the writer of a document chooses.

    `type` says what to write, `says` what it means, `left_out` what holds where nobody writes it, `facts` what else is known of it,
    a sentence each, and `vendor` its name in the API of its system, "" where it has none. `fields` are those of what stands in it.
    """

    path: tuple[str, ...]
    type: str
    says: str
    left_out: str = ""
    facts: tuple[str, ...] = ()
    vendor: str = ""
    fields: tuple[Told, ...] = ()

    @property
    def name(self) -> str:
        """Its own name."""
        return self.path[-1]

    def walk(self) -> Iterator[Told]:
        """It and all below it, from the top."""
        yield self
        for one in self.fields:
            yield from one.walk()


@dataclass(frozen=True, slots=True)
class Section:
    """A key of the document: what is written below it. `example` is YAML, "" where there is none.

    `within` are the sections whose entries may stand in one of its own, by the keys there (`quotas`, or `quota` for the only one).
    """

    name: str
    type: str
    says: str
    facts: tuple[str, ...] = ()
    fields: tuple[Told, ...] = ()
    example: str = ""
    within: Mapping[str, str] = field(default_factory=dict)

    def walk(self) -> Iterator[Told]:
        """All fields, each before those in it."""
        for one in self.fields:
            yield from one.walk()
