"""The stage that writes an export into a folder: only what differs, and over nothing that somebody else wrote or edited since.

`MANIFEST` in the folder says what the last exports wrote, by digest: a file that is as it says is ours to replace. No link is
followed on the way: whoever can put one into the folder would choose what is written over.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from vastplan.app.files import read_write
from vastplan.model import regular_files, strict_json
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.exported import State
from vastplan.model.wording import some

MANIFEST = ".vastplan-export.json"
_MANIFEST_BYTES = 16 * 1024 * 1024
_FILE_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file to write: its name in the folder, with slashes, its text, and its mode (`None`: as the umask says)."""

    name: str
    text: str
    mode: int | None = None

    @property
    def content(self) -> bytes:
        """Its bytes."""
        return self.text.encode()


def write_all(folder: Path, files: Sequence[NewFile], *, overwrite: bool) -> dict[str, State]:
    """Write the files; what became of each, by name. Raises `VastplanError`, and before anything is written for what is in the way."""
    try:
        folder.mkdir(exist_ok=True)
        written = _manifest(folder)
        states = {file.name: _state(folder, file) for file in files}
        foreign = [
            file.name
            for file in files
            if states[file.name] == "changed" and written.get(file.name) != _now(folder, file)
        ]
        if foreign and not overwrite:
            names = some(foreign, show=inert)
            fix = "move it away, or give --overwrite to write over what is there"
            raise VastplanError(f"{inert(str(folder))}: {names}: written by somebody else, or edited since; {fix}")
        for file in files:
            path = folder / file.name
            _make_room(folder, file.name)
            if states[file.name] != "unchanged" or _is_open(path, file.mode):
                read_write.write(path, file.content, inert(str(path)), file.mode)
        noted = {**written, **{file.name: _digest(file.content) for file in files}}
        if noted != written:
            content = json.dumps({"format_version": "1.0", "files": noted}, indent=1, sort_keys=True).encode() + b"\n"
            read_write.write(folder / MANIFEST, content, f"{inert(str(folder))}/{MANIFEST}", mode=None)
    except OSError as problem:
        raise VastplanError(f"{inert(str(folder))} cannot be written to: {problem.strerror}") from None
    return states


def left_over(folder: Path, names: Iterable[str], places: Sequence[str]) -> tuple[str, ...]:
    """What earlier exports wrote to these places of the folder, is still there, and is not among these names."""
    kept = set(names)
    return tuple(
        name
        for name in sorted(_manifest(folder))
        if name not in kept and any(name.startswith(f"{place}/") for place in places) and os.path.lexists(folder / name)
    )


def _manifest(folder: Path) -> dict[str, str]:
    """What is noted. A manifest that cannot be read notes nothing: then nothing is ours."""
    try:
        tree = strict_json.parse(regular_files.read(folder / MANIFEST, _MANIFEST_BYTES, follow=False))
    except (OSError, ValueError):
        return {}
    files = tree.get("files") if isinstance(tree, dict) else None
    return dict(_noted(files)) if isinstance(files, dict) else {}


def _noted(files: Mapping[object, object]) -> Iterator[tuple[str, str]]:
    """Names that lead nowhere else, with their digests."""
    for name, digest in files.items():
        parts = PurePosixPath(str(name)).parts
        if isinstance(digest, str) and parts and ".." not in parts and not parts[0].startswith("/"):
            yield str(name), digest


def _state(folder: Path, file: NewFile) -> State:
    digest = _now(folder, file)
    return "new" if digest == "" else "unchanged" if digest == _digest(file.content) else "changed"


def _now(folder: Path, file: NewFile) -> str:
    """The digest of what has the name, "" for nothing; of what is no regular file, or too large to be ours, that it is foreign."""
    path = folder / file.name
    if not os.path.lexists(path):
        return ""
    try:
        return _digest(regular_files.read(path, _FILE_BYTES, follow=False))
    except OSError:
        return "foreign"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _make_room(folder: Path, name: str) -> None:
    """The folders on the way to a file, each one that is none yet. Raises `VastplanError` for a link in the place of one."""
    for part in reversed(PurePosixPath(name).parents):
        if str(part) != ".":
            place = folder / part
            place.mkdir(exist_ok=True)
            if not stat.S_ISDIR(os.lstat(place).st_mode):
                raise VastplanError(f"{inert(str(place))} is a link, and nothing is written through it")


def _is_open(path: Path, mode: int | None) -> bool:
    """Whether others can read what is to be private."""
    return mode is not None and stat.S_IMODE(os.lstat(path).st_mode) & ~mode != 0
