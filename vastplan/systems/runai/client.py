"""NVIDIA Run:AI: offset pages where the API has them, whole-object PUT, and answers of 202 for work that ends later."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from vastplan.model.errors import NotAuthorised, ObjectNotFound, Refused, Unclear, Unreachable
from vastplan.model.long_lists import Length
from vastplan.schema.codec import item_id
from vastplan.schema.endpoint import PerUnit, Singleton, Update
from vastplan.schema.history import ChangedObject, Trace, earliest
from vastplan.schema.kind import Kind, Row
from vastplan.schema.rows import ABSENT, at, dig, put
from vastplan.schema.transport_limits import DEFAULT_LIMITS, TransportLimits
from vastplan.schema.versions import is_before
from vastplan.systems.deltas import calls, without_deltas
from vastplan.systems.failures import failure_reason
from vastplan.systems.history import PAGES, of_audit, stamp
from vastplan.systems.http import Session
from vastplan.systems.runai import unit_objects
from vastplan.systems.transport import Answer, ClientRequest, Transport, segment

PAGE = 500  # the largest the API allows
LOG_IN = "/api/v1/token"
SAMPLES = 1000  # of the audit log, the largest it allows


class RunaiProvider:
    """One Run:AI cluster of one control plane."""

    system = "runai"

    def __init__(
        self,
        url: str,
        *,
        cluster: str,
        verify: str | bool,
        client_id: str,
        client_secret: Callable[[], str],
        writable: bool,
        parallel: int = 8,
        limits: TransportLimits = DEFAULT_LIMITS,
        simulated: bool = False,
    ) -> None:
        self.writable = writable
        self.simulated = simulated
        self._url = url
        self._cluster = cluster
        self._cluster_row: Row | None = None
        self._client_id = client_id
        self._client_secret = client_secret
        self._bearer: str | None = None
        self._login = threading.Lock()
        self._lookup = threading.Lock()
        self._transport = Transport(
            url,
            Session(url, verify=verify, parallel=parallel, limits=limits, direct=simulated),
            authorise=self._headers,
            expired=lambda answer: answer.status == 401,
            harmless=lambda request: request.method == "POST" and request.path == LOG_IN,
            writable=writable,
            trust_by="ca_file",
            parallel=parallel,
            limits=limits,
        )

    def describe(self) -> str:
        """The control plane's address and the cluster."""
        return f"{self._url} cluster {self._cluster}"

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def pages(self, kind: Kind) -> Iterator[list[Row]]:
        """All rows of this cluster, or the only one. Pages are counted by offset, because not every list returns the next page."""
        query: dict[str, Any] = {name: self._filled(value) for name, value in kind.endpoint.query.items()}
        path, offset = self._filled(kind.endpoint.path), 0
        if isinstance(kind.endpoint.shape, Singleton):
            row = self._call("GET", path, query).body
            if not isinstance(row, dict):
                raise Unreachable(f"{self._url}: the answer to GET {path} is not an object")
            yield [row]
            return
        paged = kind.endpoint.paged
        length = Length(f"{self._url}: the list of {path}")
        while True:
            paging = {"offset": offset, "limit": PAGE} if paged else {}
            try:
                body = self._call("GET", path, {**query, **paging}).body
            except Refused as refused:
                if refused.status != 400 or offset or not paged or not kind.endpoint.once_unpaged:
                    raise
                paged = False
                continue
            rows = body.get(kind.endpoint.rows) if kind.endpoint.rows and isinstance(body, dict) else body
            if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
                raise Unreachable(f"{self._url}: the answer to GET {path} is not a list of objects")
            matching = self._own_rows(kind, rows)
            if isinstance(kind.endpoint.shape, PerUnit):
                matching = [row for row in matching if unit_objects.is_one(kind, row)]
            yield self._in_detail(kind, matching) if kind.endpoint.detailed else matching
            if not paged or len(rows) < PAGE:
                return
            length.another(len(rows))
            offset += len(rows)

    def _own_rows(self, kind: Kind, rows: list[Row]) -> list[Row]:
        """The rows of this cluster; a row that does not name its cluster is included."""
        for path, allowed in kind.endpoint.owned:
            values = {None, ABSENT, *map(self._filled, allowed)}
            rows = [row for row in rows if not isinstance(value := dig(row, path), Hashable) or value in values]
        return rows

    def _in_detail(self, kind: Kind, rows: list[Row]) -> list[Row]:
        """Each row as it is read by itself; a row that is gone by then is left out."""
        return [whole for row in rows if (whole := self.read(kind, self.locator(kind, row))) is not None]

    def read(self, kind: Kind, locator: str) -> Row | None:
        """One object by its id, or by its type and unit."""
        path = f"{kind.endpoint.path}/{segment(locator)}"
        query = {name: value for name, value in kind.endpoint.query.items() if name in ("statusInfo", "usageInfo")}
        if isinstance(kind.endpoint.shape, PerUnit):
            path, query = unit_objects.unit_path(kind, locator)
        try:
            body = self._call("GET", path, query).body
        except ObjectNotFound:
            return None
        if not isinstance(body, dict):
            raise Unreachable(f"{self._url}: the answer to GET {kind.endpoint.path}/{locator} is not an object")
        return unit_objects.unit_row(kind, locator, body) if isinstance(kind.endpoint.shape, PerUnit) else body

    def create(self, kind: Kind, body: Row) -> Row:
        """Create in this cluster. An object of a unit is refused if another one exists by now, because a PUT would replace it."""
        if isinstance(kind.endpoint.shape, PerUnit):
            return self._put(kind, body)
        row = self._call("POST", kind.endpoint.path, body=self._placed(body, kind.endpoint.constants)).body
        if not isinstance(row, dict) or not item_id(kind.endpoint, row):
            raise Unclear(f"POST {kind.endpoint.path}: the answer has no id")
        return row

    def update(self, kind: Kind, locator: str, body: Row, fresh: Row) -> None:
        """PUT the whole object, or PATCH its changes; then change lists that have calls of their own."""
        if isinstance(kind.endpoint.shape, PerUnit):
            self._call(
                "PUT",
                unit_objects.unit_path(kind, locator)[0],
                body=unit_objects.unit_body(body, fresh, self.cluster_id()),
            )
            return
        path, deltas = f"{kind.endpoint.path}/{segment(locator)}", kind.endpoint.deltas
        own_body = without_deltas(deltas, body)
        if own_body or not deltas:
            method = "PUT" if kind.endpoint.update is Update.PUT else "PATCH"
            for place, version in kind.endpoint.keep_before:
                if is_before(self.version(), version):
                    put(own_body, place, at(fresh, place))
            self._call(method, path, body=own_body)
        for delta in deltas:
            if delta.field in body:
                for sub_path, part in calls(
                    delta, fresh.get(delta.field) or [], self._all_filled(body[delta.field] or [])
                ):
                    self._call("PATCH", f"{path}/{sub_path}", body=part)

    def _put(self, kind: Kind, body: Row) -> Row:
        whole = unit_objects.unit_body(body, {}, self.cluster_id())
        place = unit_objects.unit_locator({**body, "meta": whole["meta"]})
        if self.read(kind, place) is not None:
            raise Refused(f"{kind.name} {place} exists by now; plan again, and adopt it")
        answer = self._call("PUT", unit_objects.unit_path(kind, place)[0], body=whole).body
        if not isinstance(answer, dict) or not item_id(kind.endpoint, answer):
            raise Unclear(f"PUT {kind.endpoint.path} {place}: the answer has no id")
        return unit_objects.unit_row(kind, place, answer)

    def delete(self, kind: Kind, locator: str, fresh: Row) -> None:
        """Delete; an object that is already gone is no error."""
        path = f"{kind.endpoint.path}/{segment(locator)}"
        query: Mapping[str, str] | None = None
        if isinstance(kind.endpoint.shape, PerUnit):
            path, query = unit_objects.unit_path(kind, locator)
        try:
            self._call("DELETE", path, query)
        except ObjectNotFound:
            return

    def writers(self, row: Row) -> tuple[str, ...]:
        """None: rows do not show who wrote them."""
        return ()

    def locator(self, kind: Kind, row: Row) -> str:
        """The id, or type, scope and unit."""
        if isinstance(kind.endpoint.shape, PerUnit):
            return unit_objects.unit_locator(row)
        return item_id(kind.endpoint, row)

    def history(self, sought: Sequence[ChangedObject]) -> Iterator[tuple[int, Trace]]:
        """What the audit log has since the first of these was applied, newest first; at most `PAGES` pages."""
        start = earliest(sought)
        if start is None:
            return
        end = datetime.now(UTC) + timedelta(minutes=5)  # the control plane's clock may be ahead
        query = {"start": stamp(start), "end": stamp(end), "sortBy": "timestamp", "sortOrder": "desc"}
        for page in range(PAGES):
            paging = {"offset": page * SAMPLES, "numberOfSamples": SAMPLES}
            body = self._call("GET", "/api/v1/audit/log", {**query, **paging}).body
            # The API document requires `logs` in the answer, but describes `audit_logs`.
            rows = (body.get("audit_logs") or body.get("logs") or []) if isinstance(body, dict) else body
            if not isinstance(rows, list):
                raise Unreachable(f"{self._url}: the answer to GET /api/v1/audit/log is not a list of objects")
            yield from of_audit((row for row in rows if isinstance(row, dict)), sought)
            if len(rows) < SAMPLES:
                return

    def count(self, path: str) -> int:
        """The number from the call that counts, for all clusters."""
        body = self._call("GET", path).body
        count = body.get("count") if isinstance(body, dict) else None
        if not isinstance(count, int):
            raise Unreachable(f"{self._url}: the answer to GET {path} does not say how many objects exist")
        return count

    def version(self) -> str:
        """The version of the site's cluster, such as `2.24.0` (schema DisplayedCluster); "" if it is not in the row.

        No call returns the control plane's own version, which is never older: clusters are upgraded after it.
        """
        return str(self._this_cluster().get("version") or "")

    def cluster_id(self) -> str:
        """The uuid of the site's cluster. Raises `Unreachable` if the control plane has no cluster of that name."""
        return str(self._this_cluster()["uuid"])

    def _this_cluster(self) -> Row:
        """The site's cluster, read once."""
        with self._lookup:
            if self._cluster_row is None:
                rows = self._call("GET", "/api/v1/clusters").body
                clusters = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
                matching = [row for row in clusters if self._cluster in (row.get("name"), row.get("uuid"))]
                if len(matching) != 1 or "uuid" not in matching[0]:
                    names = ", ".join(sorted(str(row.get("name")) for row in clusters)) or "none"
                    raise Unreachable(f"{self._url} has no cluster {self._cluster} (it has: {names})")
                self._cluster_row = matching[0]
            return self._cluster_row

    def ask(self, method: str, path: str, body: Any = None, query: Mapping[str, Any] | None = None) -> Row:
        """The answer to a documented call that belongs to no kind."""
        answer = self._call(method, path, query, body).body
        if not isinstance(answer, dict):
            text = f"{self._url}: the answer to {method} {path} is not an object"
            raise Unreachable(text) if method == "GET" else Unclear(text)
        return answer

    def sent(self, method: str, path: str) -> None:
        """Send such a call; only a refusal in the answer matters."""
        self._call(method, path)

    def _call(self, method: str, path: str, query: Mapping[str, Any] | None = None, body: Any = None) -> Answer:
        return self._transport.call(ClientRequest(method, path, query, body))

    def _filled(self, value: Any) -> Any:
        return (
            value.replace("{cluster}", self.cluster_id()) if isinstance(value, str) and "{cluster}" in value else value
        )

    def _all_filled(self, items: Sequence[Row]) -> list[Row]:
        """The items of a list with `{cluster}` as the cluster's id."""
        return [{name: self._filled(value) for name, value in item.items()} for item in items]

    def _placed(self, body: Row, constants: Mapping[str, Any]) -> Row:
        """The body with `{cluster}` in a kind's constants replaced by the cluster's id; a value that somebody wrote stays."""
        placed = dict(body)
        for name, constant in constants.items():
            if name not in body:
                continue
            if isinstance(constant, Mapping):
                placed[name] = self._placed(body[name], constant)
            elif body[name] == constant:
                placed[name] = self._filled(constant)
        return placed

    def _headers(self, refused: Mapping[str, str] | None) -> Mapping[str, str]:
        with self._login:
            if self._bearer is None or (refused and refused["Authorization"] == f"Bearer {self._bearer}"):
                self._bearer = self._log_in()
            return {"Authorization": f"Bearer {self._bearer}"}

    def _log_in(self) -> str:
        body = {"grantType": "client_credentials", "clientID": self._client_id, "clientSecret": self._client_secret()}
        answer = self._transport.exchange(ClientRequest("POST", LOG_IN, body=body), {})
        if answer.status in (400, 401, 403):
            reason = failure_reason(answer.body, "")
            raise NotAuthorised(
                f"{self._url}: client {self._client_id} could not log in: {reason}; correct client_id or client_secret",
                answer.status,
            )
        if answer.status >= 400 or not isinstance(answer.body, dict) or "accessToken" not in answer.body:
            raise Unreachable(f"{self._url}: logging in answered {answer.status}")
        return str(answer.body["accessToken"])
