"""The meaning of a failed request, from the exception or the status, and its reason in short."""

from __future__ import annotations

import http.client
import re
import ssl
from collections.abc import Iterator
from enum import Enum
from typing import Any

import urllib3
from urllib3.util.ssl_match_hostname import CertificateError

from vastplan.model.errors import Conflict, NotAuthorised, ObjectNotFound, Refused, Unclear, Unreachable, VastplanError
from vastplan.model.sensitive import without_secrets
from vastplan.systems.bounds import Overdue

READS = frozenset({"GET", "HEAD"})
_GATEWAY_TIMEOUT = 504  # a proxy gave up, and what is behind it may be at work


class Failure(Enum):
    """How far a request without a complete answer came. Only after the last two may it have had an effect."""

    UNTRUSTED = "untrusted"  # the server's certificate was not accepted
    UNCONNECTED = "unconnected"  # no connection: refused, no such host, no route
    CONNECT_TIMEOUT = "connect-timeout"  # no connection within the time limit
    OVERDUE = "overdue"  # the whole time limit of the call was used up
    UNANSWERED = "unanswered"


def failure_of(problem: BaseException) -> Failure:
    """How far the request came. Libraries wrap exceptions, so all causes are checked."""
    raised = list(causes(problem))
    if any(isinstance(cause, Overdue) for cause in raised):
        return Failure.OVERDUE
    # A connection that breaks under TLS raises an SSL error, too, which says nothing about the certificate.
    if any(isinstance(cause, ssl.SSLCertVerificationError | CertificateError) for cause in raised):
        return Failure.UNTRUSTED
    if any(isinstance(cause, urllib3.exceptions.NewConnectionError) for cause in raised):
        return Failure.UNCONNECTED
    if any(isinstance(cause, urllib3.exceptions.ConnectTimeoutError) for cause in raised):
        return Failure.CONNECT_TIMEOUT
    return Failure.UNANSWERED


def is_closed(problem: BaseException) -> bool:
    """Whether the server closed the connection before its answer was complete, and was not merely silent."""
    closed = urllib3.exceptions.ProtocolError, ConnectionError, http.client.HTTPException
    return any(isinstance(cause, closed) for cause in causes(problem))


def stopped_at_proxy(problem: BaseException) -> bool:
    """Whether a proxy did not let the request through, so that the server never saw it."""
    return any(isinstance(cause, urllib3.exceptions.ProxyError) for cause in causes(problem))


def causes(problem: BaseException) -> Iterator[BaseException]:
    """An exception and its causes. An exception that was merely handled before it (`__context__`) is not one of them."""
    waiting, seen = [problem], set()
    while waiting:
        cause = waiting.pop()
        if id(cause) not in seen:
            seen.add(id(cause))
            yield cause
            inner = (*cause.args, getattr(cause, "reason", None), cause.__cause__)
            waiting += [value for value in inner if isinstance(value, BaseException)]


_OBJECT = re.compile(r"^\w+\(host=[^()]*\): ")
"""The beginning of urllib3's texts: the connection as a Python object."""


_NO_CONNECTION = "Failed to establish a new connection: "
_LOGIN = re.compile(r"//[^/\s]*@")
_NUMBER = re.compile(r"^\[Errno -?\d+\] ")
_IN_WORDS = {
    "NO_CERTIFICATE_OR_CRL_FOUND": "the file in ca_file holds no certificate; name a PEM file, which begins with -----BEGIN CERTIFICATE-----",
    "Connection refused": "nothing listens there",
    "[Errno 111] Connection refused": "nothing listens there",
}


def reason_of(problem: BaseException) -> str:
    """The innermost reason, on one short line."""
    cause = problem
    while inner := next((value for value in cause.args if isinstance(value, BaseException)), None):
        cause = inner
    text = _LOGIN.sub("//", str(getattr(cause, "verify_message", "") or getattr(cause, "reason", None) or cause))
    return one_line(_IN_WORDS.get(text) or _NUMBER.sub("", _OBJECT.sub("", text).removeprefix(_NO_CONNECTION)), 160)


def refusal_error(method: str, path: str, status: int, why: str) -> VastplanError:
    """The error for a status."""
    text = f"{method} {path}: {status}" + (f" {why}" if why else "")
    if status == 401:
        text = f"{text.rstrip('.')}; the credential is not accepted: renew it, or correct the file or variable that it comes from"
    if status in (401, 403):
        return NotAuthorised(text, status)
    if status == 404:
        return ObjectNotFound(text, status)
    if status == 409:
        return Conflict(text, status)
    if status == 429 and method not in READS:  # rejected unread, after every try
        return Refused(text, status)
    if status >= 500 or status == 429:
        return Unreachable(text) if method in READS else Unclear(text, ended=status != _GATEWAY_TIMEOUT)
    return Refused(text, status)


def failure_reason(body: Any, text: str) -> str:
    """The reason in an error body, whatever its shape, on one line and short."""
    if isinstance(body, dict):
        for key in ("detail", "message", "error_description", "error"):
            if isinstance(body.get(key), str):
                details = body.get(
                    "details"
                )  # Run:AI's message is one for all refusals of a status, and the reason stands here
                return one_line(f"{body[key]}: {details}" if isinstance(details, str) and details else body[key])
        return one_line("; ".join(f"{key}: {_flat(value)}" for key, value in body.items()))
    if isinstance(body, str):
        return one_line(body)
    return "" if text.lstrip().startswith("<") else one_line(text)


def one_line(text: str, limit: int = 300) -> str:
    """Text from outside on one line, without control characters and known secrets, cut to `limit`."""
    text = without_secrets(text)
    flat = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def _flat(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
