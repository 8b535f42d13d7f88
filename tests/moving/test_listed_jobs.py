"""The workloads that use the data of a project now, as `show --jobs` lists them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.moving.test_arm import WORD, submit
from tests.moving.theatre import BASE, Theatre, theatre
from vastplan.sim.faults import Effect, Fault

WHY = "its specification contains the value of variable HF_TOKEN (use a credential of Run:AI instead)"
SCRATCH = {"sites": ["iad"], "storage_class": "team", "size": "1 TiB", "mount": "/scratch"}


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Theatre]:
    monkeypatch.setenv("CSI_PASSWORD", "of-the-csi-user")
    monkeypatch.setenv("VASTPLAN_ALLOW_ENV", "CSI_PASSWORD")
    base = deepcopy(BASE)
    base["tenants"]["team"]["volumes"]["scratch"] = SCRATCH
    with theatre(tmp_path, base) as made:
        made.lab.workspace()
        yield made


def test_each_has_what_it_uses_and_why_it_would_not_be_kept(scene: Theatre, vastplan: Run) -> None:
    file = scene.lab.folder / "lab.yaml"
    assert vastplan("show", file, "iad/project/team", "--jobs").out == "iad/project/team: no workload uses its data\n"
    submit(scene, "train")
    submit(scene, "tune", environmentVariables=[{"name": "HF_TOKEN", "value": WORD}])
    with scene.lab.world.lock:
        scene.runai("iad").submit("team", "clean", gpus=0, claim_names=["scratch"])
        scene.runai("iad").submit("team", "idle", gpus=1)
    ran = vastplan("show", file, "iad/project/team", "--jobs")
    assert ran.out.splitlines() == [
        "clean  Training, Running, 0 GPUs, mounts scratch; move arm does not keep it: no move takes a claim that it mounts to another site",
        "train  Training, Running, 2 GPUs, mounts home",
        f"tune   Training, Running, 2 GPUs, mounts home; move arm does not keep it: {WHY}",
    ]
    rows = json.loads(vastplan("show", file, "iad/volume/scratch", "--jobs", "--format", "json").out)
    assert [(row["name"], row["claims"], row["gpus"]) for row in rows] == [("clean", ["scratch"], 0)]
    assert WORD not in ran.out + str(rows)
    kept = vastplan("move", "arm", file, "iad/volume/home", "--to", "pdx").out
    assert "kept: 1 of 2 workloads" in kept and "train" in kept, "arm does as the list says"


def test_what_cannot_be_read_is_not_none(scene: Theatre, vastplan: Run) -> None:
    file = scene.lab.folder / "lab.yaml"
    faults = scene.lab.world.sites["iad"].servers["runai"].faults
    faults.arm(Fault(Effect.STATUS, method="GET", path=r".*/projects/.*", times=1000, status=403))
    ran = vastplan("show", file, "iad/project/team", "--jobs")
    assert ran.code == 1 and "iad/project/team cannot be read: " in ran.err


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        (("iad/tenant/team", "--jobs"), "iad/tenant/team is not a project or volume with a claim"),
        (("--jobs",), "vastplan show PATH ADDRESS --jobs"),
        (("iad/project/team", "--jobs", "--format", "html"), "--jobs prints text or JSON"),
    ],
)
def test_what_it_does_not_take(scene: Theatre, vastplan: Run, typed: tuple[str, ...], says: str) -> None:
    ran = vastplan("show", scene.lab.folder / "lab.yaml", *typed)
    assert ran.code == 1 and says in ran.err
