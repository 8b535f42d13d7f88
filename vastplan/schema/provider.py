"""What the engine asks of a system: five verbs on rows. Providers implement it; the engine knows nothing else of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol, runtime_checkable

from vastplan.model.site_ledger import Owned
from vastplan.schema.kind import Kind, Row


class Provider(Protocol):
    """One system of one site.

    Raises `Unreachable` when no understandable answer came, `Refused` and its kin when the answer was no, and for
    writes `Unclear` when it cannot be known whether they happened.

    What it is asked is the same for every shape of endpoint (`schema/endpoint.py`): the client turns it into the requests
    that the shape means. A singleton is on its only page, and is neither created nor deleted.
    """

    system: str
    writable: bool

    def pages(self, kind: Kind) -> Iterator[list[Row]]:
        """All rows of a kind, page by page; of each no more than `Endpoint.listed`, where that says anything."""

    def read(self, kind: Kind, locator: str) -> Row | None:
        """One object by locator, `None` when there is none."""

    def create(self, kind: Kind, body: Row) -> Row:
        """Create an object; the row answered has at least its id, and what the endpoint says is `answered_once`.

        Those values are secrets: whoever takes them gives them to their destination and notes them nowhere.
        """

    def update(self, kind: Kind, locator: str, body: Row, fresh: Row) -> None:
        """Change an object that was just read as `fresh`."""

    def delete(self, kind: Kind, locator: str, fresh: Row) -> None:
        """Delete an object that was just read as `fresh`; one that is gone is fine."""

    def locator(self, kind: Kind, row: Row) -> str:
        """How to find the row's object again with `read`."""

    def writers(self, row: Row) -> tuple[str, ...]:
        """Who else writes the object, where the system tells."""

    def close(self) -> None:
        """Close the connections."""

    def describe(self) -> str:
        """The system's address, without credentials, for plans and messages."""


class Mark(NamedTuple):
    """The document that wrote an object last, or that it says it is of ("" where nothing says so), and since when at the
    earliest (ISO 8601, whole seconds)."""

    document: str = ""
    at: str = ""


NO_MARK = Mark()


@runtime_checkable
class Marking(Protocol):
    """A provider whose system shows which document wrote an object. A provider need not."""

    def mark_of(self, row: Row) -> Mark:
        """Which document wrote the object last."""


@runtime_checkable
class Glancing(Protocol):
    """A provider that can look whether an object is there without being shown all of it. A provider need not."""

    def glance(self, kind: Kind, locator: str) -> Row | None:
        """As `read`, with no more than a list shows (`Endpoint.listed`)."""


@runtime_checkable
class Owning(Protocol):
    """A provider whose system shows what an object belongs to. A provider need not."""

    def owners_of(self, row: Row) -> tuple[str, ...]:
        """What will see to the object, as `StatefulSet web`, or the program that made it; none where nothing says so."""


@runtime_checkable
class Asking(Protocol):
    """A provider of what is set of somebody in a place, or what he has there, and nobody lists (`Asked`, `AskedMembers`). Others need
    not. Both raise `Nobody` where the place is there and knows nobody of that name."""

    def set_of(self, kind: Kind, locator: str) -> Row | None:
        """What is set of somebody, by `Asked.locator`; `None` where nothing is, or where there is no such place."""

    def had(self, kind: Kind, owner: str) -> list[Row]:
        """All objects of the kind that somebody has, by `AskedMembers.locator` without an id; none where there is no such place."""


@runtime_checkable
class Counting(Protocol):
    """A provider whose system says how many objects a collection has, without showing them all. A provider need not."""

    def count(self, path: str) -> int:
        """How many there are, by what answers at the path of `Uncovered`."""


class Journal(Protocol):
    """What apply asks of a site's ledger: durable notes of what is ours, before and after every write.

    Raises `Lost` when nothing can be noted any more.
    """

    def owns(self, address: str, owned: Owned) -> None:
        """The object is ours, as described."""

    def drops(self, address: str) -> None:
        """The object is no longer ours."""

    def settles(self, address: str) -> None:
        """Nothing happened to the object."""
