"""The stage that turns placed entries into text. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from vastplan.document.emit import EntryId, EntryText, FileText, Path, emit
from vastplan.importing.place import File, Placed
from vastplan.model.dataclass import dataclass
from vastplan.schema.entries import EntryType

Comment = Callable[[Placed], Sequence[str]]
"""Returns the comment lines above an entry: what its text does not show."""


@dataclass(frozen=True, slots=True)
class Text:
    """A file, and the entry at each of its places."""

    name: str
    written: FileText
    entries: Mapping[EntryId, Placed]


def texts(
    files: Sequence[File],
    types: Sequence[EntryType],
    schema: str,
    comment: Comment,
    defaults: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
) -> list[Text]:
    """The files as text; the `defaults` of sections are in the first."""
    made = []
    for place, file in enumerate(files):
        entries = [_text(entry, comment) for entry in file.entries]
        entries += [EntryText("defaults", section, values) for section, values in defaults.items() if not place]
        made.append(Text(file.name, emit(entries, types, schema), dict(_places(file.entries))))
    return made


def _text(entry: Placed, comment: Comment) -> EntryText:
    values: dict[str, Any] = dict(entry.values)
    comments: dict[Path, Sequence[str]] = {(): comment(entry)}
    for part, path in _inside(entry):
        holder = values
        for step in path[:-1]:
            holder = holder.setdefault(step, {})
        holder[path[-1]] = part.values
        comments[path] = comment(part)
    return EntryText(entry.type.section, entry.key, values, {path: lines for path, lines in comments.items() if lines})


def _inside(entry: Placed) -> Iterator[tuple[Placed, Path]]:
    """The entries inside an entry, each with its path: its type if it is the only one of that type and has the key of the outer entry."""
    by_section: dict[str, list[Placed]] = {}
    for part in entry.parts:
        by_section.setdefault(part.type.section, []).append(part)
    for section, parts in by_section.items():
        for part in parts:
            alone = len(parts) == 1 and part.key == entry.key
            yield part, (part.type.name,) if alone else (section, part.key)


def _places(entries: Sequence[Placed]) -> Iterator[tuple[EntryId, Placed]]:
    for entry in entries:
        yield EntryId(entry.type.section, entry.key), entry
        for part in entry.parts:
            yield EntryId(part.type.section, part.key, entry.key), part
