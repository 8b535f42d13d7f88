"""A secret is rotated: no review from a snapshot can see it, and who applies says whose values may be others, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Ran, Run
from tests.lab import Lab

A, B, C = "value-of-a-4711", "value-of-b-0815", "value-of-c-1234"
SECRET = "iad/secret/s"
ALLOW = ("--allow-secret-values", SECRET)
REFUSED = f"{SECRET}: writes another value of data.password from {{env: LAB_A}}, which the review did not see"


def document(source: str = "LAB_A", labels: dict[str, str] | None = None, **namespaces: Any) -> dict[str, Any]:
    secret = {"namespace": "n", "data": {"password": {"env": source}, "username": "vastplan"}}
    return {
        "namespaces": {"n": {}, **namespaces},
        "secrets": {"s": {**secret, **({"labels": labels} if labels else {})}},
    }


@pytest.fixture
def lab(tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    """A Secret that is applied and recorded; the document then is the base. A key beside its folder."""
    monkeypatch.setenv("LAB_A", A)
    monkeypatch.setenv("LAB_C", C)
    folder = tmp_path / "repo"
    folder.mkdir()
    (tmp_path / "key").write_text("k" * 64)
    with Lab(folder, {"iad": ["kubernetes"]}) as one:
        one.write(document())
        assert vastplan("apply", folder / "lab.yaml", "--auto-approve").code == 0
        (tmp_path / "base.yaml").write_text((folder / "lab.yaml").read_text())
        yield one


def review(lab: Lab, vastplan: Run, *more: str | Path) -> Ran:
    """Recorded, and planned from that with the base, as a pipeline does."""
    snapshot, beside = lab.folder.parent / "s.json", lab.folder.parent
    assert vastplan("record", lab.folder / "lab.yaml", "--out", snapshot).code == 0
    words = ("--snapshot", snapshot, "--base", beside / "base.yaml", "--out", beside / "p.json")
    lab.clear_calls()
    return vastplan("plan", lab.folder / "lab.yaml", *words, *more)


def apply(lab: Lab, vastplan: Run, *more: str | Path) -> Ran:
    words = ("--reviewed", lab.folder.parent / "p.json", "--auto-approve", *more)
    ran = vastplan("apply", lab.folder / "lab.yaml", *words)
    assert not {A, B, C} & set((ran.out + ran.err).split())
    return ran


@pytest.mark.parametrize("keyed", [False, True], ids=["without a key", "with a key"])
@pytest.mark.parametrize("when", ["before the review", "after it"])
def test_the_pipeline_goes_on(when: str, keyed: bool, lab: Lab, vastplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    key = ("--review-key", lab.folder.parent / "key") if keyed else ()
    lab.write(document(more={}))
    if when == "before the review":
        monkeypatch.setenv("LAB_A", B)
    assert "1 to create" in review(lab, vastplan, *key).out
    monkeypatch.setenv("LAB_A", B)
    ran = apply(lab, vastplan, *key)
    assert ran.code == 5 and lab.calls() == [] and REFUSED in ran.err, ran
    assert f"if it was rotated, or is to be restored: {' '.join(ALLOW)}" in ran.err
    ran = apply(lab, vastplan, *key, *ALLOW, "--format", "json")
    assert ran.code == 0 and sorted(call.method for call in lab.calls()) == ["PATCH", "POST"], ran
    told = json.loads(ran.out)["reviewed"]
    assert told["same"] is False and len(told["differences"]) == 1 and "which is allowed" in ran.err
    assert told["untold"] == ([] if keyed else [f"{SECRET} data.password"])
    # and from then on without a word
    assert "no changes" in review(lab, vastplan, *key).out
    assert apply(lab, vastplan, *key).code == 0 and lab.calls() == []


def test_beside_what_was_reviewed_of_the_same_object(lab: Lab, vastplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    lab.write(document(labels={"team": "a"}))
    monkeypatch.setenv("LAB_A", B)
    assert "1 to update" in review(lab, vastplan).out
    ran = apply(lab, vastplan)
    assert ran.code == 5 and REFUSED in ran.err and ran.err.count(SECRET) == 2, ran
    assert apply(lab, vastplan, *ALLOW).code == 0


def test_with_a_key_the_value_that_was_reviewed_needs_no_word(
    lab: Lab, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = ("--review-key", lab.folder.parent / "key")
    lab.write(document(labels={"team": "a"}))
    monkeypatch.setenv("LAB_A", B)
    assert "1 to update" in review(lab, vastplan, *key).out
    monkeypatch.setenv("LAB_A", C)
    ran = apply(lab, vastplan, *key, *ALLOW)
    assert ran.code == 5 and "data.password is another secret than the reviewed one" in ran.err, ran
    monkeypatch.setenv("LAB_A", B)
    assert apply(lab, vastplan, *key).code == 0


MORE: dict[str, tuple[dict[str, Any], tuple[str, ...], str]] = {
    "another source": (document("LAB_C"), ALLOW, f"{SECRET}: update was not in the reviewed plan"),
    "what stands beside it": (document(labels={"x": "y"}), ALLOW, f"{SECRET}: update was not in the reviewed plan"),
    "another object": (document(other={}), ALLOW, "iad/namespace/other: create was not in the reviewed plan"),
    "the values of another object": (document(), ("--allow-secret-values", "iad/secret/t"), REFUSED),
    "a pattern": (document(), ("--allow-secret-values", "*"), REFUSED),
}


@pytest.mark.parametrize("name", MORE)
def test_nothing_else_is_let_through(name: str, lab: Lab, vastplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    written, words, says = MORE[name]
    assert "no changes" in review(lab, vastplan).out
    monkeypatch.setenv("LAB_A", B)
    lab.write(written)
    ran = apply(lab, vastplan, *words)
    assert ran.code == 5 and lab.calls() == [] and says in ran.err, ran


def test_it_is_said_to_a_reviewed_plan(lab: Lab, vastplan: Run) -> None:
    ran = vastplan("apply", lab.folder / "lab.yaml", *ALLOW)
    assert ran.code == 1 and "--allow-secret-values needs --reviewed FILE" in ran.err
    review(lab, vastplan)
    ran = vastplan("apply", lab.folder.parent / "p.json", *ALLOW)
    assert ran.code == 1 and "--allow-secret-values cannot be used with a saved plan" in ran.err
