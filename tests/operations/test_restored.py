"""Restores with a directory in memory: what stands against one, what a run that died finds, what is taken back."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from vastplan.model.errors import Refused
from vastplan.model.operation import Operation, Phase
from vastplan.operations.calls.copy import LEAST, patience
from vastplan.operations.modes.restore.copy import clone, standing
from vastplan.operations.modes.restore.in_place import Rewound, amiss, in_place
from vastplan.operations.run import Run, Stopped, abort, carry_out, close
from vastplan.schema.ports.replica import Kept, Side, SideRole
from vastplan.schema.ports.snapshots import Copy, DirectorySnapshot

GOOD = DirectorySnapshot(7, "g-7", "good", "2026-01-01T00:00:00", True)
SIDE = Side(SideRole.SOURCE, "SOURCE", "ACTIVE", good=True, enabled=True, connected=False)


@dataclass
class Directory:
    """A protected path; it notes what it is asked to do."""

    site: str = "iad"
    directory: str = "/d"
    path: str = "/protectedpaths/1/"
    known: list[DirectorySnapshot] = field(default_factory=lambda: [GOOD])
    copying: dict[str, Copy] = field(default_factory=dict)
    side: Side = SIDE
    dangers: dict[str, Any] = field(default_factory=lambda: {"is_dest_ppath": False})
    bytes: int | None = 5
    theirs: bool = False
    done: list[str] = field(default_factory=list)
    state: str = "Completed"
    at: float = 0.0
    notes: list[Operation] = field(default_factory=list)

    def used(self) -> int | None:
        return self.bytes

    def snapshots(self) -> tuple[DirectorySnapshot, ...]:
        return tuple(self.known)

    def elsewhere(self, name: str) -> str:
        return ""

    def copy(self, name: str) -> Copy | None:
        return self.copying.get(name)

    def taken(self, directory: str) -> str:
        return "a view is there" if directory == "/taken" else ""

    def clone(self, snapshot: int, name: str, directory: str) -> None:
        self._begin(f"clone {snapshot} to {directory}", name)

    def stop_clone(self, name: str) -> None:
        self.done.append("stop clone")
        self.copying.clear()

    def keep(self, name: str) -> None:
        self.done.append("keep")
        self.known.append(DirectorySnapshot(8, "g-8", name, "2026-01-02T00:00:00", True))

    def kept(self, name: str) -> Kept | None:
        return next((Kept(str(one.id), name, one.ready) for one in self.known if one.name == name), None)

    def look(self) -> Side:
        return self.side

    def size_of(self, snapshot: DirectorySnapshot) -> int | None:
        return None

    def restoring(self) -> bool:
        return self.theirs or bool(self.copying)

    def warnings(self) -> dict[str, Any]:
        return self.dangers

    def restore(self, snapshot: int, name: str) -> None:
        self._begin(f"restore {snapshot}", name)

    def stop(self) -> None:
        self.done.append("stop")
        self.copying.clear()

    def commit(self) -> None:
        self.done.append("commit")
        self.copying.clear()
        self.bytes = 3

    def _begin(self, what: str, name: str) -> None:
        self.done.append(what)
        self.copying[name] = Copy("c-1", self.state, self.state == "Completed", self.state == "Suspended", "10 %")

    def now(self) -> datetime:
        return datetime(2026, 1, 3, tzinfo=UTC) + timedelta(seconds=self.at)

    def ticks(self) -> float:
        return self.at

    def sleep(self, seconds: float) -> None:
        self.at += seconds

    def home(self) -> Rewound:
        return Rewound(source=self, clock=self)

    def run(self) -> Run:
        return Run(self, self.notes.append, lambda _: None, self.home().standing, "AGAIN", "BACK")


def operation(directory: str = "") -> Operation:
    facts = {
        "snapshot": {name: getattr(GOOD, name) for name in DirectorySnapshot.__slots__},
        "directory": directory,
        "jobs": [],
    }
    return Operation("1", "restore", "in place", "guid", "iad/volume/d", "iad", "iad", "digest", "then", facts=facts)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, ""),
        ({"side": replace(SIDE, role=SideRole.DESTINATION, stated_role="DESTINATION")}, "it is DESTINATION at iad"),
        ({"side": replace(SIDE, good=False, state="")}, "it is in state unknown at iad"),
        ({"theirs": True}, "a restore that is not of this document is under way at iad"),
        ({"dangers": {"is_dest_ppath": True}}, "is or contains a replica of another path"),
        ({"dangers": {}}, "or VAST does not rule that out"),
    ],
)
def test_what_stands_against_one(changes: dict[str, Any], told: str) -> None:
    found = amiss(Directory(**changes))
    assert told in found and bool(told) == bool(found)


def test_what_is_there_is_kept_before_anything_is_copied_and_committed_last() -> None:
    world = Directory()
    done = close(carry_out(operation(), in_place(world.home(), 60.0), world.run()), world.run())
    assert world.done == ["keep", "restore 7", "commit"] and done.phase is Phase.DONE
    assert (done.facts["used"], done.facts["used after"]) == (5, 3)


def test_nothing_is_committed_when_what_was_there_is_kept_no_more() -> None:
    world = Directory(state="Syncing")
    stages = in_place(world.home(), 0.0)
    with pytest.raises(Stopped, match="vastplan-restore-1 is Syncing, 10 %"):
        carry_out(operation(), stages, world.run())
    world.copying = {name: replace(one, complete=True) for name, one in world.copying.items()}
    world.known = [GOOD]
    with pytest.raises(Stopped, match=r"the snapshot of the current data \(before-restore-1\) is gone") as stopped:
        carry_out(world.notes[-1], stages, world.run())
    assert "/d at iad is unchanged" in str(stopped.value) and "commit" not in world.done
    assert abort(world.notes[-1], stages, world.run()).phase is Phase.ABORTED
    assert world.done[-1] == "stop" and world.copying == {}


def test_a_commit_that_is_not_answered_is_told_by_the_copy() -> None:
    world = Directory()
    stages = in_place(world.home(), 60.0)

    def lost() -> None:
        Directory.commit(world)
        raise KeyboardInterrupt

    world.commit = lost  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        carry_out(operation(), stages, world.run())
    assert "the outcome of the commit is unknown" in world.home().standing(world.notes[-1])
    with pytest.raises(Stopped, match="can no longer be taken back: it is committed") as stopped:
        abort(world.notes[-1], stages, world.run())
    assert "/d at iad has the data of snapshot good" in str(stopped.value)
    done = carry_out(world.notes[-1], stages, world.run())
    assert done.passed[-1] == "go on" and world.done.count("commit") == 1


def test_a_commit_that_is_refused_stops_and_is_taken_back() -> None:
    world = Directory()

    def refused() -> None:
        raise Refused("not complete", 400)

    world.commit = refused  # type: ignore[method-assign]
    stages = in_place(world.home(), 60.0)
    with pytest.raises(Stopped, match="was refused: not complete"):
        carry_out(operation(), stages, world.run())
    assert abort(world.notes[-1], stages, world.run()).phase is Phase.ABORTED and world.done[-1] == "stop"


@pytest.mark.parametrize(
    ("changes", "directory", "told"),
    [
        ({"known": []}, "/new", "the snapshot good of /d is gone from iad"),
        ({"known": [replace(GOOD, guid="another")]}, "/new", "the snapshot good of /d is gone from iad"),
        ({"known": [replace(GOOD, ready=False)]}, "/new", "the snapshot good is not ready"),
        ({}, "/taken", "a view is there"),
        ({"state": "Suspended"}, "/new", "it was paused there, or has failed"),
    ],
)
def test_what_stops_a_clone(changes: dict[str, Any], directory: str, told: str) -> None:
    world = Directory(**changes)
    with pytest.raises(Stopped, match=told):
        carry_out(operation(directory), (clone(world, 0.0),), world.run())


def test_a_clone_that_is_complete_stays_and_is_named() -> None:
    world = Directory(state="Syncing")
    stages = (clone(world, 0.0),)
    with pytest.raises(Stopped):
        carry_out(operation("/new"), stages, world.run())
    assert standing(world, world.notes[-1]) == "/d is unchanged; the copy to /new is Syncing, 10 %"
    world.copying = {name: replace(one, complete=True) for name, one in world.copying.items()}
    done = abort(world.notes[-1], stages, world.run())
    assert done.facts["left"] == "/new" and world.done == ["clone 7 to /new"]


def test_how_long_a_copy_is_waited_for() -> None:
    assert (patience(None), patience(10), patience(10**13)) == (LEAST, LEAST, 20000.0)
