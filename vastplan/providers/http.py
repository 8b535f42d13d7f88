"""HTTP as vastplan speaks it to VAST and Run:AI: verified, bounded, patient where repeating is safe, honest where it is not."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.cookiejar import DefaultCookiePolicy
from typing import Any
from urllib.parse import quote, urlsplit

import requests
import urllib3
from requests.adapters import HTTPAdapter
from urllib3.util.retry import Retry

from vastplan.model import strict
from vastplan.model.errors import Conflict, NotAuthorised, NotFound, Refused, Unclear, Unreachable, VastplanError
from vastplan.model.sensitive import keep_credential, without_secrets

TIMEOUT = (10.0, 60.0)  # seconds to connect, seconds without a byte
MAX_ANSWER = 64 * 1024 * 1024
_LONGEST_REASON = 65536  # bytes looked at of a body that is not JSON
_READS = frozenset({"GET", "HEAD"})


@dataclass(frozen=True, slots=True)
class Answer:
    """A status and a parsed body (`None` when empty)."""

    status: int
    body: Any


Authorise = Callable[[bool], Mapping[str, str]]  # headers; True asks for a new token because the last one was refused


class Http:
    """One base URL. `read_only` refuses to send anything but reads and the named harmless calls."""

    def __init__(
        self,
        base: str,
        *,
        verify: str | bool,
        authorise: Authorise,
        expired: Callable[[int, str], bool],
        read_only: bool,
        harmless: tuple[str, ...] = (),
        parallel: int = 8,
        retries: int = 3,
    ) -> None:
        self.base = base.rstrip("/")
        self._origin = urlsplit(self.base)[:2]
        self._authorise = authorise
        self._expired = expired
        self._read_only = read_only
        self._harmless = harmless
        self._slots = threading.BoundedSemaphore(parallel)
        self._down = ""
        self._session = requests.Session()
        self._verify = verify  # given with every request: a bundle named in the environment overrides the session's
        self._session.trust_env = True
        self._session.cookies.set_policy(
            DefaultCookiePolicy(allowed_domains=[])
        )  # a session cookie would shadow the token
        self._session.headers.update({"Accept": "application/json", "User-Agent": "vastplan"})
        # Only reads are repeated here: whether a write may be repeated is the engine's to find out by reading.
        retry = Retry(
            total=retries, connect=retries, read=retries, status=retries, backoff_factor=0.2, backoff_max=20.0,
            status_forcelist=(429, 500, 502, 503, 504), allowed_methods=_READS, respect_retry_after_header=True,
            raise_on_status=False, redirect=0,
        )  # fmt: skip
        if verify is False:  # said loudly by the plan, once, instead of by the library at every request
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
        adapter = HTTPAdapter(max_retries=retry, pool_connections=2, pool_maxsize=max(parallel, 2))
        self._session.mount("https://", adapter)

    def close(self) -> None:
        """Close the connections."""
        self._session.close()

    def call(self, method: str, path: str, *, query: Mapping[str, Any] | None = None, body: Any = None) -> Answer:
        """One request; a token that has expired is renewed once. Raises this package's errors."""
        answer, text = self._send(method, path, query, body, renew=False)
        if self._expired(answer.status, text):
            answer, text = self._send(method, path, query, body, renew=True)
        if answer.status >= 400:
            raise refusal(answer.status, f"{method} {path}", explain(answer.body, text))
        return answer

    def send(self, method: str, path: str, *, body: Any = None, form: Mapping[str, str] | None = None) -> Answer:
        """One request without credentials and without renewal, for logging in."""
        return self._exchange(method, path, None, body, {}, form)[0]

    def follow(self, url: str) -> str:
        """The path of a link that the server gave us; a link to another host is refused, credentials stay here."""
        parts = urlsplit(url)
        if parts[:2] != self._origin and parts.netloc:
            raise Unreachable(f"{self.base} answered with a link to another host ({parts.netloc})")
        prefix = urlsplit(self.base).path
        return (parts.path.removeprefix(prefix) if prefix else parts.path) + (f"?{parts.query}" if parts.query else "")

    def _send(
        self, method: str, path: str, query: Mapping[str, Any] | None, body: Any, *, renew: bool
    ) -> tuple[Answer, str]:
        if self._read_only and method not in _READS and not path.endswith(self._harmless or "\0"):
            raise VastplanError(f"refused to send {method} {path}: this run only reads")
        return self._exchange(method, path, query, body, self._authorise(renew), None)

    def _exchange(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any] | None,
        body: Any,
        headers: Mapping[str, str],
        form: Mapping[str, str] | None,
    ) -> tuple[Answer, str]:
        if self._down and self._read_only:
            raise Unreachable(self._down)  # one collection has waited for it; the others need not wait again
        credential = headers.get("Authorization", "")
        keep_credential(credential)
        fit_for_a_header(self.base, credential)
        sent = False
        try:
            with self._slots:
                with self._session.request(
                    method, self.base + path, params=query, json=body, data=form, headers=dict(headers),
                    timeout=TIMEOUT, allow_redirects=False, stream=True, verify=self._verify,
                ) as response:  # fmt: skip
                    sent = True
                    raw = self._content(response)
                    status = response.status_code
        except requests.exceptions.SSLError as problem:
            self._down = f"{self.base}: its certificate is not trusted ({_reason(problem)}); set ca_file"
            raise Unreachable(self._down) from None
        except requests.exceptions.ConnectTimeout:
            self._down = f"{self.base}: no connection within {TIMEOUT[0]:.0f} s"
            raise Unreachable(self._down) from None
        except requests.exceptions.RequestException as problem:
            if _never_sent(problem):
                self._down = f"{self.base}: {_reason(problem)}"
            if method in _READS or (not sent and _never_sent(problem)):
                raise Unreachable(f"{self.base}: {_reason(problem)}") from None
            raise Unclear(f"{method} {path} was sent to {self.base}, and no answer came ({_reason(problem)})") from None
        if 300 <= status < 400:
            raise Unreachable(f"{self.base} answered {method} {path} with a redirect, which is not followed")
        return self._parsed(method, path, status, raw)

    def _content(self, response: requests.Response) -> bytes:
        chunks, size = [], 0
        for chunk in response.iter_content(65536):
            size += len(chunk)
            if size > MAX_ANSWER:
                raise requests.exceptions.ContentDecodingError("the answer is larger than 64 MiB")
            chunks.append(chunk)
        return b"".join(chunks)

    def _parsed(self, method: str, path: str, status: int, raw: bytes) -> tuple[Answer, str]:
        text = without_secrets(raw[:_LONGEST_REASON].decode("utf-8", "replace"))[:2000]
        if not raw:
            return Answer(status, None), ""
        try:
            return Answer(status, strict.parse(raw)), text
        except ValueError:
            if status >= 400:
                return Answer(status, None), text
            if method in _READS:
                raise Unreachable(f"{self.base} answered {method} {path} with something that is not JSON") from None
            raise Unclear(f"{self.base} answered {method} {path} with something that is not JSON") from None


def fit_for_a_header(base: str, value: str) -> None:
    """Raises `VastplanError` for a credential that HTTP cannot carry; the libraries' own errors would quote it."""
    if not (value.isascii() and value.isprintable()) or value != value.strip():
        raise VastplanError(f"{base}: its token holds a line break, or something that is not plain ASCII")


def refusal(status: int, what: str, why: str) -> VastplanError:
    """The error that a status means."""
    text = f"{what}: {status}" + (f" {why}" if why else "")
    if status in (401, 403):
        return NotAuthorised(text, status)
    if status == 404:
        return NotFound(text, status)
    if status == 409:
        return Conflict(text, status)
    if status >= 500 or status == 429:
        return Unclear(text) if not what.startswith("GET") else Unreachable(text)
    return Refused(text, status)


def explain(body: Any, text: str) -> str:
    """The reason in an error body, whatever its shape, on one line and short."""
    if isinstance(body, dict):
        for key in ("detail", "message", "error_description", "error"):
            if isinstance(body.get(key), str):
                return one_line(body[key])
        return one_line("; ".join(f"{key}: {_flat(value)}" for key, value in body.items()))
    if isinstance(body, str):
        return one_line(body)
    return "" if text.lstrip().startswith("<") else one_line(text)


def segment(text: str) -> str:
    """A name or id as one step of a request path; raises `Refused` for what would lead out of it."""
    if text in ("", ".", "..") or not text.isprintable():
        raise Refused(f"{text[:80]!r} is no name for an object: it cannot stand in a request path")
    return quote(text, safe="")


def one_line(text: str, limit: int = 300) -> str:
    """Text from outside on one line, without control characters and our secrets, cut to `limit`."""
    text = without_secrets(text)
    flat = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def _flat(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _reason(problem: BaseException) -> str:
    cause: BaseException = problem
    while cause.args and isinstance(cause.args[0], BaseException):
        cause = cause.args[0]
    reason = getattr(cause, "reason", None)
    return one_line(str(reason or cause), 160)


def _never_sent(problem: requests.exceptions.RequestException) -> bool:
    """Whether the connection itself failed, so that nothing can have happened."""
    text = str(problem)
    return "NewConnectionError" in text or "Failed to establish" in text or "NameResolutionError" in text
