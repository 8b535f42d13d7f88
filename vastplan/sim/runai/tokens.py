"""Tokens: the two log-in operations, and the check of the tokens they issue."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import parse_qs

from vastplan.sim.runai.errors import RunaiError
from vastplan.sim.runai.shape import check_body
from vastplan.sim.tables import TableOperation
from vastplan.sim.wire import Request, Response

# The document's spelling of the credentials of each machine grant.
GRANTS = {"app_token": ("appID", "appSecret"), "client_credentials": ("clientID", "clientSecret")}


class Tokens:
    """Signed JWTs for `clients` (id to secret); the signing key lives as long as the process, or until `forget`."""

    def __init__(self, clients: Mapping[str, str], clock: Callable[[], float], lifetime: float) -> None:
        self._clients = dict(clients)
        self._clock = clock
        self._lifetime = lifetime
        self.forget()

    def forget(self) -> None:
        """Invalidate every token given out so far."""
        self._key = secrets.token_bytes(32)

    def check(self, headers: Mapping[str, str]) -> str:
        """The client whose token a request has; refuses (401) a request without a valid one."""
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or token.count(".") != 2:
            raise RunaiError(401, "a bearer token is required")
        signed, _, signature = token.rpartition(".")
        if not hmac.compare_digest(signature.encode(), self._signature(signed)):
            raise RunaiError(401, "the issuer is not known")
        payload = json.loads(base64.b64decode(signed.partition(".")[2] + "=="))
        if self._clock() >= payload["exp"]:
            raise RunaiError(401, "the token is expired")
        return bytes.fromhex(payload["sub"]).decode()

    def issue(self, client: str, issuer: str) -> str:
        """A new token of a client."""
        now = self._clock()
        # Hex, digits and a URL only: then base64 and base64url agree, and clients that confuse them can read the token.
        payload = {
            "exp": int(now + self._lifetime), "iat": int(now), "iss": issuer, "jti": secrets.token_hex(16),
            "sub": client.encode().hex(),
        }  # fmt: skip
        signed = f"{_encoded({'alg': 'HS256', 'typ': 'JWT'})}.{_encoded(payload)}"
        return f"{signed}.{self._signature(signed).decode()}"

    def _signature(self, signed: str) -> bytes:
        digest = hmac.new(self._key, signed.encode(), hashlib.sha256).digest()
        return base64.urlsafe_b64encode(digest).rstrip(b"=")

    def _known(self, identity: str, secret: str) -> bool:
        stored = self._clients.get(identity)
        return stored is not None and hmac.compare_digest(secret.encode(), stored.encode())

    def login_v1(self, operation: TableOperation, fields: Iterable[str], request: Request) -> Response:
        """POST /api/v1/token: JSON with these `fields`, case ignored; Error bodies."""
        body = request.json()
        if isinstance(body, dict):
            body = _respelled(body, {name.lower(): name for name in fields})
        check_body(operation, body)
        names = GRANTS.get(body.get("grantType", ""))
        if names is None:
            raise RunaiError(400, f"grantType {body.get('grantType')!r} is missing or not for machines")
        if not all(body.get(name) for name in names):
            raise RunaiError(400, f"{' and '.join(names)} are required")
        if not self._known(body[names[0]], body[names[1]]):
            raise RunaiError(400, "the credentials are not valid")
        return Response(
            200, {"accessToken": self.issue(body[names[0]], request.base_url), "expiresIn": int(self._lifetime)}
        )

    def login_v2(self, operation: TableOperation, request: Request) -> Response:
        """POST /api/v2/token: a form, OAuth2 error bodies."""
        if not request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
            return _oauth_error(400, "invalid_request", "the body must be a form")
        form = parse_qs(request.body.decode("utf-8", "replace"), keep_blank_values=True)
        properties = (operation.body or {}).get("properties", {})
        if any(name not in properties or len(values) > 1 for name, values in form.items()):
            return _oauth_error(400, "invalid_request", "a parameter is unknown or repeated")
        fields = {name: values[0] for name, values in form.items()}
        grant = fields.get("grant_type")
        if not grant:
            return _oauth_error(400, "invalid_request", "grant_type is missing")
        if grant not in properties["grant_type"]["enum"]:
            return _oauth_error(400, "unsupported_grant_type", "grant_type is not known")
        if grant != "client_credentials":
            return _oauth_error(400, "unauthorized_client", "this client may use client_credentials only")
        if not fields.get("client_id") or not fields.get("client_secret"):
            return _oauth_error(400, "invalid_request", "client_id and client_secret are required")
        if not self._known(fields["client_id"], fields["client_secret"]):
            return _oauth_error(401, "invalid_client", "the credentials are not valid")
        token = self.issue(fields["client_id"], request.base_url)
        return Response(200, {"access_token": token, "token_type": "Bearer", "expires_in": int(self._lifetime)})


def _encoded(part: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(part, separators=(",", ":")).encode()).rstrip(b"=").decode()


def _respelled(body: dict[str, Any], spelling: dict[str, str]) -> dict[str, Any]:
    respelled: dict[str, Any] = {}
    for name, value in body.items():
        proper = spelling.get(name.lower(), name)
        if proper in respelled:
            raise RunaiError(400, f"{proper} is given twice")
        respelled[proper] = value
    return respelled


def _oauth_error(status: int, error: str, description: str) -> Response:
    return Response(status, {"error": error, "error_description": description})
