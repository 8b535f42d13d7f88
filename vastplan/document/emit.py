"""Writes entries as the text of a file, as a person would.

A value that fits is on one line, else its parts are on lines of their own. No two entries share a line, so that each has a line
that messages can name. The only entry of a section is on the section's line if it fits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from textwrap import wrap
from typing import Any, NamedTuple

from vastplan.document.scalars import flow, flow_within, key_text
from vastplan.model.dataclass import dataclass
from vastplan.model.escaping import inert
from vastplan.model.natural_order import natural
from vastplan.schema.entries import EntryType

WIDTH = 118
_STEP = "  "
_NARROWEST = 40  # of a comment, however far it is indented

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EntryText:
    """An entry to write: its values in the form that a person would type, in order.

    Values are text, numbers, true and false, `None`, lists, and mappings with text keys. A tenant's values include the entries
    inside it: under a section a mapping from names to values, under the name of a type the values of one entry.
    `comments` are by the path of what they are above: `()` is the entry, `("views", "home")` an entry inside it.
    """

    section: str
    key: str
    values: Mapping[str, Any]
    comments: Mapping[Path, Sequence[str]] = field(default_factory=dict)


class EntryId(NamedTuple):
    """Identifies an entry: its section, its name, and the entry that contains it (a tenant)."""

    section: str
    key: str
    inside: str = ""


class Lines(NamedTuple):
    """The first and last line of an entry, from 1, without the comments above it."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class FileText:
    """The text of a file, and the lines of each entry; those of an entry inside another are among the outer one's lines."""

    text: str
    lines: Mapping[EntryId, Lines]

    def by_line(self) -> dict[int, EntryId]:
        """The innermost entry of each line that belongs to one: the entry of a finding at that line."""
        places = sorted(self.lines.items(), key=lambda item: item[1].last - item[1].first, reverse=True)
        return {line: place for place, (first, last) in places for line in range(first, last + 1)}


def emit(entries: Iterable[EntryText], types: Sequence[EntryType], schema: str = "") -> FileText:
    """The text of a file with these entries: sections in the order of `types`, their entries in natural order of names.

    `types` determine which entries may be inside others; `schema` is the path of the schema for editors. Reading the text gives the
    same values. Raises `Unwritable` for a value that no document can hold, and `ValueError` for an entry that is given twice or a
    comment on a path that does not exist.
    """
    writer = _Writer(types)
    if schema:
        writer.lines.append(f"# yaml-language-server: $schema={inert(schema, None)}")
    by_section: dict[str, dict[str, EntryText]] = {}
    for entry in entries:
        section = by_section.setdefault(entry.section, {})
        if entry.key in section:
            raise ValueError(f"{entry.section}.{entry.key} is given twice")
        section[entry.key] = entry
    order = {type_.section: place for place, type_ in enumerate(types)}
    for name in sorted(by_section, key=lambda name: (order.get(name, len(order)), natural(name))):
        writer.section(
            "", name, [_Node(entry.key, entry.values, _Comments(entry)) for entry in by_section[name].values()]
        )
    return FileText("".join(f"{line}\n" for line in writer.lines), writer.places)


class _Comments:
    """The comments of an entry by path; each is used once, and `inside` are the paths that must not be written on one line."""

    def __init__(self, entry: EntryText) -> None:
        self.by_path = {path: lines for path, lines in entry.comments.items() if lines}
        self.inside = {path[:length] for path in self.by_path for length in range(len(path))}
        self._where = f"{entry.section}.{entry.key}"

    def take(self, path: Path) -> Sequence[str]:
        return self.by_path.pop(path, ()) if self.by_path else ()

    def check_all_used(self) -> None:
        if self.by_path:
            raise ValueError(f"{self._where}: a comment on {'.'.join(next(iter(self.by_path)))}, which does not exist")


class _Node(NamedTuple):
    """A key with its value; `path` is its path within the entry that `comments` belong to."""

    key: str
    value: Any
    comments: _Comments
    path: Path = ()

    @property
    def one_line(self) -> bool:
        """Whether the value has no comments inside, so that it may be on one line."""
        return self.path not in self.comments.inside

    def child(self, key: str, value: Any) -> _Node:
        return _Node(key, value, self.comments, (*self.path, key))


class _Writer:
    def __init__(self, types: Sequence[EntryType]) -> None:
        self.lines: list[str] = []
        self.places: dict[EntryId, Lines] = {}
        self._held = {type_.section: _held(type_, types) for type_ in types if type_.contains}

    def section(self, margin: str, name: str, nodes: list[_Node], inside: str = "") -> None:
        """Writes a section with its entries; inside another entry the section is one of its keys."""
        nodes.sort(key=lambda node: natural(node.key))
        if len(nodes) == 1 and self._section_on_a_line(margin, name, nodes[0], inside):
            return
        self.lines.append(f"{margin}{key_text(name)}:")
        for node in nodes:
            self._entry(margin + _STEP, node, name, node.key, inside)

    def _section_on_a_line(self, margin: str, name: str, node: _Node, inside: str) -> bool:
        commented = node.path in node.comments.by_path or not node.one_line
        if commented or self._holds(name, node.value):
            return False
        head = f"{margin}{key_text(name)}: "
        written = flow_within({node.key: node.value}, WIDTH - len(head))
        if written is None:
            return False
        self.lines.append(head + written)
        self._stands(EntryId(name, node.key, inside), len(self.lines))
        return True

    def _entry(self, margin: str, node: _Node, section: str, called: str, inside: str) -> None:
        """Writes one entry; `called` is its name: that of its container where its key is the name of its type."""
        self._comment(margin, node)
        first_line = len(self.lines) + 1
        if self._holds(section, node.value):
            sections, singles = self._held[section]
            self.lines.append(f"{margin}{key_text(node.key)}:")
            for key, value in node.value.items():
                child = node.child(key, value)
                if key in sections and isinstance(value, Mapping) and value:
                    self._comment(margin + _STEP, child)
                    inner = [child.child(name, item) for name, item in value.items()]
                    self.section(margin + _STEP, key, inner, node.key)
                elif key in singles:
                    self._entry(margin + _STEP, child, singles[key], node.key, node.key)
                else:
                    self._field(margin + _STEP, child)
        else:
            self._put(margin, key_text(node.key), node)
        self._stands(EntryId(section, called, inside), first_line)
        if not node.path:
            node.comments.check_all_used()

    def _holds(self, section: str, value: Any) -> bool:
        """Whether the value contains other entries."""
        keys = self._held.get(section)
        return (
            keys is not None and isinstance(value, Mapping) and any(key in keys[0] or key in keys[1] for key in value)
        )

    def _stands(self, place: EntryId, first: int) -> None:
        self.places[place] = Lines(first, len(self.lines))

    def _field(self, margin: str, node: _Node) -> None:
        self._comment(margin, node)
        self._put(margin, key_text(node.key), node)

    def _put(self, margin: str, key: str, node: _Node) -> None:
        """Writes a key and its value on one line, or the parts of the value below the key."""
        head = f"{margin}{key}: "
        written = flow_within(node.value, WIDTH - len(head)) if node.one_line else None
        if written is not None:
            self.lines.append(head + written)
        elif isinstance(node.value, Mapping | list | tuple) and node.value:
            self.lines.append(f"{margin}{key}:")
            self._below(margin + _STEP, node)
        else:
            self.lines += _too_long(head, margin + _STEP, flow(node.value))

    def _below(self, margin: str, node: _Node) -> None:
        """Writes the parts of a value, one below the other."""
        if isinstance(node.value, Mapping):
            for key, value in node.value.items():
                self._field(margin, node.child(key, value))
            return
        for place, item in enumerate(node.value):
            self._item(margin, node.child(str(place), item))

    def _item(self, margin: str, node: _Node) -> None:
        """Writes an item of a list; an item of several lines begins beside the dash."""
        self._comment(margin, node)
        head = f"{margin}- "
        written = flow_within(node.value, WIDTH - len(head)) if node.one_line else None
        if written is not None:
            self.lines.append(head + written)
        elif isinstance(node.value, Mapping | list | tuple) and node.value:
            first_line = len(self.lines)
            self._below(margin + _STEP, node)
            self.lines[first_line] = head + self.lines[first_line][len(head) :]
        else:
            self.lines += _too_long(head, margin + _STEP, flow(node.value))

    def _comment(self, margin: str, node: _Node) -> None:
        for line in node.comments.take(node.path):
            width = max(_NARROWEST, WIDTH - len(margin) - 2)
            wrapped = wrap(inert(line, None), width, break_long_words=False, break_on_hyphens=False)
            self.lines += [f"{margin}# {part}" for part in wrapped]


def _too_long(head: str, margin: str, written: str) -> list[str]:
    """The lines for a value without parts that does not fit beside its key: below the key if it fits there."""
    if len(margin) + len(written) <= WIDTH:
        return [head.rstrip(), margin + written]
    return [head + written]


def _held(container: EntryType, types: Sequence[EntryType]) -> tuple[dict[str, str], dict[str, str]]:
    """The keys of entries that may be inside such an entry, as in `instantiate`: sections, and names of types with their section."""
    contained = [type_ for type_ in types if container.name in type_.model.model_fields and not type_.contains]
    own = container.model.model_fields
    sections = {type_.section: type_.section for type_ in contained if type_.section not in own}
    return sections, {type_.name: type_.section for type_ in contained if type_.name not in own}
