"""The output: results go to standard output, progress and problems to standard error."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import stat
import sys
import threading
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, TextIO

from vastplan.cli.request import Format
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert, json_without_commands, no_commands
from vastplan.model.finding import Finding
from vastplan.model.sensitive import guarded
from vastplan.report.style import Style

if TYPE_CHECKING:
    from vastplan.report.json_report import Printed


def _is_file(out: TextIO) -> bool:
    try:
        return stat.S_ISREG(os.fstat(out.fileno()).st_mode)
    except (OSError, ValueError):  # text in memory has no file descriptor
        return False


def _write(stream: TextIO, text: str) -> None:
    """Write and flush. Once the reader has closed a pipe, or the terminal is lost, all further output goes nowhere: what is being applied
    goes on, and the exit code is that of the work."""
    try:
        stream.write(text)
        stream.flush()
    except OSError as problem:
        if problem.errno not in (errno.EPIPE, errno.EIO):
            raise
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


class Screen:
    """Prints to two streams in a style."""

    def __init__(self, out: TextIO, err: TextIO, *, colour: bool) -> None:
        self._out = out
        self._err = err
        self._status, self._lock = "", threading.RLock()
        self.into_file = _is_file(out)
        """Whether results go to a file: then a plan is shown in full."""
        self.read_at_once = out.isatty()
        """Whether results go to a terminal."""
        self.style = Style(
            colour=colour, width=shutil.get_terminal_size((100, 24)).columns if self.read_at_once else 140
        )

    @property
    def watched(self) -> bool:
        """Whether standard error is a terminal."""
        return self._err.isatty()

    def status(self, text: str) -> None:
        """Show the progress on a status line, which replaces the previous one; "" removes it."""
        with self._lock:
            if text == self._status:
                return
            self._status = text
            line = no_commands(inert(guarded(text)))
            _write(self._err, "\r\x1b[K" + line[: self._columns() - 1] if text else "\r\x1b[K")

    def _columns(self) -> int:
        try:
            return os.get_terminal_size(self._err.fileno()).columns or 80
        except (OSError, ValueError):
            return 80

    @contextlib.contextmanager
    def _below(self) -> Iterator[None]:
        """Remove the status line before other output is written, and hold the lock meanwhile."""
        with self._lock:
            if self._status:
                self._status = ""
                _write(self._err, "\r\x1b[K")
            yield

    def show(self, text: str) -> None:
        """Print a result as text for people, made safe so that no line is a command in the log of a CI job."""
        self._print(no_commands(guarded(text)))

    def rendered(self, text: str, *, is_json: bool) -> None:
        """Print a result that is rendered already."""
        self._print(json_without_commands(guarded(text)) if is_json else guarded(text))

    def _print(self, text: str) -> None:
        with self._below():
            _write(self._out, text if text.endswith("\n") else text + "\n")

    def json(self, data: Any) -> None:
        """Print a result as JSON."""
        self.rendered(json.dumps(data, sort_keys=True, indent=1), is_json=True)

    def machine(self, value: Printed) -> None:
        """Print a result as JSON with a published schema."""
        from vastplan.report import json_report

        self.rendered(json_report.dumps(value), is_json=True)

    def result(self, format: Format, value: Printed, text: str) -> None:
        """Print a result in the requested format: as JSON with a published schema, or as text."""
        if format is Format.JSON:
            self.machine(value)
        else:
            self.show(text)

    def progress(self, text: str) -> None:
        """Print a line of progress on standard error."""
        with self._below():
            _write(self._err, no_commands(self.style.cut(inert(guarded(text)))) + "\n")

    def urgent(self, text: str) -> None:
        """Print a line from a signal handler, bypassing the streams: the signal may have interrupted a write to them."""
        with contextlib.suppress(OSError):
            os.write(self._err.fileno(), f"{text}\n".encode())

    def findings(self, findings: Iterable[Finding]) -> None:
        """Print findings on standard error."""
        printed = tuple(findings)
        if not printed:
            return
        from vastplan.report.findings import findings_lines

        with self._below():
            for line in findings_lines(printed, self.style):
                _write(self._err, guarded(line) + "\n")

    def error(self, text: str) -> None:
        """Print one problem on standard error."""
        with self._below():
            for line in guarded(text).splitlines():
                _write(self._err, self.style.paint(f"error: {inert(line, 2000)}", "red") + "\n")

    def answer(self, question: str) -> str | None:
        """Ask a question and return the typed line; `None` without a terminal, or at the end of the input."""
        if not sys.stdin.isatty():
            return None
        _write(self._err, question)
        line = sys.stdin.readline()
        return line.strip() if line else None

    def require_yes(self, question: str, instead: str) -> None:
        """Ask for approval, which is `yes` in full. Raises `VastplanError` without it, and without a terminal; `instead` is the option for
        where nobody can answer."""
        if self.answer(question) != "yes":
            raise VastplanError(f"nothing was done: it was not approved (use {instead} where nobody can answer)")
