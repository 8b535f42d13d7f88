"""The field manager that vastplan writes as: it carries the document's name, so that an object says whose it is.

A manager is one for all that a client writes with one purpose:
https://kubernetes.io/docs/reference/using-api/server-side-apply/#managers. It goes into the query of a write, at most 128
characters; the document's name has at most 63.
"""

from __future__ import annotations

import re
from typing import Any

from vastplan.schema.kind import Row

MANAGER = "vastplan"
_OF_A_DOCUMENT = re.compile(rf"{MANAGER}:([a-z0-9]([-a-z0-9]{{0,61}}[a-z0-9])?)")


def manager(document: str) -> str:
    """As whom the objects of a document are written."""
    return f"{MANAGER}:{document}" if document else MANAGER


def entries(row: Row) -> list[dict[str, Any]]:
    """The entries of `managedFields` that are any."""
    metadata = row.get("metadata")
    listed = metadata.get("managedFields") if isinstance(metadata, dict) else None
    return [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []


def document_of(row: Row) -> str:
    """The document whose manager wrote last, "" where none did. Times are whole seconds; of two at once the later entry."""
    latest, document = "", ""
    for entry in entries(row):
        named = _OF_A_DOCUMENT.fullmatch(str(entry.get("manager")))
        time = str(entry.get("time") or "")
        if named and time >= latest:
            latest, document = time, named[1]
    return document
