"""What both demos are told with: commands that are shown and run, and changes by somebody who does not use vastplan."""

from __future__ import annotations

import json
import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import requests

ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path("demo")  # a copy of an example, which a story may edit; git does not keep it
PROGRAM = [sys.executable, "-m", "vastplan"]
BOLD, DIM, END = (
    ("\x1b[1m", "\x1b[2m", "\x1b[0m") if sys.stdout.isatty() and not os.environ.get("NO_COLOR") else ("", "", "")
)
# A command prints its progress while it works and its result at the end, into one pipe: in this order.
ENVIRONMENT = {**os.environ, "PYTHONUNBUFFERED": "1"}
ASKED = re.compile(rb"(?:type the restore point, (\S+)|Type yes to start): \Z")


class Story:
    """Runs the steps and counts what was not as expected."""

    def __init__(self) -> None:
        self.wrong = 0
        self._endpoints: dict[tuple[str, str], dict[str, Any]] = {}

    def tell(self, text: str) -> None:
        """The heading of a step."""
        print(f"\n{BOLD}{text}{END}", flush=True)

    @staticmethod
    def shell(line: str) -> None:
        """Show a line as it is typed."""
        print(f"{DIM}$ {line}{END}", flush=True)

    def copy(self, example: str, folder: Path) -> None:
        """Copy an example, so that it can be edited."""
        self.shell(f"cp -r {example} {folder}")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(ROOT / example, folder, ignore=shutil.ignore_patterns(".vastplan", "__pycache__"))

    def look(self, path: Path, start: str, after: int) -> None:
        """Show a part of a file: the line with `start`, and so many lines after it."""
        self.shell(f"grep -A{after} '{start}' {path}")
        lines = path.read_text(encoding="utf-8").splitlines()
        at = next(number for number, line in enumerate(lines) if start in line)
        print("\n".join(lines[at : at + after + 1]), flush=True)

    def edit(self, path: Path, old: str, new: str) -> None:
        """Change one line of a document, and show it."""
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{path} does not hold {old!r}"
        path.write_text(text.replace(old, new), encoding="utf-8")
        print(f"  {path}: {old.strip()}  →  {new.strip() or '(removed)'}", flush=True)

    def run(
        self,
        *words: str,
        expect: int,
        show: Sequence[str] = (),
        first: int = 0,
        last: int = 0,
        program: Sequence[str] = PROGRAM,
    ) -> str:
        """One vastplan command, shown and run; its exit code must be the expected one. Returns all that it printed.

        `show` cuts its output to the lines with one of these texts, all of which must be there, `first` and `last` to so many
        lines at its beginning and end; a line says how many were cut. Another `program` is vastplan with the pauses of a move cut short.
        """
        without_pauses = "" if program is PROGRAM else f"  # by {program[-1]}, which cuts the pauses of a move short"
        self.shell(f"vastplan {shlex.join(words)}{without_pauses}")
        code, printed = typed([*program, *words])
        lines = printed.splitlines()
        whole = not (show or first or last)
        kept = [
            whole or number < first or number >= len(lines) - last or any(one in line for one in show)
            for number, line in enumerate(lines)
        ]
        for line in cut(lines, kept):
            print(line)
        sys.stdout.flush()
        if code:
            print(f"{DIM}(exit code {code}){END}", flush=True)
        self.hold(code == expect, f"exit code {expect}")
        self.expect(printed, *show)
        return printed

    def expect(self, text: str, *wanted: str) -> None:
        """What an output must have said."""
        for one in wanted:
            self.hold(one in text, f"to read: {one}")

    def hold(self, holds: bool, wanted: str) -> None:
        """Count what is not as expected, and say so."""
        if not holds:
            print(f"the demo expected {wanted}", flush=True)
            self.wrong += 1

    def serve(self, *command: str) -> subprocess.Popen[str]:
        """The simulators in the background; returns once they answer."""
        self.shell(f"{'python' if command[0].endswith('.py') else 'vastplan'} {' '.join(command)} &")
        program = [sys.executable] if command[0].endswith(".py") else PROGRAM
        server = subprocess.Popen([*program, *command], stdout=subprocess.PIPE, text=True, env=ENVIRONMENT)
        assert server.stdout is not None
        while "ready" not in (line := server.stdout.readline()) and "both sites" not in line:
            if not line:
                raise SystemExit(f"the simulators ended with exit code {server.wait()}")
        folder = Path(command[0]).parent if command[0].endswith(".py") else Path(command[-1])
        published = json.loads((folder / ".vastplan" / "sim" / "endpoints.json").read_text(encoding="utf-8"))
        self._endpoints = {(one["site"], one["system"]): one for one in published["endpoints"]}
        return server

    @staticmethod
    def next_second() -> None:
        """Wait for the next second: the ledger notes whole seconds, and a change of the same one has no author."""
        time.sleep(1 - time.time() % 1)

    def world(self, script: Path, *words: str) -> str:
        """What people and accidents do to the simulated sites: a command of `world.py`, shown and run."""
        self.shell(f"python {script} {' '.join(words)}")
        done = subprocess.run([sys.executable, str(script), *words], stdout=subprocess.PIPE, text=True, check=True)
        print(done.stdout, end="", flush=True)
        return done.stdout

    def by_hand(
        self, site: str, system: str, method: str, path: str, body: Any = None, kind: str = "application/json"
    ) -> Any:
        """A person uses the system's own API, with a log-in that is not vastplan's."""
        one = self._endpoints[site, system]
        if method != "GET":
            print(f"  {site} {system}: {method} {path} {json.dumps(body) if body is not None else ''}", flush=True)
        answer = requests.request(
            method,
            one["url"] + path,
            data=json.dumps(body) if body is not None else None,
            headers={"Authorization": _authorisation(one), "Content-Type": kind},
            verify=one["ca_file"],
            timeout=30,
        )
        answer.raise_for_status()
        return answer.json() if answer.content else None


def typed(command: Sequence[str]) -> tuple[int, str]:
    """Run a command at a terminal, and type what it asks for: `yes`, or the restore point. Its exit code, and all that it printed."""
    keyboard, terminal = pty.openpty()
    printed = b""
    with subprocess.Popen(
        command, stdin=terminal, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=ENVIRONMENT
    ) as process:
        assert process.stdout is not None
        os.close(terminal)
        while read := os.read(process.stdout.fileno(), 65536):
            printed += read
            if asked := ASKED.search(printed):
                answer = (asked[1] or b"yes") + b"\n"
                os.write(keyboard, answer)
                printed += answer
    os.close(keyboard)
    return process.returncode, printed.decode()


def cut(lines: Sequence[str], kept: Iterable[bool]) -> list[str]:
    """The kept lines, with one line for each run of others that says how many there are."""
    shown: list[str] = []
    left_out = 0
    for line, keep in [*zip(lines, kept, strict=True), ("", True)]:
        if not keep:
            left_out += 1
            continue
        if left_out:
            shown.append(f"{DIM}  ({left_out} {'line' if left_out == 1 else 'lines'} not shown){END}")
            left_out = 0
        shown.append(line)
    return shown[:-1]


def end(server: subprocess.Popen[str]) -> None:
    """End the simulators."""
    server.terminate()
    server.wait(timeout=20)


def _authorisation(one: dict[str, Any]) -> str:
    name, secret = one["username"], one["password"]
    if one["system"] == "kubernetes":
        return f"Bearer {secret}"
    if one["system"] == "vast":
        path, body, token = "/api/token/", {"username": name, "password": secret}, "access"
    else:
        path, token = "/api/v1/token", "accessToken"
        body = {"grantType": "client_credentials", "clientID": name, "clientSecret": secret}
    answer = requests.post(one["url"] + path, json=body, verify=one["ca_file"], timeout=30)
    answer.raise_for_status()
    return f"Bearer {answer.json()[token]}"
