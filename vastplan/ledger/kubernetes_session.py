"""One site's part in Kubernetes while it is locked: each update of the manifest makes a batch of events durable."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from vastplan.ledger import manifest as manifests
from vastplan.ledger.chunks import Api, Chunks, PartPlace
from vastplan.ledger.clock import LedgerClock
from vastplan.ledger.codec import dump
from vastplan.ledger.events import Event, Reducer
from vastplan.ledger.lease import Lease, Renewal
from vastplan.ledger.manifest import Manifest
from vastplan.model.errors import Conflict, Lost, ObjectNotFound, Refused, Unclear, Unreachable, VastplanError
from vastplan.model.site_ledger import SiteLedger

T = TypeVar("T")
TAIL = 32 * 1024  # bytes of events in the manifest; more are stored as chunks of their own
SEGMENTS = 32  # of the journal; more are folded into the part
PAUSE = 1.0  # seconds until a request without an answer is repeated


class KubernetesSession:
    """A part with its lease. Events that several threads record during a write are written together by the next one."""

    def __init__(
        self, api: Api, place: PartPlace, clock: LedgerClock, lease: Lease, renewal: Renewal | None,
        claimed: tuple[Manifest, str, SiteLedger], *, sweep: bool,
    ) -> None:  # fmt: skip
        self._api, self._place, self._clock = api, place, clock
        self._lease, self._renewal = lease, renewal
        self._manifest, self._version, part = claimed
        self._reducer = Reducer(part)
        self._chunks = Chunks(api, place)
        self._sweep = sweep
        self._lost = ""
        self._turns = threading.Condition()
        self._waiting: list[Event] = []
        self._asked = self._done = 0
        self._writing = False

    @property
    def part(self) -> SiteLedger:
        """The part as it is now."""
        with self._turns:
            return self._reducer.part()

    def holds(self) -> None:
        """Raise `Lost` if somebody else may hold the part by now."""
        if self._lost:
            raise Lost(self._lost)
        self._lease.holds()

    def record(self, *events: Event) -> None:
        """Write all waiting events with one update of the manifest; they are applied when it succeeds."""
        with self._turns:
            self._waiting += events
            self._asked += 1
            mine = self._asked
            while self._writing and self._done < mine:
                self._turns.wait()
            if self._done >= mine:
                return
            self.holds()
            self._writing = True
            batch, upto, self._waiting = self._waiting, self._asked, []
        try:
            self._append(batch)
            with self._turns:
                for event in batch:
                    self._reducer.add(event)
                self._done = upto
        except BaseException as problem:  # threads that wait for these events must not take them for written
            self._lost = self._lost or str(problem) or "the ledger is lost"
            if isinstance(problem, VastplanError):
                raise Lost(self._lost) from None
            raise
        finally:
            with self._turns:
                self._writing = False
                self._turns.notify_all()
        if len(self._manifest.journal) > SEGMENTS:
            with contextlib.suppress(VastplanError):  # the events are written; the next `record` reports the problem
                self._fold()

    def close(self) -> None:
        """Fold the journal into the part, delete unused chunks, release the lease.

        What was recorded is durable without any of this, so a server that does not answer is no error here. A ledger that could not be
        written is released too: the next run determines what became of the intents.
        """
        try:
            with contextlib.suppress(VastplanError):
                if self._manifest.journal or self._manifest.tail:
                    self._fold()
                if self._sweep:
                    self.holds()
                    self._chunks.drop(self._chunks.left_behind(self._manifest.fence, self._manifest.used()))
        finally:
            if self._renewal is not None:
                self._renewal.stop()
            self._lease.release()

    def _append(self, events: list[Event]) -> None:
        tail = (*self._manifest.tail, *events)
        raw = json.dumps(tail).encode()
        if len(raw) <= TAIL:
            self._switch(replace(self._manifest, turn=self._manifest.turn + 1, tail=tail))
        else:
            names = self._patiently(lambda: self._chunks.put(raw, self._manifest.fence))
            journal = (*self._manifest.journal, names)
            self._switch(replace(self._manifest, turn=self._manifest.turn + 1, journal=journal, tail=()))

    def _fold(self) -> None:
        """Write the part as it is now as new chunks, which replace the old ones and the journal. Nobody else writes meanwhile."""
        with self._turns:
            while self._writing:
                self._turns.wait()
            self._writing = True
            whole = dump(self._reducer.part())
        try:
            names = self._patiently(lambda: self._chunks.put(whole, self._manifest.fence))
            before = self._manifest.used()
            self._switch(Manifest(self._manifest.fence, self._manifest.owner, self._manifest.turn + 1, names))
            self._patiently(lambda: self._chunks.drop(before - self._manifest.used()))
        finally:
            with self._turns:
                self._writing = False
                self._turns.notify_all()

    def _switch(self, new: Manifest) -> None:
        """Replace the current manifest. After an update without an answer, read before sending it again."""
        self._version = self._patiently(lambda: self._switched(new))
        self._manifest = new

    def _switched(self, new: Manifest) -> str:
        while True:
            self.holds()
            try:
                return manifests.write_manifest(self._api, self._place, new, self._version)
            except (Conflict, ObjectNotFound, Unclear):
                current = manifests.read_manifest(self._api, self._place)
            if current is None or (current[0].fence, current[0].owner) != (new.fence, new.owner):
                reason = "somebody else has it" if current else "somebody removed it"
                raise Lost(f"the ledger of {self._place.site} is lost: {reason}; vastplan starts nothing more")
            manifest, version = current
            if manifest.turn == new.turn:
                return version
            if self._version == version:
                self._clock.sleep(PAUSE)
            self._version = version  # the manifest is as this session left it: somebody changed a label, or the update had no effect

    def _patiently(self, act: Callable[[], T]) -> T:
        """Call `act`, and repeat it while there is no answer. Raises `Lost` if the lease expires meanwhile or the server refuses."""
        while True:
            self.holds()
            try:
                return act()
            except (Unreachable, Unclear):
                self._clock.sleep(PAUSE)
            except Refused as problem:
                raise Lost(f"the ledger of {self._place.site} cannot be written: {problem}") from None
