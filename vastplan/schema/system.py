"""A system: what a document says about it, and how to connect to it. Each folder of `vastplan/systems` declares one."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any, Generic, Protocol, TypeVar

from vastplan.model.dataclass import dataclass
from vastplan.model.rights import RightOf
from vastplan.schema.connection import AnySecret, SharedLedgerSpec, SystemSpec
from vastplan.schema.operations import ApiOperation
from vastplan.schema.provider import Provider
from vastplan.schema.transport_limits import TransportLimits

Spec = TypeVar("Spec", bound=SystemSpec)


@dataclass(frozen=True, slots=True)
class Connection:
    """How to connect to a system, besides what its spec says. Paths are relative to `folder`."""

    folder: Path
    secret: Callable[[AnySecret], Callable[[], str]]
    """Returns for a secret a function that reads its value, to call when the secret is used."""
    writable: bool
    parallel: int
    limits: TransportLimits
    document: str = ""
    """The name of the document, with which a system may mark the objects that are written."""
    by_document: bool = False
    """Whether the spec comes from a document. A document is data: nothing that it names may run a program."""


class SimulatorEndpoint(Protocol):
    """How to reach an embedded simulator."""

    @property
    def site(self) -> str:
        """Its site, which is also the name of its cluster."""

    @property
    def url(self) -> str:
        """Its address, which differs in every command."""

    @property
    def ca_file(self) -> str:
        """The file with the certificate authority of its server certificate."""

    @property
    def username(self) -> str:
        """Its user name, or client id."""

    @property
    def password(self) -> str:
        """Its password, client secret or token."""


class Client(Provider, Protocol):
    """A provider as its system creates it; it also shows what it is connected to."""

    simulated: bool
    """Whether it is connected to an embedded simulator, whose address means nothing."""

    def version(self) -> str:
        """The version of the product that answers, "" where it returns none."""


@dataclass(frozen=True, slots=True)
class Uncovered:
    """A collection of a system for which vastplan has no kind; `name` is the vendor's. A GET of `path` returns the number of objects
    in one small answer; "" where no call returns it."""

    name: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class System(Generic[Spec]):
    """One system. `name` is its key in a document's site, and the `system` of its kinds.

    The probed fact `NAME_version` is its client's `version()`. Modules that import a client's libraries are imported by `connect`
    and `simulate`, only when a connection is needed.
    """

    name: str
    spec: type[Spec]
    connect: Callable[[Spec, Connection], Client]
    simulate: Callable[[SimulatorEndpoint, Connection], Client] | None = None
    """Creates the client of its embedded simulator, if it has one."""
    ledger: type[SharedLedgerSpec] | None = None
    """The spec of a shared ledger in this system, if it can keep one."""
    rank: int = 100
    """Its position where systems are listed for people: systems that others depend on come first."""
    right_of: RightOf | None = None
    """The right that an operation needs, if the vendor has rights."""
    besides: tuple[ApiOperation, ...] = ()
    """Operations that vastplan uses besides the endpoints of its kinds."""
    uncovered: tuple[Uncovered, ...] = ()
    """Collections that people configure there and that no kind covers, from the vendor's API document."""
    title: str = ""
    """Its name for people, where that differs from `name`."""


Systems = Mapping[str, System[Any]]


def discover_systems(package: ModuleType) -> Systems:
    """The systems that the folders of the package declare, by name, ordered by rank; raises `TypeError` for two with one name."""
    systems: dict[str, System[Any]] = {}
    for info in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        if not info.ispkg:
            continue
        for value in vars(importlib.import_module(info.name)).values():
            if isinstance(value, System) and systems.setdefault(value.name, value) is not value:
                raise TypeError(f"the system {value.name} is declared twice")
    ordered = sorted(systems.values(), key=lambda system: (system.rank, system.name))
    return MappingProxyType({system.name: system for system in ordered})
