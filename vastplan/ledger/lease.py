"""A Lease of coordination.k8s.io: it names who works on a part, who renews it meanwhile; without renewal it expires.

The lease keeps two appliers apart. It does not protect the ledger's content: the manifest's fence (`manifest.py`) does, whatever
clocks say. Between `SURE` and `DURATION` neither its holder nor anybody else relies on a lease; that gap is for
clocks that differ and for calls that were under way.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from vastplan.ledger.backend import LockOwner
from vastplan.ledger.chunks import Api, PartPlace, Row, read_object, version
from vastplan.ledger.clock import LedgerClock
from vastplan.model.errors import Conflict, Locked, Lost, ObjectNotFound, Refused, Unclear, Unreachable, VastplanError

DURATION = 60  # seconds after a renewal during which nobody else takes the lease
SURE = 40.0  # seconds after a renewal during which its holder relies on it
EVERY = 12.0  # seconds between renewals
AGAIN = 3.0  # seconds after a renewal that failed
_TRIES = 5
_TIME = "%Y-%m-%dT%H:%M:%S.%fZ"  # metav1.MicroTime


class Lease:
    """A lease that was acquired. `renew` may be called by another thread than `holds`."""

    def __init__(self, api: Api, place: PartPlace, clock: LedgerClock, row: Row, asked: tuple[float, datetime]) -> None:
        self._api, self._place, self._clock = api, place, clock
        self._row = row
        self._renewed = asked
        self._lost = ""
        self._changing = threading.Lock()

    def holds(self) -> None:
        """Raise `Lost` unless the lease was renewed within `SURE`; once lost, it stays lost."""
        ticks, wall = self._renewed
        since = max(self._clock.ticks() - ticks, (self._clock.wall() - wall).total_seconds())
        if since > SURE and not self._lost:
            self._lost = f"it was not renewed for {since:.0f} seconds"
        if self._lost:
            raise Lost(
                f"the lease on the ledger of {self._place.site} is lost: {self._lost}; vastplan starts nothing more"
            )

    def renew(self) -> bool:
        """Renew the lease and return whether that succeeded. A lease that somebody else has is lost."""
        with self._changing:
            asked = self._clock.ticks(), self._clock.wall()
            if self._lost:
                return False
            try:
                self._row = _put(self._api, self._place, {**self._row["spec"], "renewTime": _text(asked[1])}, self._row)
            except (Conflict, ObjectNotFound, Unclear):
                return self._look_whose()
            except (Unreachable, Refused):
                return False  # time passes; `holds` raises when it is up
            self._renewed = asked
            return True

    def _look_whose(self) -> bool:
        """Read who holds the lease. If this process does, the next renewal starts from what was read; else the lease is lost."""
        try:
            current = read_object(self._api, f"{self._place.leases}/{self._place.base}")
        except VastplanError:
            return False
        if current is None or not _is_own(current, self._row["spec"]):
            holder = holder_of(current, self._clock.wall()) if current else None
            self._lost = f"{holder[0]} has it" if holder else "somebody removed it"
        else:
            self._row = current
        return False

    def release(self) -> None:
        """Release the lease, unless it is lost."""
        with self._changing:
            spec = {
                key: value for key, value in self._row["spec"].items() if key not in ("holderIdentity", "renewTime")
            }
            if not self._lost:
                _put(self._api, self._place, spec, self._row)


class Renewal:
    """Renews a lease in the background until it is stopped."""

    def __init__(self, lease: Lease) -> None:
        self._lease = lease
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="vastplan-lease", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        pause = EVERY
        while not self._stopped.wait(pause):
            pause = EVERY if self._lease.renew() else AGAIN

    def stop(self) -> None:
        """Stop and wait for the end of a renewal under way."""
        self._stopped.set()
        self._thread.join()


def acquire(
    api: Api, place: PartPlace, clock: LedgerClock, holder: str, prepare: Callable[[], None]
) -> tuple[Lease, bool]:
    """Take the lease; the second value is whether its last holder never released it. Raises `Locked`; `prepare` creates the namespace."""
    spec: Row = {}
    for _ in range(_TRIES):
        asked = clock.ticks(), clock.wall()
        row = read_object(api, f"{place.leases}/{place.base}")
        if row is not None and _is_own(row, spec):  # an earlier request took effect without an answer
            return Lease(api, place, clock, row, asked), True
        before = holder_of(row, asked[1]) if row else None
        if before is not None and before[1]:
            raise Locked(f"the ledger of {place.site} is in use by {before[0]}; wait for it to end")
        changes = ((row.get("spec") or {}).get("leaseTransitions") or 0) + 1 if row else 0
        now = _text(asked[1])
        spec = {"holderIdentity": holder, "leaseDurationSeconds": DURATION, "leaseTransitions": changes}
        spec |= {"acquireTime": now, "renewTime": now}
        try:
            row = _put(api, place, spec, row)
        except (Conflict, Unclear):
            continue
        except ObjectNotFound:
            prepare()
            continue
        return Lease(api, place, clock, row, asked), before is not None
    raise Locked(f"cannot lock the ledger of {place.site}: its lease keeps changing; try again")


def break_expired(api: Api, place: PartPlace, clock: LedgerClock) -> LockOwner | None:
    """Free an expired lease and return who held it. Raises `Locked` if it has not expired."""
    row = read_object(api, f"{place.leases}/{place.base}")
    before = holder_of(row, clock.wall()) if row else None
    if row is None or before is None:
        return None
    if before[1]:
        raise Locked(
            f"the ledger of {place.site} is held by {before[0]}; vastplan does not break a lease that may still be renewed: stop that "
            f"run or wait until its lease has expired (Lease {place.base} in namespace {place.namespace})"
        )
    spec = {key: value for key, value in row["spec"].items() if key not in ("holderIdentity", "renewTime")}
    try:
        _put(api, place, spec, row)
    except Conflict:
        raise Locked(f"the lease on the ledger of {place.site} was just taken by another run; try again") from None
    return before[0]


def holder_of(row: Row, now: datetime) -> tuple[LockOwner, bool] | None:
    """The holder that a Lease names, and whether its time still runs; a time that cannot be parsed counts as now."""
    spec = row.get("spec") or {}
    name = spec.get("holderIdentity")
    if not name:
        return None
    since, renewed = _time(spec.get("acquireTime")), _time(spec.get("renewTime"))
    lasts = spec.get("leaseDurationSeconds")
    ends = (renewed or now) + timedelta(seconds=lasts if isinstance(lasts, int) else DURATION)
    printable = "".join(char for char in str(name) if char.isprintable())[:200]
    return LockOwner(printable, _to_the_second(since), _to_the_second(ends)), ends > now


def _put(api: Api, place: PartPlace, spec: Row, before: Row | None) -> Row:
    """Write the lease; fails unless the stored one is still `before`."""
    manifest: Row = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": place.metadata(place.base)}
    manifest["spec"] = spec
    if before is None:
        row = api.call("POST", place.leases, body=manifest)
    else:
        manifest["metadata"]["resourceVersion"] = version(before)
        row = api.call("PUT", f"{place.leases}/{place.base}", body=manifest)
    if not isinstance(row, dict) or not isinstance(row.get("spec"), dict):
        raise Unclear(f"the answer to writing lease {place.base} is not a lease")
    return row


def _is_own(row: Row, spec: Row) -> bool:
    """Whether a lease is the one that was acquired with `spec`."""
    now = row.get("spec") or {}
    mine = (spec.get("holderIdentity"), spec.get("leaseTransitions"), _time(spec.get("acquireTime")))
    return mine[0] is not None and mine == (
        now.get("holderIdentity"), now.get("leaseTransitions"), _time(now.get("acquireTime"))
    )  # fmt: skip


def _text(time: datetime) -> str:
    return time.strftime(_TIME)


def _time(value: Any) -> datetime | None:
    try:
        time = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return time if time.tzinfo else None


def _to_the_second(time: datetime | None) -> str:
    return time.isoformat(timespec="seconds") if time else ""
