"""Secrets, resolved when they are used and kept nowhere."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from pydantic import BaseModel

from vastplan.model.errors import VastplanError
from vastplan.model.sensitive import keep_secret
from vastplan.model.value import Reveal, Secret

COMMAND_TIMEOUT = 30.0


def revealer(folder: Path) -> Reveal:
    """A function that answers a secret's value; files are relative to `folder`. Raises `VastplanError` naming the source."""

    def reveal(secret: Secret) -> str:
        value = read(*secret.source)
        keep_secret(value)
        return value

    def read(kind: str, where: str) -> str:
        if kind == "env":
            value = os.environ.get(where)
            if not value:
                raise VastplanError(f"the environment variable {where} is not set, and a secret is to come from it")
            return value
        try:
            value = (folder / where).read_text(encoding="utf-8").rstrip("\r\n")
        except (OSError, ValueError) as problem:  # not UTF-8, or no name that a file can have
            reason = problem.strerror if isinstance(problem, OSError) else "not text"
            raise VastplanError(f"the file {where}, which holds a secret, cannot be read: {reason}") from None
        if not value:
            raise VastplanError(f"the file {where}, which holds a secret, is empty")
        return value

    return reveal


def lazily(source: BaseModel, folder: Path) -> Callable[[], str]:
    """A function that answers the value of a secret in the head of a document or a connections file."""
    ((kind, where),) = source.model_dump().items()
    if kind == "command":
        return lambda: _printed(where)
    reveal = revealer(folder)
    return lambda: reveal(Secret((kind, where)))


def _printed(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=COMMAND_TIMEOUT, check=True)
    except (OSError, subprocess.SubprocessError, ValueError) as problem:  # ValueError: what it printed is not text
        # Neither its output nor its arguments: both may hold what is secret.
        raise VastplanError(
            f"the command {command[0]}, which is to print a secret, failed: {type(problem).__name__}"
        ) from None
    value = done.stdout.rstrip("\r\n")
    if not value:
        raise VastplanError(f"the command {command[0]}, which is to print a secret, printed nothing")
    keep_secret(value)
    return value
