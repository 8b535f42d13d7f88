"""Watchers under every accident that is drawn: no promise is broken, and a watcher with a fault in it is found."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest

from tests.watching.model import BUGS, Broken, history

RARE = ("sees no gap", "short lock", "asks once")
"""They take thousands of histories: test_sight.py, tests/ledger/test_lease.py and test_watch.py have them."""


def found_after(bug: str, most: int) -> int:
    """How many histories it takes to find a fault. Fails the test if they do not suffice."""
    for number in itertools.count(1):
        assert number <= most, f"{bug} is not found in {most} histories"
        try:
            history(number, bug)
        except Broken:
            return number
    raise AssertionError


def test_no_promise_is_broken_and_sites_are_failed_over_and_brought_home() -> None:
    counts = sum((history(seed) for seed in range(1, 26)), Counter[str]())
    assert counts["failed over"] and counts["home"] and counts["alarms"]


def test_a_watcher_that_believes_itself_alone_is_found() -> None:
    found_after("alone", 100)


@pytest.mark.slow
def test_no_promise_is_broken_in_many() -> None:
    counts = sum((history(seed) for seed in range(100, 700)), Counter[str]())
    assert counts["home"] > 100


@pytest.mark.slow
@pytest.mark.parametrize("bug", [bug for bug in BUGS if bug not in RARE])
def test_each_fault_is_found(bug: str) -> None:
    found_after(bug, 1500)
