"""The reference as Markdown pages, one for each section, readable on a code host and in the built site. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vastplan.app.reference.structure import DocumentSection

_MADE = "<!-- Generated from the models by `make reference`. Changes by hand are lost. -->"


def index(sections: Mapping[str, DocumentSection]) -> str:
    """The page that lists all others."""
    rows = [f"| [`{section.name}`]({section.name}.md) | {_cell(section.meaning)} |" for section in sections.values()]
    return "\n".join(
        [
            _MADE, "", "# Reference", "",
            "The keys of the document, a page for each. At a terminal `vastplan explain quotas.hard_limit` shows the same.", "",
            "| key | meaning |", "|---|---|", *rows, "",
        ]
    )  # fmt: skip


def section_page(section: DocumentSection) -> str:
    """The page of a section."""
    head = [_MADE, "", f"# `{section.name}`", "", section.meaning, "", f"Write {section.type}.", ""]
    facts = [f"- {fact}" for fact in section.facts]
    example = ["## Example", "", "```yaml", section.example.rstrip("\n"), "```", ""] if section.example else []
    fields = ["## Fields", "", *_fields(section)] if section.fields else []
    return "\n".join([*head, *facts, *([""] if facts else []), *example, *fields]).rstrip("\n") + "\n"


def _fields(section: DocumentSection) -> Iterator[str]:
    for field in section.walk():
        yield f"### `{'.'.join(field.path)}`"
        yield ""
        if field.meaning:
            yield from (field.meaning, "")
        yield f"- {_sentence(field.type)}"
        yield from (f"- {fact}" for fact in (field.left_out, *field.facts) if fact)
        if field.vendor:
            yield f"- In the API: `{field.vendor}`."
        yield ""


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def pages(sections: Mapping[str, DocumentSection]) -> dict[str, str]:
    """All pages, by the names of their files."""
    return {"README.md": index(sections), **{f"{name}.md": section_page(section) for name, section in sections.items()}}
