"""What a simulated control plane receives and returns: one request, one response, one plane."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


class NotJson(Exception):
    """The request's body is not JSON."""


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request; header names are lower case, `query` keeps repeated parameters."""

    method: str
    path: str
    query: Mapping[str, list[str]]
    headers: Mapping[str, str]
    body: bytes
    base_url: str

    def json(self) -> Any:
        """The body as JSON, `{}` for an empty body; raises `NotJson`."""
        if not self.body:
            return {}
        try:
            return json.loads(self.body)
        except ValueError as error:
            raise NotJson(str(error)) from error

    def first(self, name: str, default: str | None = None) -> str | None:
        """The first value of a query parameter."""
        return self.query.get(name, [default])[0]


@dataclass(frozen=True, slots=True)
class Response:
    """One HTTP response; `body` is JSON-able, `None` is an empty body, `bytes` are sent as they are.

    A response with a `stream` goes on: under the world's lock it is asked again and again what to send next, until it returns `None`.
    """

    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    stream: Callable[[], bytes | None] | None = None

    def encoded(self) -> bytes:
        """The body as it is sent."""
        if self.body is None:
            return b""
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


class Plane(Protocol):
    """A control plane: answers requests."""

    name: str

    def handle(self, request: Request) -> Response:
        """Answer one request; called under the world's lock, so one at a time."""

    def expire_tokens(self) -> None:
        """Invalidate every token given out so far, as if they had expired."""

    def busy(self) -> Response:
        """The refusal of a request when too many come at once; nothing was changed."""
