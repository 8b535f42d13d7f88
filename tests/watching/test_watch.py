"""Two watchers over simulated sites: what they do when a site is lost, and what they leave alone."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.moving.test_arm import submit
from tests.moving.test_together import with_active
from tests.moving.theatre import Theatre, shared_theatre
from vastplan.app.move import last_moves
from vastplan.app.watch import Site, watcher_of
from vastplan.model.errors import VastplanError
from vastplan.model.move_plan import UNPLANNED
from vastplan.operations.failover.watcher import Watcher

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
        site = Site(
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
