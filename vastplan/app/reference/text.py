"""The reference as text for a terminal, for `vastplan explain`. Pure."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from vastplan.app.reference.example import snippet
from vastplan.app.reference.structure import DocumentField, DocumentSection

_INDENT = "  "


def all_sections(sections: Mapping[str, DocumentSection], width: int) -> str:
    """All sections, one line each."""
    return "\n".join(
        [
            "A document may have these keys:",
            "",
            *_listed(((section.name, section.meaning) for section in sections.values()), width),
        ]
    )


def of_section(section: DocumentSection, width: int, *, recursive: bool) -> str:
    """One section: its description, its fields, and its example."""
    lines = [section.name, "", *_wrapped((section.meaning, f"Write {section.type}.", *section.facts), width)]
    return "\n".join([*lines, *_below(section.fields, width, recursive), *_example(section.example)])


def of_field(section: DocumentSection, described: DocumentField, width: int, *, recursive: bool) -> str:
    """One field: its description, its fields, and the part of the example that shows it."""
    vendor = f"Its name in the API: `{described.vendor}`." if described.vendor else ""
    sentences = (described.meaning, f"Write {described.type}.", described.left_out, *described.facts, vendor)
    lines = [".".join((section.name, *described.path)), "", *_wrapped(sentences, width)]
    example = snippet(section.example, section.name, described.path)
    return "\n".join([*lines, *_below(described.fields, width, recursive), *_example(example)])


def having(word: str, sections: Iterable[DocumentSection], width: int) -> str:
    """The sections and fields that have the word in their name or description, each with its path; "" if there are none."""
    places = [place for section in sections for place in _places(section)]
    needle = word.lower()
    named = [place for place in places if needle in place.name.lower()]
    described = [place for place in places if needle in place.meaning.lower() and place not in named]
    if not named and not described:
        return ""
    lines = [f"Sections and fields with {word} in their name or description:"]
    for place in (*sorted(named, key=lambda place: "." in place.path), *described):
        lines += ["", f"{_INDENT}{place.path}"]
        lines += textwrap.wrap(place.meaning, width, initial_indent=_INDENT * 2, subsequent_indent=_INDENT * 2)
    return "\n".join(lines)


class _Place(NamedTuple):
    """A section or a field; `path` is what `explain` takes."""

    name: str
    path: str
    meaning: str


def _places(section: DocumentSection) -> Iterator[_Place]:
    """The section and all its fields."""
    yield _Place(section.name, section.name, section.meaning)
    for field in section.walk():
        yield _Place(field.name, ".".join((section.name, *field.path)), field.meaning)


def _wrapped(sentences: Iterable[str], width: int) -> Iterator[str]:
    for sentence in filter(None, sentences):
        yield from textwrap.wrap(sentence, width, initial_indent=_INDENT, subsequent_indent=_INDENT)


def _below(fields: Iterable[DocumentField], width: int, recursive: bool) -> Iterator[str]:
    rows = [(field.name, field.meaning or field.type) for field in fields]
    if not rows:
        return
    yield from ("", "Fields:")
    yield from _tree(fields, _INDENT) if recursive else _listed(rows, width)


def _tree(fields: Iterable[DocumentField], indent: str) -> Iterator[str]:
    for field in fields:
        yield f"{indent}{field.name}"
        yield from _tree(field.fields, indent + _INDENT)


def _listed(rows: Iterable[tuple[str, str]], width: int) -> Iterator[str]:
    """One line each. A longer description is cut and ends in an ellipsis; `explain` of the field shows all of it."""
    rows = list(rows)
    broad = max(len(name) for name, _ in rows) + 2
    for name, description in rows:
        room = max(width - broad - len(_INDENT), 20)
        yield f"{_INDENT}{name:<{broad}}{description if len(description) <= room else description[: room - 1].rstrip() + '…'}".rstrip()


def _example(example: str) -> Iterator[str]:
    if example:
        yield from ("", "Example:", textwrap.indent(example.rstrip("\n"), _INDENT))
