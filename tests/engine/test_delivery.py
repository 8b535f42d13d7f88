"""Values that are known only when they come to be: to their destination, and nowhere else; told and made anew where they are lost."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import pytest

from tests.engine import library
from tests.engine.library import SITE, Bench, Library, action, at, ref
from vastplan.engine.live.consent import Consent
from vastplan.engine.live.diff import digests
from vastplan.engine.live.wait import until_shown
from vastplan.engine.values.delivery import draw
from vastplan.ledger import events
from vastplan.model.address import Address
from vastplan.model.errors import Conflict, Lost, Refused, Unclear, Unreachable, VastplanError
from vastplan.model.finding import Severity
from vastplan.model.outcome import Receipt, State
from vastplan.model.plan import Cause, Plan, Verb
from vastplan.model.sensitive import INSTEAD, without_secrets
from vastplan.model.site_ledger import UNKNOWN_DIGEST, Intent, Owned
from vastplan.model.value import REDACTED
from vastplan.schema.creation import Delivers, Drawn
from vastplan.schema.endpoint import Endpoint, Update
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind, Row
from vastplan.schema.live import Attribute
from vastplan.schema.markers import DOCUMENT, IDENTITY, IMMUTABLE, SENSITIVE, WRITE_ONLY, Refers
from vastplan.schema.types import MISSING, Name, ReferenceName, Spec

DAY = 24 * 3600
DRAWN = (Drawn("word", ("login", "word"), ("abc", "XYZ", "012", "-_"), 12),)


class Box(Spec):
    """What values are put into."""

    name: Annotated[Name, IDENTITY]
    contents: Annotated[dict[str, str] | MISSING, SENSITIVE] = MISSING


class Into(Spec):
    """Where values go."""

    box: Annotated[ReferenceName, Refers("box", blocks_delete=False)]
    keys: dict[str, str]


class Card(Spec):
    """A reader's card; its number is printed once."""

    reader: Annotated[Name, IDENTITY, IMMUTABLE]
    colour: str | MISSING = MISSING
    generation: Annotated[int, WRITE_ONLY] = 1
    overlap: Annotated[int | MISSING, DOCUMENT] = MISSING
    deliver: Annotated[Into, DOCUMENT]


class Porter(Spec):
    """Lets people in who know a word."""

    name: Annotated[Name, IDENTITY]
    floor: int | MISSING = MISSING
    generation: Annotated[int | MISSING, WRITE_ONLY] = MISSING
    deliver: Annotated[Into | MISSING, DOCUMENT] = MISSING


class Visitor(Spec):
    """Takes what is in a box."""

    name: Annotated[Name, IDENTITY]
    box: Annotated[ReferenceName, Refers("box", blocks_delete=False)]


class Badge(Spec):
    """A card of a porter."""

    of: Annotated[ReferenceName, Refers("porter"), IDENTITY, IMMUTABLE]
    generation: Annotated[int, WRITE_ONLY] = 1
    overlap: Annotated[int | MISSING, DOCUMENT] = MISSING
    deliver: Annotated[Into, DOCUMENT]


NUMBER = (Attribute("number", ("number",)),)
CALLED = (Attribute("called", ("name",), lambda values: values.get("name"), ("name",)),)
HANDED = Delivers(to="deliver", target="box", into="contents")
KINDS = (
    Kind(Box, name="box", system="library", section="boxes", endpoint=Endpoint("boxes", update=Update.MERGE_PATCH)),
    Kind(Card, name="card", system="library", section="cards", attributes=NUMBER, delivers=HANDED,
         endpoint=Endpoint("cards", answered_once=(("number",),))),
    Kind(Badge, name="badge", system="library", section="badges", attributes=NUMBER, delivers=HANDED,
         endpoint=Endpoint("badges", answered_once=(("number",),))),
    Kind(Porter, name="porter", system="library", section="porters", endpoint=Endpoint("porters"), attributes=CALLED,
         delivers=replace(HANDED, drawn=DRAWN)),
    Kind(Visitor, name="visitor", system="library", section="visitors", endpoint=Endpoint("visitors")),
)  # fmt: skip


class Printing(Library):
    """Says a card's number when the card is made, and never again; what a merge patch says is merged."""

    def __init__(self) -> None:
        super().__init__()
        self.rows |= {one.name: {} for one in KINDS}
        self.numbers: dict[str, str] = {}
        self.forgets = self.withholds = False
        self.prints = True

    def pages(self, kind: Kind) -> Iterator[list[Row]]:
        """All rows in one page, those of boxes perhaps without what is in them."""
        for page in super().pages(kind):
            withheld = {"contents": REDACTED} if self.withholds and kind.name == "box" else {}
            yield [{**row, **withheld} for row in page]

    def create(self, kind: Kind, body: Row) -> Row:
        """A new row."""
        row = super().create(kind, body)
        if kind.name not in ("card", "badge"):
            return row
        self.numbers[row["id"]] = f"opens-{row['id']}-every-door"
        if not self.prints:
            return row
        return {**row, "number": self.numbers[row["id"]]}

    def update(self, kind: Kind, locator: str, body: Row, fresh: Row) -> None:
        """Other values."""
        if kind.name == "box":
            body = {"contents": {**self.rows["box"][locator].get("contents", {}), **body["contents"]}}
        super().update(kind, locator, {} if self.forgets and kind.name == "box" else body, fresh)


class Lobby(Bench):
    """A bench of them, with a clock."""

    def __init__(self) -> None:
        super().__init__()
        self.library: Printing = Printing()
        self.providers = {(SITE, "library"): self.library}
        self.consent = Consent()
        self.later = timedelta()

    def now(self) -> datetime:
        """As late as it is."""
        return datetime(2026, 1, 2, tzinfo=UTC) + self.later

    @property
    def contents(self) -> dict[str, str]:
        """What is in the box."""
        contents: dict[str, str] = self.library.named("box", "b").get("contents", {})
        return contents

    def cards(self) -> list[str]:
        """The ids of all cards."""
        return sorted(self.library.rows["card"])


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Lobby:
    monkeypatch.setattr(library, "KINDS", {**library.KINDS, **{one.name: one for one in KINDS}})
    return Lobby()


INTO: dict[str, Any] = {"box": ref("box", "b"), "keys": {"number": "CARD"}}
BOX = Entry(at("box", "b"), {"name": "b"})
VISITOR = Entry(at("visitor", "v"), {"name": "v", "box": ref("box", "b")})


def card(generation: int = 1, **values: Any) -> Entry:
    said = {"reader": "ann", "generation": generation, "overlap": DAY, "deliver": INTO, **values}
    return Entry(at("card", "c"), said)


def porter(generation: int = 1, **values: Any) -> Entry:
    into = {"box": ref("box", "b"), "keys": {"word": "WORD"}}
    return Entry(at("porter", "p"), {"name": "joe", "generation": generation, "deliver": into, **values})


def verbs(plan: Plan) -> dict[str, str]:
    return {str(one.address): one.verb.value for one in plan.actions}


def states(receipt: Receipt) -> dict[str, str]:
    return {one.address: one.state.value for one in receipt.outcomes}


def failing(bench: Lobby, verb: str, of: str, problem: Exception, *, after: bool = False, times: int = 1) -> None:
    """The next calls of that verb on that kind fail, before or after they were carried out."""
    left = [times]

    def fail(said: str, kind: Kind) -> None:
        if (said, kind.name) == (verb, of) and left[0]:
            left[0] -= 1
            raise problem

    if after:
        bench.library.after = fail
    else:
        bench.library.before = fail


# Delivered once


def test_the_value_goes_to_its_destination_and_nowhere_else(bench: Lobby) -> None:
    bench.library.put("box", name="b", contents={"OTHER": "stays"})
    bench.consent = Consent(adopt=True)
    plan = bench.plan(VISITOR, card(), BOX)
    assert verbs(plan) == {"iad/box/b": "adopt", "iad/card/c": "create", "iad/visitor/v": "create"}
    receipt = bench.apply(plan, parallel=4)
    assert {*states(receipt).values()} == {"done"}, receipt
    (mine,) = bench.cards()
    number = bench.library.numbers[mine]
    assert bench.contents == {"OTHER": "stays", "CARD": number}
    owned = bench.part.entries["iad/card/c"]
    assert owned.id == mine and list(owned.delivered) == ["iad/box/b CARD"]
    assert owned.delivered_at == "2026-01-02T00:00:00+00:00"
    assert number not in json.dumps([asdict(bench.part), asdict(receipt), asdict(plan)], default=str)
    assert "generation" not in bench.library.rows["card"][mine] and "deliver" not in bench.library.rows["card"][mine]
    assert not bench.plan(VISITOR, card(), BOX).actions


def test_what_refers_to_the_destination_waits_for_the_value(bench: Lobby) -> None:
    plan = bench.plan(VISITOR, card(), BOX)
    order = [operation.address.kind for operation in plan.operations]
    assert order.index("box") < order.index("card") < order.index("visitor")
    failing(bench, "create", "card", Refused("no"))
    assert states(bench.apply(plan)) == {"iad/box/b": "done", "iad/card/c": "failed", "iad/visitor/v": "skipped"}
    assert "iad/card/c" not in bench.part.entries


def test_it_is_in_the_ledger_which_one_it_is_before_the_value_goes_anywhere(bench: Lobby) -> None:
    bench.done(BOX)
    noted: list[tuple[str, str]] = []

    def look(verb: str, kind: Kind) -> None:
        if (verb, kind.name) == ("update", "box"):
            owned = bench.part.entries["iad/card/c"]
            noted.append((owned.id, owned.delivered_at))

    bench.library.before = look
    bench.done(BOX, card())
    assert noted == [(bench.cards()[0], "")]


def test_another_field_is_changed_and_the_value_stays(bench: Lobby) -> None:
    bench.done(BOX, card())
    before, owned = dict(bench.contents), bench.part.entries["iad/card/c"]
    bench.done(BOX, card(colour="red"))
    assert bench.contents == before and bench.library.rows["card"][owned.id]["colour"] == "red"
    now = bench.part.entries["iad/card/c"]
    assert (now.delivered, now.delivered_at) == (owned.delivered, owned.delivered_at)


def test_several_may_be_alike_and_what_is_there_of_others_is_not_taken_for_it(bench: Lobby) -> None:
    bench.library.put("card", reader="ann")
    plan = bench.plan(BOX, card())
    assert verbs(plan) == {"iad/box/b": "create", "iad/card/c": "create"}
    bench.apply(plan)
    assert len(bench.cards()) == 2 and not bench.plan(BOX, card()).actions


def test_one_that_somebody_deleted_is_made_again(bench: Lobby) -> None:
    bench.done(BOX, card())
    bench.library.rows["card"].clear()
    plan = bench.plan(BOX, card())
    assert verbs(plan) == {"iad/card/c": "create"} and action(plan, "card", "c").deleted_outside
    bench.consent = Consent(believe_gone=("*",))
    bench.done(BOX, card())
    assert bench.contents["CARD"] == bench.library.numbers[bench.cards()[0]]


def test_one_that_is_not_in_the_document_any_more_goes_with_consent(bench: Lobby) -> None:
    bench.done(BOX, card())
    plan = bench.plan(BOX)
    assert [block.guard for block in action(plan, "card", "c").blocked] == ["approval"]


# Lost


@pytest.mark.parametrize(
    ("verb", "problem", "after", "state", "says"),
    [
        ("update", Refused("no room"), False, State.FAILED, "cannot deliver its value, the next plan creates another: no room"),
        ("update", Unclear("no answer"), False, State.UNKNOWN, "cannot determine whether its value was delivered: no answer; the value has not arrived yet"),
        ("read", Unreachable("away"), False, State.UNKNOWN, "cannot deliver its value, the next plan creates another: away"),
    ],
)  # fmt: skip
def test_what_could_not_be_delivered_is_told_and_made_anew_and_goes_unasked(
    bench: Lobby, verb: str, problem: VastplanError, after: bool, state: State, says: str
) -> None:
    bench.done(BOX)
    plan = bench.plan(BOX, card())
    failing(bench, verb, "box", problem, after=after)
    (outcome,) = bench.apply(plan).outcomes
    assert (outcome.state, outcome.message) == (state, says)
    (lost,) = bench.cards()
    owned = bench.part.entries["iad/card/c"]
    assert owned.id == lost and owned.delivered and not owned.delivered_at
    again = bench.plan(BOX, card())
    assert verbs(again) == {"iad/card/c": "create", f"iad/card/c#{lost}": "delete"}
    made, goes = again.actions
    assert made.reason == "its value was lost before it was delivered: another is created"
    assert goes.reason == "its value was lost before it was delivered; iad/card/c has another now"
    assert made.supersedes == f"iad/card/c#{lost}" and not made.blocked and not goes.blocked
    assert [operation.address.name for operation in again.operations] == ["c", f"c#{lost}"]
    assert {*states(bench.apply(again)).values()} == {"done"}
    (mine,) = bench.cards()
    assert mine != lost and bench.contents == {"CARD": bench.library.numbers[mine]}
    assert [*bench.part.entries] == ["iad/box/b", "iad/card/c"] and not bench.plan(BOX, card()).actions


def test_a_lost_one_that_could_not_be_removed_goes_with_the_next_apply(bench: Lobby) -> None:
    bench.done(BOX)
    failing(bench, "update", "box", Refused("no"))
    bench.apply(bench.plan(BOX, card()))
    (lost,) = bench.cards()
    failing(bench, "delete", "card", Refused("not now"))
    assert states(bench.apply(bench.plan(BOX, card()))) == {"iad/card/c": "done", f"iad/card/c#{lost}": "failed"}
    plan = bench.plan(BOX, card())
    assert verbs(plan) == {f"iad/card/c#{lost}": "delete"} and not plan.actions[0].blocked
    bench.done(BOX, card())
    assert lost not in bench.cards()


def test_what_was_delivered_and_could_not_be_noted_is_no_loss(bench: Lobby) -> None:
    bench.done(BOX)
    failing(bench, "update", "box", Unreachable("away"), after=True)
    (outcome,) = bench.apply(bench.plan(BOX, card())).outcomes
    assert outcome.state is State.UNKNOWN and not bench.part.entries["iad/card/c"].delivered_at
    plan = bench.plan(BOX, card())
    assert verbs(plan) == {"iad/card/c": "release"}
    assert plan.actions[0].reason == "done by an interrupted apply; recorded in the ledger"
    delivered = bench.part.entries["iad/card/c"].delivered
    bench.done(BOX, card())
    owned = bench.part.entries["iad/card/c"]
    assert owned.delivered == delivered and owned.delivered_at and not bench.plan(BOX, card()).actions


def test_a_delivery_without_an_answer_that_was_made_is_one(bench: Lobby) -> None:
    bench.done(BOX)
    failing(bench, "update", "box", Unclear("no answer"), after=True)
    bench.done(BOX, card())
    assert bench.contents["CARD"] == bench.library.numbers[bench.cards()[0]]


def test_a_destination_that_moves_meanwhile_is_written_again_a_few_times(bench: Lobby) -> None:
    bench.done(BOX)
    failing(bench, "update", "box", Conflict("it moved"), times=4)
    bench.done(BOX, card())
    failing(bench, "update", "box", Conflict("it moved"), times=5)
    (outcome,) = (one for one in bench.apply(bench.plan(BOX, card(2))).outcomes if one.verb == "create")
    assert outcome.state is State.FAILED and outcome.message.endswith("creates another: it moved")


def test_a_destination_that_keeps_nothing_or_is_gone_is_told(bench: Lobby) -> None:
    bench.done(BOX)
    plan = bench.plan(BOX, card())
    bench.library.forgets = True
    (outcome,) = bench.apply(plan).outcomes
    assert outcome.message.endswith("iad/box/b accepted the write but did not keep it")
    bench.library.forgets = False
    plan = bench.plan(BOX, card())

    def gone(verb: str, kind: Kind) -> None:
        if (verb, kind.name) == ("create", "card"):
            bench.library.rows["box"].clear()

    bench.library.after = gone
    made, _ = bench.apply(plan).outcomes
    assert made.state is State.FAILED and made.message.endswith("creates another: iad/box/b does not exist")


def test_an_answer_without_a_value_is_told(bench: Lobby) -> None:
    bench.done(BOX)
    plan = bench.plan(BOX, card())
    bench.library.prints = False
    (outcome,) = bench.apply(plan).outcomes
    assert outcome.state is State.FAILED
    assert outcome.message == "the answer does not have number; the next plan creates another" and not bench.contents
    bench.library.prints = True
    assert verbs(bench.plan(BOX, card())) == {
        "iad/card/c": "create", f"iad/card/c#{bench.cards()[0]}": "delete",
    }  # fmt: skip


def test_a_create_without_an_answer_is_not_taken_for_another_one(bench: Lobby) -> None:
    bench.done(BOX)
    failing(bench, "create", "card", Unclear("no answer"), after=True)
    (outcome,) = bench.apply(bench.plan(BOX, card())).outcomes
    assert outcome.state is State.UNKNOWN and "iad/card/c" not in bench.part.entries


@pytest.mark.parametrize("happened", [True, False])
def test_what_only_its_id_distinguishes_is_never_sent_twice(bench: Lobby, happened: bool) -> None:
    bench.done(BOX)
    failing(bench, "create", "card", Unclear("503", ended=True), after=happened)
    (outcome,) = bench.apply(bench.plan(BOX, card())).outcomes
    assert (outcome.state, outcome.message) == (State.UNKNOWN, "503; cannot determine whether it was created")
    assert bench.library.said.count(("create", "card")) == 1


@pytest.mark.parametrize(("times", "done"), [(1, True), (2, True), (3, False)])
def test_a_delivery_that_did_not_arrive_is_sent_again(bench: Lobby, times: int, done: bool) -> None:
    bench.done(BOX)
    failing(bench, "update", "box", Unclear("503", ended=True), times=times)
    (outcome,) = bench.apply(bench.plan(BOX, card())).outcomes
    assert (outcome.state is State.DONE) is done and bool(bench.contents) is done
    assert bench.library.said.count(("create", "card")) == 1


def begun(bench: Lobby, *before: str, of: Entry | None = None) -> None:
    """An apply noted that it would make a card, and was cut off."""
    entry = of or card()
    fields = digests(library.KINDS["card"], entry.values, bench.part.key)
    bench.book.add(events.begin_event("p", {str(entry.address): Intent("create", fields, before=before)}, ""))


def other(name: str, reader: str = "ann") -> Entry:
    """Another card of the same reader, by whose address it is told."""
    return Entry(at("card", name), {**card().values, "reader": reader, "deliver": {**INTO, "keys": {"number": name}}})


def test_one_that_shows_late_is_waited_for_and_no_second_is_created(
    bench: Lobby, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.done(BOX)
    old = bench.library.put("card", reader="ann")["id"]
    begun(bench, old)
    waited: list[float] = []

    def late(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 3:
            bench.library.put("card", reader="ann")

    monkeypatch.setattr(until_shown, "__defaults__", (late,))
    monkeypatch.setattr("vastplan.engine.live.wait.SHOWN", 60.0)
    (outcome,) = bench.apply(bench.plan(BOX, card())).outcomes
    assert (outcome.state, len(waited)) == (State.UNKNOWN, 3)
    assert "perhaps created by an interrupted run; plan again" in outcome.message
    assert ("create", "card") not in bench.library.said


def test_one_that_this_run_creates_is_not_taken_for_one_that_shows_late(
    bench: Lobby, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.done(BOX)
    fields = digests(library.KINDS["card"], card().values, bench.part.key)
    begun(bench, "none")
    bench.book.add(events.begin_event("p", {str(at("card", "d")): Intent("create", fields, before=("none",))}, ""))
    monkeypatch.setattr(until_shown, "__defaults__", (lambda seconds: None,))
    outcomes = bench.apply(bench.plan(BOX, card(), other("d"))).outcomes
    assert {outcome.state for outcome in outcomes} == {State.DONE}


def test_one_that_a_killed_apply_made_is_found_and_goes_with_consent(bench: Lobby) -> None:
    bench.done(BOX)
    old = bench.library.put("card", reader="ann")["id"]
    bench.library.put("card", reader="bob")
    begun(bench, old)
    assert verbs(bench.plan(BOX, card())) == {"iad/card/c": "create"}  # it had made none
    lost = bench.library.put("card", reader="ann")["id"]
    plan = bench.plan(BOX, card())
    goes = action(plan, "card", f"c#{lost}")
    assert verbs(plan) == {"iad/card/c": "create", f"iad/card/c#{lost}": "delete"}
    assert goes.reason == "an interrupted apply of iad/card/c probably created it, and its value is lost"
    assert [block.guard for block in goes.blocked] == ["approval"]
    # also where the entry is gone, and by its own name
    bench.consent = Consent(allow_delete=("iad/card/c",))
    assert action(bench.plan(BOX), "card", f"c#{lost}").blocked


def test_what_was_found_and_noted_still_goes_with_consent(bench: Lobby) -> None:
    bench.done(BOX, card())
    lost = bench.library.put("card", reader="ann")["id"]
    bench.book.add(events.own_event(f"iad/card/c#{lost}", Owned(lost, lost)))
    plan = bench.plan(BOX, card())
    assert verbs(plan) == {f"iad/card/c#{lost}": "delete"} and plan.actions[0].blocked
    bench.consent = Consent(allow_delete=("*",))
    bench.done(BOX, card())
    assert lost not in bench.cards()


def test_of_more_than_it_can_have_made_none_is_touched_and_that_is_said(bench: Lobby) -> None:
    bench.done(BOX)
    begun(bench)
    first, second = (bench.library.put("card", reader="ann")["id"] for _ in range(2))
    plan = bench.plan(BOX, card())
    assert verbs(plan) == {"iad/card/c": "create"}
    (said,) = plan.findings
    assert (said.code, said.severity, said.address) == ("VP335", Severity.WARNING, "iad/card/c")
    ids = f"id {first}, {second}"
    assert (
        said.message
        == f"an interrupted apply of iad/card/c created 1 of these objects at most; vastplan touches none of them: {ids}"
    )
    assert said.fix == "delete those that nobody knows: their values are lost"
    bench.done(BOX, card())
    (note,) = bench.plan(BOX, card()).findings  # no create is open any more: they are strangers
    assert note.code == "VP337" and {first, second} < {*bench.cards()}


def test_what_several_creates_made_together_is_all_found(bench: Lobby) -> None:
    bench.done(BOX)
    entries = card(), other("d"), other("e", "bob")
    for entry in entries:
        begun(bench, of=entry)
    lost = [bench.library.put("card", reader=reader)["id"] for reader in ("ann", "ann", "bob")]
    plan = bench.plan(BOX, *entries)
    assert verbs(plan) == {
        **dict.fromkeys(("iad/card/c", "iad/card/d", "iad/card/e"), "create"),
        **dict.fromkeys((f"iad/card/c#{lost[0]}", f"iad/card/d#{lost[1]}", f"iad/card/e#{lost[2]}"), "delete"),
    }
    assert not plan.findings
    bench.library.put("card", reader="ann")
    plan = bench.plan(BOX, *entries)
    assert f"iad/card/e#{lost[2]}" in verbs(plan) and f"iad/card/c#{lost[0]}" not in verbs(plan)
    assert "iad/card/c and iad/card/d created 2 of these objects at most" in plan.findings[0].message


def test_what_was_there_when_a_create_began_is_what_an_earlier_one_made(bench: Lobby) -> None:
    bench.done(BOX)
    first, second = (bench.library.put("card", reader="ann")["id"] for _ in range(2))
    begun(bench, first, of=card())
    begun(bench, of=other("d"))
    assert {f"iad/card/c#{second}", f"iad/card/d#{first}"} < {*verbs(bench.plan(BOX, card(), other("d")))}
    begun(bench, first, of=other("d"))  # then nobody made the first
    assert verbs(bench.plan(BOX, card(), other("d"))) == {
        "iad/card/c": "create", "iad/card/d": "create", f"iad/card/c#{second}": "delete",
    }  # fmt: skip


def test_what_is_owned_is_not_what_a_killed_apply_made(bench: Lobby) -> None:
    bench.done(BOX, card())
    (mine,) = bench.cards()
    begun(bench, of=other("d"))
    assert verbs(bench.plan(BOX, card(), other("d"))) == {"iad/card/d": "create"} and mine in bench.cards()


def test_an_intent_of_a_kind_that_there_is_not_is_left(bench: Lobby) -> None:
    bench.done(BOX)
    bench.book.add(events.begin_event("p", {"iad/ticket/c": Intent("create", before=())}, ""))
    assert not bench.plan(BOX).actions


# Another value


def test_another_generation_is_made_and_delivered_and_the_former_one_stays_for_a_while(bench: Lobby) -> None:
    bench.done(BOX, card())
    (old,) = bench.cards()
    plan = bench.plan(BOX, card(2))
    assert verbs(plan) == {"iad/card/c": "create"} and plan.actions[0].reason == (
        "the document asks for another generation: 2 after 1"
    )
    (note,) = plan.findings
    assert (note.code, note.address) == ("VP334", f"iad/card/c#{old}")
    assert note.message == (
        "it is to be a former object of iad/card/c, because the document asks for another generation; "
        "it stays until 1d after its successor is delivered"
    )
    assert note.fix == "the first apply after that deletes it"
    bench.later = timedelta(hours=1)
    bench.done(BOX, card(2))
    new = next(one for one in bench.cards() if one != old)
    assert bench.contents["CARD"] == bench.library.numbers[new]
    assert bench.part.entries[f"iad/card/c#{old}"].id == old and bench.part.entries["iad/card/c"].id == new
    bench.later = timedelta(hours=24, minutes=59)
    plan = bench.plan(BOX, card(2))
    assert not plan.actions and "stays until 2026-01-03T01:00+00:00" in plan.findings[0].message
    bench.later = timedelta(hours=25)
    plan = bench.plan(BOX, card(2))
    assert verbs(plan) == {f"iad/card/c#{old}": "delete"} and not plan.actions[0].blocked
    bench.done(BOX, card(2))
    assert bench.cards() == [new] and not bench.plan(BOX, card(2)).actions


@pytest.mark.parametrize("made", [card, porter])
def test_a_number_that_goes_back_is_refused_and_changes_nothing(made: Callable[..., Entry], bench: Lobby) -> None:
    bench.done(BOX, made(2))
    before, there = dict(bench.contents), bench.cards()
    plan = bench.plan(BOX, made())
    (said,) = plan.findings
    assert (said.code, said.severity, said.address) == ("VP336", Severity.ERROR, str(made().address))
    assert said.message == ("generation 1 (the default) is lower than 2 in the ledger: no former value can be restored")
    assert said.fix == "generation: 2 to leave it as it is, generation: 3 for another value"
    assert not plan.actions
    bench.done(BOX, made(5))
    assert made(2).address in {
        Address.parse(one.address) for one in bench.plan(BOX, made(2)).findings if one.code == "VP336"
    }
    assert bench.contents != before and there == [one for one in bench.cards() if one in there]
    bench.library.named("box", "b")["contents"] = {}  # nor does it go back when there has to be another anyway
    assert [one.code for one in bench.plan(BOX, made(4)).findings if one.severity is Severity.ERROR] == ["VP336"]


def test_without_a_number_in_the_ledger_another_one_is_told_by_its_digest(bench: Lobby) -> None:
    bench.done(BOX, card(2))
    owned = bench.part.entries["iad/card/c"]
    assert owned.generation == 2
    bench.book.add(events.own_event("iad/card/c", replace(owned, generation=0)))
    assert not bench.plan(BOX, card(2)).actions
    assert bench.plan(BOX, card(3)).actions[0].reason == "the document asks for another generation"


def test_each_stays_from_when_it_was_replaced_whatever_came_after_its_successor(bench: Lobby) -> None:
    bench.done(BOX, card())
    (first,) = bench.cards()
    bench.later = timedelta(hours=1)
    bench.done(BOX, card(2))
    (second,) = {*bench.cards()} - {first}
    bench.later = timedelta(hours=13)
    told = {one.address: one.message.rpartition("; it ")[2] for one in bench.plan(BOX, card(3)).findings}
    assert told == {
        f"iad/card/c#{first}": "stays until 2026-01-03T01:00+00:00",
        f"iad/card/c#{second}": "stays until 1d after its successor is delivered",
    }
    bench.done(BOX, card(3))
    bench.later = timedelta(hours=25)
    plan = bench.plan(BOX, card(3))
    assert verbs(plan) == {f"iad/card/c#{first}": "delete"} and "until 2026-01-03T13:00" in plan.findings[0].message
    bench.done(BOX, card(3))
    bench.later = timedelta(hours=37)
    assert verbs(bench.plan(BOX, card(3))) == {f"iad/card/c#{second}": "delete"}


PARTY = "iad/party/p"  # an entry that stands for several objects


def test_one_whose_own_successor_is_there_makes_room_for_the_next(bench: Lobby) -> None:
    bench.done(BOX, card())
    (first,) = bench.cards()
    bench.later = timedelta(hours=1)
    bench.done(BOX, card(2))
    bench.later = timedelta(days=3)
    plan = bench.plan(BOX, card(3))
    assert [(one.address.name, one.step.value) for one in plan.operations] == [(f"c#{first}", "delete"), ("c", "write")]
    bench.done(BOX, card(3))
    assert first not in bench.cards() and len(bench.cards()) == 2


def test_one_consent_is_for_all_that_an_entry_stood_for_once_it_is_gone(bench: Lobby) -> None:
    whole, part = replace(card(), origin=PARTY), Entry(at("visitor", "v"), VISITOR.values, origin=PARTY)
    bench.done(BOX, whole, part)
    for goes in bench.plan(BOX).actions:
        fix = f"--allow-delete {goes.address}, or --allow-delete {PARTY} for all its objects"
        assert [(block.guard, block.fix) for block in goes.blocked if block.guard == "approval"] == [("approval", fix)]
    bench.consent = Consent(allow_delete=(PARTY,))
    bench.done(BOX)
    assert not bench.cards() and not bench.library.rows["visitor"]


def test_what_an_entry_stood_for_stays_where_what_holds_its_data_is_not_replaced(
    bench: Lobby, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kept together though nothing refers to anything: the part that goes is of the entry whose data stays."""
    monkeypatch.setitem(library.KINDS, "shelf", replace(library.KINDS["shelf"], data_bearing=True))
    shelf = Entry(at("shelf", "s"), {"name": "s", "height": 1}, origin=PARTY)
    part, others = Entry(at("visitor", "v"), VISITOR.values, origin=PARTY), Entry(at("porter", "p"), {"name": "joe"})
    bench.done(BOX, shelf, part, others)
    bench.consent = Consent(allow_delete=("*",))
    plan = bench.plan(BOX, replace(shelf, values={"name": "s", "height": 2}))
    assert {str(one.address): [block.guard for block in one.blocked] for one in plan.actions} == {
        "iad/shelf/s": ["approval"], "iad/visitor/v": ["together"], "iad/porter/p": [],
    }  # fmt: skip


def test_of_an_entry_that_stands_still_each_part_is_named_and_so_is_what_is_replaced(bench: Lobby) -> None:
    whole, part = replace(card(), origin=PARTY), Entry(at("visitor", "v"), VISITOR.values, origin=PARTY)
    bench.done(BOX, whole, part)
    (goes,) = bench.plan(BOX, whole).actions
    assert [(block.guard, block.fix) for block in goes.blocked] == [("approval", "--allow-delete iad/visitor/v")]
    bench.consent = Consent(allow_delete=(PARTY,))
    (goes,) = bench.plan(BOX, whole).actions
    assert not goes.blocked  # the entry's address is for its parts, too
    alone = Entry(at("porter", "p"), {"name": "joe"})  # of no such entry
    bench.done(BOX, whole, part, alone)
    (goes,) = bench.plan(BOX, whole, part).actions
    assert [(block.guard, block.fix) for block in goes.blocked] == [("approval", "--allow-delete iad/porter/p")]


def test_an_entry_with_an_object_of_its_own_that_left_the_document_is_named_for_its_parts(bench: Lobby) -> None:
    bench.done(BOX, VISITOR)
    of_it = replace(bench.part.entries["iad/visitor/v"], origin="iad/box/gone")
    bench.book = type(bench.book)(replace(bench.part, entries={**bench.part.entries, "iad/visitor/v": of_it}))
    (goes,) = bench.plan(BOX).actions
    proposed = "--allow-delete iad/visitor/v, or --allow-delete iad/box/gone for all its objects"
    assert [(block.guard, block.fix) for block in goes.blocked] == [("approval", proposed)]
    bench.consent = Consent(allow_delete=("iad/box/gone",))
    (goes,) = bench.plan(BOX).actions
    assert not goes.blocked


def test_former_ones_whose_time_is_over_are_no_mass_of_deletes(bench: Lobby) -> None:
    entries = [other(f"c{number}") for number in range(4)]
    again = [replace(one, values={**one.values, "generation": 2}) for one in entries]
    bench.done(BOX, *entries)
    bench.done(BOX, *again)
    bench.later = timedelta(hours=25)
    plan = bench.plan(BOX, *again)
    assert [*verbs(plan).values()] == ["delete"] * 4 and not any(one.blocked for one in plan.actions)
    bench.consent = Consent(max_count=1, allow_delete=("*",))
    plan = bench.plan(BOX, *again[1:])  # the other entry goes, and takes its former object along: these are losses
    held = {str(one.address).partition("#")[0]: [block.guard for block in one.blocked] for one in plan.actions}
    assert held.pop("iad/card/c0") == ["mass-change"] and [*held.values()] == [[], [], []]


def test_of_former_ones_of_the_same_second_the_higher_generation_is_the_later_one(bench: Lobby) -> None:
    for number in (1, 2, 3):
        bench.done(BOX, card(number))
    assert len({owned.delivered_at for owned in bench.part.entries.values() if owned.generation}) == 1
    bench.later = timedelta(hours=25)
    plan = bench.plan(BOX, card(4))
    assert sorted(verbs(plan).values()) == [
        "create",
        "delete",
        "delete",
    ]  # the third stays until the fourth is delivered
    assert [finding.code for finding in plan.findings] == ["VP334"]


def test_without_an_overlap_the_former_one_goes_at_once_but_after(bench: Lobby) -> None:
    bench.done(BOX, card())
    (old,) = bench.cards()
    entry = card(2, overlap=None)
    plan = bench.plan(BOX, entry)
    assert [operation.address.name for operation in plan.operations] == ["c", f"c#{old}"]
    failing(bench, "update", "box", Refused("no"))
    assert states(bench.apply(plan)) == {"iad/card/c": "failed", f"iad/card/c#{old}": "skipped"}
    lost = next(one for one in bench.cards() if one != old)
    again = bench.plan(BOX, entry)
    assert verbs(again) == {
        "iad/card/c": "create", f"iad/card/c#{old}": "delete", f"iad/card/c#{lost}": "delete",
    }  # fmt: skip
    bench.done(BOX, entry)
    assert len(bench.cards()) == 1 and old not in bench.cards()


def test_what_made_room_for_one_that_could_not_be_made_is_not_taken_for_it(bench: Lobby) -> None:
    into = {**INTO, "keys": {"number": "CARD", "id": "ID"}}
    bench.done(BOX, card(deliver=into))
    (old,) = bench.cards()
    entry = card(2, overlap=None, deliver=into)
    failing(bench, "create", "card", Refused("no"))
    assert states(bench.apply(bench.plan(BOX, entry))) == {"iad/card/c": "failed", f"iad/card/c#{old}": "skipped"}
    assert [*bench.part.entries] == ["iad/box/b", f"iad/card/c#{old}"]
    plan = bench.plan(BOX, entry)
    assert verbs(plan) == {"iad/card/c": "create", f"iad/card/c#{old}": "delete"}
    assert not any(one.blocked for one in plan.actions)
    bench.done(BOX, entry)
    assert old not in bench.cards() and bench.contents["ID"] == bench.cards()[0]


def test_a_value_that_is_gone_is_made_anew_and_the_former_one_goes_with_consent(bench: Lobby) -> None:
    bench.done(BOX, card(overlap=None))
    (old,) = bench.cards()
    bench.contents["CARD"] = "somebody-wrote-this"
    plan = bench.plan(BOX, card(overlap=None))
    made, goes = plan.actions
    assert made.reason == "its value is no longer at its destination: another is created" and not made.blocked
    assert made.deleted_outside
    assert [block.guard for block in goes.blocked] == ["approval"]
    bench.apply(plan)
    assert bench.contents["CARD"] != "somebody-wrote-this" and len(bench.cards()) == 2
    plan = bench.plan(BOX, card(overlap=None))
    assert verbs(plan) == {f"iad/card/c#{old}": "delete"} and plan.actions[0].blocked
    assert plan.actions[0].reason == "its value was no longer at its destination; iad/card/c has another now"


@pytest.mark.parametrize("entry", [card(), porter()], ids=["created", "drawn"])
def test_a_value_whose_destination_vastplan_deleted_is_made_anew_and_nobody_is_blamed(
    bench: Lobby, entry: Entry
) -> None:
    bench.done(BOX, entry)
    bench.library.rows["box"].clear()
    bench.book.add(events.drop_event("iad/box/b"))
    made = next(one for one in bench.plan(BOX, entry).actions if one.address == entry.address)
    assert not made.deleted_outside and all(change.cause is not Cause.SYSTEM for change in made.changes)
    assert "vastplan deleted its destination" in " ".join((made.reason, *made.notes))
    bench.done(BOX, entry)
    assert set(verbs(bench.plan(BOX, entry)).values()) <= {"delete"}  # of the former card


def test_a_value_that_belongs_elsewhere_now_is_made_anew_and_nobody_is_blamed(bench: Lobby) -> None:
    bench.done(BOX, card(overlap=None))
    (old,) = bench.cards()
    elsewhere = card(overlap=None, deliver={**INTO, "keys": {"number": "ELSEWHERE"}})
    plan = bench.plan(BOX, elsewhere)
    assert verbs(plan) == {"iad/card/c": "create", f"iad/card/c#{old}": "delete"}
    made, goes = plan.actions
    assert (
        made.reason == "it is delivered elsewhere now, and the system never returns its value again: another is created"
    )
    assert not made.deleted_outside and not made.blocked
    assert goes.reason == "iad/card/c is delivered elsewhere now, and has another value"
    assert [block.guard for block in goes.blocked] == ["approval"]
    bench.apply(plan)
    assert bench.contents["CARD"] == bench.library.numbers[old] != bench.contents["ELSEWHERE"]
    plan = bench.plan(BOX, elsewhere)
    assert [(str(one.address), one.reason) for one in plan.actions] == [(f"iad/card/c#{old}", goes.reason)]
    assert plan.actions[0].blocked


def test_an_entry_takes_the_place_of_one_that_is_no_longer_in_the_document(bench: Lobby) -> None:
    bench.done(BOX, card())
    (old,) = bench.cards()
    heir = Entry(at("card", "heir"), card(reader="bob").values)
    plan = bench.plan(BOX, heir, other("d"))
    assert {str(one.address): [block.guard for block in one.blocked] for one in plan.actions} == {
        "iad/card/heir": [], "iad/card/c": ["approval"], "iad/card/d": [],
    }  # fmt: skip
    order = {operation.address.name: operation.after for operation in plan.operations}
    names = [operation.address.name for operation in plan.operations]
    assert [names[before] for before in order["c"]] == ["heir"]
    plan = bench.plan(BOX, heir)
    bench.apply(plan)
    new = next(one for one in bench.cards() if one != old)
    assert bench.contents["CARD"] == bench.library.numbers[new]
    bench.consent = Consent(allow_delete=("*",))
    bench.done(BOX, heir)
    assert bench.cards() == [new] and not bench.plan(BOX, heir).actions


def test_one_whose_successor_cannot_be_made_stays(bench: Lobby) -> None:
    bench.done(BOX, card())
    bench.consent = Consent(allow_delete=("*",))
    heir = Entry(at("card", "heir"), card(reader="bob").values)
    failing(bench, "create", "card", Refused("no"))
    assert states(bench.apply(bench.plan(BOX, heir))) == {"iad/card/heir": "failed", "iad/card/c": "skipped"}
    assert len(bench.cards()) == 1


def test_one_whose_successor_cannot_be_read_stays(bench: Lobby) -> None:
    bench.done(BOX, card())
    bench.consent = Consent(allow_delete=("*",))
    failing(bench, "list", "porter", Unreachable("away"), times=9)
    plan = bench.plan(BOX, porter(deliver={"box": ref("box", "b"), "keys": {"word": "CARD"}}))
    ((goes,), (unknown,)) = plan.actions, plan.unknown
    assert (str(goes.address), unknown.kind) == ("iad/card/c", "porter")
    assert [block.message for block in goes.blocked] == [
        "waits for iad/porter/p, which delivers to the same place and is unknown"
    ]


def test_one_that_is_to_be_somebody_elses_is_made_anew_and_the_former_one_goes_with_consent(bench: Lobby) -> None:
    bench.done(BOX, card())
    (old,) = bench.cards()
    another = card(reader="bob")
    plan = bench.plan(BOX, another)
    assert verbs(plan) == {"iad/card/c": "create"} and not plan.actions[0].blocked
    assert plan.actions[0].reason == "it gets another holder: another is created"
    (note,) = plan.findings
    assert note.code == "VP334" and note.message == (
        "it is to be a former object of iad/card/c, because the document gives that another holder; "
        "it stays until 1d after its successor is delivered, and "
        "gives access only to what its holder may still use"
    )
    assert note.fix == f"the first apply after that deletes it with --allow-delete 'iad/card/c#{old}'"
    bench.done(BOX, another)
    new = next(one for one in bench.cards() if one != old)
    assert bench.contents["CARD"] == bench.library.numbers[new] and not bench.plan(BOX, another).actions
    bench.later = timedelta(hours=25)
    (goes,) = bench.plan(BOX, another).actions
    assert (str(goes.address), goes.verb, [block.guard for block in goes.blocked]) == (
        f"iad/card/c#{old}", Verb.DELETE, ["approval"],
    )  # fmt: skip
    assert goes.reason == "iad/card/c has another holder now, and another value"


def test_what_says_something_of_another_by_text_only_is_not_changed_without_it(bench: Lobby) -> None:
    """As a bucket's owner is not without the key that follows him; what is said by another field is."""
    bench.done(BOX, card(), porter(floor=1))
    bench.contents["THEIRS"] = "theirs"
    moved = card(deliver={**INTO, "keys": {"number": "THEIRS"}})
    beside = (("floor", at("card", "c")),)
    plan = bench.plan(BOX, moved, replace(porter(floor=2), beside=beside))
    (block,) = action(plan, "porter", "p").blocked
    assert (block.guard, block.message) == ("together", "is applied together with iad/card/c, which is blocked")
    free = bench.plan(BOX, moved, replace(porter(floor=2), beside=(("colour", at("card", "c")),)))
    assert not action(free, "porter", "p").blocked
    alone = bench.plan(BOX, card(), replace(porter(floor=2), beside=beside))
    assert not action(alone, "porter", "p").blocked and not action(alone, "porter", "p").together


def test_a_value_follows_what_it_opens_and_works_on_where_that_fails(bench: Lobby) -> None:
    bench.done(BOX, card(), porter(floor=1))
    (old,) = bench.cards()
    said = replace(porter(floor=2), beside=(("floor", at("card", "c")),))
    failing(bench, "update", "porter", Refused("no"))
    receipt = bench.apply(bench.plan(BOX, card(reader="bob"), said))
    assert states(receipt) == {"iad/porter/p": "failed", "iad/card/c": "skipped"}
    assert bench.cards() == [old] and bench.contents["CARD"] == bench.library.numbers[old]
    beside = replace(VISITOR, beside=(("box", at("box", "b")),))  # in which nothing is delivered by the other
    aimed = bench.plan(BOX, card(reader="bob"), said, beside, targets=("iad/card/c",))
    assert verbs(aimed) == {"iad/porter/p": "update", "iad/card/c": "create"}
    bench.done(BOX, card(reader="bob"), said)
    assert not bench.plan(BOX, card(reader="bob"), said).actions


def test_what_says_something_of_another_that_cannot_be_seen_is_unknown_too(bench: Lobby) -> None:
    bench.done(BOX, card(), porter(floor=1))
    failing(bench, "list", "card", Unreachable("away"), times=9)
    said = replace(porter(floor=2), beside=(("floor", at("card", "c")),))
    plan = bench.plan(BOX, card(), said)
    assert not plan.actions and {one.kind for one in plan.unknown} == {"card", "porter"}
    made = replace(porter(floor=1), beside=(("floor", at("card", "c")),))
    assert not bench.plan(BOX, card(), made).actions


def test_where_it_belongs_now_and_somebody_keeps_a_value_nothing_is_made_and_the_former_one_stays(bench: Lobby) -> None:
    bench.done(BOX, card(overlap=None))
    bench.contents["THEIRS"] = "theirs"
    bench.consent = Consent(allow_delete=("*",))
    plan = bench.plan(BOX, card(overlap=None, deliver={**INTO, "keys": {"number": "THEIRS"}}))
    assert [(one.verb.value, one.blocked[0].guard) for one in plan.actions] == [
        ("create", "occupied"),
        ("delete", "waits"),
    ]


def test_of_two_that_swap_their_places_neither_is_written_over(bench: Lobby) -> None:
    bench.done(BOX, card(), other("d"))
    before = dict(bench.contents)
    here = {**INTO, "keys": {"number": "d"}}, INTO
    plan = bench.plan(BOX, card(deliver=here[0]), Entry(at("card", "d"), {**card().values, "deliver": here[1]}))
    assert [(one.verb.value, one.blocked[0].guard) for one in plan.actions] == [("create", "occupied")] * 2
    bench.apply(plan)
    assert bench.contents == before and len(bench.cards()) == 2


def test_a_former_one_that_somebody_deleted_is_forgotten_and_one_whose_entry_is_gone_asked_for(bench: Lobby) -> None:
    bench.done(BOX, card())
    (old,) = bench.cards()
    bench.done(BOX, card(2))
    plan = bench.plan(BOX)
    assert verbs(plan) == {"iad/card/c": "delete", f"iad/card/c#{old}": "delete"}
    assert all(one.blocked and one.reason == "no longer in the document" for one in plan.actions)
    bench.consent = Consent(allow_delete=("iad/card/c",))  # which names all that was the entry's
    assert not any(one.blocked for one in bench.plan(BOX).actions)
    bench.consent = Consent()
    del bench.library.rows["card"][old]
    assert verbs(bench.plan(BOX, card(2))) == {f"iad/card/c#{old}": "release"}


def test_a_target_takes_the_successor_along(bench: Lobby) -> None:
    bench.done(BOX, card())
    (old,) = bench.cards()
    plan = bench.plan(BOX, card(2, overlap=None), targets=(f"iad/card/c#{old}",))
    assert verbs(plan) == {"iad/card/c": "create", f"iad/card/c#{old}": "delete"}


def test_what_cannot_be_read_makes_nothing_anew(bench: Lobby) -> None:
    bench.done(BOX, card())
    failing(bench, "list", "box", Unreachable("away"), times=9)
    assert not bench.plan(BOX, card()).actions
    plan = bench.plan(BOX, card(2, overlap=None))  # and takes nothing away whose successor cannot be made
    assert not plan.actions and {one.kind for one in plan.unknown} == {"box", "card"}


def test_what_is_withheld_is_not_taken_for_gone(bench: Lobby) -> None:
    bench.done(BOX, card())
    bench.library.withholds = True
    assert not bench.plan(BOX, card()).actions


def test_what_another_ledger_had_is_taken_as_it_is(bench: Lobby) -> None:
    bench.done(BOX, card())
    owned = bench.part.entries["iad/card/c"]
    fields = dict.fromkeys(owned.fields, UNKNOWN_DIGEST)
    bench.book.add(events.own_event("iad/card/c", Owned(owned.id, owned.locator, fields)))
    plan = bench.plan(BOX, card())
    assert verbs(plan) == {"iad/card/c": "release"} and not plan.actions[0].blocked
    bench.done(BOX, card())
    noted = bench.part.entries["iad/card/c"]
    assert noted.delivered == owned.delivered and noted.delivered_at and not bench.plan(BOX, card()).actions
    bench.book.add(events.own_event("iad/card/c", Owned(owned.id, owned.locator, fields)))
    bench.library.named("box", "b")["contents"] = {}
    plan = bench.plan(BOX, card(overlap=None))  # there is nothing to take, and somebody may have had the old one
    assert verbs(plan) == {"iad/card/c": "create", f"iad/card/c#{owned.id}": "delete"} and plan.actions[1].blocked
    bench.apply(plan)
    assert bench.plan(BOX, card(overlap=None)).actions[0].blocked


def test_what_is_taken_for_ours_and_is_not_all_there_is_drawn_anew(bench: Lobby) -> None:
    both = {"box": ref("box", "b"), "keys": {"word": "WORD", "name": "NAME"}}
    bench.done(BOX, porter(deliver=both))
    owned = bench.part.entries["iad/porter/p"]
    fields = dict.fromkeys(owned.fields, UNKNOWN_DIGEST)
    bench.book.add(events.own_event("iad/porter/p", Owned(owned.id, owned.locator, fields)))
    del bench.contents["WORD"]
    plan = bench.plan(BOX, porter(deliver=both))
    assert verbs(plan) == {"iad/porter/p": "update"} and not plan.actions[0].blocked


# Of somebody who is an object, too


def badge(of: str, *, managed: bool = True, **values: Any) -> Entry:
    said = {"of": ref("porter", of, managed=managed), "generation": 1, "overlap": DAY, "deliver": INTO, **values}
    return Entry(at("badge", "b"), said)


JOE, JIM = Entry(at("porter", "joe"), {"name": "joe"}), Entry(at("porter", "jim"), {"name": "jim"})


def test_another_holder_is_another_object_and_one_who_is_renamed_is_not(bench: Lobby) -> None:
    bench.done(BOX, JOE, badge("joe"))
    plan = bench.plan(BOX, JOE, JIM, badge("jim"))
    assert verbs(plan) == {"iad/porter/jim": "create", "iad/badge/b": "create"}
    assert action(plan, "badge", "b").supersedes and [one.code for one in plan.findings] == ["VP334"]
    renamed = replace(JOE, address=at("porter", "jo"), renamed_from="joe")
    assert "iad/badge/b" not in {
        str(one.address) for one in bench.plan(BOX, renamed, badge("jo")).actions if one.supersedes
    }
    nobody = bench.plan(BOX, JOE, badge("somebody", managed=False))  # of whom nothing can be told
    assert not action(nobody, "badge", "b").supersedes


def test_the_former_one_does_not_outlast_whom_it_was_of(bench: Lobby) -> None:
    bench.done(BOX, JOE, JIM, badge("joe"))
    (old,) = bench.library.rows["badge"]
    plan = bench.plan(BOX, JIM, badge("jim"))
    goes = action(plan, "badge", f"b#{old}")
    assert goes.verb is Verb.DELETE and goes.reason.endswith("and what it belongs to is deleted: iad/porter/joe")
    bench.consent = Consent(allow_delete=("iad/porter/joe",))
    bench.done(BOX, JIM, badge("jim"))
    assert len(bench.library.rows["badge"]) == 1 and old not in bench.library.rows["badge"]


# Somebody else's


def test_where_somebody_keeps_a_value_none_is_delivered(bench: Lobby) -> None:
    bench.done(BOX)
    bench.library.named("box", "b")["contents"] = {"CARD": "theirs"}
    for entry in (card(), porter(deliver={"box": ref("box", "b"), "keys": {"word": "CARD"}})):
        plan = bench.plan(BOX, entry)
        (block,) = plan.actions[0].blocked
        assert (block.guard, block.message) == ("occupied", "iad/box/b has CARD, which vastplan did not write")
        assert (
            block.fix == "deliver to another place, or remove it there; or, to overwrite it, --allow-delete iad/box/b"
        )
        bench.apply(plan)
    assert bench.contents == {"CARD": "theirs"} and not bench.cards()
    bench.consent = Consent(allow_delete=("*", "iad/box/*"))  # names many, and not this one
    assert bench.plan(BOX, card()).actions[0].blocked
    bench.consent = Consent(allow_delete=("iad/box/b",))
    bench.done(BOX, card())
    assert bench.contents == {"CARD": bench.library.numbers[bench.cards()[0]]}


def test_where_somebody_made_the_destination_again_only_what_was_delivered_is_ours(bench: Lobby) -> None:
    bench.done(BOX, card())
    (old,) = bench.cards()
    bench.library.rows["box"].clear()
    bench.library.put("box", name="b", contents={"CARD": bench.library.numbers[old]})
    bench.consent = Consent(adopt=True)
    assert verbs(bench.plan(BOX, card())) == {"iad/box/b": "adopt"}  # as from a copy
    bench.contents["CARD"] = "theirs"
    plan = bench.plan(BOX, card())
    assert [one.guard for one in action(plan, "card", "c").blocked] == ["occupied"]
    bench.apply(plan)
    assert bench.contents == {"CARD": "theirs"} and bench.cards() == [old]


def test_a_secret_of_somebody_s_is_not_written_over_by_taking_over_what_has_it(bench: Lobby) -> None:
    bench.library.put("box", name="b", contents={"SAME": "as here", "OTHER": "theirs"})
    said = Entry(at("box", "b"), {"name": "b", "contents": {"SAME": "as here", "OTHER": "ours", "NEW": "ours"}})
    bench.consent = Consent(adopt=True)
    plan = bench.plan(said)
    (block,) = plan.actions[0].blocked
    assert (block.guard, block.message) == ("occupied", "iad/box/b has contents.OTHER, which vastplan did not write")
    assert block.fix == (
        "write the live value in the document, or remove it there; or, to overwrite it, --allow-delete iad/box/b"
    )
    bench.apply(plan)
    assert bench.contents == {"SAME": "as here", "OTHER": "theirs"}
    bench.consent = Consent(adopt=True, allow_delete=("iad/box/b",))
    bench.done(said)
    assert bench.contents == {"SAME": "as here", "OTHER": "ours", "NEW": "ours"}


def test_a_word_that_is_drawn_anew_for_what_is_taken_over_is_not_written_over_somebody_s(bench: Lobby) -> None:
    into = {"box": ref("box", "b"), "keys": {"word": "WORD", "called": "CALLED"}}
    bench.library.put("porter", name="joe")
    theirs = bench.library.put("box", name="b", contents={"CALLED": "their-name"})["contents"]
    bench.consent = Consent(adopt=True)
    bench.done(BOX)
    plan = bench.plan(BOX, porter(deliver=into))
    assert [one.guard for one in action(plan, "porter", "p").blocked] == ["occupied"]
    theirs["CALLED"] = "joe"  # which is what would be put there
    assert not action(bench.plan(BOX, porter(deliver=into)), "porter", "p").blocked


# Drawn


def word(bench: Lobby) -> str:
    value: str = bench.library.named("porter", "joe")["login"]["word"]
    return value


def test_what_is_drawn_has_each_kind_of_letter_and_is_left_out_of_texts() -> None:
    values = [draw(DRAWN)["word"] for _ in range(20)]
    assert len({*values}) == 20
    for value in values:
        assert len(value) == 12 and all(set(value) & set(alphabet) for alphabet in DRAWN[0].alphabets)
        assert without_secrets(f"it is {value}") == f"it is {INSTEAD}"


def test_what_is_drawn_is_sent_and_delivered_and_drawn_again_in_place(bench: Lobby) -> None:
    bench.done(BOX, porter(), VISITOR)
    first = word(bench)
    assert bench.contents == {"WORD": first} and not bench.plan(BOX, porter(), VISITOR).actions
    assert {"generation", "deliver"}.isdisjoint(bench.library.named("porter", "joe"))
    bench.done(BOX, porter(floor=3), VISITOR)
    assert word(bench) == first
    plan = bench.plan(BOX, porter(2, floor=3), VISITOR)
    (change,) = plan.actions[0].changes
    assert verbs(plan) == {"iad/porter/p": "update"}
    assert (change.path, change.before, change.after) == ("generation", 1, 2)
    receipt = bench.apply(plan)
    second = word(bench)
    assert first != second and bench.contents == {"WORD": second}
    assert second not in json.dumps([asdict(bench.part), asdict(receipt), asdict(plan)], default=str)
    assert not bench.plan(BOX, porter(2, floor=3), VISITOR).actions


def test_a_drawn_value_that_is_gone_is_drawn_anew(bench: Lobby) -> None:
    bench.done(BOX, porter())
    first = word(bench)
    bench.contents.clear()
    plan = bench.plan(BOX, porter())
    (change,) = plan.actions[0].changes
    assert (change.path, change.cause, change.sensitive) == ("deliver", Cause.SYSTEM, True)
    bench.done(BOX, porter())
    assert word(bench) != first and bench.contents == {"WORD": word(bench)} and not bench.plan(BOX, porter()).actions


def test_a_drawn_value_that_belongs_elsewhere_now_is_drawn_anew_and_nobody_is_blamed(bench: Lobby) -> None:
    bench.done(BOX, porter())
    elsewhere = porter(deliver={"box": ref("box", "b"), "keys": {"word": "ELSEWHERE"}})
    (change,) = bench.plan(BOX, elsewhere).actions[0].changes
    assert (change.path, change.cause) == ("deliver", Cause.DOCUMENT)
    bench.done(BOX, elsewhere)
    assert bench.contents["ELSEWHERE"] == word(bench) != bench.contents["WORD"]
    assert not bench.plan(BOX, elsewhere).actions


def test_where_what_goes_along_with_it_is_another_value_both_are_delivered(bench: Lobby) -> None:
    both = {"box": ref("box", "b"), "keys": {"word": "WORD", "name": "NAME"}}
    bench.done(BOX, porter(deliver=both))
    assert bench.contents == {"NAME": "joe", "WORD": word(bench)} and not bench.plan(BOX, porter(deliver=both)).actions
    first, renamed = word(bench), Entry(at("porter", "p"), {**porter(deliver=both).values, "name": "jim"})
    plan = bench.plan(BOX, renamed)
    assert verbs(plan) == {"iad/porter/p": "update"}
    assert {(one.path, one.cause) for one in plan.actions[0].changes} == {
        ("name", Cause.DOCUMENT),
        ("deliver", Cause.DOCUMENT),
    }
    bench.done(BOX, renamed)
    (second,) = (row["login"]["word"] for row in bench.library.rows["porter"].values())
    assert (
        second != first and bench.contents == {"NAME": "jim", "WORD": second} and not bench.plan(BOX, renamed).actions
    )


@pytest.mark.parametrize("adopted", [True, False])
def test_a_drawn_value_that_was_delivered_and_could_not_be_noted_is_known_for_ours(bench: Lobby, adopted: bool) -> None:
    if adopted:
        bench.done(BOX)
        bench.library.put("porter", name="joe", login={"word": "theirs"})
        bench.consent = Consent(adopt=True)
        entry = porter()
    else:
        bench.done(BOX, porter())
        entry = porter(2)
    notes = []

    def cut_off(what: str, address: str) -> None:
        notes.append(what)
        if len(notes) > 1:
            raise Lost("gone")

    bench.lost = cut_off
    assert states(bench.apply(bench.plan(BOX, entry))) == {"iad/porter/p": "unknown"}
    bench.lost = lambda what, address: None
    given = dict(bench.contents)
    assert given == {"WORD": word(bench)} and word(bench) != "theirs"
    plan = bench.plan(BOX, entry)
    assert verbs(plan) == {"iad/porter/p": "release"} and not plan.actions[0].blocked
    bench.done(BOX, entry)
    assert (
        bench.contents == given
        and not bench.plan(BOX, entry).actions
        and bench.part.entries["iad/porter/p"].delivered_at
    )


def test_a_drawn_value_that_could_not_be_delivered_is_drawn_again(bench: Lobby) -> None:
    bench.done(BOX, porter())
    failing(bench, "update", "box", Refused("no"))
    (outcome,) = bench.apply(bench.plan(BOX, porter(2))).outcomes
    assert outcome.message.startswith("cannot deliver its value, the next plan creates another: no")
    assert bench.contents != {"WORD": word(bench)}
    (change,) = bench.plan(BOX, porter(2)).actions[0].changes
    assert (change.path, change.cause) == ("deliver", Cause.NEW)
    bench.done(BOX, porter(2))
    assert bench.contents == {"WORD": word(bench)}


def test_one_that_was_made_and_whose_word_was_not_delivered_gets_another(bench: Lobby) -> None:
    bench.done(BOX)
    failing(bench, "update", "box", Refused("no"))
    assert bench.apply(bench.plan(BOX, porter())).outcomes[0].state is State.FAILED
    first = word(bench)
    (change,) = bench.plan(BOX, porter()).actions[0].changes
    assert (change.path, change.cause) == ("deliver", Cause.NEW)
    bench.done(BOX, porter())
    assert word(bench) != first and bench.contents == {"WORD": word(bench)}


def test_one_whose_create_was_not_answered_is_found_by_what_it_is(bench: Lobby) -> None:
    bench.done(BOX)
    failing(bench, "create", "porter", Unclear("no answer"), after=True)
    bench.done(BOX, porter())
    assert bench.contents == {"WORD": word(bench)}


def test_one_that_a_killed_apply_made_gets_another_word(bench: Lobby) -> None:
    bench.done(BOX)
    bench.library.put("porter", name="joe", login={"word": "lost"})
    fields = digests(library.KINDS["porter"], porter().values, bench.part.key)
    bench.book.add(events.begin_event("p", {"iad/porter/p": Intent("create", fields)}, ""))
    assert verbs(bench.plan(BOX, porter())) == {"iad/porter/p": "update"}
    bench.done(BOX, porter())
    assert bench.contents == {"WORD": word(bench)} and word(bench) != "lost"


def test_one_that_is_taken_over_gets_a_word_that_is_known(bench: Lobby) -> None:
    bench.done(BOX)
    bench.library.put("porter", name="joe", login={"word": "theirs"})
    bench.consent = Consent(adopt=True)
    bench.done(BOX, porter())
    assert bench.contents == {"WORD": word(bench)} and word(bench) != "theirs"


def test_of_an_update_without_an_answer_nobody_knows_the_word(bench: Lobby) -> None:
    bench.done(BOX, porter())
    failing(bench, "update", "porter", Unclear("no answer"), after=True)
    (outcome,) = bench.apply(bench.plan(BOX, porter(2))).outcomes
    assert outcome.state is State.UNKNOWN and bench.contents != {"WORD": word(bench)}
    bench.done(BOX, porter(2))
    assert bench.contents == {"WORD": word(bench)}


def test_without_a_destination_nothing_is_drawn(bench: Lobby) -> None:
    bare = Entry(at("porter", "p"), {"name": "joe"})
    bench.done(bare)
    assert "login" not in bench.library.named("porter", "joe") and not bench.plan(bare).actions
    bench.done(Entry(at("porter", "p"), {"name": "joe", "floor": 2}))
    assert "login" not in bench.library.named("porter", "joe")
    bench.done(BOX, porter())
    assert bench.contents == {"WORD": word(bench)}
    assert not bench.plan(BOX, porter()).actions


LOGIN: dict[str, Any] = {"box": ref("box", "b"), "keys": {"word": "WORD", "called": "NAME"}}


def test_what_goes_along_with_it_is_brought_again_where_it_changes(bench: Lobby) -> None:
    bench.done(BOX, porter(deliver=LOGIN))
    first = word(bench)
    assert bench.contents == {"WORD": first, "NAME": "joe"}
    plan = bench.plan(BOX, porter(deliver=LOGIN, name="jim"))
    assert [(one.path, one.cause) for one in plan.actions[0].changes] == [
        ("name", Cause.DOCUMENT),
        ("deliver", Cause.DOCUMENT),
    ]
    bench.done(BOX, porter(deliver=LOGIN, name="jim"))
    second = bench.library.named("porter", "jim")["login"]["word"]
    assert second != first and bench.contents == {"WORD": second, "NAME": "jim"}
    assert not bench.plan(BOX, porter(deliver=LOGIN, name="jim")).actions


EVERYTHING = Consent(allow_delete=("*",), max_count=100)


def in_use(plan: Plan) -> list[str]:
    return [one.message for one in action(plan, "porter", "p").blocked]


def test_one_whose_word_somebody_uses_does_not_go(bench: Lobby) -> None:
    bench.done(BOX, porter(), VISITOR)
    bench.consent = EVERYTHING
    used = "what it delivers to iad/box/b is in use by "
    assert in_use(bench.plan(BOX, VISITOR)) == [f"{used}iad/visitor/v"]
    assert in_use(bench.plan(BOX)) == []
    elsewhere = Entry(at("visitor", "v"), {"name": "v", "box": ref("box", "c")})
    assert in_use(bench.plan(BOX, Entry(at("box", "c"), {"name": "c"}), elsewhere)) == []
    another = Entry(at("porter", "q"), {**porter().values, "name": "jim"})
    assert in_use(bench.plan(BOX, VISITOR, another)) == []
    bench.library.put("visitor", name="stranger", box=bench.library.named("box", "b")["id"])
    assert in_use(bench.plan(BOX)) == [f"{used}visitor stranger"]


def test_a_word_goes_elsewhere_with_who_uses_it_and_not_while_somebody_stays(bench: Lobby) -> None:
    bench.done(BOX, porter(), VISITOR)
    other = Entry(at("box", "c"), {"name": "c"})
    elsewhere = porter(deliver={"box": ref("box", "c"), "keys": {"word": "WORD"}})
    plan = bench.plan(BOX, other, elsewhere, VISITOR)
    text = "uses what it delivers to iad/box/b, and would keep using a value that is no longer valid"
    assert in_use(plan) == [f"iad/visitor/v {text}"]
    why = "another word is created, and the former one stops working at once: it is delivered elsewhere now"
    assert action(plan, "porter", "p").notes == (why,)
    follows = Entry(at("visitor", "v"), {"name": "v", "box": ref("box", "c")})
    plan = bench.plan(BOX, other, elsewhere, follows)
    assert in_use(plan) == [] and action(plan, "porter", "p").together == ("iad/visitor/v",)
    another = Entry(at("porter", "q"), {**porter().values, "name": "jim"})
    assert in_use(bench.plan(BOX, other, elsewhere, VISITOR, another)) == []
    stranger = bench.library.put("visitor", name="stranger", box=bench.library.named("box", "b")["id"])
    assert in_use(bench.plan(BOX, other, elsewhere, follows)) == [f"visitor stranger {text}"]
    bench.library.rows["box"].clear()
    assert in_use(bench.plan(BOX, other, elsewhere, follows)) == [] and stranger


def test_one_goes_after_what_its_word_was_put_into_and_after_who_uses_that(bench: Lobby) -> None:
    bench.done(BOX, porter(), VISITOR)
    bench.consent = EVERYTHING
    plan = bench.plan()
    assert [one.address.kind for one in plan.operations] == ["visitor", "box", "porter"]
    assert not any(one.blocked for one in plan.actions)
    bench.library.rows["box"].clear()
    bench.library.rows["visitor"].clear()
    assert in_use(bench.plan()) == []


def test_a_kind_that_delivers_says_where_to() -> None:
    with pytest.raises(TypeError, match="kind visitor: it delivers values, and has no field deliver or generation"):
        Kind(Visitor, name="visitor", system="library", section="visitors", endpoint=Endpoint("v"), delivers=HANDED)


def test_several_at_once_into_one_box(bench: Lobby) -> None:
    entries = [
        Entry(at("card", f"c{number}"), {**card().values, "deliver": {**INTO, "keys": {"number": f"C{number}"}}})
        for number in range(6)
    ]
    bench.apply(bench.plan(BOX, *entries), parallel=1)
    assert len(bench.contents) == 6 and not bench.plan(BOX, *entries).actions


# Taken over


def test_without_a_ledger_it_is_known_by_what_its_destination_names(bench: Lobby) -> None:
    into = {**INTO, "keys": {"number": "CARD", "id": "ID"}}
    bench.done(BOX, card(deliver=into))
    (mine,) = bench.cards()
    noted = bench.part.entries["iad/card/c"]
    bench.library.put("card", reader="ann")
    for address in bench.part.entries:
        bench.book.add(events.drop_event(address))
    plan = bench.plan(BOX, card(deliver=into))
    assert verbs(plan) == {"iad/box/b": "adopt", "iad/card/c": "adopt"}
    assert [one.guard for one in action(plan, "card", "c").blocked] == ["adopt"]
    bench.consent = Consent(adopt=True)
    bench.library.said.clear()
    bench.done(BOX, card(deliver=into))
    assert {verb for verb, _ in bench.library.said} == {"list", "read"}
    owned = bench.part.entries["iad/card/c"]
    assert (owned.id, owned.delivered) == (mine, noted.delivered) and owned.delivered_at
    assert not bench.plan(BOX, card(deliver=into)).actions


def test_what_a_destination_names_and_somebody_else_has_is_not_it(bench: Lobby) -> None:
    theirs = bench.library.put("card", reader="bob")["id"]
    bench.library.put("box", name="b", contents={"ID": theirs})
    bench.consent = Consent(adopt=True)
    plan = bench.plan(BOX, card(deliver={**INTO, "keys": {"number": "CARD", "id": "ID"}}))
    assert verbs(plan) == {"iad/box/b": "adopt", "iad/card/c": "create"}
    assert [one.guard for one in action(plan, "card", "c").blocked] == ["occupied"]


def test_what_is_taken_over_is_taken_over_with_its_word(bench: Lobby) -> None:
    bench.done(BOX, porter())
    first = word(bench)
    for address in bench.part.entries:
        bench.book.add(events.drop_event(address))
    bench.consent = Consent(adopt=True)
    bench.done(BOX, porter())
    assert word(bench) == first and bench.contents == {"WORD": first} and not bench.plan(BOX, porter()).actions
    bench.done(BOX, porter(2))
    assert word(bench) != first
