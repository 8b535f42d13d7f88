"""From the README to a comment under a pull request: the workflows' steps in order, in clean clones, on a GitHub of paper."""

from __future__ import annotations

import base64
import gzip
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.review.pipeline import ROOT, WORKFLOWS, Runner, git, remembered

README = (ROOT / "README.md").read_text()


@pytest.fixture
def storage(tmp_path: Path) -> Path:
    """A repository as the README makes it: a document, and the workflows copied from the examples."""
    (fence,) = re.findall(r"```sh\n((?:(?!```)[\s\S])*examples/ci/github(?:(?!```)[\s\S])*)```", README)
    product = tmp_path / "vastplan"
    shutil.copytree(ROOT / "examples", product / "examples", ignore=shutil.ignore_patterns(".vastplan"))
    folder = tmp_path / "storage-repo"
    folder.mkdir()
    git(folder, "init")
    subprocess.run(
        ["bash", "-euc", fence.replace("VASTPLAN=../vastplan", f"VASTPLAN={product}")], cwd=folder, check=True
    )
    assert (folder / "storage" / "minimal.yaml").is_file()
    assert {one.name for one in (folder / ".github" / "workflows").iterdir()} == {
        one.name for one in WORKFLOWS.iterdir()
    }
    git(folder, "add", "-A")
    git(folder, "commit", "-m", "storage")
    return folder


class Hub:
    """The repository, a machine that may reach the systems, and what GitHub remembers."""

    def __init__(self, folder: Path, storage: Path) -> None:
        self.folder, self.storage, self.memory = folder, storage, folder / "hub"
        self._jobs = 0
        self.trusted = self.clone("trusted", "main")

    def clone(self, name: str, branch: str) -> Path:
        git(self.folder, "clone", "--branch", branch, str(self.storage), name)
        return self.folder / name

    def job(self, workflow: str, checkout: Path, **context: str) -> tuple[int, str]:
        self._jobs += 1
        base = {
            "github.token": "read-only", "github.repository": "acme/storage", "github.base_ref": "main",
            "secrets.VAST_IAD_TOKEN": "x", "secrets.RUNAI_SECRET": "x",
        }  # fmt: skip
        runner = Runner(self.folder / f"runner-{self._jobs}", checkout, self.memory, {**base, **context})
        return runner.job(workflow), runner.log()

    def pull_request(self, number: int) -> str:
        """Push the branch as it is now, run the review on a clean clone of it, and the comment after that."""
        sha = git(self.storage, "rev-parse", "change")
        (self.memory / "pulls.json").write_text(
            json.dumps([{"number": 7, "label": "someone:change", "head": {"sha": sha}}])
        )
        code, log = self.job("vastplan-review.yml", self.clone(f"pr-{number}", "change"))
        event = {
            "id": "42", "head_repository.owner.login": "someone", "head_branch": "change", "head_sha": sha,
        }  # fmt: skip
        nowhere = self.folder / f"nothing-{number}"
        nowhere.mkdir()
        told = {f"github.event.workflow_run.{name}": value for name, value in event.items()}
        commented, more = self.job("vastplan-comment.yml", nowhere, **told)
        assert commented == 0, more
        return f"{code}\n{log}"


@pytest.fixture
def hub(tmp_path: Path, storage: Path) -> Hub:
    """Applied once, and recorded by the workflow."""
    found = Hub(tmp_path, storage)
    words = [sys.executable, "-m", "vastplan", "apply", "storage", "--auto-approve"]
    subprocess.run(words, cwd=found.trusted, check=True, capture_output=True)
    code, log = found.job("vastplan-record.yml", found.trusted)
    assert code == 0, log
    return found


def change(storage: Path, before: str, after: str) -> None:
    file = storage / "storage" / "minimal.yaml"
    assert before in file.read_text()
    file.write_text(file.read_text().replace(before, after))
    git(storage, "commit", "-am", "a change")


def test_from_the_readme_to_one_comment_that_is_replaced(hub: Hub) -> None:
    git(hub.storage, "checkout", "-b", "change")
    change(hub.storage, "hard_limit: 10 TiB", "hard_limit: 20 TiB")
    assert hub.pull_request(1).startswith("0\n")
    (comment,) = remembered(hub.memory, "comments")
    body = comment["body"]
    assert body.startswith("<!-- vastplan:plan:minimal -->\n") and "**This change: 1 change can go ahead" in body, body
    assert "`10 TiB` → `20 TiB`" in body and "### This change (1)" in body and "Planned from the snapshot" in body
    assert (hub.memory / "artifacts" / "vastplan-reports" / "plan.html").is_file()

    sarif = json.loads(gzip.decompress(base64.b64decode(remembered(hub.memory, "sarif")["sarif"])))
    assert sarif["runs"][0]["tool"]["driver"]["name"] == "vastplan"
    assert remembered(hub.memory, "sarif")["ref"] == "refs/pull/7/head"

    change(hub.storage, "20 TiB", "30 TiB")
    assert hub.pull_request(2).startswith("0\n")
    (comment,) = remembered(hub.memory, "comments")
    assert "`10 TiB` → `30 TiB`" in comment["body"]
    asked = (hub.memory / "asked").read_text()
    assert asked.count("POST repos/acme/storage/issues/7/comments") == 1
    assert asked.count("PATCH repos/acme/storage/issues/comments/100") == 1
    assert (hub.memory / "installed").read_text().splitlines() == ["install vastplan==0.1.0"] * 3


def test_a_document_with_an_error_fails_the_job_and_says_so_in_the_comment(hub: Hub) -> None:
    git(hub.storage, "checkout", "-b", "change")
    change(hub.storage, "hard_limit: 10 TiB", "hard_limt: 10 TiB")
    assert hub.pull_request(1).startswith("1\n")
    (comment,) = remembered(hub.memory, "comments")
    assert re.search(r"\*\*No plan: \d+ errors in the document.\*\*", comment["body"]) and "VP206" in comment["body"]


def test_a_report_that_is_none_is_not_posted_and_a_strangers_comment_stays(hub: Hub, tmp_path: Path) -> None:
    """The artifact was made by a job that the pull request may have rewritten."""
    reports = hub.memory / "artifacts" / "vastplan-reports"
    reports.mkdir()
    (hub.memory / "pulls.json").write_text(
        json.dumps([{"number": 7, "label": "someone:$(id)", "head": {"sha": "abc"}}])
    )
    marker = "<!-- vastplan:plan:minimal -->"
    theirs = {"id": 5, "user": {"login": "mallory"}, "body": f"{marker}\nmine"}
    (hub.memory / "comments.json").write_text(json.dumps([theirs]))
    event = {"id": "42", "head_repository.owner.login": "someone", "head_branch": "$(id)", "head_sha": "abc"}
    told = {f"github.event.workflow_run.{name}": value for name, value in event.items()}
    for first, posted in (("hello", 1), (f"{marker}<b>", 1), (marker, 2)):
        (reports / "plan.md").write_text(f"{first}\nbody\n")
        (reports / "plan.sarif").write_text("{}")
        work = tmp_path / f"work-{first[:5]}-{len(first)}"
        work.mkdir()
        code, log = hub.job("vastplan-comment.yml", work, **told)
        comments = remembered(hub.memory, "comments")
        assert (code == 0) == (posted == 2) and len(comments) == posted and comments[0] == theirs, log


@pytest.mark.parametrize("file", sorted(WORKFLOWS.iterdir()), ids=lambda one: one.name)
def test_rights_are_the_least_and_said(file: Path) -> None:
    whole = yaml.safe_load(file.read_text())
    writes = {name for name, right in whole["permissions"].items() if right != "read"}
    assert writes == ({"pull-requests", "security-events"} if file.stem == "vastplan-comment" else set())
    assert ("secrets." in file.read_text()) == (file.stem == "vastplan-record")
    assert "pull_request_target" not in file.read_text()
    for job in whole["jobs"].values():
        assert "timeout-minutes" in job
        for step in job["steps"]:
            assert "${{" not in step.get("run", "")


def test_they_fit_the_schemas_of_github_and_gitlab() -> None:
    github = [str(one) for one in WORKFLOWS.iterdir()]
    gitlab = [str(ROOT / "examples" / "ci" / "gitlab" / ".gitlab-ci.yml")]
    more = ["--data-transform", "gitlab-ci"]
    for which, files in (("github-workflows", github), ("gitlab-ci", [*more, *gitlab])):
        words = ["--builtin-schema", f"vendor.{which}", *files]
        done = subprocess.run(
            [sys.executable, "-m", "check_jsonschema", *words], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, shlex.join(words) + done.stdout + done.stderr
