"""Entries that are renamed in the document while what they are keeps its name in the systems: it is restored all the same."""

from __future__ import annotations

import copy

import pytest

from tests.restoring.scene import HOME, Scene, rename_home
from vastplan.app.show import describe
from vastplan.model.address import Address
from vastplan.model.operation import Phase
from vastplan.model.restore_plan import IN_PLACE, NEW

HOMES = HOME._replace(name="homes")


@pytest.mark.parametrize("apply", [True, False], ids=["applied", "not yet applied"])
@pytest.mark.parametrize("mode", [IN_PLACE, NEW])
def test_a_renamed_volume_is_restored(scene: Scene, mode: str, apply: bool) -> None:
    scene.start_job()
    rename_home(scene.lab, apply=apply)
    planned = scene.plan(HOMES, mode=mode)
    assert [job["name"] for job in planned.jobs] == (["train"] if mode == IN_PLACE else [])
    assert scene.run(planned).phase is Phase.DONE
    assert ("bad" in scene.labels()) is (mode == NEW)


def test_show_has_the_live_names_of_what_nobody_named(scene: Scene) -> None:
    sections = copy.deepcopy(scene.lab.sections)
    limited = {"tenant": "team", "view_policy": "team", "path": "/team/shared", "quota": {"hard_limit": "1 TiB"}}
    sections["views"]["shared"] = {
        **limited,
        "qos": {"static_limits": {"max_reads_bw_mbps": 100}},
        "snapshots": "hourly",
    }
    scene.lab.write(sections)
    scene.lab.converge()
    volumes = sections["tenants"]["team"]["volumes"]
    volumes["homes"] = {**volumes.pop("home"), "renamed_from": "home", "name": "home"}
    scene.lab.write(sections)
    scene.lab.converge()
    for kind, name, live in (
        ("protected_path", "homes", "home"),
        ("quota", "homes", "home"),
        ("persistent_volume", "team-homes", "team-home"),
    ):
        described = describe(scene.lab.workspace(), Address("iad", kind, name))
        (field,) = (field for field in described["fields"] if field["path"] == "name")
        assert (kind, field["desired"], field["live"], described["state"]) == (kind, live, live, "in sync")


def test_the_workloads_of_a_tenant_whose_rename_is_not_yet_applied_are_suspended(scene: Scene) -> None:
    scene.start_job()
    sections = copy.deepcopy(scene.lab.sections)
    sections["tenants"] = {"crew": {**sections["tenants"]["team"], "renamed_from": "team"}}
    sections["tenants"]["crew"]["volumes"]["claimed"]["storage_class"] = "crew"
    sections["views"]["shared"] |= {"tenant": "crew", "view_policy": "crew"}
    scene.lab.write(sections)
    assert [job["name"] for job in scene.in_place().jobs] == ["train"]
    assert scene.run(scene.plan()).phase is Phase.DONE
