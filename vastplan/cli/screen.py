"""Where output goes: results to standard output, progress and problems to standard error."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterable
from typing import Any, TextIO

from vastplan.model.escaping import inert, json_without_commands, no_commands
from vastplan.model.finding import Finding
from vastplan.model.sensitive import guarded
from vastplan.report import json_report
from vastplan.report.text import Style, findings_lines


class Screen:
    """Two streams and a style."""

    def __init__(self, out: TextIO, err: TextIO, *, colour: bool) -> None:
        self._out = out
        self._err = err
        self.style = Style(colour=colour, width=shutil.get_terminal_size((100, 24)).columns if out.isatty() else 140)

    def show(self, text: str) -> None:
        """A result as text for people; in the log of a job no line of it is a command."""
        self._print(no_commands(guarded(text)))

    def rendered(self, text: str, *, is_json: bool) -> None:
        """A result in a format of its own."""
        self._print(json_without_commands(guarded(text)) if is_json else guarded(text))

    def _print(self, text: str) -> None:
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
        self._err.write(no_commands(self.style.cut(inert(guarded(text)))) + "\n")
        self._err.flush()

    def urgent(self, text: str) -> None:
        """A line from a signal handler: past the streams, which the signal may have struck in the middle of a write."""
        os.write(self._err.fileno(), f"{text}\n".encode())

    def findings(self, findings: Iterable[Finding]) -> None:
        """Findings, on standard error."""
        for line in findings_lines(tuple(findings), self.style):
            self._err.write(guarded(line) + "\n")

    def error(self, text: str) -> None:
        """One problem, on standard error."""
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
