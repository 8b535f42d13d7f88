"""A system: what a document says of it, and how it is connected. One folder of `vastplan/systems` declares one."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any, Generic, Protocol, TypeVar

from vastplan.model.rights import RightOf
from vastplan.schema.connection import AnySecret, SharedLedgerSpec, SystemSpec
from vastplan.schema.operations import Operation
from vastplan.schema.provider import Provider
from vastplan.schema.transport_limits import TransportLimits

Said = TypeVar("Said", bound=SystemSpec)


@dataclass(frozen=True, slots=True)
class Connection:
    """How a system is to be connected, beside what is said of it. Paths are relative to `folder`."""

    folder: Path
    secret: Callable[[AnySecret], Callable[[], str]]
    """What answers the value of a secret, when it is used."""
    writable: bool
    parallel: int
    limits: TransportLimits
    document: str = ""
    """The document that it is for, which a system may note beside what is written."""
    by_document: bool = False
    """Whether what is said of the system stands in a document. That is data: nothing that it names may run anything."""


class SimulatorEndpoint(Protocol):
    """How an embedded simulator is reached."""

    @property
    def site(self) -> str:
        """Its site, which is also its cluster's name."""

    @property
    def url(self) -> str:
        """Its address, another in every command."""

    @property
    def ca_file(self) -> str:
        """The authority that vouches for it."""

    @property
    def username(self) -> str:
        """A user, or the id of a client."""

    @property
    def password(self) -> str:
        """Its password, client secret or token."""


class Client(Provider, Protocol):
    """A provider as its system makes it: it also says what it is connected to."""

    simulated: bool
    """Whether it is an embedded simulator, whose address says nothing."""

    def version(self) -> str:
        """The version of the product that answers, "" where it does not say."""


@dataclass(frozen=True, slots=True)
class Uncovered:
    """A collection that a system has and vastplan has no kind for; `name` is the vendor's. At `path` one small answer says how many
    objects there are; "" where no call says so."""

    name: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class System(Generic[Said]):
    """One system. `name` is its key in a document's site, and the `system` of its kinds.

    What is probed of it is its client's `version()`: the fact `NAME_version`. Modules that import a client's libraries are
    imported by `connect` and `simulate`, when something is connected.
    """

    name: str
    spec: type[Said]
    connect: Callable[[Said, Connection], Client]
    simulate: Callable[[SimulatorEndpoint, Connection], Client] | None = None
    """How its embedded simulator is spoken to, where there is one."""
    ledger: type[SharedLedgerSpec] | None = None
    """What a document says of a shared ledger in it, where it can keep one."""
    rank: int = 100
    """Its place where systems are listed for people: what others stand on comes first."""
    right_of: RightOf | None = None
    """The right that an operation takes, where its vendor has rights."""
    besides: tuple[Operation, ...] = ()
    """What is asked of it beside its kinds' own endpoints."""
    uncovered: tuple[Uncovered, ...] = ()
    """What a person configures there and no kind stands for, from the vendor's document."""
    title: str = ""
    """What people call it, where that is not its name."""


Systems = Mapping[str, System[Any]]


def discover_systems(package: ModuleType) -> Systems:
    """The systems that the folders of the package declare, by name and in their order; raises `TypeError` for two of a name."""
    systems: dict[str, System[Any]] = {}
    for info in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        if not info.ispkg:
            continue
        for value in vars(importlib.import_module(info.name)).values():
            if isinstance(value, System) and systems.setdefault(value.name, value) is not value:
                raise TypeError(f"the system {value.name} is declared twice")
    ordered = sorted(systems.values(), key=lambda system: (system.rank, system.name))
    return MappingProxyType({system.name: system for system in ordered})
