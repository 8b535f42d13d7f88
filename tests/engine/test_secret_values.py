"""The values of Kubernetes secrets are written to the cluster, and to nothing else."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab import REGISTRY_KINDS, Lab
from vastplan.app.files.plan import dumps
from vastplan.engine.live.diff import Difference
from vastplan.engine.live.secret_sources import source_text, with_sources
from vastplan.model.plan import Cause, FieldChange, Plan, Verb
from vastplan.model.value import SecretSource
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
    assert [one.verb for one in drifted.actions] == [Verb.UPDATE] and "outside vastplan" in drifted.actions[0].reason
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


def test_the_same_value_from_another_source_is_noted_and_not_written(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    lab.converge()
    monkeypatch.setenv("OTHER", FIRST)
    lab.write(document(password={"env": "OTHER"}))
    lab.clear_calls()
    (action,) = lab.converge().actions
    told = "the same secret from another source: data.password comes from {env: OTHER}, and came from {env: PASSWORD}; recorded"
    assert (action.verb, action.reason, action.changes, lab.calls()) == (Verb.RELEASE, told, (), [])


def test_a_change_says_where_its_secret_came_from_and_comes_from(lab: Lab) -> None:
    (made,) = (one for one in lab.converge().actions if one.address.kind == "secret")
    assert {one.path: (one.source_before, one.source_after) for one in made.changes if one.sensitive} == {
        "data.endpoint": ("", "the document: vms.example.com"), "data.password": ("", "{env: PASSWORD}"), "data.token": ("", "{file: token}"),
    }  # fmt: skip
    lab.write(document(password={"file": "token"}, token=None))
    (action,) = lab.plan().actions
    assert {one.path: (one.source_before, one.source_after) for one in action.changes} == {
        "data.password": ("{env: PASSWORD}", "{file: token}"), "data.token": ("{file: token}", ""),
    }  # fmt: skip


def test_what_cannot_be_compared_changes_where_its_source_does() -> None:
    desired = {
        "name": "s",
        "data": {
            "a": SecretSource(("env", "NEW")),
            "b": SecretSource(("env", "SAME")),
            "c": SecretSource(("env", "C")),
        },
    }
    label = FieldChange("labels.x", "1", "2", Cause.DOCUMENT)
    untold = Difference((label,), frozenset({("labels", "x")}), (), ("data.a", "data.b", "data.c"))
    noted = {"data.a": "{env: OLD}", "data.b": "{env: SAME}"}  # of `c` nothing is known
    found, elsewhere = with_sources(untold, REGISTRY_KINDS["secret"], desired, noted)
    assert [(one.path, one.source_before, one.source_after) for one in found.changes] == [
        ("labels.x", "", ""), ("data.a", "{env: OLD}", "{env: NEW}"),
    ]  # fmt: skip
    assert found.paths == {("labels", "x"), ("data", "a")} and found.unknown == ("data.b", "data.c") and elsewhere == ""
    assert with_sources(untold, REGISTRY_KINDS["tenant"], desired, noted) == (untold, "")


def test_a_long_text_that_is_said_openly_is_told_by_its_digest() -> None:
    short, long = "x" * 80, "x" * 81
    assert source_text(short) == f"the document: {short}"
    told = source_text(long)
    assert told.startswith("the document: 81 characters, SHA-256 ") and long not in told
    assert told != source_text("x" * 80 + "y") and source_text("\ud800" * 81) != source_text("\ud801" * 81)
