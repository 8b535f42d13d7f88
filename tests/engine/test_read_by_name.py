"""What may not be listed and is read one by one, by the names that the document and the ledger have for it. In memory."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from tests.engine.library import KINDS, SITE, Bench, Library, entry, ref
from vastplan.engine.names import names_to_read
from vastplan.engine.plan import PlanInputs, build
from vastplan.engine.read import observe
from vastplan.ledger import events
from vastplan.model.errors import NotAuthorised
from vastplan.model.plan import Plan
from vastplan.model.site_ledger import Owned
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Attribute, Kind, Row


def _path(values: Mapping[str, Any]) -> str | None:
    return f"{values['shelf']}/{values['name']}" if isinstance(values.get("shelf"), str) else None


def _single(kind: str, path: Any) -> Kind:
    known = KINDS[kind]
    return replace(
        known, read_by_name=True, attributes=(Attribute("path", ("path",), path, ("shelf", "name")), *known.attributes)
    )


BY_NAME = {
    **KINDS,
    "shelf": _single("shelf", lambda values: values.get("name")),
    "catalogue": _single("catalogue", _path),
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
    bench.book.add(events.own("iad/catalogue/gone", Owned("n9", "a/gone")))
    theirs = ref("shelf", "theirs", managed=False)
    entries = (
        entry("shelf", "a"), entry("shelf", "secret"), entry("catalogue", "c", shelf=ref("shelf", "a")),
        entry("catalogue", "d", shelf=theirs), entry("catalogue", "e", shelf="by-hand"),
        entry("catalogue", "secret", shelf=ref("shelf", "a")), entry("book", "t", shelf=theirs),
        entry("book", "u", shelf=ref("shelf", "secret")),
    )  # fmt: skip
    names = names_to_read(BY_NAME, entries, {SITE: bench.part})
    assert names == {
        (SITE, "shelf"): {"a", "secret", "theirs"},
        (SITE, "catalogue"): {"a/c", "theirs/d", "by-hand/e", "a/secret", "a/gone"},
    }
    plan = planned(bench, *entries)
    assert {f"{one.address.kind}/{one.address.name}": one.verb.value for one in plan.actions} == {
        "shelf/a": "adopt", "catalogue/c": "adopt", "catalogue/d": "create", "catalogue/e": "create",
        "catalogue/gone": "release", "book/t": "create",
    }  # fmt: skip
    why = "only what the document and the ledger name was read: 403 %s may not be listed"
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
