"""The cases that `make skypilot` shows to SkyPilot, as our checks take them; so that both say the same, or ours say more."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.checks.cases import TODAY, facts_of
from tests.conftest import Run
from tests.skypilot.team import Team
from vastplan.app import checks
from vastplan.app.workspace import open_workspace
from vastplan.checks.tasks import read_task
from vastplan.document.yaml import load_mapping
from vastplan.model.finding import Severity

HERE = Path(__file__).parent
CASES: dict[str, dict[str, Any]] = yaml.safe_load((HERE / "cases.yaml").read_text())
SEED = sorted((HERE / "seed").glob("*.yaml"))


@pytest.mark.parametrize("title", CASES)
def test_our_checks_say_what_the_case_says(title: str, tmp_path: Path) -> None:
    case = CASES[title]
    assert set(case) <= {"task", "skypilot", "ours", "later"}
    assert not case.get("ours") or "skypilot" in case or "later" in case
    assert not (case.get("skypilot", "the parser") != "the parser" and not case.get("ours")), (
        "SkyPilot refuses, and we do not"
    )
    path = tmp_path / "task.yaml"
    path.write_text(yaml.safe_dump(case["task"], sort_keys=False))
    read = load_mapping(path, "task.yaml")
    team = Team(tmp_path)
    team.team["views"]["data"]["bucket"] = "vision-datasets"
    workspace = open_workspace([team.written()])
    facts = replace(facts_of(workspace, {}), tasks=(read_task("iad", "task", read, read.at),))
    found = checks.check_findings(workspace, facts, TODAY)
    errors = {each.code for each in found if each.severity is Severity.ERROR and each.address == "iad/task/task"}
    assert sorted(errors) == case.get("ours", [])


def test_the_tasks_of_the_seed_are_taken_and_come_back(tmp_path: Path, vastplan: Run) -> None:
    """Each is written for each site, the same but for where it runs."""
    team = Team(tmp_path)
    tasks = [word for file in SEED for word in ("--task", file)]
    ran = vastplan("export", "skypilot", team.written(), "--out", team.out, *tasks)
    assert ran.code == 0 and "error" not in ran.err, ran
    assert len(SEED) == 4
    for file in SEED:
        given = yaml.safe_load(file.read_text())
        wanted = {name: said for name, said in given.get("resources", {}).items() if name != "cloud"}
        for site in ("iad", "pdx"):
            written = yaml.safe_load(team.files()[f"{site}/team-a/tasks/{file.name}"])
            assert written == {**given, "resources": {"infra": "k8s", **wanted}}
