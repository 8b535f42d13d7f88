"""A Lease of coordination.k8s.io: it names who works on a part, who renews it meanwhile; without renewal it expires.

The lease keeps two appliers apart. It does not protect the ledger's content: the manifest's fence (`manifest.py`) does, whatever
clocks say. Its holder relies on it for `SURE` after a renewal, others take it after `DURATION` without one (`lease_watch.py`), each
by a clock of its own; the gap is for clocks that do not run equally fast and for calls that were under way.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime

from vastplan.ledger.backend import LockOwner
from vastplan.ledger.chunks import Api, PartPlace, Row, read_object, version
from vastplan.ledger.clock import LedgerClock
from vastplan.ledger.lease_watch import DURATION, LeaseWatch, holder_of, time_of
from vastplan.model.errors import Conflict, Locked, Lost, ObjectNotFound, Refused, Unclear, Unreachable, VastplanError

SURE = 40.0  # seconds after a renewal during which its holder relies on it
EVERY = 12.0  # seconds between renewals
AGAIN = 3.0  # seconds after a renewal that failed
_TRIES = 5
_RELEASES = 4
_PAUSE = 1.0  # seconds between two tries to release a lease
_TIME = "%Y-%m-%dT%H:%M:%S.%fZ"  # metav1.MicroTime


class Lease:
    """A lease that was acquired. `renew` may be called by another thread than `holds`."""

    def __init__(self, api: Api, place: PartPlace, clock: LedgerClock, row: Row, asked: float) -> None:
        self._api, self._place, self._clock = api, place, clock
        self._row = row
        self._renewed = asked
        self._lost = ""
        self._changing = threading.Lock()

    def holds(self) -> None:
        """Raise `Lost` unless the lease was renewed within `SURE`; once lost, it stays lost."""
        since = self._clock.ticks() - self._renewed
        if since > SURE and not self._lost:
            self._lost = f"it was not renewed for {since:.0f} seconds"
        if self._lost:
            raise Lost(
                f"the lease on the ledger of {self._place.site} is lost: {self._lost}; vastplan starts nothing more"
            )

    def renew(self) -> bool:
        """Renew the lease and return whether that succeeded. A lease that somebody else has is lost."""
        with self._changing:
            asked = self._clock.ticks()
            if self._lost:
                return False
            spec = {**self._row["spec"], "renewTime": _text(self._clock.wall())}
            try:
                self._row = _put(self._api, self._place, spec, self._row)
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
            holder = holder_of(current)
            self._lost = f"{holder} has it" if holder else "somebody removed it"
        else:
            self._row = current
        return False

    def release(self) -> None:
        """Release the lease, unless it is lost. A server that does not answer is no error: the lease then runs out."""
        with self._changing:
            if not self._lost:
                _release(self._api, self._place, self._clock, self._row["spec"], self._row)


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
    api: Api,
    place: PartPlace,
    clock: LedgerClock,
    holder: str,
    prepare: Callable[[], None],
    watch: LeaseWatch,
    duration: int = DURATION,
) -> tuple[Lease, bool]:
    """Take the lease; the second value is whether its last holder never released it. Raises `Locked`; `prepare` creates the namespace.

    Others may take it after `duration` seconds without a renewal.
    """
    spec: Row = {"leaseDurationSeconds": duration}
    try:
        return _acquired(api, place, clock, holder, prepare, watch, spec)
    except BaseException:  # a request without an answer may have taken it for nobody
        if "holderIdentity" in spec:
            _release(api, place, clock, spec, None)
        raise


def _acquired(
    api: Api,
    place: PartPlace,
    clock: LedgerClock,
    holder: str,
    prepare: Callable[[], None],
    watch: LeaseWatch,
    spec: Row,
) -> tuple[Lease, bool]:
    """The same; `spec` has its duration, and is filled with what was written last."""
    asked, tries = clock.ticks(), 0
    while tries < _TRIES or watch.is_patient():
        if tries >= _TRIES:
            clock.sleep(_PAUSE)
        tries += 1
        row = read_object(api, f"{place.leases}/{place.base}")
        if row is not None and _is_own(row, spec):  # an earlier request took effect without an answer
            return Lease(api, place, clock, row, asked), True
        row = watch.wait(place, row)
        abandoned = holder_of(row) is not None
        changes = ((row.get("spec") or {}).get("leaseTransitions") or 0) + 1 if row else 0
        asked, now = clock.ticks(), _text(clock.wall())
        spec.update(
            holderIdentity=holder,
            leaseTransitions=changes,
            acquireTime=now,
            renewTime=now,
        )
        try:
            row = _put(api, place, spec, row)
        except (Conflict, Unclear):
            continue
        except ObjectNotFound:
            prepare()
            continue
        return Lease(api, place, clock, row, asked), abandoned
    raise Locked(f"cannot lock the ledger of {place.site}: its lease keeps changing; try again")


def break_expired(api: Api, place: PartPlace, watch: LeaseWatch) -> LockOwner | None:
    """Free a lease that nobody renews and return who held it. Raises `Locked` if it is renewed while this process watches."""
    row = watch.wait(place, read_object(api, f"{place.leases}/{place.base}"))
    before = holder_of(row)
    if row is None or before is None:
        return None
    try:
        _put(api, place, _freed(row), row)
    except Conflict:
        raise Locked(f"the lease on the ledger of {place.site} was just taken by another run; try again") from None
    return before


def _release(api: Api, place: PartPlace, clock: LedgerClock, spec: Row, row: Row | None) -> None:
    """Free the lease that was acquired with `spec`, unless somebody else has it; `row` is the lease as last seen, `None` to look.
    What is not answered, or is refused, is tried again some times.
    """
    for number in range(_RELEASES):
        if number:
            clock.sleep(_PAUSE)
        try:
            row = row or read_object(api, f"{place.leases}/{place.base}")
            if row is not None and _is_own(row, spec):
                _put(api, place, _freed(row), row)
            return
        except VastplanError:
            row = None


def _freed(row: Row) -> Row:
    """What a lease says once nobody holds it."""
    return {key: value for key, value in row["spec"].items() if key not in ("holderIdentity", "renewTime")}


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
    mine = (spec.get("holderIdentity"), spec.get("leaseTransitions"), time_of(spec.get("acquireTime")))
    return mine[0] is not None and mine == (
        now.get("holderIdentity"), now.get("leaseTransitions"), time_of(now.get("acquireTime"))
    )  # fmt: skip


def _text(time: datetime) -> str:
    return time.strftime(_TIME)
