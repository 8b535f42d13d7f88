"""All that moves from a site is armed by one command, as a job does every night: a line for each project and each other path."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run
from tests.moving.matrix import killed
from tests.moving.test_arm import WORD, submit
from tests.moving.theatre import BASE, TWIN, theatre
from tests.moving.together import DATA, DATA_TWIN, Both, asked_of
from vastplan.app.move import last_moves, plan_move
from vastplan.model.address import Address
from vastplan.model.move_plan import ARM
from vastplan.operations.wanted import WantedMove

LOG, PATH = Address("iad", "volume", "log"), "iad/protected_path/log"


def document() -> dict[str, Any]:
    base = deepcopy(BASE)
    base["projects"] = {"other": {"tenant": "team", "department": "research", "gpus": {"default": 8}}}
    volumes = base["tenants"]["team"]["volumes"]
    volumes["home"]["project"] = "team"
    volumes["data"] = {**DATA, "project": "team"}
    volumes["log"] = {**DATA, "path": "/team/log", "mount": "/log", "project": "other"}
    return base


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Both]:
    monkeypatch.setenv("CSI_PASSWORD", "of-the-csi-user")
    monkeypatch.setenv("VASTPLAN_ALLOW_ENV", "CSI_PASSWORD")
    twins = {
        "home-copy": {**TWIN, "project": "team"},
        "data-copy": {**DATA_TWIN, "project": "team"},
        "log-copy": {**DATA_TWIN, "path": "/team/log", "mount": "/log", "name": "log", "project": "other"},
    }
    with theatre(tmp_path, document(), twins) as one:
        made = Both(one.lab, one.clock, tenant=one.tenant)
        with made.lab.world.lock:
            made.runai("iad").submit("team", "train", gpus=4, claim_names=["home", "data"])
            made.runai("iad").submit("other", "tune", gpus=12, claim_names=["log"])
        made.clock.sleep(10)
        monkeypatch.setattr("vastplan.app.operations.CLOCK", made.clock)
        monkeypatch.setattr("vastplan.app.move.CLOCK", made.clock)
        made.lab.workspace()
        yield made


def armed(scene: Both) -> list[str]:
    return sorted(one.address for one in last_moves(scene.lab.workspace()) if one.mode == ARM)


def test_each_project_and_each_other_path_has_a_line(scene: Both, vastplan: Run) -> None:
    file = scene.lab.folder / "lab.yaml"
    ran = vastplan("move", "arm", file, "site/iad", "--to", "pdx")
    team = "iad/project/team: armed for pdx, 1 workload kept"
    log = f"{PATH}: armed for pdx, 1 workload kept; pdx has 8 GPUs free, 12 are needed"
    assert (ran.code, sorted(ran.out.splitlines())) == (0, [team, log])
    assert armed(scene) == ["iad/protected_path/data", "iad/protected_path/home", PATH]
    drifted = vastplan("drift", file, "--format", "json").out
    assert drifted.count('"kept": 1') == 3 and '"lapsed": "the' not in drifted


def test_one_that_cannot_be_armed_holds_up_no_other_and_fails_the_job(scene: Both, vastplan: Run) -> None:
    file = scene.lab.folder / "lab.yaml"
    assert vastplan("move", "arm", file, "site/iad", "--to", "pdx").code == 0
    wanted = WantedMove(LOG, "pdx")
    done = scene.run(plan_move(scene.lab.workspace(), wanted, scene.clock))
    ran = vastplan("move", "arm", file, "site/iad", "--to", "pdx")
    assert ran.code == 0 and ran.out.splitlines() == ["iad/project/team: armed for pdx, 1 workload kept"], (
        "log is at pdx"
    )
    scene.clock.sleep(60)
    back = scene.run(plan_move(scene.lab.workspace(), WantedMove(LOG, "iad"), scene.clock))
    open_ = plan_move(scene.lab.workspace(), wanted, scene.clock)
    killed(scene, open_, 5)
    ran = vastplan("move", "arm", file, "site/iad", "--to", "pdx")
    (line,) = (line for line in ran.out.splitlines() if line.startswith(PATH))
    assert ran.code == 1 and "iad/project/team: armed for pdx, 1 workload kept" in ran.out.splitlines()
    assert line.startswith(f"{PATH}: not armed: {PATH}: the move {open_.id[:8]} to pdx is under way")
    scene.abort(open_)
    ran = vastplan("move", "arm", file, "site/iad", "--to", "pdx")
    (line,) = (line for line in ran.out.splitlines() if line.startswith(PATH))
    assert ran.code == 0 and line.startswith(f"{PATH}: armed for pdx, 1 workload kept")
    assert back.id != done.id


def test_a_project_with_a_path_that_was_moved_is_armed_path_by_path(scene: Both, vastplan: Run) -> None:
    scene.run(plan_move(scene.lab.workspace(), WantedMove(LOG._replace(name="data"), "pdx"), scene.clock))
    ran = vastplan("move", "arm", scene.lab.folder / "lab.yaml", "site/iad", "--to", "pdx")
    assert ran.code == 0 and sorted(line.partition(":")[0] for line in ran.out.splitlines()) == [
        "iad/protected_path/home",
        PATH,
    ]


def test_what_was_armed_and_no_longer_counts_is_said(scene: Both, vastplan: Run) -> None:
    file = scene.lab.folder / "lab.yaml"
    vastplan("move", "arm", file, "site/iad", "--to", "pdx")
    for to in ("pdx", "iad"):
        scene.clock.sleep(60)
        done = scene.run(plan_move(scene.lab.workspace(), WantedMove(LOG, to), scene.clock))
    ran = vastplan("move", "arm", file, "site/iad", "--to", "pdx")
    (line,) = (line for line in ran.out.splitlines() if line.startswith(PATH))
    assert line.endswith(f"; what was armed before no longer counts: the move {done.id} has changed the roles since")


def test_who_is_not_kept_is_named_and_no_secret_is(scene: Both, vastplan: Run) -> None:
    submit(scene, "secret", environmentVariables=[{"name": "HF_TOKEN", "value": WORD}])
    ran = vastplan("move", "arm", scene.lab.folder / "lab.yaml", "site/iad", "--to", "pdx")
    assert (
        "team: armed for pdx, 1 workload kept; not kept: secret: its specification contains the value of variable HF_TOKEN"
        in ran.out
    )
    assert ran.code == 0 and WORD not in ran.out + ran.err


def test_a_project_is_armed_with_all_its_paths_or_not_at_all(scene: Both, vastplan: Run) -> None:
    with scene.lab.world.lock:  # home comes after data
        cluster = scene.vast("pdx")._cluster
        row = next(row for row in cluster.rows("protectedpaths") if row["name"] == "home")
        cluster.put("protectedpaths", {**row, "state": "Failed"})
    ran = vastplan("move", "arm", scene.lab.folder / "lab.yaml", "site/iad", "--to", "pdx")
    assert ran.code == 1 and "iad/project/team: not armed: iad/protected_path/home cannot be armed: " in ran.out
    assert armed(scene) == [PATH]


def test_a_site_that_does_not_answer_is_asked_once(scene: Both, vastplan: Run) -> None:
    scene.lab.world.lose("iad", systems=["vast"], links=True)
    with asked_of(scene, "iad", "vast") as asked:
        ran = vastplan("move", "arm", scene.lab.folder / "lab.yaml", "site/iad", "--to", "pdx")
    assert ran.code == 1 and [": not armed: " in line for line in ran.out.splitlines()] == [True, True]
    assert asked == ["/protectedpaths/"] and armed(scene) == []


def test_what_it_does_not_take(scene: Both, vastplan: Run) -> None:
    file = scene.lab.folder / "lab.yaml"
    for typed, says in (
        (("site/iad", "--to", "pdx", "--out", "armed.json"), "--out saves one move, and site/iad has several"),
        (("site/nowhere", "--to", "pdx"), "no site nowhere"),
        (("site/pdx", "--to", "iad"), "pdx: no path of this document has its source there and its destination at iad"),
    ):
        ran = vastplan("move", "arm", file, *typed)
        assert ran.code == 1 and says in ran.err
