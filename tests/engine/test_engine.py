"""The engine by itself, on a vendor that does not exist: the ways that a run over HTTP seldom takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.engine.library import KINDS, SITE, Bench, Library, action, at, entry, ref
from vastplan.engine.live.consent import Consent
from vastplan.engine.live.diff import diff, leaves, same
from vastplan.engine.live.read import observe
from vastplan.engine.live.wait import until_gone, until_ready
from vastplan.model.address import Address
from vastplan.model.errors import Lost, Refused, Unclear, Unreachable, VastplanError
from vastplan.model.live_state import Condition
from vastplan.model.outcome import State
from vastplan.model.plan import Cause, Step, Verb
from vastplan.model.site_ledger import REDACTED_DIGEST, Intent
from vastplan.model.value import REDACTED, Ref, SecretSource
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind, Row
from vastplan.schema.shapes.list_map import LIST_MAP

A = entry("shelf", "a", size=3)
BOOK = entry("book", "t", shelf=ref("shelf", "a"), pages=3)


@pytest.fixture
def bench() -> Bench:
    return Bench()


def failing(verb: str, kind: str, problem: Exception, *, times: int = 1) -> Any:
    """Raises at a verb on a kind, so many times."""
    left = [times]

    def before(said: str, on: Kind) -> None:
        if (said, on.name) == (verb, kind) and left[0] > 0:
            left[0] -= 1
            raise problem

    return before


# Targets


def test_a_target_brings_what_it_needs_and_nothing_else(bench: Bench) -> None:
    plan = bench.plan(A, BOOK, entry("shelf", "b"), targets=("iad/book/*",))
    assert {str(one.address) for one in plan.actions} == {"iad/shelf/a", "iad/book/t"}


def test_a_target_brings_what_must_come_before_it(bench: Bench) -> None:
    late = entry("shelf", "late", after=(at("shelf", "a"), at("shelf", "nowhere")))
    plan = bench.plan(A, late, entry("shelf", "b"), targets=("*/late",))
    assert {str(one.address) for one in plan.actions} == {"iad/shelf/a", "iad/shelf/late"}


def test_two_that_are_aimed_at_need_the_same(bench: Bench) -> None:
    other = entry("book", "u", shelf=ref("shelf", "a"))
    assert len(bench.plan(A, BOOK, other, targets=("iad/book/t", "iad/book/u")).actions) == 3


def test_a_target_may_be_something_that_is_to_go(bench: Bench) -> None:
    bench.done(A, BOOK, entry("shelf", "b"))
    plan = bench.plan(targets=("iad/book/t",))
    assert [(str(one.address), one.verb) for one in plan.actions] == [("iad/book/t", Verb.DELETE)]


def test_a_target_that_nothing_matches_aims_at_nothing(bench: Bench) -> None:
    plan = bench.plan(A, targets=("iad/book/nope",))
    assert (plan.actions, plan.findings) == ((), ())


# Unknown


def test_what_stands_on_what_cannot_be_seen_is_unknown_and_so_on(bench: Bench) -> None:
    bench.done(A, BOOK)
    bench.library.before = failing("list", "shelf", Unreachable("down"), times=9)
    later = entry("catalogue", "c", after=(at("shelf", "a"),))
    much_later = entry("reading", "r", after=(at("catalogue", "c"),))
    plan = bench.plan(replace(A, values={"name": "a", "size": 4}), BOOK, later, much_later)
    assert not plan.actions
    assert {(one.kind, one.reason) for one in plan.unknown} == {
        ("shelf", "down"), ("book", "it refers to iad/shelf/a: down"),
        ("catalogue", "it needs iad/shelf/a, which is unknown"), ("reading", "it needs iad/catalogue/c, which is unknown"),
    }  # fmt: skip
    assert plan.in_sync == 0


def test_what_is_to_go_and_cannot_be_seen_is_unknown(bench: Bench) -> None:
    bench.done(A)
    bench.library.before = failing("list", "shelf", Unreachable("down"))
    plan = bench.plan()
    assert not plan.actions
    assert [one.reason for one in plan.unknown] == ["down"]


def test_what_refers_to_something_unseen_that_nobody_manages_is_unknown(bench: Bench) -> None:
    bench.library.before = failing("list", "shelf", Unreachable("down"))
    plan = bench.plan(entry("catalogue", "c", shelf=ref("shelf", "theirs", managed=False)))
    assert not plan.actions
    assert {one.reason for one in plan.unknown} == {"it refers to iad/shelf/theirs: down"}


def test_an_identity_that_cannot_be_told_is_unknown(bench: Bench) -> None:
    bench.done(A, BOOK)
    bench.library.put("shelf", name="a")
    bench.library.rows["shelf"].pop("n1")
    bench.library.put("shelf", name="a")
    plan = bench.plan(A, BOOK)
    assert not plan.actions
    told = "2 live objects have its identity (n3, n4)"
    assert {(one.kind, one.reason) for one in plan.unknown} == {
        ("shelf", told), ("book", "it needs iad/shelf/a, which is unknown"),
    }  # fmt: skip


def test_a_new_object_whose_identity_hangs_on_what_is_unknown(bench: Bench) -> None:
    bench.library.put("shelf", name="a")
    bench.library.put("shelf", name="a")
    plan = bench.plan(A, BOOK)
    assert not plan.actions
    assert {one.kind: one.reason for one in plan.unknown} == {
        "shelf": "2 live objects have its identity (n1, n2)", "book": "2 live objects have its identity (n1, n2)",
    }  # fmt: skip


def test_a_system_that_could_not_even_be_opened(bench: Bench) -> None:
    bench.providers[SITE, "library"] = VastplanError("no such file: ca.pem")
    assert [one.reason for one in bench.plan(A).unknown] == ["no such file: ca.pem"]


@pytest.mark.parametrize("row", [None, "text", 3, [], {"name": "a"}])
def test_a_row_of_another_form_makes_its_collection_unknown(row: Any, bench: Bench) -> None:
    bench.library.rows["shelf"]["x"] = row
    (unknown,) = bench.plan(A).unknown
    assert "library.example.com: a shelf in the answer does not have the documented form" in unknown.reason


def test_a_row_without_an_identity_makes_its_collection_unknown(bench: Bench) -> None:
    bench.library.rows["shelf"]["x"] = {"id": "", "name": "a"}
    (unknown,) = bench.plan(A).unknown
    assert unknown.reason == "library.example.com: a shelf in the answer has no identity"


def test_a_list_that_goes_on_and_says_nothing_new(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.library.put("shelf", name="a")

    def endless(self: Library, kind: Kind) -> Any:
        while True:
            yield list(self.rows[kind.name].values())

    monkeypatch.setattr(Library, "pages", endless)
    (unknown,) = bench.plan(A).unknown
    assert unknown.reason == "library.example.com: the list of shelfs repeats itself without end"


def test_a_list_that_leaves_out_what_answers_was_cut_short(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.done(A)
    monkeypatch.setattr(Library, "pages", lambda self, kind: iter([[]]))
    (unknown,) = bench.plan(A).unknown
    assert "does not show n1, which exists: the list was cut short" in unknown.reason


# What is said to exist


def test_what_is_said_to_exist_and_does_not(bench: Bench) -> None:
    plan = bench.plan(entry("book", "t", shelf=ref("shelf", "theirs", managed=False)))
    (block,) = plan.actions[0].blocked
    assert (block.guard, block.message, block.fix) == (
        "missing", "shelf refers to shelf theirs, which does not exist on iad", "write another name, or create it first",
    )  # fmt: skip


def test_what_is_said_to_exist_and_is_made_by_what_comes_first(bench: Bench) -> None:
    other = Ref(at("shelf", "a"), managed=False)
    book = entry("book", "t", shelf=other, after=(at("shelf", "a"),))
    plan = bench.plan(A, book)
    assert not action(plan, "book", "t").blocked
    assert [one.state for one in bench.apply(plan).outcomes] == [State.DONE, State.DONE]


# Renaming, releasing, forgetting


def test_a_rename_keeps_the_object(bench: Bench) -> None:
    bench.done(A)
    moved = entry("shelf", "b", size=3, renamed_from="a")
    plan = bench.plan(replace(moved, values={"name": "a", "size": 3}))
    (one,) = plan.actions
    assert (one.verb, one.reason, one.id) == (Verb.RELEASE, "renamed from a; the live object does not change", "n1")
    bench.apply(plan)
    assert set(bench.part.entries) >= {"iad/shelf/b"}
    assert set(bench.library.rows["shelf"]) == {"n1"}


@pytest.mark.parametrize("why", ["nothing of that name", "that name is still used", "the new one is owned already"])
def test_a_rename_that_is_none(why: str, bench: Bench) -> None:
    b = entry("shelf", "b", size=3, renamed_from="a")
    if why == "nothing of that name":
        assert [one.verb for one in bench.plan(b).actions] == [Verb.CREATE]
    elif why == "that name is still used":
        bench.done(A)
        assert {str(one.address): one.verb for one in bench.plan(A, b).actions} == {"iad/shelf/b": Verb.CREATE}
    else:
        bench.done(A, entry("shelf", "b", size=3))
        assert {str(one.address): one.verb for one in bench.plan(b).actions} == {"iad/shelf/a": Verb.DELETE}


def test_what_is_gone_and_no_longer_wanted_is_forgotten(bench: Bench) -> None:
    bench.done(A)
    bench.library.rows["shelf"].clear()
    plan = bench.plan()
    (one,) = plan.actions
    assert (one.verb, one.reason) == (Verb.RELEASE, "no longer in the document, and already gone")
    bench.apply(plan)
    assert not bench.part.entries


def test_a_field_that_is_left_out_is_released_and_stays(bench: Bench) -> None:
    bench.done(A)
    plan = bench.plan(entry("shelf", "a"))
    (one,) = plan.actions
    assert (one.verb, one.released, one.reason) == (
        Verb.RELEASE,
        ("size",),
        "it stays managed, without fields that the document no longer has: these keep their values",
    )
    bench.apply(plan)
    assert bench.library.named("shelf", "a")["size"] == 3
    assert not bench.plan(entry("shelf", "a")).actions


# Who moved


def test_a_value_that_both_sides_have_now_is_recorded_and_its_reversal_is_a_change_by_others(bench: Bench) -> None:
    bench.done(A)
    bench.library.named("shelf", "a").update(size=5)
    plan = bench.plan(entry("shelf", "a", size=5))
    (one,) = plan.actions
    assert (one.verb, one.changes) == (Verb.RELEASE, ())
    assert one.reason == "size: the document now has the value of the system; recorded in the ledger"
    bench.apply(plan)
    assert not bench.plan(entry("shelf", "a", size=5)).actions
    bench.library.named("shelf", "a").update(size=3)
    (one,) = bench.plan(entry("shelf", "a", size=5)).actions
    assert one.reason == "changed outside vastplan"


def test_both_sides_moved(bench: Bench) -> None:
    bench.done(entry("shelf", "a", size=3, open=True))
    bench.library.named("shelf", "a").update(size=5)
    (one,) = bench.plan(entry("shelf", "a", size=4, open=False)).actions
    assert one.reason == "both the document and the system changed"
    assert {change.path: change.cause for change in one.changes} == {"size": Cause.BOTH, "open": Cause.DOCUMENT}


def test_one_side_moved(bench: Bench) -> None:
    bench.done(A)
    assert bench.plan(entry("shelf", "a", size=4)).actions[0].reason == "the document changed"
    bench.library.named("shelf", "a").update(size=5)
    assert bench.plan(A).actions[0].reason == "changed outside vastplan"


# Against a snapshot


def test_what_a_snapshot_does_not_hold_is_neither_in_sync_nor_changed(bench: Bench) -> None:
    bench.done(A, entry("shelf", "b", size=3))
    bench.library.said.clear()
    owned = bench.part.entries["iad/shelf/a"]
    bench.owns("iad/shelf/a", replace(owned, fields={"size": REDACTED_DIGEST}))
    plan = bench.plan(entry("shelf", "a", size=4), entry("shelf", "b", size=3))
    assert (plan.actions, plan.in_sync) == ((), 1)
    (one,) = plan.findings
    assert (one.code, one.address, one.message, one.fix) == (
        "VP330", "iad/shelf/a", "size: not in the snapshot; cannot determine whether it would change", "compare it with a live plan",
    )  # fmt: skip


def test_what_is_withheld_beside_what_changes_is_said() -> None:
    found = diff(
        KINDS["shelf"], {"name": "a", "size": 4, "open": True}, {"name": "a", "size": 3, "open": REDACTED}, {}, "00"
    )
    assert ([change.path for change in found.changes], found.unknown) == (["size"], ("open",))


# After an interruption


def intent(bench: Bench, verb: str, of: Any) -> None:
    """An apply noted what it meant to do and was cut off."""
    from vastplan.engine.live.diff import digests

    fields = digests(KINDS[of.address.kind], of.values, bench.part.key)
    noted = {str(of.address): Intent(verb, fields)}
    from vastplan.ledger import events

    bench.book.add(events.begin_event("p", noted, "2026-01-01T00:00:00+00:00"))


def test_a_create_that_was_cut_off_is_known_for_ours(bench: Bench) -> None:
    intent(bench, "create", A)
    bench.library.put("shelf", name="a", size=3)
    (one,) = bench.plan(A).actions
    assert (one.verb, one.reason) == (Verb.RELEASE, "created by an interrupted apply; added to the ledger")
    bench.apply(bench.plan(A))
    assert not bench.part.intents and "iad/shelf/a" in bench.part.entries


def test_what_an_apply_that_holds_the_ledger_did_is_not_called_interrupted(bench: Bench) -> None:
    bench.held = frozenset({"iad"})
    intent(bench, "create", A)
    bench.library.put("shelf", name="a", size=3)
    assert bench.plan(A).actions[0].reason == "created by the apply that holds the ledger; added to the ledger"


@pytest.mark.parametrize("verb", ["create", "update"])
def test_what_differs_from_what_was_sent_is_not_ours(verb: str, bench: Bench) -> None:
    intent(bench, verb, A)
    bench.library.put("shelf", name="a", size=3 if verb == "update" else 7)
    assert bench.plan(A).actions[0].verb is Verb.ADOPT


def test_an_update_that_was_cut_off_after_it_happened_is_noted(bench: Bench) -> None:
    bench.done(A)
    bigger = entry("shelf", "a", size=4)
    intent(bench, "update", bigger)
    bench.library.named("shelf", "a").update(size=4)
    (one,) = bench.plan(bigger).actions
    assert (one.verb, one.reason) == (Verb.RELEASE, "done by an interrupted apply; recorded in the ledger")
    bench.apply(bench.plan(bigger))
    assert not bench.plan(bigger).actions


def test_what_nobody_writes_is_not_waited_for(bench: Bench) -> None:
    bench.library.put("reading", name="r", state="announced")
    bench.consent = Consent(adopt=True)
    bench.done(entry("reading", "r"))
    assert "iad/reading/r" in bench.part.entries


# Order


def test_what_is_let_go_in_the_same_plan_holds_nothing_back(bench: Bench) -> None:
    listed = entry("catalogue", "c", books=[ref("book", "t")])
    bench.done(A, BOOK, listed)
    plan = bench.plan(A, entry("catalogue", "c", books=[]))
    assert [(str(one.address), one.step) for one in plan.operations] == [
        ("iad/catalogue/c", Step.WRITE), ("iad/book/t", Step.DELETE),
    ]  # fmt: skip
    assert {one.state for one in bench.apply(plan).outcomes} == {State.DONE}


def test_what_another_still_holds_stays(bench: Bench) -> None:
    bench.done(A, BOOK)
    bench.library.put("catalogue", name="theirs", book_ids=["n2"])
    plan = bench.plan(A)
    assert any("theirs" in one.message for one in action(plan, "book", "t").blocked)


def test_a_name_that_will_be_there_again_holds_nothing(bench: Bench) -> None:
    tall = entry("shelf", "a", height=2)
    by_name = entry("catalogue", "c", shelf=ref("shelf", "a"))
    bench.done(tall, by_name)
    plan = bench.plan(entry("shelf", "a", height=3), by_name)
    assert [(one.verb, str(one.address)) for one in plan.actions] == [(Verb.REPLACE, "iad/shelf/a")]
    assert not plan.actions[0].blocked


def test_a_name_that_will_not_be_there_again_holds_nothing_either(bench: Bench) -> None:
    by_name = entry("catalogue", "c", shelf=ref("shelf", "a"))
    bench.done(A, by_name)
    plan = bench.plan(entry("catalogue", "c"))
    assert not action(plan, "shelf", "a").blocked


def test_what_is_needed_under_its_name_is_not_taken_away(bench: Bench) -> None:
    needing = entry("catalogue", "c", needs=ref("shelf", "a"), books=[])
    bench.done(A, needing)
    (stop,) = action(bench.plan(needing), "shelf", "a").blocked
    assert (stop.guard, stop.message) == ("in-use", "1 object still refers to it: iad/catalogue/c")
    text = "what the document no longer speaks of stays as it is, and names the shelf still"
    assert action(bench.plan(entry("catalogue", "c")), "shelf", "a").blocked, text
    assert action(bench.plan(entry("catalogue", "c", shelf=ref("shelf", "a"))), "shelf", "a").blocked, text
    assert not any(one.blocked for one in bench.plan().actions), "it goes first"
    for instead in (None, ref("shelf", "b")):
        plan = bench.plan(entry("shelf", "b"), entry("catalogue", "c", needs=instead))
        assert not action(plan, "shelf", "a").blocked
        steps = [(str(one.address), one.step) for one in plan.operations]
        assert steps.index(("iad/catalogue/c", Step.WRITE)) < steps.index(("iad/shelf/a", Step.DELETE))


def test_what_is_needed_is_replaced_under_its_name_and_renamed_with_who_needs_it(bench: Bench) -> None:
    needing = entry("catalogue", "c", needs=ref("shelf", "a"))
    bench.done(entry("shelf", "a", height=2), needing)
    assert not any(one.blocked for one in bench.plan(entry("shelf", "a", height=3), needing).actions)
    other = entry("shelf", "a", name="z", height=3)
    plan = bench.plan(other, needing)
    assert not any(one.blocked for one in plan.actions)
    assert [(str(one.address), one.step) for one in plan.operations] == [
        ("iad/shelf/a", Step.DELETE), ("iad/shelf/a", Step.WRITE), ("iad/catalogue/c", Step.WRITE),
    ]  # fmt: skip
    for left in (entry("catalogue", "c"), entry("catalogue", "c", books=[])):
        assert action(bench.plan(other, left), "shelf", "a").blocked, "it would not find it any more"
    assert {one.state for one in bench.apply(plan).outcomes} == {State.DONE}
    assert not bench.plan(other, needing).actions


def test_a_shield_names_what_is_called_otherwise_once_the_old_name_is_gone(bench: Bench) -> None:
    shield = entry("catalogue", "c", guards=ref("shelf", "a"))
    bench.done(entry("shelf", "a", height=2), shield)
    plan = bench.plan(entry("shelf", "a", name="z", height=3, after=(at("catalogue", "c"),)), shield)
    assert [(str(one.address), one.step) for one in plan.operations] == [
        ("iad/shelf/a", Step.DELETE), ("iad/catalogue/c", Step.WRITE), ("iad/shelf/a", Step.WRITE),
    ]  # fmt: skip
    assert action(plan, "catalogue", "c").together == ("iad/shelf/a",)


def test_a_shield_goes_after_what_it_was_applied_with(bench: Bench) -> None:
    bench.done(A, entry("catalogue", "c", guards=ref("shelf", "a")))
    bench.library.named("catalogue", "c")["guards"] = None  # nothing live says so any more
    assert [str(one.address) for one in bench.plan().operations] == ["iad/shelf/a", "iad/catalogue/c"]


def test_a_shield_goes_after_what_it_shields(bench: Bench) -> None:
    shield = entry("catalogue", "c", guards=ref("shelf", "a"))
    bench.done(A, shield)
    assert [str(one.address) for one in bench.plan().operations] == ["iad/shelf/a", "iad/catalogue/c"]
    # and one that stays has no part in the order
    assert [str(one.address) for one in bench.plan(shield).operations] == ["iad/shelf/a"]


def test_one_that_keeps_referring_lets_go_and_is_attached_again(bench: Bench) -> None:
    two = entry("shelf", "b")
    other = entry("book", "u", shelf=ref("shelf", "b"))
    listed = entry("catalogue", "c", books=[ref("book", "t"), ref("book", "u")])
    bench.done(A, two, BOOK, other, listed)
    bench.library.named("catalogue", "c")["shelf"] = None
    moved = entry("book", "t", shelf=ref("shelf", "a"), pages=4)
    grown = entry("catalogue", "c", books=[ref("book", "t"), ref("book", "u")], shelf=ref("shelf", "b"))
    plan = bench.plan(A, two, moved, other, grown)
    steps = [(str(one.address), one.step) for one in plan.operations]
    assert steps.index(("iad/catalogue/c", Step.DETACH)) < steps.index(("iad/book/t", Step.DELETE))
    assert steps.index(("iad/book/t", Step.WRITE)) < steps.index(("iad/catalogue/c", Step.WRITE))
    assert {one.state for one in bench.apply(plan).outcomes} == {State.DONE}
    row = bench.library.named("catalogue", "c")
    titles = {bench.library.rows["book"][one]["title"] for one in row["book_ids"]}
    assert (titles, row["shelf"]) == ({"t", "u"}, "b")


def test_what_let_go_of_something_whose_replace_failed_was_moved_by_no_hand(bench: Bench) -> None:
    listed = entry("catalogue", "c", books=[ref("book", "t"), ref("book", "u")], shelf=ref("shelf", "a"))
    other = entry("book", "u", shelf=ref("shelf", "a"))
    bench.done(A, BOOK, other, listed)
    moved = entry("book", "t", shelf=ref("shelf", "a"), pages=4)

    def away(verb: str, kind: Kind) -> None:
        if verb == "delete":
            raise Unreachable("away")

    bench.library.before = away
    bench.apply(bench.plan(A, moved, other, listed))
    assert len(bench.library.named("catalogue", "c")["book_ids"]) == 1
    assert "iad/catalogue/c" in bench.part.entries and "iad/catalogue/c" not in bench.part.intents
    (lets_go,) = [one for one in bench.plan(A, moved, other, listed).actions if one.address == at("catalogue", "c")]
    assert {(one.path, one.cause) for one in lets_go.changes} == {("books", Cause.NEW)}
    bench.library.before = lambda verb, kind: None
    bench.done(A, moved, other, listed)
    assert not bench.plan(A, moved, other, listed).actions


def test_what_lets_go_while_it_is_taken_over_is_not_ours_before_that_is_done(bench: Bench) -> None:
    listed = entry("catalogue", "c", books=[ref("book", "t")], shelf=ref("shelf", "a"))
    bench.done(A, BOOK)
    book = bench.library.named("book", "t")
    bench.library.put("catalogue", name="c", book_ids=[book["id"]], shelf=None)
    bench.consent = Consent(allow_delete=("*",), adopt=True)
    moved = entry("book", "t", shelf=ref("shelf", "a"), pages=4)
    plan = bench.plan(A, moved, listed)
    assert (at("catalogue", "c"), Step.DETACH) in [(one.address, one.step) for one in plan.operations]

    def away(verb: str, kind: Kind) -> None:
        if verb == "delete":
            raise Unreachable("away")

    bench.library.before = away
    bench.apply(plan)
    assert bench.library.named("catalogue", "c")["book_ids"] == [] and "iad/catalogue/c" not in bench.part.entries


def test_one_that_gets_more_beside_what_is_replaced_lets_go_of_that(bench: Bench) -> None:
    bench.done(A, BOOK, entry("catalogue", "c", books=[ref("book", "t")]))
    moved, other = entry("book", "t", shelf=ref("shelf", "a"), pages=4), entry("book", "u", shelf=ref("shelf", "a"))
    plan = bench.plan(A, moved, other, entry("catalogue", "c", books=[ref("book", "t"), ref("book", "u")]))
    steps = [(str(one.address), one.step) for one in plan.operations]
    assert steps.index(("iad/catalogue/c", Step.DETACH)) < steps.index(("iad/book/t", Step.DELETE))
    assert {one.state for one in bench.apply(plan).outcomes} == {State.DONE}
    assert len(bench.library.named("catalogue", "c")["book_ids"]) == 2


def test_a_ring_is_said_and_nothing_is_done(bench: Bench) -> None:
    one = entry("shelf", "a", after=(at("shelf", "b"),))
    two = entry("shelf", "b", after=(at("shelf", "a"),))
    plan = bench.plan(one, two)
    assert not plan.operations
    assert any("iad/shelf/a" in finding.message and "iad/shelf/b" in finding.message for finding in plan.findings)


# When something breaks


def test_a_fault_of_ours_stops_nobody_else(bench: Bench) -> None:
    bench.library.before = failing("create", "shelf", ZeroDivisionError("oh"))
    receipt = bench.apply(bench.plan(A, entry("shelf", "b")))
    told = {one.address: (one.state, one.message) for one in receipt.outcomes}
    assert told["iad/shelf/a"] == (State.UNKNOWN, "a fault in vastplan: ZeroDivisionError: oh")
    assert told["iad/shelf/b"] == (State.DONE, "")
    assert set(bench.part.entries) == {"iad/shelf/b"}


def test_a_ledger_that_is_lost_begins_nothing_more(bench: Bench) -> None:
    def lost(what: str, address: str) -> None:
        raise Lost("the ledger is gone")

    bench.lost = lost
    receipt = bench.apply(bench.plan(A, BOOK, entry("shelf", "z")))
    told = {one.address: (one.state, one.message) for one in receipt.outcomes}
    assert told["iad/shelf/a"] == (State.UNKNOWN, "the ledger is gone")
    assert told["iad/book/t"][0] is State.SKIPPED and told["iad/shelf/z"] == (State.SKIPPED, "the ledger is gone")
    assert [verb for verb, _ in bench.library.said if verb == "create"] == ["create"]


def test_a_ledger_that_is_lost_when_a_failure_is_noted(bench: Bench) -> None:
    def lost(what: str, address: str) -> None:
        if what == "settle":
            raise Lost("the ledger is gone")

    bench.lost = lost
    bench.library.before = failing("create", "shelf", Refused("no"))
    receipt = bench.apply(bench.plan(A, entry("shelf", "b")))
    assert [(one.state, one.message) for one in receipt.outcomes] == [
        (State.FAILED, "no"), (State.SKIPPED, "the ledger is gone"),
    ]  # fmt: skip


@pytest.mark.parametrize("happened", [True, False])
def test_a_create_without_an_answer(happened: bool, bench: Bench) -> None:
    def cut(verb: str, kind: Kind) -> None:
        if verb == "create":
            raise Unclear("no answer")

    if happened:
        bench.library.after = cut
    else:
        bench.library.before = cut
    plan = bench.plan(A)
    intent(bench, "create", A)
    (one,) = bench.apply(plan).outcomes
    if happened:
        assert one.state is State.DONE and len(bench.library.rows["shelf"]) == 1
    else:
        assert (one.state, one.message) == (State.UNKNOWN, "no answer; it does not exist yet")
        assert "iad/shelf/a" in bench.part.intents


@pytest.mark.parametrize(
    ("when", "state", "says"),
    [
        ("before", State.UNKNOWN, "no answer; nothing has changed yet"),
        ("after", State.DONE, ""),
        ("half", State.UNKNOWN, "no answer"),
        ("gone", State.UNKNOWN, "no answer"),
    ],
)
def test_an_update_without_an_answer(when: str, state: State, says: str, bench: Bench) -> None:
    bench.done(entry("shelf", "a", size=3, open=True))
    plan = bench.plan(entry("shelf", "a", size=4, open=False))

    def cut(verb: str, kind: Kind) -> None:
        if verb == "update":
            if when == "half":
                bench.library.named("shelf", "a")["size"] = 4
            if when == "gone":
                bench.library.rows["shelf"].clear()
            raise Unclear("no answer")

    if when == "after":
        bench.library.after = cut
    else:
        bench.library.before = cut
    (one,) = bench.apply(plan).outcomes
    assert (one.state, one.message) == (state, says)


@pytest.mark.parametrize("happened", [True, False])
def test_a_delete_without_an_answer(happened: bool, bench: Bench) -> None:
    bench.done(A)
    plan = bench.plan()

    def cut(verb: str, kind: Kind) -> None:
        if verb == "delete":
            raise Unclear("no answer")

    if happened:
        bench.library.after = cut
    else:
        bench.library.before = cut
    (one,) = bench.apply(plan).outcomes
    if happened:
        assert one.state is State.DONE and not bench.part.entries
    else:
        assert (one.state, one.message) == (State.UNKNOWN, "no answer; it still exists")
        assert set(bench.part.entries) == {"iad/shelf/a"}


def test_what_was_written_and_cannot_be_read_back_is_ours(bench: Bench) -> None:
    reads = failing("read", "shelf", Unreachable("down"), times=9)
    bench.library.after = lambda verb, kind: setattr(bench.library, "before", reads)
    (one,) = bench.apply(bench.plan(A)).outcomes
    assert (one.state, one.message) == (State.UNKNOWN, "it was written and could not be read back: down")
    assert set(bench.part.entries) == {"iad/shelf/a"}


def test_a_system_that_says_yes_and_does_not_keep_it(bench: Bench) -> None:
    def forgets(verb: str, kind: Kind) -> None:
        bench.library.named("shelf", "a")["size"] = 1

    bench.library.after = forgets
    (one,) = bench.apply(bench.plan(A)).outcomes
    assert (one.state, one.message) == (State.FAILED, "the system accepted the write but did not keep size")
    assert set(bench.part.entries) == {"iad/shelf/a"}


def test_a_reference_that_went_away_is_said(bench: Bench) -> None:
    theirs = bench.library.put("shelf", name="theirs")
    plan = bench.plan(entry("book", "t", shelf=ref("shelf", "theirs", managed=False)))
    bench.library.rows["shelf"].pop(theirs["id"])
    (one,) = bench.apply(plan).outcomes
    assert one.state is State.FAILED
    assert one.message.startswith("it refers to iad/shelf/theirs, which does not exist")


def test_secrets_are_revealed_and_an_unknown_one_is_said(bench: Bench) -> None:
    book = entry("book", "t", shelf=ref("shelf", "a"), lock=SecretSource(("env", "LOCK")))
    bench.secrets["LOCK"] = "1234"
    bench.done(A, book)
    assert bench.library.named("book", "t")["lock"] == "1234"

    def unknown(secret: SecretSource) -> str:
        raise VastplanError("the environment variable LOCK is not set")

    bench.reveal = unknown  # type: ignore[method-assign]
    plan = bench.plan(A, book)
    assert not plan.actions
    assert [one.code for one in plan.findings] == ["VP302"]


# Waiting


def held_after(pauses: int, row: Row, slept: list[float]) -> Callable[[float], None]:
    """A pause that notes its length; the reading is held after the last of `pauses`."""

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        row["state"] = "held" if len(slept) == pauses else row["state"]

    return sleep


def test_waiting_until_it_is_ready() -> None:
    library, kind, slept = Library(), KINDS["reading"], list[float]()
    row = library.put("reading", name="r", state="announced")

    sleep = held_after(12, row, slept)
    assert until_ready(kind, library, row["id"], sleep)["state"] == "held"
    assert slept == sorted(slept) and slept[0] == 0.02 and slept[-1] == 2.0


@pytest.mark.parametrize(
    ("state", "why", "says"),
    [
        ("cancelled", "no reader", "reading n1 is not well: cancelled, no reader"),
        ("cancelled", None, "reading n1 is not well: cancelled"),
        ("announced", None, "reading n1 is not ready yet: announced (waited 0 s)"),
    ],
)
def test_what_never_is(state: str, why: str | None, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vastplan.engine.live.wait.TIMEOUT", -0.1)
    library = Library()
    row = library.put("reading", name="r", state=state, why=why)
    with pytest.raises((Refused, Unclear)) as raised:
        until_ready(KINDS["reading"], library, row["id"], lambda _: None)
    assert str(raised.value).replace("-0 s", "0 s") == says


def test_what_is_being_deleted_is_not_waited_for_and_what_may_become_well_is() -> None:
    library, kind, slept = Library(), KINDS["reading"], list[float]()
    row = library.put("reading", name="r", state="postponed")

    sleep = held_after(3, row, slept)
    assert until_ready(kind, library, row["id"], sleep)["state"] == "held"
    row["state"] = "ending"
    with pytest.raises(Refused, match="reading n1 is being deleted: ending"):
        until_ready(kind, library, row["id"], sleep)


def test_what_a_delete_waits_for_is_reported_when_it_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vastplan.engine.live.wait.TIMEOUT", -0.1)
    library = Library()
    row = library.put("reading", name="r", state="ending", why="a reader")
    with pytest.raises(Unclear, match="was deleted and still exists after -0 s: it is being deleted: ending, a reader"):
        until_gone(KINDS["reading"], library, row["id"], row["id"], lambda _: None)


def test_a_state_of_another_type_than_documented_is_none_that_is_known() -> None:
    library = Library()
    library.put("reading", name="r", state=["held"])
    (live,) = observe([(SITE, KINDS["reading"])], {(SITE, "library"): library}).objects(SITE, "reading")
    assert (live.state.condition, live.state.word) == (Condition.ON_ITS_WAY, "['held']")


def test_what_was_made_and_is_not_there() -> None:
    slept: list[float] = []
    with pytest.raises(Unclear, match="reading n9 was written and is not shown after 0 s"):
        until_ready(KINDS["reading"], Library(), "n9", slept.append)
    assert 0.5 <= sum(slept) < 1.5


def test_what_a_replica_shows_later_is_waited_for() -> None:
    library, rows = Library(), dict[str, int]()
    row = library.put("reading", name="r", state="held")

    def sleep(seconds: float) -> None:
        rows["slept"] = rows.get("slept", 0) + 1
        if rows["slept"] == 5:
            library.rows["reading"].update(hidden)

    hidden = dict(library.rows["reading"])
    library.rows["reading"].clear()
    assert until_ready(KINDS["reading"], library, row["id"], sleep)["id"] == row["id"]


def test_what_was_shown_and_is_gone_is_not_waited_for() -> None:
    library = Library()
    row = library.put("reading", name="r", state="announced")
    with pytest.raises(Unclear, match="was written and is gone"):
        until_ready(KINDS["reading"], library, row["id"], lambda _: library.rows["reading"].clear())


def test_waiting_until_it_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    library, kind = Library(), KINDS["reading"]
    row = library.put("reading", name="r")
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 3:
            library.rows["reading"].clear()

    until_gone(kind, library, row["id"], row["id"], sleep)
    assert len(slept) == 3
    other = library.put("reading", name="r")
    until_gone(kind, library, other["id"], "another that had its place")
    monkeypatch.setattr("vastplan.engine.live.wait.TIMEOUT", -0.1)
    with pytest.raises(Unclear, match="was deleted and still exists"):
        until_gone(kind, library, other["id"], other["id"], sleep)


# Leaves


def test_a_truth_is_not_a_number() -> None:
    field = Field("open", ("open",))
    assert not same(field, True, 1) and not same(field, 0, False)
    assert same(field, False, None) and not same(field, True, None)


def test_a_keyed_member_that_is_cleared_is_a_leaf() -> None:
    inner = Field("size", ("size",))
    keyed = Field("rooms", ("rooms",), shape=LIST_MAP, fields=(inner,), key=("name",))
    found = [(leaf.path, leaf.value) for leaf in leaves((keyed,), {"rooms": {"a": None, "b": {"size": 1}}})]
    assert found == [(("rooms", "a"), None), (("rooms", "b", "size"), 1)]


def test_an_address_elsewhere_is_another_object() -> None:
    assert at("shelf", "a") != Address("pdx", "shelf", "a")
