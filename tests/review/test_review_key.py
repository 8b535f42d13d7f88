"""Values of secrets are compared with what was reviewed, by digests that nobody without the runner's key can read or make."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Ran, Run
from tests.lab import Lab
from vastplan.app.files import plan as plan_file
from vastplan.app.files.review_key import ReviewKey

A, B = "value-of-a-4711", "value-of-b-0815"


def document(*names: str) -> dict[str, Any]:
    secrets = {
        name: {
            "namespace": "n",
            "data": {"password": {"env": "LAB_SECRET"}, "token": {"env": "LAB_SECRET"}, "user": "x"},
        }
        for name in names
    }
    return {"namespaces": {"n": {}}, "secrets": secrets}


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    """A document with two secrets that are to be made, and a key beside its folder."""
    folder = tmp_path / "repo"
    folder.mkdir()
    monkeypatch.setenv("LAB_SECRET", A)
    (tmp_path / "key").write_text("k" * 64)
    with Lab(folder, {"iad": ["kubernetes"]}) as one:
        one.write(document("s", "t"))
        yield one


def key(lab: Lab) -> tuple[str, Path]:
    return "--review-key", lab.folder.parent / "key"


def plan(lab: Lab, vastplan: Run, *more: str | Path) -> Ran:
    return vastplan("plan", lab.folder / "lab.yaml", "--out", lab.folder / "reviewed.json", *more)


def apply(lab: Lab, vastplan: Run, *more: str | Path) -> Ran:
    words = ("--reviewed", lab.folder / "reviewed.json", "--auto-approve", *more)
    return vastplan("apply", lab.folder / "lab.yaml", *words)


def test_the_same_values_are_applied(lab: Lab, vastplan: Run) -> None:
    assert plan(lab, vastplan, *key(lab)).code == 0
    ran = apply(lab, vastplan, *key(lab), "--format", "json")
    assert ran.code == 0 and json.loads(ran.out)["reviewed"]["untold"] == [], ran
    assert "does what the reviewed plan does, and no more (" in ran.err and "cannot be told" not in ran.err


def test_another_value_of_the_same_source_is_refused(lab: Lab, vastplan: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert plan(lab, vastplan, *key(lab)).code == 0
    monkeypatch.setenv("LAB_SECRET", B)
    lab.clear_calls()
    ran = apply(lab, vastplan, *key(lab))
    assert ran.code == 5 and lab.calls() == [], ran
    assert "iad/secret/s: data.password is another secret than the reviewed one" in ran.err
    assert A not in ran.err + ran.out and B not in ran.err + ran.out


def test_without_a_key_it_is_said_that_nobody_can_tell(
    lab: Lab, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert plan(lab, vastplan).code == 0
    monkeypatch.setenv("LAB_SECRET", B)
    ran = apply(lab, vastplan, "--format", "json")
    assert ran.code == 0, ran
    assert "Cannot determine whether 4 secrets have the reviewed values:" in ran.err
    assert "iad/secret/s data.password" in ran.err and "no more, as far as vastplan can determine" in ran.err
    assert json.loads(ran.out)["reviewed"]["untold"] == [
        f"iad/secret/{name} data.{field}" for name in ("s", "t") for field in ("password", "token")
    ]


def test_what_is_not_written_need_not_be_told(lab: Lab, vastplan: Run) -> None:
    """A label that changes leaves the secret beside it as it is."""
    assert vastplan("apply", lab.folder / "lab.yaml", "--auto-approve").code == 0
    labelled = document("s", "t")
    labelled["secrets"]["s"]["labels"] = {"team": "a"}
    lab.write(labelled)
    assert plan(lab, vastplan).code == 0
    ran = apply(lab, vastplan)
    assert ran.code == 0 and "cannot be told" not in ran.err and "and no more (" in ran.err, ran


def test_digests_say_nothing_of_values(lab: Lab, vastplan: Run) -> None:
    assert plan(lab, vastplan, *key(lab)).code == 0
    made = plan_file.load(lab.folder / "reviewed.json")
    text = (lab.folder / "reviewed.json").read_text()
    digests = [value for action in made.actions for value in action.secrets.values()]
    assert len(digests) == len(set(digests)) == 4  # of one value: no two are alike
    assert A not in text and "k" * 64 not in text
    for plain in (hashlib.sha256(A.encode()), hashlib.blake2b(A.encode(), digest_size=16)):
        assert plain.hexdigest()[:32] not in digests
    other = ReviewKey(hashlib.blake2b(b"another key").digest())
    assert other.digest("iad/secret/s", "data.password", A) not in digests
    assert [set(action.secrets) for action in made.actions if action.address.kind == "secret"] == [
        {"data.password", "data.token"}, {"data.password", "data.token"},
    ]  # fmt: skip


def test_a_value_that_the_review_could_not_read_is_refused(
    lab: Lab, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert vastplan("record", lab.folder / "lab.yaml", "--out", lab.folder / "s.json").code == 0
    monkeypatch.delenv("LAB_SECRET")
    assert plan(lab, vastplan, "--snapshot", lab.folder / "s.json", *key(lab)).code == 0
    monkeypatch.setenv("LAB_SECRET", A)
    ran = apply(lab, vastplan, *key(lab))
    assert ran.code == 5 and "data.token had no value that could be read when it was reviewed" in ran.err, ran


def test_a_plan_from_a_snapshot_has_them_where_the_runner_has_the_secrets(lab: Lab, vastplan: Run) -> None:
    assert vastplan("record", lab.folder / "lab.yaml", "--out", lab.folder / "s.json").code == 0
    assert plan(lab, vastplan, "--snapshot", lab.folder / "s.json", *key(lab)).code == 0
    ran = apply(lab, vastplan, *key(lab))
    assert ran.code == 0 and "cannot be told" not in ran.err, ran


def test_both_plans_have_one_key(lab: Lab, vastplan: Run) -> None:
    other = lab.folder.parent / "other"
    other.write_text("o" * 64)
    plan(lab, vastplan, *key(lab))
    ran = apply(lab, vastplan)
    assert ran.code == 1 and "give their key with --review-key FILE" in ran.err
    ran = apply(lab, vastplan, "--review-key", other)
    assert ran.code == 1 and "made with another review key" in ran.err
    plan(lab, vastplan)
    ran = apply(lab, vastplan, *key(lab))
    assert ran.code == 1 and "has no digests of its secrets: plan it with --review-key FILE as well" in ran.err, ran
    assert lab.calls() == []


@pytest.mark.parametrize(
    ("where", "content", "says"),
    [
        ("key", "short", "has to be 32 to 4096 bytes; make one with: openssl rand -hex 32"),
        ("key", "x" * 5000, "has to be 32 to 4096 bytes"),
        ("repo/key", "k" * 64, "is in the document's folder: keep it where only the runner writes"),
        ("repo", None, "is in the document's folder"),
        ("missing", None, "is not a file"),
    ],
)
def test_a_key_that_is_none_is_refused(where: str, content: str | None, says: str, lab: Lab, vastplan: Run) -> None:
    file = lab.folder.parent / where
    if content is not None:
        file.write_text(content)
    ran = plan(lab, vastplan, "--review-key", file)
    assert ran.code == 1 and says in ran.err and (content is None or content not in ran.err), ran


def test_a_key_says_how_to_plan_and_is_not_given_beside_a_saved_plan(lab: Lab, vastplan: Run) -> None:
    plan(lab, vastplan)
    ran = vastplan("apply", lab.folder / "reviewed.json", *key(lab))
    assert ran.code == 1 and "--review-key cannot be used with a saved plan" in ran.err
