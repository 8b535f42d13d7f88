"""The ledger as Secrets of a Kubernetes namespace, so that several runners share one: a Lease, a manifest, and chunks.

See `lease.py` for who may write, `manifest.py` for what makes a write count, and `chunks.py` for the content.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from typing import Any, Self

from vastplan.ledger import directory
from vastplan.ledger import manifest as manifests
from vastplan.ledger.backend import LockOwner, OtherParts
from vastplan.ledger.chunks import Api, Chunks, PartPlace, read_object
from vastplan.ledger.clock import SYSTEM, LedgerClock
from vastplan.ledger.codec import dump
from vastplan.ledger.events import new_part
from vastplan.ledger.kubernetes_session import KubernetesSession
from vastplan.ledger.lease import Lease, Renewal, acquire, break_expired
from vastplan.ledger.lease_watch import DURATION, LeaseWatch, holder_of
from vastplan.ledger.manifest import Manifest
from vastplan.ledger.watch_notes import WatchNotes
from vastplan.model.errors import Conflict, Locked, NotAuthorised, Unclear, VastplanError
from vastplan.model.site_ledger import SiteLedger

Connect = Callable[[], AbstractContextManager[Api]]
_TRIES = 5


class KubernetesLedger:
    """Parts in one namespace. It connects at its first use; `where` is the name of the cluster for people.

    `report` takes what is waited for, where somebody else holds a part; for `timeout` seconds a holder who works on is waited for.
    A part that it holds stays its own for `duration` seconds after the last renewal.
    """

    def __init__(
        self,
        connect: Connect,
        where: str,
        namespace: str,
        document: str,
        *,
        clock: LedgerClock = SYSTEM,
        renewing: bool = True,
        report: Callable[[str], None] = lambda _: None,
        timeout: int = 0,
        duration: int = 0,
    ) -> None:
        self._connect, self._where = connect, where
        self._namespace, self._document = namespace, document
        self._clock, self._renewing, self._report = clock, renewing, report
        self._timeout, self._duration = timeout, max(DURATION, duration)
        self._stack = ExitStack()
        self._connected_api: Api | None = None
        self._watched: LeaseWatch | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connected_api = self._watched = None
        self._stack.close()

    @property
    def _api(self) -> Api:
        if self._connected_api is None:
            self._connected_api = self._stack.enter_context(self._connect())
        return self._connected_api

    @property
    def _watch(self) -> LeaseWatch:
        if self._watched is None:
            self._watched = LeaseWatch(self._api, self._clock, self._report, self._timeout)
        return self._watched

    def describe(self) -> str:
        """The namespace and its cluster."""
        return f"kubernetes:{self._namespace} at {self._where}"

    def read(self, site: str) -> SiteLedger:
        """The part that the manifest describes; never locks, and never waits."""
        current = manifests.put_together(self._api, self._place(site))
        return current[2] if current else new_part(self._document, site)

    def holder(self, site: str) -> LockOwner | None:
        """The holder that the lease names. Whether it still runs cannot be seen at one look."""
        place = self._place(site)
        try:
            return holder_of(read_object(self._api, f"{place.leases}/{place.base}"))
        except VastplanError:
            return None

    def sites(self) -> tuple[str, ...]:
        """The sites of this document's leases in the namespace: one list request."""
        return tuple(place.site for place in self._places() if place.document == self._document)

    def others(self) -> OtherParts:
        """The parts of other documents' leases in the namespace, each read through its manifest."""
        parts, unread = [], {}
        for place in self._places():
            if place.document != self._document:
                try:
                    current = manifests.put_together(self._api, place)
                except VastplanError as problem:
                    unread[place.document] = str(problem)
                else:
                    parts += [current[2]] if current else []
        return OtherParts(tuple(parts), unread)

    def _places(self) -> list[PartPlace]:
        return directory.part_places(self._api, self._namespace)

    def open(self, site: str, holder: str) -> KubernetesSession:
        """Take the lease, then take the manifest with a higher fence: from then on no earlier owner can change it."""
        place = self._place(site)
        lease, abandoned = acquire(
            self._api, place, self._clock, holder, self._make_namespace, self._watch, self._duration
        )
        renewal = Renewal(lease) if self._renewing else None
        try:
            manifest, version, part = self._claim(place, lease)
        except BaseException:
            if renewal is not None:
                renewal.stop()
            lease.release()
            raise
        return KubernetesSession(
            self._api, place, self._clock, lease, renewal, (manifest, version, part), sweep=abandoned
        )

    def _claim(self, place: PartPlace, lease: Lease) -> tuple[Manifest, str, SiteLedger]:
        """Write the manifest with a higher fence than before. The former owner may write once more until then; that write counts."""
        owner = secrets.token_hex(8)
        chunks = Chunks(self._api, place)
        for _ in range(_TRIES):
            lease.holds()
            current = manifests.put_together(self._api, place)
            if current is not None and current[0].owner == owner:  # an earlier request took effect without an answer
                return current
            if current is None:
                part = new_part(place.document, place.site)
                chunks.drop(chunks.left_behind(2**63, set()))  # of a ledger that was deleted
                manifest, version = Manifest(1, owner, 0, chunks.put(dump(part), 1)), ""
            else:
                old, version, part = current
                manifest = Manifest(old.fence + 1, owner, old.turn + 1, old.part, old.journal, old.tail)
            try:
                return manifest, manifests.write_manifest(self._api, place, manifest, version), part
            except (Conflict, Unclear):
                continue
        raise Locked(f"the ledger of {place.site} keeps changing; try again")

    def unlock(self, site: str) -> LockOwner | None:
        """Break a lease that nobody renews. This only tidies up: `open` takes over such a lease by itself."""
        return break_expired(self._api, self._place(site), self._watch)

    def exchange(self, place: str, sighting: Mapping[str, Any]) -> dict[str, Any]:
        """Write what the watcher at a place says, and read what the watchers of all places say, by place."""
        notes = WatchNotes(self._api, self._namespace, self._document)
        notes.write(place, sighting, self._clock, self._make_namespace)
        return notes.read()

    def _place(self, site: str) -> PartPlace:
        return PartPlace(self._namespace, self._document, site)

    def _make_namespace(self) -> None:
        labels = {"app.kubernetes.io/managed-by": "vastplan"}
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self._namespace, "labels": labels}}
        try:
            self._api.call("POST", "/api/v1/namespaces", body=body)
        except Conflict:
            return
        except NotAuthorised as problem:
            raise VastplanError(
                f"namespace {self._namespace}, where the ledger is kept, does not exist at {self._where}, and these credentials "
                f"may not create it ({problem}); type: kubectl create namespace {self._namespace}"
            ) from None
