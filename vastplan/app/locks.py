"""Ledgers locked for writing, and the name of the holder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager

from vastplan.app.authorship import user_at_host
from vastplan.app.workspace import Workspace
from vastplan.ledger.backend import LockedPart, OtherParts
from vastplan.model.dataclass import dataclass
from vastplan.model.site_ledger import SiteLedger


@dataclass(frozen=True, slots=True)
class LockedLedgers:
    """The ledgers of some sites, locked for this process; `place` is where they are kept."""

    place: str
    sessions: Mapping[str, LockedPart]
    others: Callable[[], OtherParts]
    """Reads the parts of other documents that are kept in the same place."""

    def parts(self) -> dict[str, SiteLedger]:
        """The current ledger parts, by site."""
        return {site: session.part for site, session in self.sessions.items()}


def lock_holder() -> str:
    """The name of this process as the holder of a lock, for others who find the ledger locked."""
    return f"{user_at_host()} (pid {os.getpid()})"


@contextmanager
def locked_ledgers(
    workspace: Workspace, sites: Iterable[str], report: Callable[[str], None] = lambda _: None
) -> Iterator[LockedLedgers]:
    """Lock the ledgers of the sites, always in the same order. Raises `Locked`, naming the holder; `report` takes what is waited for."""
    with ExitStack() as stack:
        backend = stack.enter_context(workspace.ledger(writable=True, report=report))
        sessions: dict[str, LockedPart] = {}
        for site in sorted(sites):
            sessions[site] = backend.open(site, lock_holder())
            stack.callback(sessions[site].close)
        yield LockedLedgers(backend.describe(), sessions, backend.others)


def wait_for_ledgers(workspace: Workspace, sites: Iterable[str], report: Callable[[str], None]) -> None:
    """Wait until no other run holds the ledgers of the sites, for the workspace's timeout. Raises `Locked`."""
    with locked_ledgers(workspace, sites, report):
        pass
