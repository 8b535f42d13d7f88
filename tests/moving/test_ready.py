"""Whether drift and status say of each path if it is ready for the loss of its source: armed, and rehearsed."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.moving.test_arm import WORD, arm, lose, submit
from tests.moving.theatre import HOME, Theatre, shared_theatre
from tests.moving.together import TEAM, both
from vastplan.app.drift import find_drift
from vastplan.app.move import arm_move
from vastplan.cli import main
from vastplan.engine.state.replication import member_key
from vastplan.model.address import Address
from vastplan.model.operation import Operation
from vastplan.model.replication import Readiness, Replication, ReplicationState
from vastplan.operations.readiness import with_readiness
from vastplan.report.replication import readiness

PATH = "iad/protected_path/home"


def row_of(scene: Theatre) -> Replication:
    (row,) = find_drift(scene.lab.workspace(), None).drift.replications
    return row


def said(scene: Theatre) -> str:
    ready = row_of(scene).readiness
    assert ready is not None
    return readiness(ready).replace(str(scene.lab.folder / "lab.yaml"), "DOC")


def status(scene: Theatre, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    assert main(["move", "status", str(scene.lab.folder / "lab.yaml"), PATH]) == 0
    return capsys.readouterr().out.replace(str(scene.lab.folder / "lab.yaml"), "DOC")


def test_drift_says_whether_it_is_armed_and_rehearsed_or_what_to_type(
    scene: Theatre, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(scene.lab.folder / "lab.yaml")
    submit(scene, "train")
    submit(scene, "secret", args=f"--api-key={WORD}")
    arms, rehearses = (
        f"vastplan move arm DOC {PATH} --to pdx --out armed.json",
        f"vastplan move run DOC {PATH} --to pdx --rehearse",
    )
    before = main(["drift", file])
    assert said(scene) == f"not armed: {arms}; not rehearsed: {rehearses}"
    assert f"      {said(scene)}\n" in capsys.readouterr().out.replace(file, "DOC")
    arm(scene)
    done = scene.run(scene.plan(mode="rehearse"))
    took = f"{sum(done.facts['measured'].values())} s"
    assert said(scene) == f"armed for pdx 0 s ago: 1 workload kept, 1 not kept; rehearsed 0 s ago in {took}: all ran"
    assert main(["drift", file]) == before
    assert "not armed" not in status(scene, capsys)


def test_what_was_armed_before_the_roles_changed_counts_no_more(
    scene: Theatre, capsys: pytest.CaptureFixture[str]
) -> None:
    submit(scene, "train")
    arm(scene)
    scene.clock.sleep(60)
    there = scene.run(scene.plan())
    command = f"vastplan move arm DOC {PATH} --to iad --out armed.json"
    assert said(scene).startswith(
        f"not armed: pdx is the source now (it was armed 0 s ago): {command}; not rehearsed: "
    )
    assert f"  not armed: pdx is the source now ({command})\n" in status(scene, capsys)
    scene.clock.sleep(60)
    back = scene.run(scene.plan("iad"))
    why = f"the move {back.id} has changed the roles since"
    assert there.id != back.id and said(scene).startswith(f"not armed: {why} (it was armed 0 s ago): ")
    assert f"  not armed: {why} (vastplan move arm DOC {PATH} --to pdx --out armed.json)\n" in status(scene, capsys)
    arm(scene)
    assert said(scene).startswith("armed for pdx") and "not armed" not in status(scene, capsys)


def test_it_is_said_of_a_path_whose_source_is_lost(scene: Theatre) -> None:
    submit(scene, "train")
    arm(scene)
    lose(scene)
    row = row_of(scene)
    assert row.state is ReplicationState.UNKNOWN and row.leads == ""
    assert said(scene).startswith("armed for pdx 0 s ago: 1 workload kept; not rehearsed: ")


def test_it_is_said_of_one_that_was_moved_and_armed_again_before_its_source_is_lost(scene: Theatre) -> None:
    scene.run(scene.plan())
    scene.clock.sleep(60)
    arm_move(scene.lab.workspace(), HOME, "iad", print, "again", scene.clock)
    scene.clock.sleep(3700)
    scene.lab.world.lose("pdx", power=True)
    row = row_of(scene)
    assert (row.leads, row.active) == ("", "iad") and said(scene).startswith(
        "armed for iad 0 s ago: 0 workloads kept; "
    )


def weighed(scene: Theatre, *operations: Operation, later: timedelta = timedelta(), **row: object) -> Readiness | None:
    """The readiness by the document of the scene, with other records and another row."""
    planned = find_drift(scene.lab.workspace(), None).planned
    (found,) = planned.plan.replications
    guids = {found.address: member_key(planned.matches, Address.parse(found.address))}
    changed = replace(found, **row)  # type: ignore[arg-type]
    now = scene.clock.now() + later
    (read,) = with_readiness([changed], guids, planned.everything, (*planned.operations, *operations), "", now)
    return read.readiness


def test_ages_and_results_are_those_of_the_records(scene: Theatre) -> None:
    submit(scene, "train")
    (armed,) = arm(scene)
    rehearsed = scene.run(scene.plan(mode="rehearse"))
    known = weighed(scene, later=timedelta(hours=36, seconds=1))
    assert known is not None and known.old and known.armed == armed.began and known.armed_ago > 36 * 3600
    assert (
        known.arm == f"vastplan move arm {PATH} --to pdx --out armed.json"
        and f"(old, arm again: {known.arm})" in readiness(known)
    )
    younger = weighed(scene, later=timedelta(hours=35))
    assert younger is not None and not younger.old and "old" not in readiness(younger)
    facts = {"measured": {"look": 1, "try": 600}, "came": {"1": {"name": "a", "phase": "Pending"}}}
    facts["not tried"] = {"2": {"name": "b", "why": "it mounts c as well"}}
    failed = weighed(scene, replace(rehearsed, facts=facts))
    assert failed is not None and readiness(failed).endswith(" in 10 min: a Pending, b not tried")
    other_way = weighed(scene, replace(rehearsed, target="iad"))
    assert other_way is not None and other_way.rehearsed == ""
    broken = weighed(
        scene, replace(armed, facts={"workloads": 7}, began="never"), replace(rehearsed, facts={"came": []})
    )
    assert broken is not None and readiness(broken).endswith("0 s: no workload was tried") and broken.kept == 0


def test_nothing_is_said_of_what_cannot_move_or_has_no_workload(scene: Theatre) -> None:
    for state in (ReplicationState.SPLIT, ReplicationState.FAILED_OVER, ReplicationState.COPY_GONE):
        assert weighed(scene, state=state) is None
    assert weighed(scene, address="iad/protected_path/other") is None
    planned = find_drift(scene.lab.workspace(), None).planned
    for lacking in (
        [entry for entry in planned.everything if entry.address.kind != "persistent_volume_claim"],
        [replace(entry, values={**entry.values, "capabilities": "SYNC_REPLICATION"}) for entry in planned.everything],
    ):
        (row,) = with_readiness(planned.plan.replications, {}, lacking, (), "", scene.clock.now())
        assert row.readiness is None


def test_nothing_is_said_of_a_path_that_only_global_access_shares(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CSI_PASSWORD", "of-the-csi-user")
    with shared_theatre(tmp_path) as scene:
        assert row_of(scene).readiness is None


def test_a_project_with_several_volumes_is_armed_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CSI_PASSWORD", "of-the-csi-user")
    with both(tmp_path) as scene:
        rows = find_drift(scene.lab.workspace(), None).drift.replications
        assert len(rows) == 2
        for row in rows:
            assert row.readiness is not None and row.readiness.arm.endswith(f" {TEAM} --to pdx --out armed.json")
            assert row.readiness.rehearse.endswith(f" {row.address} --to pdx --rehearse")
        arm_move(scene.lab.workspace(), TEAM, "pdx", print, "again", scene.clock)
        rows = find_drift(scene.lab.workspace(), None).drift.replications
        assert [row.readiness is not None and row.readiness.counts for row in rows] == [True, True]
        scene.clock.sleep(60)
        scene.run(scene.plan())
        command = f"vastplan move arm DOC {TEAM._replace(site='pdx')} --to iad --out armed.json"
        assert f"  not armed: pdx is the source now ({command})\n" in status(scene, capsys)
        (said_of_home,) = (
            row.readiness for row in find_drift(scene.lab.workspace(), None).drift.replications if row.address == PATH
        )
        assert said_of_home is not None and command in readiness(said_of_home).replace(
            str(scene.lab.folder / "lab.yaml"), "DOC"
        )
