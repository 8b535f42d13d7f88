"""The files that commands read and write: whole or not at all, and as strictly as if somebody had tampered with them."""

from __future__ import annotations

from collections.abc import Callable
from errno import EISDIR
from os import strerror
from pathlib import Path
from typing import Any

from vastplan.ledger.file import write_atomically
from vastplan.model import regular_files, strict_json
from vastplan.model.errors import VastplanError


def write(path: Path, content: bytes, name: str, mode: int | None = 0o600) -> None:
    """Replace a file, or raise `VastplanError` and leave the old one; `mode` as `write_atomically` has it.

    A link is followed, as any other program does. What is no regular file (a folder, a device, a pipe) is left as it is.
    """
    try:
        path = path.resolve()
        if path.is_dir():
            raise IsADirectoryError(EISDIR, strerror(EISDIR))
        if path.exists() and not path.is_file():
            raise VastplanError(f"{name} is not written: a device or a pipe is there")
        write_atomically(path, content, mode)
    except OSError as problem:
        raise VastplanError(f"{name} cannot be written: {problem.strerror}") from None


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
