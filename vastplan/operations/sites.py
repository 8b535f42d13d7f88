"""What operations reach at the sites of a document: the ports of each, over the clients of its systems.

A port of a system that does not answer raises `Unreachable`, because unreachable is not absent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Protocol

from vastplan.model.address import Address
from vastplan.model.site_ledger import SiteLedger
from vastplan.operations.ends import Work
from vastplan.operations.plan.claims import ClaimOf
from vastplan.schema.ports.access import Views, Volumes
from vastplan.schema.ports.cache import Cached
from vastplan.schema.ports.replica import Replica
from vastplan.schema.ports.snapshots import Clonable, Restorable
from vastplan.schema.ports.workloads import Jobs, Mounts


class PathAt(Protocol):
    """A protected path on one site, by its `guid`, which is the same on both sites."""

    guid: str
    replica: Replica

    def cache(self) -> Cached:
        """The path as one side of a cache."""

    def directory(self) -> Clonable:
        """Its directory, of which copies can be created."""

    def views(self) -> Views:
        """Views like that of its directory."""

    def restorable(self) -> Restorable:
        """Its directory, which its system can restore in place."""


class Sites(Protocol):
    """The ports of the sites. A system that a site does not have has none: `None`."""

    def storage(self, site: str) -> str:
        """The storage of a site, for messages. Raises like `path`."""

    def answers(self, site: str) -> bool:
        """Whether the storage of a site answers now, even if it did not before."""

    def path(self, site: str, name: str, directory: str, guid: str = "") -> PathAt | None:
        """A protected path by its guid, or else its name; `None` if there is none. Raises `Unreachable`, and `VastplanError` if the
        document has no storage there."""

    def directory(self, site: str, tenant: str, directory: str, id: str = "") -> tuple[Clonable, str]:
        """A directory of a tenant by its id, or else its name, and that id. Raises like `path`, and `VastplanError` without such a
        tenant."""

    def jobs(self, site: str) -> Jobs | None:
        """The workloads of a site."""

    def mounts(self, site: str) -> Mounts | None:
        """The pods of a site."""

    def volumes(self, site: str) -> Volumes | None:
        """The volumes and claims of a site."""

    def bound(self, site: str, claim: str) -> bool:
        """Whether a claim is known to be bound, by its locator."""

    def work(
        self,
        claims: Iterable[tuple[ClaimOf, ClaimOf | None]],
        ledger: Mapping[str, SiteLedger],
        along: Set[tuple[Address, str]] = frozenset(),
    ) -> tuple[tuple[Work, ...], str]:
        """The claims at the source, each with its counterpart at the target; and, if some cannot be read, why ("" otherwise)."""
