"""`apply --reviewed`: a live plan that does what was reviewed goes on; one that does more is refused, and says what."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Ran, Run
from tests.lab import Lab


@pytest.fixture
def lab(tmp_path: Path, vastplan: Run) -> Iterator[Lab]:
    """Two tenants applied, a change of one, and the plan of that change from a snapshot: what was reviewed."""
    with Lab(tmp_path, {"iad": ["vast"]}) as one:
        one.write({"tenants": {"a": {"max_views": 3}, "b": {"max_views": 3}}})
        one.converge()
        assert vastplan("record", tmp_path / "lab.yaml", "--out", tmp_path / "s.json").code == 0
        one.write({"tenants": {"a": {"max_views": 4}, "b": {"max_views": 3}, "c": {}}})
        words = ("--snapshot", tmp_path / "s.json", "--out", tmp_path / "reviewed.json")
        assert vastplan("plan", tmp_path / "lab.yaml", *words).code == 0
        one.clear_calls()
        yield one


def apply(lab: Lab, vastplan: Run, *more: str) -> Ran:
    words = ("--reviewed", lab.folder / "reviewed.json", "--auto-approve", *more)
    return vastplan("apply", lab.folder / "lab.yaml", *words)


def by_hand(lab: Lab, name: str, body: dict[str, Any]) -> None:
    ids = {row["name"]: row["id"] for row in lab.rows("iad", "tenant")}
    lab.by_hand("iad", "vast", "PATCH", f"/api/v5/tenants/{ids[name]}/", body)
    lab.clear_calls()


def test_the_same_is_applied(lab: Lab, vastplan: Run) -> None:
    ran = apply(lab, vastplan, "--format", "json")
    assert ran.code == 0, ran
    assert json.loads(ran.out)["reviewed"] == {
        "plan": json.loads((lab.folder / "reviewed.json").read_text())["id"], "same": True, "differences": [], "untold": [],
    }  # fmt: skip
    assert "does what the reviewed plan does, and no more" in ran.err


@pytest.mark.slow
def test_less_is_no_difference(lab: Lab, vastplan: Run) -> None:
    by_hand(lab, "a", {"max_views": 4})  # somebody did it already
    ran = apply(lab, vastplan)
    assert ran.code == 0, ran


MORE: dict[str, tuple[dict[str, Any] | None, dict[str, Any] | None, str]] = {
    "drift of another object": (None, {"b": 9}, "iad/tenant/b: update was not in the reviewed plan"),
    "the field moved meanwhile": (None, {"a": 9}, "iad/tenant/a: max_views is another change than the reviewed one"),
    "the document says more": ({"c": {"max_views": 1}}, None, "iad/tenant/c: max_views is another change than the reviewed one"),
    "another value": ({"a": {"max_views": 5}}, None, "iad/tenant/a: max_views is another change than the reviewed one"),
    "one more object": ({"d": {}}, None, "iad/tenant/d: create was not in the reviewed plan"),
}  # fmt: skip


def test_what_the_document_says_beside_what_changes_is_compared(lab: Lab, vastplan: Run) -> None:
    """Of an update, too, a value that is there already as it is wanted now."""
    lab.write({"tenants": {**lab.sections["tenants"], "a": {"max_views": 4, "domain_name": "a"}}})
    ran = apply(lab, vastplan)
    says = "iad/tenant/a: the document says another domain_name than in the review: a, and it was nothing"
    assert ran.code == 5 and says in ran.err and lab.calls() == [], ran


@pytest.mark.parametrize("name", MORE)
def test_more_is_refused_unless_it_is_allowed(name: str, lab: Lab, vastplan: Run) -> None:
    document, hand, says = MORE[name]
    if document:
        lab.write({"tenants": {**lab.sections["tenants"], **document}})
    for tenant, count in (hand or {}).items():
        by_hand(lab, tenant, {"max_views": count})
    ran = apply(lab, vastplan)
    assert ran.code == 5 and says in ran.err and lab.calls() == [], ran
    ran = apply(lab, vastplan, "--allow-difference", "--format", "json")
    assert ran.code == 0 and lab.calls(), ran
    found = json.loads(ran.out)["reviewed"]
    assert not found["same"] and found["differences"] == [says]


def test_a_delete_that_was_blocked_in_the_review_is_not_let_through(lab: Lab, vastplan: Run) -> None:
    lab.write({"tenants": {"a": {"max_views": 3}}})
    words = ("--snapshot", lab.folder / "s.json", "--out", lab.folder / "reviewed.json")
    assert vastplan("plan", lab.folder / "lab.yaml", *words).code == 0
    approvals = lab.folder / "approvals.yaml"
    approvals.write_text("version: 1\napprovals: [{address: iad/tenant/b, reason: it is empty, until: '2999-01-01'}]\n")
    consent = ("--allow-delete", "iad/tenant/b", "--approvals", str(approvals))
    ran = apply(lab, vastplan, *consent)
    assert ran.code == 5 and "iad/tenant/b: was blocked (approval) and is no longer blocked" in ran.err, ran
    assert vastplan("plan", lab.folder / "lab.yaml", *words, *consent).code == 0
    ran = apply(lab, vastplan, *consent)
    assert ran.code == 0 and [call.method for call in lab.calls()] == ["DELETE"], ran


def test_what_does_not_go_together(lab: Lab, vastplan: Run) -> None:
    ran = vastplan("apply", lab.folder / "lab.yaml", "--allow-difference")
    assert ran.code == 1 and "--reviewed FILE" in ran.err
    ran = vastplan("apply", lab.folder / "reviewed.json", "--reviewed", lab.folder / "reviewed.json")
    assert ran.code == 1 and "--reviewed cannot be used with a saved plan" in ran.err
