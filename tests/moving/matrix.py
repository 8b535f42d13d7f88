"""A move that is killed or struck somewhere, then gone on with: what must be so in the end, wherever it was."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from unittest.mock import patch

from tests.faults.strike import FAULTS, HASTY
from tests.moving.theatre import Theatre
from vastplan.ledger.events import Event
from vastplan.ledger.file import FileSession
from vastplan.model.errors import VastplanError
from vastplan.model.move_plan import MovePlan
from vastplan.model.operation import Phase
from vastplan.sim.faults import Effect, Fault, Faults
from vastplan.systems.transport import Answer, ClientRequest, Transport

NEVER = -1  # a request that does not come
RUNS = 4  # of one move, at most, until it has ended
AGAIN = 17  # one that goes on by its id is killed again at one of so many events
STRIKING = [name for name, fault in FAULTS.items() if fault is not None]


class Killed(BaseException):
    """What nothing catches."""


@dataclass
class Killer:
    """Counts what a run does to the world and to its ledger, before and after; at one of these events the run ends."""

    deadly: int = -1
    events: int = 0

    def event(self) -> None:
        if self.events == self.deadly:
            self.events += 1
            raise Killed
        self.events += 1

    @contextlib.contextmanager
    def armed(self) -> Iterator[None]:
        record, call, killer = FileSession.record, Transport.call, self

        def recorded(session: FileSession, *events: Event) -> None:
            killer.event()
            record(session, *events)
            killer.event()

        def called(transport: Transport, request: ClientRequest) -> Answer:
            writes = request.method != "GET" and "token" not in request.path and "/leases" not in request.path
            if writes:
                killer.event()
            answer = call(transport, request)
            if writes:
                killer.event()
            return answer

        with patch.object(FileSession, "record", recorded), patch.object(Transport, "call", called):
            yield


class Judge:
    """Who may write, at every second, and what was written before it stopped."""

    def __init__(self, scene: Theatre) -> None:
        self._scene, self._stream, self.crowds = scene, scene.path("pdx")["guid"], set[tuple[str, ...]]()
        scene.clock.watchers.append(self._look)

    def _look(self) -> None:  # no request: it would be counted, and struck
        self.crowds.add(tuple(self._scene.lab.world.writers(self._stream)))

    def planned(self) -> None:
        """Each side has its role, one workload runs, and nothing that was written is missing."""
        scene = self._scene
        assert scene.roles() == ("DESTINATION", "SOURCE")
        assert scene.workloads("iad") == {"train": "Stopped"}
        assert list(scene.workloads("pdx").values()) == ["Running"]
        assert scene.labels("pdx") == scene.labels("iad") and "step-0" in scene.labels("pdx")
        assert max(map(len, self.crowds), default=0) <= 1, self.crowds
        self.recorded()

    def unplanned(self, kept: list[str]) -> None:
        """The copy leads, with what its restore point had."""
        assert self._scene.path("pdx")["role"] == "SOURCE"
        assert self._scene.labels("pdx") == kept
        self.recorded()

    def rejoined(self, leads: str, kept: list[str], branch: list[str]) -> None:
        """One leads with what it had, the other follows it, and what only that had is in one snapshot."""
        scene = self._scene
        (follows,) = {"iad", "pdx"} - {leads}
        assert (scene.path(leads)["role"], scene.path(follows)["role"]) == ("SOURCE", "DESTINATION")
        assert scene.labels(leads) == scene.labels(follows) == kept
        assert set(scene.workloads(follows).values()) <= {"Stopped"}
        snapshots = [row for row in scene.snapshots(follows) if row["name"].startswith("vastplan-")]
        assert len(snapshots) == 1
        assert scene.labels_of_snapshot(follows, snapshots[0]["name"]) == branch
        self.recorded()

    def recorded(self) -> None:
        """Both ledgers say the same, and that it has ended."""
        with self._scene.lab.workspace().ledger() as backend:
            parts = [backend.read(site) for site in ("iad", "pdx")]
        (one,), (other,) = (tuple(part.operations.values()) for part in parts)
        assert one == other and one.phase is Phase.DONE


def goes_on(scene: Theatre, plan: MovePlan, deadly: int = 0) -> None:
    """As somebody does who types the command that a stop names, until the move has ended."""
    until_it_ends(or_by_id(lambda: scene.run(plan), lambda: scene.go_on(plan), deadly), scene.pause)


def or_by_id(run: Callable[[], object], by_id: Callable[[], object], deadly: int) -> Callable[[], object]:
    """What goes on after a kill: the plan's file, or after every other event the id alone, which is killed once more.

    What was killed before its record was written has no id yet.
    """
    if deadly % 2 == 0:
        return run
    try:
        killed_at(deadly % AGAIN, by_id)
    except VastplanError as problem:
        if str(problem).startswith(("no move", "no restore")):
            return run
    return by_id


def taken_back(scene: Theatre, plan: MovePlan, deadly: int = 0) -> bool:
    """Whether somebody who gives up a killed move takes it back, after every other event with a kill of that, too; else it says why not."""
    if deadly % 2:
        with contextlib.suppress(VastplanError):
            killed_at(deadly % AGAIN, lambda: scene.abort(plan))
    try:
        done = scene.abort(plan)
    except VastplanError as problem:
        told = str(problem)
        known = ("can no longer be taken back", "no move", "has ended")
        assert [words for words in known if words in told], told
        return False
    assert done.phase is Phase.ABORTED
    return True


def killed(scene: Theatre, plan: MovePlan, deadly: int) -> int:
    """A run that is killed at an event, and how many there were; -1 is none."""
    return killed_at(deadly, lambda: scene.run(plan))


def until_it_ends(run: Callable[[], object], pause: Callable[[], None]) -> None:
    """The same command typed again after each stop, and a pause."""
    told: list[str] = []
    for _ in range(RUNS):
        try:
            run()
        except VastplanError as problem:
            told.append(str(problem))
            pause()
        else:
            return
    raise AssertionError("it does not end:\n" + "\n".join(told))


def killed_at(deadly: int, run: Callable[[], object]) -> int:
    """A run of whatever operation that is killed at an event, and how many there were."""
    killer = Killer(deadly)
    with killer.armed(), contextlib.suppress(Killed):
        run()
    return killer.events


class Nth:
    """Strikes the N-th request of all servers, of those that write or of those that read."""

    def __init__(self, scene: Theatre, name: str, number: int, *, writes: bool) -> None:
        self.struck = ""
        self.seen = 0
        self._fault, self._number, self._writes = FAULTS[name], number, writes
        for site in scene.lab.world.sites.values():
            for server in site.servers.values():
                server.faults = _Faults(self)

    def effects(self) -> set[Effect]:
        return {self._fault.effect} if self._fault else set()

    def strike(self, method: str, path: str) -> Fault | None:
        if "token" in path or (method != "GET") is not self._writes:
            return None
        self.seen += 1
        if self.seen - 1 != self._number:
            return None
        self.struck = f"{method} {path}"
        return self._fault


class _Faults(Faults):
    def __init__(self, nth: Nth) -> None:
        super().__init__()
        self._nth = nth

    def effects(self) -> set[Effect]:
        return self._nth.effects()

    def strike(self, method: str, path: str) -> Fault | None:
        return self._nth.strike(method, path)


def struck(scene: Theatre, plan: MovePlan, name: str, number: int, *, writes: bool) -> Nth:
    """A run, and those after it, of which one request is struck."""
    nth = Nth(scene, name, number, writes=writes)
    with patch("vastplan.app.connect.TRANSPORT_LIMITS", HASTY):
        goes_on(scene, plan)
    return nth
