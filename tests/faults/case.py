"""One case of the matrix: a run that is struck, then an ordinary one, and what must hold after each."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from unittest.mock import patch

from tests.faults.stage import Moment, Stage, settled
from tests.faults.strike import HASTY, Striker
from tests.values.forms import held
from vastplan.model.errors import VastplanError
from vastplan.model.plan import Action, Plan, Verb
from vastplan.model.site_ledger import SiteLedger

TRANSPORT_LIMITS = "vastplan.app.connect.TRANSPORT_LIMITS"


@dataclass(frozen=True, slots=True)
class Scene:
    """A run to strike: where it starts, what it plans, the requests it makes, and what is there when all went well."""

    name: str
    start: Moment
    plan: Plan
    planning: tuple[str, ...]
    applying: tuple[str, ...]
    after: Counter[tuple[str, ...]]
    ledger: dict[str, frozenset[str]]
    delivered: frozenset[str]
    """The ids of keys and managers that there are at the start; the value of each is at its destination."""


def owned(ledger: dict[str, SiteLedger]) -> dict[str, frozenset[str]]:
    """The addresses that each part owns."""
    return {site: frozenset(part.entries) for site, part in ledger.items()}


class Theatre:
    """A stage with two scenes: the first apply of a document, and the apply of what it becomes."""

    def __init__(self, folder: Path, first: Path, second: Path) -> None:
        self.stage = Stage(folder, first)
        self.stage.strangers()
        self.striker = Striker(self.stage)
        self.scenes = [self._scene("first", first), self._scene("second", second)]

    def close(self) -> None:
        """Stop the servers."""
        self.stage.close()

    def _scene(self, name: str, document: Path) -> Scene:
        stage = self.stage
        stage.show(document)
        start, delivered = stage.now(), frozenset(stage.world.pairs())
        stage.orderly = True
        with self.striker.armed(()):
            plan = stage.plan()
            planning = tuple(self.striker.seen)
        settled(stage)
        objects, ledger = stage.world.objects(), owned(stage.ledger())
        stage.set_back(start)
        with self.striker.armed(()):
            stage.apply(plan)
            applying = tuple(self.striker.seen)
        again = stage.world.objects()
        assert again == objects, f"two applies differ: {again - objects}, {objects - again}"
        assert owned(stage.ledger()) == ledger
        return Scene(name, start, plan, planning, applying, objects, ledger, delivered)

    def planning(self, scene: Scene, *places: tuple[int, str]) -> list[tuple[str, str]]:
        """Strike while it plans, apply what was planned all the same, then run again; what was struck."""
        stage = self.stage
        stage.set_back(scene.start)
        with patch(TRANSPORT_LIMITS, HASTY), self.striker.armed(places):
            plan = self._planned()
        struck = list(self.striker.struck)
        if plan is not None and plan.actions == scene.plan.actions and not plan.unknown:
            return struck  # the same plan as without the fault: what it does is known
        stage.world.renew()
        if plan is not None and not any(action.blocked for action in plan.actions):
            self._hold(scene, plan)
        self._then(scene)
        return struck

    def applying(self, scene: Scene, *places: tuple[int, str], orderly: bool = True) -> list[tuple[str, str]]:
        """Strike while it applies, then run again; what was struck. What is not orderly runs as in life, in parallel."""
        stage = self.stage
        stage.set_back(scene.start)
        stage.orderly = orderly
        with patch(TRANSPORT_LIMITS, HASTY), self.striker.armed(places):
            self._hold(scene, scene.plan)
        stage.orderly = True
        struck = list(self.striker.struck)
        stage.world.renew()
        self._then(scene)
        return struck

    def _planned(self) -> Plan | None:
        try:
            return self.stage.plan()
        except VastplanError:
            return None

    def _hold(self, scene: Scene, plan: Plan) -> None:
        """Apply; a run may end in an error: what counts is what it leaves."""
        told = []
        try:
            told.append(json.dumps(asdict(self.stage.apply(plan)), default=str))
        except VastplanError as problem:
            told.append(str(problem))
        self._in_no_other_place(*told)
        self.kept(scene)

    def kept(self, scene: Scene) -> None:
        """What must hold whenever a run has ended, however it did."""
        ledger = self.stage.ledger()
        for site, part in ledger.items():
            before = {str(one.address) for one in scene.plan.actions if one.address.site == site}
            lost = scene.ledger[site] - before - part.entries.keys()
            assert not lost, f"the ledger lost {sorted(lost)}"
        self._in_no_other_place()
        strangers = {key: many for key, many in self.stage.world.objects().items() if "stranger" in " ".join(key)}
        expected = {key: many for key, many in scene.after.items() if "stranger" in " ".join(key)}
        assert strangers == expected, "a stranger's object was touched"

    def recovers(self, scene: Scene) -> None:
        """After a run that somebody else made, and that died."""
        self.kept(scene)
        self._then(scene)

    def _in_no_other_place(self, *texts: str) -> None:
        """No secret that any create told is in a text, the ledger or a system but with its key and at its destination."""
        told = self.stage.world.told()
        files = [raw.decode() for raw in self.stage.now().ledger.values()]
        assert not any(held(told, text) for text in (*files, *texts)), "a secret is in the open"
        assert not self.stage.world.leaking(told)

    def _then(self, scene: Scene) -> None:
        pairs = self.stage.world.pairs().items()
        lost = {one for one, (_, secret) in pairs if not self.stage.world.holding(secret)}
        plan = settled(self.stage)
        said = {one.id for one in plan.actions if _tells(one, known=one.id in scene.delivered)}
        assert lost <= said, f"nobody said that the values of {lost - said} are lost"
        self._in_no_other_place(json.dumps(asdict(plan), default=str))
        self.as_meant(scene)

    def as_meant(self, scene: Scene) -> None:
        """The same objects and the same ledger as without a fault: none twice, none too few, none unowned."""
        found = self.stage.world.objects()
        assert found == scene.after, f"too many: {found - scene.after}; too few: {scene.after - found}"
        assert owned(self.stage.ledger()) == scene.ledger
        for part in self.stage.ledger().values():
            assert not part.intents, f"left open: {sorted(part.intents)}"
        for name, secret in self.stage.world.pairs().values():
            places = self.stage.world.holding(secret)
            assert len(places) == 1 and name in places[0].values(), f"the secret of {name} is in {len(places)} Secrets"


def _tells(action: Action, *, known: bool) -> bool:
    """Whether an action says that the value of its object is lost; of one that was delivered once, that it goes."""
    if action.verb is Verb.DELETE:
        return known or "lost" in action.reason
    return action.verb is Verb.UPDATE and any(change.path in ("deliver", "generation") for change in action.changes)
