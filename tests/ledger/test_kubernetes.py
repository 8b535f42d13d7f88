"""What only the ledger in Kubernetes can meet: answers that do not come, clocks that stand still, Secrets that others touch."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from tests.ledger.benches import NAMESPACE, KubernetesBench, Time
from tests.ledger.contract import OWNED, X, Y
from vastplan.ledger import events
from vastplan.ledger import kubernetes_session as sessions
from vastplan.ledger.chunks import Api, PartPlace
from vastplan.ledger.kubernetes_session import KubernetesSession
from vastplan.ledger.lease import Renewal
from vastplan.ledger.manifest import Manifest, read_manifest
from vastplan.model.errors import Locked, Lost, NotAuthorised, Unclear, Unreachable, VastplanError
from vastplan.model.site_ledger import Intent

PLACE = PartPlace(NAMESPACE, "doc", "iad")
SECRETS = f"/api/v1/namespaces/{NAMESPACE}/secrets"


class Faulty:
    """An API server one of whose requests goes wrong: `before` it is carried out, or `after`."""

    def __init__(self, api: Api, index: int, when: str) -> None:
        self._api, self._index, self._when = api, index, when
        self.count = 0

    def call(self, method: str, path: str, *, query: list[tuple[str, str]] | None = None, body: Any = None) -> Any:
        hit = self.count == self._index
        self.count += 1
        problem = Unreachable("no answer") if method == "GET" else Unclear("no answer")
        if hit and self._when == "before":
            raise problem
        answer = self._api.call(method, path, query=query, body=body)
        if hit:
            raise problem
        return answer


@pytest.mark.slow
@pytest.mark.parametrize("when", ["before", "after"])
def test_whichever_request_has_no_answer_nothing_recorded_is_lost(
    cluster: KubernetesBench, when: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "TAIL", 300)
    monkeypatch.setattr(sessions, "SEGMENTS", 1)
    index, faults, noted = 0, 0, set()
    while True:
        api = Faulty(cluster.api, index, when)
        with suppress(VastplanError):
            session = cluster.ledger(api=api).open("iad", f"run {index}")
            try:
                for number in range(6):
                    session.record(events.own_event(address := f"iad/view/{index}-{number}", OWNED))
                    noted.add(address)
            finally:
                session.close()
        assert set(cluster.ledger().read("iad").entries) == noted, index
        cluster.time.passed += 61
        if api.count <= index:
            break
        index, faults = index + 1, faults + 1
    assert faults > 20 and len(noted) > 5 * faults  # most faults stop nothing
    cluster.ledger().open("iad", "the last").close()
    found = read_manifest(cluster.api, PLACE)
    assert found is not None
    assert {row["metadata"]["name"] for row in cluster.secrets()} == {PLACE.base, *found[0].used()}


def test_an_applier_paused_past_its_lease_is_over_even_when_nobody_took_it(cluster: KubernetesBench) -> None:
    session = cluster.ledger().open("iad", "me")
    cluster.time.passed += 39
    session.holds()
    cluster.time.passed += 2
    with pytest.raises(Lost, match="was not renewed for 41 seconds"):
        session.record(events.own_event(X, OWNED))
    assert not session._lease.renew()
    with pytest.raises(Lost):
        session.holds()
    session.close()
    assert cluster.ledger().read("iad").entries == {}


def test_a_clock_that_stands_still_does_not_help_against_the_next_holder(cluster: KubernetesBench) -> None:
    """The lease says that it holds; the head knows better."""
    asleep = Time()
    session = cluster.ledger(time=asleep).open("iad", "the sleeper")
    session.record(events.begin_event("p1", {X: Intent("create")}, "t"))
    cluster.time.passed += 61
    following = cluster.ledger().open("iad", "the next")
    assert set(following.part.intents) == {X}
    session.holds()
    with pytest.raises(Lost, match="somebody else has it"):
        session.record(events.own_event(X, OWNED))
    with pytest.raises(Lost, match="somebody else has it"):
        session.holds()
    assert not session._lease.renew()
    with pytest.raises(Lost, match=r"the next since .* has it"):
        session._lease.holds()
    before = cluster.secrets()
    session.close()
    assert cluster.secrets() == before
    following.record(events.own_event(Y, OWNED))
    following.close()
    part = cluster.ledger().read("iad")
    assert set(part.entries) == {Y} and set(part.intents) == {X}


def test_what_was_written_until_the_next_holder_came_counts(cluster: KubernetesBench) -> None:
    """A write that gets in between the next holder's reading and its claim makes it read again."""
    session = cluster.ledger(time=Time()).open("iad", "the sleeper")
    cluster.time.passed += 61

    class Between:
        done = False

        def call(self, method: str, path: str, *, query: Any = None, body: Any = None) -> Any:
            if method == "PUT" and path == f"{SECRETS}/{PLACE.base}" and not self.done:
                self.done = True
                session.record(events.own_event(X, OWNED))
            return cluster.api.call(method, path, query=query, body=body)

    following = cluster.ledger(api=Between()).open("iad", "the next")
    assert set(following.part.entries) == {X}
    with pytest.raises(Lost):
        session.record(events.own_event(Y, OWNED))


def test_renewals_keep_others_out_for_as_long_as_it_takes(cluster: KubernetesBench) -> None:
    session = cluster.ledger().open("iad", "me")
    cluster.live(session)
    for _ in range(10):
        cluster.time.passed += 30
        assert session._lease.renew()
        with pytest.raises(Locked, match="in use by me since 2026-01-01T00:00:00"):
            cluster.ledger().open("iad", "another")
    session.record(events.own_event(X, OWNED))
    cluster.time.meanwhile.clear()
    session.close()
    cluster.ledger().open("iad", "another").close()


def test_a_renewal_without_an_answer_is_made_up_for(cluster: KubernetesBench) -> None:
    for when in ("before", "after"):
        session = cluster.ledger().open("iad", "me")
        session._lease._api = Faulty(cluster.api, 0, when)
        assert not session._lease.renew()
        session.holds()
        assert session._lease.renew()
        cluster.time.passed += 39
        session.record(events.own_event(X, OWNED))
        session.close()


def test_the_lease_is_renewed_in_the_background(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vastplan.ledger.lease.EVERY", 0.0)
    monkeypatch.setattr("vastplan.ledger.lease.AGAIN", 0.0)
    often = threading.Event()

    class Counted:
        count = 0

        def renew(self) -> bool:
            self.count += 1
            if self.count == 3:
                often.set()
            return self.count != 1  # a failure does not end it

    renewal = Renewal(Counted())  # type: ignore[arg-type]
    assert often.wait(30)
    renewal.stop()
    assert not renewal._thread.is_alive()


def test_unlock_does_not_break_what_has_just_been_renewed(cluster: KubernetesBench) -> None:
    time = Time()
    session = cluster.ledger(time=time).open("iad", "me")
    cluster.time.passed += 61
    time.passed += 1

    class Between:
        def call(self, method: str, path: str, *, query: Any = None, body: Any = None) -> Any:
            if method == "PUT":
                assert session._lease.renew()
            return cluster.api.call(method, path, query=query, body=body)

    with pytest.raises(Locked, match="was just taken by another run"):
        cluster.ledger(api=Between()).unlock("iad")
    session.record(events.own_event(X, OWNED))


def test_a_label_put_on_the_head_by_hand_stops_nothing(cluster: KubernetesBench) -> None:
    session = cluster.ledger().open("iad", "me")
    row = cluster.api.call("GET", f"{SECRETS}/{PLACE.base}")
    row["metadata"]["labels"]["touched"] = "yes"
    cluster.api.call("PUT", f"{SECRETS}/{PLACE.base}", body=row)
    session.record(events.own_event(X, OWNED))
    session.close()
    assert set(cluster.ledger().read("iad").entries) == {X}


def test_a_ledger_removed_during_a_run_ends_the_run(cluster: KubernetesBench) -> None:
    session = cluster.ledger().open("iad", "me")
    cluster.destroy()
    with pytest.raises(Lost, match="somebody removed it"):
        session.record(events.own_event(X, OWNED))
    session.close()
    assert cluster.secrets() == []


def test_a_refusal_ends_the_run(cluster: KubernetesBench) -> None:
    session = cluster.ledger().open("iad", "me")

    class Refusing:
        def call(self, method: str, path: str, *, query: Any = None, body: Any = None) -> Any:
            raise NotAuthorised("403 no longer", 403)

    session._api = Refusing()
    with pytest.raises(Lost, match="cannot be written: 403 no longer"):
        session.record(events.own_event(X, OWNED))


def test_a_server_that_is_away_too_long_ends_the_run(cluster: KubernetesBench) -> None:
    session = cluster.ledger().open("iad", "me")

    class Away:
        def call(self, method: str, path: str, *, query: Any = None, body: Any = None) -> Any:
            raise Unreachable("away") if method == "GET" else Unclear("away")

    session._api = Away()
    with pytest.raises(Lost, match="was not renewed for 41 seconds"):
        session.record(events.own_event(X, OWNED))


def test_the_journal_moves_out_of_the_head_and_into_the_part(
    cluster: KubernetesBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "TAIL", 1000)
    monkeypatch.setattr(sessions, "SEGMENTS", 2)
    session = cluster.ledger().open("iad", "me")
    seen = set()
    for number in range(30):
        session.record(events.own_event(f"iad/view/{number}", OWNED))
        found = read_manifest(cluster.api, PLACE)
        assert found is not None and len(found[0].journal) <= 2 and len(found[0].dumped()) < 2000
        assert {row["metadata"]["name"] for row in cluster.secrets()} == {PLACE.base, *found[0].used()}
        seen.add((len(found[0].journal), bool(found[0].tail)))
        assert cluster.ledger().read("iad") == session.part
    assert {(0, True), (1, True), (2, True), (0, False)} <= seen
    session.close()


def test_a_large_part_is_in_pieces_that_say_whose_they_are(
    cluster: KubernetesBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vastplan.ledger.chunks.CHUNK", 100)
    session = cluster.ledger().open("iad", "me")
    session.record(*(events.own_event(f"iad/view/{number}", OWNED) for number in range(50)))
    session.close()
    rows = cluster.secrets()
    assert len(rows) > 5
    for row in rows:
        assert row["type"] == "vastplan/ledger"
        assert row["metadata"]["labels"]["app.kubernetes.io/managed-by"] == "vastplan"
        assert row["metadata"]["annotations"] == {"vastplan/document": "doc", "vastplan/site": "iad"}
    assert len(cluster.ledger().read("iad").entries) == 50


def _drop_a_piece(bench: KubernetesBench, head: Manifest) -> None:
    bench.api.call("DELETE", f"{SECRETS}/{head.part[0]}")


def _change_a_piece(bench: KubernetesBench, head: Manifest) -> None:
    row = bench.api.call("GET", f"{SECRETS}/{head.part[0]}")
    bench.api.call("PUT", f"{SECRETS}/{head.part[0]}", body={**row, "data": {"piece": "AAAA"}})


def _head(content: bytes) -> Callable[[KubernetesBench, Manifest], None]:
    def change(bench: KubernetesBench, _: Manifest) -> None:
        body = PLACE.secret(PLACE.base, "head", content)
        bench.api.call("PUT", f"{SECRETS}/{PLACE.base}", body=body)

    return change


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (_drop_a_piece, "chunks that its manifest names do not exist"),
        (_change_a_piece, "is not what was written"),
        (_head(b"{"), "is not a manifest"),
        (_head(b"[]"), "is not a manifest"),
        (_head(b'{"version": 2}'), "has format 2; this vastplan reads up to 1: upgrade vastplan"),
        (
            _head(b'{"version":1,"fence":1,"owner":"x","turn":1,"part":["../other"],"journal":[],"tail":[]}'),
            "names chunks that are not its own",
        ),
    ],
)
def test_a_damaged_ledger_is_not_guessed_at(
    cluster: KubernetesBench, damage: Callable[[KubernetesBench, Manifest], None], says: str
) -> None:
    cluster.ledger().open("iad", "me").close()
    found = read_manifest(cluster.api, PLACE)
    assert found is not None
    damage(cluster, found[0])
    with pytest.raises(VastplanError, match=says):
        cluster.ledger().read("iad")
    before = cluster.secrets()
    with pytest.raises(VastplanError, match=says):
        cluster.ledger().open("iad", "me")
    assert cluster.secrets() == before
    with pytest.raises(VastplanError, match=says):  # and the lease was let go of
        cluster.ledger().open("iad", "another")


def test_names_are_cut_down_and_stay_different() -> None:
    names = ["a", "b", "A", "a/b", "a.b", "../..", "x" * 63, "x" * 62 + "y", "-", "", "name\nwith\x1b[0m", "é"]
    bases = {PartPlace("n", document, site).base for document in names for site in names}
    assert len(bases) == len(names) ** 2
    for base in bases:
        assert len(base) <= 63 and set(base) <= set("abcdefghijklmnopqrstuvwxyz0123456789-"), base


def test_a_namespace_that_may_not_be_made_is_asked_for(cluster: KubernetesBench) -> None:
    class Confined:
        def call(self, method: str, path: str, *, query: Any = None, body: Any = None) -> Any:
            if path == "/api/v1/namespaces":
                raise NotAuthorised("403 no", 403)
            return cluster.api.call(method, path, query=query, body=body)

    with pytest.raises(VastplanError, match="kubectl create namespace ledgers"):
        cluster.ledger(api=Confined()).open("iad", "me")


def test_what_a_lease_names_is_shown_without_its_control_characters(cluster: KubernetesBench) -> None:
    cluster.live(cluster.ledger().open("iad", "\x1b[31mme\n" + "x" * 300))
    with pytest.raises(Locked) as caught:
        cluster.ledger().open("iad", "another")
    assert "\x1b" not in str(caught.value) and "\n" not in str(caught.value) and len(str(caught.value)) < 450


def test_reading_needs_nothing_and_leaves_nothing(cluster: KubernetesBench) -> None:
    part = cluster.ledger().read("iad")
    assert (part.document, part.site, part.serial) == ("doc", "iad", 0)
    assert isinstance(cluster.ledger().open("iad", "me"), KubernetesSession)  # the namespace is made when it is needed


class Gate:
    """An API server that answers its first update of the head only when it is told to, and may then refuse it."""

    def __init__(self, api: Api, *, refuses: bool) -> None:
        self._api, self._refuses = api, refuses
        self.entered, self.go = threading.Event(), threading.Event()
        self.updates = 0

    def call(self, method: str, path: str, *, query: Any = None, body: Any = None) -> Any:
        if method == "PUT":
            self.updates += 1
            if self.updates == 1:
                self.entered.set()
                assert self.go.wait(30)
                if self._refuses:
                    raise NotAuthorised("403 no", 403)
        return self._api.call(method, path, query=query, body=body)


@pytest.mark.parametrize("refuses", [False, True])
def test_what_is_recorded_during_a_write_goes_into_the_next_together_or_is_lost_with_it(
    cluster: KubernetesBench, refuses: bool
) -> None:
    session = cluster.ledger().open("iad", "me")
    gate = session._api = Gate(cluster.api, refuses=refuses)
    outcomes: list[str] = []

    def note(number: int) -> None:
        try:
            session.record(events.own_event(f"iad/view/{number}", OWNED))
            outcomes.append("noted")
        except Lost:
            outcomes.append("lost")

    threads = [threading.Thread(target=note, args=(number,)) for number in range(6)]
    threads[0].start()
    assert gate.entered.wait(30)
    for one in threads[1:]:
        one.start()
    deadline = time.monotonic() + 30
    while session._asked < 6:
        assert time.monotonic() < deadline
        time.sleep(0.005)
    gate.go.set()
    for one in threads:
        one.join(30)
    assert outcomes == ["lost" if refuses else "noted"] * 6
    assert gate.updates == (1 if refuses else 2)
    assert len(cluster.ledger().read("iad").entries) == len(session.part.entries) == (0 if refuses else 6)


def test_a_reader_sees_who_holds_it(memory: KubernetesBench) -> None:
    assert memory.ledger().holder("iad") is None
    session = memory.ledger().open("iad", "ann@host (pid 7)")
    owner = memory.ledger().holder("iad")
    assert owner is not None and owner.name == "ann@host (pid 7)" and owner.since
    session.close()
    assert memory.ledger().holder("iad") is None
