"""The files that commands read and write: whole or not at all, and as strictly as if somebody had tampered with them."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from errno import EISDIR
from pathlib import Path
from typing import Any

from vastplan.ledger.file import write_atomically
from vastplan.model import regular_files, strict_json
from vastplan.model.errors import VastplanError


def write(path: Path, content: bytes, name: str, mode: int | None = 0o600) -> None:
    """Put a new file in the place of what has that name, or raise `VastplanError` and leave it; `mode` as `write_atomically` has it.

    All that commands write where somebody typed a name goes through here. A link is replaced, never followed: whoever can put
    one into a folder would choose what is written over. A folder, a device and a pipe are left as they are.
    """
    try:
        place = _place(path)
        there = _mode(place)
        if stat.S_ISDIR(there):
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
        if there and not (stat.S_ISREG(there) or stat.S_ISLNK(there)):
            raise VastplanError(f"{name} is not written: it is a device or a pipe")
        write_atomically(place, content, mode)
    except OSError as problem:
        raise VastplanError(f"{name} cannot be written: {problem.strerror}") from None


def _place(path: Path) -> Path:
    """Where the file goes: into the folder that was typed. In `/dev` and `/proc` a name stands for what this process has open."""
    folder = Path(os.path.realpath(path.parent))
    if folder == Path("/dev") or folder.is_relative_to("/proc"):
        return Path(os.path.realpath(path))
    return folder / path.name


def _mode(place: Path) -> int:
    """What is there, 0 for nothing. Raises `OSError` where nothing can be."""
    try:
        return os.lstat(place).st_mode
    except FileNotFoundError:
        return 0


def read_json(path: Path, name: str, hint: str = "", verify: Callable[[bytes], None] | None = None) -> tuple[Any, str]:
    """What is in a file, and the version of its format, "" where it says none.

    `verify` sees its bytes before anything else looks at them, and raises for those that nobody may use.

    Raises:
        VastplanError: It cannot be read, or is not JSON; that is told with the hint.
    """
    try:
        content = regular_files.read(path, regular_files.DATA_BYTES)
    except OSError as problem:
        raise VastplanError(f"{name} cannot be read: {problem.strerror}") from None
    if verify is not None:
        verify(content)
    try:
        data = strict_json.parse(content)
    except ValueError:
        raise VastplanError(f"{name} is not whole JSON{hint}") from None
    version = data.get("format_version") if isinstance(data, dict) else None
    return data, version if isinstance(version, str) else ""


def same_major(version: str, ours: str) -> bool:
    """Whether what has that version can be read by us."""
    return version.split(".")[0] == ours.split(".")[0]
