"""What threads share is complete before they start: matched once, and from then on only looked at."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.engine.library import KINDS, SITE, Bench, at, entry, ref
from vastplan.engine.deciding.plan import collections_to_read
from vastplan.engine.live.read import observe
from vastplan.engine.matching.match import match
from vastplan.model.outcome import State

THREADS = 8


@pytest.fixture(autouse=True)
def _switch_often() -> Iterator[None]:
    """Threads take turns after a microsecond instead of five milliseconds."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def shelves_and_books(count: int) -> list[Any]:
    """Shelves, and on each a book, whose identity refers to its shelf."""
    numbers = range(count)
    shelves = [entry("shelf", f"s{n}") for n in numbers]
    return [*shelves, *(entry("book", f"b{n}", shelf=ref("shelf", f"s{n}")) for n in numbers)]


def test_a_thousand_resolutions_on_eight_threads() -> None:
    bench = Bench()
    entries = shelves_and_books(500)
    for n in range(500):
        shelf = bench.library.put("shelf", name=f"s{n}")
        bench.library.put("book", title=f"b{n}", shelf_id=shelf["id"])
    desired = {each.address: each for each in entries}
    places = collections_to_read(KINDS, entries, {}, {SITE: frozenset({"library"})})
    observed = observe([(SITE, KINDS[name]) for _, name in sorted(places)], bench.providers)
    for _ in range(10):  # whoever looks first must not be the one who fills the tables
        matches = match(KINDS, observed, {}, desired)
        targets = [ref("book", f"b{n % 500}") for n in range(1000)]
        with ThreadPoolExecutor(THREADS) as pool:
            ids = list(pool.map(matches.resolve, targets, ["id"] * len(targets), chunksize=1))
        expected = {row["title"]: key for key, row in bench.library.rows["book"].items()}
        assert ids == [expected[target.target.name] for target in targets]


def test_an_apply_on_eight_threads_loses_nothing() -> None:
    bench = Bench()
    shelves = [entry("shelf", f"s{n}") for n in range(4)]
    bench.done(*shelves)
    books = [entry("book", f"b{n}", shelf=ref("shelf", f"s{n % 4}")) for n in range(240)]
    receipt = bench.apply(bench.plan(*shelves, *books), parallel=THREADS)
    assert {outcome.state for outcome in receipt.outcomes} == {State.DONE}, receipt
    assert len(receipt.outcomes) == len(bench.library.rows["book"]) == 240
    assert {address for address in bench.part_by_address() if address.kind == "book"} == {
        each.address for each in books
    }
    assert not bench.plan(*shelves, *books).actions
    assert bench.part_by_address()[at("book", "b7")].refers == ("iad/shelf/s3",)
