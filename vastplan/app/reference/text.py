"""The reference as text for a terminal, for `vastplan explain`. Pure."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping

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
