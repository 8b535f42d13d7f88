"""Where output goes: results to standard output, progress and problems to standard error."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import stat
import sys
import threading
from collections.abc import Iterable, Iterator
from typing import Any, TextIO

from vastplan.model.escaping import inert, json_without_commands, no_commands
from vastplan.model.finding import Finding
from vastplan.model.sensitive import guarded
from vastplan.report import json_report
from vastplan.report.text import Style, findings_lines


def _is_file(out: TextIO) -> bool:
    try:
        return stat.S_ISREG(os.fstat(out.fileno()).st_mode)
    except (OSError, ValueError):  # it has no number: text in memory
        return False


class Screen:
    """Two streams and a style."""

    def __init__(self, out: TextIO, err: TextIO, *, colour: bool) -> None:
        self._out = out
        self._err = err
        self._status, self._lock = "", threading.RLock()
        self.into_file = _is_file(out)
        """Whether results go to a file, of which nothing is left out."""
        self.style = Style(colour=colour, width=shutil.get_terminal_size((100, 24)).columns if out.isatty() else 140)

    @property
    def watched(self) -> bool:
        """Whether somebody may be looking at standard error."""
        return self._err.isatty()

    def status(self, text: str) -> None:
        """The line that says how work goes on, in the place of the one before; "" takes it away."""
        with self._lock:
            if text == self._status:
                return
            self._status = text
            line = no_commands(inert(guarded(text)))
            self._err.write("\r\x1b[K" + line[: self._columns() - 1] if text else "\r\x1b[K")
            self._err.flush()

    def _columns(self) -> int:
        try:
            return os.get_terminal_size(self._err.fileno()).columns or 80
        except (OSError, ValueError):
            return 80

    @contextlib.contextmanager
    def _below(self) -> Iterator[None]:
        """What is written meanwhile does not stand beside the status, which is taken away."""
        with self._lock:
            if self._status:
                self._status = ""
                self._err.write("\r\x1b[K")
                self._err.flush()
            yield

    def show(self, text: str) -> None:
        """A result as text for people; in the log of a job no line of it is a command."""
        self._print(no_commands(guarded(text)))

    def rendered(self, text: str, *, is_json: bool) -> None:
        """A result in a format of its own."""
        self._print(json_without_commands(guarded(text)) if is_json else guarded(text))

    def _print(self, text: str) -> None:
        with self._below():
            self._out.write(text if text.endswith("\n") else text + "\n")
            self._out.flush()

    def json(self, data: Any) -> None:
        """A result as JSON."""
        self.rendered(json.dumps(data, sort_keys=True, indent=1), is_json=True)

    def machine(self, value: json_report.Printed) -> None:
        """A result as the JSON that has a schema."""
        self.rendered(json_report.dumps(value), is_json=True)

    def progress(self, text: str) -> None:
        """A line on how work goes on."""
        with self._below():
            self._err.write(no_commands(self.style.cut(inert(guarded(text)))) + "\n")
            self._err.flush()

    def urgent(self, text: str) -> None:
        """A line from a signal handler: past the streams, which the signal may have struck in the middle of a write."""
        os.write(self._err.fileno(), f"{text}\n".encode())

    def findings(self, findings: Iterable[Finding]) -> None:
        """Findings, on standard error."""
        with self._below():
            for line in findings_lines(tuple(findings), self.style):
                self._err.write(guarded(line) + "\n")

    def error(self, text: str) -> None:
        """One problem, on standard error."""
        with self._below():
            for line in guarded(text).splitlines():
                self._err.write(self.style.paint(f"error: {inert(line, 2000)}", "red") + "\n")

    def answer(self, question: str) -> str | None:
        """What a person types in a line; `None` when there is none, or nobody goes on typing."""
        if not sys.stdin.isatty():
            return None
        self._err.write(question)
        self._err.flush()
        line = sys.stdin.readline()
        return line.strip() if line else None

    def ask(self, question: str) -> bool:
        """Whether a person answers yes, in full; without a person the answer is no."""
        if not sys.stdin.isatty():
            return False
        self._err.write(question)
        self._err.flush()
        return sys.stdin.readline().strip() == "yes"
