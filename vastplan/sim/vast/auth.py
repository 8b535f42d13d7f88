"""Log-in: JWT pairs, API tokens and Basic. An expired access token is answered 403, an invalid refresh token 401."""

from __future__ import annotations

import base64
import hmac
import json
import secrets
from collections.abc import Mapping
from typing import Any

from vastplan.sim.store import Row
from vastplan.sim.vast import apitokens
from vastplan.sim.vast import managers as stored_managers
from vastplan.sim.vast.cluster import VastCluster
from vastplan.sim.vast.errors import VmsError, detail
from vastplan.sim.vast.scope import Manager, tenant_named

REFRESH_FACTOR = 24  # a refresh token lives this many times as long as an access token: a day for an hour
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


class Authenticator:
    """Authenticates callers. Tokens are kept in memory: after a restart every client logs in again."""

    def __init__(
        self,
        cluster: VastCluster,
        username: str,
        password: str,
        api_tokens: Mapping[str, str],
        lifetime: float,
        *,
        managers: Mapping[str, Manager],
    ) -> None:
        self._cluster = cluster
        self._username = username
        self._password = password
        self._managers = managers
        self._api_tokens = api_tokens
        self._lifetime = lifetime
        self._clock = cluster.clock
        self._access: dict[str, tuple[float, str]] = {}  # token -> when it expires, and its username
        self._refresh: dict[str, tuple[float, str]] = {}

    def expire(self) -> None:
        """Invalidate every access and refresh token; API tokens stay valid."""
        self._access.clear()
        self._refresh.clear()

    def login(self, username: str, password: str, tenant: str | None = None) -> dict[str, str]:
        """A new pair `{access, refresh}`; a tenant's manager must name its `tenant`. Raises `VmsError` (401)."""
        if not self._known(username, password, tenant):
            raise detail("No active account found with the given credentials", 401)
        return self._pair(username)

    def renew(self, refresh: str) -> dict[str, str]:
        """A new pair for a valid refresh token, which a strict cluster then invalidates; raises `VmsError` (401)."""
        end, caller = self._refresh.get(refresh, (0.0, ""))
        if end <= self._clock():
            raise VmsError(401, {"detail": "Token is invalid or expired", "code": "token_not_valid"})
        if self._cluster.strict:
            del self._refresh[refresh]
        return self._pair(caller)

    def stored(self, caller: str) -> Row | None:
        """The manager stored in the cluster with this username, `None` for those that the gate was created with."""
        return None if caller in self._managers else stored_managers.manager_named(self._cluster, caller)

    def tenant_of(self, caller: str) -> str | None:
        """The tenant that a caller manages, `None` for a manager of the cluster."""
        manager = self._managers.get(caller)
        return manager.tenant if manager else None

    def role_of(self, caller: str) -> str:
        """The role of a caller, "" for none: then no permission is withheld."""
        manager = self._managers.get(caller)
        return manager.role if manager else ""

    def admit(self, authorization: str | None, tenant: str | None = None) -> str:
        """Authenticate a request and return the caller's username; raises `VmsError` (401, or 403 for an unknown or expired token).

        `tenant` is the value of the tenant header.
        """
        if not authorization:
            raise detail("Authentication credentials were not provided.", 401)
        scheme, _, credential = authorization.partition(" ")
        if scheme == "Bearer":
            end, caller = self._access.get(credential, (0.0, ""))
            if end <= self._clock():
                raise VmsError(403, EXPIRED)
            if not self._exists(caller):
                raise VmsError(401, {"detail": "User not found", "code": "user_not_found"})
            return caller
        elif scheme == "Api-Token":
            holders = [holder for token, holder in self._api_tokens.items() if _same(token, credential)]
            stored = None if holders else apitokens.holder(self._cluster, credential)
            if stored is not None:
                return str(stored["username"])
            if not holders:
                raise detail("Invalid token.", 401)
            return holders[0]
        elif scheme == "Basic" and (username := self._basic(credential, tenant)):
            return username
        raise detail("Invalid username/password.", 401)

    def _known(self, username: str, password: str, tenant: str | None) -> bool:
        manager = self._managers.get(username)
        if manager is not None:
            return _same(password, manager.password) and tenant == manager.tenant
        row = self.stored(username)
        if row is not None and stored_managers.PASSWORD in row:
            return _same(password, row[stored_managers.PASSWORD]) and self._is_of(row, tenant)
        return _same(username, self._username) and _same(password, self._password)

    def _is_of(self, manager: Row, tenant: str | None) -> bool:
        """Whether a manager belongs to the cluster, or to the tenant that the header names."""
        tenant_id = manager["tenant_id"]
        named_tenant = None if tenant_id is None else tenant_named(self._cluster, tenant)
        return bool(manager["is_active"]) and (
            tenant_id is None or (named_tenant is not None and named_tenant["id"] == tenant_id)
        )

    def _exists(self, caller: str) -> bool:
        """Whether a caller who once logged in still exists."""
        row = self.stored(caller)
        return caller in self._managers or caller == self._username or (row is not None and bool(row["is_active"]))

    def _basic(self, credential: str, tenant: str | None) -> str:
        try:
            username, _, password = base64.b64decode(credential, validate=True).decode().partition(":")
        except ValueError:
            return ""
        return username if self._known(username, password, tenant) else ""

    def _pair(self, caller: str) -> dict[str, str]:
        now = self._clock()
        for tokens in (self._access, self._refresh):
            for token in [token for token, (end, _) in tokens.items() if end <= now]:
                del tokens[token]
        access = self._token("access", now + self._lifetime)
        refresh = self._token("refresh", now + self._lifetime * REFRESH_FACTOR)
        self._access[access] = now + self._lifetime, caller
        self._refresh[refresh] = now + self._lifetime * REFRESH_FACTOR, caller
        return {"access": access, "refresh": refresh}

    @staticmethod
    def _token(kind: str, end: float) -> str:
        claims = {"token_type": kind, "exp": int(end), "jti": secrets.token_hex(16)}
        return ".".join((_part({"alg": "HS256", "typ": "JWT"}), _part(claims), _part(secrets.token_bytes(32))))
