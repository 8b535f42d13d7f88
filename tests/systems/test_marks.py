"""Which document an object in Kubernetes is of: its last writer's, else that of its label."""

from __future__ import annotations

from typing import Any

import pytest

from vastplan.schema.provider import NO_MARK, Mark
from vastplan.systems.kubernetes.managers import owner_mark

MADE = "2026-01-01T00:00:00Z"


def row(*managers: tuple[str, str], label: Any = None) -> dict[str, Any]:
    fields = [{"manager": name, "time": time} for name, time in managers]
    labels = {} if label is None else {"labels": {"vastplan.io/document": label}}
    return {"metadata": {"creationTimestamp": MADE, "managedFields": fields, **labels}}


@pytest.mark.parametrize(
    ("given", "mark"),
    [
        (row(), NO_MARK),
        (row(("kubectl", "2026-02-01T00:00:00Z")), NO_MARK),
        (row(("vastplan:a", "2026-02-01T00:00:00Z"), ("vastplan:b", "2026-01-01T00:00:00Z")), Mark("a", "2026-02-01T00:00:00Z")),
        (row(label="c"), Mark("c", MADE)),
        (row(("kubectl", "2026-02-01T00:00:00Z"), label="c"), Mark("c", MADE)),
        (row(("vastplan:a", "2026-02-01T00:00:00Z"), label="c"), Mark("a", "2026-02-01T00:00:00Z")),
        (row(label="No_Document"), NO_MARK),
        (row(label=""), NO_MARK),
        (row(label=["c"]), NO_MARK),
        ({"metadata": {"labels": {"vastplan.io/document": "c"}}}, Mark("c", "")),
        ({}, NO_MARK),
    ],
)  # fmt: skip
def test_whose_an_object_is(given: dict[str, Any], mark: Mark) -> None:
    assert owner_mark(given) == mark
