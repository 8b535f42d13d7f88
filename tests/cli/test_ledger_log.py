"""`vastplan ledger log`: who applied what, when, from which commit, under whose approval, and how it ended."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_ledger import HEAD, TENANT, V, X, refused, whole
from tests.cli.test_renames import Document
from tests.conftest import Run
from vastplan.ledger import events
from vastplan.ledger.file import FileLedger
from vastplan.model.site_ledger import Intent, LoggedChange, LoggedRun

__all__ = ["whole"]
PEOPLE = ("GITHUB_ACTOR", "GITLAB_USER_LOGIN", "GITHUB_SHA", "CI_COMMIT_SHA")


@pytest.fixture(autouse=True)
def _at_a_desk(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PEOPLE:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("USER", "dana")
    monkeypatch.setattr("socket.gethostname", lambda: "desk")


def log(document: Document, *words: object) -> dict[str, Any]:
    """The log as JSON."""
    ran = document.run("ledger", "log", document.file, *words, "--format", "json")
    assert ran.code == 0, ran
    value: dict[str, Any] = json.loads(ran.out)
    return value


def git(folder: Path, *words: str) -> str:
    name = ("-c", "user.name=d", "-c", "user.email=d@example.com", "-c", "init.defaultBranch=main")
    done = subprocess.run(["git", *name, *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_every_command_that_changes_the_ledger_is_in_it_the_newest_first(whole: Document) -> None:
    whole.edit(("quota: {hard_limit: 1 TiB}", "quota: {hard_limit: 2 TiB}"))
    whole.apply()
    assert whole.run("ledger", "move", whole.file, "iad/view/x", "iad/view/y").code == 0
    export = ("ledger", "export", whole.file, "iad/view/y", "--out", whole.file.with_name("y.json"), "--forget")
    assert whole.run(*export).code == 0
    whole.edit(("  x: {", "  y: {"))
    assert whole.run("ledger", "import", whole.file, whole.file.with_name("y.json")).code == 0
    runs = log(whole)["runs"]
    shown = [(run["command"], run["ending"], run["sites"][0]["before"], run["sites"][0]["after"]) for run in runs]
    assert shown == [
        ("ledger import", "done", 4, 5), ("ledger forget", "done", 3, 4), ("ledger move", "done", 2, 3),
        ("apply", "done", 1, 2), ("apply", "done", 0, 1),
    ]  # fmt: skip
    assert {run["who"] for run in runs} == {"dana@desk"}
    changes = [[(change["verb"], change["address"]) for change in run["changes"]] for run in runs]
    assert changes[:4] == [
        [("import", "iad/view/y")], [("forget", "iad/view/y")], [("move", "iad/view/x → iad/view/y")],
        [("update", "iad/quota/v")],
    ]  # fmt: skip
    assert runs[4]["counts"] == {"create": {"done": len(changes[4])}} and len(changes[4]) > 3
    text = whole.run("ledger", "log", whole.file, "--limit", "2").out
    assert re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC ledger import by dana@desk id [0-9a-f]{12}\n", text)
    assert "  done: import 1; serial iad 4 → 5\n  import iad/view/y\n" in text
    assert text.endswith("3 more runs: --limit N shows more.\n")


def test_an_address_or_a_pattern_chooses_and_a_limit_is_a_number_of_runs(whole: Document) -> None:
    assert whole.run("ledger", "move", whole.file, "iad/view/x", "iad/view/y").code == 0
    assert [run["command"] for run in log(whole, "iad/view/y")["runs"]] == ["ledger move"]
    assert len(log(whole, "iad/view/*")["runs"]) == 2 and log(whole, "pdx/*")["runs"] == []
    assert whole.run("ledger", "log", whole.file, "pdx/*").out == "no run is recorded\n"
    assert len(log(whole, "--site", "iad")["runs"]) == 2
    refused(whole.run("ledger", "log", whole.file, "--limit", "0"), "--limit is 0, and is at least 1")
    refused(whole.run("ledger", "log", whole.file, "--site", "mars"), "VP202: no site mars")


def test_one_run_on_two_sites_is_one_entry(tmp_path: Path, vastplan: Run) -> None:
    text = "version: 1\nname: a\nsites: {iad: {sim: {}}, pdx: {sim: {}}}\ntenants: {t: {}}\n"
    document = Document(tmp_path, vastplan, text)
    document.apply()
    (run,) = log(document)["runs"]
    assert [site["site"] for site in run["sites"]] == ["iad", "pdx"] and run["counts"] == {"create": {"done": 2}}


def test_the_commit_is_that_of_the_checkout_and_edits_are_said(tmp_path: Path, vastplan: Run) -> None:
    document = Document(tmp_path, vastplan, HEAD.format(name="a") + TENANT + "views:\n" + V)
    document.apply()
    git(tmp_path, "init", "-q")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "before")
    document.edit(("/v,", "/w,"))
    assert log(document)["runs"][0]["commit"] == ""
    document.edit(("path: /w", "path: /v"), ("1 TiB", "2 TiB"))
    document.apply()
    assert log(document)["runs"][0]["commit"] == "", "a checkout that does not have the document"
    git(tmp_path, "add", document.file.name)
    git(tmp_path, "commit", "-q", "-m", "document")
    commit = git(tmp_path, "rev-parse", "HEAD")
    document.edit(("2 TiB", "3 TiB"))
    document.apply()
    assert log(document)["runs"][0]["commit"] == f"{commit}+edits"
    git(tmp_path, "commit", "-q", "-am", "three")
    document.edit(("views:\n", "views:\n" + X))
    git(tmp_path, "commit", "-q", "-am", "x")
    document.apply()
    assert log(document)["runs"][0]["commit"] == git(tmp_path, "rev-parse", "HEAD")
    shown = document.run("ledger", "log", document.file, "--limit", "2").out
    assert f" from {commit[:12]}+edits plan " in shown


def test_a_checkout_runs_nothing(tmp_path: Path, vastplan: Run) -> None:
    document = Document(tmp_path, vastplan, HEAD.format(name="a") + TENANT)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", document.file.name)
    git(tmp_path, "commit", "-q", "-m", "document")
    ran = tmp_path / "ran"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\necho \"$0\" >> '{ran}'\ncat\n")
    script.chmod(0o755)
    (tmp_path / ".gitattributes").write_text("* filter=f diff=f\n")
    for key in ("core.fsmonitor", "core.pager", "filter.f.clean", "filter.f.smudge", "filter.f.process", "diff.f.command",
                "diff.f.textconv", "core.sshCommand", "core.editor", "alias.rev-parse", "alias.ls-tree"):  # fmt: skip
        git(tmp_path, "config", key, str(script))
    (tmp_path / ".git" / "hooks").mkdir(exist_ok=True)
    for hook in ("post-index-change", "reference-transaction", "post-checkout"):
        (tmp_path / ".git" / "hooks" / hook).symlink_to(script)
    document.file.write_text(document.text + "# edited\n")
    document.apply()
    assert log(document)["runs"][0]["commit"].endswith("+edits") and not ran.exists()


@pytest.mark.parametrize(
    ("variables", "who", "commit"),
    [
        ({"GITHUB_ACTOR": "lee", "GITHUB_SHA": "a" * 40}, "lee (GitHub)", "a" * 40),
        ({"GITLAB_USER_LOGIN": "lee", "CI_COMMIT_SHA": "b" * 40}, "lee (GitLab)", "b" * 40),
        ({"GITHUB_ACTOR": "\x1b[2J::stop", "GITHUB_SHA": "; rm"}, "\\x1b[2J::stop (GitHub)", ""),
    ],
)
def test_a_pipeline_says_for_whom_and_from_what(
    variables: dict[str, str], who: str, commit: str, tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    document = Document(tmp_path, vastplan, HEAD.format(name="a") + TENANT)
    document.apply()
    (run,) = log(document)["runs"]
    assert (run["who"], run["commit"]) == (who, commit)


def test_a_run_that_was_cut_off_shows_what_it_had_done_and_one_that_runs_says_so(whole: Document) -> None:
    changes = {"iad/view/v": LoggedChange("delete"), "iad/view/x": LoggedChange("update")}
    run = LoggedRun("apply", "2030-01-01T00:00:00+00:00", "lee\x07", plan="p").ending("", changes)
    meant = {address: Intent(change.verb) for address, change in changes.items()}
    session = FileLedger(whole.file.parent / "a-ledger", "a").open("iad", "lee")
    session.record(events.begin_event("p", meant, run.at, None, run), events.drop_event("iad/view/v"))
    (first, *_) = log(whole)["runs"]
    assert first["ending"] == "running"
    session._journal_file.close()  # the process dies; nothing is folded
    session._lock.release()
    (first, *_) = log(whole)["runs"]
    assert (first["ending"], first["ended"], first["counts"]) == (
        "cut off",
        "",
        {"delete": {"done": 1}, "update": {"": 1}},
    )
    text = whole.run("ledger", "log", whole.file, "--limit", "1").out
    assert text.startswith(
        "2030-01-01 00:00:00 UTC apply by lee\\x07 plan p\n"
        "  cut off: delete 1, update 1 (1 not known); serial iad 1 → 2\n"
        "    - iad/view/v\n    ~ iad/view/x  not known\n"
    )


def test_what_fell_out_is_counted(whole: Document) -> None:
    session = FileLedger(whole.file.parent / "a-ledger", "a").open("iad", "lee")
    for number in range(105):
        run = LoggedRun("apply", f"2030-01-01T00:00:00+00:00.{number}", "lee").ending("now", {})
        session.record(events.begin_event("", {}, "now", None, run))
    session.close()
    found = log(whole)
    assert (len(found["runs"]), found["more"], found["older"]) == (20, 80, {"iad": 6})
    assert whole.run("ledger", "log", whole.file).out.endswith("iad: 6 older changes, no longer in the history.\n")


def test_approvals_that_were_used_are_named_with_who_gave_them(whole: Document) -> None:
    """And what is deleted comes first, whatever its name."""
    approvals = whole.file.parent / "ok" / "approvals.yaml"
    approvals.parent.mkdir()
    entry = "  - {address: %s, reason: no longer used, by: lee, until: 2999-01-01, max_used: 1 TiB}\n"
    approvals.write_text("version: 1\napprovals:\n" + entry % "iad/view/x" + entry % "iad/view/v")
    whole.edit((X, ""), ("1 TiB", "2 TiB"))
    words = ("--auto-approve", "--allow-delete", "iad/view/x", "--approvals", approvals)
    ran = whole.run("apply", whole.file, *words)
    assert ran.code == 0, ran
    (run, *_) = log(whole)["runs"]
    assert [(change["verb"], change["address"]) for change in run["changes"]] == [
        ("delete", "iad/view/x"), ("update", "iad/quota/v"),
    ]  # fmt: skip
    assert run["approvals"] == [{"address": "iad/view/x", "reason": "no longer used", "by": "lee"}]
    assert "  approved by lee: iad/view/x: no longer used\n" in whole.run("ledger", "log", whole.file).out


def test_a_snapshot_has_no_history(whole: Document) -> None:
    snapshot = whole.file.parent / "s.json"
    assert whole.run("record", whole.file, "--out", snapshot).code == 0
    assert "dana@desk" not in snapshot.read_text()
