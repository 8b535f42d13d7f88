"""Commands that name no document take that of the current folder, and say what lies there where it is not one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.force import by_force

HEAD = "version: 1\nname: %s\nsites: {iad: {sim: {}}}\n"
BY_THEMSELVES = (["validate"], ["plan"], ["apply", "--auto-approve"], ["drift"], ["show", "iad/namespace/tools"], ["ledger", "list"],
                 ["show", "--rights"], ["record", "--out", "s.json"], ["import"], ["export", "skypilot", "--out", "sky"],
                 ["ledger", "move", "iad/namespace/tools", "iad/namespace/new"], ["ledger", "forget", "iad/namespace/tools"],
                 ["ledger", "forget", "--site", "iad"], ["ledger", "forget", "iad/namespace/*", "--dry-run"],
                 ["ledger", "export", "--out", "x.json"], ["ledger", "import", "x.json"], ["ledger", "unlock", "iad"],
                 ["move", "plan", "iad/volume/v", "--to", "pdx"], ["move", "plan", "--to", "pdx", "iad/volume/v"],
                 ["move", "status"], ["move", "status", "1a2b3c4d"], ["move", "status", "iad/volume/v"], ["move", "abort", "1a2b3c4d"],
                 ["restore", "plan", "iad/volume/v", "--snapshot", "s"], ["restore", "status"],
                 ["restore", "abort", "1a2b3c4d"])  # fmt: skip


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
    command = " ".join(words[:2] if words[0] in ("ledger", "move", "restore", "export") else words[:1])
    ways = f"name one (vastplan {command} PATH), or write one (vastplan init)"
    assert ran.err == f"error: no document here: this folder has no .yaml file; {ways}\n"
    (tmp_path / "more.yaml").write_text("namespaces: {tools: {}}\n")
    assert vastplan(*words).err == f"error: no document here: no file here has the key name (more.yaml); {ways}\n"


@pytest.mark.slow
def test_every_command_takes_the_document_of_the_folder(folder: Path, vastplan: Run) -> None:
    assert vastplan("apply", "--auto-approve").code == 0
    ran = vastplan("record", "--out", "s.json")
    assert ran.code == 0 and "of 1 site as" in ran.out, ran
    assert vastplan("import", "--dry-run").code == 0
    assert "nothing to export of site iad" in vastplan("export", "skypilot", "--out", "sky").err
    moved = vastplan("ledger", "move", "iad/namespace/tools", "iad/namespace/new")
    assert moved.out.startswith("iad/namespace/tools is iad/namespace/new\n"), moved
    assert vastplan("ledger", "export", "--out", "x.json").out.startswith("iad/namespace/new\n")
    assert vastplan("ledger", "export", "*/namespace/n*", "--out", "x.json").out.startswith("iad/namespace/new\n")
    assert vastplan("ledger", "unlock", "iad").out == "iad: not locked\n"
    assert "iad/namespace/new left the ledger" in vastplan("ledger", "forget", "iad/namespace/new").out
    assert "not in the document doc, so its next plan would delete it" in vastplan("ledger", "import", "x.json").err
    assert vastplan("move", "status").out == "no move is known\n"
    assert "no restore 1a2b3c4d is known" in vastplan("restore", "status", "1a2b3c4d").err
    assert "no move 1a2b3c4d is known" in vastplan("move", "abort", "1a2b3c4d", "--auto-approve").err
    assert "no site pdx; known: iad" in vastplan("move", "plan", "iad/volume/v", "--to", "pdx").err
    ran = vastplan("restore", "plan", "--snapshot", "s", "iad/volume/v")
    assert "iad/volume/v is not a volume, view, bucket or protected path of this document" in ran.err, ran


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["move", "plan"], "vastplan move plan: ADDRESS is missing"),
        (["move", "plan", "."], "vastplan move plan: ADDRESS is missing"),
        (["move", "plan", "other.yaml"], "vastplan move plan: ADDRESS is missing"),
        (["move", "status", "other.yaml"], "error VP101: cannot read other.yaml"),
        (["move", "status", "./here/is/none"], "error VP101: cannot read here/is/none"),
        (["move", "abort", ".", "iad/volume/v", "more"], "vastplan move abort: more is one argument too many"),
        (["ledger", "move", "iad/view/a"], "vastplan ledger move: NEW is missing"),
        (["ledger", "import", "site.yaml"], "vastplan ledger import: FILE is missing"),
        (["ledger", "import"], "vastplan ledger import: FILE is missing"),
        (["ledger", "unlock"], "vastplan ledger unlock: SITE is missing"),
        (["export", "--out", "sky"], "vastplan export: target is missing"),
        (["move", "run", "../o/back.json"], "../o/back.json cannot be read: No such file or directory"),
        (["restore", "run", "a/b/c.json"], "a/b/c.json cannot be read: No such file or directory"),
        (["show", "a/b/c.json"], "a/b/c.json: no such file (if it is an address: vastplan show . a/b/c.json)"),
        (["show", "a/b/c.yaml"], "a/b/c.yaml: no such file (if it is an address: vastplan show . a/b/c.yaml)"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_missing_is_named(words: list[str], says: str, folder: Path, vastplan: Run) -> None:
    ran = vastplan(*words)
    assert ran.code == 1 and says in ran.err, ran


def test_a_path_that_exists_is_the_document(folder: Path, vastplan: Run) -> None:
    """Also where it could be an address."""
    inner = folder / "iad" / "volume" / "v"
    inner.mkdir(parents=True)
    assert "no .yaml file in iad/volume/v" in vastplan("move", "status", "iad/volume/v").err
    (inner / "site.yaml").write_text(HEAD % "inner")
    assert vastplan("ledger", "unlock", "iad/volume/v", "iad").out == "iad: not locked\n"


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
