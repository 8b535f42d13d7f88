"""The document with an edit that is tried out: a copy of its files, and what they are read as."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from vastplan.app.files import read_write
from vastplan.app.workspace import open_workspace
from vastplan.document import merge
from vastplan.document.load import folder_of
from vastplan.document.yaml import MAX_BYTES
from vastplan.model import regular_files
from vastplan.model.address import Address
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import VastplanError
from vastplan.model.finding import Where
from vastplan.model.value import to_json
from vastplan.schema.entries import Entry

Texts = dict[Path, str]
Entries = Mapping[Address, Entry]


@dataclass(frozen=True, slots=True)
class Accepted:
    """One value that was written, and its place in the document."""

    address: str
    path: str
    shown: str
    where: Where


@dataclass(frozen=True, slots=True)
class EditedDocument:
    """The edited texts of the document's files, the entries composed from them, and those that are written."""

    texts: Texts
    entries: Entries
    written: Entries


@contextmanager
def on_trial(paths: Sequence[Path], connections: Path | None) -> Iterator[tuple[TrialCopy, EditedDocument]]:
    """A copy of the document to try edits on, and a draft of the document as it is."""
    texts = {file: read_text(file) for path in paths for file in merge.yaml_files(path)}
    with tempfile.TemporaryDirectory(prefix="vastplan-") as folder:
        trial = TrialCopy(Path(folder), paths, connections)
        yield trial, trial.read(texts)


class TrialCopy:
    """A copy of the document's files, to try an edit on."""

    def __init__(self, folder: Path, paths: Sequence[Path], connections: Path | None) -> None:
        self._connections, self._folder = connections, folder_of(paths)
        self._copies: dict[Path, Path] = {}
        self._paths = []
        for number, path in enumerate(paths):
            part = folder / str(number)
            part.mkdir()
            self._copies |= {file: part / file.name for file in merge.yaml_files(path)}
            self._paths.append(part if path.is_dir() else part / path.name)

    def file_of(self, where: Where | None) -> Path | None:
        """The document's file of a place in the copy; `None` for a place outside it."""
        return next(
            (file for file, copy in self._copies.items() if where is not None and str(copy) == where.file), None
        )

    def read(self, texts: Texts) -> EditedDocument:
        """The draft composed from these texts. Raises `Invalid`."""
        for file, text in texts.items():
            self._copies[file].write_bytes(text.encode())
        workspace = open_workspace(self._paths, self._connections, folder=self._folder)
        by_address = [
            {entry.address: entry for entry in entries}
            for entries in (workspace.composed().entries, workspace.document.entries)
        ]
        return EditedDocument(texts, *by_address)


def flat(entry: Entry) -> dict[tuple[str, ...], Any]:
    """Every value of an entry by its path."""
    by_path: dict[tuple[str, ...], Any] = {}

    def walk(value: Any, path: tuple[str, ...]) -> None:
        if isinstance(value, dict) and value:
            for key, item in value.items():
                walk(item, (*path, key))
        else:
            by_path[path] = value

    walk(to_json(entry.values), ())
    by_path["(after)",] = (entry.origin, entry.renamed_from, tuple(map(str, entry.after)))
    return by_path


def read_text(file: Path) -> str:
    """Raises `VastplanError`."""
    try:
        return regular_files.read_regular(file, MAX_BYTES).decode()
    except (OSError, UnicodeDecodeError) as problem:
        raise VastplanError(f"{file} cannot be read: {problem}") from None


def write_texts(texts: Texts, before: Texts) -> None:
    """Write the files whose text has changed."""
    for file, text in texts.items():
        if text != before[file]:
            write_text(file, text, before[file])


def write_text(file: Path, text: str, before: str) -> None:
    """Replace the file atomically, keeping its mode. Raises `VastplanError` if its text is no longer `before`."""
    target = file.resolve()
    try:
        mode = target.stat().st_mode & 0o7777
    except OSError as problem:
        raise VastplanError(f"{file} cannot be read: {problem.strerror}") from None
    if read_text(target) != before:
        raise VastplanError(f"{file} changed while it was read; nothing was written to it")
    read_write.write_file(target, text.encode(), str(file), mode)
