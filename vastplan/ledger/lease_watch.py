"""Whether somebody keeps a lease, by what this process sees of it.

The times in a lease are by the clock of the machine that wrote them. They are shown and never compared: a lease is free once this
process has itself seen its record unchanged for `DURATION`, by a clock of its own that never goes back.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import Any

from vastplan.ledger.backend import LockOwner, waited_text, waiting_text
from vastplan.ledger.chunks import Api, PartPlace, Row, read_object
from vastplan.ledger.clock import LedgerClock
from vastplan.ledger.directory import leases
from vastplan.model.errors import Locked, VastplanError

DURATION = 60  # seconds without a renewal after which somebody else may take a lease
LONGEST = 900  # seconds of a holder who asks for more: others wait for as long as its process may have been paused
LOOK = 3.0  # seconds between looks at a lease that somebody holds


class LeaseWatch:
    """The records of leases as this process last saw them, and since when they are like that. `report` says what is waited for;
    for `timeout` seconds, all leases together, also a holder who renews is waited for."""

    def __init__(self, api: Api, clock: LedgerClock, report: Callable[[str], None], timeout: int = 0) -> None:
        self._api, self._clock, self._report = api, clock, report
        self._timeout, self._end = timeout, clock.ticks() + timeout
        self._seen: dict[str, tuple[Any, float]] = {}

    def wait(self, place: PartPlace, row: Row | None) -> Row | None:
        """The lease, once nobody keeps it: it has no holder, or was not renewed for `DURATION`. Raises `Locked` once it is renewed and
        the timeout is over."""
        owner = holder_of(row)
        if row is None or owner is None:
            return row
        if not self._seen:
            self._look_around(place)
        first, lasts = self._unchanged_since(place.base, row), duration_of(row)
        left = first + lasts - self._clock.ticks()
        if left > 0:
            watching = f"the ledger of {place.site} is held by {owner}; watching its lease for up to {left:.0f} s"
            self._report(waiting_text(place.site, owner, self._timeout) if self.is_patient() else watching)
        while left > 0:
            self._clock.sleep(min(LOOK, left))
            row = read_object(self._api, f"{place.leases}/{place.base}")
            owner = holder_of(row)
            if row is None or owner is None:
                return row
            since = self._unchanged_since(place.base, row)
            if since > first and not self.is_patient():
                raise Locked(
                    f"the ledger of {place.site} is in use by {owner}, who renews Lease {place.base} in namespace "
                    f"{place.namespace}{waited_text(self._timeout)}; wait for it to end"
                )
            left = since + lasts - self._clock.ticks()
        self._report(f"the lease on the ledger of {place.site} was not renewed for {lasts} s; it is free now")
        return row

    def is_patient(self) -> bool:
        """Whether the time for which a holder who renews is waited for is not over."""
        return self._clock.ticks() < self._end

    def _look_around(self, place: PartPlace) -> None:
        """See all leases of the namespace: the others that the same run left behind will have been unchanged as long as this one."""
        with suppress(VastplanError):
            for row in leases(self._api, place.namespace):
                self._unchanged_since(str(row["metadata"].get("name")), row)

    def _unchanged_since(self, name: str, row: Row) -> float:
        """Since when the record is as it is, as far as this process has seen."""
        seen = self._seen.get(name)
        if seen is None or seen[0] != row.get("spec"):
            seen = self._seen[name] = row.get("spec"), self._clock.ticks()
        return seen[1]


def duration_of(row: Row) -> int:
    """For how many seconds a lease has to be unchanged, as its holder asks, before somebody else may take it."""
    asked = row["spec"].get("leaseDurationSeconds")
    return min(max(asked, DURATION), LONGEST) if isinstance(asked, int) else DURATION


def holder_of(row: Row | None) -> LockOwner | None:
    """The holder that a lease names, and since when by that holder's own clock."""
    spec = (row or {}).get("spec") or {}
    name = spec.get("holderIdentity")
    if not name:
        return None
    printable = "".join(char for char in str(name) if char.isprintable())[:200]
    since = time_of(spec.get("acquireTime"))
    return LockOwner(printable, since.isoformat(timespec="seconds") if since else "")


def time_of(text: Any) -> datetime | None:
    """A time of a lease; `None` for what is not one, or has no zone."""
    try:
        time = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return time if time.tzinfo else None
