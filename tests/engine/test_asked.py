"""What nobody lists: it is known where it was asked for, and a write without an answer is settled by asking. In memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.engine.library import KINDS, SITE, Bench, entry, ref
from tests.engine.test_read_by_name import BY_NAME, Shut, planned
from vastplan.engine.live.matches import Matches
from vastplan.engine.live.names import Named
from vastplan.engine.live.read import observe
from vastplan.model.address import Address
from vastplan.model.errors import Nobody, Unclear
from vastplan.model.plan import Plan
from vastplan.schema.endpoint import Asked, AskedMembers
from vastplan.schema.kind import Kind, Row
from vastplan.schema.live import Attribute

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


@pytest.fixture
def without_eve(library: Unlisted, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody there is called eve."""

    def set_of(kind: Kind, locator: str) -> Row | None:
        if locator == "s/eve":
            raise Nobody("there is no such catalogue")
        return library.read(kind, locator)

    monkeypatch.setattr(library, "set_of", set_of, raising=False)
    monkeypatch.setattr(library, "had", lambda kind, owner: [], raising=False)


@pytest.mark.usefixtures("without_eve")
def test_what_would_be_set_of_nobody_is_refused_when_it_is_planned(bench: Bench, library: Unlisted) -> None:
    plan = wanted(bench, "new", "eve")
    blocked = {one.address.name: [(block.guard, block.message) for block in one.blocked] for one in plan.actions}
    assert blocked == {"new": [], "eve": [("missing", "shelf s of iad has nobody named eve")]}
    bench.apply(plan)
    assert [row["name"] for row in library.rows["catalogue"].values()] == ["new"]


@pytest.mark.usefixtures("without_eve")
def test_what_was_set_of_somebody_else_is_not_replaced_by_that(bench: Bench, library: Unlisted) -> None:
    one = entry("catalogue", "one", shelf="s")
    bench.apply(planned(bench, replace(one, values={**one.values, "name": "ann"}), kinds=ASKED))
    plan = planned(bench, replace(one, values={**one.values, "name": "eve"}), kinds=ASKED)
    (action,) = plan.actions
    assert action.verb.value == "update" and [block.guard for block in action.blocked] == ["missing"], action


@pytest.mark.usefixtures("without_eve")
def test_what_is_set_of_somebody_who_is_made_first_is_planned(bench: Bench) -> None:
    eve = replace(entry("catalogue", "eve", shelf="s"), after=(Address(SITE, "shelf", "eve"),))
    plan = planned(bench, eve, entry("shelf", "eve"), kinds=ASKED)
    assert {one.address.kind: one.blocked for one in plan.actions} == {"catalogue": (), "shelf": ()}


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
    attributes=(Attribute("path", ("path",), lambda values: None, ("title",)),),
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
        if owner not in lent:
            raise Nobody("there is no such reader")
        return [{"id": its, "title": its} for its in lent[owner]]

    monkeypatch.setattr(library, "had", had, raising=False)
    monkeypatch.setattr(library, "set_of", library.read, raising=False)
    locators = frozenset({"s/ann/", "s/ann/n7", "s/bob/n9", "s/eve/"})  # of entries, and of what the ledger knows
    observed = observe([(SITE, MEMBERS)], bench.providers, names={(SITE, "book"): Named(locators, locators)})
    everybody = ["s/ann/", "s/bob/", "s/eve/"]
    assert asked == everybody and observed.asked(SITE, "book") == {*everybody}
    assert observed.nobody(SITE, "book") == {"s/eve/"}
    assert {live.id for live in observed.objects(SITE, "book")} == {"n7", "n8"}
    assert observed.error(SITE, "book") == ""
