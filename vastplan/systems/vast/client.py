"""VAST: token or API token, `{count, next, results}` pages, empty answers to PATCH, and tasks to wait for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from vastplan.model.errors import NotAuthorised, NotFound, Refused, Unclear, Unreachable
from vastplan.schema.history import Sought, Trace, earliest
from vastplan.schema.kind import Kind, Row
from vastplan.systems.history import PAGES, of_events, stamp
from vastplan.systems.http import Answer, Http, explain, one_line, segment
from vastplan.systems.limits import DEFAULT_LIMITS, TransportLimits

PAGE = 1000  # unpaged lists are cut short without a word from VMS 5.5 on
TASK_TIMEOUT = 600.0  # seconds


class VastProvider:
    """One VAST cluster."""

    system = "vast"

    def __init__(
        self,
        url: str,
        *,
        verify: str | bool,
        token: Callable[[], str] | None,
        user: tuple[str, Callable[[], str]] | None,
        tenant: str | None = None,
        api_version: str = "v5",
        writable: bool,
        parallel: int = 8,
        limits: TransportLimits = DEFAULT_LIMITS,
    ) -> None:
        self.writable = writable
        self._url = url
        self._token = token
        self._user = user
        self._tenant = {"X-Tenant-Name": tenant} if tenant else {}
        self._bearer: str | None = None
        self._login = threading.Lock()
        self._http = Http(
            f"{url.rstrip('/')}/api/{api_version}",
            verify=verify,
            authorise=self._headers,
            expired=lambda status, text: (
                self._user is not None and status in (401, 403) and "permission_denied" not in text
            ),
            read_only=not writable,
            log_in="/token/",
            parallel=parallel,
            limits=limits,
        )

    def describe(self) -> str:
        """The cluster's address."""
        return self._url

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def pages(self, kind: Kind) -> Iterator[list[Row]]:
        """All rows, in pages; a page that is not the documented envelope is not understood."""
        path: str = kind.endpoint.path
        query: Mapping[str, Any] | None = {"page_size": PAGE, "page": 1, **kind.endpoint.query}
        shown, seen = 0, {path}
        while True:
            body = self._http.call("GET", path, query=query).body
            rows = body.get("results") if isinstance(body, dict) else body
            if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
                raise Unreachable(f"{self._url}: the answer to GET {kind.endpoint.path} is not a list of objects")
            yield rows
            shown += len(rows)
            following = body.get("next") if isinstance(body, dict) else None
            if not following:
                break
            path, query = self._http.follow(str(following)), None
            if path in seen:
                raise Unreachable(f"{self._url}: the pages of {kind.endpoint.path} lead in a circle")
            seen.add(path)
        count = body.get("count") if isinstance(body, dict) else None
        if isinstance(count, int) and shown < count:
            raise Unreachable(f"{self._url}: the list of {kind.endpoint.path} was cut short: {shown} of {count}")

    def read(self, kind: Kind, locator: str) -> Row | None:
        """One object by id."""
        try:
            body = self._http.call("GET", f"{kind.endpoint.path}{segment(locator)}/").body
        except NotFound:
            return None
        if not isinstance(body, dict):
            raise Unreachable(
                f"{self._url}: the answer to GET {kind.endpoint.path}{segment(locator)}/ is not an object"
            )
        return body

    def create(self, kind: Kind, body: Row) -> Row:
        """Create; a task in the answer is waited for."""
        answer = self._http.call("POST", kind.endpoint.path, body=body)
        row = answer.body if isinstance(answer.body, dict) else {}
        self._wait(answer)
        if "id" not in row:
            raise Unclear(f"POST {kind.endpoint.path}: the answer has no id")
        return row

    def update(self, kind: Kind, locator: str, body: Row, fresh: Row) -> None:
        """PATCH the fields in `body`; the answer may be empty."""
        self._wait(self._http.call("PATCH", f"{kind.endpoint.path}{segment(locator)}/", body=body))

    def delete(self, kind: Kind, locator: str, fresh: Row) -> None:
        """Delete; what is gone is fine."""
        try:
            self._wait(self._http.call("DELETE", f"{kind.endpoint.path}{segment(locator)}/"))
        except NotFound:
            return

    def writers(self, row: Row) -> tuple[str, ...]:
        """Rows do not tell."""
        return ()

    def locator(self, kind: Kind, row: Row) -> str:
        """The decimal id."""
        return str(row.get("id", ""))

    def history(self, sought: Sequence[Sought]) -> Iterator[tuple[int, Trace]]:
        """What the events since the first of these was applied say; at most `PAGES` pages of them."""
        start = earliest(sought)
        if start is None:
            return
        for page in range(1, PAGES + 1):
            query = {"timestamp__gte": stamp(start), "page_size": PAGE, "page": page}
            body = self._http.call("GET", "/events/", query=query).body
            rows = body.get("results") if isinstance(body, dict) else body
            if not isinstance(rows, list):
                raise Unreachable(f"{self._url}: the answer to GET /events/ is not a list of objects")
            yield from of_events((row for row in rows if isinstance(row, dict)), sought)
            if not isinstance(body, dict) or not body.get("next"):
                return
        # In which order they come is not documented: the last change may be among those that were not read.
        raise Unreachable(f"{self._url}: more than {PAGES * PAGE} events since {stamp(start)}")

    def version(self) -> str:
        """The cluster's software version, such as `5.5.0.12`."""
        body = self._http.call("GET", "/versions/", query={"status": "success", "page_size": 1}).body
        rows = body.get("results") if isinstance(body, dict) else body
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise Unreachable(f"{self._url}: the answer to GET /versions/ is not a list of objects")
        return str(rows[0].get("sys_version", "")) if rows else ""

    def _wait(self, answer: Answer) -> None:
        task = answer.body.get("async_task") if isinstance(answer.body, dict) else None
        if not isinstance(task, dict) or "id" not in task:
            return
        deadline, pause = time.monotonic() + TASK_TIMEOUT, 0.05
        while True:
            state = str(task.get("state", "")).upper()
            if state in ("COMPLETED", "SUCCESS"):
                return
            if state in ("FAILED", "TIMEOUT", "ERROR", "CANCELLED", "PARTIALLY_COMPLETED"):
                messages = task.get("messages")
                last = messages[-1] if isinstance(messages, list) and messages else messages
                raise Refused(
                    f"task {task.get('name', task['id'])} ended as {state}: {one_line(str(last or 'no reason given'))}"
                )
            if time.monotonic() > deadline:
                raise Unclear(f"task {task.get('name', task['id'])} did not end within {TASK_TIMEOUT:.0f} s")
            time.sleep(pause)
            pause = min(pause * 1.5, 5.0)
            body = self._http.call("GET", f"/vtasks/{segment(str(task['id']))}/").body
            task = body if isinstance(body, dict) else task

    def _headers(self, refused: Mapping[str, str] | None) -> Mapping[str, str]:
        if self._token is not None:
            return {"Authorization": f"Api-Token {self._token()}", **self._tenant}
        with self._login:  # one log-in, however many threads notice that the token has expired
            if self._bearer is None or (refused and refused["Authorization"] == f"Bearer {self._bearer}"):
                self._bearer = self._log_in()
            return {"Authorization": f"Bearer {self._bearer}", **self._tenant}

    def _log_in(self) -> str:
        assert self._user is not None
        name, password = self._user
        answer = self._http.log_in({"username": name, "password": password()})
        if answer.status in (400, 401, 403):
            raise NotAuthorised(f"{self._url}: user {name} could not log in: {explain(answer.body, '')}", answer.status)
        if answer.status >= 400 or not isinstance(answer.body, dict) or "access" not in answer.body:
            raise Unreachable(f"{self._url}: logging in answered {answer.status}")
        return str(answer.body["access"])
