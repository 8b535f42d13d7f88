"""What has begun and whose entry is taken out of the document then: it is taken back all the same, and told wherever somebody looks."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from tests.moving.forking import declared, fork, streams
from tests.moving.matrix import killed
from tests.moving.rehearsing import Watched
from tests.moving.theatre import HOME, Theatre, shared_theatre
from tests.moving.together import Both, both
from vastplan.app.drift import find_drift
from vastplan.app.move import last_moves, operation_standing, plan_move
from vastplan.model.errors import VastplanError
from vastplan.model.move_plan import THROUGH
from vastplan.model.operation import Phase
from vastplan.operations.plan.pair_record import PAIRS, pair_begun
from vastplan.operations.run import Stopped
from vastplan.operations.wanted import WantedMove

HOME_PATH = "iad/protected_path/home"


def taken_out(scene: Theatre, *names: str) -> None:
    """Somebody removes volumes from the document."""
    sections = copy.deepcopy(scene.lab.sections)
    for name in names:
        del sections["tenants"]["team"]["volumes"][name]
    scene.lab.write(sections)


def begun_rehearsal(scene: Theatre) -> Watched:
    """One that died while its work was tried: all that it makes is there."""
    watched = Watched(scene)
    with (
        patch("vastplan.operations.modes.rehearsal.stages._came", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        scene.run(watched.plan)
    return watched


def test_a_site_that_the_document_no_longer_has_is_named(scene: Theatre) -> None:
    """Found by a history: `move status` ended with a KeyError."""
    watched = begun_rehearsal(scene)
    one_site = {name: value for name, value in scene.lab.sites.items() if name == "iad"}
    scene.lab.sites = one_site
    scene.lab.write({"tenants": {"team": {}}})
    (record,) = last_moves(scene.lab.workspace())
    missing = "site pdx is not in the document: put it back under sites"
    assert operation_standing(scene.lab.workspace(), record) == (f"cannot determine the current roles: {missing}",)
    with pytest.raises(VastplanError, match=missing):
        scene.abort(watched.plan)


@pytest.fixture
def older(monkeypatch: pytest.MonkeyPatch) -> None:
    """Records are those of a vastplan that did not note what is moved."""
    for module in ("move", "modes.group.move"):
        monkeypatch.setattr(f"vastplan.operations.{module}.pair_begun", lambda *_: None)


def test_a_rehearsal_is_removed_and_told_meanwhile(scene: Theatre) -> None:
    watched = begun_rehearsal(scene)
    short = watched.plan.id[:8]
    taken_out(scene, "home")
    with pytest.raises(VastplanError) as refused:
        scene.run(watched.plan)
    lab = scene.lab.folder / "lab.yaml"
    assert refused.value.exit_code == 1
    assert str(refused.value) == (
        f"iad/volume/home: no longer in the document, and its move {short} is under way (stage try); "
        f"put it back as it was, then go on: move.json; or give up: vastplan move abort {lab} {short}"
    )
    for findings in (scene.lab.plan().findings, find_drift(scene.lab.workspace(), None).drift.findings):
        (told,) = [one for one in findings if one.code == "VP353"]
        assert told.address == HOME_PATH and short in told.message and f"vastplan move abort PATH {short}" in told.fix
    (record,) = last_moves(scene.lab.workspace())
    assert "iad may write" in operation_standing(scene.lab.workspace(), record)[0]
    assert scene.abort(watched.plan).phase is Phase.ABORTED
    watched.gone()
    assert not [one for one in scene.lab.plan().findings if one.code == "VP353"]


def test_a_document_that_is_not_valid_any_more_leaves_nothing_either(scene: Theatre) -> None:
    watched = begun_rehearsal(scene)
    sections = copy.deepcopy(scene.lab.sections)
    del sections["tenants"]["team"]["project"]
    scene.lab.write(sections)
    with pytest.raises(
        VastplanError, match=r"the document is not valid now; correct it, then go on: .* or give up: "
    ) as refused:
        scene.run(watched.plan)
    assert str(refused.value).startswith(f"{HOME_PATH}: its move {watched.plan.id[:8]} is under way (stage try)")
    assert "VP232" in str(refused.value) and refused.value.exit_code == 1
    assert scene.abort(watched.plan).phase is Phase.ABORTED
    watched.gone()


@pytest.mark.usefixtures("older")
def test_one_of_an_older_record_says_what_to_put_back(scene: Theatre) -> None:
    watched = begun_rehearsal(scene)
    taken_out(scene, "home")
    with pytest.raises(
        VastplanError,
        match=f"^iad/volume/home: no longer in the document.* then vastplan move abort .* {watched.plan.id[:8]}",
    ):
        scene.abort(watched.plan)
    (record,) = last_moves(scene.lab.workspace())
    assert "cannot determine the current roles" in operation_standing(scene.lab.workspace(), record)[0]


def test_a_record_that_says_something_else_is_none(scene: Theatre) -> None:
    watched = begun_rehearsal(scene)
    (record,) = last_moves(scene.lab.workspace())
    assert pair_begun(record, HOME_PATH) is not None
    broken: Any
    for broken in ({}, [], {HOME_PATH: None}, {HOME_PATH: {**record.facts[PAIRS][HOME_PATH], "work": [["x"]]}}):
        assert pair_begun(replace(record, facts={PAIRS: broken}), HOME_PATH) is None
    scene.abort(watched.plan)


def stopped(scene: Theatre | Both) -> Any:
    """A planned move that stops with its work suspended."""
    scene.start_job()
    plan = scene.plan()
    with (
        patch("vastplan.operations.stages.work.still", return_value="stuck"),
        pytest.raises(Stopped, match="stage freeze"),
    ):
        scene.run(plan)
    return plan


def test_a_planned_move_resumes_what_it_suspended(scene: Theatre) -> None:
    plan = stopped(scene)
    assert scene.workloads("iad")["train"] in ("Stopping", "Stopped")
    scene.pause()
    taken_out(scene, "home", "home-copy")
    with pytest.raises(VastplanError, match=r"^iad/volume/home: no longer in the document"):
        scene.run(plan)
    assert scene.abort(plan).phase is Phase.ABORTED
    assert scene.workloads("iad")["train"] == "Running" and scene.roles() == ("SOURCE", "DESTINATION")


def test_work_that_reaches_it_by_another_claim_now_does_not_go_on(scene: Theatre) -> None:
    """Who still writes by the claim that was suspended could not be told."""
    plan = stopped(scene)
    scene.pause()
    sections = copy.deepcopy(scene.lab.sections)
    sections["projects"] = {"other": {"department": "research", "gpus": {"default": 1}}}
    for name in ("home", "home-copy"):
        sections["tenants"]["team"]["volumes"][name]["project"] = "other"
    scene.lab.write(sections)
    with pytest.raises(
        VastplanError, match=r"^iad/project/team: the document no longer has its .* put it back as it was, or give up"
    ):
        scene.run(plan)
    assert scene.abort(plan).phase is Phase.ABORTED and scene.workloads("iad")["train"] == "Running"


def test_a_fork_says_which_entry_it_needs_and_removes_its_clone_without_both(scene: Theatre) -> None:
    declared(scene)
    plan = fork(scene)
    with pytest.raises(Stopped, match="stage apply"):
        scene.run(plan)
    assert len(streams(scene)) == 1
    taken_out(scene, "try")
    with pytest.raises(VastplanError, match=r"^pdx/volume/try: no longer in the document"):
        scene.run(plan)
    taken_out(scene, "home")
    with pytest.raises(VastplanError, match=r"^iad/volume/home, pdx/volume/try: no longer in the document"):
        scene.run(plan)
    assert scene.abort(plan).phase is Phase.ABORTED and streams(scene) == []


def test_a_project_s_move_says_which_of_them_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CSI_PASSWORD", "of-the-csi-user")
    with both(tmp_path) as scene:
        plan = stopped(scene)
        scene.pause()
        taken_out(scene, "data")
        with pytest.raises(
            VastplanError, match=r"^iad/volume/data: no longer in the document, and its move .* or give up"
        ):
            scene.run(plan)
        assert scene.abort(plan).phase is Phase.ABORTED
        assert scene.workloads("iad")["train"] == "Running"


@pytest.mark.usefixtures("older")
def test_a_project_s_older_record_says_what_to_put_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CSI_PASSWORD", "of-the-csi-user")
    with both(tmp_path) as scene:
        plan = stopped(scene)
        scene.pause()
        taken_out(scene, "data")
        with pytest.raises(VastplanError, match=r"put it back as it was, then vastplan move abort"):
            scene.abort(plan)


def test_the_work_alone_comes_back_without_the_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CSI_PASSWORD", "of-the-csi-user")
    with shared_theatre(tmp_path) as scene:
        scene.start_job()
        plan = plan_move(scene.lab.workspace(), WantedMove(HOME, "pdx", THROUGH), scene.clock)
        killed(scene, plan, 60)
        scene.pause()
        taken_out(scene, "home")
        assert scene.abort(plan).phase is Phase.ABORTED
        assert scene.workloads("iad")["train"] == "Running"


def test_a_mode_that_another_vastplan_wrote_is_not_taken_for_one_of_ours(scene: Theatre) -> None:
    plan = stopped(scene)
    with (
        patch("vastplan.operations.modes.table.MODES", {}),
        pytest.raises(VastplanError, match=r"^planned is not a mode of a move that this vastplan knows$"),
    ):
        scene.abort(plan)
    assert scene.workloads("iad")["train"] in ("Stopping", "Stopped")
    assert scene.abort(plan).phase is Phase.ABORTED
