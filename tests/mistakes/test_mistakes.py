"""Who made a mistake knows from the message alone what to type next: each message is held word for word, and what it says is done.

`VASTPLAN_GOLDEN=write` writes what is told today into the cases; read what changed before you keep it.
"""

from __future__ import annotations

import base64
import os
import re
import shlex
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from ruamel.yaml.scalarstring import LiteralScalarString

from tests.conftest import Ran, Run
from tests.mistakes.cases import DOCUMENT, HERE, Case, Step, cases
from vastplan.schema.transport_limits import DEFAULT_LIMITS
from vastplan.sim.runai import RunaiPlane, StandaloneCluster
from vastplan.sim.serve import Authority, Server, write_pem
from vastplan.sim.store import Store
from vastplan.sim.vast import VastPlane

ALL = list(cases())
WRITE = os.environ.get("VASTPLAN_GOLDEN") == "write"
FOREIGN = re.compile(
    r"pydantic|Traceback|Error\b(?!:)|\b(str|int|dict|bool|NoneType|ValueError)\b|Input should|does not appear to be|match pattern|\^\[|"
    r"instance of|field required|errno|Errno|\bobject at 0x",
)


_WRONG = re.compile(r"error|warning|blocked|^\\? ")
_TOLD = ("blocked (", "error VP", "warning VP", "? far ")


class Folder:
    """Where somebody works: the document, what is beside it, and a VMS that is not simulated as far as the document knows."""

    def __init__(self, path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path, self._vastplan, self._monkeypatch = path, vastplan, monkeypatch
        self.server, self.runai = "", ""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._closed = f"127.0.0.1:{free.getsockname()[1]}"  # nobody listens there once it is closed
        (path / DOCUMENT).write_text((HERE / "document.yaml").read_text(encoding="utf-8"), encoding="utf-8")
        (path / "csi-password").write_text("hunter2", encoding="utf-8")

    def do(self, step: Step) -> Ran:
        """What the step says, at the end of which something is typed."""
        for command in step.before:
            assert (ran := self._run(command)).code in (0, 2), ran
        self.write(step)
        return self._run(step.run)

    def write(self, step: Step) -> None:
        """What the step has written."""
        for name, value in step.env.items():
            if value is None:
                self._monkeypatch.delenv(name, raising=False)
            else:
                self._monkeypatch.setenv(name, self._filled(value))
        for name, text in step.write.items():
            if text is None:
                (self.path / name).unlink()
            elif name.endswith("/"):
                (self.path / name).mkdir()
            elif text.startswith("base64:"):
                (self.path / name).write_bytes(base64.b64decode(text.removeprefix("base64:")))
            else:
                (self.path / name).write_text(self._filled(text), encoding="utf-8")
        for old, new in ((self._filled(old), new) for old, new in step.edit):
            text = (self.path / DOCUMENT).read_text(encoding="utf-8")
            assert text.count(old) == 1, (old, text.count(old))
            (self.path / DOCUMENT).write_text(text.replace(old, self._filled(new)), encoding="utf-8")

    def told(self, text: str) -> str:
        """What was told, without what differs from one run to the next."""
        for value, name in self._names():
            text = text.replace(value, name) if value else text
        return re.sub(r"\b[0-9a-f]{12}\b", "{id}", text)

    def _filled(self, text: str) -> str:
        for value, name in self._names():
            text = text.replace(name, value)
        return text

    def _names(self) -> Iterator[tuple[str, str]]:
        """What is called otherwise in a case."""
        yield from (
            (self.server, "{server}"),
            (self.runai, "{runai}"),
            (self._closed, "{closed}"),
            (str(self.path), "{folder}"),
        )
        yield self.server.rpartition(":")[2], "{port}"

    def _run(self, command: str) -> Ran:
        return self._vastplan(*shlex.split(self._filled(command)))


@pytest.fixture
def folder(tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """A folder to make mistakes in."""
    return Folder(tmp_path, vastplan, monkeypatch)


@pytest.fixture
def served(folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Folder]:
    """A folder with a VMS, whose certificate is `ca.pem`; `other.pem` is somebody else's. Between two tries is hardly a pause."""
    monkeypatch.setattr("vastplan.app.connect.TRANSPORT_LIMITS", replace(DEFAULT_LIMITS, backoff=0.001))
    authority, other = Authority(), Authority()
    server = Server(VastPlane(Store(), password="hunter2"), authority, threading.RLock()).start()
    clusters = {"iad-h100": StandaloneCluster(Store())}
    plane = RunaiPlane(Store(), client_id="vastplan", client_secret="hunter2", clusters=clusters)
    runai = Server(plane, authority, threading.RLock()).start()
    write_pem(authority, tmp_path / "ca.pem")
    write_pem(other, tmp_path / "other.pem")
    folder.server, folder.runai = server.url, runai.url
    yield folder
    server.stop()
    runai.stop()


@pytest.mark.parametrize("case", ALL, ids=[f"{case.file.stem}-{case.title}" for case in ALL])
def test_the_message_says_what_to_type_next(case: Case, request: pytest.FixtureRequest) -> None:
    folder: Folder = request.getfixturevalue("served" if case.file.stem == "connections" else "folder")
    ran = folder.do(case.step)
    err, out = folder.told(ran.err), folder.told(ran.out)
    if WRITE:
        _note(case, err, out)
    assert ran.code == case.step.code, ran
    assert "hunter2" not in ran.err + ran.out
    if not WRITE:
        assert err == case.message
        printed = [line.strip() for line in out.splitlines()]
        assert all(line.strip() in printed for line in case.says.splitlines())
    told = case.message or case.says
    assert WRITE or told
    assert not FOREIGN.search(err), err
    again = folder.do(case.next)
    assert again.code == case.next.code, again
    for line in (line.strip() for line in told.splitlines() if _WRONG.search(line)):
        assert line not in folder.told(again.err + again.out), "the mistake is still there"


def test_there_are_enough_of_them_and_none_is_there_twice() -> None:
    titles = [case.title for case in ALL]
    assert len(titles) >= 76 and len(set(titles)) == len(titles)


def _note(case: Case, err: str, out: str) -> None:
    """Write what is told into the case."""
    yaml = YAML(typ="rt")
    yaml.width = 4096
    yaml.indent(mapping=2, sequence=4, offset=2)
    tree: Any = yaml.load(case.file.read_text(encoding="utf-8"))
    noted = next(one for one in tree if one["mistake"] == case.title)
    if err or "says" not in noted:
        noted["message"] = LiteralScalarString(err)
    if "says" in noted:
        lines = [line.strip() for line in out.splitlines() if any(word in line for word in _TOLD)]
        noted["says"] = LiteralScalarString("".join(f"{line}\n" for line in lines))
    with case.file.open("w", encoding="utf-8") as file:
        yaml.dump(tree, file)
