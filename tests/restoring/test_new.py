"""A snapshot that becomes a volume of its own: nothing of the old one changes, and the next plan takes the copy on."""

from __future__ import annotations

import copy
import json
from typing import Any
from unittest.mock import patch

import pytest
import yaml

from tests.restoring.scene import HOME, SCRATCH, Scene
from vastplan.model.address import Address
from vastplan.model.errors import VastplanError
from vastplan.model.operation import Phase
from vastplan.model.plan import Verb
from vastplan.operations.run import Stopped

NEW = "/team/home-restored"


def test_it_is_copied_and_the_next_plan_makes_it_a_volume(scene: Scene) -> None:
    plan = scene.plan()
    assert (plan.mode, plan.name, plan.directory, plan.jobs) == ("new", "home-restored", NEW, ())
    done = scene.run(plan)
    assert done.phase is Phase.DONE
    assert scene.labels(NEW) == ["good"] and scene.labels() == ["good", "bad"]
    assert yaml.safe_load(plan.lines)["volumes"]["home-restored"] == {
        "tenant": "team", "sites": ["iad"], "path": NEW, "size": "10 TiB", "mount": "/home-restored", "snapshots": "hourly",
        "access_modes": ["ReadWriteMany"],
    }  # fmt: skip
    scene.lab.write({**scene.lab.sections, "volumes": yaml.safe_load(plan.lines)["volumes"]})
    applied = scene.lab.converge()
    made = {str(action.address) for action in applied.actions if action.verb is Verb.CREATE}
    assert {"iad/view/home-restored", "iad/quota/home-restored"} <= made
    assert scene.labels(NEW) == ["good"]
    assert scene.lab.plan().actions == ()


def test_what_has_no_protected_path_goes_back_so(scene: Scene) -> None:
    scene.write("kept", "/team/scratch")
    scene.snapshot("one", "/team/scratch")
    scene.write("spoilt", "/team/scratch")
    assert scene.run(scene.plan(SCRATCH, "one", name="again", directory="/team/elsewhere")).phase is Phase.DONE
    assert scene.labels("/team/elsewhere") == ["kept"]


def test_a_view_of_its_own_becomes_another(scene: Scene) -> None:
    scene.snapshot("one", "/team/shared")
    plan = scene.plan(Address("iad", "view", "shared"), "one")
    assert yaml.safe_load(plan.lines) == {
        "views": {
            "shared-restored": {
                "tenant": "team",
                "view_policy": "team",
                "sites": ["iad"],
                "path": "/team/shared-restored",
            }
        }
    }


def test_a_part_of_a_volume_says_the_volume(scene: Scene) -> None:
    plan = scene.plan(Address("iad", "view", "home"), name="other")
    assert list(yaml.safe_load(plan.lines)["volumes"]) == ["other"]


def test_the_lines_have_the_settings_of_now_and_what_they_leave_out_is_named(scene: Scene) -> None:
    assert (
        scene.plan().by_hand[1]
        == "the lines have the settings of home as they are now, not those of the snapshot's time"
    )
    sections = copy.deepcopy(scene.lab.sections)
    sections["tenants"]["team"]["volumes"]["home"] |= {
        "protocols": ["NFS", "NFS4"], "quota": {"soft_limit": "9 TiB"}, "qos": {"static_limits": {"max_reads_bw_mbps": 1000}},
    }  # fmt: skip
    scene.lab.write(sections)
    plan = scene.plan()
    assert yaml.safe_load(plan.lines)["volumes"]["home-restored"]["protocols"] == ["NFS", "NFS4"]
    assert plan.by_hand[1].endswith("snapshot's time; they leave out qos, quota: add what the copy needs")
    sections["tenants"]["team"]["volumes"]["home"] |= {"protocols": ["NFS", "SMB"], "share": "home"}
    scene.lab.write(sections)
    plan = scene.plan()
    assert "protocols" not in yaml.safe_load(plan.lines)["volumes"]["home-restored"]
    assert plan.by_hand[1].endswith("they leave out protocols, qos, quota, share: add what the copy needs")
    assert scene.in_place().by_hand[-1].startswith("size, quota, QoS, protocols and Secret stay as they are now")


REFUSED: tuple[tuple[dict[str, Any], str], ...] = (
    ({"directory": "/team/scratch"}, r"a view \(.*\) already exists at /team/scratch"),
    ({"directory": "/team/home/deep"}, "is not a directory beside /team/home"),
    ({"directory": "relative"}, "is not a directory beside /team/home"),
    ({"directory": "/"}, "/ is not a directory beside /team/home"),
    ({"directory": "/team/../etc"}, "/team/../etc is not a directory beside /team/home"),
    (
        {"directory": "/team/scratch/deep"},
        r"lies in /team/scratch of iad/volume/scratch \(choose another directory",
    ),
    ({"name": "Bad Name"}, "Bad Name is not a valid name in Kubernetes"),
    ({"name": "two\nlines"}, "is not a valid name in Kubernetes"),
    ({"name": "scratch", "directory": "/team/x"}, r"already has a volume scratch \(choose another name"),
    ({"address": Address("iad", "volume", "claimed")}, "is of a storage class"),
    (
        {"address": Address("iad", "volume", "nothing")},
        "is not a volume, view, bucket or protected path of this document",
    ),
    ({"snapshot": "none"}, "has no snapshot none"),
)


def test_what_cannot_be_restored_is_told(scene: Scene) -> None:
    for options, told in REFUSED:
        with pytest.raises(VastplanError, match=told):
            scene.plan(**{"address": HOME, **options})


def test_a_directory_that_is_there_by_then_stops_it(scene: Scene) -> None:
    plan = scene.plan()
    scene.write("somebody's", NEW)
    with pytest.raises(Stopped, match="exists"):
        scene.run(plan)
    assert scene.labels(NEW) == ["somebody's"]
    assert scene.abort(plan).phase is Phase.ABORTED
    assert scene.labels(NEW) == ["somebody's"]


def test_a_clone_that_somebody_paused_is_given_up(scene: Scene) -> None:
    def pause() -> None:
        for row in scene.call("GET", "globalsnapstreams/"):
            scene.call("PATCH", f"globalsnapstreams/{row['id']}/pause", {"enabled": False})

    for number in range(60):
        scene.write(f"more-{number}")
    scene.snapshot("large")
    plan = scene.plan(snapshot="large")
    scene.clock.watchers.append(pause)
    with pytest.raises(Stopped, match="it was paused there, or has failed") as stopped:
        scene.run(plan)
    scene.clock.watchers.clear()
    assert f"vastplan restore abort {scene.lab.folder / 'lab.yaml'} {plan.id[:8]}" in str(stopped.value)
    with pytest.raises(VastplanError, match=f"the restore {plan.id[:8]} is under way"):
        scene.plan(snapshot="large")
    done = scene.abort(plan)
    assert done.phase is Phase.ABORTED and scene.call("GET", "globalsnapstreams/") == []
    assert scene.labels()[-1] == "more-59"
    assert scene.abort(plan) == done


def test_one_whose_volume_was_taken_out_of_the_document_leaves_nothing(scene: Scene) -> None:
    for number in range(60):
        scene.write(f"more-{number}")
    scene.snapshot("large")
    plan = scene.plan(snapshot="large")
    with (
        patch("vastplan.operations.calls.snapshot.complete", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        scene.run(plan)
    sections = json.loads(json.dumps(scene.lab.sections))
    del sections["tenants"]["team"]["volumes"]["home"]
    scene.lab.write(sections)
    back = f"vastplan restore abort {scene.lab.folder / 'lab.yaml'} {plan.id[:8]}"
    with pytest.raises(VastplanError) as refused:
        scene.run(plan)
    assert str(refused.value).startswith(
        f"iad/volume/home: no longer in the document, and its restore {plan.id[:8]} is under way (stage "
    )
    assert str(refused.value).endswith(
        f"put it back as it was, then go on: vastplan restore run r.json; or give up: {back}"
    )
    (told,) = [one for one in scene.lab.plan().findings if one.code == "VP353"]
    assert told.address == "iad/volume/home" and f"vastplan restore abort PATH {plan.id[:8]}" in told.fix
    with (
        patch("vastplan.operations.restore.place_begun", lambda _: None),
        pytest.raises(VastplanError, match=f"^iad/volume/home: no longer in the document, .* then {back}$"),
    ):
        scene.abort(plan)
    assert scene.call("GET", "globalsnapstreams/") != []
    assert scene.abort(plan).phase is Phase.ABORTED
    assert scene.call("GET", "globalsnapstreams/") == []


def test_what_a_stranger_called_something_stays_inert(scene: Scene) -> None:
    scene.write("somebody's", NEW)
    scene.call("POST", "quotas/", {"name": "red \x1b[31m\nfine", "path": NEW, "tenant_id": scene.tenant})
    with pytest.raises(VastplanError, match="cannot be restored: a quota") as refused:
        scene.plan()
    assert "\x1b" not in str(refused.value) and "\n" not in str(refused.value)
