"""A small server that misbehaves as it is told, over TLS on loopback."""

from __future__ import annotations

import json
import select
import socket
import ssl
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
    port: int  # the client's: a connection


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
def serving(folder: Path, answer: Answer, *, clients: bytes = b"") -> Iterator[Server]:
    """Serve until the block ends; `clients` is the authority whose certificates clients must have."""
    authority = Authority()
    if clients:
        authority.context.verify_mode = ssl.CERT_REQUIRED
        authority.context.load_verify_locations(cadata=clients.decode())
    ca = folder / "ca.pem"
    ca.write_bytes(authority.pem())

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # else an answer in two parts takes 40 ms

        def _serve(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            headers = {k.lower(): v for k, v in self.headers.items()}
            one = Seen(self.command, self.path, headers, body, self.client_address[1])
            server.seen.append(one)
            answer(one, self)

        do_GET = do_POST = do_PATCH = do_DELETE = do_PUT = _serve  # noqa: N815

        def log_message(self, format: str, *args: Any) -> None:
            pass

    http = Quiet(("127.0.0.1", 0), Handler)
    http.socket = authority.context.wrap_socket(http.socket, server_side=True)
    server = Server(f"https://127.0.0.1:{http.server_address[1]}", str(ca))
    with _running(http):
        yield server


@contextmanager
def refusing() -> Iterator[Server]:
    """A proxy that lets nobody through."""

    class Handler(BaseHTTPRequestHandler):
        def do_CONNECT(self) -> None:
            self.send_response(407)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    http = Quiet(("127.0.0.1", 0), Handler)
    with _running(http):
        yield Server(f"http://127.0.0.1:{http.server_address[1]}", "")


@contextmanager
def proxying() -> Iterator[Server]:
    """A forward proxy that lets everybody through; it sees no more than the name of a host and its port."""

    class Handler(BaseHTTPRequestHandler):
        def do_CONNECT(self) -> None:
            headers = {k.lower(): v for k, v in self.headers.items()}
            server.seen.append(Seen("CONNECT", self.path, headers, b"", self.client_address[1]))
            host, _, port = self.path.rpartition(":")
            with socket.create_connection((host, int(port)), 5) as there:
                self.send_response(200)
                self.end_headers()
                pairs = {self.connection: there, there: self.connection}
                while ready := select.select(list(pairs), [], [], 5)[0]:
                    for one in ready:
                        data = one.recv(65536)
                        if not data:
                            return
                        pairs[one].sendall(data)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    http = Quiet(("127.0.0.1", 0), Handler)
    server = Server(f"http://127.0.0.1:{http.server_address[1]}", "")
    with _running(http):
        yield server


class Quiet(ThreadingHTTPServer):
    """A server that does not mind a client that had enough and hangs up."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing."""


@contextmanager
def _running(http: ThreadingHTTPServer) -> Iterator[None]:
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield
    finally:
        http.shutdown()
        http.server_close()
        thread.join()
