"""A kind of operation (move, restore) for those who plan it, carry it out and take it back: its subject, and the subject at its sites."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Generic, Protocol, TypeAlias, TypedDict, TypeVar

from vastplan.model.dataclass import dataclass
from vastplan.model.operation import Operation
from vastplan.model.operation_plan import OperationPlan
from vastplan.model.site_ledger import SiteLedger
from vastplan.operations.clock import Clock
from vastplan.operations.document import Document
from vastplan.operations.sites import Sites
from vastplan.operations.stage import Stage

Wanted = TypeVar("Wanted", contravariant=True)
Planned = TypeVar("Planned", bound=OperationPlan)
Parts: TypeAlias = Mapping[str, SiteLedger]
"""The ledger's parts of the subject's sites."""


class Heading(TypedDict):
    """The fields of an operation's plan about its document and its time."""

    document: str
    digest: str
    folder: str
    sources: tuple[str, ...]
    created: str
    expires: str


class Met(ABC, Generic[Planned]):
    """A subject over the ports of its sites. Everything that reads raises what ports raise."""

    @abstractmethod
    def plan(self, parts: Parts, heading: Callable[[datetime], Heading]) -> Planned:
        """The plan, without its id. Raises `VastplanError` if the operation is not possible."""

    @abstractmethod
    def known(self, plan: Planned, parts: Parts) -> Operation | None:
        """The last operation on the subject. Raises `Stale` if the subject is not that of the plan, `VastplanError` if an open
        operation cannot go on with the document."""

    @abstractmethod
    def record(self, plan: Planned, parts: Parts, known: Operation | None, consent: Mapping[str, object]) -> Operation:
        """The operation to record, from the document and the present state. Raises `Stale` if they differ from the plan."""

    @abstractmethod
    def refuse_another(self, known: Operation, parts: Parts) -> None:
        """Raises `Stale` if this is not the subject of the operation to take back."""

    @abstractmethod
    def stages(self) -> tuple[Stage, ...]:
        """The stages of the operation, in order."""

    @abstractmethod
    def standing(self, operation: Operation) -> str:
        """What the subject is like now: which side may write, or which data a directory has."""

    def records(self, operation: Operation) -> tuple[Operation, ...]:
        """The records to keep of an operation: itself, unless it has one for each path."""
        return (operation,)


@dataclass(frozen=True, slots=True)
class Subject(Generic[Planned]):
    """What an operation changes, at its `sites`. `label` is its address, or its addresses, for messages.

    `meet` returns it over the ports of its sites. Raises `VastplanError` if a site lacks it.
    """

    label: str
    sites: tuple[str, ...]
    meet: Callable[[Sites, Parts, Clock], Met[Planned]]
    lost: str = ""
    """A site that is given up: it is asked briefly, and not again for one call."""


class OperationKind(Protocol[Wanted, Planned]):
    """A kind of operation. Its subjects are found in the document, except where an operation to take back recorded its own."""

    name: str

    def wanted(self, document: Document, wanted: Wanted) -> Subject[Planned]:
        """The subject that somebody asks for. Raises `VastplanError`."""

    def planned(self, document: Document, plan: Planned) -> Subject[Planned]:
        """The subject of a plan. Raises `VastplanError`."""

    def begun(self, document: Document, operation: Operation) -> Subject[Planned]:
        """The subject of an operation, as it recorded it; if an older vastplan wrote the record without it, as the document has it now.
        Raises `VastplanError`."""
