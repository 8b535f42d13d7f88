"""A project with a volume of global access beside those that replicate: it stays where it is, and all else moves as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.moving.test_together_lost import lost
from tests.moving.theatre import BASE, SHARED, TWIN, theatre
from tests.moving.together import DATA, DATA_TWIN, TEAM, Both
from vastplan.app.move import arm_move, plan_move
from vastplan.model.address import Address
from vastplan.model.errors import VastplanError
from vastplan.model.operation import Phase
from vastplan.operations.modes.group.pairs import pairs_of, to_arm
from vastplan.operations.wanted import WantedMove

MODELS = "iad/volume/models"
VOLUME = {**SHARED, "path": "/team/models", "mount": "/models"}


def document(volume: dict[str, Any] | None = None) -> dict[str, Any]:
    base = deepcopy(BASE)
    base["tenants"]["team"]["volumes"] |= {"data": DATA, "models": volume or VOLUME}
    return base


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Both]:
    monkeypatch.setenv("CSI_PASSWORD", "of-the-csi-user")
    with theatre(tmp_path, document(), {"home-copy": TWIN, "data-copy": DATA_TWIN}) as one:
        made = Both(one.lab, one.clock, tenant=one.tenant)
        with made.lab.world.lock:
            made.vast("iad").write("/team/data", 10**9, "step-0", tenant_id=made.tenant["iad"])
            made.runai("iad").submit("team", "train", gpus=4, claim_names=["home", "data", "models"])
            made.runai("iad").submit("team", "serve", gpus=1, claim_names=["models"])
        yield made


def mounted_at_pdx(scene: Both) -> list[str]:
    (row,) = scene.lab.by_hand("pdx", "runai", "GET", "/api/v1/workloads")["workloads"]
    shown = scene.lab.by_hand("pdx", "runai", "GET", f"/api/v1/workloads/trainings/{row['id']}")
    return [one["claimName"] for one in shown["spec"]["storage"]["pvc"]]


@pytest.mark.parametrize("kind", ["project", "tenant"])
def test_it_stays_and_who_mounts_it_is_submitted_with_it(scene: Both, kind: str) -> None:
    plan = plan_move(scene.lab.workspace(), WantedMove(TEAM._replace(kind=kind), "pdx"), scene.clock)
    assert sorted(plan.paths) == ["iad/protected_path/data", "iad/protected_path/home"]
    assert {fact.name: fact.value for fact in plan.evidence}[MODELS] == (
        "shared by global access, stays at iad: pdx reads and writes it over the WAN, for train"
    )
    (line,) = (line for line in plan.by_hand if MODELS in line)
    assert line.startswith(f"workloads that mount {MODELS} and nothing that moves keep running at iad; to move them: ")
    assert line.endswith(f"{MODELS} --to pdx --through-global-access --out move.json")
    assert scene.run(plan).phase is Phase.DONE
    assert scene.workloads("iad") == {"serve": "Running", "train": "Stopped"}
    assert mounted_at_pdx(scene) == ["home", "data-there", "models"]
    assert {name: row["role"] for name, row in scene.rows("iad").items()} == {
        "home": "DESTINATION", "data": "DESTINATION", "models": "SOURCE",
    }  # fmt: skip
    back = plan_move(scene.lab.workspace(), WantedMove(Address("pdx", kind, "team"), "iad"), scene.clock)
    assert {fact.name: fact.value for fact in back.evidence}[MODELS] == (
        f"shared by global access, stays at iad: iad has the data itself, for train-m{plan.id[:8]}"
    )


def test_what_only_a_lost_site_has_is_named_with_who_needs_it(scene: Both) -> None:
    records = arm_move(scene.lab.workspace(), TEAM, "pdx", print, "again", scene.clock)
    assert [record.address for record in records] == ["iad/protected_path/data", "iad/protected_path/home"]
    lost(scene)
    plan = scene.plan(mode="unplanned")
    assert {fact.name: fact.value for fact in plan.evidence}[MODELS] == (
        "shared by global access, stays at iad: pdx reads and writes it over the WAN, for train; while iad is lost pdx can read of it "
        "only what it has cached, and write nothing, so train may fail"
    )
    (line,) = (line for line in plan.by_hand if line.startswith("workloads that mount"))
    assert line.endswith("are neither suspended at iad nor submitted at pdx: submit them there yourself")
    assert scene.run(plan).phase is Phase.DONE and mounted_at_pdx(scene) == ["home", "data-there", "models"]


def test_a_volume_that_moves_by_itself_says_it_too(scene: Both) -> None:
    with scene.lab.world.lock:
        scene.runai("iad").submit("team", "tune", gpus=1, claim_names=["home", "models"])
    plan = plan_move(scene.lab.workspace(), WantedMove(Address("iad", "volume", "home"), "pdx"), scene.clock)
    assert {fact.name: fact.value for fact in plan.evidence}[MODELS].endswith("over the WAN, for train, tune")


def test_what_keeps_the_whole_from_moving_is_named_with_what_can_be_done(scene: Both) -> None:
    names = {"per_site": {"pdx": {"name": "models-there"}}}
    scene.lab.write(document({**VOLUME, **names}))
    with pytest.raises(VastplanError) as told:
        scene.plan()
    assert str(told.value) == (
        f"iad/project/team cannot be moved to pdx as it is: train mounts {MODELS}, which is shared by global access, and pdx does not "
        "mount it by a claim of the same name (give the claims one name); end it, or have the volume at pdx, or move the other volumes "
        "by their addresses"
    )


def test_a_project_that_only_shares_has_another_way(scene: Both) -> None:
    base = document()
    base["tenants"]["team"]["volumes"] = {"models": VOLUME}
    scene.lab.write(base)
    with pytest.raises(
        VastplanError, match=f"do not change: {MODELS} .run the workloads of each at pdx: --through-global-access"
    ):
        scene.plan()


def test_drift_names_the_project_to_arm(scene: Both) -> None:
    entries = scene.lab.workspace().entries()[0]
    (path, _) = (pair.path for pair in pairs_of(entries, TEAM, "pdx"))
    assert to_arm(entries, path, {TEAM}, "pdx") == TEAM
