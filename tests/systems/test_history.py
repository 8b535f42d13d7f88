"""What counts as somebody's change, and what does not: rows as the vendors document them, read without a server."""

from __future__ import annotations

from typing import Any

import pytest

from tests.lab import REGISTRY_KINDS
from vastplan.schema.history import ChangedObject
from vastplan.systems.history import of_audit, of_events, of_managers

SINCE = "2026-01-02T03:04:05+00:00"
LATER, SAME_SECOND = "2026-01-02T04:00:00Z", "2026-01-02T03:04:05.900Z"
UUID = "8a1f0c52-1111-4222-8333-444455556666"


def sought(kind: str, key: str) -> list[ChangedObject]:
    return [ChangedObject(REGISTRY_KINDS[kind], key, key, SINCE)]


EVENT = {
    "event_type": "OBJECT_MODIFIED", "object_type": "ViewPolicy", "object_id": 7, "event_origin": "ada", "timestamp": LATER,
    "event_message": "ViewPolicy p modified",
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({}, 1),
        ({"object_type": "view_policy"}, 1),
        ({"object_type": "View"}, 0),
        ({"object_id": 70}, 0),
        ({"event_type": "THRESHOLD"}, 0),  # an alarm is nobody's work
        ({"timestamp": SAME_SECOND}, 0),  # as likely our own
        ({"timestamp": "yesterday"}, 0),
        ({"event_origin": None}, 0),
    ],
)
def test_events_of_changes_to_that_object_after_the_apply(change: dict[str, Any], found: int) -> None:
    traces = list(of_events([{**EVENT, **change}], sought("view_policy", "7")))
    assert len(traces) == found and all(trace.who == "ada" and trace.paths == () for _, trace in traces)


LOG = {
    "subject": "ada@example.com", "timestamp": LATER, "action": "update", "http_method": "PUT", "entity_type": "department",
    "entity_id": "4", "result": "Succeeded",
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "key", "found"),
    [
        ({}, "4", 1),
        ({"result": "Failed"}, "4", 0),
        ({"entity_type": "project"}, "4", 0),  # a department and a project may both be number 4
        ({"entity_id": UUID, "entity_type": "compute-resource"}, UUID, 1),
        ({"timestamp": SAME_SECOND}, "4", 0),
    ],
)
def test_entries_of_the_audit_log_that_changed_that_object(change: dict[str, Any], key: str, found: int) -> None:
    assert len(list(of_audit([{**LOG, **change}], sought("department", key)))) == found


def test_field_managers_tell_their_fields_and_we_are_not_one_of_them() -> None:
    entry = {
        "manager": "kubectl-edit", "operation": "Update", "time": LATER,
        "fieldsV1": {"f:metadata": {"f:labels": {".": {}, "f:team/a.b": {}}}, "f:spec": {"f:ports": {'k:{"port":1}': {"f:x": {}}}}},
    }  # fmt: skip
    old = {**entry, "manager": "helm", "time": "2025-01-01T00:00:00Z"}
    row = {"metadata": {"managedFields": [entry, old, {**entry, "manager": "vastplan"}, "junk"]}}
    (trace,) = of_managers(row, SINCE, ("vastplan",))
    assert (trace.who, trace.how) == ("kubectl-edit", "Update")
    assert trace.paths == (("metadata", "labels", "team/a.b"), ("spec", "ports"))
    assert list(of_managers({}, SINCE, "vastplan")) == []
