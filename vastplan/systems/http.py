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

from vastplan.model import strict_json
from vastplan.model.errors import Conflict, NotAuthorised, NotFound, Refused, Unclear, Unreachable, VastplanError
from vastplan.model.sensitive import keep_credential, without_secrets
from vastplan.systems.limits import TransportLimits
from vastplan.systems.transport import READS, content, repeats

_LONGEST_REASON = 65536  # bytes looked at of a body that is not JSON


@dataclass(frozen=True, slots=True)
class Answer:
    """A status and a parsed body (`None` when empty)."""

    status: int
    body: Any


# Headers; given those that a system has refused, others when there are any: a token is renewed once, not once a thread.
Authorise = Callable[[Mapping[str, str] | None], Mapping[str, str]]


class Http:
    """One base URL. `read_only` refuses to send anything but reads and the one call that logs in, to the path `log_in`."""

    def __init__(
        self,
        base: str,
        *,
        verify: str | bool,
        authorise: Authorise,
        expired: Callable[[int, str], bool],
        read_only: bool,
        log_in: str,
        parallel: int = 8,
        limits: TransportLimits,
    ) -> None:
        self.base = base.rstrip("/")
        self._origin = urlsplit(self.base)[:2]
        self._authorise = authorise
        self._expired = expired
        self._read_only = read_only
        self._log_in = log_in
        self._slots = threading.BoundedSemaphore(parallel)
        self._limits = limits
        self._down = ""
        self._session = requests.Session()
        # Proxies and bundles are looked up once; from then on the environment says nothing: an entry for this host in .netrc
        # would take the place of our credential.
        found = self._session.merge_environment_settings(self.base, {}, True, verify, None)
        self._session.trust_env = False
        self._session.proxies, self._verify = dict(found["proxies"]), found["verify"]
        self._session.cookies.set_policy(
            DefaultCookiePolicy(allowed_domains=[])
        )  # a session cookie would shadow the token
        self._session.headers.update({"Accept": "application/json", "User-Agent": "vastplan"})
        if verify is False:  # said loudly by the plan, once, instead of by the library at every request
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
        adapter = HTTPAdapter(max_retries=repeats(limits), pool_connections=2, pool_maxsize=max(parallel, 2))
        self._session.mount("https://", adapter)
        # Whoever logs in twice has changed nothing: that is repeated like a read, on the same connections.
        log_ins = HTTPAdapter(max_retries=repeats(limits, READS | {"POST"}))
        log_ins.poolmanager, log_ins.proxy_manager = adapter.poolmanager, adapter.proxy_manager
        self._session.mount(self.base + log_in, log_ins)

    def close(self) -> None:
        """Close the connections."""
        self._session.close()

    def call(self, method: str, path: str, *, query: Mapping[str, Any] | None = None, body: Any = None) -> Answer:
        """One request; a token that has expired is renewed once. Raises this package's errors."""
        if self._read_only and method not in READS:
            raise VastplanError(f"refused to send {method} {path}: this run only reads")
        headers = self._authorise(None)
        answer, text = self._exchange(method, path, query, body, headers)
        if self._expired(answer.status, text):  # turned away at the door: even a write was not carried out
            answer, text = self._exchange(method, path, query, body, self._authorise(headers))
        if answer.status >= 400:
            raise refusal(answer.status, f"{method} {path}", explain(answer.body, text))
        return answer

    def log_in(self, body: Any) -> Answer:
        """The answer to a log-in, whatever its status: sent without credentials and without renewal."""
        return self._exchange("POST", self._log_in, None, body, {})[0]

    def follow(self, url: str) -> str:
        """The path of a link that the server gave us; a link to another host is refused, credentials stay here."""
        parts = urlsplit(url)
        if parts[:2] != self._origin and parts.netloc:
            raise Unreachable(f"{self.base} answered with a link to another host ({parts.netloc})")
        prefix = urlsplit(self.base).path
        return (parts.path.removeprefix(prefix) if prefix else parts.path) + (f"?{parts.query}" if parts.query else "")

    def _exchange(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any] | None,
        body: Any,
        headers: Mapping[str, str],
    ) -> tuple[Answer, str]:
        if self._down and self._read_only:
            raise Unreachable(self._down)  # one collection has waited for it; the others need not wait again
        credential = headers.get("Authorization", "")
        keep_credential(credential)
        fit_for_a_header(self.base, credential)
        try:
            with self._slots:
                with self._session.request(
                    method, self.base + path, params=query, json=body, headers=dict(headers),
                    timeout=(self._limits.connect, self._limits.silence),
                    allow_redirects=False, stream=True, verify=self._verify,
                ) as response:  # fmt: skip
                    raw = content(response.raw, self._limits)
                    status = response.status_code
        except (requests.exceptions.RequestException, urllib3.exceptions.HTTPError) as problem:
            raise self._failed(method, path, problem) from None
        if 300 <= status < 400:
            text = f"{self.base} answered {method} {path} with a redirect, which is not followed"
            raise Unreachable(text) if method in READS else Unclear(text)
        return self._parsed(method, path, status, raw)

    def _failed(self, method: str, path: str, problem: Exception) -> VastplanError:
        """What it means that no whole answer came."""
        if untrusted(problem):
            self._down = f"{self.base}: its certificate is not trusted ({_reason(problem)}); set ca_file"
            return Unreachable(self._down)
        if _refused(problem):
            self._down = f"{self.base}: {_reason(problem)}"
            return Unreachable(self._down)
        if isinstance(problem, requests.exceptions.ConnectTimeout):
            self._down = f"{self.base}: no connection within {self._limits.connect:g} s"
            return Unreachable(self._down)
        if method in READS:
            return Unreachable(f"{self.base}: {_reason(problem)}")
        return Unclear(f"{method} {path} was sent to {self.base}, and no answer came ({_reason(problem)})")

    def _parsed(self, method: str, path: str, status: int, raw: bytes) -> tuple[Answer, str]:
        if not raw:
            return Answer(status, None), ""
        text = without_secrets(raw[:_LONGEST_REASON].decode("utf-8", "replace"))[:2000] if status >= 400 else ""
        try:
            return Answer(status, strict_json.parse(raw)), text
        except ValueError:
            if status >= 400:
                return Answer(status, None), text
            if method in READS:
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
    if status == 429 and not what.startswith("GET"):  # turned away unread, after every try
        return Refused(text, status)
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


def untrusted(problem: BaseException) -> bool:
    """Whether a certificate was not accepted; a connection that breaks under TLS is an SSL error, too, and is not that."""
    return "CERTIFICATE_VERIFY_FAILED" in str(problem) or "CertificateError" in str(problem)


def _refused(problem: Exception) -> bool:
    """Whether the connection itself failed, so that nothing can have happened."""
    text = str(problem)
    return "NewConnectionError" in text or "Failed to establish" in text or "NameResolutionError" in text
