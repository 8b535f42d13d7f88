"""The driver's session with VMS: look-ups by filter, and the driver's messages for what they do not find."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from vastplan.sim.wire import Plane, Request

Row = dict[str, Any]
_SINGULAR = {"viewpolicies": "viewpolicy", "qospolicies": "qospolicy", "vippools": "vippool"}


class VmsRefusal(ValueError):
    """An answer of VMS other than success."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class Abort(ValueError):
    """Ends a call with its own gRPC code; other errors end it as `Unknown`, with the call's name."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(f"rpc error: code = {code} desc = {text}")


@contextmanager
def rpc(name: str) -> Iterator[None]:
    """One call of the driver: errors within are reported as gRPC's clients report them."""
    try:
        yield
    except Abort:
        raise
    except ValueError as error:
        raise Abort("Unknown", f"[{name}]: {error}") from None


class VmsClient:
    """One VMS; every refusal is a `ValueError`. With the values of a Secret, calls are made as the user in it."""

    def __init__(self, vast: Plane, token: str, login: Mapping[str, str] | None = None) -> None:
        self._vast = vast
        self._headers = _headers(token, login)

    def call(self, method: str, path: str, body: Any = None, query: Mapping[str, str] | None = None) -> Any:
        """The body of the answer; raises `VmsRefusal`."""
        raw = b"" if body is None else json.dumps(body).encode()
        asked = {name: [value] for name, value in (query or {}).items()}
        answer = self._vast.handle(Request(method, f"/api/v5{path}", asked, self._headers, raw, "https://vms.invalid"))
        if answer.status >= 400:
            raise VmsRefusal(answer.status, f"{method} {path}: {answer.status} {answer.encoded().decode()}")
        return answer.body

    def rows(self, collection: str, **filters: Any) -> list[Row]:
        """The rows that match all filters."""
        answer = self.call("GET", f"/{collection}/", query={name: str(value) for name, value in filters.items()})
        rows: list[Row] = answer["results"] if isinstance(answer, dict) else answer
        return rows

    def row(self, collection: str, **filters: Any) -> Row | None:
        """The row that matches all filters, `None` if there is none; raises `ValueError` if several match."""
        rows = self.rows(collection, **filters)
        if len(rows) > 1:
            raise ValueError(f"Too many '{_singular(collection)}s' found for params {_shown(filters)}")
        return rows[0] if rows else None

    def need(self, collection: str, **filters: Any) -> Row:
        """The row that matches all filters; raises `ValueError` if none or several match."""
        row = self.row(collection, **filters)
        if row is None:
            raise ValueError(f"No '{_singular(collection)}' found for params {_shown(filters)}")
        return row

    def address(self, attributes: Mapping[str, str]) -> None:
        """Find an address of the volume's VIP pool; raises `ValueError`. A pool named by its domain is not looked up."""
        name = attributes.get("vip_pool_name")
        if name is None or attributes.get("vip_pool_fqdn"):
            return
        pools = self.rows("vippools", name=name)
        if not pools:
            raise ValueError(f"No VIP Pool named '{name}'")
        if not pools[0]["ip_ranges"]:
            raise ValueError(f"Pool {name} has no available vips")


def _headers(token: str, login: Mapping[str, str] | None) -> dict[str, str]:
    if login is None:
        return {"authorization": f"Api-Token {token}"}
    pair = base64.b64encode(f"{login.get('username', '')}:{login.get('password', '')}".encode()).decode()
    return {"authorization": f"Basic {pair}", **({"x-tenant-name": login["tenant"]} if login.get("tenant") else {})}


def _singular(collection: str) -> str:
    return _SINGULAR.get(collection, collection.removesuffix("s"))


def _shown(filters: Mapping[str, Any]) -> str:
    return json.dumps(filters, separators=(",", ":"))
