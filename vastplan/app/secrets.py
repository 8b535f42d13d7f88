"""Secrets, resolved when they are used and kept nowhere."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from vastplan.document.secret_sources import SecretSources
from vastplan.model import regular_files
from vastplan.model.errors import VastplanError
from vastplan.model.sensitive import keep_secret
from vastplan.model.value import Reveal, Secret
from vastplan.schema.connection import AnySecret, CommandSecret

COMMAND_TIMEOUT = 30.0


def revealer(allowed: SecretSources) -> Reveal:
    """A function that answers the value of a document's secret. Raises `VastplanError` naming the source.

    What may be a source is asked here, too: a plan file says sources, and files change after they were looked at.
    """

    def reveal(secret: Secret) -> str:
        kind, where = secret.source
        reason = allowed.refusal(kind, where)
        if reason:
            raise VastplanError(f"the document {reason}: {allowed.fix(kind)}")
        return _kept(kind, where, allowed.read)

    return reveal


def lazily(source: AnySecret, reading: Callable[[str], bytes]) -> Callable[[], str]:
    """A function that answers the value of a secret of a connections file, whose files are read by `reading`."""
    if isinstance(source, CommandSecret):
        return lambda: _printed(source.command)
    ((kind, where),) = source.model_dump().items()
    return lambda: _kept(kind, where, reading)


def of_document(source: AnySecret, allowed: SecretSources) -> Callable[[], str]:
    """A function that answers the value of a secret in the head of a document, which runs nothing."""
    ((kind, where),) = source.model_dump().items()
    return lambda: revealer(allowed)(Secret((kind, where)))


def beside(folder: Path) -> Callable[[str], bytes]:
    """How a file is read that somebody names who is trusted with it, relative to `folder`."""
    return lambda name: regular_files.read(folder / name, regular_files.SECRET_BYTES)


def _kept(kind: str, where: str, reading: Callable[[str], bytes]) -> str:
    """The value, which nothing says from now on. Raises `VastplanError` naming the source."""
    value = _variable(where) if kind == "env" else _content(where, reading)
    keep_secret(value)
    return value


def _variable(name: str) -> str:
    value = os.environ.get(name)
    if not value:
        raise VastplanError(f"the environment variable {name} is not set, and a secret comes from it")
    return value


def _content(name: str, reading: Callable[[str], bytes]) -> str:
    try:
        value = reading(name).decode("utf-8").rstrip("\r\n")
    except (OSError, ValueError) as problem:  # not UTF-8, or no name that a file can have
        reason = problem.strerror if isinstance(problem, OSError) else "not text"
        raise VastplanError(f"the file {name} of a secret cannot be read: {reason}") from None
    if not value:
        raise VastplanError(f"the file {name} of a secret is empty")
    return value


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
