"""From docs/review.md to a comment under a pull request and to an apply: the workflows' steps in order, on a GitHub of paper."""

from __future__ import annotations

import base64
import gzip
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.review.hub import Hub, applied_and_recorded, change
from tests.review.pipeline import EXAMPLES, ROOT, WORKFLOWS, git, remembered
from tests.trust.test_signatures import keys

INSTALL = (
    "--isolated install --require-hashes --only-binary :all: --index-url https://pypi.example.com/simple/ "
    "-r ci/requirements.txt"
)
FILES = sorted(WORKFLOWS.glob("*.yml"))


@pytest.fixture
def hub(tmp_path: Path) -> Hub:
    found = applied_and_recorded(tmp_path)
    git(found.storage, "checkout", "-b", "change")
    return found


def merge(hub: Hub) -> None:
    git(hub.storage, "checkout", "main")
    git(hub.storage, "merge", "--no-ff", "-m", "merged", "change")
    git(hub.trusted, "pull", "-q")


@pytest.mark.slow
def test_from_the_readme_to_one_comment_that_is_replaced(hub: Hub) -> None:
    change(hub.storage, "hard_limit: 10 TiB", "hard_limit: 20 TiB")
    code, log = hub.pull_request()
    assert code == 0, log
    (body,) = hub.comments()
    assert body.startswith("<!-- vastplan review of storage -->\nOf "), body
    assert git(hub.storage, "rev-parse", "change") in body and git(hub.storage, "rev-parse", "main") in body
    assert "**This change: 1 change can be applied" in body and "also changes what runs" not in body
    assert "`10 TiB` → `20 TiB`" in body and "### This change (1)" in body and "Planned from the snapshot" in body
    assert hub.report("plan.html")

    sarif = json.loads(gzip.decompress(base64.b64decode(remembered(hub.memory, "sarif")["sarif"])))
    assert sarif["runs"][0]["tool"]["driver"]["name"] == "vastplan"
    assert remembered(hub.memory, "sarif")["ref"] == "refs/pull/7/head"

    change(hub.storage, "20 TiB", "30 TiB")
    code, log = hub.pull_request()
    (body,) = hub.comments()
    assert code == 0 and "`10 TiB` → `30 TiB`" in body, log
    asked = (hub.memory / "asked").read_text()
    assert asked.count("POST repos/acme/storage/issues/7/comments") == 1
    assert asked.count("PATCH repos/acme/storage/issues/comments/100") == 1
    assert (hub.memory / "installed").read_text().splitlines() == [INSTALL] * 3


@pytest.mark.slow
def test_a_document_with_an_error_fails_the_job_and_says_so_in_the_comment(hub: Hub) -> None:
    change(hub.storage, "hard_limit: 10 TiB", "hard_limt: 10 TiB")
    code, log = hub.pull_request()
    (body,) = hub.comments()
    assert code == 1 and re.search(r"\*\*No plan: \d+ errors? in the document.\*\*", body) and "VP206" in body, log


@pytest.mark.slow
def test_what_is_planned_is_the_merge_and_a_conflict_is_said(hub: Hub) -> None:
    change(hub.storage, "hard_limit: 10 TiB", "hard_limit: 20 TiB")
    git(hub.storage, "checkout", "main")
    change(hub.storage, "gpus: {default: 4}", "gpus: {default: 2}")
    code, log = hub.pull_request()
    (body,) = hub.comments()
    assert code == 0 and "### This change (1)" in body and "### Pending before this change (1)" in body, log
    change(hub.storage, "hard_limit: 10 TiB", "hard_limit: 12 TiB")
    code, log = hub.pull_request()
    (body,) = hub.comments()
    assert code == 1 and "**No plan.** It cannot be merged into main without conflicts." in body, log


@pytest.mark.slow
def test_a_comment_of_somebody_else_stays(hub: Hub) -> None:
    theirs = {"id": 5, "user": {"login": "mallory"}, "body": "<!-- vastplan review of storage -->\nmine"}
    hub.save("comments", [theirs])
    change(hub.storage, "hard_limit: 10 TiB", "hard_limit: 20 TiB")
    hub.pull_request()
    assert len(hub.comments()) == 2 and remembered(hub.memory, "comments")[0] == theirs


@pytest.mark.slow
def test_what_was_merged_is_planned_approved_and_applied(hub: Hub) -> None:
    change(hub.storage, "hard_limit: 10 TiB", "hard_limit: 20 TiB")
    merge(hub)
    code, log = hub.workflow("vastplan-apply.yml")
    runner = hub.runners[-1]
    assert code == 0 and runner.results == {"plan": 0, "tell": 0, "apply": 0}, log
    assert "`10 TiB` → `20 TiB`" in (runner.home / "plan" / "summary").read_text()
    assert "**Applied.**" in (runner.home / "apply" / "summary").read_text()
    # what is approved is planned with nothing that opens a system
    job = yaml.safe_dump(yaml.safe_load((WORKFLOWS / "vastplan-apply.yml").read_text())["jobs"]["plan"])
    assert re.findall(r"secrets\.\w+", job) == ["secrets.VASTPLAN_SIGNING_KEY"]
    # there is nothing left to do, and nobody is asked
    assert hub.workflow("vastplan-record.yml")[0] == 0
    code, log = hub.workflow("vastplan-apply.yml")
    assert code == 0 and hub.runners[-1].results == {"plan": 0} and "Nothing to change." in log


@pytest.mark.slow
def test_what_was_approved_is_signed(hub: Hub) -> None:
    """With a key in the environment and its public half in the repository nobody changes the plan between the jobs."""
    key, public = keys(hub.folder)
    (hub.storage / "ci" / "plan.pub").write_bytes(public.read_bytes())
    git(hub.storage, "add", "ci/plan.pub")
    change(hub.storage, "hard_limit: 10 TiB", "hard_limit: 20 TiB")
    merge(hub)
    code, log = hub.workflow("vastplan-apply.yml")
    assert code == 1 and "is not signed" in applied_text(hub), log
    signing = {"secrets.VASTPLAN_SIGNING_KEY": key.read_text()}
    code, log = hub.workflow("vastplan-apply.yml", **signing)
    assert code == 0 and hub.runners[-1].results == {"plan": 0, "tell": 0, "apply": 0}, log
    assert "PRIVATE" not in log and not list((hub.memory / "artifacts").rglob("*.key"))


def applied_text(hub: Hub) -> str:
    """What the apply said."""
    return (hub.memory / "artifacts" / "vastplan-applied" / "applied.txt").read_text()


@pytest.mark.slow
def test_an_apply_is_of_what_was_approved_or_is_refused(hub: Hub) -> None:
    change(hub.storage, "hard_limit: 10 TiB", "hard_limit: 20 TiB")
    merge(hub)
    assert hub.workflow("vastplan-apply.yml")[0] == 0
    # the snapshot is of before: what was approved is not what would be done now
    change(hub.storage, "hard_limit: 20 TiB", "hard_limit: 30 TiB")
    git(hub.trusted, "pull", "-q")
    code, log = hub.workflow("vastplan-apply.yml")
    assert code == 5 and "Refused: the systems are not as they were approved" in log, log
    assert (
        "another change than the reviewed one"
        in (hub.memory / "artifacts" / "vastplan-applied" / "applied.txt").read_text()
    )


@pytest.mark.slow
def test_a_rotated_secret_takes_a_run_that_names_it(hub: Hub) -> None:
    (hub.storage / "storage" / "csi-password").write_text("another-password-4711\n")
    git(hub.storage, "commit", "-am", "rotated")
    merge(hub)
    code, log = hub.workflow("vastplan-apply.yml")
    assert code == 0 and hub.runners[-1].results == {"plan": 0} and "Nothing to change." in log, log
    named = {"inputs.allow-secret-values": "lab/secret/vast-mgmt"}
    code, log = hub.workflow("vastplan-apply.yml", **named)
    assert code == 0 and hub.runners[-1].results == {"plan": 0, "tell": 0, "apply": 0} and "4711" not in log, log
    assert (
        "other values of the secrets of lab/secret/vast-mgmt" in (hub.runners[-1].home / "plan" / "summary").read_text()
    )
    applied = (hub.memory / "artifacts" / "vastplan-applied" / "applied.txt").read_text()
    assert "lab/secret/vast-mgmt" in applied and "4711" not in applied
    # what else somebody merges with the next one is refused no more
    change(hub.storage, "hard_limit: 10 TiB", "hard_limit: 20 TiB")
    merge(hub)
    code, log = hub.workflow("vastplan-apply.yml")
    assert code == 0 and hub.runners[-1].results == {"plan": 0, "tell": 0, "apply": 0}, log


@pytest.mark.slow
def test_an_apply_of_a_commit_that_is_not_the_last_is_refused(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    change(hub.storage, "hard_limit: 10 TiB", "hard_limit: 20 TiB")
    merge(hub)
    save = hub.save
    monkeypatch.setattr(hub, "save", lambda name, value: save(name, "0" * 40 if name == "main" else value))
    code, log = hub.workflow("vastplan-apply.yml")
    assert code == 5 and "main has moved on" in log and not (hub.memory / "artifacts" / "vastplan-applied").exists(), (
        log
    )


@pytest.mark.slow
def test_a_delete_waits_for_a_run_that_names_it(hub: Hub) -> None:
    change(
        hub.storage,
        "    storage_class: {driver: file, allow_volume_expansion: true, storage_path: /team-a/k8s, secret: vast-mgmt}\n",
        "",
    )
    file = hub.storage / "storage" / "minimal.yaml"
    file.write_text(file.read_text().split("    volumes:")[0])
    git(hub.storage, "commit", "-am", "no class")
    merge(hub)
    code, log = hub.workflow("vastplan-apply.yml")
    assert code == 3 and "Applied but for what is blocked" in log, log
    assert "blocked" in (hub.memory / "artifacts" / "vastplan-applied" / "applied.txt").read_text()


@pytest.mark.parametrize("file", FILES, ids=lambda one: one.name)
def test_rights_are_the_least_and_said(file: Path) -> None:
    text = file.read_text()
    whole = yaml.safe_load(text)
    events = whole[True]  # YAML 1.1 takes `on` for a boolean
    assert whole["permissions"] == {} and "pull_request" not in events
    assert ("pull_request_target" in events) == (file.stem == "vastplan-review")
    writes = {
        (name, right)
        for name, job in whole["jobs"].items()
        for right, how in job["permissions"].items()
        if how == "write"
    }
    allowed = {
        "vastplan-review": {("comment", "pull-requests"), ("findings", "security-events")},
        "vastplan-drift": {("tell", "issues")},
    }
    assert writes == allowed.get(file.stem, set())
    for name, job in whole["jobs"].items():
        secrets, environment = "secrets." in yaml.safe_dump(job), job.get("environment")
        assert secrets == bool(environment), name
        assert "timeout-minutes" in job
        for right in job["permissions"]:
            assert re.search(rf"^ +{right}: (read|write) # \S", text, re.MULTILINE), f"nobody says why {right} is there"
        for step in job["steps"]:
            run = step.get("run", "")
            assert "${{" not in run
            assert "pip" not in run or INSTALL.replace("https://pypi.example.com/simple/", '"$INDEX"') in run
            if re.search(r"\bvastplan (plan|record|apply) ", run):
                assert "ci/connections.yaml" in run, "an address may come from the document"


def test_no_example_installs_by_a_bare_name_or_takes_an_address_from_the_document() -> None:
    for file in (one for one in EXAMPLES.rglob("*") if one.is_file()):
        text = "\n".join(line for line in file.read_text().splitlines() if not line.lstrip().startswith("#"))
        for line in text.splitlines():
            if "pip" in line and "install" in line:
                assert "--require-hashes --only-binary :all:" in line and "requirements.txt" in line, (file, line)
            if re.match(r"\s*(FROM|image:)\s", line):
                assert re.search(r"@sha256:[0-9a-f]{64}", line), (file, line)


@pytest.mark.slow
def test_they_fit_the_schemas_of_github_and_gitlab() -> None:
    github = [str(one) for one in FILES]
    gitlab = [str(one) for one in sorted((EXAMPLES / "gitlab").glob("*.yml"))]
    more = ["--data-transform", "gitlab-ci"]
    assert len(github) == 4 and gitlab
    for which, files in (("github-workflows", github), ("gitlab-ci", [*more, *gitlab])):
        words = ["--builtin-schema", f"vendor.{which}", *files]
        done = subprocess.run(
            [sys.executable, "-m", "check_jsonschema", *words], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, shlex.join(words) + done.stdout + done.stderr


@pytest.mark.slow
def test_scripts_are_bash_that_can_be_read() -> None:
    """`bash -n` of every script, so that one in a branch that no test takes is read too; `make ci-lint` looks closer."""
    for file in FILES:
        for job in yaml.safe_load(file.read_text())["jobs"].values():
            for step in job["steps"]:
                subprocess.run(["bash", "-n"], input=step.get("run", ""), text=True, check=True)
    subprocess.run(["bash", "-n", str(EXAMPLES / "trusted" / "document.sh")], check=True)
    assert (ROOT / "examples" / "ci" / "trusted" / "document.sh").stat().st_mode & 0o111
