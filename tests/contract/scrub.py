"""Secrets, taken out of whatever is printed or recorded."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

GONE = "SCRUBBED"
HEADERS = {"authorization", "cookie", "set-cookie", "proxy-authorization"}
# Compared without case and punctuation: clientSecret, client_secret, CLIENTSECRET.
FIELDS = {
    "password", "token", "access", "refresh", "accesstoken", "refreshtoken", "idtoken", "clientsecret", "appsecret",
    "secret", "secretkey", "accesskey", "apitoken", "authorization", "privatekey", "clientid", "appid", "username",
}  # fmt: skip
JWT = re.compile(r"eyJ[\w-]+\.[\w-]+\.[\w-]*")


def plain(name: str) -> str:
    """A field's name as it is compared."""
    return re.sub(r"[\W_]", "", name).lower()


class Scrubber:
    """Takes out fields that are secrets by their name, JWTs, and the given values wherever they are."""

    def __init__(self, values: Iterable[str] = (), hosts: Iterable[str] = ()) -> None:
        found = {value for value in values if len(value) > 3}
        spelled = found | {quote(value, safe="") for value in found} | {json.dumps(value)[1:-1] for value in found}
        # The longest first: one may be a part of another.
        self._values = sorted(spelled, key=len, reverse=True)
        self._hosts = sorted(set(hosts), key=len, reverse=True)

    def text(self, text: str) -> str:
        """A text without them."""
        for value in self._values:
            text = text.replace(value, GONE)
        for host in self._hosts:
            text = text.replace(host, "live.invalid")
        return JWT.sub(GONE, text)

    def body(self, text: str) -> str:
        """A JSON or form body without them."""
        try:
            return self.text(json.dumps(self._tree(json.loads(text))))
        except ValueError:
            pass
        if re.fullmatch(r"[\w.-]+=[^\s]*", text):
            pairs = parse_qsl(text, keep_blank_values=True)
            text = urlencode([(key, GONE if plain(key) in FIELDS else value) for key, value in pairs])
        return self.text(text)

    def headers(self, headers: dict[str, Any]) -> dict[str, Any]:
        """Headers without them."""
        return {name: [GONE] if name.lower() in HEADERS else self._each(value) for name, value in headers.items()}

    def _each(self, value: Any) -> Any:
        return [self.text(str(one)) for one in value] if isinstance(value, list) else self.text(str(value))

    def _tree(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {
                key: GONE if plain(str(key)) in FIELDS and isinstance(inner, str) else self._tree(inner)
                for key, inner in value.items()
            }
        if isinstance(value, list):
            return [self._tree(inner) for inner in value]
        return value
