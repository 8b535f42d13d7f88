"""Commands that name no document take that of the current folder, and say what lies there where it is not one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.force import by_force

HEAD = "version: 1\nname: %s\nsites: {iad: {sim: {}}}\n"
BY_THEMSELVES = (["validate"], ["plan"], ["apply", "--auto-approve"], ["drift"], ["show", "iad/namespace/tools"], ["ledger", "list"],
                 ["show", "--rights"])  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A document in two files."""
    (tmp_path / "site.yaml").write_text(HEAD % "doc")
    (tmp_path / "more.yml").write_text("namespaces: {tools: {}}\n")
    return tmp_path


@pytest.mark.slow
def test_the_document_of_the_folder(folder: Path, vastplan: Run) -> None:
    assert "doc is valid: 1 object of" in vastplan("validate").out
    assert vastplan("plan", "--out", "plan.json").code == 0
    assert vastplan("apply", "plan.json").code == 0
    assert vastplan("plan", "--detailed-exitcode").code == 0
    assert vastplan("apply", "--auto-approve").code == 0
    assert vastplan("drift").code == 0
    assert vastplan("show", "iad/namespace/tools", "--format", "json").code == 0
    assert vastplan("show", "--rights").code == 0
    assert vastplan("show", "plan.json", "iad/namespace/tools").code == 0
    rows = vastplan("ledger", "list", "--format", "json")
    assert [row["address"] for row in json.loads(rows.out)["owned"]] == ["iad/namespace/tools"]
    assert vastplan("ledger", "list", "iad").out == vastplan("ledger", "list", ".", "iad").out
    wrong = vastplan("ledger", "list", "pdx")
    assert wrong.code == 1 and "no site pdx (known: iad)" in wrong.err
    assert vastplan("ledger", "list", "site.yml").err.startswith("error VP101: cannot read site.yml")


def test_a_mistake_in_it_is_said_as_ever(folder: Path, vastplan: Run) -> None:
    (folder / "more.yml").write_text("namespace: {tools: {}}\n")
    for words in BY_THEMSELVES:
        assert vastplan(*words).err.startswith("more.yml:1:1: error VP206"), words
    (folder / "more.yml").write_text("namespaces: {tools: {\n")
    assert "more.yml:2:1: error" in vastplan("plan").err


@pytest.mark.parametrize("words", by_force(BY_THEMSELVES), ids=" ".join)
def test_no_document(words: list[str], tmp_path: Path, vastplan: Run) -> None:
    ran = vastplan(*words)
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    command = "ledger list" if words[0] == "ledger" else words[0]
    ways = f"name one (vastplan {command} PATH), or write one (vastplan init)"
    assert ran.err == f"error: no document here: this folder has no .yaml file; {ways}\n"
    (tmp_path / "more.yaml").write_text("namespaces: {tools: {}}\n")
    assert vastplan(*words).err == f"error: no document here: no file here has the key name (more.yaml); {ways}\n"


def test_several_documents_are_named(folder: Path, vastplan: Run) -> None:
    (folder / "an other.yaml").write_text(HEAD % "second")
    ran = vastplan("plan", "--format", "json")
    text = "2 documents here: 'an other.yaml' (second), site.yaml (doc); say which: vastplan plan 'an other.yaml'"
    assert (ran.code, ran.err) == (1, f"error: {text}\n")
    assert json.loads(ran.out)["error"] == text
    assert vastplan("validate", "an other.yaml").code == 0


@pytest.mark.parametrize(
    "text", ["version: 1\napprovals: []\n", "version: 1\nsites: {iad: {sim: {}}}\n", "apiVersion: v1\nname: x\n"]
)
def test_what_is_no_part_of_it_is_named(text: str, folder: Path, vastplan: Run) -> None:
    (folder / "beside.yaml").write_text(text)
    assert vastplan("drift").err == (
        "error: beside the document site.yaml (doc) there are files that are not part of it: beside.yaml; "
        "keep them in another folder, or type: vastplan drift site.yaml\n"
    )


def test_show_by_itself_says_what_it_needs(folder: Path, vastplan: Run) -> None:
    ran = vastplan("show")
    assert (
        ran.code == 1 and "show needs a saved plan (vastplan show PLAN), or an address of the document here" in ran.err
    )


def test_what_needs_no_document_needs_none(vastplan: Run) -> None:
    assert vastplan("validate", "--list-checks").code == 0
    assert vastplan("validate", "--explain", "REP-17").code == 0
