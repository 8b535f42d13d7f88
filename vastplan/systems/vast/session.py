"""A session with a VMS: log-in, `{count, next, results}` pages, and tasks to wait for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl

from vastplan.model.errors import NotAuthorised, Refused, Unclear, Unreachable
from vastplan.model.long_lists import Length
from vastplan.model.polling import poll
from vastplan.schema.kind import Row
from vastplan.schema.transport_limits import TransportLimits
from vastplan.systems.failures import failure_reason, one_line
from vastplan.systems.http import Session
from vastplan.systems.transport import Answer, ClientRequest, Transport, segment

PAGE = 1000  # from VMS 5.5 on, unpaged lists are cut short without notice
TASK_TIMEOUT = 600.0  # seconds
LOG_IN = "/token/"
_TASK_DONE = frozenset({"COMPLETED", "SUCCESS"})
_TASK_FAILED = frozenset({"FAILED", "TIMEOUT", "ERROR", "CANCELLED", "PARTIALLY_COMPLETED"})


class VmsSession:
    """Calls to one VMS, with a token or a log-in that is renewed when it expires. Its errors begin with `url`."""

    def __init__(
        self,
        url: str,
        *,
        verify: str | bool,
        token: Callable[[], str] | None,
        user: tuple[str, Callable[[], str]] | None,
        tenant: str | None,
        api_version: str,
        writable: bool,
        parallel: int,
        limits: TransportLimits,
        direct: bool = False,
    ) -> None:
        self.url = url
        self._token = token
        self._user = user
        self._tenant = {"X-Tenant-Name": tenant} if tenant else {}
        self._bearer: str | None = None
        self._login = threading.Lock()
        base = f"{url.rstrip('/')}/api/{api_version}"
        self.transport = Transport(
            base,
            Session(base, verify=verify, parallel=parallel, limits=limits, direct=direct),
            authorise=self._headers,
            expired=self._expired,
            harmless=lambda request: request.method == "POST" and request.path == LOG_IN,
            writable=writable,
            trust_by="ca_file",
            parallel=parallel,
            limits=limits,
        )

    def send(self, method: str, path: str, body: Row | None = None) -> Answer:
        """The answer to a call."""
        return self.transport.call(ClientRequest(method, path, body=body))

    def get(self, path: str, query: Mapping[str, Any] | None = None) -> Any:
        """The body of the answer to a GET."""
        return self.transport.call(ClientRequest("GET", path, query)).body

    def object(self, path: str, only: Mapping[str, Any] | None = None) -> Row:
        """The object that a GET answers. Raises `Unreachable` if it is none."""
        body = self.get(path, only)
        if not isinstance(body, dict):
            raise Unreachable(f"{self.url}: the answer to GET {path} is not an object")
        return body

    def listed(self, start: str, only: Mapping[str, Any]) -> Iterator[list[Row]]:
        """The pages of a list, all of them or an error.

        Of the link to the next page only the query counts: behind a balancer or below a prefix its scheme, host, port and path may
        be those that the VMS knows itself by.
        """
        query: Mapping[str, Any] = {"page_size": PAGE, "page": 1, **only}
        query = {name: value for name, value in query.items() if value is not None}  # some lists accept no page size
        row_count, seen, length = 0, set[str](), Length(f"{self.url}: the list of {start}")
        while True:
            body = self.get(start, query)
            rows = body.get("results") if isinstance(body, dict) else body
            if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
                raise Unreachable(f"{self.url}: the answer to GET {start} is not a list of objects")
            yield rows
            row_count += len(rows)
            following = body.get("next") if isinstance(body, dict) else None
            if not following:
                break
            length.another(len(rows))
            link = str(following).partition("?")[2].partition("#")[0]
            if not link:
                raise Unreachable(f"{self.url}: GET {start} answered with a link that is not an address of a page")
            if link in seen:
                raise Unreachable(f"{self.url}: the pages of {start} lead in a circle")
            seen.add(link)
            query = dict(parse_qsl(link, keep_blank_values=True))
        count = body.get("count") if isinstance(body, dict) else None
        if isinstance(count, int) and row_count < count:
            raise Unreachable(f"{self.url}: the list of {start} was cut short: {row_count} of {count}")

    def finish(self, answer: Answer) -> None:
        """Wait for the task that an answer may contain. Raises `Refused` if it fails, `Unclear` if it takes too long."""
        begun = answer.body.get("async_task") if isinstance(answer.body, dict) else None
        if not isinstance(begun, dict) or "id" not in begun:
            return
        name, states = begun.get("name", begun["id"]), self._task_states(begun)

        def ended() -> bool | None:
            task = next(states)
            state = str(task.get("state", "")).upper()
            if state in _TASK_FAILED:
                messages = task.get("messages")
                last_message = messages[-1] if isinstance(messages, list) and messages else messages
                raise Refused(f"task {name} ended as {state}: {one_line(str(last_message or 'no reason given'))}")
            return True if state in _TASK_DONE else None

        def overdue() -> Unclear:
            return Unclear(f"task {name} did not end within {TASK_TIMEOUT:.0f} s")

        poll(ended, overdue, timeout=TASK_TIMEOUT, first=0.05, longest=5.0, growth=1.5)

    def _task_states(self, task: Row) -> Iterator[Row]:
        """The task as it was first returned, then as it is at each read."""
        path = f"/vtasks/{segment(str(task['id']))}/"
        while True:
            yield task
            body = self.get(path)
            task = body if isinstance(body, dict) else task

    def _expired(self, answer: Answer) -> bool:
        """Whether the token has expired: VMS answers 403 to that as to a missing right, but names a missing right."""
        return self._user is not None and answer.status in (401, 403) and "permission_denied" not in answer.text

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
        answer = self.transport.exchange(
            ClientRequest("POST", LOG_IN, body={"username": name, "password": password()}), {}
        )
        if answer.status in (400, 401, 403):
            raise NotAuthorised(
                f"{self.url}: user {name} could not log in: {failure_reason(answer.body, '')}; correct username or password",
                answer.status,
            )
        if answer.status >= 400 or not isinstance(answer.body, dict) or "access" not in answer.body:
            raise Unreachable(f"{self.url}: logging in answered {answer.status}")
        return str(answer.body["access"])
