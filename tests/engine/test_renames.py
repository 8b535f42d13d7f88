"""What an object was called before: the ledger's entry moves, and what cannot be told is not guessed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.engine.library import SITE, Bench, action, at, entry, ref
from vastplan.engine.deciding.ignore import IgnoreRule, ignore
from vastplan.engine.live.consent import Consent
from vastplan.engine.live.diff import diff, digests, wire_digests
from vastplan.engine.live.moved_references import moved_references, under_new_names
from vastplan.engine.live.read import observe
from vastplan.engine.live.renames import resolve_renames
from vastplan.engine.matching.match import match
from vastplan.ledger import events
from vastplan.model.address import Address
from vastplan.model.plan import Cause, Plan, Verb
from vastplan.model.site_ledger import UNKNOWN_DIGEST, Intent, Owned
from vastplan.schema.entries import Entry, Inside

from tests.engine.library import KINDS  # isort: skip


@pytest.fixture
def bench() -> Bench:
    return Bench()


def owned(bench: Bench) -> dict[str, str]:
    """The ids in the ledger, by address."""
    return {address: record.id for address, record in bench.part.entries.items()}


def blocks(plan: Plan) -> dict[str, list[str]]:
    """What stops each action."""
    return {str(one.address): [block.message for block in one.blocked] for one in plan.actions}


def shelf(name: str, was: str = "", called: str = "", **values: object) -> Entry:
    """A shelf whose live name may be another."""
    return entry("shelf", name, **{"size": 3, "name": called or name, "renamed_from": was, **values})


# One event


def test_a_rename_leaves_one_entry_and_nothing_to_do(bench: Bench) -> None:
    bench.done(shelf("home"))
    plan = bench.plan(shelf("homes", "home", "home"))
    (one,) = plan.actions
    assert (one.verb, one.reason, one.renamed_from) == (
        Verb.RELEASE, "renamed from home; the live object does not change", "iad/shelf/home",
    )  # fmt: skip
    bench.done(shelf("homes", "home", "home"))
    assert owned(bench) == {"iad/shelf/homes": "n1"}
    for still in ("home", ""):
        plan = bench.plan(shelf("homes", still, "home"))
        assert not plan.actions and plan.in_sync == 1 and not plan.findings


def test_what_changes_with_its_name_is_changed_in_place_and_says_what_it_was(bench: Bench) -> None:
    bench.done(shelf("home"))
    plan = bench.plan(shelf("homes", "home", size=4))
    (one,) = plan.actions
    assert (one.verb, one.reason, one.id) == (Verb.UPDATE, "renamed from home: the document changed", "n1")
    bench.done(shelf("homes", "home", size=4))
    assert owned(bench) == {"iad/shelf/homes": "n1"} and bench.library.named("shelf", "homes")["size"] == 4


def test_what_is_replaced_for_its_name_says_what_that_costs(bench: Bench) -> None:
    bench.done(entry("book", "t", shelf=ref("shelf", "a"), pages=1), shelf("a"))
    renamed = replace(entry("book", "u", shelf=ref("shelf", "b"), pages=1, renamed_from="t"), kept_by="`name: t` in X")
    (one,) = [one for one in bench.plan(renamed, shelf("a"), shelf("b")).actions if one.address == at("book", "u")]
    assert one.verb is Verb.UPDATE  # its title can be changed, and its shelf
    renamed = replace(renamed, values={**renamed.values, "pages": 2})
    (one,) = [one for one in bench.plan(renamed, shelf("a"), shelf("b")).actions if one.address == at("book", "u")]
    assert (one.verb, one.reason) == (Verb.REPLACE, "renamed from t: pages cannot be changed in place")


def test_what_is_renamed_and_gone_is_made_again_under_its_new_name(bench: Bench) -> None:
    bench.done(shelf("home"))
    bench.library.rows["shelf"].clear()
    bench.done(shelf("homes", "home"))
    assert owned(bench) == {"iad/shelf/homes": "n2"}


def test_a_write_that_was_cut_off_is_known_under_the_new_name(bench: Bench) -> None:
    values = shelf("home").values
    fields = digests(KINDS["shelf"], values, bench.part.key)
    bench.book.add(events.begin_event("p", {"iad/shelf/home": Intent("create", fields)}, ""))
    bench.library.put("shelf", **values)
    (one,) = bench.plan(shelf("homes", "home", "home")).actions
    assert one.reason == "created by an interrupted apply; added to the ledger"
    bench.done(shelf("homes", "home", "home"))
    assert owned(bench) == {"iad/shelf/homes": "n1"} and not bench.part.intents


@pytest.mark.parametrize("verb", ["delete", "replace"])
def test_what_an_apply_of_ours_took_away_was_deleted_by_nobody_else(bench: Bench, verb: str) -> None:
    bench.done(shelf("home"))
    bench.library.rows["shelf"].clear()
    for name in ("home", "homes"):
        assert bench.plan(shelf(name, "home" if name == "homes" else "")).actions[0].deleted_outside
    bench.book.add(events.begin_event("p", {"iad/shelf/home": Intent(verb)}, ""))
    for name in ("home", "homes"):
        (one,) = bench.plan(shelf(name, "home" if name == "homes" else "")).actions
        assert not one.deleted_outside
        assert one.reason.endswith("deleted by an interrupted apply")


def test_a_write_of_another_kind_that_was_cut_off_explains_no_loss(bench: Bench) -> None:
    bench.done(shelf("home"))
    bench.library.rows["shelf"].clear()
    bench.book.add(events.begin_event("p", {"iad/shelf/home": Intent("update")}, ""))
    (one,) = bench.plan(shelf("home")).actions
    assert one.deleted_outside and one.reason == "deleted outside vastplan"


def test_a_target_takes_along_what_is_there_and_names_it(bench: Bench) -> None:
    def naming(shelf: str, *names: str) -> tuple[Entry, ...]:
        return tuple(entry("catalogue", name, shelf=ref("shelf", shelf)) for name in names)

    by_id = entry("book", "t", shelf=ref("shelf", "a"), pages=1)
    bench.done(shelf("a"), shelf("z"), *naming("a", "old"), *naming("z", "other"), by_id)
    desired = (shelf("b", "a"), shelf("z"), *naming("b", "old", "new"), *naming("z", "other"),
               entry("book", "t", shelf=ref("shelf", "b"), pages=2))  # fmt: skip
    plan = bench.plan(*desired, targets=("iad/shelf/b",))
    assert {str(one.address) for one in plan.actions} == {"iad/shelf/b", "iad/catalogue/old"}


def test_what_lets_go_of_something_replaced_is_renamed_all_the_same(bench: Bench) -> None:
    bench.done(entry("shelf", "a", height=1), entry("catalogue", "c", books=[ref("book", "t")]),
               entry("book", "t", shelf=ref("shelf", "a"), pages=1))  # fmt: skip
    after = (
        entry("shelf", "a", height=1), entry("catalogue", "d", books=[ref("book", "t")], name="c", renamed_from="c"),
        entry("book", "t", shelf=ref("shelf", "a"), pages=2),
    )  # fmt: skip
    assert action(bench.plan(*after), "catalogue", "d").renamed_from == "iad/catalogue/c"
    bench.done(*after)
    assert set(owned(bench)) == {"iad/shelf/a", "iad/book/t", "iad/catalogue/d"}
    assert not bench.plan(*after).actions


def test_a_rename_is_made_though_what_was_changed_by_hand_is_kept(bench: Bench) -> None:
    bench.done(shelf("home"))
    bench.library.rows["shelf"]["n1"]["size"] = 9
    actions = {one.address: one for one in bench.plan(shelf("homes", "home", "home")).actions}
    kept, left = ignore(actions, [IgnoreRule("*", "kept")])
    one = kept[at("shelf", "homes")]
    assert (one.verb, one.left, one.renamed_from) == (Verb.RELEASE, ("size",), "iad/shelf/home") and len(left) == 1


# Several at once


def test_names_may_move_on_in_one_go(bench: Bench) -> None:
    bench.done(shelf("a", size=1), shelf("b", size=2))
    moved = (shelf("b", "a", size=1), shelf("c", "b", size=2))
    plan = bench.plan(*moved)
    assert [str(operation.address) for operation in plan.operations] == ["iad/shelf/c", "iad/shelf/b"]
    bench.done(*moved)
    assert owned(bench) == {"iad/shelf/b": "n1", "iad/shelf/c": "n2"}
    assert not bench.plan(*moved).actions


def test_of_names_that_move_on_none_moves_without_the_others(bench: Bench) -> None:
    bench.done(entry("book", "a", shelf=ref("shelf", "s"), pages=1), entry("book", "b", shelf=ref("shelf", "s"), pages=2),
               shelf("s"))  # fmt: skip
    bench.consent = Consent()
    moved = (entry("book", "b", shelf=ref("shelf", "s"), pages=1, renamed_from="a"),
             entry("book", "c", shelf=ref("shelf", "s"), pages=3, renamed_from="b"), shelf("s"))  # fmt: skip
    plan = bench.plan(*moved)
    assert blocks(plan)["iad/book/b"] == ["waits for iad/book/c, which is blocked"]
    before = owned(bench)
    bench.apply(plan)
    assert owned(bench) == before


def test_a_target_brings_what_makes_room_for_it(bench: Bench) -> None:
    bench.done(shelf("a"), shelf("b"), shelf("z"))
    moved = (shelf("b", "a"), shelf("c", "b"), shelf("z", size=9))
    plan = bench.plan(*moved, targets=("iad/shelf/b",))
    assert {str(one.address) for one in plan.actions} == {"iad/shelf/b", "iad/shelf/c"}


# What cannot be told


def test_an_entry_that_still_stands_keeps_what_is_its(bench: Bench) -> None:
    bench.done(shelf("a"))
    plan = bench.plan(shelf("a"), shelf("b", "a"))
    text = "iad/shelf/b says renamed_from: a, and iad/shelf/a is still in the document"
    assert blocks(plan) == {"iad/shelf/b": [text]}
    assert [(one.code, one.address, one.message) for one in plan.findings] == [("VP309", "iad/shelf/b", text)]


def test_a_new_entry_under_an_old_name_does_not_get_what_was_renamed(bench: Bench) -> None:
    book = entry("book", "t", shelf=ref("shelf", "a"))
    bench.done(shelf("a"), shelf("b", size=2), book)
    new, moved = shelf("a", size=9), (shelf("b", "a"), shelf("c", "b", size=2))
    plan = bench.plan(new, *moved, book, entry("book", "u", shelf=ref("shelf", "a")))
    text = "iad/shelf/b says renamed_from: a, and iad/shelf/a is still in the document"
    stops = blocks(plan)
    assert {address: stops[address][0] for address in stops if "shelf" in address} == dict.fromkeys(
        ("iad/shelf/a", "iad/shelf/b", "iad/shelf/c"), text
    )
    assert stops["iad/book/u"] == [
        f"it refers to iad/shelf/a, and vastplan cannot determine which object that is: {text}"
    ], "it might be put on the shelf that is to be b"
    before = owned(bench)
    bench.apply(plan)
    assert owned(bench) == before and bench.library.named("shelf", "a")["size"] == 3
    plan = bench.plan(new, *moved, book, shelf("z"), entry("book", "v", shelf=ref("shelf", "z")))
    assert blocks(plan)["iad/book/v"] == [], "what it refers to is told"
    bench.done(*moved, replace(book, values={**book.values, "shelf": ref("shelf", "b")}))
    bench.done(new, *moved, book)
    assert not bench.plan(new, *moved, book).actions


def test_two_that_were_one_are_neither(bench: Bench) -> None:
    bench.done(shelf("a"))
    plan = bench.plan(shelf("b", "a"), shelf("c", "a"))
    says = "iad/shelf/b, iad/shelf/c all say renamed_from: a"
    assert {address: stops[0] for address, stops in blocks(plan).items()} == dict.fromkeys(
        ("iad/shelf/a", "iad/shelf/b", "iad/shelf/c"), says
    )


def test_what_takes_the_place_of_another_is_asked_about(bench: Bench) -> None:
    bench.done(shelf("a"), shelf("b"))
    plan = bench.plan(shelf("b", "a", size=9))
    says = "iad/shelf/b says renamed_from: a, and the ledger owns both"
    assert blocks(plan) == {"iad/shelf/a": [says], "iad/shelf/b": [says]}
    in_sync = bench.plan(shelf("b", "a"))
    assert blocks(in_sync) == {"iad/shelf/a": [says]} and in_sync.findings[0].code == "VP309"


def test_a_rename_of_long_ago_says_nothing_of_a_new_entry(bench: Bench) -> None:
    bench.done(shelf("a"))
    bench.done(shelf("b", "a"))
    both = (shelf("b", "a"), shelf("a"))
    bench.done(*both)
    plan = bench.plan(*both)
    assert not plan.actions and not plan.findings


def test_a_ring_of_renames_moves_nothing() -> None:
    desired = {one.address: one for one in (shelf("a", "b"), shelf("b", "a"), shelf("c", "b"))}
    found = resolve_renames({at("shelf", "a"): Owned("1", "1"), at("shelf", "b"): Owned("2", "2")}, set(), desired)
    assert not found.moves and set(found.contested) == {at("shelf", name) for name in "abc"}


def test_an_object_that_the_ledger_has_twice_is_not_deleted(bench: Bench) -> None:
    bench.done(shelf("a"))
    bench.book.add(events.own_event("iad/shelf/old", replace(bench.part.entries["iad/shelf/a"])))
    plan = bench.plan(shelf("a"))
    (one,) = plan.actions
    assert (str(one.address), one.verb) == ("iad/shelf/old", Verb.RELEASE)
    bench.done(shelf("a"))
    assert owned(bench) == {"iad/shelf/a": "n1"}
    bench.book.add(events.own_event("iad/shelf/old", replace(bench.part.entries["iad/shelf/a"])))
    bench.done(shelf("a", "old"))  # the same, said as a rename
    assert owned(bench) == {"iad/shelf/a": "n1"}


# A delete and a create of the same


def test_what_is_to_go_and_to_be_made_is_one_object(bench: Bench) -> None:
    bench.done(shelf("home"))
    plan = bench.plan(shelf("homes", called="home"))
    assert blocks(plan) == {
        "iad/shelf/home": ["iad/shelf/homes would create the same object"],
        "iad/shelf/homes": ["it exists: the ledger has it as iad/shelf/home, which is no longer in the document"],
    }
    assert [block.fix for one in plan.actions for block in one.blocked] == [
        "renamed_from: home, or: vastplan ledger move PATH iad/shelf/home iad/shelf/homes"
    ] * 2
    (finding,) = plan.findings
    assert (finding.code, finding.address) == ("VP308", "iad/shelf/homes")
    typed = "vastplan ledger move PATH iad/shelf/home iad/shelf/homes"
    assert finding.fix == f"if it was renamed, write renamed_from: home in it, or: {typed}"
    assert bench.plan(shelf("homes", called="home"), targets=("iad/shelf/home",)).findings == ()


def test_of_an_entry_whose_parts_had_other_names_no_former_name_is_told(bench: Bench) -> None:
    bench.done(shelf("a", called="s"), entry("catalogue", "b", name="c"))
    came = "iad/volume/x"
    plan = bench.plan(
        replace(shelf("x", called="s"), origin=came), replace(entry("catalogue", "x", name="c"), origin=came)
    )
    (finding,) = plan.findings
    assert (finding.code, finding.address) == ("VP308", came)
    assert finding.fix == (
        "if it was renamed, write its former name as renamed_from, or move its ledger entries: vastplan ledger move"
    )


def test_what_waits_for_a_rename_that_nobody_wrote_is_no_ring(bench: Bench) -> None:
    bench.done(shelf("home"), entry("book", "b", title="t", shelf=ref("shelf", "home")))
    moved = entry("book", "b", title="t", shelf=ref("shelf", "homes"))
    plan = bench.plan(replace(shelf("homes", called="home"), origin="site iad"), moved)
    (finding,) = plan.findings
    assert finding.code == "VP308" and "ledger move PATH iad/shelf/home iad/shelf/homes" in finding.fix
    assert plan.operations and all(action.blocked for action in plan.actions)


def test_what_has_its_name_from_what_it_stands_inside_was_renamed_with_that(bench: Bench) -> None:
    bench.done(shelf("home"))
    inside = replace(shelf("homes", called="home"), inside=Inside(at("catalogue", "homes"), shares_name=True))
    (finding,) = bench.plan(inside).findings
    typed = "vastplan ledger move PATH iad/catalogue/home iad/catalogue/homes"
    assert finding.fix == f"if it was renamed, write renamed_from: home in iad/catalogue/homes, or: {typed}"
    (finding,) = bench.plan(inside, entry("catalogue", "home", name="home")).findings  # that was not renamed
    typed = "vastplan ledger move PATH iad/shelf/home iad/shelf/homes"
    assert finding.fix == f"if it was renamed, write renamed_from: home in it, or: {typed}"


def test_what_takes_a_name_waits_until_that_is_free(bench: Bench) -> None:
    bench.done(shelf("a"))
    plan = bench.plan(shelf("z", called="a"), shelf("a", called="b"))
    assert not any(one.blocked for one in plan.actions)
    assert [str(operation.address) for operation in plan.operations] == ["iad/shelf/a", "iad/shelf/z"]


def test_names_that_move_on_are_given_in_the_order_that_frees_them(bench: Bench) -> None:
    bench.done(shelf("a"), shelf("b"), shelf("c"))
    moved = (shelf("a", called="b"), shelf("b", called="c"), shelf("c", called="d"))
    plan = bench.plan(*moved)
    assert not any(blocks(plan).values())
    assert [operation.address.name for operation in plan.operations] == ["c", "b", "a"]
    bench.done(*moved)
    assert not bench.plan(*moved).actions


def test_names_that_are_swapped_are_stopped_in_the_plan(bench: Bench) -> None:
    bench.done(shelf("a"), shelf("b"), shelf("c"))
    for turned in (("b", "a", "c"), ("b", "c", "a")):
        plan = bench.plan(*(shelf(name, called=called) for name, called in zip("abc", turned, strict=True)))
        stops = {str(one.address): [(block.guard, block.message) for block in one.blocked] for one in plan.actions}
        assert stops == {
            f"iad/shelf/{name}": [("renamed", f"its name would be {called}, which iad/shelf/{called} gives up only after this")]
            for name, called in zip("abc", turned, strict=True)
            if name != called
        }  # fmt: skip
        assert not plan.findings, "the document is not wrong"
    # as the plan says: a third name for one of them, and then the right ones
    bench.done(shelf("a", called="z"), shelf("b", called="c"), shelf("c", called="a"))
    bench.done(shelf("a", called="b"), shelf("b", called="c"), shelf("c", called="a"))


def test_a_name_that_another_keeps_is_not_given_again(bench: Bench) -> None:
    bench.done(shelf("a"), shelf("b"))
    bench.library.put("shelf", name="theirs", size=1)
    plan = bench.plan(shelf("a", called="theirs"), shelf("b"))
    says = "its name would be theirs, which shelf theirs (not in the ledger) has, and this plan does not change that"
    assert blocks(plan) == {"iad/shelf/a": [says]}
    turned = (shelf("a", called="b"), shelf("b", called="c"))
    plan = bench.plan(*turned, targets=("iad/shelf/a",))
    says = "its name would be b, which iad/shelf/b has, and this plan does not change that"
    assert blocks(plan) == {"iad/shelf/a": [says]}
    plan = bench.plan(shelf("a", called="b"), shelf("b", size=4))  # it is changed, and keeps its name
    assert blocks(plan) == {"iad/shelf/a": [says], "iad/shelf/b": []}
    bench.done(shelf("a", called="b"))  # what is deleted frees its name
    assert bench.library.named("shelf", "b")["id"] == "n1"


def test_nobody_keeps_a_name_from_itself(bench: Bench) -> None:
    bench.done(shelf("5"))
    bench.library.named("shelf", "5")["name"] = 5
    plan = bench.plan(shelf("5"))
    assert [one.verb for one in plan.actions] == [Verb.UPDATE] and blocks(plan) == {"iad/shelf/5": []}


def test_a_document_of_one_kind_tells_its_new_names(bench: Bench) -> None:
    bench.done(shelf("a"))
    one, entries = {"shelf": KINDS["shelf"]}, (shelf("a", called="b"),)
    observed = observe([(SITE, one["shelf"])], bench.providers, {SITE: bench.part})
    found = match(one, observed, {SITE: bench.part}, {each.address: each for each in entries})
    assert found.coming == {at("shelf", "a"): {"name": "b"}}


def test_a_name_is_one_of_those_that_stand_in_the_same_place(bench: Bench) -> None:
    first, second = (entry("book", name, shelf=ref("shelf", name), pages=1) for name in ("s", "t"))
    bench.done(shelf("s"), shelf("t"), first, second)
    moved = entry("book", "s", title="t", shelf=ref("shelf", "s"), pages=1)
    assert blocks(bench.plan(shelf("s"), shelf("t"), moved, second)) == {"iad/book/s": []}
    pages = entry("book", "s", title="t", shelf=ref("shelf", "t"), pages=1)
    other = entry("book", "t", title="s", shelf=ref("shelf", "s"), pages=1)
    plan = bench.plan(shelf("s"), shelf("t"), pages, second)
    assert blocks(plan) == {
        "iad/book/s": ["its name would be t, which iad/book/t has, and this plan does not change that"]
    }
    made_anew = (
        replace(pages, values={**pages.values, "pages": 2}),
        replace(other, values={**other.values, "pages": 2}),
    )
    steps = [operation.step.value for operation in bench.plan(shelf("s"), shelf("t"), *made_anew).operations]
    assert steps == ["delete", "delete", "write", "write"], "both go before either is there again"
    bench.done(shelf("s"), shelf("t"), *made_anew)
    assert not bench.plan(shelf("s"), shelf("t"), *made_anew).actions


# Which side moved


def catalogue(*books: str) -> Entry:
    return entry("catalogue", "c", books=[ref("book", name) for name in books])


def test_a_reference_to_what_is_no_longer_ours_was_not_changed_by_hand(bench: Bench) -> None:
    books = [entry("book", name, shelf=ref("shelf", "a")) for name in ("t", "u")]
    bench.done(shelf("a"), *books, catalogue("t", "u"))
    bench.book.add(events.drop_event("iad/book/u"))  # forgotten: what it is called by now is another thing
    bench.library.named("book", "u")["title"] = "v"
    plan = bench.plan(shelf("a"), books[0], catalogue("t"))
    (change,) = action(plan, "catalogue", "c").changes
    assert change.cause is Cause.DOCUMENT
    bench.library.named("catalogue", "c")["book_ids"] = ["n9"]
    (change,) = action(bench.plan(shelf("a"), books[0], catalogue("t")), "catalogue", "c").changes
    assert change.cause is Cause.BOTH
    (change,) = action(bench.plan(shelf("a"), *books, catalogue("t", "u")), "catalogue", "c").changes
    assert change.cause is Cause.SYSTEM


def test_what_refers_to_something_made_anew_did_not_move_itself(bench: Bench) -> None:
    book = entry("book", "t", shelf=ref("shelf", "a"))
    bench.done(shelf("a"), book, catalogue("t"))
    bench.library.rows["book"].clear()
    bench.library.put("book", title="t", shelf_id="n1")
    bench.consent = Consent(allow_delete=("*",), adopt=True)
    one = action(bench.plan(shelf("a"), book, catalogue("t")), "catalogue", "c")
    assert ([change.cause for change in one.changes], one.reason) == (
        [Cause.DEPENDENCY], "what it refers to was replaced or renamed",
    )  # fmt: skip
    bench.done(shelf("a"), book, catalogue("t"))
    assert bench.library.named("catalogue", "c")["book_ids"] == ["n4"]


def test_a_ledger_without_what_the_system_said_compares_as_before(bench: Bench) -> None:
    kind, key = KINDS["catalogue"], "00"
    desired, live = {"books": [ref("book", "t")]}, {"books": [ref("book", "u")]}
    raw = {"books": ["n1"]}
    applied, wire = digests(kind, desired, key), wire_digests(kind, desired, raw, key)
    assert set(wire) == {"books"}
    causes = [
        diff(kind, desired, live, applied, key, raw, noted).changes[0].cause
        for noted in (None, {}, wire, {"books": "0"})
    ]
    assert causes == [Cause.SYSTEM, Cause.SYSTEM, Cause.DEPENDENCY, Cause.SYSTEM]


def test_what_refers_to_what_is_renamed_is_as_it_was_applied(bench: Bench) -> None:
    book = entry("book", "t", shelf=ref("shelf", "a"))
    part = bench.part
    owned = {
        "iad/shelf/a": Owned("n1", "n1"),
        "iad/book/t": Owned("n2", "n2", digests(KINDS["book"], book.values, part.key)),
        "iad/book/u": Owned("n3", "n3", {"title": "1", "shelf": "2"}),
    }
    parts = {SITE: replace(part, entries=owned)}
    moves = {at("shelf", "a"): at("shelf", "b"), at("book", "t"): at("book", "s")}
    other = entry("book", "u", shelf=ref("shelf", "a"))
    new = list(
        under_new_names(KINDS, [shelf("a"), book, other, replace(book, address=Address("x", "book", "t"))], moves)
    )
    assert [str(one.address) for one in new] == ["iad/shelf/b", "iad/book/s", "iad/book/u", "x/book/t"]
    expected = digests(KINDS["book"], {"title": "t", "shelf": ref("shelf", "b")}, part.key)
    assert moved_references(KINDS, new, parts, moves) == {SITE: {"iad/book/s": {"shelf": expected["shelf"]}}}
    assert moved_references(KINDS, new, parts, {}) == {}


# What was taken over, and what nobody wrote


def test_what_another_ledger_knew_is_noted_and_never_changed_by_hand(bench: Bench) -> None:
    bench.done(shelf("a"))
    record = bench.part.entries["iad/shelf/a"]
    bench.book.add(
        events.own_event("iad/shelf/a", replace(record, fields=dict.fromkeys(record.fields, UNKNOWN_DIGEST)))
    )
    assert [change.cause for change in bench.plan(shelf("a", size=4)).actions[0].changes] == [Cause.NEW]
    assert bench.plan(entry("shelf", "a")).actions[0].released == ("size",)
    (one,) = bench.plan(shelf("a")).actions
    assert (one.verb, one.reason) == (Verb.RELEASE, "imported from another ledger; recorded as it is")
    bench.done(shelf("a"))
    assert bench.part.entries["iad/shelf/a"].fields == record.fields and not bench.plan(shelf("a")).actions


def test_a_name_that_nobody_wrote_is_for_what_is_yet_to_be_made(bench: Bench) -> None:
    bench.done(shelf("home"))
    named = replace(shelf("homes", "home"), defaults=("name", "size", "sign"))
    (one,) = bench.plan(named).actions
    assert (one.verb, one.desired["name"]) == (Verb.RELEASE, "home")
    bench.done(named)
    bench.library.rows["shelf"].clear()
    assert bench.plan(named).actions[0].desired["name"] == "homes"


# Created, and not shown yet


def test_what_was_never_read_back_is_unknown_and_what_was_is_deleted_outside(bench: Bench) -> None:
    book = entry("book", "b", shelf=ref("shelf", "home"))
    bench.done(shelf("home"), book)
    bench.library.rows["book"].clear()
    (one,) = bench.plan(shelf("home"), book).actions
    assert one.verb is Verb.CREATE and one.deleted_outside
    record = bench.part.entries["iad/book/b"]
    bench.book.add(events.own_event("iad/book/b", replace(record, answered=record.applied)))
    for document in ((shelf("home"), book), (shelf("home"),)):  # it is neither created again nor forgotten
        plan = bench.plan(*document)
        assert plan.actions == ()
        assert [unknown.reason for unknown in plan.unknown] == [
            f"the system answered its creation with id {record.id} and does not show it yet"
            " (vastplan ledger forget PATH iad/book/b lets the next apply create another)"
        ]


def test_what_was_never_read_back_and_may_have_been_deleted_by_a_run_that_was_cut_off_is_gone(bench: Bench) -> None:
    book = entry("book", "b", shelf=ref("shelf", "home"))
    bench.done(shelf("home"), book)
    bench.library.rows["book"].clear()
    record = bench.part.entries["iad/book/b"]
    bench.book.add(events.own_event("iad/book/b", replace(record, answered=record.applied)))
    bench.book.add(events.begin_event("p", {"iad/book/b": Intent("delete", id=record.id)}, ""))
    plan = bench.plan(shelf("home"))
    assert (plan.unknown, [one.verb for one in plan.actions]) == ((), [Verb.RELEASE])
