"""Answers from a recording: each call takes the next answer that was given to the same call, and nothing is sent.

It stands in for urllib3's exchange on a connection, below retries and redirects, for both `requests` and the Kubernetes
client. vcrpy records; to replay thousands of calls it is too slow: it compares each call with all that were recorded.
"""

from __future__ import annotations

import io
import json
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from urllib3 import HTTPHeaderDict, HTTPResponse
from urllib3.connectionpool import HTTPConnectionPool

Key = tuple[str, str, tuple[tuple[str, str], ...], str]
"""Method, path, sorted query, and the body as canonical JSON."""
Note = Callable[[str, str, int], None]
"""Told of each call that was answered: method, path, status."""


class NotRecorded(Exception):
    """A call for which the recording has no answer, or no more."""


class Recording:
    """The answers of a recording that were not given yet."""

    def __init__(self, file: Path) -> None:
        content = json.loads(file.read_text(encoding="utf-8"))
        self._name = file.stem
        self._lock = threading.Lock()
        self._answers: dict[Key, deque[tuple[int, dict[str, list[str]], bytes]]] = {}
        for method, target, sent, status, index in content["calls"]:
            answer = content["answers"][index]
            body = answer["body"] if isinstance(answer["body"], str) else json.dumps(answer["body"])
            entry = (status, answer["headers"], body.encode())
            self._answers.setdefault(_key(method, target, sent), deque()).append(entry)

    def take(self, method: str, target: str, body: Any) -> tuple[int, dict[str, list[str]], bytes]:
        """Status, headers and body of the next answer to a call. Raises `NotRecorded`."""
        with self._lock:
            answers = self._answers.get(_key(method, target, _parsed(body)))
            if not answers:
                raise NotRecorded(f"{self._name} has no answer left for {method} {target} {body!r}: make record-kube")
            return answers.popleft()

    def left(self) -> list[str]:
        """The calls whose answers were not taken."""
        return [f"{method} {path}" for (method, path, _, _), answers in self._answers.items() for _ in answers]


def _key(method: str, target: str, body: Any) -> Key:
    parts = urlsplit(target)
    query = tuple(sorted(parse_qsl(parts.query, keep_blank_values=True)))
    return method, parts.path, query, json.dumps(body, sort_keys=True) if body else ""


def _parsed(raw: Any) -> Any:
    if not raw:
        return None
    try:
        return json.loads(raw)
    except ValueError:
        return raw.decode(errors="replace") if isinstance(raw, bytes) else raw


@contextmanager
def replayed(recording: Recording, port: int, note: Note) -> Iterator[None]:
    """Calls to the port are answered from the recording; all others go out."""
    exchange = HTTPConnectionPool._make_request

    def answered(pool: Any, connection: Any, method: str, url: str, body: Any = None, *words: Any, **named: Any) -> Any:
        if pool.port != port:
            return exchange(pool, connection, method, url, body, *words, **named)
        status, headers, content = recording.take(method, url, body)
        note(method, urlsplit(url).path, status)
        response = HTTPResponse(
            io.BytesIO(content), HTTPHeaderDict((name, value) for name in headers for value in headers[name]), status,
            version=11, version_string="HTTP/1.1", reason="", request_method=method, request_url=url,
            preload_content=named.get("preload_content", True), decode_content=named.get("decode_content", True),
        )  # fmt: skip
        response.retries = named.get("retries")
        response._connection = named.get("response_conn")
        response._pool = pool
        return response

    HTTPConnectionPool._make_request = answered  # type: ignore[assignment,method-assign]
    try:
        yield
    finally:
        HTTPConnectionPool._make_request = exchange  # type: ignore[method-assign]
