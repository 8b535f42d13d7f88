"""What every backend of the ledger does, as tests: subclasses say on which bench."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from tests.ledger.benches import Bench
from vastplan.ledger import events
from vastplan.model.errors import Locked, Lost, VastplanError
from vastplan.model.site_ledger import LEDGER_VERSION, Intent, LoggedChange, LoggedRun, Owned

OWNED = Owned("7", "7", {"name": "ab"}, ("iad/tenant/a",), "2026-01-01T00:00:00+00:00")
X, Y = "iad/view/x", "iad/view/y"


class LedgerContract:
    """Subclasses give the fixture `bench`."""

    def test_what_was_recorded_is_read_back(self, bench: Bench) -> None:
        ledger = bench.ledger()
        session = ledger.open("iad", "me")
        session.record(events.begin_event("p1", {X: Intent("create")}, "t"), events.own_event(X, OWNED))
        during = ledger.read("iad")
        assert during == session.part
        session.close()
        part = bench.ledger().read("iad")
        assert part == during
        assert part.entries == {X: OWNED}
        assert part.intents == {}
        assert part.plans == ("p1",)
        assert part.serial == 1

    def test_a_run_that_is_cut_off_stays_in_the_history_with_what_it_had_done(self, bench: Bench) -> None:
        meant = {X: Intent("create"), Y: Intent("delete")}
        changes = {address: LoggedChange(intent.verb) for address, intent in meant.items()}
        run = LoggedRun("apply", "t", "me", "c0ffee", "p1").ending("", changes)
        session = bench.ledger().open("iad", "me")
        session.record(events.begin_event("p1", meant, "t", None, run), events.own_event(X, OWNED))
        bench.crash(session)
        done = {X: "create done", Y: "delete"}
        counts = {"create": {"done": 1}, "delete": {"": 1}}
        assert bench.ledger().read("iad").runs == (replace(run, serial=1, changes=done, counts=counts),)
        again = LoggedRun("apply", "u", "you", "", "p2").ending("", {Y: LoggedChange("delete")})
        session = bench.ledger().open("iad", "you")
        session.record(events.begin_event("p2", {Y: Intent("delete")}, "u", None, again), events.drop_event(Y))
        session.record(events.end("v", {}, None, again.ending("v", {Y: LoggedChange("delete", "done")})))
        session.close()
        first, second = bench.ledger().read("iad").runs
        assert (first.ended, first.changes, second.ended, second.serial) == ("", done, "v", 2)
        assert second.counts == {"delete": {"done": 1}}

    def test_a_move_lasts(self, bench: Bench) -> None:
        session = bench.ledger().open("iad", "me")
        session.record(events.own_event(X, OWNED))
        session.record(
            events.move_event({X: Y}, {Y: {"name": "cd"}}), events.begin_event("p1", {Y: Intent("update")}, "t")
        )
        bench.crash(session)
        part = bench.ledger().read("iad")
        assert part.entries == {Y: replace(OWNED, fields={"name": "cd"})} and set(part.intents) == {Y}
        bench.ledger().open("iad", "the next").close()
        assert bench.ledger().read("iad").entries == part.entries

    def test_a_part_of_version_1_is_as_it_was(self, bench: Bench) -> None:
        session = bench.ledger().open("iad", "me")
        session.record(events.own_event(X, OWNED))
        session.close()
        content = bench.content("iad")
        entry = {key: value for key, value in content["entries"][X].items() if key != "wire"}
        bench.plant("iad", {**content, "version": 1, "entries": {X: entry}})
        assert bench.ledger().read("iad").entries == {X: OWNED}

    def test_a_session_begins_where_the_last_one_ended(self, bench: Bench) -> None:
        first = bench.ledger().open("iad", "me")
        first.record(events.begin_event("p1", {}, "t"), events.own_event(X, OWNED), events.own_event(Y, OWNED))
        first.close()
        second = bench.ledger().open("iad", "me")
        assert second.part == first.part
        second.record(events.begin_event("p2", {X: Intent("delete")}, "t"), events.drop_event(X))
        second.close()
        part = bench.ledger().read("iad")
        assert set(part.entries) == {Y} and not part.intents
        assert (part.lineage, part.key) == (first.part.lineage, first.part.key)

    def test_a_crash_loses_nothing_that_was_recorded(self, bench: Bench) -> None:
        session = bench.ledger().open("iad", "me")
        session.record(events.begin_event("p1", {X: Intent("create"), Y: Intent("create")}, "t"))
        session.record(events.own_event(X, OWNED))
        bench.crash(session)
        part = bench.ledger().read("iad")
        assert set(part.entries) == {X}
        assert set(part.intents) == {Y}
        following = bench.ledger().open("iad", "the next")
        assert following.part == part
        following.close()
        assert bench.ledger().read("iad") == part

    def test_one_writer_at_a_time_and_readers_never_wait(self, bench: Bench) -> None:
        session = bench.ledger().open("iad", "the first")
        bench.live(session)
        with pytest.raises(Locked, match="in use by the first since 20"):
            bench.ledger().open("iad", "the second")
        assert bench.ledger().read("iad").document == "doc"
        bench.ledger().open("pdx", "the second").close()  # another site is another lock
        session.record(events.own_event(X, OWNED))
        session.close()
        session = bench.ledger().open("iad", "the second")
        assert set(session.part.entries) == {X}
        session.close()

    def test_unlock_frees_only_what_nobody_holds_and_says_who_it_was(self, bench: Bench) -> None:
        assert bench.ledger().unlock("iad") is None
        session = bench.ledger().open("iad", "the first")
        bench.live(session)
        with pytest.raises(Locked, match=r"(held|in use) by .*the first since 20"):
            bench.ledger().unlock("iad")
        session.holds()
        session.record(events.own_event(X, OWNED))
        bench.crash(session)
        holder = bench.ledger().unlock("iad")
        assert holder is not None and holder.name == "the first" and holder.since.startswith("20")
        assert bench.ledger().unlock("iad") is None
        assert set(bench.ledger().read("iad").entries) == {X}

    def test_a_session_that_lost_its_hold_changes_nothing_and_says_so(self, bench: Bench) -> None:
        session = bench.ledger().open("iad", "me")
        session.record(events.begin_event("p1", {X: Intent("create"), Y: Intent("create")}, "t"))
        bench.lose(session)
        before = bench.ledger().read("iad")
        with pytest.raises(Lost):
            session.record(events.own_event(X, OWNED))
        with pytest.raises(Lost):
            session.record(events.own_event(Y, OWNED))
        with pytest.raises(Lost):
            session.holds()
        assert set(session.part.intents) == {X, Y}
        session.close()
        assert bench.ledger().read("iad") == before
        assert set(before.intents) == {X, Y}
        bench.ledger().open("iad", "another").close()

    def test_the_ledger_of_another_site_is_refused(self, bench: Bench) -> None:
        for site in ("iad", "pdx"):
            bench.ledger().open(site, "me").close()
        content = bench.content("iad")
        bench.plant("pdx", content)
        with pytest.raises(VastplanError, match="belongs to the site iad, not to pdx"):
            bench.ledger().read("pdx")

    def test_an_older_ledger_is_upgraded_and_a_newer_one_refused(self, bench: Bench) -> None:
        session = bench.ledger().open("iad", "me")
        session.record(events.own_event(X, OWNED))
        session.close()
        content = bench.content("iad")
        assert content["version"] == LEDGER_VERSION
        old = {key: value for key, value in content.items() if key not in ("plans", "limits", "applied")}
        bench.plant("iad", {**old, "version": 0})
        assert bench.ledger().read("iad").entries == {X: OWNED}
        assert bench.content("iad")["version"] == 0  # reading changes nothing
        session = bench.ledger().open("iad", "me")
        session.record(events.own_event(Y, OWNED))
        session.close()
        assert bench.content("iad")["version"] == LEDGER_VERSION
        assert set(bench.ledger().read("iad").entries) == {X, Y}
        bench.plant("iad", {**content, "version": LEDGER_VERSION + 1})
        for use in (lambda: bench.ledger().read("iad"), lambda: bench.ledger().open("iad", "me")):
            with pytest.raises(VastplanError, match=f"version {LEDGER_VERSION + 1}.*upgrade vastplan"):
                use()

    @pytest.mark.parametrize(
        ("wrong", "says"),
        [({"entries": []}, "not a ledger"), ({"version": -1}, "not a ledger")],
        ids=["entries", "version"],
    )
    def test_what_is_not_a_ledger_is_refused(self, bench: Bench, wrong: dict[str, object], says: str) -> None:
        bench.ledger().open("iad", "me").close()
        bench.plant("iad", {**bench.content("iad"), **wrong})
        with pytest.raises(VastplanError, match=says):
            bench.ledger().read("iad")

    def test_a_ledger_that_is_gone_is_a_new_one(self, bench: Bench) -> None:
        session = bench.ledger().open("iad", "me")
        session.record(events.own_event(X, OWNED))
        session.close()
        lineage = session.part.lineage
        bench.destroy()
        part = bench.ledger().read("iad")
        assert (part.entries, part.serial) == ({}, 0)
        session = bench.ledger().open("iad", "me")
        session.record(events.own_event(Y, OWNED))
        session.close()
        part = bench.ledger().read("iad")
        assert set(part.entries) == {Y} and part.lineage != lineage


class BusyLedgerContract:
    """Apart, because it has no place in a recording: much of it, and in no certain order."""

    def test_threads_record_at_once_and_each_is_durable_when_its_call_returns(self, bench: Bench) -> None:
        session = bench.ledger().open("iad", "me")
        missing = []

        def note(number: int) -> None:
            for index in range(4):
                address = f"iad/view/{number}-{index}"
                session.record(events.own_event(address, OWNED))
                if address not in bench.ledger().read("iad").entries:
                    missing.append(address)

        threads = [threading.Thread(target=note, args=(number,)) for number in range(4)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        assert not missing
        session.close()
        assert len(bench.ledger().read("iad").entries) == 16

    @pytest.mark.slow
    def test_ten_thousand_objects_fit(self, bench: Bench) -> None:
        fields = {f"field{number}": f"{number * 0x9E3779B97F4A7C15 % 2**64:016x}" for number in range(12)}
        addresses = [f"iad/view/tenant-{number}-view" for number in range(10_000)]
        session = bench.ledger().open("iad", "me")
        intents = {one: Intent("create", fields) for one in addresses}
        session.record(events.begin_event("p1", intents, "t"))
        assert len(bench.ledger().read("iad").intents) == 10_000
        for start in range(0, 10_000, 100):
            owned = [
                (one, Owned(f"{one}-id", one, {**fields, "own": f"{hash(one):x}"}))
                for one in addresses[start : start + 100]
            ]
            session.record(*(events.own_event(*one) for one in owned))
        bench.crash(session)
        assert len(bench.ledger().read("iad").entries) == 10_000
        following = bench.ledger().open("iad", "the next")
        following.close()
        assert bench.ledger().read("iad") == following.part
        assert len(following.part.entries) == 10_000 and not following.part.intents

    def test_it_lists_the_sites_of_a_document_and_what_others_keep_beside_it(self, bench: Bench) -> None:
        assert bench.ledger().sites() == () and bench.ledger().others().parts == ()
        for document, site in (("doc", "pdx"), ("doc", "iad"), ("other", "fra")):
            session = bench.ledger(document).open(site, "me")
            session.record(events.begin_event("p1", {}, "t"), events.own_event(f"{site}/view/x", OWNED))
            session.close()
        session = bench.ledger("other").open("ord", "me")
        session.record(
            events.begin_event("p1", {}, "t"), events.own_event("ord/view/x", OWNED)
        )  # a run that is not over
        assert bench.ledger().sites() == ("iad", "pdx")
        assert bench.ledger("other").sites() == ("fra", "ord")
        assert bench.ledger("third").sites() == ()
        others = bench.ledger().others()
        assert [(part.document, part.site, set(part.entries)) for part in others.parts] == [
            ("other", "fra", {"fra/view/x"}), ("other", "ord", {"ord/view/x"}),
        ]  # fmt: skip
        assert not others.unread
        session.close()
