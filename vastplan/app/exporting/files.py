"""The stage that writes an export into a folder: only what differs, and never over files that somebody else wrote or edited since.

`MANIFEST` in the folder has the digests of what the last exports wrote: a file that still matches may be replaced. No symbolic
link is followed: whoever can put one into the folder would choose what is overwritten.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from vastplan.app.files import read_write
from vastplan.model import regular_files, strict_json
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.export_result import State
from vastplan.model.wording import some

MANIFEST = ".vastplan-export.json"
_MANIFEST_BYTES = 16 * 1024 * 1024
_FILE_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file to write: its path in the folder, with slashes, its text, and its mode (`None`: the umask decides)."""

    name: str
    text: str
    mode: int | None = None

    @property
    def content(self) -> bytes:
        """Its bytes."""
        return self.text.encode()


def write_export_files(folder: Path, files: Sequence[NewFile], *, overwrite: bool) -> dict[str, State]:
    """Write the files and return the state of each by name. Raises `VastplanError`; for a file in the way before anything is written."""
    read_write.open_folder(folder)
    try:
        for file in files:
            _look_on_the_way(folder, file.name)
        noted = _manifest(folder)
        states = {file.name: _state(folder, file) for file in files}
        foreign = [
            file.name
            for file in files
            if states[file.name] == "changed" and _now(folder, file) not in noted.get(file.name, ())
        ]
        if foreign and not overwrite:
            names = some(foreign, show=inert)
            fix = "move it away, or give --overwrite to overwrite it"
            raise VastplanError(f"{inert(str(folder))}: {names}: written by somebody else, or edited since; {fix}")
        written_digests = {**noted, **{file.name: (_digest(file.content),) for file in files}}
        if written_digests != noted:
            # The manifest has the new digests before the files are written: after an interruption the next export may replace them.
            _note(
                folder,
                {
                    name: tuple(dict.fromkeys((*noted.get(name, ()), *written_digests[name])))
                    for name in written_digests
                },
            )
        for file in files:
            path = folder / file.name
            _make_room(folder, file.name)
            if states[file.name] != "unchanged" or _is_open(path, file.mode):
                read_write.write_file(path, file.content, inert(str(path)), file.mode)
        if written_digests != noted:
            _note(folder, written_digests)
    except OSError as problem:
        raise VastplanError(f"{inert(str(folder))} cannot be written to: {problem.strerror}") from None
    return states


def left_over(folder: Path, names: Iterable[str], places: Sequence[str]) -> tuple[str, ...]:
    """The files of earlier exports whose names begin with one of `places`, that still exist and are not among `names`."""
    kept = set(names)
    return tuple(
        name
        for name in sorted(_manifest(folder))
        if name not in kept and name.startswith(tuple(places)) and os.path.lexists(folder / name)
    )


def _manifest(folder: Path) -> dict[str, tuple[str, ...]]:
    """The digests in the manifest by file name. Empty if it cannot be read: then no file may be replaced."""
    try:
        tree = strict_json.parse_json(regular_files.read_regular(folder / MANIFEST, _MANIFEST_BYTES, follow=False))
    except (OSError, ValueError):
        return {}
    files = tree.get("files") if isinstance(tree, dict) else None
    return dict(_noted(files)) if isinstance(files, dict) else {}


def _noted(files: Mapping[object, object]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The names that stay inside the folder, with their digests: several if an export was interrupted."""
    for name, digests in files.items():
        parts = PurePosixPath(str(name)).parts
        known_digests = tuple(each for each in digests if isinstance(each, str)) if isinstance(digests, list) else ()
        if known_digests and parts and ".." not in parts and not parts[0].startswith("/"):
            yield str(name), known_digests


def _note(folder: Path, files: Mapping[str, tuple[str, ...]]) -> None:
    content = json.dumps({"format_version": "1.0", "files": files}, indent=1, sort_keys=True).encode() + b"\n"
    read_write.write_file(folder / MANIFEST, content, f"{inert(str(folder))}/{MANIFEST}", mode=None)


def _state(folder: Path, file: NewFile) -> State:
    digest = _now(folder, file)
    return "new" if digest == "" else "unchanged" if digest == _digest(file.content) else "changed"


def _now(folder: Path, file: NewFile) -> str:
    """The digest of the file with the name; "" if it does not exist, "foreign" if it is no regular file or too large for an export."""
    path = folder / file.name
    if not os.path.lexists(path):
        return ""
    try:
        return _digest(regular_files.read_regular(path, _FILE_BYTES, follow=False))
    except OSError:
        return "foreign"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _look_on_the_way(folder: Path, name: str) -> None:
    """Raises `VastplanError` if anything but a folder is in the place of a parent folder of the file."""
    for place in _way(folder, name):
        if os.path.lexists(place) and not stat.S_ISDIR(os.lstat(place).st_mode):
            obstacle = "a link, and vastplan writes nothing through links" if place.is_symlink() else "not a folder"
            raise VastplanError(f"{inert(str(place))} is {obstacle}: move it away; nothing was written")


def _make_room(folder: Path, name: str) -> None:
    """Create the missing parent folders of a file."""
    for place in _way(folder, name):
        place.mkdir(exist_ok=True)
        _look_on_the_way(folder, name)


def _way(folder: Path, name: str) -> list[Path]:
    return [folder / part for part in reversed(PurePosixPath(name).parents) if str(part) != "."]


def _is_open(path: Path, mode: int | None) -> bool:
    """Whether the file's mode has more rights than `mode` allows."""
    return mode is not None and stat.S_IMODE(os.lstat(path).st_mode) & ~mode != 0
