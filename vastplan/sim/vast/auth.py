"""Log-in: JWT pairs, API tokens and Basic. An expired access token is a 403, a dead refresh token a 401."""

from __future__ import annotations

import base64
import hmac
import json
import secrets
from collections.abc import Callable, Mapping
from typing import Any

from vastplan.sim.vast.errors import VmsError, detail

REFRESH_FACTOR = 24  # a refresh token lives this many times as long as an access token: a day to its hour
EXPIRED = {
    "detail": "Given token not valid for any token type",
    "code": "token_not_valid",
    "messages": [{"token_class": "AccessToken", "token_type": "access", "message": "Token is invalid or expired"}],
}


def _part(value: Any) -> str:
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _same(first: str, second: str) -> bool:
    return hmac.compare_digest(first.encode(), second.encode())


class Gate:
    """Who may come in. Tokens are kept in memory: after a restart every client logs in again."""

    def __init__(
        self, username: str, password: str, api_tokens: Mapping[str, str], lifetime: float, clock: Callable[[], float]
    ) -> None:
        self._username = username
        self._password = password
        self._api_tokens = api_tokens
        self._lifetime = lifetime
        self._clock = clock
        self._access: dict[str, float] = {}
        self._refresh: dict[str, float] = {}

    def expire(self) -> None:
        """Forget every token given out; API tokens stay."""
        self._access.clear()
        self._refresh.clear()

    def login(self, username: str, password: str) -> dict[str, str]:
        """A new pair `{access, refresh}`; raises `VmsError` (401)."""
        if not self._known(username, password):
            raise detail("No active account found with the given credentials", 401)
        return self._pair()

    def renew(self, refresh: str) -> dict[str, str]:
        """A new pair for a live refresh token, which dies; raises `VmsError` (401)."""
        if self._refresh.pop(refresh, 0.0) <= self._clock():
            raise VmsError(401, {"detail": "Token is invalid or expired", "code": "token_not_valid"})
        return self._pair()

    def admit(self, authorization: str | None) -> str:
        """Let a request in and answer who sent it; raises `VmsError` (401, or 403 for a token that is unknown or too old)."""
        if not authorization:
            raise detail("Authentication credentials were not provided.", 401)
        scheme, _, credential = authorization.partition(" ")
        if scheme == "Bearer":
            if self._access.get(credential, 0.0) <= self._clock():
                raise VmsError(403, EXPIRED)
        elif scheme == "Api-Token":
            holders = [holder for known, holder in self._api_tokens.items() if _same(known, credential)]
            if not holders:
                raise detail("Invalid token.", 401)
            return holders[0]
        elif scheme != "Basic" or not self._basic(credential):
            raise detail("Invalid username/password.", 401)
        return self._username

    def _known(self, username: str, password: str) -> bool:
        return _same(username, self._username) and _same(password, self._password)

    def _basic(self, credential: str) -> bool:
        try:
            username, _, password = base64.b64decode(credential, validate=True).decode().partition(":")
        except ValueError:
            return False
        return self._known(username, password)

    def _pair(self) -> dict[str, str]:
        now = self._clock()
        for tokens in (self._access, self._refresh):
            for token in [token for token, end in tokens.items() if end <= now]:
                del tokens[token]
        access = self._token("access", now + self._lifetime)
        refresh = self._token("refresh", now + self._lifetime * REFRESH_FACTOR)
        self._access[access] = now + self._lifetime
        self._refresh[refresh] = now + self._lifetime * REFRESH_FACTOR
        return {"access": access, "refresh": refresh}

    @staticmethod
    def _token(kind: str, end: float) -> str:
        claims = {"token_type": kind, "exp": int(end), "jti": secrets.token_hex(16)}
        return ".".join((_part({"alg": "HS256", "typ": "JWT"}), _part(claims), _part(secrets.token_bytes(32))))
