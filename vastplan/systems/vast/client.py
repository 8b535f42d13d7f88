"""VAST: how objects of each shape of endpoint are listed, read, created, updated and deleted."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from vastplan.model.errors import Nobody, ObjectNotFound, Refused, Unclear, Unreachable
from vastplan.model.sensitive import keep_token
from vastplan.schema.codec import at, item_id
from vastplan.schema.endpoint import SINGLETON_ID, Asked, AskedMembers, Clones, Endpoint, Members, Singleton
from vastplan.schema.history import ChangedObject, Trace, earliest
from vastplan.schema.kind import Kind, Row
from vastplan.schema.transport_limits import DEFAULT_LIMITS, TransportLimits
from vastplan.systems.deltas import calls, without_deltas
from vastplan.systems.history import PAGES, of_events, stamp
from vastplan.systems.transport import Answer, segment
from vastplan.systems.vast import clones, members, unlisted_rights
from vastplan.systems.vast.session import PAGE, VmsSession


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
        simulated: bool = False,
    ) -> None:
        self.writable = writable
        self.simulated = simulated
        self._member_writes = threading.Lock()
        self._places: dict[tuple[str, str], Any] = {}
        self._vms = VmsSession(
            url, verify=verify, token=token, user=user, tenant=tenant, api_version=api_version, writable=writable,
            parallel=parallel, limits=limits, direct=simulated,
        )  # fmt: skip
        self._transport = self._vms.transport

    def describe(self) -> str:
        """The cluster's address."""
        return self._vms.url

    def now(self) -> datetime | None:
        """The time by the cluster's own clock, from the date of its last answer; `None` if none had one."""
        return self._transport.now()

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def pages(self, kind: Kind) -> Iterator[list[Row]]:
        """All rows, in pages; a page without the documented envelope is an error."""
        endpoint, shape = kind.endpoint, kind.endpoint.shape
        if isinstance(shape, Singleton):
            yield [self._singleton(kind)]
            return
        if isinstance(shape, Asked | AskedMembers):
            raise Refused(f"{kind.name}: they cannot be listed; each is read by itself")
        for rows in self._vms.listed(endpoint.path, endpoint.query):
            rows = members.of_owners(endpoint, shape, rows) if isinstance(shape, Members) else rows
            yield [row for row in rows if not _is_revoked(kind, row)]

    def read(self, kind: Kind, locator: str) -> Row | None:
        """One object: by its id, or a member by `OWNER/ID`; `None` if it does not exist."""
        shape = kind.endpoint.shape
        try:
            if isinstance(shape, Singleton):
                return self._singleton(kind)
            if isinstance(shape, Asked):
                return self.set_of(kind, locator)
            if isinstance(shape, AskedMembers):
                rows = self.had(kind, shape.owner(locator))
                return next(
                    (row for row in rows if unlisted_rights.member_locator(kind.endpoint, shape, row) == locator), None
                )
            if isinstance(shape, Members):
                return self._member(kind, shape, locator)
            row = self._vms.object(f"{kind.endpoint.path}{segment(locator)}/")
            return None if _is_revoked(kind, row) else row
        except ObjectNotFound:
            return None

    def create(self, kind: Kind, body: Row) -> Row:
        """Create, and wait for a task in the answer. Values that only this answer contains are kept secret from now on."""
        endpoint, shape = kind.endpoint, kind.endpoint.shape
        if isinstance(shape, Singleton):
            raise Refused(f"{kind.name}: exactly one always exists; no other can be created")
        if isinstance(shape, Asked):
            locator, values = unlisted_rights.split_body(shape, body)
            self._set(kind, shape, locator, values)
            return {**body, endpoint.id[0]: locator}
        if isinstance(shape, Clones):
            return self._cloned(endpoint, shape, body)
        path, sent_body = endpoint.path, body
        if isinstance(shape, AskedMembers):
            owner = shape.locator(str(body[shape.within]), str(body[shape.of]))
            path, sent_body = shape.path, self._whose(kind, shape, owner)
        if isinstance(shape, Members):
            owner, sent_body = members.split_owner(shape, body)
            path = members.members_path(shape, owner)
        if isinstance(shape, Members | AskedMembers):
            with self._member_writes:  # keys of one user that are created at the same time get lost
                answer = self._vms.send("POST", path, sent_body)
        else:
            answer = self._made(endpoint, path, sent_body)
        row: Row = answer.body if isinstance(answer.body, dict) else {}
        for place in endpoint.answered_once:
            keep_token(str(at(row, place) or ""))
        if isinstance(shape, Members):
            row = members.with_owner(shape, row, owner)
        if isinstance(shape, AskedMembers):
            row = {**row, shape.within: body[shape.within], shape.of: body[shape.of]}
        return self._finished(endpoint, path, answer, row)

    def _cloned(self, endpoint: Endpoint, shape: Clones, body: Row) -> Row:
        """Create a clone of the snapshot that the body refers to now; the row has the time at which the snapshot was taken."""
        guid = at(body, shape.room)
        rooms = (row for page in self._vms.listed(shape.rooms, {}) for row in page)
        room = next((row.get("id") for row in rooms if row.get("guid") == guid), None)
        if room is None:
            raise Refused(f"{self._vms.url}: {shape.rooms} has none whose GUID is {guid}")
        if body.get(shape.far.peer) is not None:
            peer = self._vms.object(f"{shape.far.peers}{segment(str(body[shape.far.peer]))}/")
            remote_fields = clones.far(self._vms.get, shape, body, str(peer.get("guid")))
            return self._stream(endpoint, endpoint.path, {**clones.clone_request(shape, body, room), **remote_fields})
        rows = (row for page in self._vms.listed(shape.snapshots, {"tenant_id": room}) for row in page)
        snapshot = clones.chosen_snapshot(shape, body, [row for row in rows if row.get("tenant_id", room) == room])
        row = self._stream(endpoint, clones.clone_path(shape, snapshot), clones.clone_request(shape, body, room))
        return {**row, shape.taken: snapshot.get("created")}

    def _stream(self, endpoint: Endpoint, path: str, body: Row) -> Row:
        answer = self._made(endpoint, path, body)
        row = answer.body if isinstance(answer.body, dict) else {}
        return self._finished(endpoint, path, answer, row)

    def _finished(self, endpoint: Endpoint, path: str, answer: Answer, row: Row) -> Row:
        """The row of the created object, once the task in the answer has ended."""
        self._vms.finish(answer)
        if not item_id(endpoint, row):
            raise Unclear(f"POST {path}: the answer has no id")
        return row

    def _made(self, endpoint: Endpoint, path: str, body: Row) -> Answer:
        """The answer to a create. Raises `Refused` if the reason means that nothing was done, whatever the status."""
        try:
            return self._vms.send("POST", path, body)
        except (Unclear, Refused) as failed:
            for reason, fix in endpoint.refuses.items():
                if reason in str(failed):
                    raise Refused(f"{failed}: {fix}", failed.status if isinstance(failed, Refused) else 0) from None
            raise

    def update(self, kind: Kind, locator: str, body: Row, fresh: Row) -> None:
        """PATCH the fields in `body`; the answer may be empty. Lists with calls of their own are changed by these."""
        shape = kind.endpoint.shape
        if isinstance(shape, Members):
            path, key_fields = members.member_path(shape, locator)
            self._vms.finish(self._vms.send("PATCH", path, {**members.split_owner(shape, body)[1], **key_fields}))
        elif isinstance(shape, Singleton):
            self._vms.finish(self._vms.send("PATCH", kind.endpoint.path, body))
        elif isinstance(shape, Asked):
            self._set(kind, shape, locator, body)
        elif isinstance(shape, AskedMembers):
            user_fields = self._whose(kind, shape, locator)
            self._vms.finish(
                self._vms.send("PATCH", shape.path, {**body, **user_fields, shape.key: shape.parts(locator)[2]})
            )
        else:
            path = f"{kind.endpoint.path}{segment(locator)}/"
            own_body = without_deltas(kind.endpoint.deltas, body)
            if own_body:
                self._vms.finish(self._vms.send("PATCH", path, own_body))
            for delta in kind.endpoint.deltas:
                if delta.field in body:
                    for sub_path, part in calls(delta, fresh.get(delta.field) or [], body[delta.field] or []):
                        self._vms.finish(self._vms.send("PATCH", f"{path}{sub_path}/", part))

    def delete(self, kind: Kind, locator: str, fresh: Row) -> None:
        """Delete; an object that is already gone is no error."""
        shape = kind.endpoint.shape
        if isinstance(shape, Singleton):
            raise Refused(f"{kind.name}: it always exists and cannot be deleted")
        try:
            if isinstance(shape, Asked):
                self._set(kind, shape, locator, shape.nothing)
            elif isinstance(shape, AskedMembers):
                user_fields = self._whose(kind, shape, locator)
                self._vms.finish(
                    self._vms.send("DELETE", shape.path, {**user_fields, shape.key: shape.parts(locator)[2]})
                )
            elif isinstance(shape, Members):
                path, key_fields = members.member_path(shape, locator)
                self._vms.finish(self._vms.send("DELETE", path, {**key_fields, **members.removed_with(shape, fresh)}))
            elif kind.endpoint.revoked is not None:
                self._vms.send("PATCH", f"{kind.endpoint.path}{segment(locator)}/{kind.endpoint.revoked.action}")
            else:
                path = f"{kind.endpoint.path}{segment(locator)}/"
                if isinstance(shape, Clones) and not clones.is_done(shape, fresh):
                    self._vms.finish(self._vms.send("PATCH", f"{path}{shape.stop}"))
                delete_body = {shape.with_directory: False} if isinstance(shape, Clones) else None
                self._vms.finish(self._vms.send("DELETE", path, delete_body))
        except ObjectNotFound:
            return

    def writers(self, row: Row) -> tuple[str, ...]:
        """None: rows do not show who wrote them."""
        return ()

    def locator(self, kind: Kind, row: Row) -> str:
        """The id; for a member also its owner's."""
        shape = kind.endpoint.shape
        if isinstance(shape, Singleton):
            return SINGLETON_ID
        if isinstance(shape, Asked):
            return unlisted_rights.asked_locator(shape, row)
        if isinstance(shape, AskedMembers):
            return unlisted_rights.member_locator(kind.endpoint, shape, row)
        return (
            members.owner_locator(kind.endpoint, shape, row)
            if isinstance(shape, Members)
            else item_id(kind.endpoint, row)
        )

    def set_of(self, kind: Kind, locator: str) -> Row | None:
        """The rights of a user or group in a tenant, `None` without any or without the tenant. Raises `Nobody`."""
        shape = kind.endpoint.shape
        assert isinstance(shape, Asked)
        place, name = shape.parts(locator)
        tenant_id = self._place(shape, place)
        if tenant_id is None:
            return None
        return unlisted_rights.found(
            kind.endpoint, shape, locator, self._answer_about(kind, shape, place, tenant_id, name)
        )

    def had(self, kind: Kind, owner: str) -> list[Row]:
        """The keys of a user in a tenant, by the user's locator; empty without the tenant. Raises `Nobody`."""
        shape = kind.endpoint.shape
        assert isinstance(shape, AskedMembers)
        place, name, _ = shape.parts(owner)
        tenant_id = self._place(shape, place)
        if tenant_id is None:
            return []
        return unlisted_rights.key_rows(
            kind.endpoint, shape, owner, self._answer_about(kind, shape, place, tenant_id, name)
        )

    def history(self, sought: Sequence[ChangedObject]) -> Iterator[tuple[int, Trace]]:
        """The changes in the events since the first of these was applied; at most `PAGES` pages."""
        start = earliest(sought)
        if start is None:
            return
        for page in range(1, PAGES + 1):
            query = {"timestamp__gte": stamp(start), "page_size": PAGE, "page": page}
            body = self._vms.get("/events/", query)
            rows = body.get("results") if isinstance(body, dict) else body
            if not isinstance(rows, list):
                raise Unreachable(f"{self._vms.url}: the answer to GET /events/ is not a list of objects")
            yield from of_events((row for row in rows if isinstance(row, dict)), sought)
            if not isinstance(body, dict) or not body.get("next"):
                return
        # The order of events is not documented: the last change may be among those that were not read.
        raise Unreachable(f"{self._vms.url}: more than {PAGES * PAGE} events since {stamp(start)}")

    def count(self, path: str) -> int:
        """The number of rows, from a page of one."""
        body = self._vms.get(path, {"page_size": 1})
        count = body.get("count") if isinstance(body, dict) else len(body) if isinstance(body, list) else None
        if not isinstance(count, int):
            raise Unreachable(f"{self._vms.url}: the answer to GET {path} does not say how many objects exist")
        return count

    def version(self) -> str:
        """The cluster's software version, such as `5.5.0.12`."""
        body = self._vms.get("/versions/", {"status": "success", "page_size": 1})
        rows = body.get("results") if isinstance(body, dict) else body
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise Unreachable(f"{self._vms.url}: the answer to GET /versions/ is not a list of objects")
        return str(rows[0].get("sys_version", "")) if rows else ""

    def answers(self) -> bool:
        """Whether it answers now, even if it did not before; a refusal is an answer."""
        self._transport.ask_again()
        try:
            self.version()
        except Unreachable:
            return False
        except Refused:
            pass
        return True

    def ask(self, method: str, path: str, body: Row | None = None) -> Any:
        """The answer to a documented call that belongs to no kind. The caller waits for a task in it."""
        return self._vms.send(method, path, body).body

    def object(self, path: str, only: Mapping[str, Any] | None = None) -> Row:
        """The answer at a path that belongs to no kind, with the query `only`."""
        return self._vms.object(path, only)

    def finished(self, method: str, path: str, body: Row | None = None) -> None:
        """Such a call, until the task in its answer has ended. Raises `Refused` if the task failed."""
        self._vms.finish(self._vms.send(method, path, body))

    def rows(self, path: str, only: Mapping[str, Any]) -> list[Row]:
        """All rows of a list that belongs to no kind, with the query `only`, page by page."""
        return [row for page in self._vms.listed(path, only) for row in page]

    def _singleton(self, kind: Kind) -> Row:
        row = self._vms.object(kind.endpoint.path)
        return row if item_id(kind.endpoint, row) else {**row, kind.endpoint.id[0]: SINGLETON_ID}

    def _member(self, kind: Kind, shape: Members, locator: str) -> Row | None:
        """A member, which has no path of its own: it is read from its owner's list."""
        endpoint, (owner, _) = kind.endpoint, members.owner_and_id(locator)
        if shape.within:
            pages: Iterator[list[Row]] = iter([[self._vms.object(f"{endpoint.path}{segment(owner)}/")]])
        else:
            filters = {shape.filter: owner} if shape.filter else {}
            pages = self._vms.listed(endpoint.path, {**endpoint.query, **filters})
        rows = (row for page in pages for row in members.of_owners(endpoint, shape, page))
        # a server ignores a filter that it does not know
        return next((row for row in rows if members.owner_locator(endpoint, shape, row) == locator), None)

    def _whose(self, kind: Kind, shape: AskedMembers, locator: str) -> Row:
        """The fields of a body that name the user of a locator. Raises `ObjectNotFound` if the tenant or the user does not exist."""
        place, name, _ = shape.parts(locator)
        tenant_id = self._place(shape, place)
        if tenant_id is None:
            raise ObjectNotFound(f"{self._vms.url}: {shape.places} has no {place}")
        return unlisted_rights.known_by(shape, tenant_id, self._answer_about(kind, shape, place, tenant_id, name))

    def _answer_about(self, kind: Kind, shape: Asked | AskedMembers, place: str, of: Any, name: str) -> Row:
        """The answer about a user or group in the place with id `of`. Raises `Nobody` if the place does not know the name."""
        try:
            answer = self._vms.get(kind.endpoint.path, {**kind.endpoint.query, shape.name: name, shape.place: of})
        except ObjectNotFound:
            answer = None
        if not answer:
            raise Nobody(f"{self._vms.url}: {place} has no user or group {name}")
        if not isinstance(answer, dict):
            raise Unreachable(f"{self._vms.url}: the answer to GET {kind.endpoint.path} is not an object")
        return answer

    def _set(self, kind: Kind, shape: Asked, locator: str, values: Mapping[str, Any]) -> None:
        place, name = shape.parts(locator)
        tenant_id = self._place(shape, place)
        if tenant_id is None:
            raise ObjectNotFound(f"{self._vms.url}: {shape.places} has no {place}")
        self._vms.finish(
            self._vms.send("PATCH", kind.endpoint.path, unlisted_rights.asked_body(shape, name, tenant_id, values))
        )

    def _place(self, shape: Asked | AskedMembers, name: str) -> Any:
        """The id of the tenant of that name, `None` if none exists. Raises `Unreachable` if several do.

        A read-only client looks up each tenant once.
        """
        if (shape.places, name) in self._places:
            return self._places[shape.places, name]
        rows = [
            row for page in self._vms.listed(shape.places, {"name": name}) for row in page if row.get("name") == name
        ]
        if len(rows) > 1:
            raise Unreachable(f"{self._vms.url}: {shape.places} has {len(rows)} objects named {name}")
        tenant_id = rows[0].get("id") if rows else None
        if not self.writable:
            self._places[shape.places, name] = tenant_id
        return tenant_id


def _is_revoked(kind: Kind, row: Row) -> bool:
    """Whether an object was revoked and is only still listed."""
    revoked = kind.endpoint.revoked
    return revoked is not None and at(row, revoked.mark) is True
