"""The GitLab pipeline's scripts, run as its runner would on a GitLab of paper: from a record to a note, and to an apply."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.review.hub import change, storage
from tests.review.pipeline import EXAMPLES, ROOT, git

(FILE,) = (EXAMPLES / "gitlab").glob("*.yml")
PIPELINE: dict[str, Any] = yaml.safe_load(FILE.read_text())


def script(job: str) -> str:
    """The lines of a job; a list within the list is an anchor's."""
    lines = [more for line in PIPELINE[job]["script"] for more in (line if isinstance(line, list) else [line])]
    return "\n".join(lines)


class Lab:
    """A repository with the examples in it, and one runner that reaches its systems."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.repository = folder, storage(folder)
        self.hub, self.state = folder / "hub", folder / "state"
        self.hub.mkdir()
        self.project = folder / "project"
        self.project.mkdir()
        programs = folder / "bin"
        programs.mkdir()
        # What is simulated is kept beside the document, which here is taken out of git for each job.
        here = "storage/.vastplan"
        bring = f'[ "$1" = plan ] || {{ rm -rf {here}; cp -a {self.state} {here}; }}; env > {self.hub}/environment; code=0; '
        keep = f'; [ "$1" = plan ] || {{ rm -rf {self.state}; cp -a {here} {self.state}; }}; exit $code'
        for name, line in (
            ("vastplan", f'{bring}{sys.executable} -P -m vastplan "$@" || code=$?{keep}'),
            ("curl", f'exec {sys.executable} -P {Path(__file__).with_name("curl.py")} "$@"'),
            ("jq", f'exec {sys.executable} -P {Path(__file__).with_name("jq_stand_in.py")} "$@"'),
        ):
            (programs / name).write_text(f"#!/bin/sh\n{line}\n")
            (programs / name).chmod(0o755)
        self.state.mkdir()
        self.programs = programs

    def job(self, name: str, ref: str = "main") -> subprocess.CompletedProcess[str]:
        """Run one job; what it leaves in the project's folder is its artifacts."""
        temp = self.folder / f"temp-{name}"
        shutil.rmtree(temp, ignore_errors=True)
        temp.mkdir()
        git(self.repository, "update-ref", "refs/merge-requests/7/head", ref)
        given = {
            "PATH": f"{self.programs}:{os.environ['PATH']}", "HOME": str(self.folder), "TMPDIR": str(temp), "HUB": str(self.hub),
            "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
            "CI_REPOSITORY_URL": str(self.repository), "CI_DEFAULT_BRANCH": "main", "CI_PROJECT_DIR": str(self.project),
            "CI_JOB_TOKEN": "job-token", "CI_API_V4_URL": "https://gitlab.example.com/api/v4", "CI_PROJECT_ID": "1",
            "CI_MERGE_REQUEST_IID": "7", "CI_COMMIT_SHA": git(self.repository, "rev-parse", ref),
            "CI_PIPELINE_URL": "https://gitlab.example.com/p/1", **PIPELINE["variables"],
        }  # fmt: skip
        if name == "note":
            given["VASTPLAN_NOTE_TOKEN"] = "note-token"
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script(name)], cwd=self.project, env=given,
            capture_output=True, text=True, check=False, timeout=180,
        )  # fmt: skip
        if name == "record":
            (self.project / "snapshot.json").rename(self.hub / "snapshot.json")
        return done

    def notes(self) -> list[str]:
        return [note["body"] for note in json.loads((self.hub / "notes.json").read_text())]


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    found = Lab(tmp_path)
    done = found.job("record")
    assert done.returncode == 0, done
    git(found.repository, "checkout", "-q", "-b", "change")
    return found


@pytest.mark.slow
def test_a_merge_request_has_one_note_and_a_merge_is_applied(lab: Lab) -> None:
    change(lab.repository, "hard_limit: 10 TiB", "hard_limit: 20 TiB")
    for size in ("20 TiB", "30 TiB"):
        if size == "30 TiB":
            change(lab.repository, "20 TiB", size)
        done = lab.job("review", "change")
        assert done.returncode == 0, done
        done = lab.job("note", "change")
        assert done.returncode == 0, done
        (note,) = lab.notes()
        assert note.startswith("<!-- vastplan review of storage -->\nOf ") and size in note, note
    assert "token" not in (lab.hub / "environment").read_text().replace("job-token", "")
    git(lab.repository, "checkout", "-q", "main")
    git(lab.repository, "merge", "-q", "change")
    for job in ("merged", "apply"):
        done = lab.job(job)
        assert done.returncode == 0, done
    assert lab.job("record").returncode == 0
    done = lab.job("merged")
    assert done.returncode == 0 and "no changes" in (lab.project / "reviewed" / "plan.txt").read_text(), done
    # what was approved is of that commit, and of no other
    change(lab.repository, "30 TiB", "40 TiB")
    done = lab.job("apply", "main~1")
    assert done.returncode == 5 and "main has moved on" in done.stdout, done
    done = lab.job("apply")
    assert done.returncode == 5 and "Refused" in done.stdout, done


@pytest.mark.slow
def test_files_of_a_branch_are_not_taken_and_a_change_of_ci_is_said(lab: Lab) -> None:
    change(lab.repository, "hard_limit: 10 TiB", "hard_limit: 20 TiB")
    for name in ("ci/document.sh", ".gitlab-ci.yml", "vastplan.py", "sitecustomize.py"):
        (lab.repository / name).write_text(f"#!/bin/sh\ntouch {lab.folder}/pwned\n")
    git(lab.repository, "add", "-A")
    git(lab.repository, "commit", "-q", "-m", "from a branch")
    assert lab.job("review", "change").returncode == 0
    assert lab.job("note", "change").returncode == 0
    assert lab.notes()[0].splitlines()[1].startswith("**This merge request also changes what runs with credentials")
    assert not (lab.folder / "pwned").exists()
    assert not list(lab.folder.glob("temp-*/**/sitecustomize.py"))


@pytest.mark.slow
def test_a_link_is_refused_in_the_note(lab: Lab) -> None:
    (lab.repository / "storage" / "x.yaml").symlink_to("/etc/passwd")
    git(lab.repository, "add", "-A")
    git(lab.repository, "commit", "-q", "-m", "a link")
    assert lab.job("review", "change").returncode == 1
    assert lab.job("note", "change").returncode == 0
    (note,) = lab.notes()
    assert "**No plan.** The folder of the document is refused: a file in it is a link or a submodule." in note


def test_who_has_what() -> None:
    text = FILE.read_text()
    for job in ("review", "merged"):
        assert "NOTE_TOKEN" not in script(job) and "environment" not in PIPELINE[job]
    for job in ("record", "apply"):
        assert PIPELINE[job]["environment"] and all(
            "CI_DEFAULT_BRANCH" in rule["if"] for rule in PIPELINE[job]["rules"]
        )
    assert PIPELINE["variables"]["GIT_STRATEGY"] == "none"
    assert "CI_MERGE_REQUEST_TITLE" not in text and "CI_COMMIT_MESSAGE" not in text and "eval" not in text
