"""What may not be listed and is read one by one, by the names that the document and the ledger have for it. In memory."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from tests.engine.library import KINDS, SITE, Bench, Library, entry, ref
from vastplan.engine.deciding.plan import PlanInputs, build
from vastplan.engine.live.names import Named, names_to_read
from vastplan.engine.live.read import observe
from vastplan.ledger import events
from vastplan.model.errors import NotAuthorised, Unclear
from vastplan.model.plan import Plan
from vastplan.model.site_ledger import Owned
from vastplan.model.value import REDACTED
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind, Row
from vastplan.schema.live import Attribute


def _path(values: Mapping[str, Any]) -> str | None:
    return f"{values['shelf']}/{values['name']}" if isinstance(values.get("shelf"), str) else None


def _single(kind: str, path: Any, *of: str) -> Kind:
    known = KINDS[kind]
    return replace(known, read_by_name=True, attributes=(Attribute("path", ("path",), path, of), *known.attributes))


BY_NAME = {
    **KINDS,
    "shelf": _single("shelf", lambda values: values.get("name"), "name"),
    "catalogue": _single("catalogue", _path, "shelf", "name"),
}


class Shut(Library):
    """Lists neither shelves nor catalogues; nobody may read what is called `secret`."""

    def pages(self, kind: Kind) -> Iterator[list[Row]]:
        if kind.name in ("shelf", "catalogue"):
            raise NotAuthorised(f"403 {kind.name} may not be listed")
        return super().pages(kind)

    def read(self, kind: Kind, locator: str) -> Row | None:
        self._say("read", kind)
        if locator.endswith("secret"):
            raise NotAuthorised("403")
        rows = self.rows[kind.name].values()
        return next((copy.deepcopy(row) for row in rows if self._called(kind, row) == locator), None)

    def locator(self, kind: Kind, row: Row) -> str:
        return self._called(kind, row)

    def _called(self, kind: Kind, row: Row) -> str:
        return f"{row['shelf']}/{row['name']}" if kind.name == "catalogue" else str(row.get("name", row["id"]))


@pytest.fixture
def bench() -> Bench:
    bench = Bench()
    bench.library = Shut()
    bench.providers = {(SITE, "library"): bench.library}
    return bench


def planned(bench: Bench, *entries: Entry, kinds: Mapping[str, Kind] = BY_NAME) -> Plan:
    ledger = {SITE: bench.part}
    names = names_to_read(kinds, entries, ledger)
    observed = observe([(SITE, kind) for kind in kinds.values()], bench.providers, ledger, names)
    return build(
        PlanInputs(
            document="doc", digest="0", source="doc.yaml", kinds=kinds, entries=entries, observed=observed,
            ledger=ledger, endpoints={}, consent=bench.consent, reveal=bench.reveal, now=bench.now(),
        )
    )[0]  # fmt: skip


def test_what_has_a_name_is_looked_for_and_the_rest_stays_unknown(bench: Bench) -> None:
    for name in ("a", "theirs"):
        bench.library.put("shelf", name=name)
    bench.library.put("catalogue", name="c", shelf="a")
    bench.book.add(events.own_event("iad/catalogue/gone", Owned("n9", "a/gone")))
    theirs = ref("shelf", "theirs", managed=False)
    entries = (
        entry("shelf", "a"), entry("shelf", "secret"), entry("catalogue", "c", shelf=ref("shelf", "a")),
        entry("catalogue", "d", shelf=theirs), entry("catalogue", "e", shelf="by-hand"),
        entry("catalogue", "secret", shelf=ref("shelf", "a")), entry("book", "t", shelf=theirs),
        entry("book", "u", shelf=ref("shelf", "secret")),
    )  # fmt: skip
    names = names_to_read(BY_NAME, entries, {SITE: bench.part})
    shelves, catalogues = {"a", "secret"}, {"a/c", "theirs/d", "by-hand/e", "a/secret", "a/gone"}
    assert names == {
        (SITE, "shelf"): Named(frozenset(shelves | {"theirs"}), frozenset(shelves)),
        (SITE, "catalogue"): Named(frozenset(catalogues), frozenset(catalogues)),
    }
    plan = planned(bench, *entries)
    assert {f"{one.address.kind}/{one.address.name}": one.verb.value for one in plan.actions} == {
        "shelf/a": "adopt", "catalogue/c": "adopt", "catalogue/d": "create", "catalogue/e": "create",
        "catalogue/gone": "release", "book/t": "create",
    }  # fmt: skip
    why = "only what the document and the ledger name could be read: 403 %s may not be listed"
    reasons = {"shelf": why % "shelf", "catalogue": why % "catalogue", "book": why % "shelf"}
    assert {one.kind: one.reason for one in plan.unknown} == reasons


def test_an_answer_that_is_another_object_is_none(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    row = bench.library.put("shelf", name="b")
    monkeypatch.setattr(bench.library, "read", lambda kind, locator: row if kind.name == "shelf" else None)
    plan = planned(bench, entry("shelf", "a"))
    assert [one.reason for one in plan.unknown] == [
        "library.example.com: the answer to shelf a is not that object"
    ] and not plan.actions


def test_what_cannot_be_read_by_name_is_unknown(bench: Bench) -> None:
    plan = planned(bench, entry("shelf", "a"), kinds=KINDS)
    assert [one.reason for one in plan.unknown] == ["403 shelf may not be listed"] and not plan.actions


class Partial(Shut):
    """Lists books by their titles and shelves alone; `gone` are deleted between the list and the read."""

    def __init__(self) -> None:
        super().__init__()
        self.gone: set[str] = set()
        self.shut = False
        self.read_whole: list[str] = []
        self.glanced: list[str] = []

    def pages(self, kind: Kind) -> Iterator[list[Row]]:
        if self.shut and kind.name == "book":
            raise NotAuthorised("403 book may not be listed")
        for page in Library.pages(self, kind):
            yield [self._part(kind, row) for row in page]

    def read(self, kind: Kind, locator: str) -> Row | None:
        self.read_whole.append(locator)
        return None if locator in self.gone else super().read(kind, locator)

    def glance(self, kind: Kind, locator: str) -> Row | None:
        self.glanced.append(locator)
        row = super().read(kind, locator)
        return None if row is None else self._part(kind, row)

    def _part(self, kind: Kind, row: Row) -> Row:
        return {name: row[name] for name in kind.endpoint.listed or row if name in row}

    def _called(self, kind: Kind, row: Row) -> str:
        return str(row["title"]) if kind.name == "book" else str(row["id"])


BOOK = replace(
    KINDS["book"],
    read_by_name=True,
    endpoint=replace(KINDS["book"].endpoint, listed=("id", "title", "shelf_id")),
    attributes=(
        Attribute("path", ("title",), lambda values: values.get("title") if "shelf" in values else None, ("title", "shelf")),
        *(attribute for attribute in KINDS["book"].attributes if attribute.name != "path"),
    ),
)  # fmt: skip
IN_PART = {**KINDS, "book": BOOK}


@pytest.fixture
def partial(bench: Bench) -> Partial:
    library = Partial()
    bench.library = library
    bench.providers = {(SITE, "library"): library}
    shelf = library.put("shelf", name="s")
    for title in ("mine", "owned", "referred", "theirs"):
        library.put("book", title=title, shelf_id=shelf["id"], pages=100, lock="secret")
    return library


def entries_of_books() -> tuple[Entry, ...]:
    lists = entry("catalogue", "c", books=[ref("book", "referred", managed=False)])
    return entry("book", "mine", shelf=ref("shelf", "s", managed=False), pages=100), lists


def test_only_what_is_managed_is_read_whole(bench: Bench, partial: Partial) -> None:
    bench.book.add(events.own_event("iad/book/owned", Owned("n3", "owned")))
    ledger = {SITE: bench.part}
    names = names_to_read(IN_PART, entries_of_books(), ledger)
    observed = observe([(SITE, BOOK)], bench.providers, ledger, names)
    assert sorted(partial.read_whole) == ["mine", "owned"] and not partial.glanced
    seen = {live.name: live.values for live in observed.objects(SITE, "book")}
    assert seen.keys() == {"mine", "owned", "referred", "theirs"}
    for title in ("mine", "owned"):
        assert (seen[title]["pages"], seen[title]["lock"]) == (100, "secret")
    for title in ("referred", "theirs"):
        assert seen[title] == {"title": title, "shelf": "n1", "pages": REDACTED, "lock": REDACTED}
    plan = planned(bench, *entries_of_books(), kinds=IN_PART)
    assert not plan.unknown and [one.address.name for one in plan.actions if one.verb.value == "adopt"] == ["mine"]


def test_what_goes_between_the_list_and_the_read_is_gone(bench: Bench, partial: Partial) -> None:
    partial.gone = {"mine"}
    names = {(SITE, "book"): Named(frozenset({"mine"}), frozenset({"mine"}))}
    observed = observe([(SITE, BOOK)], bench.providers, names=names)
    assert {live.name for live in observed.objects(SITE, "book")} == {"owned", "referred", "theirs"}
    assert observed.error(SITE, "book") == ""


def test_one_whose_place_is_not_known_is_read_whole_by_its_name(bench: Bench, partial: Partial) -> None:
    """Where only the system knows the rest of its locator, its values matter all the same."""
    book = replace(BOOK, attributes=(
        Attribute("path", ("title",), lambda values: None, ("title",)),
        Attribute("name", ("title",), lambda values: values.get("title"), ("title",)),
    ))  # fmt: skip
    kinds = {**KINDS, "book": book}
    names = names_to_read(kinds, entries_of_books(), {})
    assert names[SITE, "book"] == Named(frozenset({"referred"}), called=frozenset({"mine"}))
    observed = observe([(SITE, book)], bench.providers, names=names)
    assert partial.read_whole == ["mine"]
    assert {live.name: live.values["pages"] for live in observed.objects(SITE, "book")} == {
        "mine": 100, "owned": REDACTED, "referred": REDACTED, "theirs": REDACTED,
    }  # fmt: skip


def test_where_it_may_not_be_listed_what_is_referred_to_is_only_looked_at(bench: Bench, partial: Partial) -> None:
    partial.shut = True
    names = names_to_read(IN_PART, entries_of_books(), {})
    observed = observe([(SITE, BOOK)], bench.providers, names=names)
    assert (partial.read_whole, partial.glanced) == (["mine"], ["referred"])
    assert {live.name: live.values["pages"] for live in observed.objects(SITE, "book")} == {
        "mine": 100,
        "referred": REDACTED,
    }
    assert observed.asked(SITE, "book") == {"mine", "referred"}


def test_a_create_without_an_answer_is_found_again_though_its_list_shows_a_part(
    bench: Bench, partial: Partial, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(verb: str, kind: Kind) -> None:
        if (verb, kind.name) == ("create", "book"):
            raise Unclear("the line was cut")

    partial.after = cut
    new = entry("book", "new", shelf=ref("shelf", "s", managed=False), pages=7)
    monkeypatch.setattr("tests.engine.library.KINDS", IN_PART)
    receipt = bench.apply(planned(bench, new, kinds=IN_PART))
    assert [one.state.value for one in receipt.outcomes] == ["done"], receipt


def test_what_neither_place_nor_name_is_known_of_is_not_asked_for(bench: Bench) -> None:
    bench.book.add(events.own_event("iad/shelf/s", Owned("n1", "s")))  # of a kind that is only listed
    assert names_to_read(IN_PART, [entry("book", "mine")], {SITE: bench.part}) == {}


def test_names_of_two_documents_are_asked_for_together() -> None:
    one, other = Named(frozenset("ab"), frozenset("a")), Named(frozenset("bc"), frozenset("c"), frozenset("d"))
    assert one.joined(other) == Named(frozenset("abc"), frozenset("ac"), frozenset("d"))
