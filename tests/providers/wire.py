"""A small server that misbehaves as it is told, over TLS on loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from vastplan.sim.serve import Authority


@dataclass(slots=True)
class Seen:
    """One request as the server saw it."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(slots=True)
class Server:
    """Where it is, and what came."""

    url: str
    ca: str
    seen: list[Seen] = field(default_factory=list)


Answer = Callable[[Seen, BaseHTTPRequestHandler], None]


def say(handler: BaseHTTPRequestHandler, status: int, body: Any = None, **headers: str) -> None:
    """An answer with JSON."""
    raw = b"" if body is None else json.dumps(body).encode()
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(raw)))
    handler.end_headers()
    handler.wfile.write(raw)


@contextmanager
def serving(folder: Path, answer: Answer) -> Iterator[Server]:
    """Serve until the block ends."""
    authority = Authority()
    ca = folder / "ca.pem"
    ca.write_bytes(authority.pem())

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            one = Seen(self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body)
            server.seen.append(one)
            answer(one, self)

        do_GET = do_POST = do_PATCH = do_DELETE = do_PUT = _serve  # noqa: N815

        def log_message(self, format: str, *args: Any) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            pass  # a client that had enough hangs up

    http = Quiet(("127.0.0.1", 0), Handler)
    http.socket = authority.context.wrap_socket(http.socket, server_side=True)
    server = Server(f"https://127.0.0.1:{http.server_address[1]}", str(ca))
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()
        thread.join()
