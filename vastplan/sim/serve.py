"""Serve planes over HTTPS on loopback, log the calls, and let faults strike."""

from __future__ import annotations

import selectors
import socket
import ssl
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import trustme

from vastplan.sim.faults import Effect, Fault, Faults, Rate
from vastplan.sim.wire import Plane, Request, Response

MAX_BODY = 8 * 1024 * 1024
MAX_LINE, MAX_HEADERS = 65536, 100
READ_ONLY = ("GET", "HEAD", "OPTIONS")


@dataclass(frozen=True, slots=True)
class Call:
    """One request as the server saw it."""

    method: str
    path: str
    status: int


class Authority:
    """A certificate authority for this process only; its key never touches the disk."""

    def __init__(self) -> None:
        self._ca = trustme.CA()
        leaf = self._ca.issue_cert("localhost", "127.0.0.1", "::1")
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.num_tickets = 0  # no client here takes up an earlier session
        leaf.configure_cert(self.context)

    def pem(self) -> bytes:
        """The certificate that clients must trust."""
        return bytes(self._ca.cert_pem.bytes())


class Server:
    """One plane behind one loopback port."""

    def __init__(self, plane: Plane, authority: Authority, lock: threading.RLock, port: int = 0) -> None:
        self.plane = plane
        self.faults = Faults()
        self.calls: list[Call] = []
        self.rate: Rate | None = None  # no limit
        self.latency = 0.0  # seconds added to every answer, outside the lock: for benchmarks
        self._lock = lock
        self._http = _HttpServer(("127.0.0.1", port), _handler(self), authority.context)
        self.url = f"https://127.0.0.1:{self._http.server_address[1]}"
        self._thread = threading.Thread(target=self._http.serve_forever, daemon=True)

    def start(self) -> Server:
        """Begin to answer."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Stop answering and free the port."""
        self._http.shutdown()
        if self._thread.ident is not None:
            self._thread.join()
        self._http.server_close()

    def writes(self) -> list[Call]:
        """The calls that could have changed something: all but reads, log-ins and access reviews."""
        harmless = ("/token", "/token/refresh", "selfsubjectaccessreviews")
        return [
            call
            for call in self.calls
            if call.method not in READ_ONLY and not call.path.rstrip("/").endswith(harmless)
        ]  # fmt: skip

    def answer(self, request: Request) -> tuple[Response, Fault | None]:
        """The plane's answer and the fault that strikes it."""
        with self._lock:
            fault = self.faults.strike(request.method, request.path)
            admitted = self.rate is None or self.rate.admits()
            response = self._answer(request, fault) if admitted else self.plane.busy()
            self.calls.append(Call(request.method, request.path, response.status))
        delay = self.latency + (fault.seconds if fault and fault.effect is Effect.DELAY else 0.0)
        if delay:
            time.sleep(delay)
        return response, fault

    def _answer(self, request: Request, fault: Fault | None) -> Response:
        if fault is None:
            return self.plane.handle(request)
        headers = {"Retry-After": str(fault.retry_after)} if fault.retry_after is not None else {}
        if fault.effect is Effect.STATUS:
            return Response(fault.status, {"detail": "injected fault"}, headers)
        if fault.effect is Effect.DROP_BEFORE:
            return Response(0)
        if fault.effect is Effect.EXPIRE:
            self.plane.expire_tokens()
        response = self.plane.handle(request)
        if fault.effect is Effect.COMMIT_THEN_STATUS:
            return Response(fault.status, {"detail": "injected fault"}, headers)
        if fault.effect is Effect.HTML:
            return Response(response.status, b"<html><body>gateway</body></html>", content_type="text/html")
        return response


class _HttpServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], handler: Any, context: ssl.SSLContext) -> None:
        super().__init__(address, handler)
        self._context = context
        self._ended, self._end = socket.socketpair()

    def serve_forever(self, poll_interval: float = 0.0) -> None:
        """Accept connections until `shutdown`, which is noticed at once; nothing is polled."""
        with selectors.DefaultSelector() as ready:
            ready.register(self.socket, selectors.EVENT_READ)
            ready.register(self._ended, selectors.EVENT_READ)
            while all(key.fileobj is self.socket for key, _ in ready.select()):
                self._handle_request_noblock()  # type: ignore[attr-defined]

    def shutdown(self) -> None:
        """Let `serve_forever` end; does not wait for it."""
        self._end.send(b".")

    def server_close(self) -> None:
        """Free the port."""
        super().server_close()
        self._ended.close()
        self._end.close()

    def finish_request(self, request: Any, client_address: Any) -> None:
        """Shake hands, then serve the connection."""
        # The handshake belongs to the connection's own thread: a slow client must not stop the others.
        try:
            with self._context.wrap_socket(request, server_side=True) as secured:
                super().finish_request(secured, client_address)
        except (ssl.SSLError, ConnectionError, TimeoutError):
            pass  # a client that does not trust us, or left: its loss

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a broken connection is the client's to report."""


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = 65536
        timeout = 60
        raw_requestline: bytes

        def parse_request(self) -> bool:
            """Read an ordinary request's head by hand: the library makes an e-mail of it, at the cost of all the rest."""
            words = str(self.raw_requestline, "iso-8859-1").split()
            if len(words) != 3 or words[2] != "HTTP/1.1":
                if not super().parse_request():
                    return False
                self._fields = {name.lower(): value for name, value in self.headers.items()}
                return True
            self.requestline = " ".join(words)
            self.command, self.path, self.request_version = words
            self.path = "/" + self.path.lstrip("/") if self.path.startswith("//") else self.path
            self._fields = {}
            while (line := self.rfile.readline(MAX_LINE + 1)) not in (b"\r\n", b"\n", b""):
                name, colon, value = line.partition(b":")
                if len(line) > MAX_LINE or len(self._fields) > MAX_HEADERS or not colon or name != name.strip():
                    self.send_error(400, "Bad header")
                    return False
                self._fields[str(name, "iso-8859-1").lower()] = str(value, "iso-8859-1").strip()
            self.close_connection = self._fields.get("connection", "").lower() == "close"
            expects = self._fields.get("expect", "").lower() == "100-continue"
            return self.handle_expect_100() if expects else True

        def _serve(self) -> None:
            parts = urlsplit(self.path)
            length = int(self._fields.get("content-length") or 0)
            if length > MAX_BODY:
                self._send(Response(413, {"detail": "Request body too large."}), None)
                self.close_connection = True
                return
            request = Request(
                method=self.command,
                path=unquote(parts.path),
                query=parse_qs(parts.query, keep_blank_values=True),
                headers=self._fields,
                body=self.rfile.read(length) if length else b"",
                base_url=f"https://{self._fields.get('host', server.url.removeprefix('https://'))}",
            )
            response, fault = server.answer(request)
            self._send(response, fault)

        def _send(self, response: Response, fault: Fault | None) -> None:
            if fault and fault.effect in (Effect.DROP_BEFORE, Effect.DROP_AFTER):
                self.close_connection = True
                return
            body = response.encoded()
            self.send_response(response.status)
            for name, value in response.headers.items():
                self.send_header(name, value)
            if body:
                self.send_header("Content-Type", response.content_type)
            if response.status != 204:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command == "HEAD" or response.status == 204:
                return
            if fault and fault.effect is Effect.TRUNCATE:
                self.wfile.write(body[: len(body) // 2])
                self.close_connection = True
            elif fault and fault.effect is Effect.TRICKLE:
                for index in range(len(body)):
                    self.wfile.write(body[index : index + 1])
                    self.wfile.flush()
                    time.sleep(fault.seconds)
            else:
                self.wfile.write(body)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = _serve  # noqa: N815

        def log_message(self, format: str, *args: Any) -> None:
            pass  # the call log is `Server.calls`

    return Handler


def write_pem(authority: Authority, path: Path) -> Path:
    """Write the CA certificate where a client can find it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(authority.pem())
    return path
