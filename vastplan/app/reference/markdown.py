"""The reference as Markdown pages, one for each section, readable on a code host and in the built site. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vastplan.app.reference.structure import DocumentSection

_MADE = "<!-- Generated from the models by `make reference`. Changes by hand are lost. -->"


def index(known: Mapping[str, DocumentSection]) -> str:
    """The page that lists all others."""
    rows = [f"| [`{one.name}`]({one.name}.md) | {_cell(one.says)} |" for one in known.values()]
    return "\n".join(
        [
            _MADE, "", "# Reference", "",
            "The keys of the document, a page for each. At a terminal `vastplan explain quotas.hard_limit` shows the same.", "",
            "| key | meaning |", "|---|---|", *rows, "",
        ]
    )  # fmt: skip


def section_page(section: DocumentSection) -> str:
    """The page of a section."""
    head = [_MADE, "", f"# `{section.name}`", "", section.says, "", f"Write {section.type}.", ""]
    facts = [f"- {fact}" for fact in section.facts]
    example = ["## Example", "", "```yaml", section.example.rstrip("\n"), "```", ""] if section.example else []
    fields = ["## Fields", "", *_fields(section)] if section.fields else []
    return "\n".join([*head, *facts, *([""] if facts else []), *example, *fields]).rstrip("\n") + "\n"


def _fields(section: DocumentSection) -> Iterator[str]:
    for one in section.walk():
        yield f"### `{'.'.join(one.path)}`"
        yield ""
        if one.says:
            yield from (one.says, "")
        yield f"- {_sentence(one.type)}"
        yield from (f"- {fact}" for fact in (one.left_out, *one.facts) if fact)
        if one.vendor:
            yield f"- In the API: `{one.vendor}`."
        yield ""


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def pages(known: Mapping[str, DocumentSection]) -> dict[str, str]:
    """All pages, by the names of their files."""
    return {"README.md": index(known), **{f"{name}.md": section_page(one) for name, one in known.items()}}
