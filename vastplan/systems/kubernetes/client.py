"""Kubernetes: the official client's connections and credentials, with raw JSON both ways.

Objects are written with create, with JSON merge patch carrying the resourceVersion that was read, and with delete and
preconditions. Server-side apply is not used: there, leaving a field out deletes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import urllib3
from kubernetes import client

from vastplan.model.errors import ObjectNotFound, Unclear, Unreachable
from vastplan.model.long_lists import Length
from vastplan.model.polling import poll
from vastplan.schema.codec import at, dig
from vastplan.schema.endpoint import OfSnapshots
from vastplan.schema.history import ChangedObject, Trace
from vastplan.schema.kind import Kind, Row
from vastplan.schema.provider import Mark
from vastplan.schema.rows import ABSENT
from vastplan.schema.transport_limits import DEFAULT_LIMITS, TransportLimits
from vastplan.systems.failures import one_line
from vastplan.systems.history import OBJECTS, of_managers
from vastplan.systems.kubernetes import managers, owners, restores
from vastplan.systems.kubernetes.managers import MANAGER
from vastplan.systems.proxies import without_login
from vastplan.systems.sockets import bound_sockets
from vastplan.systems.transport import JSON, ClientRequest, Transport, segment

PAGE = 500
SNAPSHOT_TIMEOUT = 300.0  # seconds to wait until the snapshot that an object is created from is ready
_MERGE = "application/merge-patch+json"
# Metadata only, without a fallback: https://kubernetes.io/docs/reference/using-api/api-concepts/ (metadata-only fetches).
_NAMES_KIND = "PartialObjectMetadataList"
_NAMES, _NAME = (f"{JSON};as={kind};g=meta.k8s.io;v=v1" for kind in (_NAMES_KIND, "PartialObjectMetadata"))
_HARMLESS = ("/selfsubjectaccessreviews",)
# Answered as the create would be, by admission too, and not stored: https://kubernetes.io/docs/reference/using-api/api-concepts/#dry-run
_DRY_RUN = [("dryRun", "All")]


class KubernetesProvider:
    """One cluster."""

    system = "kubernetes"

    def __init__(
        self,
        api: client.ApiClient,
        *,
        writable: bool,
        parallel: int = 8,
        limits: TransportLimits = DEFAULT_LIMITS,
        simulated: bool = False,
        document: str = "",
    ) -> None:
        self.writable = writable
        self.simulated = simulated
        self._api = api
        self._manager = managers.manager(document)
        api.rest_client.pool_manager.connection_pool_kw["maxsize"] = max(parallel, 4)
        api.user_agent = MANAGER
        self._transport = Transport(
            self.describe(),
            Pool(api, limits),
            authorise=self._authorisation,
            harmless=lambda request: (
                request.method == "POST" and (request.path.endswith(_HARMLESS) or request.query == _DRY_RUN)
            ),
            reason=_message,
            writable=writable,
            parallel=parallel,
            limits=limits,
        )

    def describe(self) -> str:
        """The API server's address."""
        return str(self._api.configuration.host)

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def pages(self, kind: Kind) -> Iterator[list[Row]]:
        """All objects of a kind in all namespaces, as one consistent snapshot; a snapshot that expires (410) is an error."""
        listed, having = kind.endpoint.listed, kind.endpoint.having
        for rows in self._listed(kind.endpoint.path, named=bool(listed)):
            if having:
                matching = [row for row in rows if dig(row, having) is not ABSENT]
                yield from [matching] if matching else []  # a page without such objects is skipped, and is not the end
            else:
                yield [_parts(row, listed) for row in rows] if listed else rows

    def _listed(self, path: str, *, named: bool = False) -> Iterator[list[Row]]:
        """The objects at a path, page by page; `named` requests metadata only."""
        following = ""
        length = Length(f"{self.describe()}: the list of {path}")
        while True:
            query = [("limit", str(PAGE)), *([("continue", following)] if following else [])]
            body = self._call("GET", path, query=query, accept=_NAMES if named else JSON)
            rows = body.get("items") if isinstance(body, dict) else None
            if rows is None and at(body, ("kind",)) == _NAMES_KIND:
                rows = []  # how a server returns an empty list (seen on 1.34)
            if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
                raise Unreachable(f"{self.describe()}: the answer to GET {path} is not a list of objects")
            yield rows
            following = str(at(body, ("metadata", "continue")) or "")
            if not following:
                remaining = at(body, ("metadata", "remainingItemCount"))
                if isinstance(remaining, int) and remaining > 0:
                    raise Unreachable(
                        f"{self.describe()}: the list of {path} was cut short: {remaining} more are not shown"
                    )
                return
            length.another(len(rows))

    def read(self, kind: Kind, locator: str) -> Row | None:
        """One object by `name` or `namespace/name`."""
        return self._one(kind, locator, JSON)

    def glance(self, kind: Kind, locator: str) -> Row | None:
        """One object with only the fields that its list shows."""
        listed = kind.endpoint.listed
        row = self._one(kind, locator, _NAME if listed else JSON)
        return row if row is None or not listed else _parts(row, listed)

    def _one(self, kind: Kind, locator: str, accept: str) -> Row | None:
        try:
            body = self._call("GET", self._item(kind, locator), accept=accept)
        except ObjectNotFound:
            return None
        if not isinstance(body, dict):
            raise Unreachable(f"{self.describe()}: the answer to GET {self._item(kind, locator)} is not an object")
        return body

    def create(self, kind: Kind, body: Row) -> Row:
        """POST into the object's namespace. An object that is created from a snapshot waits until that is ready."""
        if isinstance(kind.endpoint.shape, OfSnapshots):
            body = self._made_of(kind.endpoint.shape, body)
        version, name = kind.endpoint.manifest
        body = {"apiVersion": version, "kind": name, **body}
        namespace = str(at(body, ("metadata", "namespace")) or "")
        path = self._collection(kind, namespace)
        row = self._call("POST", path, body=body, query=_strict(self._manager))
        if not isinstance(row, dict) or at(row, ("metadata", "uid")) is None:
            raise Unclear(f"POST {path}: the answer has no uid")
        return row

    def _made_of(self, shape: OfSnapshots, body: Row) -> Row:
        """The body with the snapshot that it refers to now. Raises `Refused` if that does not exist or does not become
        ready.
        """
        choice = restores.snapshot_choice(shape, body)
        if choice is None:
            return body
        path = shape.snapshots.replace("{namespace}", segment(choice.namespace))
        rows: list[Row] = []

        def look() -> Row | None:
            rows[:] = [row for page in self._listed(path) for row in page]
            return restores.usable(rows, choice)

        limit = SNAPSHOT_TIMEOUT
        snapshot = poll(look, lambda: restores.overdue(rows, choice, limit), timeout=limit)
        if not shape.contents:
            return restores.claim_body(shape, body, snapshot)
        content = self._call("GET", f"{shape.contents}/{segment(restores.content_name(snapshot))}")
        return restores.of_content(shape, body, snapshot, content)

    def update(self, kind: Kind, locator: str, body: Row, fresh: Row) -> None:
        """Merge patch, which the server refuses if the object changed since `fresh`."""
        metadata = {**body.get("metadata", {}), "resourceVersion": at(fresh, ("metadata", "resourceVersion"))}
        self._call(
            "PATCH",
            self._item(kind, locator),
            body={**body, "metadata": metadata},
            query=_strict(self._manager),
            form=_MERGE,
        )

    def delete(self, kind: Kind, locator: str, fresh: Row) -> None:
        """Delete exactly that object; one that is already gone is no error."""
        identity = {name: at(fresh, ("metadata", name)) for name in ("uid", "resourceVersion")}
        preconditions = {name: value for name, value in identity.items() if value is not None}
        options = {"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": preconditions}
        try:
            self._call("DELETE", self._item(kind, locator), body=options)
        except ObjectNotFound:
            return

    def writers(self, row: Row) -> tuple[str, ...]:
        """The other field managers, and the Helm release that an object belongs to."""
        metadata = row.get("metadata") or {}
        writers = {str(entry.get("manager")) for entry in managers.entries(row)}
        release = (metadata.get("annotations") or {}).get("meta.helm.sh/release-name")
        return (*sorted(writers - self._ourselves()), *([f"Helm release {release}"] if release else []))

    def mark_of(self, row: Row) -> Mark:
        """The document of the field manager that wrote last, else of the label."""
        return managers.owner_mark(row)

    def owners_of(self, row: Row) -> tuple[str, ...]:
        """The owner references, or the controller that created a claim for a StatefulSet."""
        return owners.owners_of(row)

    def _ourselves(self) -> frozenset[str]:
        """This document's manager, and the one that was used before managers named documents."""
        return frozenset((MANAGER, self._manager))

    def history(self, sought: Sequence[ChangedObject]) -> Iterator[tuple[int, Trace]]:
        """The field managers of these objects, at most `OBJECTS` of them, which are read again for this."""
        for number, changed in enumerate(sought[:OBJECTS]):
            row = self.read(changed.kind, changed.locator)
            for trace in of_managers(row or {}, changed.since, self._ourselves()):
                yield number, trace

    def locator(self, kind: Kind, row: Row) -> str:
        """`name`, or `namespace/name`."""
        name, namespace = (str(at(row, ("metadata", part)) or "") for part in ("name", "namespace"))
        return f"{namespace}/{name}" if kind.endpoint.namespaced else name

    def count(self, path: str) -> int:
        """The number of objects at a path: one object's metadata is read, and the server counts the rest."""
        body = self._call("GET", path, query=[("limit", "1")], accept=_NAMES)
        rows, remaining = at(body, ("items",)), at(body, ("metadata", "remainingItemCount"))
        if not isinstance(rows, list) and at(body, ("kind",)) != _NAMES_KIND:
            raise Unreachable(f"{self.describe()}: the answer to GET {path} does not say how many objects exist")
        return len(rows if isinstance(rows, list) else []) + (remaining if isinstance(remaining, int) else 0)

    def attempt(self, namespace: str, collection: str, body: Row) -> None:
        """A server-side dry run of a create in the core API. Raises what the create would raise."""
        self._call("POST", f"/api/v1/namespaces/{segment(namespace)}/{segment(collection)}", body=body, query=_DRY_RUN)

    def version(self) -> str:
        """The server's version, such as `1.34`."""
        body = self._call("GET", "/version")
        return f"{body.get('major')}.{str(body.get('minor', '')).rstrip('+')}" if isinstance(body, dict) else ""

    def call(self, method: str, path: str, *, query: list[tuple[str, str]] | None = None, body: Any = None) -> Any:
        """One request, with its raw answer, for callers that store objects of their own."""
        if method in ("POST", "PUT"):
            query = [*(query or []), *_strict(MANAGER)]
        return self._call(method, path, query=query, body=body)

    def _collection(self, kind: Kind, namespace: str) -> str:
        if not kind.endpoint.namespaced:
            return kind.endpoint.path
        root, _, plural = kind.endpoint.path.rpartition("/")
        return f"{root}/namespaces/{segment(namespace)}/{plural}"

    def _item(self, kind: Kind, locator: str) -> str:
        namespace, _, name = locator.rpartition("/")
        return f"{self._collection(kind, namespace)}/{segment(name)}"

    def _call(
        self,
        method: str,
        path: str,
        *,
        query: list[tuple[str, str]] | None = None,
        body: Any = None,
        form: str = JSON,
        accept: str = JSON,
    ) -> Any:
        return self._transport.call(ClientRequest(method, path, query, body, form, accept)).body

    def _authorisation(self, _: Mapping[str, str] | None) -> Mapping[str, str]:
        """The header from the kubeconfig; the official client renews a token by itself."""
        token = self._api.configuration.auth_settings().get("BearerToken")
        return {"Authorization": str(token["value"])} if token else {}


def _parts(row: Row, listed: tuple[str, ...]) -> Row:
    """Only the requested fields, even if the server returns whole objects."""
    return {name: row[name] for name in listed if name in row}


def _strict(manager: str) -> list[tuple[str, str]]:
    return [("fieldManager", manager), ("fieldValidation", "Strict")]


def _message(body: Any, _: str) -> str:
    """The reason of a refusal: the `message` of a Status, which has all of it."""
    return one_line(str(body.get("message", ""))) if isinstance(body, dict) else ""


class Pool:
    """Connections as the official client creates them from a kubeconfig."""

    errors: tuple[type[Exception], ...] = (urllib3.exceptions.HTTPError,)

    def __init__(self, api: client.ApiClient, limits: TransportLimits) -> None:
        self._api = api
        passes = type(api.rest_client.pool_manager) is not urllib3.PoolManager
        self.proxy = without_login(api.configuration.proxy) if passes else ""
        bound_sockets(api.rest_client.pool_manager)
        self._timeout = urllib3.Timeout(connect=limits.connect, read=limits.silence)

    def send(
        self, request: ClientRequest, content: bytes | None, headers: Mapping[str, str]
    ) -> urllib3.BaseHTTPResponse:
        """The answer, its body unread."""
        all_headers = {"Accept": request.accept, **self._api.default_headers, **headers}
        if content is not None:
            all_headers["Content-Type"] = request.form
        response: urllib3.BaseHTTPResponse = self._api.rest_client.pool_manager.request(
            request.method, self._api.configuration.host + request.target, headers=all_headers, body=content,
            timeout=self._timeout, redirect=False, preload_content=False, retries=False,
        )  # fmt: skip
        return response

    def close(self) -> None:
        """Close the connections."""
        self._api.close()  # type: ignore[no-untyped-call]
