"""HTTP to every system: bounded, repeated where that is safe, and exact about what is unknown.

One `Transport` per server decides what may be sent, what is repeated, how much of an answer is read and what a failure
means. A `RequestSender` under it only carries requests: with `requests` (`http.py`), or with a pool that has a cluster's credentials.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, Protocol
from urllib.parse import quote, urlencode, urlsplit

import urllib3

from vastplan.model import strict_json
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import Refused, Silent, Unclear, Unreachable, VastplanError
from vastplan.model.sensitive import keep_credential, without_secrets
from vastplan.schema.transport_limits import TransportLimits
from vastplan.systems.bounds import Bounds, call_bounds
from vastplan.systems.failures import (
    READS,
    Failure,
    failure_of,
    failure_reason,
    is_closed,
    reason_of,
    refusal_error,
    stopped_at_proxy,
)
from vastplan.systems.repeats import repeated_after, retry_pause, turned_away

JSON = "application/json"
_LONGEST_REASON = 65536  # bytes looked at of a body that is not JSON


@dataclass(frozen=True, slots=True)
class ClientRequest:
    """One request. `path` is below the server's address, `form` is the type of the body, `accept` that of the answer."""

    method: str
    path: str
    query: Mapping[str, Any] | Sequence[tuple[str, Any]] | None = None
    body: Any = None
    form: str = JSON
    accept: str = JSON

    @property
    def target(self) -> str:
        """The path with its query."""
        pairs = self.query.items() if isinstance(self.query, Mapping) else self.query or ()
        return self.path + (f"?{urlencode(list(pairs))}" if pairs else "")

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


@dataclass(frozen=True, slots=True)
class Answer:
    """A status and a parsed body (`None` if empty); `text` is the body of a refusal, for its explanation."""

    status: int
    body: Any
    text: str = ""


# Returns headers. Given headers that a system has refused, it returns newer ones if it can: one thread renews a token for all.
Authorise = Callable[[Mapping[str, str] | None], Mapping[str, str]]


class RequestSender(Protocol):
    """Sends requests. It repeats none, follows no redirect, and leaves the body unread."""

    errors: tuple[type[Exception], ...]
    proxy: str
    """The address of the proxy that it asks, without a login; "" for none."""

    def send(
        self, request: ClientRequest, content: bytes | None, headers: Mapping[str, str]
    ) -> urllib3.BaseHTTPResponse:
        """The answer, its body unread. Raises one of `errors` if there is no answer."""

    def close(self) -> None:
        """Close the connections."""


class Transport:
    """One server at `address`. Unless `writable`, it sends only reads and `harmless` requests.

    `reason` extracts the reason from the body of a refusal (parsed, and as text); `trust_by` is the key to set if a certificate
    is not trusted.
    """

    def __init__(
        self,
        address: str,
        wire: RequestSender,
        *,
        authorise: Authorise,
        expired: Callable[[Answer], bool] = lambda _: False,
        harmless: Callable[[ClientRequest], bool],
        reason: Callable[[Any, str], str] = failure_reason,
        writable: bool,
        trust_by: str = "",
        parallel: int,
        limits: TransportLimits,
    ) -> None:
        self.address = address.rstrip("/")
        self.parallel = parallel
        self.wire = wire
        self._authorise, self._expired, self._harmless, self._reason = authorise, expired, harmless, reason
        self._writable = writable
        self._trust_by = trust_by
        self._slots, self._large = threading.BoundedSemaphore(parallel), threading.Lock()
        self._limits = limits
        self._down, self._down_as = "", Unreachable
        self._dated: tuple[datetime, float] | None = None
        self._errors: tuple[type[Exception], ...] = (*wire.errors, urllib3.exceptions.HTTPError)

    def close(self) -> None:
        """Close the connections."""
        self.wire.close()

    def now(self) -> datetime | None:
        """The time by the server's own clock, from the date of its last answer; `None` if none had one."""
        if self._dated is None:
            return None
        date, received = self._dated
        return date + timedelta(seconds=time.monotonic() - received)

    def ask_again(self) -> None:
        """Send the next request even if the server did not answer an earlier one."""
        self._down = ""

    def call(self, request: ClientRequest) -> Answer:
        """The answer to one request with the credential. Raises this package's errors."""
        if self._changes(request) and not self._writable:
            raise VastplanError(f"refused to send {request}: this run only reads")
        headers = self._authorise(None)
        answer = self.exchange(request, headers)
        if self._expired(answer):  # rejected before anything was carried out, even a write
            answer = self.exchange(request, self._authorise(headers))
        if answer.status >= 400:
            raise refusal_error(request.method, request.path, answer.status, self._reason(answer.body, answer.text))
        return answer

    def exchange(self, request: ClientRequest, headers: Mapping[str, str]) -> Answer:
        """The answer to one request, whatever its status, with these headers and no renewal; logging in uses it."""
        credential = headers.get("Authorization", "")
        keep_credential(credential)
        _fit_for_a_header(self.address, credential)
        body = None if request.body is None else self._encoded(request)
        with self._slots:
            if self._down and not self._writable:
                raise self._down_as(self._down)  # one call has waited for the server in vain; the others need not
            with call_bounds(self._limits, self._large) as bounds:
                response, raw = self._answered(request, body, headers, bounds)
        if response.status < 200:
            raise self._not_understood(request, f"status {response.status}, which is no answer yet")
        if 300 <= response.status < 400:
            raise self._not_understood(request, "a redirect, which is not followed")
        return self._parsed(request, response.status, raw)

    def _answered(
        self, request: ClientRequest, body: bytes | None, headers: Mapping[str, str], bounds: Bounds
    ) -> tuple[urllib3.BaseHTTPResponse, bytearray]:
        """The answer and its body, with as many tries as the limits allow.

        A request that changes nothing is repeated if a later answer is possible. Any other is repeated only if the server rejected it
        unread or was not reached: whether a write took effect is for the engine to find out by reading.
        """
        harmless = not self._changes(request)
        for number in range(1, self._limits.retries + 1):
            try:
                response, raw = self._once(request, body, headers, bounds)
            except self._errors as problem:
                repeats, wait = repeated_after(problem, harmless), retry_pause(number, None, self._limits)
                if not repeats or not bounds.pause(wait):
                    raise self._unanswered(request, problem) from None
                continue
            repeats, wait = turned_away(response.status, harmless), retry_pause(number, response.headers, self._limits)
            if not repeats or not bounds.pause(wait):
                return response, raw
        try:
            return self._once(request, body, headers, bounds)
        except self._errors as problem:
            raise self._unanswered(request, problem) from None

    def _changes(self, request: ClientRequest) -> bool:
        """Whether the request may change something."""
        return request.method not in READS and not self._harmless(request)

    def _once(
        self, request: ClientRequest, body: bytes | None, headers: Mapping[str, str], bounds: Bounds
    ) -> tuple[urllib3.BaseHTTPResponse, bytearray]:
        bounds.expect_head()
        response = self.wire.send(request, body, headers)
        if response.status < 200:
            response.close()  # the final answer is still to come, and must not be taken for that of the next request
            return response, bytearray()
        try:
            raw = bounds.body(response)
        except BaseException:
            response.close()  # so is the rest of this one
            raise
        response.release_conn()
        date = _date(response.headers.get("Date"))
        if date is not None:
            self._dated = date, time.monotonic()
        return response, raw

    def _encoded(self, request: ClientRequest) -> bytes:
        try:
            return json.dumps(request.body, allow_nan=False).encode()
        except ValueError:
            raise Refused(f"{request}: the body has a number that JSON cannot express") from None

    def _unanswered(self, request: ClientRequest, problem: Exception) -> VastplanError:
        """The error for a request without a complete answer."""
        failure, reason, address = failure_of(problem), reason_of(problem), self.address
        if self.wire.proxy:
            address = f"{address} through the proxy {self.wire.proxy}"
            if failure in (Failure.UNCONNECTED, Failure.CONNECT_TIMEOUT) or stopped_at_proxy(problem):
                host = urlsplit(self.address).hostname or ""
                self._down = (
                    f"{address}: no connection ({reason}); where no proxy is needed: export NO_PROXY=$NO_PROXY,{host}"
                )
                self._down_as = Silent
                return Silent(self._down)
        if failure in (Failure.UNANSWERED, Failure.OVERDUE) and self._changes(request):
            text = f"{request} was sent to {address}, and no answer came ({reason})"
            return Unclear(text, ended=failure is Failure.UNANSWERED and is_closed(problem))
        if failure is Failure.UNANSWERED:
            return Silent(f"{address}: {reason}")
        if failure is Failure.UNTRUSTED:
            reason = f"its certificate is not trusted ({reason})" + (
                f"; set {self._trust_by} next to url to a PEM file with the certificate of the CA that issued it"
                if self._trust_by
                else ""
            )
        elif failure is Failure.UNCONNECTED:
            reason = f"no connection ({reason}); correct the address, or check that it can be reached from here"
        elif failure is Failure.CONNECT_TIMEOUT:
            reason = f"no connection within {self._limits.connect:g} s"
        self._down = f"{address}: {reason}"
        self._down_as = Unreachable if failure is Failure.UNTRUSTED else Silent
        return self._down_as(self._down)

    def _not_understood(self, request: ClientRequest, content: str) -> VastplanError:
        text = f"{self.address} answered {request} with {content}"
        return Unclear(text) if self._changes(request) else Unreachable(text)

    def _parsed(self, request: ClientRequest, status: int, raw: bytearray) -> Answer:
        if not raw:
            return Answer(status, None)
        text = without_secrets(raw[:_LONGEST_REASON].decode("utf-8", "replace"))[:2000] if status >= 400 else ""
        try:
            return Answer(status, strict_json.answer(raw), text)
        except ValueError:
            if status >= 400:
                return Answer(status, None, text)
            raise self._not_understood(request, "something that is not JSON") from None


def _date(text: str | None) -> datetime | None:
    try:
        date = parsedate_to_datetime(text or "")
    except (ValueError, OverflowError):
        return None
    return date if date.tzinfo is not None else None  # a date without a zone is ambiguous


def segment(text: str) -> str:
    """A name or id as one step of a request path. Raises `Refused` if it would lead out of the path."""
    if text in ("", ".", "..") or not text.isprintable():
        raise Refused(f"{text[:80]!r} is not a valid object name: it cannot be part of a request path")
    return quote(text, safe="")


def _fit_for_a_header(address: str, value: str) -> None:
    """Raises `VastplanError` for a credential that HTTP cannot carry; the libraries' own errors would quote it."""
    if not (value.isascii() and value.isprintable()) or value != value.strip():
        raise VastplanError(f"{address}: its token holds a line break, or something that is not plain ASCII")
