"""Safe access to files that somebody else may have created: only regular files, of limited size, within their folder.

Nothing here waits for a pipe, reads a device without end, or follows a link out of a folder that others control.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import stat
from collections.abc import Iterator
from errno import EACCES, EFBIG, EINVAL, EISDIR, ELOOP
from pathlib import Path
from typing import BinaryIO

OWN_FOLDER = ".vastplan"
LEDGER_FOLDER = f"{OWN_FOLDER}/ledger"  # beside the document, unless it says another place
SECRET_BYTES = 64 * 1024
TRUST_BYTES = 1024 * 1024  # for certificates, and for a kubeconfig
DATA_BYTES = 1024 * 1024 * 1024  # for a plan or a snapshot: 100,000 actions take a tenth of it
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Outside(PermissionError):
    """The file is outside the folder of the document or file that names it, directly or through a link."""


class Hidden(PermissionError):
    """The file is in the folder, but hidden: whoever names it must not use it."""


def read_regular(path: Path, most: int, *, follow: bool = True) -> bytes:
    """The content of a regular file of at most `most` bytes.

    Raises:
        OSError: The file cannot be read, is not a regular file (then it is not opened), or is too large; `strerror` says which.
    """
    with _opened(path, follow) as file:
        if os.fstat(file.fileno()).st_size <= most:
            content = file.read(most + 1)  # also bounds a file that grows meanwhile, or shows no size
            if len(content) <= most:
                return content
    raise OSError(EFBIG, f"it is larger than {_size(most)}")


def file_size(path: Path, most: int, *, follow: bool = True) -> int:
    """The size in bytes of a regular file of at most `most` bytes, without reading it. Raises `OSError` as `read_regular` does."""
    with _opened(path, follow) as file:
        size = os.fstat(file.fileno()).st_size
    if size > most:
        raise OSError(EFBIG, f"it is larger than {_size(most)}")
    return size


def begins(path: Path, size: int, *, follow: bool = True) -> bytes:
    """The first bytes of a regular file. Raises `OSError` as `read_regular` does."""
    with _opened(path, follow) as file:
        return file.read(size)


def file_digest(path: Path, most: int) -> str:
    """The SHA-256 of a regular file's content, as text; "" where it cannot be read."""
    try:
        return digest_of(read_regular(path, most))
    except (OSError, ValueError):
        return ""


def digest_of(content: bytes) -> str:
    """The SHA-256 of bytes, as text."""
    return f"SHA-256 {hashlib.sha256(content).hexdigest()}"


def path_within(folder: Path, name: str, *, own: bool = False) -> Path:
    """The path of a file by its name, with links resolved; the file need not exist.

    A document must not use names with one leading dot: `.git`, `.env` and `.vastplan` hold files of the user who runs vastplan.
    Two leading dots are allowed, because Kubernetes mounts volumes so. With `own` the file may be in `.vastplan`, where vastplan
    writes.

    Raises:
        Outside: The file is outside the folder.
        Hidden: A name in its path is hidden.
        OSError: No file can have that name. `strerror` gives the reason for each.
    """
    try:
        home = folder.resolve()
        path = (home / name).resolve()
    except OSError as problem:
        raise OSError(problem.errno, problem.strerror) from None
    except (ValueError, RuntimeError):  # a zero byte; circular links
        raise OSError(ELOOP, "no file can have that name") from None
    if not path.is_relative_to(home):
        raise Outside(EACCES, "it is not in the document's folder")
    parts = path.relative_to(home).parts
    if own and parts[:1] == (OWN_FOLDER,):
        parts = parts[1:]
    if any(part.startswith(".") and not part.startswith("..") for part in parts):
        raise Hidden(EACCES, "it is hidden: a name in its path begins with a dot")
    return path


def write_new(path: Path, content: bytes, mode: int = 0o600) -> None:
    """Write a file, replacing whatever has that name; a link there is replaced, never followed.

    Raises:
        OSError: The file cannot be written; it has the file's name.
    """
    with replacing(path, mode) as file:
        file.write(content)


@contextlib.contextmanager
def replacing(path: Path, mode: int) -> Iterator[BinaryIO]:
    """A new file that takes the place of `path` when it is closed; its name until then cannot be guessed. Raises as `write_new`."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.new")
    try:
        with os.fdopen(os.open(temporary, _WRITE, mode), "wb") as file:
            yield file
        os.replace(temporary, path)
    except OSError as problem:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise OSError(problem.errno, problem.strerror, str(path)) from None


def _opened(path: Path, follow: bool) -> BinaryIO:
    _refuse_special(os.stat(path, follow_symlinks=follow).st_mode)  # opening a device may already have an effect
    file = os.fdopen(os.open(path, _READ | (0 if follow else os.O_NOFOLLOW)), "rb")
    try:
        _refuse_special(os.fstat(file.fileno()).st_mode)
    except OSError:
        file.close()
        raise
    return file


def _refuse_special(mode: int) -> None:
    if stat.S_ISREG(mode):
        return
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
    if stat.S_ISLNK(mode):
        raise OSError(ELOOP, "it is a link")
    raise OSError(EINVAL, "it is not a regular file")


def _size(most: int) -> str:
    return f"{most // 2**20} MiB" if most >= 2**20 else f"{most // 2**10} KiB"
