"""A server that is hostile in one phase of HTTP: what it sends never ends, or comes a byte at a time.

It speaks TLS by raw sockets, so that it can stop anywhere: in the handshake, in a status line, between two chunks.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tests.trust import tls_records
from vastplan.sim.serve import Authority

PAUSE = 0.05  # seconds between two bytes: far less than a client minds silence
OK, CREATED = b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 201 Created\r\n"
JSON = b"Content-Type: application/json\r\n"
ENDLESS, CHUNKED = b"Content-Length: 1099511627776\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\n"
EMPTY = json.dumps({"count": 0, "next": None, "results": [], "items": [], "metadata": {}}).encode()


@dataclass
class Talk:
    """One connection: `plain` below TLS, `tls` above it once the handshake is done."""

    plain: socket.socket
    context: ssl.SSLContext
    stop: threading.Event
    requests: list[bytes]
    tls: ssl.SSLSocket = field(init=False)

    def shake_hands(self) -> None:
        """The server's half of a handshake."""
        self.tls = self.context.wrap_socket(self.plain, server_side=True)

    def request(self) -> None:
        """Read the head of a request; what follows it is a small body, or none."""
        head = b""
        while b"\r\n\r\n" not in head:
            data = self.tls.recv(65536)
            if not data:
                raise ConnectionError
            head += data
        self.requests.append(head)

    def say(self, answer: bytes) -> None:
        """All of it; what creates is answered 201, as is documented."""
        created = self.requests[-1].startswith(b"POST /api/v5/tenants/")
        self.tls.sendall(answer.replace(OK, CREATED, 1) if created and answer.startswith(OK) else answer)

    def drip(self, data: bytes, by: socket.socket | None = None) -> None:
        """A byte at a time."""
        for number in range(len(data)):
            (by or self.tls).sendall(data[number : number + 1])
            if self.stop.wait(PAUSE):
                return

    def flood(self, piece: bytes) -> None:
        """As fast as it is taken, until nobody takes it."""
        piece *= max(1, 16384 // len(piece))
        while not self.stop.is_set():
            self.tls.sendall(piece)

    def hold(self) -> None:
        """Say nothing."""
        self.stop.wait(60)


Phase = Callable[[Talk], None]
PHASES: dict[str, Phase] = {}


def phase(name: str) -> Callable[[Phase], Phase]:
    """What a server does with each connection, from the first byte on."""

    def kept(does: Phase) -> Phase:
        PHASES[name] = does
        return does

    return kept


def answering(name: str, *, head: bytes = b"", flood: bytes = b"", drip: bytes = b"", whole: bytes = b"") -> None:
    """A phase that begins with a request, and after `head` sends something without end, or bit by bit."""

    def does(talk: Talk) -> None:
        talk.shake_hands()
        while True:
            talk.request()
            talk.say(head + whole)
            while drip and not talk.stop.is_set():
                talk.drip(drip)
            if flood:
                talk.flood(flood)

    PHASES[name] = does


LARGE: dict[str, Callable[[], bytes]] = {}
"""Answers that take a moment to make, by their phase."""


def large(name: str, answer: Callable[[], bytes]) -> None:
    """A phase that answers with something large."""
    LARGE[name] = answer

    def does(talk: Talk) -> None:
        talk.shake_hands()
        while True:
            talk.request()
            talk.say(answer())

    PHASES[name] = does


@phase("no handshake")
def _(talk: Talk) -> None:
    talk.hold()


@phase("a handshake byte by byte")
def _(talk: Talk) -> None:
    talk.drip(b"\x16\x03\x03\x3f\xff\x02\x00\x3f\xfb" + bytes(16384), talk.plain)


@phase("no answer")
def _(talk: Talk) -> None:
    talk.shake_hands()
    talk.hold()


CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
answering("100 Continue without end", flood=CONTINUE)
answering("100 Continue bit by bit", drip=CONTINUE)
answering("100 Continue with headers", head=b"HTTP/1.1 100 Continue\r\n", flood=b"X: y\r\n")
answering("103 before the answer", whole=b"HTTP/1.1 103 Early Hints\r\n\r\n" + OK + b"Content-Length: 2\r\n\r\n{}")
answering("a status line without end", head=b"HTTP/1.1 200 ", flood=b"O")
answering("a status line bit by bit", drip=b"HTTP/1.1 200 " + b"O" * 4096)
answering("headers without end", head=OK, flood=b"X-More: and more\r\n")
answering("one header without end", head=OK + b"X-More: ", flood=b"m")
answering("headers bit by bit", head=OK, drip=b"X-More: and more\r\n")
answering("large headers", whole=OK + b"".join(b"X-%d: %s\r\n" % (n, b"m" * 8000) for n in range(90)) + b"\r\n")
answering("a body without end", head=OK + JSON + ENDLESS, flood=b" ")
answering("a body bit by bit", head=OK + JSON + ENDLESS, drip=b" ")
answering("a body of a refusal without end", head=b"HTTP/1.1 403 Forbidden\r\n" + ENDLESS, flood=b" ")
answering("a body of a 503 without end", head=b"HTTP/1.1 503 Busy\r\n" + ENDLESS, flood=b" ")
answering("a body of a 503 bit by bit", head=b"HTTP/1.1 503 Busy\r\n" + ENDLESS, drip=b" ")
answering("a body of a redirect without end", head=b"HTTP/1.1 302 Found\r\nLocation: /\r\n" + ENDLESS, flood=b" ")
answering("a body until the end of the connection", head=OK + b"\r\n", flood=b" ")
answering("tiny chunks without end", head=OK + CHUNKED, flood=b"1\r\n \r\n")
answering("chunks bit by bit", head=OK + CHUNKED, drip=b"1\r\n \r\n")
answering("one chunk extension without end", head=OK + CHUNKED + b"1;", flood=b"x")
answering("chunk extensions without end", head=OK + CHUNKED, flood=b"1;" + b"x" * 8000 + b"\r\n \r\n")
answering("a chunk extension bit by bit", head=OK + CHUNKED + b"1;", drip=b"x")
answering("trailers without end", head=OK + CHUNKED + b"2\r\n{}\r\n0\r\n", flood=b"X-More: and more\r\n")
answering("trailers bit by bit", head=OK + CHUNKED + b"2\r\n{}\r\n0\r\n", drip=b"X-More: and more\r\n")
answering("later, for ever", whole=b"HTTP/1.1 429 Later\r\nRetry-After: 86400\r\nContent-Length: 0\r\n\r\n")
answering(
    "later, by a long number",
    whole=b"HTTP/1.1 503 Later\r\nRetry-After: %s\r\nContent-Length: 0\r\n\r\n" % (b"9" * 9000),
)
answering(
    "what nobody asked for", whole=OK + JSON + b"Content-Length: %d\r\n\r\n" % len(EMPTY) + EMPTY, flood=b"junk\r\n"
)


@cache
def _bomb(times: int) -> bytes:
    """A quarter of a gigabyte of nothing, compressed so many times, as an answer."""
    raw = bytes(1 << 28)
    for _ in range(times):
        raw = gzip.compress(raw, 1)
    encoding = ", ".join(["gzip"] * times).encode()
    return OK + JSON + b"Content-Encoding: %s\r\nContent-Length: %d\r\n\r\n" % (encoding, len(raw)) + raw


@cache
def _many() -> bytes:
    """As many empty objects as fit into 48 MiB."""
    raw = b"[" + b"{}," * (16 << 20) + b"{}]"
    return OK + JSON + b"Content-Length: %d\r\n\r\n" % len(raw) + raw


large("a bomb", lambda: _bomb(1))
large("a bomb in a bomb", lambda: _bomb(2))
large("very many values", _many)


@phase("a broken record")
def _(talk: Talk) -> None:
    talk.shake_hands()
    talk.request()
    talk.plain = socket.socket(fileno=talk.tls.detach())
    talk.plain.sendall(b"\x17\x03\x03\x00\x40" + bytes(64))
    talk.hold()


_HANDSHAKES = threading.Lock()


@phase("records without content")
def _(talk: Talk) -> None:
    with _HANDSHAKES:  # the last secret is ours
        talk.shake_hands()
        lines = Path(str(talk.context.keylog_filename)).read_text().splitlines()
    secret = next(line.split()[2] for line in reversed(lines) if line.startswith("SERVER_TRAFFIC_SECRET_0 "))
    talk.request()
    assert talk.tls.cipher()[0] == tls_records.CIPHER  # type: ignore[index]
    talk.plain = socket.socket(fileno=talk.tls.detach())
    talk.plain.settimeout(10)  # it does not know that it does not block
    for record in tls_records.tickets(bytes.fromhex(secret)):
        talk.plain.sendall(record)
        if talk.stop.is_set():
            return


@phase("our request read byte by byte")
def _(talk: Talk) -> None:
    talk.shake_hands()
    while talk.tls.recv(1) and not talk.stop.wait(PAUSE):
        pass


@phase("a proxy's answer bit by bit")
def _(talk: Talk) -> None:
    talk.plain.recv(65536)
    talk.drip(b"HTTP/1.1 200 " + b"O" * 4096, talk.plain)


@phase("a proxy's headers without end")
def _(talk: Talk) -> None:
    talk.plain.recv(65536)
    talk.plain.sendall(OK)
    while not talk.stop.is_set():
        talk.plain.sendall(b"X-More: and more\r\n" * 1000)


@dataclass(frozen=True, slots=True)
class Hostile:
    """Where it is, who vouches for it, and the heads of the requests that came."""

    port: int
    ca: str
    requests: list[bytes]

    @property
    def url(self) -> str:
        """Its address."""
        return f"https://127.0.0.1:{self.port}"


@contextmanager
def hostile(name: str, folder: Path) -> Iterator[Hostile]:
    """A server that does so with every connection, until the block ends."""
    authority, stop, requests = Authority(), threading.Event(), list[bytes]()
    authority.context.keylog_filename = str(folder / "keys")
    ca = folder / "ca.pem"
    ca.write_bytes(authority.pem())
    LARGE.get(name, bytes)()
    listening = socket.create_server(("127.0.0.1", 0), backlog=64)
    listening.settimeout(0.1)

    def serve(plain: socket.socket) -> None:
        talk = Talk(plain, authority.context, stop, requests)
        with contextlib.suppress(OSError, ssl.SSLError), plain:
            plain.settimeout(10)
            PHASES[name](talk)
        with contextlib.suppress(AttributeError, OSError):
            talk.tls.close()
        with contextlib.suppress(OSError):
            talk.plain.close()

    def accept() -> None:
        while not stop.is_set():
            with contextlib.suppress(TimeoutError):
                threading.Thread(target=serve, args=(listening.accept()[0],), daemon=True).start()

    accepting = threading.Thread(target=accept, daemon=True)
    accepting.start()
    try:
        yield Hostile(listening.getsockname()[1], str(ca), requests)
    finally:
        stop.set()
        accepting.join()
        listening.close()
