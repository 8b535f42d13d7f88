"""The stage that writes once, under `defaults`, what all entries of a section share (`--defaults`). Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Any

from vastplan.importing.place import File, Placed

FEWEST = 5
"""Entries of a section: for fewer, a reader would look in two places for no gain."""
_LEAST = 0.1  # the share of a section's text that must be saved
_OWN = frozenset({"sites", "per_site"})
Values = Mapping[str, Any]
_Path = tuple[str, ...]


def shared_values(files: Sequence[File], used_sections: Set[str], size: Callable[[Values], int]) -> dict[str, Values]:
    """What all entries of a section have in common, by section. Sections in `used_sections` are skipped: the document has entries there that the
    defaults would change. `size` returns how many characters values take."""
    sections: dict[str, list[Placed]] = {}
    for entry in _entries(files):
        sections.setdefault(entry.type.section, []).append(entry)
    shared: dict[str, Values] = {}
    for section, entries in sections.items():
        if len(entries) < FEWEST or section in used_sections:
            continue
        common = _common([entry.values for entry in entries])
        before = sum(size(entry.values) for entry in entries)
        after = sum(size(_without(entry.values, common)) for entry in entries) + size({section: common})
        if before - after >= _LEAST * before:
            shared[section] = common
    return shared


def take_out(files: Sequence[File], defaults: Mapping[str, Values]) -> None:
    """Remove from the entries what `defaults` set for them."""
    for entry in _entries(files):
        entry.values = _without(entry.values, defaults.get(entry.type.section, {}))


def _entries(files: Sequence[File]) -> Iterator[Placed]:
    for file in files:
        for entry in file.entries:
            yield entry
            yield from entry.parts


def _common(all_values: Sequence[Values]) -> dict[str, Any]:
    first, *others = all_values
    common: dict[str, Any] = {}
    for name, value in first.items():
        if name in _OWN or not all(name in values for values in others):
            continue
        other_values = [values[name] for values in others]
        if _is_struct(value) and all(map(_is_struct, other_values)):
            inner = _common([value, *other_values])
            if inner:
                common[name] = inner
        elif all(type(each) is type(value) and each == value for each in other_values):
            common[name] = value
    return common


def _without(values: Values, common: Values) -> dict[str, Any]:
    rest: dict[str, Any] = {}
    for name, value in values.items():
        if name not in common:
            rest[name] = value
        elif _is_struct(value):
            inner = _without(value, common[name])
            if inner:
                rest[name] = inner
    return rest


def _is_struct(value: Any) -> bool:
    """Whether a value is a mapping with parts; an empty mapping is a value of its own."""
    return isinstance(value, Mapping) and bool(value)
