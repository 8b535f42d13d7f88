"""Recordings of what a real API server answered: made by vcrpy, replayed by `replay`, kept small, and compared with what it answers today.

A recording is JSON: the distinct answers, and the calls in their order. Of the headers only a warning is kept, so no
credential can be in it; of `managedFields` who wrote, not what.
"""

from __future__ import annotations

import contextlib
import copy
import json
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import vcr
from vcr.record_mode import RecordMode
from vcr.request import Request
from vcr.stubs import VCRHTTPResponse
from vcr.stubs.requests_stubs import VCRRequestsHTTPConnection, VCRRequestsHTTPSConnection

from tests.kube.replay import Recording, replayed
from vastplan.systems.sockets import PlainPool, TlsPool

FOLDER = Path(__file__).parent / "recordings"
NOWHERE = 1  # the port of the server that is not there when a recording is replayed
_HOST = "https://127.0.0.1:1"
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_SERVERS_OWN = ("resourceVersion", "continue", "goVersion", "buildDate", "platform", "gitCommit", "gitTreeState")
# What cannot be the same twice: uids, times, versions, and what the server was built with.


def _read1(self: Any, amount: int = -1, *, decode_content: bool | None = None) -> bytes:
    """What urllib3's takes; vcrpy's own knows no `decode_content`, and does not give the connection back at the end."""
    return bytes(self.read(amount, decode_content=decode_content))


VCRHTTPResponse.read1 = _read1
# Our pools, which vcrpy does not know as it knows urllib3's.
_POOLS = (
    (PlainPool, "ConnectionCls", VCRRequestsHTTPConnection),
    (TlsPool, "ConnectionCls", VCRRequestsHTTPSConnection),
)


@dataclass(frozen=True, slots=True)
class Call:
    """One request as the recorder saw it."""

    method: str
    path: str
    status: int


class Tape:
    """The calls of one test; `with` it, requests to the port are recorded (live) or answered from the file."""

    def __init__(self, name: str, port: int, file: Path, *, live: bool) -> None:
        self.name, self.port, self.file, self.live = name, port, file, live
        self.calls: list[Call] = []
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def running(self) -> Iterator[Tape]:
        """Record or replay; a replay that does not use up its recording fails."""
        with self._recording() if self.live else self._replaying():
            yield self

    @contextlib.contextmanager
    def _recording(self) -> Iterator[None]:
        recorder = vcr.VCR(
            serializer="kube", match_on=("call",), before_record_request=self._ours, custom_patches=_POOLS
        )
        recorder.register_serializer("kube", _Serializer())
        recorder.register_matcher("call", _never_the_same)
        self.file.unlink(missing_ok=True)
        with recorder.use_cassette(
            str(self.file), record_mode=RecordMode.ALL, before_record_response=_without_the_past
        ) as cassette:
            self._listen(cassette)
            yield

    @contextlib.contextmanager
    def _replaying(self) -> Iterator[None]:
        if not self.file.is_file():
            raise FileNotFoundError(f"{self.file.name} is not recorded yet: make record-kube")
        recording = Recording(self.file)
        with replayed(recording, self.port, lambda method, path, status: self.calls.append(Call(method, path, status))):
            yield
        left = recording.left()
        assert not left, f"{self.name} sends fewer requests than were recorded ({left[0]} ...): make record-kube"

    def _ours(self, request: Request) -> Request | None:
        if urlsplit(request.uri).port not in (self.port, NOWHERE):
            return None
        ours = copy.copy(request)
        parts = urlsplit(request.uri)
        ours.uri = f"{_HOST}{parts.path}" + (f"?{parts.query}" if parts.query else "")
        ours.headers = {}
        return ours

    def _listen(self, cassette: Any) -> None:
        """Keep a log of the calls, one thread at a time."""
        append = cassette.append

        def appended(request: Request, response: dict[str, Any]) -> None:
            with self._lock:
                append(request, response)
                if self._ours(request) is not None:
                    path = urlsplit(request.uri).path
                    self.calls.append(Call(request.method, path, response["status"]["code"]))

        cassette.append = appended


def _never_the_same(first: Request, second: Request) -> None:
    raise AssertionError("each call is recorded anew")


def _parsed(raw: Any) -> Any:
    if raw is None or raw in (b"", ""):
        return None
    try:
        return json.loads(raw)
    except ValueError:
        return raw.decode(errors="replace") if isinstance(raw, bytes) else raw


def _without_the_past(response: dict[str, Any]) -> dict[str, Any]:
    """The answer without what vastplan never reads: which field was written by whom."""
    body = _parsed(response["body"]["string"])
    _strip(body)
    kept = {name: value for name, value in response["headers"].items() if name.lower() in ("content-type", "warning")}
    text = body if isinstance(body, str) else json.dumps(body)
    return {**response, "headers": kept, "body": {"string": text.encode()}}


def _strip(node: Any) -> None:
    if isinstance(node, dict):
        if "fieldsV1" in node:
            node["fieldsV1"] = {}
        for value in node.values():
            _strip(value)
    elif isinstance(node, list):
        for value in node:
            _strip(value)


class _Serializer:
    """vcrpy's interactions as JSON, one line an answer and one line a call."""

    def serialize(self, cassette: dict[str, Any]) -> str:
        answers: dict[str, int] = {}
        calls = []
        for one in cassette["interactions"]:
            request, response = one["request"], one["response"]
            parts = urlsplit(request["uri"])
            where = parts.path + (f"?{urlencode(parse_qsl(parts.query))}" if parts.query else "")
            answer = {"body": _parsed(response["body"]["string"]), "headers": response["headers"]}
            index = answers.setdefault(json.dumps(answer, sort_keys=True), len(answers))
            call = [request["method"], where, _parsed(request["body"]), response["status"]["code"], index]
            calls.append(json.dumps(call))
        return '{"answers": [\n' + ",\n".join(answers) + '\n], "calls": [\n' + ",\n".join(calls) + "\n]}\n"

    def deserialize(self, text: str) -> dict[str, Any]:
        raise AssertionError("a recording is replayed without vcrpy")


def differences(recorded: Path, today: Path) -> list[str]:
    """Where what the server answers today departs from the recording; requests may come in another order."""
    before, after = _answers(recorded), _answers(today)
    found = [f"no longer sent: {one}" for one in before if one not in after]
    found += [f"not in the recording: {one}" for one in after if one not in before]
    for one in before:
        if one in after and before[one] != after[one]:
            found.append(f"{one}\n  recorded: {before[one]}\n  today:    {after[one]}")
    return found


def _answers(file: Path) -> dict[str, list[str]]:
    """The answers to each call in their order; polls for an end count once, and not while the end is awaited."""
    whole = json.loads(file.read_text(encoding="utf-8"))
    found: dict[str, list[str]] = {}
    for method, where, sent, status, index in whole["calls"]:
        body = whole["answers"][index]["body"]
        ending = isinstance(body, dict) and "deletionTimestamp" in (body.get("metadata") or {})
        if method == "GET" and ending:
            continue
        answers = found.setdefault(f"{method} {plain(where)} {plain(sent)}", [])
        answer = f"{status} {plain(body)}"
        if answers[-1:] != [answer]:
            answers.append(answer)
    return found


def plain(value: Any) -> str:
    """A value as text, without what no two servers have in common."""
    text = json.dumps(_plain(value), sort_keys=True)
    return _TIME.sub("TIME", _UUID.sub("UUID", text))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        if isinstance(value.get("managedFields"), list):  # their order depends on the clock
            value = {**value, "managedFields": sorted(value["managedFields"], key=lambda one: str(one.get("manager")))}
        return {key: "*" if key in _SERVERS_OWN else _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return value
