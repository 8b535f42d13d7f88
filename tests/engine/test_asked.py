"""What nobody lists: it is known where it was asked for, and a write without an answer is settled by asking. In memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.engine.library import KINDS, SITE, Bench, entry, ref
from tests.engine.test_read_by_name import BY_NAME, Shut, planned
from vastplan.engine.match import Matches
from vastplan.engine.names import Named
from vastplan.engine.read import observe
from vastplan.model.errors import Unclear
from vastplan.model.plan import Plan
from vastplan.schema.endpoint import Asked, AskedMembers
from vastplan.schema.kind import Kind, Row

ASKED = {
    **BY_NAME,
    "shelf": KINDS["shelf"],
    "catalogue": replace(
        BY_NAME["catalogue"],
        endpoint=replace(KINDS["catalogue"].endpoint, shape=Asked("name", "shelf", "shelves", "shelf", {})),
    ),
}


class Unlisted(Shut):
    """Nobody lists its catalogues; of shelves there is a list."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.lost = False
        """Whether what is made is not there afterwards."""

    def pages(self, kind: Kind) -> Iterator[list[Row]]:
        if kind.name == "shelf":
            yield list(self.rows["shelf"].values())
            return
        assert kind.name != "catalogue", "they were listed"
        yield from super().pages(kind)

    def read(self, kind: Kind, locator: str) -> Row | None:
        if kind.name == "catalogue":
            self.asked.append(locator)
        return super().read(kind, locator)

    def cut(self, verb: str, kind: Kind) -> None:
        if (verb, kind.name) == ("create", "catalogue"):
            if self.lost:
                self.rows["catalogue"].clear()
            raise Unclear("the line was cut")


@pytest.fixture
def library() -> Unlisted:
    return Unlisted()


@pytest.fixture
def bench(library: Unlisted, monkeypatch: pytest.MonkeyPatch) -> Bench:
    bench = Bench()
    bench.library = library
    bench.providers = {(SITE, "library"): library}
    library.put("shelf", name="s")
    monkeypatch.setattr("tests.engine.library.KINDS", ASKED)
    return bench


def wanted(bench: Bench, *names: str) -> Plan:
    return planned(bench, *(entry("catalogue", name, shelf="s") for name in names), kinds=ASKED)


def test_only_what_is_named_is_asked_for_and_that_is_all_there_is(bench: Bench, library: Unlisted) -> None:
    for name in ("mine", "theirs"):
        library.put("catalogue", name=name, shelf="s")
    plan = wanted(bench, "mine", "new")
    assert {one.address.name: one.verb.value for one in plan.actions} == {"mine": "adopt", "new": "create"}
    assert library.asked == ["s/mine", "s/new"] and not plan.unknown
    assert observe([(SITE, ASKED["catalogue"])], bench.providers).error(SITE, "catalogue") == ""


def test_a_create_without_an_answer_is_asked_for(bench: Bench, library: Unlisted) -> None:
    library.after = library.cut
    receipt = bench.apply(wanted(bench, "new"))
    assert [one.state.value for one in receipt.outcomes] == ["done"], receipt
    assert set(library.asked) == {"s/new"}


def test_what_is_not_there_when_it_is_asked_for_was_not_made(bench: Bench, library: Unlisted) -> None:
    library.after, library.lost = library.cut, True
    receipt = bench.apply(wanted(bench, "new"))
    assert [one.state.value for one in receipt.outcomes] == ["unknown"], receipt


def test_one_whose_place_cannot_be_told_is_not_looked_for(
    bench: Bench, library: Unlisted, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.after = library.cut
    plan = wanted(bench, "new")
    library.asked.clear()
    shelf = ref("shelf", "s", managed=False)
    monkeypatch.setattr(Matches, "resolved", lambda self, kind, values: {**values, "shelf": shelf})
    receipt = bench.apply(plan)
    assert [one.state.value for one in receipt.outcomes] == ["unknown"] and not library.asked, receipt


MEMBERS = replace(
    KINDS["book"],
    read_by_name=True,
    endpoint=replace(
        KINDS["book"].endpoint,
        shape=AskedMembers(
            "name", "shelf", "shelves", "shelf", "reader", "lent", "loans", ("card",), "book", (("of",), "here")
        ),
    ),
)


def test_what_somebody_has_is_asked_for_once_for_each(
    bench: Bench, library: Unlisted, monkeypatch: pytest.MonkeyPatch
) -> None:
    lent = {"s/ann/": ["n7", "n8"], "s/bob/": []}
    asked: list[str] = []

    def had(kind: Kind, owner: str) -> list[Row]:
        asked.append(owner)
        return [{"id": its, "title": its} for its in lent[owner]]

    monkeypatch.setattr(library, "had", had, raising=False)
    locators = frozenset({"s/ann/", "s/ann/n7", "s/bob/n9"})  # of an entry, and of what the ledger knows
    observed = observe([(SITE, MEMBERS)], bench.providers, names={(SITE, "book"): Named(locators, locators)})
    assert asked == ["s/ann/", "s/bob/"] and observed.asked(SITE, "book") == {"s/ann/", "s/bob/"}
    assert {live.id for live in observed.objects(SITE, "book")} == {"n7", "n8"}
    assert observed.error(SITE, "book") == ""
