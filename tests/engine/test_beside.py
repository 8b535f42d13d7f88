"""More of somebody than the ledger has: told by whose it is and how many there are, and only of what is nobody's."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.engine import library
from tests.engine.library import SITE
from tests.engine.test_delivery import BOX, JIM, JOE, KINDS, Lobby, badge, begun, card, other
from vastplan.engine.live.observe import Live
from vastplan.engine.live.owners import owners
from vastplan.engine.values.unowned import UnownedObjects, more_than_known
from vastplan.model.claims import Claim, SiteClaims
from vastplan.model.finding import Finding, Severity
from vastplan.model.plan import Plan


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Lobby:
    monkeypatch.setattr(library, "KINDS", {**library.KINDS, **{one.name: one for one in KINDS}})
    return Lobby()


def told(plan: Plan) -> list[Finding]:
    """The notes of what is more."""
    return [finding for finding in plan.findings if finding.code == "VP337"]


def test_whose_and_how_many_is_said_once_for_all_entries_of_somebody(bench: Lobby) -> None:
    bench.done(BOX, card(), other("d"), other("e", "bob"))
    assert not told(bench.plan(BOX, card(), other("d"), other("e", "bob")))
    for reader in ("ann", "ann", "bob", "zoe"):
        bench.library.put("card", reader=reader)
    fix = "vastplan drift lists them; delete those that nobody uses"
    more = "more than the ledger has; vastplan neither rotates nor removes what it does not own"
    assert told(bench.plan(BOX, other("e", "bob"), other("d"), card())) == [
        Finding("VP337", Severity.NOTE, f"reader ann: 2 cards {more}", fix, "iad/card/c"),
        Finding("VP337", Severity.NOTE, f"reader bob: 1 card {more}", fix, "iad/card/e"),
    ]


def test_it_is_said_before_a_first_one_is_made(bench: Lobby) -> None:
    bench.library.put("card", reader="ann")
    assert [note.address for note in told(bench.plan(BOX, card()))] == ["iad/card/c"]
    assert not told(bench.plan(BOX))


def test_what_is_in_its_overlap_or_is_to_go_is_known(bench: Lobby) -> None:
    bench.done(BOX, card())
    bench.done(BOX, card(2))
    assert len(bench.cards()) == 2 and not told(bench.plan(BOX, card(2)))
    bench.later = timedelta(days=2)
    assert len(bench.plan(BOX, card(2)).actions) == 1 and not told(bench.plan(BOX, card(2)))


def test_what_an_apply_made_that_was_cut_off_is_told_by_that(bench: Lobby) -> None:
    bench.done(BOX)
    begun(bench)
    for _ in range(2):
        bench.library.put("card", reader="ann")
    assert [finding.code for finding in bench.plan(BOX, card()).findings] == ["VP335"]


def test_somebody_who_is_an_object_is_called_by_his_name(bench: Lobby) -> None:
    bench.done(BOX, JOE, JIM, badge("joe"))
    joe, jim = bench.library.named("porter", "joe")["id"], bench.library.named("porter", "jim")["id"]
    bench.library.put("badge", of=joe)
    bench.library.put("badge", of=jim)
    (note,) = told(bench.plan(BOX, JOE, JIM, badge("joe")))
    assert note.message.startswith("of joe: 1 badge more than the ledger has")


def test_what_another_document_owns_is_known() -> None:
    kind = next(one for one in KINDS if one.name == "card")
    ours, theirs = (Live(SITE, kind, one, one, {"reader": "ann"}, {}, {}) for one in ("n1", "n2"))
    claim = Claim(kind="card", id="n2", document="other", address="iad/card/x")
    others = owners("doc", {SITE: SiteClaims("here", claims=(claim,))})
    assert theirs.name == "n2"  # whose it is would not tell it from the other one
    assert not [*more_than_known([UnownedObjects(card(), (theirs,))], others)]
    (note,) = more_than_known([UnownedObjects(card(), (ours, theirs))], others)
    assert note.message.startswith("reader ann: 1 card more")
