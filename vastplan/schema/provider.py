"""The interface between the engine and a system: five verbs on rows. The engine knows nothing else about a provider."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol, runtime_checkable

from vastplan.model.site_ledger import Owned
from vastplan.schema.kind import Kind, Row


class Provider(Protocol):
    """One system of one site.

    Raises `Unreachable` when no answer came that it understands, `Refused` or a subclass when the system refused, and for
    writes `Unclear` when it cannot be determined whether they happened.

    The methods are the same for every shape of endpoint (`schema/endpoint.py`): the client turns them into the requests of that
    shape. A singleton is on its only page, and is neither created nor deleted.
    """

    system: str
    writable: bool

    def pages(self, kind: Kind) -> Iterator[list[Row]]:
        """All rows of a kind, page by page; of each row only the parts in `Endpoint.listed`, if there are any."""

    def read(self, kind: Kind, locator: str) -> Row | None:
        """One object by locator, `None` when it does not exist."""

    def create(self, kind: Kind, body: Row) -> Row:
        """Create an object; the returned row has at least its id, and the values in the endpoint's `answered_once`.

        Those values are secrets: the caller passes them to their destination and stores them nowhere else.
        """

    def update(self, kind: Kind, locator: str, body: Row, fresh: Row) -> None:
        """Change an object that was just read as `fresh`."""

    def delete(self, kind: Kind, locator: str, fresh: Row) -> None:
        """Delete an object that was just read as `fresh`; it is no error if the object is gone."""

    def locator(self, kind: Kind, row: Row) -> str:
        """The locator with which `read` finds the row's object again."""

    def writers(self, row: Row) -> tuple[str, ...]:
        """Who else writes the object; empty where the system does not show it."""

    def close(self) -> None:
        """Close the connections."""

    def describe(self) -> str:
        """The system's address, without credentials, for plans and messages."""


class Mark(NamedTuple):
    """The document that wrote an object last, or that the object is marked as owned by ("" where nothing shows one), and the
    earliest time of that (ISO 8601, whole seconds)."""

    document: str = ""
    at: str = ""


NO_MARK = Mark()


@runtime_checkable
class Marking(Protocol):
    """A provider whose system shows which document wrote an object. Optional for a provider."""

    def mark_of(self, row: Row) -> Mark:
        """The document that wrote the object last."""


@runtime_checkable
class Glancing(Protocol):
    """A provider that can check whether an object exists without reading all of it. Optional for a provider."""

    def glance(self, kind: Kind, locator: str) -> Row | None:
        """Like `read`, with only the parts that a list shows (`Endpoint.listed`)."""


@runtime_checkable
class Owning(Protocol):
    """A provider whose system shows what an object belongs to. Optional for a provider."""

    def owners_of(self, row: Row) -> tuple[str, ...]:
        """The owners of the object, such as `StatefulSet web`, or the program that created it; empty where nothing shows one."""


@runtime_checkable
class Asking(Protocol):
    """A provider with rights or objects of a user or group in a place that no list shows (`Asked`, `AskedMembers`). Optional for a
    provider. Both methods raise `Nobody` where the place exists and has nobody of that name."""

    def set_of(self, kind: Kind, locator: str) -> Row | None:
        """The rights of a user or group, by `Asked.locator`; `None` where none are set, or the place does not exist."""

    def had(self, kind: Kind, owner: str) -> list[Row]:
        """All objects of the kind that a user has, by `AskedMembers.locator` without an id; empty where the place does not exist."""


@runtime_checkable
class Trying(Protocol):
    """A provider whose system says what a create would do without carrying it out. Optional for a provider."""

    def attempt(self, namespace: str, collection: str, body: Row) -> None:
        """Ask for a create in a collection of a namespace, and raise what it would raise; nothing is created."""


@runtime_checkable
class Counting(Protocol):
    """A provider whose system returns how many objects a collection has, without listing them all. Optional for a provider."""

    def count(self, path: str) -> int:
        """The number of objects, by the answer at a path of `Uncovered`."""


class Journal(Protocol):
    """How an apply writes to a site's ledger: durable records of what is owned, before and after every write to a system.

    Raises `Lost` when the ledger can no longer be written.
    """

    def owns(self, address: str, owned: Owned) -> None:
        """Record that the ledger owns the object, as described by `owned`."""

    def drops(self, address: str) -> None:
        """Record that the ledger no longer owns the object."""

    def settles(self, address: str) -> None:
        """Record that the pending write did not happen."""

    def refuses(self, kind: Kind, field: str, why: str, at: str) -> None:
        """Record that the kind's system refuses to change a field in place."""

    def accepts(self, kind: Kind, field: str) -> None:
        """Record that it changes the field."""
