"""urllib3's connections over sockets that keep the limits of the call that uses them, in every part of it.

A socket's timeout applies to one piece: a server that sends a piece a minute is never late. These sockets wait no longer than
until the end of the call, whatever they wait for: a handshake, a line, a chunk, a trailer, or sending the request.
"""

from __future__ import annotations

import socket
import ssl
from typing import Any

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import ConnectTimeoutError, LocationParseError, NameResolutionError, NewConnectionError
from urllib3.util import connection as connecting
from urllib3.util.ssl_ import create_urllib3_context, resolve_cert_reqs

from vastplan.systems.bounds import CURRENT


class _Bounded(socket.socket):
    """A socket on which no wait outlasts the call."""

    def recv_into(self, *args: Any, **named: Any) -> int:
        """As a socket does. Raises `Overdue`, and `TooMuch` if the answer exceeds its limit."""
        self._hurry()
        try:
            count = super().recv_into(*args, **named)
        except TimeoutError:
            self._hurry()
            raise
        _took(count)
        return count

    def recv(self, *args: Any, **named: Any) -> bytes:
        """As `recv_into`."""
        self._hurry()
        try:
            data = super().recv(*args, **named)
        except TimeoutError:
            self._hurry()
            raise
        _took(len(data))
        return data

    def send(self, *args: Any, **named: Any) -> int:
        """As a socket does. Raises `Overdue`."""
        self._hurry()
        try:
            return super().send(*args, **named)
        except TimeoutError:
            self._hurry()
            raise

    def sendall(self, *args: Any, **named: Any) -> None:
        """As `send`."""
        self._hurry()
        try:
            super().sendall(*args, **named)
        except TimeoutError:
            self._hurry()
            raise

    def _hurry(self) -> None:
        """Limit the timeout to what the call has left. It only decreases: every call starts with its own timeout."""
        if (bounds := CURRENT.get()) is not None:
            bounds.waits_on = self
            left, timeout = bounds.left(), self.gettimeout()
            if timeout is None or left < timeout:
                self.settimeout(left)


class _BoundedTls(_Bounded, ssl.SSLSocket):
    """The same under TLS."""

    def do_handshake(self, block: bool = False) -> None:
        """As a socket does. Raises `Overdue`."""
        self._hurry()
        try:
            super().do_handshake(block)
        except TimeoutError:
            self._hurry()
            raise


def _took(count: int) -> None:
    if (bounds := CURRENT.get()) is not None:
        bounds.took(count)


class _Plain(HTTPConnection):
    """A connection over bounded sockets."""

    def _new_conn(self) -> socket.socket:
        """Connect to the first of the host's addresses that answers in time; a name may have any number of them."""
        last_problem: OSError = OSError("the host has no address")
        bounds = CURRENT.get()
        for host in _addresses(self):
            timeout = self.timeout if bounds is None else min(self.timeout or bounds.left(), bounds.left())
            try:
                connected = connecting.create_connection(
                    (host, self.port), timeout, source_address=self.source_address, socket_options=self.socket_options
                )
            except OSError as problem:
                last_problem = problem
                continue
            own = _Bounded(fileno=connected.detach())
            own.settimeout(self.timeout)
            return own
        if bounds is not None:
            bounds.left()
        if isinstance(last_problem, TimeoutError):
            raise ConnectTimeoutError(self, f"Connection to {self.host} timed out.") from last_problem
        raise NewConnectionError(self, f"Failed to establish a new connection: {last_problem}") from last_problem


class _Tls(HTTPSConnection, _Plain):
    """The same under TLS. It creates a TLS context if the pool was given none."""

    def connect(self) -> None:
        """Connect; the TLS connection of a proxy is bounded as well."""
        if self.proxy_config is not None and self.proxy_config.ssl_context is None:
            self.proxy_config = self.proxy_config._replace(ssl_context=self._context())
        if self.ssl_context is None:
            self.ssl_context = self._context()
            self.ca_certs = self.ca_cert_dir = self.ca_cert_data = None  # the context has them
        for context in (self.ssl_context, self.proxy_config and self.proxy_config.ssl_context):
            if context is not None:
                context.sslsocket_class = _BoundedTls
        super().connect()

    def _context(self) -> ssl.SSLContext:
        """A context like urllib3's own."""
        context = create_urllib3_context(cert_reqs=resolve_cert_reqs(self.cert_reqs))
        if self.ca_certs or self.ca_cert_dir or self.ca_cert_data:
            context.load_verify_locations(self.ca_certs, self.ca_cert_dir, self.ca_cert_data)
        else:
            context.load_default_certs()
        return context


class PlainPool(HTTPConnectionPool):
    """Bounded connections without TLS, such as to a proxy."""

    ConnectionCls = _Plain


class TlsPool(HTTPSConnectionPool):
    """Bounded connections with TLS."""

    ConnectionCls = _Tls


def bound_sockets(manager: urllib3.PoolManager) -> None:
    """Make the manager use bounded sockets only."""
    manager.pool_classes_by_scheme = {"http": PlainPool, "https": TlsPool}


def _addresses(connection: HTTPConnection) -> list[str]:
    """The numeric addresses of its host, as the resolver orders them."""
    host = connection._dns_host.strip("[]")
    try:
        infos = socket.getaddrinfo(host, connection.port, connecting.allowed_gai_family(), socket.SOCK_STREAM)
    except socket.gaierror as problem:
        raise NameResolutionError(connection.host, connection, problem) from problem
    except UnicodeError:
        raise LocationParseError(f"'{host}', label empty or too long") from None
    places = [place for *_, place in infos]
    return [f"{place[0]}%{place[3]}" if len(place) == 4 and place[3] else str(place[0]) for place in places]
