"""What watchers tell each other: one Lease for each place, beside those of the ledger, with what was said in an annotation."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

from vastplan.ledger.chunks import Api, PartPlace, Row, read_object, version
from vastplan.ledger.clock import LedgerClock
from vastplan.ledger.directory import leases
from vastplan.model.errors import Conflict, ObjectNotFound, Unclear, VastplanError

_COMPONENT = "watch"
_LABELS = f"app.kubernetes.io/managed-by=vastplan,app.kubernetes.io/component={_COMPONENT}"
_SIGHTING, _DOCUMENT, _PLACE = "vastplan/sighting", "vastplan/document", "vastplan/place"
_LONGEST = 64 * 1024  # characters of what one watcher says
_TRIES = 3


class WatchNotes:
    """The notes of a document's watchers in a namespace."""

    def __init__(self, api: Api, namespace: str, document: str) -> None:
        self._api, self._namespace, self._document = api, namespace, document
        self._path = PartPlace(namespace, document, "").leases

    def write(self, place: str, sighting: Mapping[str, Any], clock: LedgerClock, prepare: Callable[[], None]) -> None:
        """Write what the watcher at a place says. Raises what the API raises; `prepare` creates the namespace."""
        body = self._lease(place, sighting, clock)
        path = f"{self._path}/{body['metadata']['name']}"
        for _ in range(_TRIES):
            before = read_object(self._api, path)
            try:
                if before is None:
                    self._api.call("POST", self._path, body=body)
                else:
                    body["metadata"]["resourceVersion"] = version(before)
                    self._api.call("PUT", path, body=body)
                return
            except (Conflict, Unclear):
                continue
            except ObjectNotFound:
                prepare()
        raise VastplanError(f"the Lease {body['metadata']['name']} in namespace {self._namespace} keeps changing")

    def read(self) -> dict[str, Any]:
        """What the watchers of this document say, by place; without what is not JSON."""
        found: dict[str, Any] = {}
        for row in leases(self._api, self._namespace, _LABELS):
            notes = row["metadata"].get("annotations") or {}
            text = str(notes.get(_SIGHTING, ""))
            if notes.get(_DOCUMENT) != self._document or len(text) > _LONGEST:
                continue
            try:
                found[str(notes.get(_PLACE, ""))] = json.loads(text)
            except (ValueError, RecursionError):
                continue
        return found

    def _lease(self, place: str, sighting: Mapping[str, Any], clock: LedgerClock) -> Row:
        unlike = hashlib.sha256(f"{self._document}\0{place}".encode()).hexdigest()[:20]
        return {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {
                "name": f"vastplan-watch-{unlike}",
                "namespace": self._namespace,
                "labels": dict(label.split("=") for label in _LABELS.split(",")),
                "annotations": {_DOCUMENT: self._document, _PLACE: place, _SIGHTING: json.dumps(sighting)},
            },
            "spec": {"holderIdentity": place, "renewTime": clock.wall().strftime("%Y-%m-%dT%H:%M:%S.%fZ")},
        }
