"""Where a secret comes from is seen, whether or not its value can be compared: live, from a snapshot, and against what was reviewed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Ran, Run
from tests.lab import Lab
from vastplan.app.files import plan as plan_file

A, B, C = "value-of-a-4711", "value-of-b-0815", "value-of-file-1234"


def entry(source: Any, user: Any = "vastplan") -> dict[str, Any]:
    return {
        "namespaces": {"n": {}},
        "secrets": {"s": {"namespace": "n", "data": {"password": source, "username": user}}},
    }


@pytest.fixture
def lab(tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    """A Secret that is applied from a variable, recorded, and the base of what follows."""
    for name, value in (("LAB_A", A), ("LAB_B", B), ("LAB_SAME", A)):
        monkeypatch.setenv(name, value)
    (tmp_path / "file.txt").write_text(C)
    with Lab(tmp_path, {"iad": ["kubernetes"]}) as one:
        one.write(entry({"env": "LAB_A"}))
        assert vastplan("apply", tmp_path / "lab.yaml", "--auto-approve").code == 0
        assert vastplan("record", tmp_path / "lab.yaml", "--out", tmp_path / "s.json").code == 0
        (tmp_path / "base.yaml").write_text((tmp_path / "lab.yaml").read_text())
        one.clear_calls()
        yield one


def plan(lab: Lab, vastplan: Run, *more: str | Path) -> Ran:
    reports = [word for ending in (".md", ".html", ".xml") for word in ("--report", lab.folder / f"r{ending}")]
    return vastplan("plan", lab.folder / "lab.yaml", "--out", lab.folder / "reviewed.json", *more, *reports)


def everywhere(lab: Lab, ran: Ran) -> list[str]:
    return [ran.out, *((lab.folder / f"r{ending}").read_text() for ending in (".md", ".html", ".xml"))]


@pytest.mark.parametrize("offline", [False, True], ids=["live", "from a snapshot"])
def test_another_source_is_a_change_that_is_seen(offline: bool, lab: Lab, vastplan: Run) -> None:
    lab.write(entry({"file": "file.txt"}))
    ran = plan(lab, vastplan, *(("--snapshot", lab.folder / "s.json") if offline else ()))
    assert "data.password  (sensitive, from {env: LAB_A}) → (sensitive, from {file: file.txt})" in ran.out, ran
    for text in everywhere(lab, ran):
        assert "{env: LAB_A}" in text and "{file: file.txt}" in text and C not in text and A not in text
    assert [one.verb.value for one in plan_file.load(lab.folder / "reviewed.json").actions] == ["update"]


@pytest.mark.parametrize("offline", [False, True], ids=["live", "from a snapshot"])
@pytest.mark.parametrize("user", ["mallory", "m" * 81], ids=["short", "long"])
def test_what_the_document_says_openly_is_a_change_that_is_seen(
    user: str, offline: bool, lab: Lab, vastplan: Run
) -> None:
    """Where a password is sent stands beside it, openly: another host there is what a review is for."""
    lab.write(entry({"env": "LAB_A"}, user))
    offline_words = ("--snapshot", lab.folder / "s.json") if offline else ()
    ran = plan(lab, vastplan, "--base", lab.folder / "base.yaml", "--detailed-exitcode", *offline_words)
    said = "the document: mallory" if len(user) < 81 else "the document: 81 characters, SHA-256 "
    assert ran.code == 2 and "warning VP326: iad/secret/s: data.username comes from" in ran.out, ran
    for text in everywhere(lab, ran):
        assert "the document: vastplan" in text and said in text and A not in text
    assert reviewed(lab, vastplan).code == 0
    assert "no changes" in plan(lab, vastplan).out


def test_what_stays_is_no_change(lab: Lab, vastplan: Run) -> None:
    assert "no changes" in plan(lab, vastplan).out
    ran = plan(lab, vastplan, "--snapshot", lab.folder / "s.json")
    assert "no changes" in ran.out and "VP330" in ran.out


def test_the_same_value_from_another_source_is_noted(lab: Lab, vastplan: Run) -> None:
    lab.write(entry({"env": "LAB_SAME"}))
    ran = plan(lab, vastplan)
    says = "the same secret from another source: data.password comes from {env: LAB_SAME}, and came from {env: LAB_A}; recorded"
    assert says in ran.out and "1 to record in the ledger" in ran.out, ran
    assert vastplan("apply", lab.folder / "lab.yaml", "--auto-approve").code == 0
    assert lab.calls() == [] and "no changes" in plan(lab, vastplan).out


@pytest.mark.parametrize("offline", [False, True], ids=["live", "from a snapshot"])
def test_against_the_base_it_is_said_whatever_the_ledger_knows(offline: bool, lab: Lab, vastplan: Run) -> None:
    lab.write(entry({"env": "LAB_SAME"}))
    more: list[str | Path] = ["--base", lab.folder / "base.yaml"]
    ran = plan(lab, vastplan, *more, *(("--snapshot", lab.folder / "s.json") if offline else ()))
    assert f"\n{lab.folder}/lab.yaml:" in ran.out and "warning VP326: iad/secret/s: data.password comes from" in ran.out
    assert "{env: LAB_SAME}, and from {env: LAB_A} in the base" in ran.out, ran
    assert plan_file.load(lab.folder / "reviewed.json").findings[0].code == "VP326"


def reviewed(lab: Lab, vastplan: Run, *more: str | Path) -> Ran:
    words = ("--reviewed", lab.folder / "reviewed.json", "--auto-approve", *more)
    return vastplan("apply", lab.folder / "lab.yaml", *words)


@pytest.mark.slow
@pytest.mark.parametrize("offline", [False, True], ids=["live", "from a snapshot"])
def test_a_source_that_was_reviewed_is_applied(offline: bool, lab: Lab, vastplan: Run) -> None:
    lab.write(entry({"file": "file.txt"}))
    plan(lab, vastplan, *(("--snapshot", lab.folder / "s.json") if offline else ()))
    ran = reviewed(lab, vastplan)
    assert ran.code == 0 and [call.method for call in lab.calls()] == ["PATCH"], ran
    assert "no changes" in plan(lab, vastplan).out


def test_what_has_the_value_already_is_only_noted(lab: Lab, vastplan: Run) -> None:
    lab.write(entry({"env": "LAB_SAME"}))
    assert "to update" in plan(lab, vastplan, "--snapshot", lab.folder / "s.json").out
    ran = reviewed(lab, vastplan)
    assert ran.code == 0 and lab.calls() == [], ran


CREATED = {
    "source": ({"file": "file.txt"}, "vastplan", "data.password"),
    "name": ({"env": "LAB_B"}, "admin", "data.username is another change than the reviewed one"),
}


@pytest.mark.parametrize("name", CREATED)
def test_a_secret_that_is_created_is_the_reviewed_one(name: str, lab: Lab, vastplan: Run) -> None:
    new = {"namespace": "n", "data": {"password": {"env": "LAB_B"}, "username": "vastplan"}}
    first = entry({"env": "LAB_A"})
    lab.write({**first, "secrets": {**first["secrets"], "new": new}})
    ran = plan(lab, vastplan, "--snapshot", lab.folder / "s.json")
    assert (
        "data.password: (sensitive, from {env: LAB_B}), data.username: (sensitive, from the document: vastplan)"
        in ran.out
    ), ran
    source, user, says = CREATED[name]
    other = {"namespace": "n", "data": {"password": source, "username": user}}
    lab.write({**first, "secrets": {**first["secrets"], "new": other}})
    ran = reviewed(lab, vastplan)
    assert ran.code == 5 and lab.calls() == [] and f"iad/secret/new: {says}" in ran.err, ran
    assert "admin" not in ran.err
    assert (
        json.loads(reviewed(lab, vastplan, "--allow-difference", "--format", "json").out)["reviewed"]["same"] is False
    )
