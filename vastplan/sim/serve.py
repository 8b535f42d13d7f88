"""Serve planes over HTTPS on loopback, log the calls, and apply faults."""

from __future__ import annotations

import json
import select
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import trustme

from vastplan.sim import private_files
from vastplan.sim.faults import Effect, Fault, Faults, Rate
from vastplan.sim.wire import Plane, Request, Response

MAX_BODY = 8 * 1024 * 1024
MAX_LINE = 65536  # bytes of one header
MAX_HEADERS = 100
STREAM_PAUSE = 0.1  # seconds between two looks at what a stream has to send
READ_ONLY = ("GET", "HEAD", "OPTIONS")


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """One request as the server saw it."""

    method: str
    path: str
    status: int


class Authority:
    """A certificate authority for this process only; its key is never written to disk."""

    def __init__(self) -> None:
        self._ca = trustme.CA()
        leaf = self._ca.issue_cert("localhost", "127.0.0.1", "::1")
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.num_tickets = 0  # no client here resumes a session
        leaf.configure_cert(self.context)

    def pem(self) -> bytes:
        """The certificate that clients must trust."""
        return bytes(self._ca.cert_pem.bytes())


@cache
def process_authority() -> Authority:
    """The authority that all worlds of this process share: its keys are generated once."""
    return Authority()


class Server:
    """One plane behind one loopback port."""

    def __init__(self, plane: Plane, authority: Authority, lock: threading.RLock, port: int = 0) -> None:
        self.plane = plane
        self.faults = Faults()
        self.calls: list[RecordedCall] = []
        self.rate: Rate | None = None  # no limit
        self.clock: Callable[[], float] = getattr(plane, "now", time.time)
        """The clock that dates its answers: the plane's own, if it has one."""
        self.latency = 0.0  # seconds added to every answer, outside the lock: for benchmarks
        self._lock = lock
        self._authority = authority
        self._found = threading.Event()
        self._found.set()
        self._http = _HttpServer(("127.0.0.1", port), _handler(self), authority.context)
        self.url = f"https://127.0.0.1:{self._http.server_address[1]}"
        self._thread = threading.Thread(target=self._http.serve, daemon=True)

    def start(self) -> Server:
        """Start answering."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Stop answering and free the port."""
        if self._thread.is_alive():
            self._http.stop()
            self._thread.join()
        self._found.set()
        self._http.server_close()

    def lose(self, *, silent: bool = False) -> None:
        """Answer nobody until `find`: connections are refused, with `silent` accepted and never answered. The port stays reserved."""
        if not self._found.is_set():
            return
        self._found.clear()
        self._http.stop()
        self._thread.join()
        port = self._http.server_address[1]
        self._http.server_close()
        self._http = _HttpServer(("127.0.0.1", port), _handler(self), self._authority.context, listens=silent)

    def find(self) -> None:
        """Answer again, at the same address."""
        if self._found.is_set():
            return
        self._http.listen()
        self._thread = threading.Thread(target=self._http.serve, daemon=True)
        self._thread.start()
        self._found.set()

    @property
    def lost(self) -> bool:
        """Whether the server answers nobody."""
        return not self._found.is_set()

    def writes(self) -> list[RecordedCall]:
        """The calls that could have changed something: all except reads, log-ins and access reviews."""
        harmless = ("/token", "/token/refresh", "selfsubjectaccessreviews")
        return [
            call
            for call in self.calls
            if call.method not in READ_ONLY and not call.path.rstrip("/").endswith(harmless)
        ]  # fmt: skip

    def read(self, method: str, target: str, fields: Mapping[str, str], body: bytes) -> Request:
        """A request from its first line, its headers by lower-case name, and its body."""
        parts = urlsplit(target)
        return Request(
            method=method,
            path=unquote(parts.path),
            query=parse_qs(parts.query, keep_blank_values=True) if parts.query else {},
            headers=fields,
            body=body,
            base_url=f"https://{fields.get('host') or self.url.removeprefix('https://')}",
        )

    def answer(self, request: Request) -> tuple[Response, Fault | None]:
        """The plane's answer and the fault that strikes the request."""
        with self._lock:
            fault = self.faults.strike(request.method, request.path)
            admitted = self.rate is None or self.rate.admits()
            response = self._answer(request, fault) if admitted else self.plane.busy()
            self.calls.append(RecordedCall(request.method, request.path, response.status))
        delay = self.latency + (fault.seconds if fault and fault.effect is Effect.DELAY else 0.0)
        if delay:
            time.sleep(delay)
        return response, fault

    def next_part(self, response: Response) -> bytes | None:
        """What a response with a stream sends next, b"" for nothing yet, `None` at its end and while the server answers nobody."""
        with self._lock:
            return None if self.lost or not self._thread.is_alive() or not response.stream else response.stream()

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


def written(response: Response) -> tuple[dict[str, str], bytes]:
    """The headers and the body of a response as they are sent."""
    body = response.encoded()
    headers = dict(response.headers)
    if body:
        headers["Content-Type"] = response.content_type
    if response.status != 204:
        headers["Content-Length"] = str(len(body))
    return headers, body


class _HttpServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(
        self, address: tuple[str, int], handler: Any, context: ssl.SSLContext, *, listens: bool = True
    ) -> None:
        super().__init__(address, handler, bind_and_activate=False)
        self._context = context
        self._stopping = False
        self._listens = False
        try:
            self.server_bind()  # bound but not listening: the port is held, and connections are refused
            if listens:
                self.listen()
        except BaseException:
            self.server_close()
            raise

    def listen(self) -> None:
        """Accept connections; they wait until `serve` runs."""
        if not self._listens:
            self.server_activate()
            self._listens = True

    def serve(self) -> None:
        """Serve connections until `stop`."""
        while not self._stopping:
            self.handle_request()

    def stop(self) -> None:
        """Make `serve`, which waits for a connection, return now by connecting to it."""
        self._stopping = True
        with suppress(OSError):
            socket.create_connection(("127.0.0.1", self.server_port), timeout=1).close()

    def verify_request(self, request: Any, client_address: Any) -> bool:
        """Whether to serve a connection."""
        return not self._stopping

    def finish_request(self, request: Any, client_address: Any) -> None:
        """Shake hands, then serve the connection."""
        # The handshake runs in the connection's own thread: a slow client must not block the others.
        try:
            with self._context.wrap_socket(request, server_side=True) as secured:
                super().finish_request(secured, client_address)
        except (ssl.SSLError, ConnectionError, TimeoutError):
            pass  # the client does not trust this authority, or left

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing: a broken connection is the client's to report."""


class _LeanHandler(BaseHTTPRequestHandler):
    """The standard handler, but headers are read into a plain dictionary: its e-mail parser costs more than most answers."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 65536
    timeout = 60
    raw_requestline: bytes
    fields: dict[str, str]
    """The request's headers by lower-case name; of a repeated header, the last."""

    def parse_request(self) -> bool:
        """Read the head of a request; `False` after a refusal, or if it is incomplete."""
        self.close_connection = True
        self.requestline = str(self.raw_requestline, "iso-8859-1").rstrip("\r\n")
        words = self.requestline.split()
        if len(words) != 3 or words[2] not in ("HTTP/1.0", "HTTP/1.1"):
            self.command, self.request_version = "", "HTTP/1.1"
            self.send_error(400, "Bad request line")
            return False
        self.command, self.path, self.request_version = words
        self.path = "/" + self.path.lstrip("/") if self.path.startswith("//") else self.path
        self.fields = {}
        while (line := self.rfile.readline(MAX_LINE + 1)) not in (b"\r\n", b"\n"):
            if not line:  # the client is gone, and the request incomplete
                self.close_connection = True
                return False
            name, _, value = line.decode("iso-8859-1").partition(":")
            self.fields[name.strip().lower()] = value.strip()
            if len(line) > MAX_LINE or len(self.fields) > MAX_HEADERS:
                self.send_error(431)
                return False
        connection = self.fields.get("connection", "").lower()
        self.close_connection = connection == "close" or (words[2] == "HTTP/1.0" and connection != "keep-alive")
        if self.fields.get("expect", "").lower() == "100-continue":
            self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            self.wfile.flush()
        return True

    def send_head(self, status: int, headers: Mapping[str, str]) -> None:
        """Write the status line and the headers."""
        phrase = self.responses.get(HTTPStatus(status), ("", ""))[0]
        lines = [f"HTTP/1.1 {status} {phrase}", f"Server: {self.version_string()}", f"Date: {self.date_time_string()}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self.wfile.write(("\r\n".join(lines) + "\r\n\r\n").encode("iso-8859-1"))

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse a request that reaches no plane, in JSON as each plane answers; a method that HTTP does not have is 405."""
        status = 405 if code == HTTPStatus.NOT_IMPLEMENTED else code
        body = json.dumps({"detail": message or HTTPStatus(status).phrase}).encode()
        self.close_connection = True
        self.send_head(
            status, {"Content-Type": "application/json", "Content-Length": str(len(body)), "Connection": "close"}
        )
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing: the call log is `Server.calls`."""


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(_LeanHandler):
        def date_time_string(self, timestamp: float | None = None) -> str:
            return super().date_time_string(server.clock() if timestamp is None else timestamp)

        def _serve(self) -> None:
            length = int(self.fields.get("content-length") or 0)
            if length > MAX_BODY:
                self.close_connection = True
                self._send(Response(413, {"detail": "Request body too large."}), None)
                return
            body = self.rfile.read(length) if length else b""
            if len(body) < length:  # the client is gone, and half a request may mean something else
                self.close_connection = True
                return
            if server.lost:  # a connection opened before the loss
                self.close_connection = True
                return
            response, fault = server.answer(server.read(self.command, self.path, self.fields, body))
            self._send(response, fault)

        def _send(self, response: Response, fault: Fault | None) -> None:
            if fault and fault.effect in (Effect.DROP_BEFORE, Effect.DROP_AFTER):
                self.close_connection = True
                return
            if response.stream is not None and fault is None and self.command != "HEAD":
                self._send_parts(response)
                return
            headers, body = written(response)
            self.send_head(response.status, headers)
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

        def _send_parts(self, response: Response) -> None:
            """Send a stream in chunks, until it ends or the client goes."""
            self.send_head(response.status, {"Content-Type": response.content_type, "Transfer-Encoding": "chunked"})
            part: bytes | None = response.encoded()
            while part is not None:
                if part:
                    self.wfile.write(b"%x\r\n%b\r\n" % (len(part), part))
                self.wfile.flush()
                if select.select([self.connection], [], [], STREAM_PAUSE)[0]:  # it sends nothing here: it has gone
                    self.close_connection = True
                    return
                part = server.next_part(response)
            self.wfile.write(b"0\r\n\r\n")

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = _serve  # noqa: N815

    return Handler


def write_pem(authority: Authority, path: Path) -> Path:
    """Write the CA certificate where a client can find it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return private_files.write_private(path, authority.pem())
