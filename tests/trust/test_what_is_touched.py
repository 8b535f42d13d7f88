"""Python's own audit events of `validate`, `plan`, `drift` and `record` on hostile documents: files, processes, hosts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from tests.force import by_force
from tests.trust.test_document_is_data import CANARY, kubeconfig, running

ROOT = Path(__file__).parents[2]
# Every command in one process: what the first has imported, the others need not open again.
PROGRAM = """
import json, os, sys
seen = []
WATCHED = ("open", "sqlite3.connect", "os.listdir", "os.scandir")
STARTS = ("subprocess.Popen", "os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "pty.spawn")
ASKS = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.sendmsg")
def hook(event, args):
    if event in WATCHED and isinstance(args[0], (str, bytes, os.PathLike)):
        seen.append(("file", os.path.abspath(os.fsdecode(args[0]))))
    elif event in STARTS:
        seen.append(("process", repr(args)))
    elif event in ASKS:
        seen.append(("host", str(args[1][0] if event in ("socket.connect", "socket.sendto") else args[0])))
sys.addaudithook(hook)
from vastplan.cli import main
codes = []
for words in json.loads(sys.argv[1]):
    try:
        codes.append(main(words))
    except SystemExit as ended:
        codes.append(ended.code)
print(json.dumps([codes, seen]), file=open(sys.argv[2], "w"))
"""


class Machine(NamedTuple):
    """A runner: a stranger's checkout, and beside it what is the runner's own."""

    repo: Path
    outside: Path
    home: Path
    run: Path
    temp: Path

    def touched(self) -> Path:
        return self.outside / "touched"


class Seen(NamedTuple):
    """The exit codes, and what was opened, started and asked for."""

    codes: list[int]
    files: list[str]
    processes: list[str]
    hosts: set[str]
    said: str


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = Machine(*(tmp_path / name for name in Machine._fields))
    for folder in machine:
        folder.mkdir(mode=0o700)
    (machine.outside / "key").write_text(f"{CANARY}: secret\n")
    (machine.home / ".kube").mkdir()
    for name in (".kube/config", ".netrc", ".env"):
        (machine.home / name).write_text(CANARY)
    (machine.repo / ".git").mkdir()
    for name in (".git/config", ".env"):
        (machine.repo / name).write_text(CANARY)
    return machine


def seen_of(machine: Machine, commands: list[list[str]]) -> Seen:
    env = {
        "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": str(machine.home), "TMPDIR": str(machine.temp),
        "XDG_RUNTIME_DIR": str(machine.run), "VAULT_TOKEN": CANARY, "LANG": "C.UTF-8",
    }  # fmt: skip
    log = machine.temp / "seen.json"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(commands), str(log)],
        cwd=machine.repo, env=env, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done
    codes, events = json.loads(log.read_text())
    installed = {ROOT / "vastplan", Path(sys.prefix), Path(sys.base_prefix), *map(Path, sysconfig.get_paths().values())}
    ours = (machine.repo, machine.run, machine.temp, Path(os.devnull), *installed)
    files = [what for kind, what in events if kind == "file"]
    assert len(files) > 100, "nothing was seen"  # of the installation
    return Seen(
        codes,
        sorted({file for file in files if not any(Path(file).is_relative_to(folder) for folder in ours)}),
        [what for kind, what in events if kind == "process"],
        {what for kind, what in events if kind == "host"},
        done.stdout + done.stderr,
    )


COMMANDS = [
    ["validate", "doc.yaml"],
    ["plan", "doc.yaml"],
    ["drift", "doc.yaml"],
    ["record", "doc.yaml", "--out", "s.json"],
]
SIMULATED = {"lab": {"sim": {"systems": ["kubernetes"]}}}
NAMED = "127.0.0.1"
ADDRESS = f"https://{NAMED}:9"


def _write(machine: Machine, **more: Any) -> None:
    whole = {"version": 1, "name": "doc", "sites": SIMULATED, **more}
    (machine.repo / "doc.yaml").write_text(yaml.safe_dump(whole))


def _secret(machine: Machine, **source: str) -> None:
    data = {"namespace": "a", "data": {"token": source}}
    _write(machine, namespaces={"a": {}}, secrets={"s": data})


def _kubeconfig(machine: Machine) -> None:
    content = kubeconfig(user={"exec": running(machine.touched())})
    (machine.repo / "kc").write_text(yaml.safe_dump(content))
    _write(machine, sites={"lab": {"kubernetes": {"kubeconfig": "kc"}}}, namespaces={"a": {}})


def _linked_kubeconfig(machine: Machine) -> None:
    (machine.repo / "kc").symlink_to(machine.home / ".kube" / "config")
    _write(machine, sites={"lab": {"kubernetes": {"kubeconfig": "kc"}}}, namespaces={"a": {}})


def _leftovers(machine: Machine) -> None:
    """All that a running simulator once left, and a ledger whose files lead out."""
    sim, ledger = machine.repo / ".vastplan" / "sim", machine.repo / ".vastplan" / "ledger"
    sim.mkdir(parents=True)
    ledger.mkdir()
    (sim / "lab.kubeconfig").write_text(yaml.safe_dump(kubeconfig(user={"exec": running(machine.touched())})))
    endpoint = {
        "site": "lab", "system": "kubernetes", "url": "https://10.255.255.1:9", "ca_file": str(machine.outside / "key"), "username": "",
        "password": "p", "kubeconfig": str(sim / "lab.kubeconfig"),
    }  # fmt: skip
    (sim / "endpoints.json").write_text(json.dumps({"pid": 1, "endpoints": [endpoint]}))
    (ledger / "other.json").symlink_to(machine.outside / "key")
    _write(machine, namespaces={"a": {}})


def _linked_yaml(machine: Machine) -> None:
    _write(machine)
    (machine.repo / "doc.yaml").rename(machine.repo / "first.yaml")
    (machine.repo / "doc.yaml").symlink_to(machine.outside / "key")


def _real(machine: Machine, **vast: Any) -> None:
    (machine.repo / "token").write_text("t")
    given = {"url": ADDRESS, "token": {"file": "token"}, **vast}
    _write(machine, sites={"lab": {"vast": given}}, tenants={"a": {}})


HOSTILE: dict[str, tuple[Callable[[Machine], None], list[int]]] = {
    "only text": (lambda machine: _write(machine, namespaces={"a": {}}), [0, 0, 0, 0]),
    "a kubeconfig that runs a command": (_kubeconfig, [1, 1, 1, 1]),
    "a kubeconfig that is the runner's": (_linked_kubeconfig, [1, 1, 1, 1]),
    "what simulators left": (_leftovers, [0, 1, 1, 1]),
    "a document that leads out": (_linked_yaml, [1, 1, 1, 1]),
    "a Secret from outside": (lambda machine: _secret(machine, file="../outside/key"), [1, 1, 1, 1]),
    "a Secret from a home": (lambda machine: _secret(machine, file=str(machine.home / ".netrc")), [1, 1, 1, 1]),
    "a Secret from git": (lambda machine: _secret(machine, file=".git/config"), [1, 1, 1, 1]),
    "a Secret from a device": (lambda machine: _secret(machine, file="/dev/zero"), [1, 1, 1, 1]),
    "a Secret from a variable": (lambda machine: _secret(machine, env="VAULT_TOKEN"), [0, 1, 1, 0]),
    "a ledger outside": (lambda machine: _write(machine, ledger={"local": "../outside"}), [1, 1, 1, 1]),
    "an authority outside": (lambda machine: _real(machine, ca_file="../outside/key"), [1, 1, 1, 1]),
    "a token from a variable": (lambda machine: _real(machine, token={"env": "VAULT_TOKEN"}), [0, 6, 6, 6]),
    "a token of its own for a host that it names": (_real, [0, 6, 6, 6]),
}  # fmt: skip


@pytest.mark.parametrize("name", by_force(HOSTILE, "what simulators left"))
def test_nothing_is_touched_that_is_not_the_documents(name: str, machine: Machine) -> None:
    write, codes = HOSTILE[name]
    write(machine)
    seen = seen_of(machine, COMMANDS)
    assert (seen.codes, seen.files, seen.processes) == (codes, [], []), seen
    assert seen.hosts <= {NAMED, "0.0.0.0"}, seen
    assert CANARY not in seen.said and not machine.touched().exists()
    assert CANARY not in "".join(file.read_text(errors="replace") for file in machine.repo.glob("*.json"))


@pytest.mark.slow
def test_and_what_would_be_is_seen(machine: Machine) -> None:
    """With a connections file of the runner's that runs a command, names files elsewhere, and another host."""
    _write(machine, sites={"lab": {}}, namespaces={"a": {}}, tenants={"t": {}})
    content = kubeconfig(
        user={"exec": {**running(machine.touched()), "command": sys.executable, "args": ["-c", "pass"]}}
    )
    (machine.outside / "kc").write_text(yaml.safe_dump(content))
    vast = {"url": "https://vms.invalid", "token": {"file": "key"}}
    given = {"version": 1, "sites": {"lab": {"kubernetes": {"kubeconfig": "kc"}, "vast": vast}}}
    (machine.outside / "c.yaml").write_text(yaml.safe_dump(given))
    seen = seen_of(machine, [["plan", "doc.yaml", "--connections", str(machine.outside / "c.yaml")]])
    assert seen.codes == [6] and len(seen.processes) == 1 and "vms.invalid" in seen.hosts, seen
    assert {Path(file).name for file in seen.files} >= {"c.yaml", "kc", "key"}, seen
