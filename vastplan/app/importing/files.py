"""The stage that writes the new files: all of them or none, and never over an existing file.

Each file is written under a temporary name that nobody reads; then hard links give all of them their own names. `_UNFINISHED` exists
while the links are created, so the next import recognizes and removes what an interrupted process left half done.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from vastplan.document import merge
from vastplan.model.errors import VastplanError

_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_MOST = 1000  # files of one name
_LONGEST_LINE = 1000
_UNFINISHED = ".vastplan-import.unfinished"
_TEMPORARY = re.compile(r"\.(?P<name>.+)\.(?P<digest>[0-9a-f]{16})[0-9a-f]{16}\.new")


Contents = Mapping[str, str]
"""Digests of files, by path."""


def file_digests(paths: Iterable[Path]) -> Contents:
    """The digests of all files of a document."""
    return {
        str(file): hashlib.sha256(file.read_bytes()).hexdigest() for path in paths for file in merge.yaml_files(path)
    }


def write_import_files(
    folder: Path, files: Sequence[tuple[str, str]], still: Callable[[], bool] = lambda: True
) -> list[Path]:
    """Write files by their names into a folder; a name that is taken gets `-2`. Raises `VastplanError`, and then none of the files
    exists.

    One import at a time writes to a folder, and only if the document is `still` the one that it read: two imports at once would each
    write everything.
    """
    made: list[Path] = []
    waiting: list[tuple[Path, str]] = []
    stack = contextlib.ExitStack()
    try:
        stack.enter_context(_alone(folder))
        for name, text in files:
            content = text.encode("utf-8")
            temporary = folder / f".{name}.{_digest(content)}{secrets.token_hex(8)}.new"
            with os.fdopen(os.open(temporary, _WRITE, 0o644), "wb") as file:
                waiting.append((temporary, name))
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        if not still():
            raise VastplanError("the document changed during the import; nothing was written: import again")
        (folder / _UNFINISHED).touch(exist_ok=False)
        for temporary, name in waiting:
            made.append(_linked(temporary, folder, name))
    except BaseException as problem:
        for path in made:
            with contextlib.suppress(OSError):
                path.unlink()
        with contextlib.suppress(OSError):
            (folder / _UNFINISHED).unlink()
        if isinstance(problem, OSError):
            raise VastplanError(f"{folder} cannot be written to: {problem.strerror}; nothing was written") from None
        raise
    else:
        with contextlib.suppress(OSError):
            (folder / _UNFINISHED).unlink()  # from here on all files exist
    finally:
        with stack:
            for temporary, _ in waiting:
                with contextlib.suppress(OSError):
                    temporary.unlink()
    return made


def unfinished(folder: Path) -> bool:
    """Whether an import was interrupted while it wrote to the folder."""
    return (folder / _UNFINISHED).exists()


def take_back(folder: Path) -> list[str]:
    """Remove what an interrupted import left half done; returns the names of the removed files.

    Removes only what the import wrote and nobody has edited since. Raises `VastplanError` if a file was edited or cannot be removed.
    """
    left = [(entry, match) for entry in sorted(folder.iterdir()) if (match := _TEMPORARY.fullmatch(entry.name))]
    if not left and not unfinished(folder):
        return []
    try:
        with _alone(folder):
            gone = _unlinked(folder, left) if unfinished(folder) else []
            (folder / _UNFINISHED).unlink(missing_ok=True)
            for temporary, _ in left:
                temporary.unlink(missing_ok=True)
    except OSError as problem:
        text = f"{folder}: an earlier import was interrupted while it wrote, and what it wrote cannot be removed: {problem.strerror}"
        raise VastplanError(text) from None
    return gone


def _unlinked(folder: Path, left: Sequence[tuple[Path, re.Match[str]]]) -> list[str]:
    by_inode = {(status.st_dev, status.st_ino): digest for status, digest in map(_status, left)}
    unfinished_files = []
    for file in sorted(folder.iterdir()):
        status = file.lstat()
        digest = by_inode.get((status.st_dev, status.st_ino))
        if digest is None or _TEMPORARY.fullmatch(file.name):
            continue
        if _digest(file.read_bytes()) != digest:
            fix = f"delete {folder / _UNFINISHED} to keep the file, or delete the file"
            raise VastplanError(f"{file}: an interrupted import wrote it, and it was edited since: {fix}")
        unfinished_files.append(file)
    for file in unfinished_files:
        file.unlink()
    return [file.name for file in unfinished_files]


def _status(left: tuple[Path, re.Match[str]]) -> tuple[os.stat_result, str]:
    return left[0].lstat(), left[1]["digest"]


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def stray_files(folder: Path, paths: Iterable[Path]) -> list[str]:
    """Names of the folder's files that would be read together with the new ones, but that are not part of the document.

    They are recognized by their first line, which names the schema: the folder may hold other YAML, too.
    """
    read = {file.resolve() for path in paths for file in merge.yaml_files(path)}
    files = merge.yaml_files(folder) if any(folder.glob("[!.]*.y*ml")) else []
    return [file.name for file in files if file.resolve() not in read and _has_schema(file)]


def _has_schema(file: Path) -> bool:
    with file.open("rb") as content:
        return b"desired-state.schema.json" in content.readline(_LONGEST_LINE)


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Lock the folder against every other import; the operating system releases the lock when the process ends."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            text = f"another import is writing to {folder}; nothing was written: import again"
            raise VastplanError(text) from None
        except OSError:
            pass  # on a file system without locks, a link still never replaces a file
        yield
    finally:
        os.close(descriptor)


def _linked(temporary: Path, folder: Path, name: str) -> Path:
    """Link the file to its name, or to the next free one: a link is created only where no file exists, whoever else writes to the
    folder."""
    stem, dot, ending = name.rpartition(".")
    for number in range(1, _MOST):
        path = folder / (name if number == 1 else f"{stem}-{number}{dot}{ending}")
        with contextlib.suppress(FileExistsError):
            os.link(temporary, path, follow_symlinks=False)
            return path
    raise VastplanError(f"{folder} has {_MOST} files named {name}; nothing was written")
