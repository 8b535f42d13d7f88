"""The values of a ledger: its events, a part as JSON, who holds it, and the clock. Nothing here reads or writes anything."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from datetime import UTC
from typing import Any

import pytest

from vastplan.ledger import events
from vastplan.ledger.backend import LockOwner
from vastplan.ledger.clock import SYSTEM
from vastplan.ledger.codec import check_part, dump, load_part
from vastplan.ledger.events import Reducer
from vastplan.ledger.upgrade import upgraded
from vastplan.model.errors import VastplanError
from vastplan.model.site_ledger import KEPT_GONE, LEDGER_VERSION, Intent, LoggedChange, LoggedRun, Owned, SiteLedger

X, Y = "iad/view/x", "iad/view/y"
OWNED = Owned("7", "view-7", {"name": "ab"}, ("iad/tenant/a",), "2026-01-01T00:00:00+00:00", {"tenant": "cd"})
OTHER = Owned("8", "view-8", {"tenant": "12", "path": "34"}, ("iad/view/x", "iad/view/z"))
EMPTY = SiteLedger("doc", "iad", "line", "00")


def after(*happened: events.Event, part: SiteLedger = EMPTY) -> SiteLedger:
    """What is so after the events, which are stored as JSON in between."""
    book = Reducer(part)
    for event in happened:
        book.add(json.loads(json.dumps(event)))
    return book.part()


@pytest.mark.parametrize(
    ("holder", "shown"),
    [
        (LockOwner("me"), "me"),
        (LockOwner("me", "nine"), "me since nine"),
    ],
)
def test_a_holder_is_shown_with_what_is_known(holder: LockOwner, shown: str) -> None:
    assert str(holder) == shown


# Time


def test_the_ticks_go_on_while_the_machine_sleeps_where_that_can_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "CLOCK_BOOTTIME", 7, raising=False)
    monkeypatch.setattr(time, "clock_gettime", lambda clock: {7: 123.0}[clock], raising=False)
    monkeypatch.setattr(time, "monotonic", lambda: 5.0)
    assert SYSTEM.ticks() == 123.0
    monkeypatch.delattr(time, "CLOCK_BOOTTIME")
    assert SYSTEM.ticks() == 5.0


def test_the_wall_says_where_it_is() -> None:
    assert SYSTEM.wall().tzinfo is UTC and SYSTEM.sleep is time.sleep


# Events


def test_events_are_written_like_this() -> None:
    """They are on disks and in clusters: another word is another format."""
    assert events.begin_event("p", {X: Intent("create", {"a": "b"}, "7", "t")}, "now") == {
        "event": "begin", "plan": "p", "at": "now",
        "intents": {X: {"verb": "create", "fields": {"a": "b"}, "id": "7", "at": "t"}},
    }  # fmt: skip
    assert events.begin_event("p", {}, "now", {"vast": "https://a"}) == {
        "event": "begin", "plan": "p", "at": "now", "intents": {}, "systems": {"vast": "https://a"},
    }  # fmt: skip
    assert events.own_event(X, OWNED) == {
        "event": "own", "address": X,
        "owned": {"id": "7", "locator": "view-7", "fields": {"name": "ab"}, "refers": ("iad/tenant/a",),
                  "applied": "2026-01-01T00:00:00+00:00", "wire": {"tenant": "cd"}},
    }  # fmt: skip
    assert events.move_event({X: Y}, {Y: {"tenant": "ef"}}) == {
        "event": "move", "addresses": {X: Y}, "fields": {Y: {"tenant": "ef"}},
    }  # fmt: skip
    assert events.move_event({X: Y}) == {"event": "move", "addresses": {X: Y}, "fields": {}}
    assert events.drop_event(X) == {"event": "drop", "address": X}
    assert events.settle_event(X) == {"event": "settle", "address": X}
    assert events.end("now", {"count": 3}) == {"event": "end", "at": "now", "limits": {"count": 3}}


def test_a_new_part_has_a_lineage_and_a_key_of_its_own() -> None:
    one, two = events.new_part("doc", "iad"), events.new_part("doc", "iad")
    assert (one.document, one.site, len(one.lineage), len(one.key)) == ("doc", "iad", 32, 64)
    assert one.lineage != two.lineage and one.key != two.key
    assert replace(one, lineage="", key="") == SiteLedger("doc", "iad", "", "")


def test_an_apply_begins_and_ends() -> None:
    begun = after(
        events.begin_event("p", {X: Intent("create"), Y: Intent("delete")}, "then"), part=replace(EMPTY, serial=4)
    )
    assert begun == replace(
        EMPTY, serial=5, plans=("p",), applied="then", intents={X: Intent("create"), Y: Intent("delete")}
    )
    ended = after(events.end("now", {"count": 3, "percent": 4}), part=begun)
    assert ended == replace(begun, applied="now", limits={"count": 3, "percent": 4})


def test_an_apply_says_where_its_systems_are_and_the_others_stay_where_they_were() -> None:
    before = replace(EMPTY, systems={"vast": "https://a", "runai": "https://r"})
    found = after(events.begin_event("p", {}, "", {"vast": "https://b", "kubernetes": "https://k"}), part=before)
    assert found.systems == {"vast": "https://b", "runai": "https://r", "kubernetes": "https://k"}


def test_the_last_two_hundred_plans_are_known() -> None:
    found = after(*(events.begin_event(f"p{number}", {}, "") for number in range(203)))
    assert found.plans == tuple(f"p{number}" for number in range(3, 203)) and found.serial == 203


def test_what_was_written_is_ours_and_no_longer_meant() -> None:
    found = after(events.begin_event("p", {X: Intent("create"), Y: Intent("create")}, ""), events.own_event(X, OWNED))
    assert (dict(found.entries), set(found.intents)) == ({X: OWNED}, {Y})
    assert after(events.own_event(X, OWNED)).entries == {X: OWNED}


@pytest.mark.parametrize(("verb", "left"), [("delete", set()), ("release", set()), ("replace", {X})])
def test_what_is_gone_is_no_longer_ours_and_what_is_made_anew_still_meant(verb: str, left: set[str]) -> None:
    owned = replace(EMPTY, entries={X: OWNED, Y: OWNED}, intents={X: Intent(verb)})
    found = after(events.drop_event(X), part=owned)
    assert (set(found.entries), set(found.intents)) == ({Y}, left)
    assert set(after(events.drop_event(Y), part=owned).intents) == {X}
    assert after(events.drop_event("iad/view/never"), part=owned) == owned


def test_what_came_to_nothing_changes_nothing_of_ours() -> None:
    owned = replace(EMPTY, entries={X: OWNED}, intents={X: Intent("update"), Y: Intent("create")})
    found = after(events.settle_event(X), events.settle_event("iad/view/never"), part=owned)
    assert (dict(found.entries), set(found.intents)) == ({X: OWNED}, {Y})


def test_what_is_moved_stands_at_the_new_address_alone_with_what_was_meant() -> None:
    part = replace(EMPTY, entries={X: OWNED, Y: OTHER}, intents={X: Intent("update")})
    found = after(events.move_event({X: "iad/view/z"}), part=part)
    assert dict(found.entries) == {"iad/view/z": OWNED, Y: replace(OTHER, refers=("iad/view/z",))}
    assert dict(found.intents) == {"iad/view/z": Intent("update")}
    assert (dict(part.entries), dict(part.intents)) == ({X: OWNED, Y: OTHER}, {X: Intent("update")})


def test_all_of_a_move_happens_at_once() -> None:
    part = replace(EMPTY, entries={X: OWNED, Y: replace(OTHER, refers=(X, Y))})
    found = after(events.move_event({X: Y, Y: "iad/view/z"}), part=part)
    assert dict(found.entries) == {Y: OWNED, "iad/view/z": replace(OTHER, refers=(Y, "iad/view/z"))}
    assert after(events.move_event({X: Y}), part=replace(EMPTY, entries={X: OWNED, Y: OTHER})).entries == {Y: OWNED}
    assert after(events.move_event({"iad/view/never": X}), part=part) == part


def test_a_move_brings_digests_of_what_refers_to_it_and_nothing_to_what_is_not_ours() -> None:
    part = replace(EMPTY, entries={X: OWNED, Y: OTHER})
    found = after(events.move_event({X: "iad/view/z"}, {Y: {"tenant": "56"}, "iad/view/never": {"a": "b"}}), part=part)
    assert found.entries[Y].fields == {"tenant": "56", "path": "34"} and set(found.entries) == {"iad/view/z", Y}


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"event": "none"},
        {"event": "move", "addresses": {}},
        {"event": "move", "fields": {}},
        {"event": "own", "address": X},
        {"event": "own", "address": X, "owned": {"id": "7"}},
    ],
)
def test_what_is_not_an_event_is_refused(event: Any) -> None:
    with pytest.raises((KeyError, TypeError)):
        Reducer(EMPTY).add(event)


def test_a_part_does_not_change_when_something_happens_later() -> None:
    book = Reducer(EMPTY)
    before = book.part()
    book.add(events.begin_event("p", {Y: Intent("create")}, ""))
    book.add(events.own_event(X, OWNED))
    assert before == EMPTY and not EMPTY.entries and not EMPTY.intents


# A part as JSON


def test_what_is_here_no_more_is_noted_the_newest_last_and_not_for_ever() -> None:
    part = after(
        events.own_event(X, replace(OWNED, origin="iad/volume/v")),
        events.own_event(Y, OTHER),
        events.drop_event(Y),
        events.drop_event(X),
    )
    assert part.gone == (Y, X, "iad/volume/v")
    assert after(events.drop_event(X), events.settle_event(Y)).gone == ()  # nothing was here
    again = after(events.own_event(X, replace(OWNED, origin="iad/volume/v")), part=part)
    assert again.gone == (Y,)
    assert after(events.move_event({X: "iad/view/z"}), part=again).gone == (Y, X)
    assert after(events.move_event({X: Y}), part=again).gone == (X,)
    both = after(events.own_event(X, OWNED), events.own_event(Y, OTHER), events.move_event({X: Y, Y: X}))
    assert both.gone == ()
    many = [
        event
        for number in range(KEPT_GONE + 5)
        for event in (events.own_event(f"{X}{number}", OWNED), events.drop_event(f"{X}{number}"))
    ]
    assert after(*many).gone == tuple(f"{X}{number}" for number in range(5, KEPT_GONE + 5))


def test_what_is_here_no_more_is_written_where_there_is_any() -> None:
    part = replace(FULL, gone=(Y, X))
    assert load_part(dump(part), "it") == part
    assert "gone" not in json.loads(dump(FULL))
    for wrong in ([1], ["pdx/view/x"], ["x"], "x"):
        with pytest.raises(VastplanError, match="it is not a ledger"):
            load_part(json.dumps({**json.loads(dump(FULL)), "gone": wrong}).encode(), "it")


FULL = SiteLedger(
    "doc", "iad", "line", "0a", 3, {X: OWNED}, {Y: Intent("create", {"a": "b"}, "", "t")}, ("p",), {"count": 3}, "now"
)


def test_a_part_is_written_like_this() -> None:
    raw = dump(FULL)
    assert (
        raw.endswith(b"}\n") and b'\n "applied": "now",\n' in raw and list(json.loads(raw)) == sorted(json.loads(raw))
    )
    assert json.loads(raw) == {
        "document": "doc", "site": "iad", "lineage": "line", "key": "0a", "serial": 3, "plans": ["p"],
        "entries": {X: {"id": "7", "locator": "view-7", "fields": {"name": "ab"}, "refers": ["iad/tenant/a"],
                        "applied": "2026-01-01T00:00:00+00:00", "wire": {"tenant": "cd"}}},
        "intents": {Y: {"verb": "create", "fields": {"a": "b"}, "id": "", "at": "t"}},
        "limits": {"count": 3}, "applied": "now", "version": 4,
    }  # fmt: skip
    assert load_part(raw, "it") == FULL


RUN_JSON: dict[str, Any] = {"command": "apply", "at": "t", "who": "me"}
OWNED_JSON: dict[str, Any] = {"id": "7", "locator": "7", "fields": {}, "refers": [], "applied": "", "wire": {}}


@pytest.mark.parametrize("key", ["", "00", "00" * 64])
def test_and_what_is_one_is_read(key: str) -> None:
    whole = {
        **json.loads(dump(FULL)),
        "key": key,
        "serial": 0,
        "entries": {X: OWNED_JSON},
        "systems": {"vast": "there"},
    }
    assert load_part(json.dumps(whole).encode(), "X").key == key


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (b"{", "the ledger X cannot be used: it is not JSON; restore it from a copy, or move it away to adopt again"),
        (
            b"[]",
            "the ledger X cannot be used: it is not a ledger; restore it from a copy, or move it away to adopt again",
        ),
        (b"3", "it is not a ledger;"),
        (b'{"a": NaN}', "it is not a ledger;"),
        ({"version": "1"}, "the ledger X has version 1; this vastplan reads up to 4: upgrade vastplan"),
        ({"version": 5}, "the ledger X has version 5; this vastplan reads up to 4: upgrade vastplan"),
        ({"version": -1}, "it is not a ledger;"),
        ({"key": "no hex"}, "it is not a ledger;"),
        ({"key": 3}, "it is not a ledger;"),
        ({"plans": 3}, "it is not a ledger;"),
        ({"head": [1]}, "it is not a ledger;"),
        ({"entries": {X: {"id": "7", "locator": "7", "refers": [], "sources": [1]}}}, "it is not a ledger;"),
        ({"entries": {X: {"id": "7", "locator": "7", "refers": [], "sources": {"a": 1}}}}, "it is not a ledger;"),
        ({"entries": {X: {"id": "7"}}}, "it is not a ledger;"),
        ({"entries": {X: []}}, "it is not a ledger;"),
        ({"intents": {X: {"verb": "create", "other": 1}}}, "it is not a ledger;"),
        *(({name: 3}, "it is not a ledger;") for name in ("document", "site", "lineage", "applied")),
        ({"plans": [3]}, "it is not a ledger;"),
        ({"serial": "3"}, "it is not a ledger;"),
        ({"serial": True}, "it is not a ledger;"),
        ({"serial": -1}, "it is not a ledger;"),
        ({"limits": {"count": "3"}}, "it is not a ledger;"),
        ({"systems": {"vast": 3}}, "it is not a ledger;"),
        ({"key": "00" * 65}, "it is not a ledger;"),
        *(
            ({"entries": {X: {**OWNED_JSON, name: wrong}}}, "it is not a ledger;")
            for name, wrong in (
                ("id", 7),
                ("locator", None),
                ("applied", 7),
                ("refers", [7]),
                ("fields", {"a": 7}),
                ("wire", {"a": []}),
                ("delivered", {"a": 7}),
                ("delivered", [7]),
                ("delivered_at", 7),
                ("generation", "2"),
                ("generation", True),
                ("origin", 7),
                ("origin", "bucket"),
                ("origin", "pdx/bucket/b"),
            )
        ),
        *(
            ({"intents": {X: {"verb": "create", name: wrong}}}, "it is not a ledger;")
            for name, wrong in (("verb", 7), ("id", 7), ("at", 7), ("fields", {"a": 7}), ("before", [7]), ("before", 7))
        ),
        *(
            ({"entries": {address: OWNED_JSON}}, "it is not a ledger;")
            for address in ("x", "iad/view", "pdx/view/x", "iad//x")
        ),
        ({"intents": {"pdx/view/x": {"verb": "create"}}}, "it is not a ledger;"),
        *(
            ({"runs": [{**RUN_JSON, name: wrong}]}, "it is not a ledger;")
            for name, wrong in (
                ("who", 7),
                ("commit", None),
                ("serial", "1"),
                ("serial", -1),
                ("counts", {"create": 1}),
                ("counts", {"create": {"done": "1"}}),
                ("changes", {X: 7}),
                ("changes", [X]),
                ("approvals", [{"address": X, "reason": 7}]),
                ("approvals", [{"address": X}]),
            )
        ),
        ({"runs": [7]}, "it is not a ledger;"),
    ],
)
def test_what_is_not_a_part_is_refused(change: Any, says: str) -> None:
    raw = change if isinstance(change, bytes) else json.dumps({**json.loads(dump(FULL)), **change}).encode()
    with pytest.raises(VastplanError) as caught:
        load_part(raw, "X")
    assert str(caught.value) == says or (says in str(caught.value) and says.endswith(";"))


def test_what_a_later_minor_version_adds_is_left_out() -> None:
    """What must not be ignored raises the version instead."""
    later = {**json.loads(dump(FULL)), "later": 3, "runs": [{**RUN_JSON, "later": {}}]}
    assert load_part(json.dumps(later).encode(), "X") == replace(FULL, runs=(LoggedRun("apply", "t", "me"),))


# The history


def logged(name: str, verb: str, *addresses: str) -> events.Event:
    run = LoggedRun("apply", name, "me", plan=name).ending("", {address: LoggedChange(verb) for address in addresses})
    return events.begin_event(name, {address: Intent(verb) for address in addresses}, name, None, run)


def test_the_newest_hundred_runs_are_kept_each_with_its_serial() -> None:
    found = after(*(logged(f"p{number}", "create") for number in range(103)))
    assert [(run.plan, run.serial) for run in found.runs] == [(f"p{number}", number + 1) for number in range(3, 103)]
    assert load_part(dump(found), "X") == found


def test_of_a_large_run_forty_addresses_are_kept_those_that_it_deletes_first_and_all_are_counted() -> None:
    changes = {f"iad/view/{number}": LoggedChange("create") for number in range(60)} | {X: LoggedChange("delete")}
    run = LoggedRun("apply", "t", "me").ending("", changes)
    assert len(run.changes) == 40 and next(iter(run.changes)) == X
    intents = {address: Intent(change.verb) for address, change in changes.items()}
    begin = events.begin_event("p", intents, "t", None, run)
    found = after(begin, *(events.own_event(f"iad/view/{number}", OWNED) for number in range(50)), events.drop_event(X))
    assert found.runs[0].counts == {"create": {"": 10, "done": 50}, "delete": {"done": 1}}
    again = after(events.own_event("iad/view/0", OWNED), events.own_event("iad/view/55", OWNED), part=found)
    assert again.runs[0].counts["create"] == {"": 9, "done": 51}


def test_a_replace_is_done_when_the_new_object_is_and_what_was_given_up_is_not_done() -> None:
    begin = logged("p", "replace", X)
    assert after(begin, events.drop_event(X)).runs[0].changes == {X: "replace"}
    assert after(begin, events.drop_event(X), events.own_event(X, OWNED)).runs[0].changes == {X: "replace done"}
    assert after(begin, events.settle_event(X)).runs[0].counts == {"replace": {"not done": 1}}


def test_events_after_the_end_of_a_run_change_nothing_in_the_history() -> None:
    run = LoggedRun("ledger forget", "t", "me").ending("t", {X: LoggedChange("forget", "done")})
    found = after(events.begin_event("", {}, "t", None, run), events.own_event(X, OWNED), events.settle_event(X))
    assert found.runs == (replace(run, serial=1),)
    assert after(events.end("later", {}, None, replace(run, who="you")), part=found).runs == found.runs
    assert after(events.own_event(X, OWNED), part=EMPTY).runs == ()


def test_settings_and_sources_are_noted_and_left_out_while_there_are_none() -> None:
    settings = {"limits.max_changes": 10, "sites.iad.csi": "2.6.4"}
    ended = after(events.end("now", {}, settings), part=EMPTY)
    assert ended.head == settings and after(events.end("later", {}), part=ended).head == settings
    secret = replace(OWNED, sources={"data.password": "{env: A}"})
    part = after(events.own_event(X, secret), events.own_event(Y, OWNED), part=ended)
    assert load_part(dump(part), "X") == part
    written = json.loads(dump(part))
    assert written["head"] == settings and written["entries"][X]["sources"] == {"data.password": "{env: A}"}
    assert "sources" not in written["entries"][Y] and "head" not in json.loads(dump(EMPTY))


def test_what_was_delivered_and_what_was_there_before_is_noted_and_left_out_while_nothing_was() -> None:
    delivered = replace(
        OWNED, delivered={"iad/secret/x password": "ab"}, delivered_at="then", generation=2, origin="iad/bucket/b"
    )
    nothing, two = Intent("create", before=()), Intent("create", before=("a", "b"))
    begun = events.begin_event("p", {X: nothing, Y: two, "iad/view/z": Intent("create")}, "t")
    part = after(begun, part=EMPTY)
    assert dict(part.intents) == {X: nothing, Y: two, "iad/view/z": Intent("create")}
    assert load_part(dump(part), "X") == part
    written = json.loads(dump(part))["intents"]
    assert (written[X]["before"], written[Y]["before"]) == ([], ["a", "b"]) and "before" not in written["iad/view/z"]
    part = after(events.own_event(X, delivered), events.own_event(Y, OWNED), part=part)
    assert load_part(dump(part), "X") == part and part.entries[X] == delivered
    owned = json.loads(dump(part))["entries"]
    assert owned[X]["delivered"] == {"iad/secret/x password": "ab"} and owned[X]["delivered_at"] == "then"
    assert (owned[X]["generation"], owned[X]["origin"]) == (2, "iad/bucket/b")
    assert not {"delivered", "delivered_at", "generation", "origin"} & owned[Y].keys()


def test_a_part_of_version_2_has_delivered_nothing() -> None:
    raw = json.dumps({**json.loads(dump(FULL)), "version": 2}).encode()
    assert load_part(raw, "X") == FULL


def test_a_part_of_another_document_or_site_is_refused() -> None:
    assert check_part(FULL, "doc", "iad", "X") is FULL
    with pytest.raises(VastplanError) as caught:
        check_part(FULL, "other", "iad", "X")
    assert str(caught.value) == "the ledger X belongs to the document doc, not to other"
    with pytest.raises(VastplanError) as caught:
        check_part(FULL, "doc", "pdx", "X")
    assert str(caught.value) == "the ledger X belongs to the site iad, not to pdx"


def test_a_part_of_before_any_release_gets_what_it_did_not_have() -> None:
    old = {"version": 0, "document": "doc", "applied": "then"}
    assert upgraded(old) == {
        "version": LEDGER_VERSION, "document": "doc", "plans": [], "limits": {}, "applied": "then",
    }  # fmt: skip
    assert upgraded({"version": 0})["applied"] == ""
    assert upgraded({"version": LEDGER_VERSION}) == {"version": LEDGER_VERSION}
    for never in (-1, LEDGER_VERSION + 1):
        with pytest.raises(KeyError):
            upgraded({"version": never})
