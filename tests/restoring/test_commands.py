"""After each kind of restore, each command that reads still does."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from tests.commands import read_all
from tests.conftest import Run
from tests.lab import Lab
from tests.printed import printed_commands
from tests.restoring.scene import Scene
from vastplan.model.operation import Phase


@pytest.mark.parametrize("in_place", [False, True])
def test_a_restore(scene: Scene, vastplan: Run, in_place: bool) -> None:
    scene.write("spoilt")
    assert scene.run(scene.in_place() if in_place else scene.plan()).phase is Phase.DONE
    answers = read_all(vastplan, scene.lab.folder, "iad/volume/home", "iad/view/home")
    assert "done" in answers["restore status"].out
    (run, *_) = json.loads(vastplan("ledger", "log", scene.lab.folder / "lab.yaml", "--format", "json").out)["runs"]
    assert (run["command"], run["ending"], run["counts"]) == ("restore", "done", {"restore": {"done": 1}})


def test_the_snapshots_of_a_volume_are_listed_with_their_times_and_can_be_restored_as_printed(
    scene: Scene, vastplan: Run
) -> None:
    document = scene.lab.folder / "lab.yaml"
    scene.lab.workspace()
    rows = json.loads(vastplan("show", document, "iad/volume/home", "--snapshots", "--format", "json").out)
    assert rows and {row["address"] for row in rows} == {"iad/volume/home"}
    assert [row["created"] for row in rows] == sorted(row["created"] for row in rows) and all(
        row["created"] for row in rows
    )
    ran = vastplan("show", document, "iad/volume/home", "--snapshots")
    lines = ran.out.splitlines()
    assert ran.code == 0 and lines[0] == "iad/volume/home  /team/home"
    for row, line in zip(rows, lines[1:], strict=False):
        ends = f"expires {row['expires']}" if row["expires"] else "does not expire"
        assert " ".join(line.split()) == f"{row['name']} created {row['created']}, {ends}, {row['size']} B of its own"
    command = lines[-1].strip()
    assert list(printed_commands(ran.out)) == [command]
    ran = vastplan(*shlex.split(command)[1:])
    assert ran.code == 0 and rows[-1]["name"] in ran.out, ran
    none = vastplan("show", document, "iad/volume/scratch", "--snapshots")
    assert (none.code, none.out) == (0, "iad/volume/scratch has no snapshots\n")
    assert "of a storage class" in vastplan("show", document, "iad/volume/claimed", "--snapshots").err


def test_what_lists_no_snapshots_says_how_to(scene: Scene, vastplan: Run) -> None:
    document = scene.lab.folder / "lab.yaml"
    scene.lab.workspace()
    assert "vastplan show PATH ADDRESS --snapshots" in vastplan("show", document, "--snapshots").err
    assert "prints text or JSON" in vastplan("show", document, "iad/volume/home", "--snapshots", "--format", "html").err


def test_the_snapshots_of_both_sites_are_listed(tmp_path: Path, vastplan: Run) -> None:
    with Lab(tmp_path, {"iad": ["vast"], "pdx": ["vast"]}) as lab:
        lab.write(
            {
                "tenants": {
                    "a": {
                        "view_policy": {"flavor": "NFS"},
                        "views": {"v": {"path": "/v"}, "only": {"path": "/o", "sites": ["iad"]}},
                    }
                }
            }
        )
        lab.converge()
        for site in lab.sites:
            (tenant,) = (row["id"] for row in lab.rows(site, "tenant") if row["name"] == "a")
            body = {"name": f"of {site}", "path": "/v/", "tenant_id": tenant, "indestructible": site == "pdx"}
            lab.by_hand(site, "vast", "POST", "/api/v5/snapshots/", body)
        lines = vastplan("show", tmp_path / "lab.yaml", "pdx/view/v", "--snapshots").out.splitlines()
        assert [line for line in lines if line.startswith(("iad", "pdx"))] == ["pdx/view/v  /v", "iad/view/v  /v"]
        assert lines[1].startswith("  of pdx  created 20") and ", locked" in lines[1] and ", locked" not in lines[3]
        assert (
            lines[-1]
            == f"  vastplan restore plan {tmp_path}/lab.yaml pdx/view/v --snapshot 'of pdx' --out restore.json"
        )
        assert (
            vastplan("show", tmp_path / "lab.yaml", "iad/view/only", "--snapshots").out
            == "iad/view/only has no snapshots\n"
        )
