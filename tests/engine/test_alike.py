"""What holds data, goes, and comes again under another name with nothing said of a rename, is pointed out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.engine.library import KINDS, Bench, entry, ref
from vastplan.model.plan import Plan
from vastplan.schema.entries import Entry


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Bench:
    for name in ("shelf", "book"):
        monkeypatch.setitem(KINDS, name, replace(KINDS[name], data_bearing=True))
    return Bench()


def shelf(name: str, **values: object) -> Entry:
    return entry("shelf", name, **{"size": 3, "name": name, **values})


def hints(plan: Plan) -> dict[str, tuple[str, str]]:
    return {one.address: (one.message, one.fix) for one in plan.findings if one.code == "VP319"}


def test_one_goes_and_one_comes_that_is_just_so(bench: Bench) -> None:
    bench.done(shelf("data"), shelf("other", size=9))
    assert hints(bench.plan(shelf("datasets"), shelf("other", size=9))) == {
        "iad/shelf/datasets": (
            "it has the same settings as iad/shelf/data, which this plan deletes",
            "if it was renamed, write renamed_from: data in its entry to keep it",
        )
    }
    assert hints(bench.plan(shelf("datasets", size=4), shelf("other", size=9))) == {}
    assert hints(bench.plan(shelf("data"), shelf("datasets"), shelf("other", size=9))) == {}  # nothing goes


def test_what_comes_of_one_entry_is_told_once(bench: Bench) -> None:
    def volume(name: str) -> tuple[Entry, Entry]:
        book = entry("book", name, title=name, shelf=ref("shelf", name), pages=7)
        return replace(shelf(name), origin=f"iad/volume/{name}"), replace(book, origin=f"iad/volume/{name}")

    bench.done(*volume("data"))
    (told,) = hints(bench.plan(*volume("datasets"))).items()
    assert told[0] == "iad/volume/datasets" and "iad/shelf/data" in told[1][0] and "iad/book/data" in told[1][0]
    assert told[1][1] == "if it was renamed, write its former name as renamed_from to keep it"


def test_of_several_nobody_can_tell_which_is_which(bench: Bench) -> None:
    bench.done(shelf("a"), shelf("b"))
    assert hints(bench.plan(shelf("c"), shelf("d"))) == {}
    assert hints(bench.plan(shelf("c"))) == {}


def test_what_says_so_little_or_holds_no_data_is_not_compared(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.done(entry("shelf", "a", name="a"))
    assert hints(bench.plan(entry("shelf", "b", name="b"))) == {}
    bench.done(shelf("a"))
    monkeypatch.setitem(KINDS, "shelf", replace(KINDS["shelf"], data_bearing=False))
    assert hints(bench.plan(shelf("b"))) == {}


def test_what_the_ledger_can_tell_is_told_as_that(bench: Bench) -> None:
    bench.done(shelf("home"))
    plan = bench.plan(entry("shelf", "homes", name="home", size=3))
    assert [one.code for one in plan.findings] == ["VP308"]
    assert hints(bench.plan(replace(shelf("homes"), renamed_from="home"))) == {}


def test_what_was_deleted_by_hand_comes_again_as_itself(bench: Bench) -> None:
    bench.done(shelf("data"), shelf("gone"))
    bench.library.rows["shelf"] = {
        key: row for key, row in bench.library.rows["shelf"].items() if row["name"] != "gone"
    }
    assert hints(bench.plan(shelf("gone"))) == {}
