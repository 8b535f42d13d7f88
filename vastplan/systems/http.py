"""Requests sent by the `requests` library, to VAST and Run:AI."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import requests
import urllib3
from requests.adapters import HTTPAdapter
from urllib3.util.retry import Retry

from vastplan.schema.transport_limits import TransportLimits
from vastplan.systems.proxies import environment_proxies, without_login
from vastplan.systems.sockets import bound_sockets
from vastplan.systems.transport import ClientRequest


class Session:
    """Connections to one base URL."""

    errors: tuple[type[Exception], ...] = (requests.exceptions.RequestException,)

    def __init__(
        self, base: str, *, verify: str | bool, parallel: int, limits: TransportLimits, direct: bool = False
    ) -> None:
        """With `direct` no proxy is asked, whatever the environment says: for simulators on loopback."""
        self._base = base.rstrip("/")
        self._timeout = (limits.connect, limits.silence)
        # Proxies and bundles are read once; after that the environment has no effect: an entry for this host in .netrc
        # would replace the configured credential.
        environment = requests.Session().merge_environment_settings(self._base, {}, True, verify, None)
        environment_proxies()
        self._proxies = {} if direct else dict(environment["proxies"])
        self.proxy = without_login(requests.utils.select_proxy(self._base, self._proxies) or "")
        self._verify: str | bool = environment["verify"]  # type: ignore[assignment]
        self._headers = {**requests.utils.default_headers(), "User-Agent": "vastplan"}
        if verify is False:  # the plan warns once, instead of the library at every request
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
        self._adapter = _Adapter(max_retries=Retry(False), pool_connections=2, pool_maxsize=max(parallel, 2))

    def send(
        self, request: ClientRequest, content: bytes | None, headers: Mapping[str, str]
    ) -> urllib3.BaseHTTPResponse:
        """The answer, its body unread. It uses the adapter: a session would read the whole body of a redirect, however long, and
        keep cookies, one of which would shadow the token.
        """
        all_headers = {
            **self._headers,
            "Accept": request.accept,
            **headers,
            **({"Content-Type": request.form} if content is not None else {}),
        }
        prepared = requests.Request(
            request.method, self._base + request.target, headers=all_headers, data=content
        ).prepare()
        answer = self._adapter.send(
            prepared, stream=True, timeout=self._timeout, verify=self._verify, proxies=self._proxies
        )
        raw: urllib3.BaseHTTPResponse = answer.raw
        return raw

    def close(self) -> None:
        """Close the connections."""
        self._adapter.close()


class _Adapter(HTTPAdapter):
    """Bounded connections, and answers that no library interprets before vastplan does."""

    def init_poolmanager(self, *args: Any, **named: Any) -> None:
        """As requests does, with bounded connections."""
        super().init_poolmanager(*args, **named)
        bound_sockets(self.poolmanager)

    def proxy_manager_for(self, proxy: str, **named: Any) -> Any:
        """As requests does, with bounded connections; a SOCKS proxy keeps its own connections."""
        manager = super().proxy_manager_for(proxy, **named)
        if isinstance(manager, urllib3.ProxyManager):
            bound_sockets(manager)
        return manager

    def build_response(self, req: requests.PreparedRequest, resp: Any) -> requests.Response:
        """The answer as it arrived: its cookies are not parsed."""
        response = requests.Response()
        response.raw = resp
        return response
