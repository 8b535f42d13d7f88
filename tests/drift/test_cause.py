"""Which side moved: a hand is blamed for what a hand did, and for nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.drift.stage import Hands, an_hour_ago

PROJECT = "projects: {p2: {tenant: team-a, department: research, gpus: {default: 1}, sites: [iad]}}\n"
SECRET = "secrets: {s: {namespace: tools, sites: [iad], data: {username: {file: u}, password: {file: u}, endpoint: {file: u}}}}\n"
CLASS = "    storage_class: {driver: file, storage_path: /k, secret: s, vip_pool_fqdn: v.example.com, sites: [iad]}\n"
POLICY = "iad/admission_policy/vastplan-team-a"


def _applied(folder: Path, vastplan: Run, text: str) -> Path:
    file = folder / "hand.yaml"
    file.write_text(text)
    with an_hour_ago():
        ran = vastplan("apply", file, "--auto-approve")
    assert ran.code == 0, ran
    return file


@pytest.mark.slow
def test_a_project_that_is_removed_was_not_removed_by_hand(tmp_path: Path, hands: Hands, vastplan: Run) -> None:
    (tmp_path / "u").write_text("x")
    text = (tmp_path / "hand.yaml").read_text().replace("    project:", f"{CLASS}    project:") + SECRET
    file = _applied(tmp_path, vastplan, text + PROJECT)
    assert vastplan("drift", file).code == 0
    file.write_text(text)
    drift = vastplan("drift", file)
    assert drift.code == 0 and "was applied as" not in drift.out, drift
    plan = json.loads(vastplan("plan", file, "--format", "json", "--keep-drift", "*").out)
    (policy,) = (action for action in plan["actions"] if action["address"] == POLICY)
    (change,) = policy["changes"]
    assert (change["path"], change["cause"]) == ("namespaces", "document")
    assert change["after"] == [{"$ref": "iad/project/team-a"}] and not plan["left"] and not policy["left"]


def test_what_both_sides_moved_is_never_said_to_have_been_applied_as_it_is_wanted_now(
    tmp_path: Path, hands: Hands, vastplan: Run
) -> None:
    file = tmp_path / "hand.yaml"
    hands.quota(9 * 2**40)
    file.write_text(file.read_text().replace("hard_limit: 2 TiB", "hard_limit: 3 TiB"))
    reports = {ending: tmp_path / f"drift{ending}" for ending in (".md", ".html", ".xml", ".json")}
    typed = [word for report in reports.values() for word in ("--report", report)]
    ran = vastplan("drift", file, *typed)
    assert ran.code == 2
    assert "hard_limit  is 9 TiB, was applied as another value, and the document says 3 TiB" in ran.out
    for ending, report in reports.items():
        if ending != ".json":
            assert "was applied as 3 TiB" not in report.read_text(), ending
    assert "unknown; the document says 3 TiB" in reports[".html"].read_text()
    (moved,) = json.loads(reports[".json"].read_text())["drift"]
    (field,) = moved["fields"]
    assert (field["applied"], field["wanted"], field["cause"]) == (None, 3 * 2**40, "both")
