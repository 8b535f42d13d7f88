"""Snapshot files: canonical JSON with a digest of its content as id, read as strictly as if somebody had tampered with it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from vastplan.app.files.versioned import Messages, VersionedFile
from vastplan.ledger.codec import refuse_misshapen
from vastplan.model import canonical_json
from vastplan.model.errors import VastplanError
from vastplan.model.escaping import inert
from vastplan.model.snapshot import SNAPSHOT_VERSION, RecordedSnapshot
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind


def _from_data(data: dict[str, Any]) -> RecordedSnapshot:
    from pydantic import TypeAdapter

    snapshot: RecordedSnapshot = TypeAdapter(RecordedSnapshot).validate_python(data)
    _refuse_incoherent(snapshot)
    return snapshot


def _refuse_incoherent(snapshot: RecordedSnapshot) -> None:
    """Raises `ValueError` for values that contradict each other or do not fit their fields."""
    if datetime.fromisoformat(snapshot.taken).tzinfo is None:
        raise ValueError("a time without a zone")
    if any(not path for read in snapshot.collections for seen in read.objects for path in seen.withheld):
        raise ValueError("something withheld that is nowhere")
    for seen in snapshot.sites:
        if (seen.ledger.document, seen.ledger.site) != (snapshot.document, seen.site):
            raise ValueError("the ledger of another site")
        refuse_misshapen(seen.ledger)


SNAPSHOT_FILE: VersionedFile[RecordedSnapshot] = VersionedFile(
    name="snapshot",
    version=SNAPSHOT_VERSION,
    to_data=canonical_json.plain_json,
    from_data=_from_data,
    messages=Messages(
        cut_short=": it was cut short or damaged",
        other_version="has another format ({version!r}) than {ours}: record it again",
        edited="was edited or damaged after it was taken: record it again",
        misshapen="does not have a snapshot's form: record it again",
    ),
    required="collections",
)
dumps, sealed, save, load = SNAPSHOT_FILE.dumps, SNAPSHOT_FILE.sealed, SNAPSHOT_FILE.save, SNAPSHOT_FILE.load


def refuse_foreign_snapshot(snapshot: RecordedSnapshot, document: str, kinds: Mapping[str, Kind]) -> None:
    """Raises `VastplanError` for a snapshot of another document, or of a version with other field tables."""
    if snapshot.document != document:
        raise VastplanError(f"the snapshot is of the document {inert(snapshot.document)}, not of {document}")
    if snapshot.tables != tables_digest(kinds):
        raise VastplanError(
            f"the snapshot was taken by a vastplan ({snapshot.vastplan}) that reads other fields than this one: "
            "record it again with this one"
        )


def tables_digest(kinds: Mapping[str, Kind]) -> str:
    """A digest of the field tables: which fields are read, from where, and how they are compared."""

    def rows(fields: tuple[Field, ...]) -> list[object]:
        return [
            [
                field.name,
                field.read_at,
                field.shape.name,
                sorted(marker.value for marker in field.markers),
                field.unit,
                rows(field.fields),
            ]
            for field in fields
        ]

    tables = {
        name: [kind.endpoint.path, kind.identity, [fact.name for fact in kind.metrics], rows(kind.fields)]
        for name, kind in kinds.items()
    }
    return hashlib.sha256(json.dumps(tables, sort_keys=True).encode()).hexdigest()[:32]
