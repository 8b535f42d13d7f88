"""The field manager that vastplan writes as: it contains the document's name, so an object shows its owner; else a label does.

A client writes as one manager for each purpose:
https://kubernetes.io/docs/reference/using-api/server-side-apply/#managers. The manager is in the query of a write, with at most
128 characters; the document's name has at most 63.
"""

from __future__ import annotations

import re
from typing import Any

from vastplan.schema.kind import Row
from vastplan.schema.provider import NO_MARK, Mark
from vastplan.schema.rows import at

MANAGER = "vastplan"
LABEL = "vastplan.io/document"
"""The label that marks the owner of an object that vastplan has not written: one that was adopted unchanged, or
restored.
"""
_NAME = r"([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)"
_OF_A_DOCUMENT = re.compile(f"{MANAGER}:{_NAME}")


def manager(document: str) -> str:
    """The field manager of a document."""
    return f"{MANAGER}:{document}" if document else MANAGER


def entries(row: Row) -> list[dict[str, Any]]:
    """The well-formed entries of `managedFields`."""
    metadata = row.get("metadata")
    managed_fields = metadata.get("managedFields") if isinstance(metadata, dict) else None
    return [entry for entry in managed_fields if isinstance(entry, dict)] if isinstance(managed_fields, list) else []


def owner_mark(row: Row) -> Mark:
    """The document whose manager wrote last. Times have whole seconds; of equal times the later entry counts.

    If no manager names a document, the label does. A label has no time: the object's creation time is the earliest.
    """
    latest = NO_MARK
    for entry in entries(row):
        match = _OF_A_DOCUMENT.fullmatch(str(entry.get("manager")))
        time = str(entry.get("time") or "")
        if match and time >= latest.at:
            latest = Mark(match[1], time)
    labelled = at(row, ("metadata", "labels", LABEL))
    if not latest.document and isinstance(labelled, str) and re.fullmatch(_NAME, labelled):
        return Mark(labelled, str(at(row, ("metadata", "creationTimestamp")) or ""))
    return latest
