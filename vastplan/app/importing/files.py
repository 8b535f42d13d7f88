"""The stage that writes the new files: all of them or none, and never over what is there."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from vastplan.document import merge
from vastplan.model.errors import VastplanError

_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_MOST = 1000  # files of one name


Contents = Mapping[str, str]
"""Digests of files by their paths."""


def contents(paths: Iterable[Path]) -> Contents:
    """What the files of a document hold."""
    return {str(file): hashlib.sha256(file.read_bytes()).hexdigest() for path in paths for file in merge.files(path)}


def write_all(folder: Path, files: Sequence[tuple[str, str]], still: Callable[[], bool] = lambda: True) -> list[Path]:
    """Files by their names in a folder; a name that is taken gets `-2`. Raises `VastplanError`, and then there is none of them.

    One import at a time writes to a folder, and only while what it was made from is `still` so: two at once would each say all.
    """
    made: list[Path] = []
    waiting: list[tuple[Path, str]] = []
    stack = contextlib.ExitStack()
    try:
        stack.enter_context(_alone(folder))
        for name, text in files:
            temporary = folder / f".{name}.{secrets.token_hex(8)}.new"
            with os.fdopen(os.open(temporary, _WRITE, 0o644), "wb") as file:
                waiting.append((temporary, name))
                file.write(text.encode("utf-8"))
                file.flush()
                os.fsync(file.fileno())
        if not still():
            raise VastplanError("the document was changed while it was imported; nothing was written: import again")
        for temporary, name in waiting:
            made.append(_linked(temporary, folder, name))
    except BaseException as problem:
        for path in made:
            with contextlib.suppress(OSError):
                path.unlink()
        if isinstance(problem, OSError):
            raise VastplanError(f"{folder} cannot be written to: {problem.strerror}; nothing was written") from None
        raise
    finally:
        with stack:
            for temporary, _ in waiting:
                with contextlib.suppress(OSError):
                    temporary.unlink()
    return made


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Nobody else who asks so writes to the folder; the system lets go of it for a process that ends."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            text = f"another import is writing to {folder}; nothing was written: import again"
            raise VastplanError(text) from None
        except OSError:
            pass  # where a file system knows no locks, a link is still never made over a file
        yield
    finally:
        os.close(descriptor)


def _linked(temporary: Path, folder: Path, name: str) -> Path:
    """The file under its name, or the next that is free: a link is made only where nothing is, whoever else writes there."""
    stem, dot, ending = name.rpartition(".")
    for number in range(1, _MOST):
        path = folder / (name if number == 1 else f"{stem}-{number}{dot}{ending}")
        with contextlib.suppress(FileExistsError):
            os.link(temporary, path, follow_symlinks=False)
            return path
    raise VastplanError(f"{folder} has {_MOST} files called {name}; nothing was written")
