"""The printed text, typed into a real Terraform: it forgets what was taken, and destroys and makes nothing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run as Vastplan
from tests.force import by_force
from tests.importing.terraform_states import HOSTILE_KEYS
from tests.importing.terraform_world import HEAD, SITES, cluster, configure, originals, stand_ins, storage
from tests.lab import Lab
from vastplan.importing.terraform.handover import handover
from vastplan.importing.terraform.match import Matched
from vastplan.importing.terraform.state import parse_state
from vastplan.model.handover import Standing, StateHandover
from vastplan.report.handover import handover_text

# terraform_data is in the program itself: no provider is fetched.
pytestmark = pytest.mark.skipif(
    shutil.which("terraform") is None and not os.environ.get("CI"), reason="there is no Terraform on this machine"
)
Run = Callable[[str], str]
STAYS = "stays"
TAKEN = list(HOSTILE_KEYS)
QUOTED = TAKEN[1]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Types a command into a shell, in the folder of the configuration."""
    assert shutil.which("terraform"), "CI runs the tests with Terraform"
    nothing = {"CHECKPOINT_DISABLE": "1", "TF_CLI_CONFIG_FILE": os.devnull, "TF_IN_AUTOMATION": "1"}
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), **nothing}

    def run(command: str) -> str:
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False, env=environment,
        )  # fmt: skip
        assert done.returncode == 0, command + done.stdout + done.stderr
        return done.stdout

    return run


def _configure(folder: Path, resources: dict[str, Any], modules: dict[str, Any]) -> None:
    (folder / "inner").mkdir(exist_ok=True)
    inner = {"resource": {"terraform_data": {"part": {"count": 2}}}}
    (folder / "inner" / "main.tf.json").write_text(json.dumps(inner))
    called = {name: {"source": "./inner", **more} for name, more in modules.items()}
    whole = {"resource": {"terraform_data": resources}} | ({"module": called} if called else {})
    (folder / "main.tf.json").write_text(json.dumps(whole))


def _keys(name: str) -> dict[str, str]:
    return {"for_each": f'${{toset(jsondecode(file("{name}")))}}'}


def test_it_forgets_what_was_taken_and_destroys_nothing(run: Run, tmp_path: Path) -> None:
    for name, keys in {"taken": TAKEN, "all": [*TAKEN, STAYS], "two": [QUOTED, STAYS], "stay": [STAYS]}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(keys))
    needs: dict[str, Any] = {"depends_on": ["terraform_data.one"]}
    before = {
        "one": {},
        "whole": _keys("taken.json"),
        "part": _keys("all.json"),
        "many": {"count": 3},
        "kept": needs,
    }
    _configure(tmp_path, before, {"single": {}, "keyed": _keys("two.json"), "gone": _keys("two.json")})
    run("terraform init && terraform apply -auto-approve")
    state = parse_state((tmp_path / "terraform.tfstate").read_bytes())
    assert parse_state(run("terraform show -json")) == state
    assert len(state.instances) == 1 + len(TAKEN) + (len(TAKEN) + 1) + 3 + 1 + 2 + 2 * 2 * 2

    matches = [Matched(each, Standing.MATCHED, "x", ("iad", "x", each.address)) for each in state.instances]
    staying = {
        "terraform_data.kept",
        f'terraform_data.part["{STAYS}"]',
        *(f"terraform_data.many[{number}]" for number in (0, 1)),
        *(f'module.keyed["{STAYS}"].terraform_data.part[{number}]' for number in (0, 1)),
    }
    told = handover(matches, {each.object for each in matches if each.object and each.address not in staying})
    assert [each.address for each in told.staying] == ["terraform_data.kept"]
    assert not told.counted and not told.unsettled

    states = [StateHandover("terraform.tfstate", ("iad",), 0, 0, told)]
    text = [line[4:] for line in handover_text(states, "true") if not line or line.startswith("    ")]
    commands = [line for line in text if line.startswith("terraform state rm ")]
    assert len(commands) == len(TAKEN) + 1 + 2
    blocks = text[text.index("removed {") : text.index(commands[0])]
    (tmp_path / "removed.tf").write_text("\n".join(blocks))
    after = {"part": _keys("stay.json"), "many": {"count": 2}, "kept": {}}
    _configure(tmp_path, after, {"keyed": _keys("stay.json")})
    assert run("\n".join(commands)).count("Successfully removed 1 resource instance") == len(commands)
    run("terraform init && terraform plan -out planned")
    changes = json.loads(run("terraform show -json planned"))["resource_changes"]
    actions = {each["address"]: each["change"]["actions"] for each in changes}
    assert {address for address, action in actions.items() if action == ["no-op"]} == staying
    forgotten = [action for address, action in actions.items() if address not in staying]
    assert forgotten == [["forget"]] * (1 + len(TAKEN) + 2 + 2 * 2)
    run("terraform apply planned")
    assert {each.address for each in parse_state((tmp_path / "terraform.tfstate").read_bytes()).instances} == staying


@pytest.mark.slow
@pytest.mark.parametrize("generation", by_force([1, 2], "2"))
def test_after_an_import_each_tool_has_its_own(run: Run, vastplan: Vastplan, tmp_path: Path, generation: int) -> None:
    """Terraform forgets what the document has, and what stays is as it was; vastplan has nothing to do either."""
    document = tmp_path / "env"
    document.mkdir()
    (document / "head.yaml").write_text(json.dumps(HEAD))
    with Lab(document, SITES) as lab:
        made = storage(lab, "iad", generation)
        cluster(made)
        configure(tmp_path, made, lambda _: True)
        run("terraform init && terraform apply -auto-approve")
        written = originals((tmp_path / "terraform.tfstate").read_bytes(), made)
        assert {each.address for each in parse_state(written).instances} == {
            each.address for each in parse_state(made.state()).instances
        }
        (tmp_path / "iad.json").write_bytes(written)

        stays = {"iad/quota/nlp-q1", "iad/view//nlp/d2"}
        without = [word for name in sorted(stays) for word in ("--except", name)]
        ran = vastplan("import", "env", "--terraform", "iad=iad.json", *without)
        assert ran.code == 0, ran
        text = [line[4:] for line in ran.out.splitlines() if line.startswith("    ")]
        lab.clear_calls()
        assert text[0] == "vastplan apply env --adopt"
        assert vastplan(*text[0].split()[1:], "--auto-approve").code == 0
        assert not [call for call in lab.calls() if "validatingadmission" not in call.path]
        assert vastplan("plan", "env", "--detailed-exitcode").code == 0

    commands = [line for line in text if line.startswith("terraform state rm ")]
    blocks = text[text.index("removed {") : text.index(commands[0])]
    left = {
        "vastdata_view.data[2]",
        'module.limits["nlp"].vastdata_quota.this["q1"]',
        "kubernetes_namespace.csi",
        "random_pet.note",
    }
    assert [line for line in text if "keeps" in line] == ["vastdata_view.data keeps [2]"]
    (tmp_path / "removed.tf").write_text(stand_ins("\n".join(blocks)))
    configure(tmp_path, made, left.__contains__)
    run(stand_ins("\n".join(commands)))
    run(stand_ins("terraform state mv 'vastdata_view.data[2]' 'vastdata_view.data[0]'"))
    run("terraform init && terraform plan -out planned")
    changes = json.loads(run("terraform show -json planned"))["resource_changes"]
    actions = {each["address"]: each["change"]["actions"] for each in changes}
    stay = {stand_ins(address) for address in left - {"vastdata_view.data[2]"} | {"vastdata_view.data[0]"}}
    assert {address for address, action in actions.items() if action == ["no-op"]} == stay
    forgotten = [action for address, action in actions.items() if address not in stay]
    assert forgotten == [["forget"]] * 7  # two classes, the tenant, its policy, three views
    run("terraform apply planned")
    assert {each.address for each in parse_state((tmp_path / "terraform.tfstate").read_bytes()).instances} == stay
