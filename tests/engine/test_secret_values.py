"""The values of Kubernetes secrets are written to the cluster, and to nothing else."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab import Lab
from vastplan.app.files.plan import dumps
from vastplan.model.plan import Cause, Plan, Verb
from vastplan.report.text import Style, plan_text

FIRST, SECOND, BY_HAND, FROM_FILE = "correct horse", "battery staple", "tr0ub4dor", "hunter2"
MERGE = {"Content-Type": "application/merge-patch+json"}


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    monkeypatch.setenv("PASSWORD", FIRST)
    (tmp_path / "token").write_text(FROM_FILE + "\n")
    with Lab(tmp_path, {"iad": ["kubernetes"]}) as one:
        one.write(document())
        yield one


def document(**data: Any) -> dict[str, Any]:
    sources = {"endpoint": "vms.example.com", "password": {"env": "PASSWORD"}, "token": {"file": "token"}, **data}
    return {"namespaces": {"vast-csi": {}}, "secrets": {"vast-mgmt": {"namespace": "vast-csi", "data": sources}}}


def written(lab: Lab, *plans: Plan) -> str:
    """Everything that vastplan keeps or shows: plans, their text, and all files of the folder but the cluster's own."""
    texts = [text for plan in plans for text in (dumps(plan), plan_text(plan, Style(colour=False)), repr(plan))]
    files = [
        path for path in lab.folder.rglob("*") if path.is_file() and "sim" not in path.parts and path.name != "token"
    ]
    assert any("ledger" in path.parts for path in files)
    return "\n".join([*texts, *(path.read_text(encoding="utf-8") for path in files)])


def stored(lab: Lab) -> dict[str, str]:
    row = lab.rows("iad", "secret")[0]
    return {key: base64.b64decode(value).decode() for key, value in row["data"].items()}


def test_they_are_in_no_plan_and_in_no_file(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    made = lab.converge()
    assert stored(lab) == {"endpoint": "vms.example.com", "password": FIRST, "token": FROM_FILE}
    monkeypatch.setenv("PASSWORD", SECOND)
    rotated = lab.converge()
    (action,) = rotated.actions
    assert [(one.path, one.cause, one.sensitive) for one in action.changes] == [("data.password", Cause.DOCUMENT, True)]
    assert stored(lab)["password"] == SECOND
    other = {"data": {"password": base64.b64encode(BY_HAND.encode()).decode()}}
    lab.by_hand("iad", "kubernetes", "PATCH", "/api/v1/namespaces/vast-csi/secrets/vast-mgmt", other, **MERGE)
    drifted = lab.plan()
    assert [one.verb for one in drifted.actions] == [Verb.UPDATE] and "behind our back" in drifted.actions[0].reason
    text = written(lab, made, rotated, drifted)
    for value in (FIRST, SECOND, BY_HAND, FROM_FILE):
        assert value not in text and base64.b64encode(value.encode()).decode() not in text, value


@pytest.mark.parametrize("key", ["file", "env"])
def test_a_key_may_have_the_name_of_a_source(lab: Lab, key: str) -> None:
    sections = document()
    sections["secrets"]["vast-mgmt"]["data"] = {key: "/etc/motd"}
    lab.write(sections)
    lab.converge()
    assert stored(lab) == {key: "/etc/motd"}
