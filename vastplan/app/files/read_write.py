"""Reads and writes the files of commands: writes atomically, and reads as strictly as if somebody had tampered with the file."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from errno import EISDIR
from pathlib import Path
from typing import Any

from vastplan.model import regular_files, strict_json
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.shell import words


def write_file(path: Path, content: bytes, name: str, mode: int | None = 0o600) -> None:
    """Write a new file over the old one of that name, or raise `VastplanError` and leave it; `mode` as in `write_atomically`.

    Commands write every file with a typed name through this function. A symbolic link is replaced, never followed: whoever can
    put one into a folder would choose what is overwritten. A folder, a device or a pipe is refused.
    """
    from vastplan.ledger.file import write_atomically

    try:
        place = _place(path)
        old_mode = _mode(place)
        if stat.S_ISDIR(old_mode):
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
        if old_mode and not (stat.S_ISREG(old_mode) or stat.S_ISLNK(old_mode)):
            raise VastplanError(f"{name} is not written: it is a device or a pipe")
        write_atomically(place, content, mode)
    except OSError as problem:
        raise VastplanError(f"{name} cannot be written: {problem.strerror}") from None


def _place(path: Path) -> Path:
    """The path to write: links in the folder's path are resolved; in `/dev` and `/proc` the name too, as it may be an open file."""
    folder = Path(os.path.realpath(path.parent))
    if folder == Path("/dev") or folder.is_relative_to("/proc"):
        return Path(os.path.realpath(path))
    return folder / path.name


def _mode(place: Path) -> int:
    """The mode of the existing file, 0 if it does not exist. Raises `OSError` if the path cannot be looked up."""
    try:
        return os.lstat(place).st_mode
    except FileNotFoundError:
        return 0


def check_folder(folder: Path) -> None:
    """Raises `VastplanError` if the folder of `--out` is a file, or the folder that it would be created in does not exist."""
    place = inert(str(folder))
    if folder.exists() and not folder.is_dir():
        raise VastplanError(f"--out {place} is a file: give a folder; vastplan creates it if it does not exist")
    if not folder.parent.is_dir():
        raise VastplanError(f"--out {place}: its folder does not exist: mkdir -p {words([str(folder.parent)])}")


def open_folder(folder: Path) -> None:
    """Create the folder of `--out` if it does not exist. Raises `VastplanError`."""
    check_folder(folder)
    try:
        folder.mkdir(exist_ok=True)
    except OSError as problem:
        raise VastplanError(f"--out {inert(str(folder))} cannot be created: {problem.strerror}") from None


def read_json(path: Path, name: str, hint: str = "", verify: Callable[[bytes], None] | None = None) -> tuple[Any, str]:
    """The JSON in a file, and its format version, "" if it has none.

    `verify` gets the bytes before they are parsed, and raises for bytes that must not be used.

    Raises:
        VastplanError: The file cannot be read, or is not JSON; the latter message ends with the hint.
    """
    try:
        content = regular_files.read_regular(path, regular_files.DATA_BYTES)
    except OSError as problem:
        raise VastplanError(f"{name} cannot be read: {problem.strerror}") from None
    if verify is not None:
        verify(content)
    try:
        data = strict_json.parse_json(content)
    except ValueError:
        raise VastplanError(f"{name} is not whole JSON{hint}") from None
    version = data.get("format_version") if isinstance(data, dict) else None
    return data, version if isinstance(version, str) else ""


def same_major(version: str, own: str) -> bool:
    """Whether a file of that format version can be read: its major version is that of `own`."""
    return version.split(".")[0] == own.split(".")[0]
