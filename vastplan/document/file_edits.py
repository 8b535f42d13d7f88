"""What was edited between two versions of a document: each part of its files that differs, with its place. Pure, and linear in both."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any

from vastplan.document.yaml import Mapping
from vastplan.model.dataclass import dataclass
from vastplan.model.finding import Where
from vastplan.model.plan import EditSort

_RENAMED = "renamed_from"
Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileEdit:
    """A part that differs: an entry, a field, or a value deep inside one. What is removed has its place in the base."""

    path: Path
    sort: EditSort
    where: Where
    before: Any = None
    after: Any = None


def file_edits(base: Mapping, tree: Mapping, inside: Path = ()) -> Iterator[FileEdit]:
    """The edits that make `tree` out of `base`, in the order of the files; what is removed comes last in its mapping."""
    renamed = {
        key: former
        for key, entry in tree.items()
        if key not in base and (former := _former(entry)) in base and former not in tree
    }
    for key, value in tree.items():
        path = (*inside, key)
        if key in renamed:
            yield FileEdit(path, EditSort.RENAMED, tree.where(key), renamed[key], key)
            yield from _changed(base[renamed[key]], _as_before(value), path, tree.where(key))
        elif key not in base:
            yield FileEdit(path, EditSort.ADDED, tree.where(key), after=value)
        else:
            yield from _changed(base[key], value, path, tree.where(key))
    for key, value in base.items():
        if key not in tree and key not in renamed.values():
            yield FileEdit((*inside, key), EditSort.REMOVED, base.where(key), before=value)


def _changed(before: Any, after: Any, path: Path, where: Where) -> Iterator[FileEdit]:
    if isinstance(before, Mapping) and isinstance(after, Mapping | None):
        yield from file_edits(before, Mapping(where) if after is None else after, path)
    elif before is None and isinstance(after, Mapping):
        yield from file_edits(Mapping(where), after, path)
    elif before != after:
        yield FileEdit(path, EditSort.CHANGED, where, before, after)


def _former(entry: Any) -> str:
    former = entry.get(_RENAMED) if isinstance(entry, Mapping) else None
    return former if isinstance(former, str) else ""


def _as_before(entry: Mapping) -> Mapping:
    twin = entry.copy()
    del twin[_RENAMED]
    return twin


def each_below(edit: FileEdit, containers: Container[Path]) -> Iterator[FileEdit]:
    """The edit; one that adds or removes a mapping at a place among `containers` (a section) is one for each of its keys."""
    value = edit.before if edit.sort is EditSort.REMOVED else edit.after
    if edit.sort is EditSort.RENAMED or edit.path not in containers or not isinstance(value, Mapping):
        yield edit
        return
    for key, inner in value.items():
        sides = (inner, None) if edit.sort is EditSort.REMOVED else (None, inner)
        yield from each_below(FileEdit((*edit.path, key), edit.sort, value.where(key), *sides), containers)


def paths_by_place(tree: Mapping, inside: Path = ()) -> Iterator[tuple[Where, Path]]:
    """The path of each key by its place: an entry knows its place only."""
    for key, value in tree.items():
        path = (*inside, key)
        yield tree.where(key), path
        if isinstance(value, Mapping):
            yield from paths_by_place(value, path)
