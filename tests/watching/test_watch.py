"""Two watchers over simulated sites: what they do when a site is lost, and what they leave alone."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.faults.strike import HASTY
from tests.moving.matrix import Killed
from tests.moving.test_arm import submit
from tests.moving.test_together import with_active
from tests.moving.theatre import Theatre, shared_theatre
from vastplan.app.move import last_moves
from vastplan.app.watch import WatchSetup, watcher_of
from vastplan.model.errors import VastplanError
from vastplan.model.move_plan import UNPLANNED
from vastplan.operations.failover.watcher import Watcher
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
    assert any("armed for pdx, 1 workloads kept" in line for line in shift.beats(2))
    scene.lab.world.lose("iad", power=True, jobs="stop")
    told = "\n".join(shift.beats(10))
    assert told.count("failed over from iad to pdx") == 1
    assert scene.path("pdx")["role"] == "SOURCE"
    assert list(scene.workloads("pdx").values()) == ["Running"]
    assert shift.fenced == ["fence iad"]
    (move,) = (move for move in last_moves(scene.lab.workspace()) if move.mode == UNPLANNED)
    assert move.consent["watcher"] in shift.watchers and "iad is fenced" in told
    assert shift.beats(3) == []
    scene.lab.world.find("iad")
    assert [line for line in shift.beats(3) if "iad answers again" in line]
    assert len(shift.fenced) == 1


def test_without_a_second_place_it_only_alarms(scene: Theatre) -> None:
    shift = Shift(scene, "pdx")
    scene.lab.world.lose("iad", power=True, jobs="stop")
    told = shift.beats(16)
    (alarm,) = [line for line in told if line.startswith("ALARM")]
    assert alarm.startswith("ALARM iad/project/team: iad does not answer; by hand: vastplan move plan ")
    assert alarm.endswith("--unplanned --out lost.json; no other watcher says that it has been silent for 120 s")
    assert "iad does not answer" in told
    assert not shift.fenced and scene.path("pdx")["role"] == "DESTINATION"
    scene.lab.world.find("iad")
    assert "the alarms are over" in shift.beats(45)  # also the arming, once the link works again


def test_what_the_document_leaves_to_a_person_is_armed_and_alarmed_for(scene: Theatre) -> None:
    scene.lab.write(document(None))
    shift = Shift(scene, "pdx", "hq")
    assert "watches iad/project/team: if iad is lost, alarms; a person moves it to pdx" in shift.said
    assert any("armed for pdx" in line for line in shift.beats(1))
    scene.lab.world.lose("iad", power=True, jobs="stop")
    assert any("a person has to decide" in line for line in shift.beats(11))
    assert not shift.fenced and scene.path("pdx")["role"] == "DESTINATION"


def test_a_site_that_is_not_fenced_is_not_given_up_and_nothing_is_left_under_way(scene: Theatre) -> None:
    shift = Shift(scene, "pdx", "hq", fence=7)
    scene.lab.world.lose("iad", power=True, jobs="stop")
    told = "\n".join(shift.beats(9))
    assert "iad is not fenced" in told and "ended with 7" in told and "failed over" not in told
    assert scene.path("pdx")["role"] == "DESTINATION"
    shift.fence = f'{sys.executable} -c "{FENCES.format(0)}"'
    shift.watchers = {place: shift.watcher(place) for place in ("pdx", "hq")}
    assert "failed over from iad to pdx" in "\n".join(shift.beats(10))


def test_a_restore_point_that_is_too_old_is_left_to_a_person(scene: Theatre) -> None:
    scene.lab.write(document({**FAILOVER, "lose_at_most": "90s"}))
    shift = Shift(scene, "pdx", "hq")
    scene.lab.world.lose("iad", power=True, jobs="stop")
    told = "\n".join(shift.beats(9))
    assert "and the document allows 90 s" in told and not shift.fenced


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
