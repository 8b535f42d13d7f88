"""Kubernetes: the official client's connections and credentials, raw JSON both ways.

Objects are written with create, JSON merge patch carrying the resourceVersion that was read, and delete with
preconditions. Not server-side apply: there, leaving a field out deletes it.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import urllib3
from kubernetes import client

from vastplan.model import strict_json
from vastplan.model.errors import NotFound, Unclear, Unreachable, VastplanError
from vastplan.model.sensitive import keep_credential
from vastplan.schema.codec import at
from vastplan.schema.history import Sought, Trace
from vastplan.schema.kind import Kind, Row
from vastplan.systems.history import OBJECTS, of_managers
from vastplan.systems.http import fit_for_a_header, one_line, refusal, segment, untrusted
from vastplan.systems.limits import DEFAULT_LIMITS, TransportLimits
from vastplan.systems.transport import content, repeats

PAGE = 500
MANAGER = "vastplan"
_MERGE = "application/merge-patch+json"
_HARMLESS = ("/selfsubjectaccessreviews",)


class KubernetesProvider:
    """One cluster."""

    system = "kubernetes"

    def __init__(
        self, api: client.ApiClient, *, writable: bool, parallel: int = 8, limits: TransportLimits = DEFAULT_LIMITS
    ) -> None:
        self.writable = writable
        self._limits = limits
        self._repeats = repeats(limits)
        self._api = api
        api.rest_client.pool_manager.connection_pool_kw["maxsize"] = max(parallel, 4)
        api.user_agent = MANAGER
        self._slots = threading.BoundedSemaphore(parallel)

    def describe(self) -> str:
        """The API server's address."""
        return str(self._api.configuration.host)

    def close(self) -> None:
        """Close the connections."""
        self._api.close()  # type: ignore[no-untyped-call]

    def pages(self, kind: Kind) -> Iterator[list[Row]]:
        """All objects of a kind in all namespaces, one consistent snapshot; an expired one is begun anew by the caller."""
        following = ""
        while True:
            query = [("limit", str(PAGE)), *([("continue", following)] if following else [])]
            body = self._call("GET", kind.endpoint.path, query=query)
            rows = body.get("items") if isinstance(body, dict) else None
            if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
                raise Unreachable(f"{self.describe()}: the answer to GET {kind.endpoint.path} is not a list of objects")
            yield rows
            following = str(at(body, ("metadata", "continue")) or "")
            if not following:
                left = at(body, ("metadata", "remainingItemCount"))
                if isinstance(left, int) and left > 0:
                    path = kind.endpoint.path
                    raise Unreachable(f"{self.describe()}: the list of {path} was cut short: {left} more are not shown")
                return

    def read(self, kind: Kind, locator: str) -> Row | None:
        """One object by `name` or `namespace/name`."""
        try:
            body = self._call("GET", self._item(kind, locator))
        except NotFound:
            return None
        if not isinstance(body, dict):
            raise Unreachable(f"{self.describe()}: the answer to GET {self._item(kind, locator)} is not an object")
        return body

    def create(self, kind: Kind, body: Row) -> Row:
        """POST into the object's namespace."""
        version, name = kind.endpoint.manifest
        body = {"apiVersion": version, "kind": name, **body}
        namespace = str(at(body, ("metadata", "namespace")) or "")
        path = self._collection(kind, namespace)
        row = self._call("POST", path, body=body, query=self._strict())
        if not isinstance(row, dict) or at(row, ("metadata", "uid")) is None:
            raise Unclear(f"POST {path}: the answer has no uid")
        return row

    def update(self, kind: Kind, locator: str, body: Row, fresh: Row) -> None:
        """Merge patch, refused by the server when the object moved since `fresh`."""
        metadata = {**body.get("metadata", {}), "resourceVersion": at(fresh, ("metadata", "resourceVersion"))}
        self._call(
            "PATCH",
            self._item(kind, locator),
            body={**body, "metadata": metadata},
            query=self._strict(),
            form=_MERGE,
        )

    def delete(self, kind: Kind, locator: str, fresh: Row) -> None:
        """Delete that very object; what is gone is fine."""
        preconditions = {name: at(fresh, ("metadata", name)) for name in ("uid", "resourceVersion")}
        options = {"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": preconditions}
        try:
            self._call("DELETE", self._item(kind, locator), body=options)
        except NotFound:
            return

    def writers(self, row: Row) -> tuple[str, ...]:
        """The other field managers, and the Helm release that an object belongs to."""
        metadata = row.get("metadata") or {}
        managers = {str(one.get("manager")) for one in metadata.get("managedFields") or [] if isinstance(one, dict)}
        release = (metadata.get("annotations") or {}).get("meta.helm.sh/release-name")
        return (*sorted(managers - {MANAGER}), *([f"Helm release {release}"] if release else []))

    def history(self, sought: Sequence[Sought]) -> Iterator[tuple[int, Trace]]:
        """What the field managers of these objects say, which are read again for it; at most `OBJECTS` of them."""
        for number, one in enumerate(sought[:OBJECTS]):
            row = self.read(one.kind, one.locator)
            for trace in of_managers(row or {}, one.since, MANAGER):
                yield number, trace

    def locator(self, kind: Kind, row: Row) -> str:
        """`name`, or `namespace/name`."""
        name, namespace = (str(at(row, ("metadata", part)) or "") for part in ("name", "namespace"))
        return f"{namespace}/{name}" if kind.endpoint.namespaced else name

    def version(self) -> str:
        """The server's version, such as `1.34`."""
        body = self._call("GET", "/version")
        return f"{body.get('major')}.{str(body.get('minor', '')).rstrip('+')}" if isinstance(body, dict) else ""

    def call(self, method: str, path: str, *, query: list[tuple[str, str]] | None = None, body: Any = None) -> Any:
        """One request for whoever keeps objects of their own, with what raw answers there are."""
        if method in ("POST", "PUT"):
            query = [*(query or []), *self._strict()]
        return self._call(method, path, query=query, body=body)

    def _strict(self) -> list[tuple[str, str]]:
        return [("fieldManager", MANAGER), ("fieldValidation", "Strict")]

    def _collection(self, kind: Kind, namespace: str) -> str:
        if not kind.endpoint.namespaced:
            return kind.endpoint.path
        root, _, plural = kind.endpoint.path.rpartition("/")
        return f"{root}/namespaces/{segment(namespace)}/{plural}"

    def _item(self, kind: Kind, locator: str) -> str:
        namespace, _, name = locator.rpartition("/")
        return f"{self._collection(kind, namespace)}/{segment(name)}"

    def _call(
        self, method: str, path: str, *, query: list[tuple[str, str]] | None = None, body: Any = None, form: str = ""
    ) -> Any:
        if not self.writable and method != "GET" and not path.endswith(_HARMLESS):
            raise VastplanError(f"refused to send {method} {path}: this run only reads")
        _, url, headers, _, _ = self._api.param_serialize(
            method,
            path,
            query_params=query,
            header_params={"Accept": "application/json"},
            auth_settings=["BearerToken"],
        )
        credential = next((value for name, value in headers.items() if name.lower() == "authorization"), "")
        keep_credential(credential)
        fit_for_a_header(self.describe(), credential)
        if body is not None:
            headers["Content-Type"] = form or "application/json"
        try:
            with self._slots:
                response = self._api.rest_client.pool_manager.request(
                    method, url, headers=headers, body=None if body is None else json.dumps(body).encode(),
                    timeout=urllib3.Timeout(connect=self._limits.connect, read=self._limits.silence),
                    redirect=False, preload_content=False, retries=self._repeats,
                )  # fmt: skip
                try:
                    raw = content(response, self._limits)
                except BaseException:
                    response.close()  # what is still to come must not be taken for the next answer
                    raise
                response.release_conn()
        except urllib3.exceptions.HTTPError as problem:
            raise self._transport(method, path, problem) from None
        return self._understood(method, path, response.status, raw)

    def _understood(self, method: str, path: str, status: int, raw: bytes) -> Any:
        try:
            parsed = strict_json.parse(raw) if raw else None
        except ValueError:
            parsed = None
            if status < 400:
                text = f"{self.describe()} answered {method} {path} with something that is not JSON"
                raise (Unreachable if method == "GET" else Unclear)(text) from None
        if 300 <= status < 400:
            text = f"{self.describe()} answered {method} {path} with a redirect, which is not followed"
            raise Unreachable(text) if method == "GET" else Unclear(text)
        if status >= 400:
            reason = parsed.get("message", "") if isinstance(parsed, dict) else ""
            raise refusal(status, f"{method} {path}", one_line(str(reason)))
        return parsed

    def _transport(self, method: str, path: str, problem: urllib3.exceptions.HTTPError) -> VastplanError:
        cause: BaseException = getattr(problem, "reason", None) or problem
        where = self.describe()
        if untrusted(cause):
            return Unreachable(f"{where}: its certificate is not trusted ({one_line(str(cause), 160)})")
        never_sent = isinstance(cause, urllib3.exceptions.NewConnectionError | urllib3.exceptions.ConnectTimeoutError)
        if method == "GET" or never_sent:
            return Unreachable(f"{where}: {one_line(str(cause), 160)}")
        return Unclear(f"{method} {path} was sent to {where}, and no answer came ({one_line(str(cause), 120)})")
