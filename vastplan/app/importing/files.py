"""The stage that writes the new files: all of them or none, and never over what is there."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Sequence
from pathlib import Path

from vastplan.model.errors import VastplanError

_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_MOST = 1000  # files of one name


def write_all(folder: Path, files: Sequence[tuple[str, str]]) -> list[Path]:
    """Files by their names in a folder; a name that is taken gets `-2`. Raises `VastplanError`, and then there is none of them."""
    made: list[Path] = []
    waiting: list[tuple[Path, str]] = []
    try:
        for name, text in files:
            temporary = folder / f".{name}.{secrets.token_hex(8)}.new"
            with os.fdopen(os.open(temporary, _WRITE, 0o644), "wb") as file:
                waiting.append((temporary, name))
                file.write(text.encode("utf-8"))
                file.flush()
                os.fsync(file.fileno())
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
        for temporary, _ in waiting:
            with contextlib.suppress(OSError):
                temporary.unlink()
    return made


def _linked(temporary: Path, folder: Path, name: str) -> Path:
    """The file under its name, or the next that is free: a link is made only where nothing is, whoever else writes there."""
    stem, dot, ending = name.rpartition(".")
    for number in range(1, _MOST):
        path = folder / (name if number == 1 else f"{stem}-{number}{dot}{ending}")
        with contextlib.suppress(FileExistsError):
            os.link(temporary, path, follow_symlinks=False)
            return path
    raise VastplanError(f"{folder} has {_MOST} files called {name}; nothing was written")
