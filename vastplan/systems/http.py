"""Requests sent by the `requests` library, as VAST and Run:AI are spoken to."""

from __future__ import annotations

from collections.abc import Mapping

import requests
import urllib3
from requests.adapters import HTTPAdapter

from vastplan.schema.transport_limits import TransportLimits
from vastplan.systems.failures import READS
from vastplan.systems.transport import Request, repeats


class Session:
    """Connections to one base URL; `log_in` is the path below it where logging in is repeated like a read."""

    errors: tuple[type[Exception], ...] = (requests.exceptions.RequestException,)

    def __init__(self, base: str, *, verify: str | bool, log_in: str, parallel: int, limits: TransportLimits) -> None:
        self._base = base.rstrip("/")
        self._timeout = (limits.connect, limits.silence)
        self._log_in = log_in
        # Proxies and bundles are looked up once; from then on the environment says nothing: an entry for this host in .netrc
        # would take the place of our credential.
        environment = requests.Session().merge_environment_settings(self._base, {}, True, verify, None)
        self._proxies = dict(environment["proxies"])
        self._verify: str | bool = environment["verify"]  # type: ignore[assignment]
        self._headers = {**requests.utils.default_headers(), "Accept": "application/json", "User-Agent": "vastplan"}
        if verify is False:  # said loudly by the plan, once, instead of by the library at every request
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
        self._adapter = HTTPAdapter(max_retries=repeats(limits), pool_connections=2, pool_maxsize=max(parallel, 2))
        # Whoever logs in twice has changed nothing: that is repeated like a read, on the same connections.
        self._log_ins = HTTPAdapter(max_retries=repeats(limits, READS | {"POST"}))
        self._log_ins.poolmanager, self._log_ins.proxy_manager = self._adapter.poolmanager, self._adapter.proxy_manager

    def send(self, request: Request, content: bytes | None, headers: Mapping[str, str]) -> urllib3.BaseHTTPResponse:
        """The answer, its body unread. By the adapter: a session would read the whole body of a redirect, however long, and
        keep cookies, one of which would shadow the token."""
        named = {**self._headers, **headers, **({"Content-Type": request.form} if content is not None else {})}
        prepared = requests.Request(request.method, self._base + request.target, headers=named, data=content).prepare()
        adapter = self._log_ins if request.target.startswith(self._log_in) else self._adapter
        answer = adapter.send(prepared, stream=True, timeout=self._timeout, verify=self._verify, proxies=self._proxies)
        raw: urllib3.BaseHTTPResponse = answer.raw
        return raw

    def close(self) -> None:
        """Close the connections."""
        self._adapter.close()
