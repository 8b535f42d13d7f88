"""Who may write a ledger in Kubernetes: leases and claims, to the second and to the letter. In memory."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.ledger.benches import NAMESPACE, KubernetesBench, Time
from tests.ledger.memory import Memory
from vastplan.ledger import events, lease
from vastplan.ledger import kubernetes as ledgers
from vastplan.ledger import kubernetes_session as sessions
from vastplan.ledger import manifest as manifests
from vastplan.ledger.backend import LockOwner
from vastplan.ledger.chunks import Api, Chunks, PartPlace
from vastplan.ledger.clock import LedgerClock
from vastplan.ledger.kubernetes import KubernetesLedger
from vastplan.ledger.lease import Renewal, acquire, break_expired
from vastplan.ledger.lease_watch import LeaseWatch, holder_of
from vastplan.model.errors import Conflict, Locked, Lost, NotAuthorised, Refused, Unclear, Unreachable, VastplanError
from vastplan.model.site_ledger import Owned

PLACE = PartPlace(NAMESPACE, "doc", "iad")
LEASE, HEAD = f"{PLACE.leases}/{PLACE.base}", f"{PLACE.secrets}/{PLACE.base}"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
OWNED = Owned("7", "7")


class Wrapped:
    """An API server with something that happens before a request is carried out; it may raise."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.said: list[tuple[str, str]] = []

    def before(self, method: str, path: str) -> None:
        """What happens."""

    def call(self, method: str, path: str, *, query: Any = None, body: Any = None) -> Any:
        self.said.append((method, path))
        self.before(method, path)
        return self.api.call(method, path, query=query, body=body)


class Refusing(Wrapped):
    """Every write of one object fails."""

    def __init__(self, api: Api, path: str, problem: VastplanError) -> None:
        super().__init__(api)
        self.path, self.problem = path, problem

    def before(self, method: str, path: str) -> None:
        if method in ("PUT", "POST") and path in (self.path, self.path.rpartition("/")[0]):
            raise self.problem


def spec(memory: KubernetesBench) -> dict[str, Any]:
    """What the lease says."""
    found: dict[str, Any] = memory.api.call("GET", LEASE)["spec"]
    return found


def planted(memory: KubernetesBench, said: Any) -> None:
    """A lease with this in it."""
    memory.ledger().open("iad", "first").close()
    row = memory.api.call("GET", LEASE)
    memory.api.call("PUT", LEASE, body={**row, "spec": said})


def watch(memory: KubernetesBench, api: Api | None = None, clock: LedgerClock | None = None) -> LeaseWatch:
    return LeaseWatch(api or memory.api, clock or memory.time.clock, lambda _: None)


def taken(
    memory: KubernetesBench, api: Api | None = None, clock: LedgerClock | None = None
) -> tuple[lease.Lease, bool]:
    """The lease, once it is had."""
    api, clock = api or memory.api, clock or memory.time.clock
    return acquire(api, PLACE, clock, "me", memory.ledger()._make_namespace, watch(memory, api, clock))


def broken(memory: KubernetesBench, api: Api | None = None) -> LockOwner | None:
    """Who held the lease that was broken."""
    return break_expired(api or memory.api, PLACE, watch(memory, api))


# The lease


def test_a_lease_is_written_like_this(memory: KubernetesBench) -> None:
    memory.ledger().open("iad", "me")
    row = memory.api.call("GET", LEASE)
    assert (row["apiVersion"], row["kind"]) == ("coordination.k8s.io/v1", "Lease")
    assert {**row["metadata"], "resourceVersion": ""} == {**PLACE.metadata(PLACE.base), "resourceVersion": ""}
    assert row["spec"] == {
        "holderIdentity": "me", "leaseDurationSeconds": 60, "leaseTransitions": 0,
        "acquireTime": "2026-01-01T00:00:00.000000Z", "renewTime": "2026-01-01T00:00:00.000000Z",
    }  # fmt: skip
    namespace = memory.api.call("GET", f"/api/v1/namespaces/{NAMESPACE}")
    assert {key: value for key, value in namespace["metadata"].items() if key != "resourceVersion"} == {
        "name": NAMESPACE, "labels": {"app.kubernetes.io/managed-by": "vastplan"},
    }  # fmt: skip
    assert (namespace["apiVersion"], namespace["kind"]) == ("v1", "Namespace")


def test_a_lease_that_is_renewed_and_let_go_of(memory: KubernetesBench) -> None:
    session = memory.ledger().open("iad", "me")
    memory.time.passed += 12.5
    assert session._lease.renew() is True
    assert spec(memory) == {
        "holderIdentity": "me", "leaseDurationSeconds": 60, "leaseTransitions": 0,
        "acquireTime": "2026-01-01T00:00:00.000000Z", "renewTime": "2026-01-01T00:00:12.500000Z",
    }  # fmt: skip
    session.close()
    assert spec(memory) == {
        "leaseDurationSeconds": 60, "leaseTransitions": 0, "acquireTime": "2026-01-01T00:00:00.000000Z",
    }  # fmt: skip
    memory.ledger().open("iad", "another")
    assert (spec(memory)["leaseTransitions"], spec(memory)["acquireTime"]) == (1, "2026-01-01T00:00:12.500000Z")
    memory.time.passed += 60
    memory.ledger().open("iad", "a third")
    assert spec(memory)["leaseTransitions"] == 2


def test_how_long_its_holder_relies_on_a_lease(memory: KubernetesBench) -> None:
    session = memory.ledger().open("iad", "me")
    memory.time.passed = 40
    session.holds()
    memory.time.passed = 40.5
    says = "the lease on the ledger of iad is lost: it was not renewed for 40 seconds; vastplan starts nothing more"
    for _ in range(2):
        with pytest.raises(Lost) as lost:
            session.holds()
        assert str(lost.value) == says
        memory.time.passed = 59.5  # and it says the same for ever


@pytest.mark.parametrize(("asked", "lasts"), [(900, 900), (30, 60), (10**6, 900)])
def test_who_may_stand_still_for_long_asks_others_to_wait_as_long(
    memory: KubernetesBench, asked: int, lasts: int
) -> None:
    """A watcher that fails over: nobody takes the ledger from it while it may still send what it was about to send."""
    held, _ = acquire(memory.api, PLACE, memory.time.clock, "me", memory.ledger()._make_namespace, watch(memory), asked)
    assert spec(memory)["leaseDurationSeconds"] == asked
    began = memory.time.passed
    taken(memory)
    assert lasts <= memory.time.passed - began <= lasts + 3
    with pytest.raises(Lost):
        held.holds()


def test_a_holder_counts_by_a_clock_that_nobody_sets(memory: KubernetesBench) -> None:
    """A time server that moves the clock of its machine by minutes ends no run, and lengthens no lease."""
    time = {"ticks": 0.0, "wall": 0.0}
    clock = LedgerClock(lambda: NOW + timedelta(seconds=time["wall"]), lambda: time["ticks"], lambda _: None)
    made, _ = taken(memory, clock=clock)
    for wall in (62.0, -62.0):
        time["wall"] = wall
        made.holds()
    time["ticks"] = 40.5
    with pytest.raises(Lost, match="not renewed for 40 seconds"):
        made.holds()


@dataclass
class Machine:
    """A machine whose clock is wrong by some seconds, beside that of the bench. Both count seconds alike."""

    memory: KubernetesBench
    ahead: float
    said: list[str] = field(default_factory=list)

    def ledger(self) -> KubernetesLedger:
        @contextmanager
        def connect() -> Iterator[Api]:
            yield self.memory.api

        time = self.memory.time
        clock = LedgerClock(lambda: time.wall() + timedelta(seconds=self.ahead), lambda: 1e6 + time.passed, time.sleep)
        return KubernetesLedger(connect, "here", NAMESPACE, "doc", clock=clock, renewing=False, report=self.said.append)


@pytest.mark.parametrize("ahead", [-86400.0, -62.0, 0.0, 59.0, 62.0, 86400.0])
def test_a_lease_that_is_renewed_is_nobody_elses_whatever_the_clocks_say(memory: KubernetesBench, ahead: float) -> None:
    session = memory.ledger().open("iad", "me")
    since, renewals = memory.time.passed, [12.0, 24.0]

    def renews() -> None:
        while renewals and memory.time.passed >= since + renewals[0]:
            renewals.pop(0)
            assert session._lease.renew()

    memory.time.meanwhile.append(renews)
    memory.time.passed += 11
    other = Machine(memory, ahead)
    with pytest.raises(Locked) as caught:
        other.ledger().open("iad", "another")
    assert str(caught.value) == (
        f"the ledger of iad is in use by me since 2026-01-01T00:00:00+00:00, who renews Lease {PLACE.base} in namespace ledgers; "
        "wait for it to end"
    )
    assert other.said == [
        "the ledger of iad is held by me since 2026-01-01T00:00:00+00:00; watching its lease for up to 60 s"
    ]
    assert memory.time.passed - since <= 15  # the first renewal decides
    with pytest.raises(Locked, match="in use by me"):
        other.ledger().unlock("iad")
    session.holds()
    session.record(events.own_event("iad/view/x", OWNED))


@pytest.mark.parametrize("ahead", [-86400.0, -62.0, 0.0, 62.0, 86400.0])
@pytest.mark.parametrize("by", ["open", "unlock"])
def test_a_lease_that_nobody_renews_is_free_after_its_time_and_not_before(
    memory: KubernetesBench, ahead: float, by: str
) -> None:
    memory.ledger().open("iad", "me")
    memory.time.passed += 3600  # how long nobody has looked says nothing
    began, other = memory.time.passed, Machine(memory, ahead)
    puts: list[float] = []

    class Watched(Wrapped):
        def before(self, method: str, path: str) -> None:
            if method == "PUT" and path == LEASE:
                puts.append(memory.time.passed - began)

    memory.api, api = Watched(memory.api), memory.api
    if by == "open":
        session = other.ledger().open("iad", "another")
        assert session._sweep  # what the last holder left behind is looked for
    else:
        broken = other.ledger().unlock("iad")
        assert broken == LockOwner("me", "2026-01-01T00:00:00+00:00")
    memory.api = api
    assert puts == [60.0]
    assert other.said == [
        "the ledger of iad is held by me since 2026-01-01T00:00:00+00:00; watching its lease for up to 60 s",
        "the lease on the ledger of iad was not renewed for 60 s; it is free now",
    ]


@pytest.mark.parametrize("how", ["released", "removed"])
def test_a_lease_that_is_released_meanwhile_is_taken_at_once(memory: KubernetesBench, how: str) -> None:
    for by in ("open", "unlock"):
        session = memory.ledger().open("iad", "me")
        began = memory.time.passed

        def ends(session: Any = session, began: float = began) -> None:
            if memory.time.passed >= began + 9:
                memory.time.meanwhile.clear()
                session.close() if how == "released" else memory.api.call("DELETE", LEASE)

        memory.time.meanwhile.append(ends)
        if by == "open":
            following = memory.ledger().open("iad", "another")
            assert not following._sweep
            following.close()
        else:
            assert memory.ledger().unlock("iad") is None
        assert memory.time.passed == began + 9


def test_a_lease_that_another_run_takes_meanwhile_is_that_ones(memory: KubernetesBench) -> None:
    memory.ledger().open("iad", "me")

    def takes() -> None:
        row = memory.api.call("GET", LEASE)
        memory.api.call("PUT", LEASE, body={**row, "spec": {**row["spec"], "holderIdentity": "you"}})

    memory.time.meanwhile.append(takes)
    with pytest.raises(Locked, match="in use by you"):
        memory.ledger().open("iad", "another")


@pytest.mark.parametrize("listed", [True, False])
def test_leases_that_one_run_left_behind_are_waited_for_together(memory: KubernetesBench, listed: bool) -> None:
    for site in ("iad", "ord", "pdx"):
        memory.ledger().open(site, "me")

    class Unlisted(Wrapped):
        def before(self, method: str, path: str) -> None:
            if path == PLACE.leases and method == "GET" and not listed:
                raise NotAuthorised("403 no", 403)

    began = memory.time.passed
    with memory.ledger(api=Unlisted(memory.api)) as ledger:
        for site in ("iad", "ord", "pdx"):
            ledger.open(site, "another")
    assert memory.time.passed - began == (60 if listed else 180)


def test_a_lease_that_another_site_holds_is_not_free_because_somebody_looked(memory: KubernetesBench) -> None:
    """What was seen at first counts only as long as it is what is seen now."""
    memory.ledger().open("iad", "me")
    alive = memory.ledger().open("pdx", "me")
    memory.live(alive)
    with memory.ledger() as ledger:
        ledger.open("iad", "another")
        with pytest.raises(Locked, match="the ledger of pdx is in use by me"):
            ledger.open("pdx", "another")


@pytest.mark.parametrize("said", [{}, None, {"leaseTransitions": None}, {"holderIdentity": ""}])
def test_a_lease_that_names_nobody_is_taken_by_writing_it(memory: KubernetesBench, said: Any) -> None:
    planted(memory, said)
    _, abandoned = taken(memory)
    assert not abandoned and (spec(memory)["holderIdentity"], spec(memory)["leaseTransitions"]) == ("me", 1)


@pytest.mark.parametrize(
    ("said", "holder"),
    [
        ({"holderIdentity": "x"}, LockOwner("x")),
        ({"holderIdentity": "x", "acquireTime": "2025-12-31T00:00:00Z"}, LockOwner("x", "2025-12-31T00:00:00+00:00")),
        ({"holderIdentity": "x", "acquireTime": "2025-12-31T00:00:00"}, LockOwner("x")),
        ({"holderIdentity": "x", "acquireTime": "noon"}, LockOwner("x")),
        ({"holderIdentity": "a\x1bb\n" + "c" * 300}, LockOwner("ab" + "c" * 198)),
    ],
)
def test_whoever_a_lease_names(said: dict[str, Any], holder: LockOwner) -> None:
    assert holder_of({"spec": said}) == holder


def test_breaking_a_lease_leaves_what_is_not_about_its_holder(memory: KubernetesBench) -> None:
    assert broken(memory) is None
    memory.ledger().open("iad", "me")
    holder = broken(memory)
    assert holder is not None and holder.name == "me"
    assert set(spec(memory)) == {"leaseDurationSeconds", "leaseTransitions", "acquireTime"}
    assert broken(memory) is None
    memory.ledger().open("iad", "me")
    with pytest.raises(Locked) as caught:
        broken(memory, Refusing(memory.api, LEASE, Conflict("moved", 409)))
    assert str(caught.value) == "the lease on the ledger of iad was just taken by another run; try again"


def test_a_lease_that_keeps_changing_is_left_alone(memory: KubernetesBench) -> None:
    memory.ledger().open("iad", "first").close()
    api = Refusing(memory.api, LEASE, Conflict("moved", 409))
    with pytest.raises(Locked) as caught:
        taken(memory, api)
    assert str(caught.value) == "cannot lock the ledger of iad: its lease keeps changing; try again"
    assert api.said.count(("PUT", LEASE)) == 5


@pytest.mark.parametrize("answer", [None, [], {}, {"spec": 3}])
def test_an_answer_that_is_no_lease_is_looked_after(memory: KubernetesBench, answer: Any) -> None:
    """The write got through; what came back is of no use."""
    memory.ledger().open("iad", "first").close()

    class Odd(Wrapped):
        def call(self, method: str, path: str, *, query: Any = None, body: Any = None) -> Any:
            found = super().call(method, path, query=query, body=body)
            return answer if method == "PUT" and path == LEASE else found

    with pytest.raises(Unclear) as caught:
        lease._put(Odd(memory.api), PLACE, spec(memory), memory.api.call("GET", LEASE))
    assert str(caught.value) == f"the answer to writing lease {PLACE.base} is not a lease"
    odd = Odd(memory.api)
    made, abandoned = taken(memory, odd)
    assert abandoned and odd.said.count(("PUT", LEASE)) == 1  # perhaps: it is better to look for what was left behind
    made._api = memory.api
    assert made.renew()


@pytest.mark.parametrize("change", ["holderIdentity", "leaseTransitions", "acquireTime"])
def test_a_lease_that_somebody_else_acquired_is_lost(memory: KubernetesBench, change: str) -> None:
    session = memory.ledger().open("iad", "me")
    row = memory.api.call("GET", LEASE)
    other = {"holderIdentity": "you", "leaseTransitions": 7, "acquireTime": "2026-01-01T00:00:01.000000Z"}[change]
    memory.api.call("PUT", LEASE, body={**row, "spec": {**row["spec"], change: other}})
    assert not session._lease.renew()
    with pytest.raises(Lost) as caught:
        session.holds()
    who = "you" if change == "holderIdentity" else "me"
    since = "2026-01-01T00:00:01+00:00" if change == "acquireTime" else "2026-01-01T00:00:00+00:00"
    says = f"the lease on the ledger of iad is lost: {who} since {since} has it; vastplan starts nothing more"
    assert str(caught.value) == says
    memory.time.passed += 50  # a lease that is lost says why, not how long ago
    with pytest.raises(Lost) as caught:
        session.holds()
    assert str(caught.value) == says
    before = memory.api.call("GET", LEASE)
    session._lease.release()
    assert memory.api.call("GET", LEASE) == before and session._lease.renew() is False


@pytest.mark.parametrize("how", ["removed", "let go of", "emptied"])
def test_a_lease_that_is_gone_is_lost(memory: KubernetesBench, how: str) -> None:
    session = memory.ledger().open("iad", "me")
    row = memory.api.call("GET", LEASE)
    if how == "removed":
        memory.api.call("DELETE", LEASE)
    else:
        memory.api.call("PUT", LEASE, body={**row, "spec": {} if how == "let go of" else None})
    assert session._lease.renew() is False
    with pytest.raises(Lost) as caught:
        session.holds()
    assert (
        str(caught.value) == "the lease on the ledger of iad is lost: somebody removed it; vastplan starts nothing more"
    )


@pytest.mark.parametrize("problem", [Unreachable("away"), NotAuthorised("403 no", 403)])
def test_a_renewal_that_fails_leaves_the_time_running(memory: KubernetesBench, problem: VastplanError) -> None:
    session = memory.ledger().open("iad", "me")
    session._lease._api = Refusing(memory.api, LEASE, problem)
    memory.time.passed = 39
    assert session._lease.renew() is False
    session.holds()
    memory.time.passed = 41
    with pytest.raises(Lost):
        session.holds()


def test_a_renewal_whose_outcome_cannot_be_looked_at_did_not_go_well(memory: KubernetesBench) -> None:
    session = memory.ledger().open("iad", "me")

    class Away(Wrapped):
        def before(self, method: str, path: str) -> None:
            raise Unreachable("away") if method == "GET" else Unclear("no answer")

    session._lease._api = Away(memory.api)
    assert session._lease.renew() is False
    session.holds()
    session._lease._api = Refusing(memory.api, LEASE, Conflict("moved", 409))
    assert session._lease.renew() is False
    session.holds()


def test_a_renewal_counts_from_when_it_was_asked_for(memory: KubernetesBench) -> None:
    session = memory.ledger().open("iad", "me")
    memory.time.passed = 10

    class Slow(Wrapped):
        def before(self, method: str, path: str) -> None:
            memory.time.passed += 20

    session._lease._api = Slow(memory.api)
    assert session._lease.renew()
    memory.time.passed = 50
    session.holds()
    memory.time.passed = 50.5
    with pytest.raises(Lost):
        session.holds()


def test_a_holder_who_renews_is_waited_for_as_long_as_one_is_told_to(memory: KubernetesBench) -> None:
    session = memory.ledger().open("iad", "me")
    memory.live(session)

    def ends() -> None:
        if memory.time.passed > 200:
            session.close()

    memory.time.meanwhile.append(ends)
    said: list[str] = []
    patient = LeaseWatch(memory.api, memory.time.clock, said.append, 300)
    taken_lease, abandoned = acquire(memory.api, PLACE, memory.time.clock, "another", lambda: None, patient)
    taken_lease.holds()
    assert (spec(memory)["holderIdentity"], abandoned, 200 < memory.time.passed < 210) == ("another", False, True)
    assert said == ["the ledger of iad is held by me since 2026-01-01T00:00:00+00:00; waiting for it for up to 5m"]


def test_a_holder_who_renews_longer_than_that_is_named(memory: KubernetesBench) -> None:
    memory.live(memory.ledger().open("iad", "me"))
    patient = LeaseWatch(memory.api, memory.time.clock, lambda _: None, 300)
    with pytest.raises(Locked) as caught:
        acquire(memory.api, PLACE, memory.time.clock, "another", lambda: None, patient)
    assert str(caught.value) == (
        "the ledger of iad is in use by me since 2026-01-01T00:00:00+00:00, who renews Lease "
        f"{PLACE.base} in namespace {NAMESPACE} (waited 5m for it); wait for it to end"
    )
    assert 300 <= memory.time.passed < 310


def test_a_patient_wait_takes_the_lease_of_a_holder_who_died_as_soon_as_any(memory: KubernetesBench) -> None:
    session = memory.ledger().open("iad", "me")
    memory.time.meanwhile.append(lambda: memory.time.passed < 30 and session._lease.renew())
    patient = LeaseWatch(memory.api, memory.time.clock, lambda _: None, 300)
    _, abandoned = acquire(memory.api, PLACE, memory.time.clock, "another", lambda: None, patient)
    assert abandoned and 85 <= memory.time.passed <= 95, "60 s after the last renewal that was seen"


def test_who_loses_the_race_for_a_lease_goes_on_waiting(memory: KubernetesBench) -> None:
    """Ten others take the free lease first, one after the other."""
    memory.ledger().open("iad", "first").close()

    class Others(Wrapped):
        left = 10

        def before(self, method: str, path: str) -> None:
            if method == "PUT" and path == LEASE and self.left:
                self.left -= 1
                memory.ledger().open("iad", f"other {self.left}").close()

    others = Others(memory.api)
    with pytest.raises(Locked, match="keeps changing"):
        taken(memory, others)
    others.left = 10
    patient = LeaseWatch(others, memory.time.clock, lambda _: None, 300)
    acquire(others, PLACE, memory.time.clock, "another", lambda: None, patient)
    assert (spec(memory)["holderIdentity"], others.left) == ("another", 0)


# Its release


@dataclass
class Failing(Wrapped):
    """The first writes of the lease have no effect, or have one without an answer, or are refused."""

    api: Api
    how: str
    left: int
    said: list[tuple[str, str]] = field(default_factory=list)

    def call(self, method: str, path: str, *, query: Any = None, body: Any = None) -> Any:
        if method not in ("PUT", "POST") or path not in (LEASE, PLACE.leases) or not self.left:
            return super().call(method, path, query=query, body=body)
        self.left -= 1
        if self.how == "refused":
            raise Refused("422 no", 422)
        if self.how == "done":
            super().call(method, path, query=query, body=body)
        raise Unclear("503")


@pytest.mark.parametrize("how", ["nothing", "done", "refused"])
@pytest.mark.parametrize("left", [1, 3])
def test_a_release_that_fails_is_tried_again(memory: KubernetesBench, how: str, left: int) -> None:
    session = memory.ledger().open("iad", "me")
    session._lease._api = Failing(memory.api, how, left)
    session.close()
    assert "holderIdentity" not in spec(memory)
    began = memory.time.passed
    memory.ledger().open("iad", "another").close()
    assert memory.time.passed == began


def test_a_release_is_not_tried_for_ever(memory: KubernetesBench) -> None:
    session = memory.ledger().open("iad", "me")
    session._lease._api = Failing(memory.api, "nothing", 1000)
    session.close()
    assert memory.time.passed < 10 and spec(memory)["holderIdentity"] == "me"


def test_what_somebody_else_has_taken_meanwhile_is_not_released(memory: KubernetesBench) -> None:
    session = memory.ledger().open("iad", "me")
    memory.ledger().open("iad", "another")
    session.close()
    assert spec(memory)["holderIdentity"] == "another"


@pytest.mark.parametrize("status", [403, 410, 413, 422])
def test_a_write_that_is_refused_ends_the_run_and_frees_its_lease(memory: KubernetesBench, status: int) -> None:
    session = memory.ledger().open("iad", "me")
    session._api = Refusing(memory.api, HEAD, Refused("no", status))
    with pytest.raises(Lost, match="cannot be written"):
        session.record(events.own_event("iad/view/x", OWNED))
    session.close()
    assert "holderIdentity" not in spec(memory)


def test_a_fault_of_ours_at_the_end_frees_the_lease_too(
    memory: KubernetesBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = memory.ledger().open("iad", "me")
    session.record(events.own_event("iad/tenant/a", OWNED))
    monkeypatch.setattr(session, "_fold", lambda: [][0])
    with pytest.raises(IndexError):
        session.close()
    assert "holderIdentity" not in spec(memory)


@pytest.mark.parametrize("there", [True, False])
def test_a_lease_that_was_taken_without_an_answer_and_cannot_be_read_is_released(
    memory: KubernetesBench, there: bool
) -> None:
    if there:
        memory.ledger().open("iad", "first").close()

    class Silent(Failing):
        away = 1

        def before(self, method: str, path: str) -> None:
            if method == "GET" and path == LEASE and not self.left and self.away:
                self.away -= 1
                raise Unreachable("away")

    with pytest.raises(Unreachable):
        taken(memory, Silent(memory.api, "done", 1 if there else 2))
    assert "holderIdentity" not in spec(memory)


def test_renewals_are_twelve_seconds_apart_and_three_after_one_that_failed() -> None:
    pauses: list[float] = []
    answers = iter([True, False, False, True])

    class Stopped:
        def wait(self, pause: float) -> bool:
            pauses.append(pause)
            return len(pauses) == 5

    class Renewed:
        def renew(self) -> bool:
            return next(answers)

    renewal = Renewal.__new__(Renewal)
    renewal._lease, renewal._stopped = Renewed(), Stopped()  # type: ignore[assignment]
    renewal._run()
    assert pauses == [12.0, 12.0, 3.0, 3.0, 12.0]


def test_a_renewal_is_a_thread_that_ends_with_the_process() -> None:
    renewal = Renewal(None)  # type: ignore[arg-type]
    assert renewal._thread.daemon and renewal._thread.name == "vastplan-lease" and renewal._thread.is_alive()
    renewal.stop()
    assert not renewal._thread.is_alive()


# The ledger


class Connected:
    """Ways to an API server that are opened and closed."""

    def __init__(self, api: Api) -> None:
        self.api, self.open, self.made = api, 0, 0

    @contextmanager
    def __call__(self) -> Iterator[Api]:
        self.open, self.made = self.open + 1, self.made + 1
        yield self.api
        self.open -= 1


def test_a_ledger_connects_when_it_is_used_and_closes_what_it_opened(memory: KubernetesBench) -> None:
    connected = Connected(memory.api)
    with KubernetesLedger(connected, "here", NAMESPACE, "doc", clock=memory.time.clock, renewing=False) as ledger:
        assert ledger.describe() == "kubernetes:ledgers at here" and connected.made == 0
        ledger.read("iad")
        ledger.read("pdx")
        assert (connected.open, connected.made) == (1, 1)
    assert connected.open == 0
    ledger.read("iad")
    assert connected.made == 2


@pytest.mark.parametrize("renewing", [None, True, False])
def test_a_lease_is_renewed_until_the_session_ends(
    memory: KubernetesBench, renewing: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    class Told:
        def __init__(self, renewed: lease.Lease) -> None:
            told.append("begun")

        def stop(self) -> None:
            told.append("stopped")

    monkeypatch.setattr(ledgers, "Renewal", Told)
    more: dict[str, Any] = {} if renewing is None else {"renewing": renewing}
    ledger = KubernetesLedger(Connected(memory.api), "here", NAMESPACE, "doc", clock=memory.time.clock, **more)
    session = ledger.open("iad", "me")
    wanted = [] if renewing is False else ["begun"]
    assert told == wanted
    session.close()
    assert told == wanted + ["stopped"] * len(wanted)
    told.clear()
    memory.api.call("PUT", HEAD, body=PLACE.secret(PLACE.base, "head", b"{"))
    with pytest.raises(VastplanError, match="is not a manifest"):
        ledger.open("iad", "me")
    assert told == wanted + ["stopped"] * len(wanted)
    assert "holderIdentity" not in spec(memory)


def test_a_fault_of_ours_at_the_end_does_not_leave_the_lease_renewed(
    memory: KubernetesBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = set(threading.enumerate())
    ledger = KubernetesLedger(Connected(memory.api), "here", NAMESPACE, "doc", clock=memory.time.clock)
    session = ledger.open("iad", "me")
    session.record(events.own_event("iad/tenant/a", OWNED))
    monkeypatch.setattr(session, "_fold", lambda: [][0])
    with pytest.raises(IndexError):
        session.close()
    assert set(threading.enumerate()) == before


def test_every_holder_has_a_number_above_all_before_it(memory: KubernetesBench) -> None:
    """And every change a number of its own: nobody takes an old head for a new one."""
    seen = []
    for number in range(3):
        session = memory.ledger().open("iad", "me")
        found = manifests.read_manifest(memory.api, PLACE)
        assert found is not None
        assert (session._manifest, session._version) == found
        seen.append((found[0].fence, found[0].turn))
        assert len(found[0].owner) == 16
        session.record(events.own_event(f"iad/view/{number}", OWNED))
        found = manifests.read_manifest(memory.api, PLACE)
        assert found is not None and found[0].turn == seen[-1][1] + 1
        memory.time.passed += 60  # it never lets go
    assert seen == [(1, 0), (2, 2), (3, 4)]
    owners = {
        name.split("-")[-2] for name in (row["metadata"]["name"] for row in memory.secrets()) if name != PLACE.base
    }
    assert owners == {"1"}  # what was there stays as it was written


def test_a_claim_keeps_what_is_there_until_it_is_folded(
    memory: KubernetesBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "TAIL", 300)
    first = memory.ledger().open("iad", "me")
    for number in range(5):
        first.record(events.own_event(f"iad/view/{number}", OWNED))
    before = manifests.read_manifest(memory.api, PLACE)
    assert before is not None and before[0].journal and before[0].tail
    memory.time.passed += 60
    following = memory.ledger().open("iad", "me")
    after = manifests.read_manifest(memory.api, PLACE)
    assert after is not None
    assert (after[0].part, after[0].journal, after[0].tail) == (before[0].part, before[0].journal, before[0].tail)
    assert after[0].owner != before[0].owner
    following.close()
    found = manifests.read_manifest(memory.api, PLACE)
    assert found is not None and not found[0].journal and not found[0].tail
    assert (found[0].fence, found[0].owner, found[0].turn) == (after[0].fence, after[0].owner, after[0].turn + 1)
    assert {row["metadata"]["name"] for row in memory.secrets()} == {PLACE.base, *found[0].used()}


def test_what_a_ledger_that_is_gone_left_behind_goes(memory: KubernetesBench) -> None:
    memory.ledger().open("iad", "me").close()
    memory.destroy()
    pieces = Chunks(memory.api, PLACE)
    left = [pieces.put(b"left", fence)[0] for fence in (1, 7, 10**18)]
    memory.ledger().open("iad", "me").close()
    names = {row["metadata"]["name"] for row in memory.secrets()}
    assert not names & set(left) and len(names) == 2


def test_a_head_that_keeps_changing_is_left_alone(memory: KubernetesBench) -> None:
    memory.ledger().open("iad", "me").close()
    api = Refusing(memory.api, HEAD, Conflict("moved", 409))
    with pytest.raises(Locked) as caught:
        memory.ledger(api=api).open("iad", "another")
    assert str(caught.value) == "the ledger of iad keeps changing; try again"
    assert api.said.count(("PUT", HEAD)) == 5
    assert "holderIdentity" not in spec(memory)


def test_a_namespace_that_is_there_by_now_is_fine(memory: KubernetesBench) -> None:
    memory.ledger()._make_namespace()
    memory.ledger()._make_namespace()
    with pytest.raises(VastplanError) as caught:
        memory.ledger(
            api=Refusing(memory.api, f"/api/v1/namespaces/{NAMESPACE}", NotAuthorised("403 no", 403))
        )._make_namespace()
    assert str(caught.value) == (
        "namespace ledgers, where the ledger is kept, does not exist at here, and these credentials may not create it (403 no); "
        "type: kubectl create namespace ledgers"
    )


# A session


def test_an_update_without_an_answer_is_looked_after_and_sent_again(memory: KubernetesBench) -> None:
    session = memory.ledger().open("iad", "me")
    slept: list[float] = []

    class Deaf(Wrapped):
        left = 2

        def before(self, method: str, path: str) -> None:
            if method == "PUT" and self.left:
                self.left -= 1
                raise Unclear("no answer")

    api = session._api = Deaf(memory.api)
    session._clock = LedgerClock(memory.time.wall, lambda: memory.time.passed, slept.append)
    session.record(events.own_event("iad/view/x", OWNED))
    assert api.said == [("PUT", HEAD), ("GET", HEAD)] * 2 + [("PUT", HEAD)]
    assert slept == [1.0, 1.0]


def test_a_server_that_is_away_is_asked_again_every_second(memory: KubernetesBench) -> None:
    session = memory.ledger().open("iad", "me")
    slept: list[float] = []

    class Away(Wrapped):
        left = 2

        def before(self, method: str, path: str) -> None:
            if self.left:
                self.left -= 1
                raise Unreachable("away")

    session._api = Away(memory.api)
    session._clock = LedgerClock(memory.time.wall, lambda: memory.time.passed, slept.append)
    session.record(events.own_event("iad/view/x", OWNED))
    assert slept == [1.0, 1.0] and set(memory.ledger().read("iad").entries) == {"iad/view/x"}


def test_why_a_session_is_lost_is_said_to_the_letter(memory: KubernetesBench) -> None:
    session = memory.ledger(time=Time()).open("iad", "me")
    memory.time.passed += 60
    memory.ledger().open("iad", "another")
    says = "the ledger of iad is lost: somebody else has it; vastplan starts nothing more"
    acts: list[Callable[[], None]] = [lambda: session.record(events.drop_event("x")), session.holds]
    for act in [*acts, acts[0]]:
        with pytest.raises(Lost) as caught:
            act()
        assert str(caught.value) == says
    memory.time.passed += 60
    session = memory.ledger().open("iad", "me")
    memory.api.call("DELETE", HEAD)
    with pytest.raises(Lost) as caught:
        session.record(events.drop_event("x"))
    assert str(caught.value) == "the ledger of iad is lost: somebody removed it; vastplan starts nothing more"
    memory.time.passed += 60
    session = memory.ledger().open("iad", "me")
    session._api = Refusing(memory.api, HEAD, NotAuthorised("403 no", 403))
    with pytest.raises(Lost) as caught:
        session.record(events.drop_event("x"))
    assert str(caught.value) == "the ledger of iad cannot be written: 403 no"


def test_a_fault_of_ours_in_a_write_is_not_taken_for_written(memory: KubernetesBench) -> None:
    session = memory.ledger().open("iad", "me")

    class Broken(Wrapped):
        def before(self, method: str, path: str) -> None:
            raise ZeroDivisionError

    session._api = Broken(memory.api)
    with pytest.raises(ZeroDivisionError):
        session.record(events.own_event("iad/view/x", OWNED))
    assert not session.part.entries
    with pytest.raises(Lost) as caught:
        session.holds()
    assert str(caught.value) == "the ledger is lost"


def test_an_untouched_session_writes_nothing_when_it_ends(memory: KubernetesBench) -> None:
    memory.ledger().open("iad", "me").close()
    session = memory.ledger().open("iad", "me")
    before = memory.secrets()
    api = session._api = Wrapped(memory.api)
    session._chunks._api = api
    session.close()
    assert memory.secrets() == before and api.said == []


def test_an_update_that_got_through_without_an_answer_is_not_sent_again(memory: KubernetesBench) -> None:
    session = memory.ledger().open("iad", "me")

    class Mute(Wrapped):
        def call(self, method: str, path: str, *, query: Any = None, body: Any = None) -> Any:
            answer = super().call(method, path, query=query, body=body)
            if method == "PUT":
                raise Unclear("no answer")
            return answer

    api = session._api = Mute(memory.api)
    session.record(events.own_event("iad/view/x", OWNED))
    assert api.said == [("PUT", HEAD), ("GET", HEAD)]
    found = manifests.read_manifest(memory.api, PLACE)
    assert found is not None and (session._manifest.turn, session._version) == (found[0].turn, found[1])


def test_what_another_thread_has_written_along_is_not_written_again(memory: KubernetesBench) -> None:
    session = memory.ledger().open("iad", "me")
    session._done = session._asked + 1  # as it is when the other is through before this one wakes
    api = session._api = Wrapped(memory.api)
    session.record(events.own_event("iad/view/x", OWNED))
    assert api.said == []


def test_what_is_recorded_while_the_journal_is_folded_waits_and_stays(
    memory: KubernetesBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "TAIL", 100)
    monkeypatch.setattr(sessions, "SEGMENTS", 0)
    session = memory.ledger().open("iad", "me")
    beside = threading.Thread(target=session.record, args=(events.own_event("iad/view/beside", OWNED),))

    class Folding(Wrapped):
        posts = 0

        def before(self, method: str, path: str) -> None:
            self.posts += method == "POST"
            if self.posts == 2 and beside.ident is None:  # the first is the journal's, the second the part's
                beside.start()
                beside.join(0.3)  # as long as it is folded it does not come back

    session._chunks._api = Folding(memory.api)
    session.record(events.own_event("iad/view/x", OWNED))
    beside.join(30)
    assert not beside.is_alive()
    assert set(memory.ledger().read("iad").entries) == {"iad/view/x", "iad/view/beside"}
    assert set(session.part.entries) == {"iad/view/x", "iad/view/beside"}


def test_how_much_a_head_holds(memory: KubernetesBench) -> None:
    """32 KiB of events, then 32 segments: both far below what an API server takes in one Secret."""
    session = memory.ledger().open("iad", "me")
    empty = len(b'[{"event": "drop", "address": ""}]')
    session.record(events.drop_event("x" * (32 * 1024 - empty)))
    assert len(session._manifest.tail) == 1 and not session._manifest.journal
    memory.time.passed += 60
    session = memory.ledger().open("iad", "me")
    session.close()
    session = memory.ledger().open("iad", "me")
    turn = session._manifest.turn
    for number in range(32):
        session.record(events.drop_event("x" * (32 * 1024 - empty) + "y"))
        assert session._manifest.turn == turn + number + 1
        assert not session._manifest.tail and len(session._manifest.journal) == number + 1
    session.record(events.drop_event("x" * (32 * 1024 - empty) + "y"))
    assert not session._manifest.journal and not session._manifest.tail


def test_memory_is_made_of_copies() -> None:
    api = Memory()
    row = {"metadata": {"name": "n"}, "labels": {}}
    answer = api.call("POST", "/api/v1/namespaces", body=row)
    answer["labels"]["x"] = row["labels"]["y"] = "z"
    assert api.call("GET", "/api/v1/namespaces/n")["labels"] == {}
