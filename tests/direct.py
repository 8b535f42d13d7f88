"""Requests to the simulators of this process without sockets, TLS and threads in between, for tests that are about something else.

What is sent is the same: method, path and query, headers and a body of bytes, answered with headers and a body of bytes. vastplan's own
transport limits, repeats and judges it as any other. Where the connection itself matters the request goes over it after all: to a server
that is lost or stopped, or whose faults are more than another answer, to an address that a document gives (it says `sim` of all others), and
in the tests of `SOCKETS`.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from email.utils import formatdate
from typing import Any
from urllib.parse import urlsplit

import requests
import urllib3
from requests.adapters import HTTPAdapter

from vastplan.sim import endpoints
from vastplan.sim.faults import Effect
from vastplan.sim.serve import Server, written
from vastplan.systems.http import Session
from vastplan.systems.kubernetes.client import KubernetesProvider, Pool
from vastplan.systems.runai.client import RunaiProvider
from vastplan.systems.transport import ClientRequest
from vastplan.systems.vast.client import VastProvider

SOCKETS = (
    "clients/", "contract/", "faults/", "kube/", "ledger/", "sim/", "systems/", "trust/",
    "cli/test_interrupt", "cli/test_sites", "cli/test_status", "cli/test_systems", "test_examples", "kinds/test_kinds.py::test_created",
)  # fmt: skip
"""Tests of connections, by the beginning of their names below tests/, and each kind once through everything."""
ANSWERS = {Effect.STATUS, Effect.COMMIT_THEN_STATUS, Effect.HTML, Effect.EXPIRE}
"""The effects of faults that are just another answer."""
_PLAIN = re.compile(r"[\w/.~%?&=+,:@!$'()*;-]+", re.ASCII)


def goes_direct(nodeid: str) -> bool:
    """Whether a test's requests need no connection."""
    return not nodeid.removeprefix("tests/").startswith(SOCKETS)


class Direct:
    """The servers of this process. While `on`, requests to them need no connection."""

    def __init__(self) -> None:
        self.on = False
        self._servers: dict[str, Server] = {}

    def install(self) -> None:
        """Know every server from now on, and send to it what clients of simulators send: those that have an address of their own do not."""
        start, stop, answers = Server.start, Server.stop, endpoints._answers

        def started(server: Server) -> Server:
            self._servers[server.url] = start(server)
            return server

        def stopped(server: Server) -> None:
            self._servers.pop(server.url, None)
            stop(server)

        def any_answers(published: list[endpoints.ServedEndpoint], authority: str) -> bool:
            known = self.on and any(self.server(one.url) is not None for one in published)
            return known or answers(published, authority)

        for where, name, ours in (
            (Server, "start", started), (Server, "stop", stopped), (endpoints, "_answers", any_answers),
        ):  # fmt: skip
            setattr(where, name, ours)
        for provider in (VastProvider, RunaiProvider, KubernetesProvider):
            self._after_init(provider)

    def _after_init(self, provider: Any) -> None:
        original = provider.__init__

        def init(one: Any, *words: Any, **named: Any) -> None:
            original(one, *words, **named)
            wire = one._transport.wire
            if not one.simulated or not isinstance(wire, Session | Pool):
                return
            if isinstance(wire, Session):
                base, own = wire._base, wire._headers
            else:
                base, own = str(wire._api.configuration.host), wire._api.default_headers
            one._transport.wire.send = self._before(base, own, wire.send)

        provider.__init__ = init

    def _before(self, base: str, own: Mapping[str, Any], send: Callable[..., Any]) -> Callable[..., Any]:
        """Sends to the server at an address, with the client's own headers; by `send` if that needs a connection."""

        def sends(request: ClientRequest, content: bytes | None, headers: Mapping[str, str]) -> Any:
            parts = urlsplit(base)
            server, target = self.server(f"{parts.scheme}://{parts.netloc}"), parts.path + request.target
            if not self.on or server is None or not _PLAIN.fullmatch(target):
                return send(request, content, headers)
            form = {"Content-Type": request.form} if content is not None else {}
            return self.ask(
                server, request.method, target, content, {**own, "Accept": request.accept, **headers, **form}
            )

        return sends

    def ask(self, server: Server, method: str, target: str, content: bytes | None, headers: Mapping[str, str]) -> Any:
        """The answer to one request."""
        fields = {name.lower(): value for name, value in headers.items()}
        fields["host"] = server.url.removeprefix("https://")
        if content is not None:
            fields["content-length"] = str(len(content))
        response, fault = server.answer(server.read(method, target, fields, content or b""))
        assert not server.lost and (fault is None or fault.effect in ANSWERS), "this needs a connection"
        named, body = written(response)
        named["Date"] = formatdate(server.clock(), usegmt=True)
        unsent = method == "HEAD" or response.status == 204
        return urllib3.HTTPResponse(
            io.BytesIO(b"" if unsent else body), named, response.status, preload_content=False, request_method=method
        )

    def session(self) -> requests.Session:
        """Somebody's own client for the servers of this process."""
        made = requests.Session()
        made.mount("https://", _Adapter(self))
        return made

    def server(self, url: str) -> Server | None:
        """The server at an address if it answers as usual."""
        server = self._servers.get(url)
        return server if server is not None and not server.lost and server.faults.effects() <= ANSWERS else None


class _Adapter(HTTPAdapter):
    """Sends what `requests` has prepared."""

    def __init__(self, direct: Direct) -> None:
        super().__init__()
        self._direct = direct

    def send(self, request: requests.PreparedRequest, *words: Any, **named: Any) -> requests.Response:
        """The answer; over a connection where it needs one."""
        parts = urlsplit(request.url or "")
        server = self._direct.server(f"{parts.scheme!s}://{parts.netloc!s}")
        if server is None:
            return super().send(request, *words, **named)
        content = request.body.encode() if isinstance(request.body, str) else request.body
        raw = self._direct.ask(server, str(request.method), request.path_url, content, request.headers)
        return self.build_response(request, raw)


DIRECT = Direct()
