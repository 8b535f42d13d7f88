"""Who changed an object, by each system's records: from rows to traces, pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from vastplan.schema.history import ChangedObject, Trace, WirePath, is_later
from vastplan.schema.kind import Row

PAGES = 20  # of records that are read; older ones are not reported
OBJECTS = 100  # that are read again for their field managers


def of_events(rows: Iterable[Row], sought: Sequence[ChangedObject]) -> Iterator[tuple[int, Trace]]:
    """VMS events of objects that were created, changed or deleted; alarms of thresholds and rates have no user.

    An event names `object_type` and `object_id`, its initiator (`event_origin`) and the time (VMS 5.5, schema Event).
    """
    index = _index((_spelling_free(changed.kind.name), changed.id) for changed in sought)
    for row in rows:
        if "object" not in _spelling_free(row.get("event_type")):
            continue
        for number in index.get((_spelling_free(row.get("object_type")), str(row.get("object_id"))), ()):
            trace = Trace(_text(row, "event_origin"), _text(row, "timestamp"), _text(row, "event_message"))
            if trace.who and is_later(trace.when, sought[number].since):
                yield number, trace


def of_audit(rows: Iterable[Row], sought: Sequence[ChangedObject]) -> Iterator[tuple[int, Trace]]:
    """Run:AI's audit log: `subject` did `action` to the entity of that id (schema AuditLog). Failed actions changed nothing.

    Ids of projects and departments are short numbers, so the type must match too; a uuid is enough by itself.
    """
    index = _index(("", changed.id) for changed in sought)
    for row in rows:
        for number in index.get(("", str(row.get("entity_id"))), ()):
            same_kind = _spelling_free(row.get("entity_type")) == _spelling_free(sought[number].kind.name)
            if row.get("result") != "Succeeded" or not (same_kind or len(sought[number].id) >= 32):
                continue
            operation = " ".join(part for part in (_text(row, "action"), _text(row, "http_method")) if part)
            trace = Trace(_text(row, "subject"), _text(row, "timestamp"), operation)
            if trace.who and is_later(trace.when, sought[number].since):
                yield number, trace


def of_managers(row: Row, since: str, ourselves: Collection[str]) -> Iterator[Trace]:
    """The field managers of a Kubernetes object except `ourselves`; a manager names the program that wrote, not its user.

    `fieldsV1` is a tree of `f:NAME` for fields. Items of lists have keys and values instead, where the path ends.
    """
    metadata = row.get("metadata")
    entries = metadata.get("managedFields") if isinstance(metadata, dict) else None
    for entry in entries if isinstance(entries, list) else ():
        if not isinstance(entry, dict) or entry.get("manager") in (None, *ourselves):
            continue
        paths = tuple(dict.fromkeys(_paths(entry.get("fieldsV1"), ())))
        if paths and is_later(_text(entry, "time"), since, 0):
            yield Trace(_text(entry, "manager"), _text(entry, "time"), _text(entry, "operation"), paths)


def _paths(fields: Any, prefix: WirePath) -> Iterator[WirePath]:
    inner = {key[2:]: value for key, value in fields.items() if key[:2] == "f:"} if isinstance(fields, dict) else {}
    for key, value in inner.items():
        yield from _paths(value, (*prefix, key))
    if prefix and not inner:
        yield prefix


def _index(keys: Iterable[tuple[str, str]]) -> Mapping[tuple[str, str], list[int]]:
    places: dict[tuple[str, str], list[int]] = {}
    for number, key in enumerate(keys):
        places.setdefault(key, []).append(number)
    return places


def _spelling_free(value: object) -> str:
    """A name without differences of spelling: `ViewPolicy` and `view_policy` become equal."""
    return re.sub(r"[^a-z0-9]", "", value.casefold()) if isinstance(value, str) else ""


def _text(row: Row, name: str) -> str:
    value = row.get(name)
    return value if isinstance(value, str) else ""


def stamp(time: datetime) -> str:
    """A time as both APIs document it in queries: ISO 8601 in UTC."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
