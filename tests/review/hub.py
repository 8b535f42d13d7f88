"""A repository as docs/review.md makes it, on a GitHub of paper, with a machine that may reach its systems."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.review.pipeline import ROOT, WORKFLOWS, Runner, git, remembered

PAGE = (ROOT / "docs" / "review.md").read_text(encoding="utf-8")
RECORDED = {
    "id": "41", "head_branch": "main", "conclusion": "success", "event": "schedule", "created_at": "2026-01-01T00:00:00Z",
    "head_repository": {"full_name": "acme/storage"},
}  # fmt: skip


def storage(folder: Path) -> Path:
    """A document, and the workflows copied from the examples, by the lines of the page."""
    (fence,) = re.findall(r"```sh\n((?:(?!```)[\s\S])*examples/ci/github(?:(?!```)[\s\S])*)```", PAGE)
    product = folder / "vastplan"
    shutil.copytree(ROOT / "examples", product / "examples", ignore=shutil.ignore_patterns(".vastplan"))
    repository = folder / "storage-repo"
    repository.mkdir()
    git(repository, "init")
    words = ["bash", "-euc", fence.replace("VASTPLAN=../vastplan", f"VASTPLAN={product}")]
    subprocess.run(words, cwd=repository, check=True)
    assert (repository / "storage" / "minimal.yaml").is_file() and (repository / "ci" / "connections.yaml").is_file()
    assert {one.name for one in (repository / ".github" / "workflows").iterdir()} == {
        one.name for one in WORKFLOWS.glob("*.yml")
    }
    git(repository, "add", "-A")
    git(repository, "commit", "-m", "storage")
    return repository


class Hub:
    """The repository and what GitHub remembers. `trusted` is where the simulators and the ledger are."""

    def __init__(self, folder: Path, repository: Path) -> None:
        self.folder, self.storage, self.memory = folder, repository, folder / "hub"
        self._jobs = 0
        self.runners: list[Runner] = []
        self.memory.mkdir()
        self.save("runs", [RECORDED])
        self.trusted = folder / "trusted"
        git(folder, "clone", "--branch", "main", str(repository), "trusted")

    def save(self, name: str, value: object) -> None:
        (self.memory / f"{name}.json").write_text(json.dumps(value))

    def workflow(self, file: str, **context: str) -> tuple[int, str]:
        """Run one: `review` on a machine of nobody, the others on one that reaches the systems."""
        self._jobs += 1
        reaches = not file.endswith("review.yml")
        state, brought = self.trusted / "storage" / ".vastplan", []

        def checkout(work: Path) -> None:
            work.rmdir()
            git(self.folder, "clone", "--branch", "main", str(self.storage), str(work))
            if reaches and state.is_dir() and not (work / "storage" / ".vastplan").exists():
                shutil.copytree(state, work / "storage" / ".vastplan")
                brought.append(work / "storage" / ".vastplan")

        main = git(self.storage, "rev-parse", "main")
        self.save("main", main)
        base = {
            "github.token": "a-token", "github.repository": "acme/storage", "github.sha": main, "github.run_id": "42",
            "github.server_url": "https://github.example.com", "github.ref": "refs/heads/main", "github.api_url": "https://api.github.example.com",
        }  # fmt: skip
        if reaches:
            base |= {"secrets.VAST_IAD_TOKEN": "x", "secrets.RUNAI_SECRET": "x", "inputs.allow-delete": ""}
            base |= {"inputs.allow-secret-values": ""}
            base |= {"secrets.VASTPLAN_SIGNING_KEY": "", "secrets.SLACK_WEBHOOK": ""}
        runner = Runner(self.folder / f"runner-{self._jobs}", checkout, self.memory, {**base, **context})
        self.runners.append(runner)
        code = runner.workflow(file)
        if brought:  # what the systems are now, after the last job
            shutil.rmtree(state)
            shutil.copytree(brought[-1], state)
        return code, runner.log

    def pull_request(self) -> tuple[int, str]:
        """The review of the branch `change` as it is now."""
        sha = git(self.storage, "rev-parse", "change")
        for name in ("vastplan-reports",):
            shutil.rmtree(self.memory / "artifacts" / name, ignore_errors=True)
        told = {"number": "7", "head.sha": sha}
        return self.workflow(
            "vastplan-review.yml", **{f"github.event.pull_request.{name}": value for name, value in told.items()}
        )

    def comments(self) -> list[str]:
        return [comment["body"] for comment in remembered(self.memory, "comments")]

    def report(self, name: str) -> str:
        return (self.memory / "artifacts" / "vastplan-reports" / name).read_text()


def applied_and_recorded(folder: Path) -> Hub:
    """Applied once, and recorded by the workflow."""
    hub = Hub(folder, storage(folder))
    words = [sys.executable, "-m", "vastplan", "apply", "storage", "--auto-approve"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}  # this checkout's, from whatever folder
    subprocess.run(words, cwd=hub.trusted, env=env, check=True, capture_output=True)
    code, log = hub.workflow("vastplan-record.yml")
    assert code == 0, log
    return hub


def change(repository: Path, before: str, after: str) -> None:
    """An edit of the document, committed."""
    file = repository / "storage" / "minimal.yaml"
    assert before in file.read_text()
    file.write_text(file.read_text().replace(before, after))
    git(repository, "commit", "-am", "a change")
