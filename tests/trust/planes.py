"""Control planes that turn on their callers: they quote what they were sent, or answer with what nobody documented."""

from __future__ import annotations

import base64
import copy
import html
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from vastplan.sim.wire import Plane, Request, Response


def heard(request: Request) -> str:
    """All that a server can know of its caller."""
    headers = "\n".join(f"{name}: {value}" for name, value in request.headers.items())
    return f"{headers}\n\n{request.body.decode('utf-8', 'replace')}"


ECHOES: dict[str, Callable[[str], Any]] = {
    "a detail": lambda text: {"detail": text},
    "a message": lambda text: {"message": text},
    "a nested error": lambda text: {"errors": [{"headers": {"authorization": text}}]},
    "text": lambda text: text.encode(),
    "a page": lambda text: f"<html><pre>{html.escape(text)}</pre></html>".encode(),
    "half of JSON": lambda text: json.dumps({"detail": text}).encode()[:-2],
    "a query": lambda text: {"detail": quote(text)},
    "base64": lambda text: {"detail": " ".join(base64.b64encode(part.encode()).decode() for part in text.split())},
}


class Echo:
    """A plane that refuses and quotes its caller; only writes when `reads` is off, logging in included when it is on."""

    def __init__(self, plane: Plane, status: int, form: str, *, reads: bool, log_in: bool = False) -> None:
        self.name = plane.name
        self._plane, self._status, self._form = plane, status, form
        self._reads, self._log_in = reads, log_in
        self.quoted: list[str] = []

    def handle(self, request: Request) -> Response:
        """The refusal."""
        logging_in = request.path.rstrip("/").endswith("/token")
        if (logging_in and not self._log_in) or (request.method == "GET" and not self._reads):
            return self._plane.handle(request)
        self.quoted.append(heard(request))
        return Response(self._status, ECHOES[self._form](heard(request)))

    def expire_tokens(self) -> None:
        """As the plane behind it."""
        self._plane.expire_tokens()

    def busy(self) -> Response:
        """Nobody limits it."""
        raise AssertionError("nobody limits it")


class Tampered:
    """A plane whose answers to reads of some paths are changed on the way."""

    def __init__(self, plane: Plane, change: Callable[[Any], Any], only: str = "") -> None:
        self.name = plane.name
        self._plane, self._change, self._only = plane, change, only

    def handle(self, request: Request) -> Response:
        """The plane's answer, changed."""
        found = self._plane.handle(request)
        if request.method != "GET" or self._only not in request.path or found.status != 200:
            return found
        return Response(200, self._change(copy.deepcopy(found.body)))

    def expire_tokens(self) -> None:
        """As the plane behind it."""
        self._plane.expire_tokens()

    def busy(self) -> Response:
        """Nobody limits it."""
        raise AssertionError("nobody limits it")


def rows_of(body: Any) -> list[dict[str, Any]]:
    """The rows of an answer."""
    found = body if isinstance(body, list) else next(value for value in body.values() if isinstance(value, list))
    assert found
    return found
