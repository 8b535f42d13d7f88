"""Files that belong to this user alone: created without following links, under unpredictable temporary names."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import tempfile
from collections.abc import Iterator
from errno import ELOOP, EPERM
from pathlib import Path

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def make_folder(folder: Path) -> Path:
    """A folder that only this user can access, created if needed. Raises `OSError` for a link or another user's folder."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder_stat = folder.lstat()
    if not stat.S_ISDIR(folder_stat.st_mode):
        raise OSError(ELOOP, f"{folder} is a link")
    if folder_stat.st_uid != os.geteuid():
        raise OSError(EPERM, f"{folder} belongs to another user")
    if folder_stat.st_mode & 0o077:
        folder.chmod(0o700)
    return folder


def write_private(path: Path, content: bytes) -> Path:
    """Write a file, replacing whatever has that name; a link is replaced, never followed. Raises `OSError`."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.new")
    try:
        with os.fdopen(os.open(temporary, _NEW, 0o600), "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    return path


def claim(path: Path) -> None:
    """Ensure that a file which others open by name is a regular one that only this user can read. Raises `OSError`."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    try:
        file_stat = os.fstat(descriptor)
        if not stat.S_ISREG(file_stat.st_mode):
            raise OSError(ELOOP, f"{path} is not a regular file")
        if file_stat.st_mode & 0o077:
            os.fchmod(descriptor, 0o600)
    finally:
        os.close(descriptor)


def runtime_folders() -> Iterator[Path]:
    """The folders in which this user's processes may find each other, best first; they need not exist."""
    given = os.environ.get("XDG_RUNTIME_DIR", "")
    if given and Path(given).is_dir():
        yield Path(given) / "vastplan"
    yield Path(tempfile.gettempdir()) / f"vastplan-{os.geteuid()}"


def read_own(path: Path, most: int) -> bytes | None:
    """The content of a file in a folder of this user alone, `None` if it does not exist or is not so."""
    try:
        folder = path.parent.lstat()
        if not stat.S_ISDIR(folder.st_mode) or folder.st_uid != os.geteuid() or folder.st_mode & 0o077:
            return None
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        file_stat = os.fstat(descriptor)
        if not stat.S_ISREG(file_stat.st_mode) or file_stat.st_uid != os.geteuid() or file_stat.st_size > most:
            return None
        return file.read(most)
