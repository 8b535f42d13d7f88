"""The work of a plan grows with what changes, not with its square: counted in steps of the interpreter, not in seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from types import FrameType
from typing import Any

import pytest

from tests.engine.library import Bench, entry, ref
from vastplan.engine.live.consent import Approval
from vastplan.model.plan import Verb

SMALL, LARGE = 60, 240


def steps(work: Callable[[], Any]) -> int:
    """How many instructions of Python code a piece of work takes, whatever functions they are in."""
    count = 0

    def traced(frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal count
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return traced

    before = sys.gettrace()
    sys.settrace(traced)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def library(count: int, **values: Any) -> tuple[Bench, list[Any]]:
    """Shelves with a book on each, all of it applied."""
    bench = Bench()
    bench.consent = replace(bench.consent, max_count=10_000)
    entries = [entry("shelf", f"s{n}", **values) for n in range(count)]
    entries += [entry("book", f"b{n}", shelf=ref("shelf", f"s{n}")) for n in range(count)]
    bench.done(*entries)
    return bench, entries


def nothing(count: int) -> tuple[Bench, list[Any]]:
    """Nothing changes."""
    return library(count)


def updates(count: int) -> tuple[Bench, list[Any]]:
    """Every shelf changes."""
    bench, entries = library(count, size=3)
    changed = [entry("shelf", f"s{n}", size=4) for n in range(count)]
    return bench, [*changed, *entries[count:]]


def deletes(count: int) -> tuple[Bench, list[Any]]:
    """All of it goes, each with an approval of its own."""
    bench, entries = library(count)
    addresses = [str(each.address) for each in entries]
    approvals = tuple(Approval(address, "is not needed", "2099-01-01") for address in addresses)
    bench.consent = replace(bench.consent, allow_delete=tuple(addresses), approvals=approvals)
    return bench, []


def creates(count: int) -> tuple[Bench, list[Any]]:
    """All of it is new."""
    bench = Bench()
    entries = [entry("shelf", f"s{n}") for n in range(count)]
    return bench, [*entries, *(entry("book", f"b{n}", shelf=ref("shelf", f"s{n}")) for n in range(count))]


@pytest.mark.parametrize(
    ("case", "verb", "each"),
    [
        (nothing, None, 0),
        (updates, Verb.UPDATE, 1),
        pytest.param(deletes, Verb.DELETE, 2, marks=pytest.mark.slow),
        (creates, Verb.CREATE, 2),
    ],
)
def test_four_times_the_changes_are_four_times_the_work(
    case: Callable[[int], tuple[Bench, list[Any]]], verb: Verb | None, each: int
) -> None:
    taken = []
    for count in (SMALL, LARGE):
        bench, entries = case(count)
        plan = bench.plan(*entries)
        assert [action.verb for action in plan.actions] == [verb] * (each * count)
        assert not any(action.blocked for action in plan.actions)
        taken.append(steps(lambda bench=bench, entries=entries: bench.plan(*entries)))  # type: ignore[misc]
    assert taken[1] < 4.5 * taken[0], taken  # with the square of the changes it would be sixteen times
