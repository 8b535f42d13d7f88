"""Secrets: resolved when they are used, and stored nowhere."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from vastplan.document.secret_sources import SecretSources
from vastplan.model import regular_files
from vastplan.model.errors import VastplanError
from vastplan.model.sensitive import keep_secret
from vastplan.model.value import Reveal, SecretSource
from vastplan.schema.connection import AnySecret, CommandSecret

COMMAND_TIMEOUT = 30.0


def revealer(allowed: SecretSources) -> Reveal:
    """Returns a function for the value of a document's secret. The function raises `VastplanError`, which names the source.

    Each call checks again whether the source is allowed: a plan file names sources too, and files change after a check.
    """

    def reveal(secret: SecretSource) -> str:
        kind, where = secret.source
        reason = allowed.refusal(kind, where)
        if reason:
            raise VastplanError(f"the document {reason}: {allowed.fix(kind)}")
        return _kept(kind, where, allowed.read)

    return reveal


def lazily(source: AnySecret, reading: Callable[[str], bytes]) -> Callable[[], str]:
    """Returns a function for the value of a secret of a connections file; `reading` reads its files."""
    if isinstance(source, CommandSecret):
        return lambda: _printed(source.command)
    ((kind, where),) = source.model_dump().items()
    return lambda: _kept(kind, where, reading)


def document_secrets(source: AnySecret, allowed: SecretSources) -> Callable[[], str]:
    """Returns a function for the value of a secret in the head of a document, which may not run commands."""
    ((kind, where),) = source.model_dump().items()
    return lambda: revealer(allowed)(SecretSource((kind, where)))


def folder_reader(folder: Path) -> Callable[[str], bytes]:
    """Returns a reader for files relative to `folder`, for file names from a trusted author."""
    return lambda name: regular_files.read_regular(folder / name, regular_files.SECRET_BYTES)


def _kept(kind: str, where: str, reading: Callable[[str], bytes]) -> str:
    """The value, which is redacted from all output from now on. Raises `VastplanError`, which names the source."""
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
    except (OSError, ValueError) as problem:  # not UTF-8, or not a valid file name
        reason = problem.strerror if isinstance(problem, OSError) else "not text"
        raise VastplanError(f"the file {name} of a secret cannot be read: {reason}") from None
    if not value:
        raise VastplanError(f"the file {name} of a secret is empty")
    return value


def _printed(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=COMMAND_TIMEOUT, check=True)
    except (OSError, subprocess.SubprocessError, ValueError) as problem:  # ValueError: its output is not text
        # The message has neither output nor arguments of the command: both may contain secrets.
        raise VastplanError(
            f"the command {command[0]}, which is to print a secret, failed: {type(problem).__name__}"
        ) from None
    value = done.stdout.rstrip("\r\n")
    if not value:
        raise VastplanError(f"the command {command[0]}, which is to print a secret, printed nothing")
    keep_secret(value)
    return value
