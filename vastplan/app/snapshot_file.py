"""Snapshot files: canonical JSON named by its content, read as strictly as if somebody had tampered with it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from vastplan.app import files
from vastplan.model.address import Address
from vastplan.model.errors import VastplanError
from vastplan.model.snapshot import SNAPSHOT_VERSION, Snapshot


def dumps(snapshot: Snapshot) -> str:
    """Canonical JSON: keys sorted, no blanks, one trailing newline."""
    return _canonical(asdict(snapshot)) + "\n"


def _canonical(data: dict[str, Any]) -> str:
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def sealed(snapshot: Snapshot) -> Snapshot:
    """The snapshot with its id: the SHA-256 of everything else."""
    return replace(snapshot, id=_identity(asdict(snapshot)))


def _identity(data: dict[str, Any]) -> str:
    return hashlib.sha256(_canonical({**data, "id": ""}).encode()).hexdigest()


def save(snapshot: Snapshot, path: Path) -> None:
    """Write the file, whole or not at all, readable by the owner only. Raises `VastplanError`."""
    files.write(path, dumps(snapshot).encode(), f"the snapshot {path}")


def load(path: Path) -> Snapshot:
    """The snapshot in a file. Raises `VastplanError` for one that was cut short, edited, or is of another major version.

    The id is a digest, not a signature: who can write the file can write another id. Take it from where only the
    recorder writes.
    """
    from pydantic import TypeAdapter, ValidationError

    data, version = files.read_json(path, f"the snapshot {path}", ": it was cut short or damaged")
    if not version or "collections" not in data:
        raise VastplanError(f"{path} is not a snapshot")
    if not files.same_major(version, SNAPSHOT_VERSION):
        raise VastplanError(
            f"the snapshot {path} has another format ({version[:20]!r}) than {SNAPSHOT_VERSION}: record it again"
        )
    if _identity(data) != data.get("id"):
        raise VastplanError(f"the snapshot {path} was edited or damaged after it was taken: record it again")
    try:
        found: Snapshot = TypeAdapter(Snapshot).validate_python(data)
        _understood(found)
    except (ValidationError, ValueError, TypeError, AttributeError):
        raise VastplanError(f"the snapshot {path} does not have a snapshot's form: record it again") from None
    return found


def _understood(found: Snapshot) -> None:
    """Raises `ValueError` for texts that do not say what their fields stand for."""
    if datetime.fromisoformat(found.taken).tzinfo is None:
        raise ValueError("a time without a zone")
    for one in found.sites:
        if (one.ledger.document, one.ledger.site) != (found.document, one.site):
            raise ValueError("the ledger of another site")
        bytes.fromhex(one.ledger.key)
        for text in (*one.ledger.entries, *one.ledger.intents):
            if Address.parse(text).site != one.site:
                raise ValueError("the object of another site")
