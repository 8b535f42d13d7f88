"""The client of the throw-away system: one list a collection, a whole object at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from vastplan.model.errors import ObjectNotFound, Unreachable
from vastplan.schema.codec import item_id
from vastplan.schema.kind import Kind, Row
from vastplan.schema.system import Connection
from vastplan.systems.http import Session
from vastplan.systems.transport import ClientRequest, Transport, segment


class LibraryProvider:
    """One library."""

    system = "library"
    simulated = False

    def __init__(self, url: str, verify: str | bool, token: Callable[[], str], connection: Connection) -> None:
        self.writable = connection.writable
        self._token = token
        parallel, limits = connection.parallel, connection.limits
        session = Session(url, verify=verify, parallel=parallel, limits=limits)
        self._transport = Transport(
            url, session, authorise=self._authorisation, harmless=lambda _: False, writable=connection.writable,
            parallel=parallel, limits=limits,
        )  # fmt: skip

    def describe(self) -> str:
        """Its address."""
        return self._transport.address

    def version(self) -> str:
        """The version of its catalogue."""
        return str(self._transport.call(ClientRequest("GET", "/version")).body["version"])

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def pages(self, kind: Kind) -> Iterator[list[Row]]:
        """Everything at once."""
        rows = self._transport.call(ClientRequest("GET", kind.endpoint.path)).body
        if not isinstance(rows, list):
            raise Unreachable(f"{self.describe()}: {kind.endpoint.path} is no list")
        yield rows

    def read(self, kind: Kind, locator: str) -> Row | None:
        """One object by id."""
        try:
            row: Row = self._transport.call(ClientRequest("GET", self._item(kind, locator))).body
        except ObjectNotFound:
            return None
        return row

    def create(self, kind: Kind, body: Row) -> Row:
        """Create an object."""
        row: Row = self._transport.call(ClientRequest("POST", kind.endpoint.path, body=body)).body
        return row

    def update(self, kind: Kind, locator: str, body: Row, fresh: Row) -> None:
        """Change some fields."""
        self._transport.call(ClientRequest("PATCH", self._item(kind, locator), body=body))

    def delete(self, kind: Kind, locator: str, fresh: Row) -> None:
        """Delete an object."""
        self._transport.call(ClientRequest("DELETE", self._item(kind, locator)))

    def locator(self, kind: Kind, row: Row) -> str:
        """The id."""
        return item_id(kind.endpoint, row)

    def writers(self, row: Row) -> tuple[str, ...]:
        """Nobody else."""
        return ()

    def _item(self, kind: Kind, locator: str) -> str:
        return f"{kind.endpoint.path}/{segment(locator)}"

    def _authorisation(self, _: Mapping[str, str] | None) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {self._token()}"}
