"""The runner: what is noted when, what is sent again and what never, and what is said when it stops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from vastplan.model.errors import INCOMPLETE, STALE, Refused, Unclear, Unreachable
from vastplan.model.operation import MEASURED, Facts, Operation, Outcome, Phase, operation_from_data, operation_to_data
from vastplan.operations.run import APART, TRIES, Run, Stopped, Unknown, abort, begin, carry_out, close, settle
from vastplan.operations.stage import Call, CallEffect, Gate, Holds, Stage
from vastplan.report.operations import status_text

NEW = Operation("1", "move", "planned", "guid", "iad/protected_path/p", "iad", "pdx", "d", "then")


@dataclass
class World:
    """A number that a call raises; what goes wrong with the next calls and reads; all that was noted."""

    at: int = 0
    now_: float = 0.0
    sent: int = 0
    trouble: list[Exception | None] = field(default_factory=list)
    lost: bool = False
    """Whether a call in trouble does nothing."""
    reads: list[Exception | None] = field(default_factory=list)
    notes: list[Operation] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)

    def now(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self.now_)

    def ticks(self) -> float:
        return self.now_

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now_ += seconds

    def look(self) -> Facts:
        if self.reads and (problem := self.reads.pop(0)) is not None:
            raise problem
        return {"at": self.at}

    def send(self) -> None:
        self.sent += 1
        problem = self.trouble.pop(0) if self.trouble else None
        if problem is None or not self.lost:
            self.at += 1
        if problem is not None:
            raise problem

    def run(self) -> Run:
        return Run(self, self.notes.append, self.said.append, lambda _: "iad may write", "AGAIN", "BACK")

    def call(self, told: Callable[[Facts, Facts], CallEffect] | None = None) -> Call:
        def compared(before: Facts, now: Facts) -> CallEffect:
            return CallEffect.HAPPENED if now["at"] > before["at"] else CallEffect.NOTHING

        return Call("raise", "PATCH /x/ at pdx", {"a": 1}, self.look, self.send, told or compared)

    def stage(self, **changes: Any) -> Stage:
        told = changes.pop("told", None)
        made = Stage("first", "raise it", "it is raised", 20.0, calls=lambda _: (self.call(told),))
        return replace(made, **changes)


def test_a_call_is_noted_before_it_is_sent_and_after() -> None:
    world = World()
    done = close(
        carry_out(begin(NEW, world.run()), (world.stage(gate=lambda _: Gate(Holds.YES, facts={"k": 1})),), world.run()),
        world.run(),
    )
    outcomes = [[one.outcome for one in note.attempts] for note in world.notes]
    assert outcomes == [[], [], [Outcome.PENDING], [Outcome.SEEN], [Outcome.SEEN], [Outcome.SEEN]]
    assert [note.serial for note in world.notes] == [1, 2, 3, 4, 5, 6]
    assert (done.phase, done.passed, done.facts, world.sent) == (
        Phase.DONE,
        ("first",),
        {"k": 1, MEASURED: {"first": 0}},
        1,
    )
    assert operation_from_data(operation_to_data(done)) == done


def test_the_seconds_of_each_stage_are_noted_and_shown() -> None:
    world = World()
    gates = iter((Gate(Holds.NOT_YET), Gate(Holds.NOT_YET), Gate(Holds.YES)))
    stages = (world.stage(gate=lambda _: next(gates)), world.stage(name="second", calls=lambda _: ()))
    done = carry_out(begin(NEW, world.run()), stages, world.run())
    assert sum(world.waits) == 3 and done.facts[MEASURED] == {"first": 3, "second": 0}
    assert "  measured: first 3 s, second 0 s; together 3 s" in status_text(done).splitlines()


@pytest.mark.parametrize("problem", [Unclear("no answer"), Refused("bad gateway", 502), Refused("busy", 429)])
def test_an_answer_that_says_nothing_is_settled_by_reading(problem: Exception) -> None:
    world = World(trouble=[problem])
    done = carry_out(NEW, (world.stage(),), world.run())
    assert (world.sent, world.waits) == (1, [])
    assert [one.outcome for one in done.attempts] == [Outcome.SEEN]


def test_it_is_sent_again_only_after_two_reads_that_show_nothing() -> None:
    world = World(trouble=[Unclear("no answer")], lost=True)
    done = carry_out(NEW, (world.stage(),), world.run())
    assert (world.sent, world.waits) == (2, [APART])
    assert [(one.number, one.outcome) for one in done.attempts] == [(1, Outcome.NOT_SENT), (2, Outcome.SEEN)]


def test_what_never_comes_through_stops() -> None:
    world = World(trouble=[Unclear("no answer")] * 9, lost=True)
    with pytest.raises(Stopped, match=f"was sent {TRIES} times and had no effect"):
        carry_out(NEW, (world.stage(),), world.run())
    assert world.sent == TRIES


def test_a_refusal_stops_and_says_who_may_write_and_what_to_type() -> None:
    world = World(trouble=[Refused("not now", 400)], lost=True)
    with pytest.raises(Stopped) as stopped:
        carry_out(NEW, (world.stage(),), world.run())
    assert stopped.value.exit_code == STALE
    assert str(stopped.value) == (
        "iad/protected_path/p (move 1) stopped at stage first: PATCH /x/ at pdx was refused: not now\n"
        "now: iad may write\ngo on: AGAIN; give up: BACK"
    )
    assert [one.outcome for one in world.notes[-1].attempts] == [Outcome.FAILED] and world.sent == 1


def test_what_cannot_be_told_is_never_sent_again() -> None:
    world = World(trouble=[Unclear("no answer")])
    with pytest.raises(Unknown, match=r"cannot determine whether .* took effect") as stopped:
        carry_out(NEW, (world.stage(told=lambda *_: CallEffect.UNKNOWN),), world.run())
    assert stopped.value.exit_code == INCOMPLETE and world.sent == 1
    assert [one.outcome for one in world.notes[-1].attempts] == [Outcome.PENDING]


@pytest.mark.parametrize(("came", "sent"), [(True, 0), (False, 1)])
def test_a_run_that_died_in_a_call_is_gone_on_with(came: bool, sent: int) -> None:
    first = World()
    first.send = lambda: (_ for _ in ()).throw(KeyboardInterrupt)  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        carry_out(NEW, (first.stage(),), first.run())
    again = World(at=1 if came else 0)
    done = carry_out(
        first.notes[-1], (again.stage(precondition=lambda _: "" if not came else "too late"),), again.run()
    )
    assert again.sent == sent and done.passed == ("first",)


def test_what_is_left_open_and_is_no_call_any_more_cannot_be_told() -> None:
    world = World(trouble=[Unclear("no answer")])
    with pytest.raises(Unknown):
        carry_out(NEW, (world.stage(told=lambda *_: CallEffect.UNKNOWN),), world.run())
    with pytest.raises(Unknown, match="cannot determine whether PATCH /x/ at pdx took effect"):
        settle(world.notes[-1], world.stage(calls=lambda _: ()), world.run())


def test_a_stage_whose_precondition_does_not_hold_sends_nothing() -> None:
    world = World()
    with pytest.raises(Stopped, match="somebody is at work"):
        carry_out(NEW, (world.stage(precondition=lambda _: "somebody is at work"),), world.run())
    assert world.sent == 0


def test_a_gate_is_waited_for_and_no_longer_than_its_bound() -> None:
    world = World()

    def gate(_: Operation) -> Gate:
        return Gate(Holds.YES if world.now_ >= 10 else Holds.NOT_YET, "not level")

    assert carry_out(NEW, (world.stage(gate=gate),), world.run()).passed == ("first",)
    assert world.said == ["[1/1] first: raise it", "  waits: not level"]
    world = World()
    with pytest.raises(Stopped, match=r"its gate \(it is raised\) did not hold within 20 s: never level"):
        carry_out(NEW, (world.stage(gate=lambda _: Gate(Holds.NOT_YET, "never level")),), world.run())
    with pytest.raises(Stopped, match="two sources"):
        carry_out(NEW, (world.stage(gate=lambda _: Gate(Holds.NEVER, "two sources")),), world.run())


def test_a_gate_that_cannot_be_read_is_looked_at_again() -> None:
    world = World()
    problems: list[Exception] = [Unreachable("away"), Refused("busy", 503)]

    def gate(_: Operation) -> Gate:
        if problems:
            raise problems.pop(0)
        return Gate(Holds.YES)

    assert carry_out(NEW, (world.stage(gate=gate),), world.run()).passed == ("first",)


def test_what_has_to_be_known_is_read_several_times_and_then_it_stops() -> None:
    world = World(reads=[Unreachable("away")] * 3)
    assert carry_out(NEW, (world.stage(),), world.run()).passed == ("first",)
    world = World(reads=[Unreachable("away")] * 9)
    run = replace(world.run(), standing=lambda _: str(world.look()))
    with pytest.raises(Unknown, match="cannot determine which side may write") as stopped:
        carry_out(NEW, (world.stage(),), run)
    assert "cannot determine the current state: away" in str(stopped.value) and world.sent == 0


def test_what_was_begun_is_taken_back_the_last_first() -> None:
    world, undone = World(), list[str]()

    def back(name: str) -> Callable[[Operation], tuple[Call, ...]]:
        send = lambda: undone.append(name)  # noqa: E731
        return lambda _: (Call("back", name, {}, dict, send, lambda *_: CallEffect.HAPPENED),)

    stages = tuple(replace(world.stage(), name=name, rollback=back(name)) for name in ("first", "second", "third"))
    begun = carry_out(NEW, stages[:2], world.run())
    done = abort(begun, stages, world.run())
    assert undone == ["second", "first"] and done.phase is Phase.ABORTED
    assert Phase.ABORTING in [note.phase for note in world.notes]


def test_past_the_point_of_no_return_nothing_is_taken_back() -> None:
    world = World()
    begun = carry_out(NEW, (world.stage(),), world.run())
    many = len(world.notes)
    with pytest.raises(Stopped, match="can no longer be taken back: pdx is the source"):
        abort(begun, (world.stage(crossed=lambda _: "pdx is the source"),), world.run())
    assert len(world.notes) == many


@pytest.mark.parametrize(
    "change",
    [
        {"id": 1}, {"phase": "going"}, {"facts": []}, {"term": "1"}, {"serial": True}, {"passed": [1]}, {"more": 1},
        {"attempts": [{"number": 1}]},
    ],
)  # fmt: skip
def test_what_is_no_record_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError, KeyError)):
        operation_from_data({**operation_to_data(NEW), **change})


def test_the_later_of_two_records_is_that_of_the_higher_term() -> None:
    assert replace(NEW, term=2).later_than(replace(NEW, serial=9)) and replace(NEW, serial=2).later_than(NEW)
    assert not NEW.later_than(NEW)


def test_a_stage_that_does_what_it_can_goes_on_without_what_it_cannot() -> None:
    world = World(trouble=[Refused("not now", 400)], lost=True)
    done = carry_out(NEW, (world.stage(best_effort=True),), world.run())
    assert done.passed == ("first",) and [one.outcome for one in done.attempts] == [Outcome.FAILED]
    assert world.said[-1].startswith("  not done: iad/protected_path/p (move 1) stopped at stage first: PATCH /x/")
    world = World(trouble=[Unclear("no answer")])
    stage = world.stage(best_effort=True, told=lambda *_: CallEffect.UNKNOWN)
    left = carry_out(NEW, (stage,), world.run())
    assert [one.outcome for one in left.attempts] == [Outcome.PENDING]
    assert settle(left, stage, world.run()) == left
    assert settle(left, replace(stage, calls=lambda _: ()), world.run()) == left
