"""A server that is hostile in any phase of HTTP holds vastplan no longer than one deadline, and takes no memory."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import certifi
import pytest
import yaml

from tests.force import by_force
from tests.systems.test_transport import kind, provider, rows
from tests.systems.wire import Server
from tests.trust.hostile_server import PHASES, Hostile, hostile
from vastplan.model.errors import Refused, Unclear, Unreachable
from vastplan.schema.transport_limits import TransportLimits

LATE = "no complete answer within 1.5 s"
HEAD = "the headers of the answer are larger than 64 KiB"
LARGE = "the answer is larger than 1 MiB"
SHORT = {"connect": 1.0, "silence": 1.0, "whole": 1.5, "retries": 1, "size": 1 << 20}
MEMORY = 200  # MiB of a process that makes a plan: what it imports takes more than half of it


@dataclass(frozen=True, slots=True)
class Expected:
    """What must be said of a phase, whatever the system; `limits` beside those of all."""

    says: str
    limits: tuple[tuple[str, Any], ...] = ()
    proxy: bool = False


TABLE = {
    "no handshake": Expected(LATE),
    "a handshake byte by byte": Expected(LATE),
    "no answer": Expected(LATE),
    "100 Continue without end": Expected(HEAD),
    "100 Continue bit by bit": Expected(LATE),
    "100 Continue with headers": Expected("got more than 100 headers"),
    "103 before the answer": Expected("status 103, which is no answer yet"),
    "a status line without end": Expected(HEAD),
    "a status line bit by bit": Expected(LATE),
    "headers without end": Expected("got more than 100 headers"),
    "one header without end": Expected(HEAD),
    "headers bit by bit": Expected(LATE),
    "large headers": Expected(HEAD),
    "a body without end": Expected(LARGE),
    "a body bit by bit": Expected(LATE),
    "a body of a refusal without end": Expected(LARGE),
    "a body of a 503 without end": Expected(LARGE),
    "a body of a 503 bit by bit": Expected(LATE),
    "a body of a redirect without end": Expected(LARGE),
    "a body until the end of the connection": Expected(LARGE),
    "tiny chunks without end": Expected(LARGE),
    "chunks bit by bit": Expected(LATE),
    "one chunk extension without end": Expected("got more than 65536 bytes"),
    "chunk extensions without end": Expected(LARGE),
    "a chunk extension bit by bit": Expected(LATE),
    "trailers without end": Expected(LARGE),
    "trailers bit by bit": Expected(LATE),
    "later, for ever": Expected("429"),
    "later, by a long number": Expected("503"),
    "a bomb": Expected(LARGE),
    "a bomb in a bomb": Expected(LARGE),
    "records without content": Expected(LATE),
    "a broken record": Expected("DECRYPTION_FAILED_OR_BAD_RECORD_MAC"),
    "very many values": Expected("the answer has more values than 160 MiB hold", (("size", 64 << 20), ("whole", 30.0))),
    "a proxy's answer bit by bit": Expected(LATE, proxy=True),
    "a proxy's headers without end": Expected(HEAD, proxy=True),
}
ELSEWHERE = {"our request read byte by byte", "what nobody asked for"}
_LARGE_ONES = ("a bomb", "a bomb in a bomb", "very many values")
QUICK = TransportLimits(connect=1, silence=1, whole=0.6, retries=1, backoff=0.001, size=1 << 20)


def test_every_phase_is_tried() -> None:
    assert set(TABLE) | ELSEWHERE == set(PHASES)


@pytest.mark.slow
@pytest.mark.parametrize("name", by_force(TABLE, "very many values"))
def test_a_plan_ends_in_time_and_takes_no_memory(name: str, tmp_path: Path) -> None:
    expected = TABLE[name]
    limits = {**SHORT, **dict(expected.limits)}
    with hostile(name, tmp_path) as server:
        done, noted = _planned(server, tmp_path, limits, expected.proxy)
    assert done.returncode == 6, done
    assert "Traceback" not in done.stderr, done.stderr
    plan = json.loads(done.stdout)
    reasons = {one["system"]: one["reason"] for one in plan["unknown"]}
    assert set(reasons) == {"vast", "kubernetes", "runai"}, done
    # A machine that has much to do may take all the time for less than what is too much.
    right = (expected.says, LATE, "logging in answered" if name.startswith("later") else expected.says)
    for reason in reasons.values():
        assert any(says in reason for says in right), (name, reasons)
    assert noted["seconds"] < limits["whole"] + 20, (name, noted)
    assert noted["mebibytes"] < MEMORY, (name, noted)


@pytest.mark.slow
@pytest.mark.parametrize("name", by_force([name for name in TABLE if name not in _LARGE_ONES], "a body bit by bit"))
def test_an_import_ends_in_time_and_writes_nothing(name: str, tmp_path: Path) -> None:
    """It reads every collection that there is, and is held no longer than for each of them."""
    expected = TABLE[name]
    with hostile(name, tmp_path) as server:
        done, noted = _planned(server, tmp_path, SHORT, expected.proxy, ("import", "doc.yaml", "--out", "."))
    assert done.returncode == 6, done
    assert "Traceback" not in done.stderr, done.stderr
    said = json.loads(done.stdout)
    assert (said["files"], said["taken"], said["left"]) == ([], [], [])
    assert {one["kind"] for one in said["unread"]} >= {"tenant", "namespace", "department", "pod"}
    assert sorted(path.name for path in tmp_path.glob("*.yaml")) == ["connections.yaml", "doc.yaml"]
    assert noted["seconds"] < 45 and noted["mebibytes"] < MEMORY, (name, noted)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a body without end", "a body of a 503 without end"])
def test_nor_by_the_usual_bounds(name: str, tmp_path: Path) -> None:
    """Many calls at once, each with an answer as large as one may be: those of a system are read one after the other."""
    with hostile(name, tmp_path) as server:
        done, noted = _planned(server, tmp_path, {}, proxy=False)
    assert done.returncode == 6, done
    assert {one["system"] for one in json.loads(done.stdout)["unknown"]} == {"vast", "kubernetes", "runai"}, done
    assert noted["mebibytes"] < MEMORY + 3 * (TransportLimits().size >> 20), (name, noted)


def _planned(
    server: Hostile, folder: Path, limits: dict[str, Any], proxy: bool, line: tuple[str, ...] = ("plan", "doc.yaml")
) -> tuple[subprocess.CompletedProcess[str], dict[str, float]]:
    url = "https://127.0.0.1:9" if proxy else server.url
    token = {"env": "HOSTILE_TOKEN"}
    cluster = {"server": url, "certificate-authority": server.ca}
    kubeconfig = {
        "apiVersion": "v1", "kind": "Config", "current-context": "x",
        "clusters": [{"name": "c", "cluster": cluster}], "users": [{"name": "u", "user": {"token": "t"}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
    }  # fmt: skip
    systems = {
        "vast": {"url": url, "ca_file": server.ca, "token": token},
        "kubernetes": {"kubeconfig": "kubeconfig"},
        "runai": {"url": url, "ca_file": server.ca, "cluster": "c", "client_id": "i", "client_secret": token},
    }
    document = {
        "version": 1, "name": "doc", "sites": {"iad": {}},
        "tenants": {"a": {}}, "namespaces": {"n": {}}, "departments": {"d": {"gpus": {"default": 1}}},
    }  # fmt: skip
    for name, content in {
        "kubeconfig": kubeconfig, "connections.yaml": {"version": 1, "sites": {"iad": systems}}, "doc.yaml": document,
    }.items():  # fmt: skip
        (folder / name).write_text(yaml.safe_dump(content))
    environment = {**os.environ, "HOSTILE_TOKEN": "a-token", "NO_PROXY": "" if proxy else "*"}
    if proxy:
        environment["HTTPS_PROXY"] = f"http://127.0.0.1:{server.port}"
    note = folder / "note"
    words = [sys.executable, "-m", "tests.trust.hostile_plan", str(note), json.dumps(limits), *line]
    done = subprocess.run(
        [*words, "--connections", "connections.yaml", "--format", "json"],
        cwd=folder, env={**environment, "PYTHONPATH": os.getcwd()}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    return done, json.loads(note.read_text())


def _writing(system: str, server: Hostile, limits: TransportLimits = QUICK, content: str = "") -> None:
    name = content or "a"
    asked = {"name": name} if system == "vast" else {"metadata": {"name": name}}
    provider(system, Server(server.url, server.ca), limits).create(kind(system), asked)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    by_force([name for name in TABLE if not TABLE[name].proxy], "records without content", "trailers bit by bit"),
)
@pytest.mark.parametrize("system", by_force(["vast", "kubernetes"], "kubernetes"))
def test_a_write_without_an_answer_may_have_happened(system: str, name: str, tmp_path: Path) -> None:
    """It is sent once, unless it was turned away unread."""
    with hostile(name, tmp_path) as server:
        with pytest.raises(Refused if name == "later, for ever" else Unclear):
            _writing(system, server)
        assert len(server.requests) <= 1


@pytest.mark.slow
@pytest.mark.parametrize("system", ["vast", "kubernetes"])
def test_our_request_is_read_too_slowly(system: str, tmp_path: Path) -> None:
    with hostile("our request read byte by byte", tmp_path) as server:
        with pytest.raises(Unclear, match=r"no complete answer within 0\.6 s"):
            _writing(system, server, content="x" * (32 << 20))


@pytest.mark.parametrize("system", ["vast", "kubernetes"])
def test_what_follows_an_answer_is_no_part_of_the_next(system: str, tmp_path: Path) -> None:
    with hostile("what nobody asked for", tmp_path) as server:
        client = provider(system, Server(server.url, server.ca), TransportLimits())
        assert [list(client.pages(kind(system))) for _ in range(3)] == [[rows(system).get("results", [])]] * 3


@pytest.mark.slow
def test_a_proxy_with_tls_is_bounded_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with hostile("headers bit by bit", tmp_path) as server:
        monkeypatch.setenv("HTTPS_PROXY", server.url)
        monkeypatch.setenv("NO_PROXY", "")
        there = Server("https://vms.example.com", server.ca)
        with pytest.raises(Unreachable, match=r"no complete answer within 0\.6 s"):
            list(provider("vast", there, QUICK).pages(kind("vast")))
        assert [head.split(b"\r\n")[0] for head in server.requests] == [b"CONNECT vms.example.com:443 HTTP/1.0"]


@pytest.mark.parametrize("system", ["vast", "kubernetes"])
def test_a_host_with_very_many_addresses(system: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """None of which answers: they are tried until the call is over, by a clock that only waiting moves."""
    now = [0.0]
    waited = []

    def silent(_: object, timeout: float, **__: object) -> None:
        waited.append(timeout)
        now[0] += timeout
        raise TimeoutError

    addresses = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (f"192.0.2.{number}", 443)) for number in range(250)]
    monkeypatch.setattr("vastplan.systems.sockets.socket.getaddrinfo", lambda *_: addresses)
    monkeypatch.setattr("urllib3.util.connection.create_connection", silent)
    monkeypatch.setattr("vastplan.systems.bounds.time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setenv("NO_PROXY", "*")
    hasty = TransportLimits(connect=10, whole=35, retries=0)
    with pytest.raises(Unreachable, match="no complete answer within 35 s"):
        list(provider(system, Server("https://vms.example.com", certifi.where()), hasty).pages(kind(system)))
    assert waited == [10, 10, 10, 5]
