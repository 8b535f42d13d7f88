"""Two watchers over simulated sites: what they do when a site is lost, and what they leave alone."""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.faults.strike import HASTY
from tests.moving.matrix import NEVER, Killed, killed_at
from tests.moving.test_arm import submit
from tests.moving.test_together import with_active
from tests.moving.theatre import Theatre, shared_theatre
from tests.moving.together import TEAM
from vastplan.app.move import abort_move, go_on_with_move, last_moves, plan_move, run_move
from vastplan.app.watch import WatchSetup, watcher_of
from vastplan.app.watching.commands import run_fence
from vastplan.model.address import Address
from vastplan.model.errors import VastplanError
from vastplan.model.move_plan import REJOIN, UNPLANNED
from vastplan.model.operation import Phase
from vastplan.operations.failover.watcher import Watcher
from vastplan.operations.run import Stopped
from vastplan.operations.wanted import WantedMove
from vastplan.systems.vast.replica import VastReplica

FAILOVER = {"mode": "automatic", "after": "2m", "lose_at_most": "2h"}
LEDGER = {"kubernetes": {"namespace": "vastplan", "site": "pdx"}}
FENCES = "import sys, pathlib; pathlib.Path('fenced').open('a').write(' '.join(sys.argv[1:]) + chr(10)); sys.exit({})"


def document(failover: Any = FAILOVER) -> dict[str, Any]:
    sections = with_active("iad")
    for volume in sections["tenants"]["team"]["volumes"].values() if failover else ():
        volume["failover"] = failover
    return sections


class Shift:
    """Watchers of one document, each at a place of its own, and what they said."""

    def __init__(self, scene: Theatre, *places: str, fence: int | None = 0) -> None:
        self.scene, self.said = scene, list[str]()
        self.fence = "" if fence is None else f'{sys.executable} -c "{FENCES.format(fence)}"'
        self.watchers = {place: self.watcher(place) for place in places}

    def watcher(self, place: str) -> Watcher:
        site = WatchSetup(
            open=self.scene.lab.workspace, place=place, say=self.said.append, fence=self.fence, clock=self.scene.clock
        )
        return watcher_of(site, 30)

    def beats(self, number: int) -> list[str]:
        """What they say in so many beats."""
        self.said.clear()
        for _, watcher in itertools.product(range(number), self.watchers.values()):
            self.scene.clock.sleep(15)
            watcher.beat()
        return self.said

    @property
    def fenced(self) -> list[str]:
        file = Path("fenced")
        return file.read_text().splitlines() if file.exists() else []


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Theatre]:
    monkeypatch.setenv("CSI_PASSWORD", "of-the-csi-user")
    monkeypatch.setattr("vastplan.app.connect.TRANSPORT_LIMITS", HASTY)
    monkeypatch.setattr("vastplan.app.connect.OF_A_LOST_SITE", HASTY)
    monkeypatch.chdir(tmp_path)
    with shared_theatre(tmp_path, sections=with_active("iad")) as made:
        made.lab.ledger = LEDGER
        made.lab.write(document())
        made.lab.converge()
        made.clock.sleep(3700)
        yield made


def test_a_lost_site_is_failed_over_once_and_nobody_types_anything(scene: Theatre) -> None:
    submit(scene, "train")
    shift = Shift(scene, "pdx", "hq")
    assert any("armed for pdx, 1 workload kept" in line for line in shift.beats(2))
    scene.lab.world.lose("iad", power=True, jobs="stop")
    told = "\n".join(shift.beats(10))
    assert told.index("ALARM") == told.index("ALARM iad/project/team: failed over from iad to pdx")
    assert (
        told.count("ALARM iad/project/team: failed over from iad to pdx") == 1
        and "failover of this watcher stopped" not in told
    )
    assert "pdx/project/team is on pdx since the move" in told and "--rejoin iad and vastplan" in told
    assert scene.path("pdx")["role"] == "SOURCE"
    assert list(scene.workloads("pdx").values()) == ["Running"]
    assert shift.fenced == ["fence iad"]
    (move,) = (move for move in last_moves(scene.lab.workspace()) if move.mode == UNPLANNED)
    assert move.consent["watcher"] in shift.watchers and "iad is fenced" in told
    assert shift.beats(3) == []
    scene.lab.world.find("iad")
    assert [line for line in shift.beats(3) if "iad answers, and may take writes" in line and "--rejoin iad" in line]
    assert len(shift.fenced) == 1
    for path in ("home", "data"):
        rejoin(scene, path)
    assert "the alarms are over" in shift.beats(1)
    home = plan_move(scene.lab.workspace(), WantedMove(TEAM._replace(site="pdx"), "iad"), scene.clock)
    run_move(scene.lab.workspace(), home, print, "", scene.clock, {})
    assert any("iad/project/team: armed for pdx, 1 workload kept" in line for line in shift.beats(2))


def rejoin(scene: Theatre, path: str, deadly: int = NEVER) -> None:
    """A person decides that pdx is right."""
    wanted = WantedMove(Address("iad", "protected_path", path), "pdx", REJOIN)
    plan = plan_move(scene.lab.workspace(), wanted, scene.clock)
    killed_at(deadly, lambda: run_move(scene.lab.workspace(), plan, print, "", scene.clock, {}))


def test_a_decision_that_is_interrupted_ends_no_alarm(scene: Theatre) -> None:
    shift = Shift(scene, "pdx", "hq")
    scene.lab.world.lose("iad", power=True, jobs="stop")
    shift.beats(10)
    scene.lab.world.find("iad")
    assert [line for line in shift.beats(3) if "iad answers, and may take writes" in line]
    rejoin(scene, "home", deadly=12)
    rejoin(scene, "data", deadly=12)
    (move, *_) = (move for move in last_moves(scene.lab.workspace()) if move.mode == REJOIN)
    told = "\n".join(shift.beats(3))
    assert "the alarms are over" not in told and f"lab.yaml {move.id}" in told


def test_what_a_watcher_began_is_not_gone_on_with_by_hand_before_it_is_fenced(
    scene: Theatre, monkeypatch: pytest.MonkeyPatch
) -> None:
    shift = Shift(scene, "pdx", "hq")
    scene.lab.world.lose("iad", power=True, jobs="stop")

    def dies(*_: object) -> str:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr("vastplan.app.watching.commands.run_fence", dies)
        with pytest.raises(Killed):
            shift.beats(10)
    (move,) = (move for move in last_moves(scene.lab.workspace()) if move.mode == UNPLANNED)
    with pytest.raises(Stopped, match="a watcher began it, on condition that the lost site is fenced"):
        go_on_with_move(scene.lab.workspace(), move.id, print, "again", scene.clock)
    assert scene.path("pdx")["role"] == "DESTINATION"
    told = shift.beats(12)
    assert [line for line in told if f"took back the move {move.id}" in line]
    assert [line for line in told if "failed over from iad to pdx" in line]


def test_a_site_that_is_back_after_the_fence_is_not_given_up(scene: Theatre, monkeypatch: pytest.MonkeyPatch) -> None:
    shift = Shift(scene, "pdx", "hq")
    scene.lab.world.lose("iad", power=True, jobs="stop")

    def takes_long(*_: object) -> str:
        scene.lab.world.find("iad")
        return ""

    monkeypatch.setattr("vastplan.app.watching.commands.run_fence", takes_long)
    told = "\n".join(shift.beats(10))
    assert "iad answers" in told and "failed over from" not in told
    assert scene.path("pdx")["role"] == "DESTINATION"
    assert all(move.phase.closed for move in last_moves(scene.lab.workspace()))


def test_a_move_that_has_ended_meanwhile_is_not_taken_back(scene: Theatre, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who takes it back has waited for the ledger, which the one that ended it held."""
    shift = Shift(scene, "pdx", "hq")
    scene.lab.world.lose("iad", power=True, jobs="stop")
    shift.beats(10)
    (move,) = (move for move in last_moves(scene.lab.workspace()) if move.mode == UNPLANNED)
    with scene.lab.workspace().ledger() as backend:
        parts = {site: backend.read(site) for site in backend.sites()}
    before = replace(move, phase=Phase.OPEN)
    stale = {site: replace(part, operations={**part.operations, move.subject: before}) for site, part in parts.items()}
    monkeypatch.setattr("vastplan.app.operations._all_parts", lambda _: stale)
    with pytest.raises(VastplanError, match="has ended"):
        abort_move(scene.lab.workspace(), move.id, print, scene.clock)


@pytest.mark.parametrize("command", ["/nowhere/fence.sh", "'", ""])
def test_a_fence_that_cannot_be_run_is_refused_at_the_start(scene: Theatre, command: str) -> None:
    shift = Shift(scene)
    shift.fence = command
    if command:
        with pytest.raises(VastplanError, match="is no command that can be run here"):
            shift.watcher("pdx")
    else:
        shift.watcher("pdx")
        assert shift.said == [
            "watches iad/project/team: if iad is lost, alarms (without --fence COMMAND nobody confirms that a lost site takes no more writes)"
        ]


def test_a_fence_that_does_not_end_is_ended_with_all_that_it_started(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("vastplan.app.watching.commands.FENCE_SECONDS", 0.5)
    left = tmp_path / "left"
    began = time.monotonic()
    assert "did not end within 0 s" in run_fence(f"sh -c '(sleep 3; touch {left}) & wait' fence", "iad")
    time.sleep(max(0.0, began + 3.5 - time.monotonic()))
    assert not left.exists()


def test_without_a_second_place_it_only_alarms(scene: Theatre) -> None:
    shift = Shift(scene, "pdx")
    scene.lab.world.lose("iad", power=True, jobs="stop")
    told = shift.beats(20)
    (alarm,) = [line for line in told if line.startswith("ALARM")]
    assert (
        "iad does not answer; no other watcher says that it has been silent for 120 s; by hand: vastplan move run "
        in alarm
    )
    assert alarm.endswith("iad/project/team --to pdx --unplanned")
    assert "iad does not answer" in told
    assert not shift.fenced and scene.path("pdx")["role"] == "DESTINATION"
    scene.lab.world.find("iad")
    assert "the alarms are over" in shift.beats(45)  # also the arming, once the link works again


def test_what_the_document_leaves_to_a_person_is_armed_and_alarmed_for(scene: Theatre) -> None:
    scene.lab.write(document(None))
    shift = Shift(scene, "pdx", "hq")
    assert "watches iad/project/team: if iad is lost, alarms" in shift.said
    assert any("armed for pdx" in line for line in shift.beats(1))
    scene.lab.world.lose("iad", power=True, jobs="stop")
    assert any("a person has to decide" in line for line in shift.beats(11))
    assert not shift.fenced and scene.path("pdx")["role"] == "DESTINATION"


def test_a_site_that_is_not_fenced_is_not_given_up_and_nothing_is_left_under_way(scene: Theatre) -> None:
    shift = Shift(scene, "pdx", "hq", fence=7)
    scene.lab.world.lose("iad", power=True, jobs="stop")
    told = "\n".join(shift.beats(9))
    assert "iad is not fenced" in told and "ended with 7" in told and "failed over from" not in told
    assert (
        all(move.phase.closed for move in last_moves(scene.lab.workspace())) and "end the fence once it is well" in told
    )
    assert scene.path("pdx")["role"] == "DESTINATION"
    shift.fence = f'{sys.executable} -c "{FENCES.format(0)}"'
    shift.watchers = {place: shift.watcher(place) for place in ("pdx", "hq")}
    assert "failed over from iad to pdx" in "\n".join(shift.beats(10))


def test_a_restore_point_that_is_too_old_is_left_to_a_person(scene: Theatre) -> None:
    scene.lab.write(document({**FAILOVER, "lose_at_most": "90s"}))
    shift = Shift(scene, "pdx", "hq")
    scene.lab.world.lose("iad", power=True, jobs="stop")
    told = "\n".join(shift.beats(9))
    assert "is older than the document allows (90 s)" in told and not shift.fenced


def test_one_system_that_answers_is_not_silence(scene: Theatre) -> None:
    shift = Shift(scene, "pdx", "hq")
    scene.lab.world.lose("iad", systems=["vast", "kubernetes"], links=True)
    told = shift.beats(12)
    assert [line for line in told if "is not armed" in line] and not [
        line for line in told if "does not answer" in line
    ]
    assert not shift.fenced


def test_a_watcher_that_died_after_it_had_given_up_a_site_is_followed_by_another(
    scene: Theatre, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit(scene, "train")
    shift = Shift(scene, "pdx", "hq")
    shift.beats(1)
    scene.lab.world.lose("iad", power=True, jobs="stop")
    called = VastReplica.force

    def dies(*_: object) -> None:
        monkeypatch.setattr(VastReplica, "force", called)
        raise Killed

    monkeypatch.setattr(VastReplica, "force", dies)
    with pytest.raises(Killed):
        shift.beats(10)
    assert scene.path("pdx")["role"] == "STANDALONE"
    told = "\n".join(shift.beats(8))
    assert "failed over from iad to pdx" in told
    assert len(scene.workloads("pdx")) == 1


def test_a_watcher_needs_something_to_watch(scene: Theatre) -> None:
    scene.lab.write({"namespaces": {"vast-csi": {}}})
    with pytest.raises(VastplanError, match="no volume that replicates"):
        Shift(scene, "pdx")
