"""Applies on both ledgers: two at once, one that loses its hold, and a ledger that is gone."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run
from tests.force import by_force
from tests.lab import EVERYTHING, Lab
from tests.ledger.benches import Time
from vastplan.app.apply import apply_plan
from vastplan.app.applying.journal import LedgerJournal
from vastplan.engine.applying.apply import Progress, ProgressEvent
from vastplan.engine.live.consent import Consent
from vastplan.ledger.backend import LockedPart
from vastplan.ledger.file import FileLedger, FileSession
from vastplan.ledger.kubernetes_session import KubernetesSession
from vastplan.ledger.lease import Lease
from vastplan.model.errors import Locked, Lost, Stale
from vastplan.model.outcome import Receipt, State
from vastplan.model.plan import Verb
from vastplan.systems.vast.client import VastProvider

CHAIN: dict[str, Any] = {  # each waits for the one before it
    "tenants": {"a": {}},
    "view_policies": {"p": {"tenant": "a", "flavor": "NFS"}},
    "views": {"v": {"path": "/v", "tenant": "a", "view_policy": "p", "protocols": ["NFS"]}},
}
ADDRESSES = ["iad/tenant/a", "iad/view_policy/p", "iad/view/v"]
SECRETS = "/api/v1/namespaces/vastplan/secrets"


class Kept:
    """A laboratory and where its ledger is."""

    def __init__(self, lab: Lab, where: str, time: Time) -> None:
        self.lab, self.where, self.time = lab, where, time
        if where == "kubernetes":
            lab.ledger = {"kubernetes": {"namespace": "vastplan", "site": "iad"}}

    def read(self) -> Any:
        with self.lab.workspace().ledger() as backend:
            return backend.read("iad")

    def destroy(self) -> None:
        if self.where == "local":
            shutil.rmtree(self.lab.folder / ".vastplan" / "ledger")
            return
        for kind, path in (("secrets", SECRETS), ("leases", "/apis/coordination.k8s.io/v1/namespaces/vastplan/leases")):
            for row in self.lab.by_hand("iad", "kubernetes", "GET", path)["items"]:
                self.lab.by_hand("iad", "kubernetes", "DELETE", f"{path}/{row['metadata']['name']}")
            assert kind

    def writes(self) -> list[str]:
        """What was written to the systems; the ledger's own objects are not among it."""
        ours = ("/secrets", "/leases", "/namespaces")
        return [
            f"{one.method} {one.path}"
            for one in self.lab.calls()
            if "/token" not in one.path and not any(word in one.path for word in ours)
        ]


@pytest.fixture(params=["local", "kubernetes"])
def kept(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Kept]:
    time = Time()
    monkeypatch.setattr("vastplan.ledger.clock.SYSTEM", time.clock)

    class Renewed:
        """Renews a lease whenever somebody waits."""

        def __init__(self, lease: Lease) -> None:
            self._renew = lease.renew
            time.meanwhile.append(self._renew)

        def stop(self) -> None:
            if self._renew in time.meanwhile:
                time.meanwhile.remove(self._renew)

    monkeypatch.setattr("vastplan.ledger.kubernetes.Renewal", Renewed)
    with Lab(tmp_path, {"iad": ["vast", "kubernetes"]}) as lab:
        yield Kept(lab, request.param, time)


def carry(kept: Kept, progress: Progress) -> Receipt:
    return apply_plan(kept.lab.workspace(), kept.lab.plan(), progress, threading.Event())


def test_a_plan_neither_locks_nor_writes(kept: Kept) -> None:
    kept.lab.write(CHAIN)
    kept.lab.converge()
    with kept.lab.workspace().ledger(writable=True) as backend:
        session = backend.open("iad", "somebody")
        kept.lab.clear_calls()
        assert kept.lab.plan().actions == ()
        assert [one.path for one in kept.lab.calls() if "token" not in one.path] == []
        session.close()


@pytest.mark.slow
def test_a_lost_ledger_is_rebuilt_by_adopting(kept: Kept) -> None:
    kept.lab.write(CHAIN)
    kept.lab.converge()
    before = kept.read()
    kept.destroy()
    plan = kept.lab.plan(Consent())
    assert {one.address: one.verb for one in plan.actions} == {
        one.address: Verb.ADOPT for one in plan.actions
    } and sorted(str(one.address) for one in plan.actions) == sorted(ADDRESSES)
    assert all(one.blocked for one in plan.actions)
    kept.lab.clear_calls()
    plan = kept.lab.converge()
    assert {one.verb for one in plan.actions} == {Verb.ADOPT}
    assert kept.writes() == []
    after = kept.read()
    assert {address: one.id for address, one in after.entries.items()} == {
        address: one.id for address, one in before.entries.items()
    }
    assert after.lineage != before.lineage
    assert kept.lab.plan().actions == ()


def test_a_lost_ledger_deletes_nothing(kept: Kept) -> None:
    kept.lab.write(CHAIN)
    kept.lab.converge()
    kept.destroy()
    kept.lab.write({"tenants": CHAIN["tenants"]})
    plan = kept.lab.converge()
    assert [(str(one.address), one.verb) for one in plan.actions] == [("iad/tenant/a", Verb.ADOPT)]
    assert kept.lab.rows("iad", "view") and len(kept.lab.rows("iad", "view_policy")) >= 1


def test_of_two_appliers_one_wins_and_the_other_is_told_who(kept: Kept) -> None:
    kept.lab.write(CHAIN)
    late = kept.lab.plan()
    refused: list[str] = []

    def progress(event: ProgressEvent) -> None:
        if event.state is State.DONE and not refused:
            with pytest.raises(Locked) as caught:
                apply_plan(kept.lab.workspace(), late, lambda *_: None, threading.Event())
            refused.append(str(caught.value))

    receipt = carry(kept, progress)
    assert [one.state for one in receipt.outcomes] == [State.DONE] * 3
    assert "the ledger of iad is in use by " in refused[0] and "(pid " in refused[0] and " since 20" in refused[0]
    with pytest.raises(Stale, match="plan again"):
        apply_plan(kept.lab.workspace(), late, lambda *_: None, threading.Event())
    assert kept.lab.plan().actions == ()


@pytest.mark.slow
@pytest.mark.parametrize("when", by_force(["before its first write", "after a write", "after a note"], "after a write"))
def test_an_applier_that_loses_its_hold_changes_nothing_more(
    kept: Kept, when: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.lab.write(CHAIN)
    taken: list[LockedPart] = []
    lost: list[Any] = []

    def lose() -> None:
        """The lease runs out and somebody else takes it; a file can no longer be written."""
        if lost:
            return
        lost.append(True)
        kept.lab.clear_calls()
        if kept.where == "local":
            sessions[0]._journal_file.close()
            sessions[0]._journal_file = open(os.devnull, "rb", buffering=0)  # noqa: SIM115
        else:
            kept.time.meanwhile.clear()
            taken.append(stack.open("iad", "the next"))
        lost[0] = kept.read()

    opened = FileLedger.open

    def opening(ledger: FileLedger, site: str, holder: str) -> FileSession:
        sessions.append(opened(ledger, site, holder))
        return sessions[-1]

    sessions: list[FileSession] = []
    monkeypatch.setattr(FileLedger, "open", opening)

    def progress(event: ProgressEvent) -> None:
        noted, begins = event.state is State.DONE, event.step is not None
        if (noted and when == "after a note") or (begins and when == "before its first write"):
            lose()

    create = VastProvider.create

    def creating(one: VastProvider, *words: Any) -> Any:
        row = create(one, *words)
        if when == "after a write":
            lose()
        return row

    monkeypatch.setattr(VastProvider, "create", creating)
    with kept.lab.workspace().ledger(writable=True) as stack:
        receipt = carry(kept, progress)
        for session in taken:
            session.close()
    monkeypatch.undo()
    monkeypatch.setattr("vastplan.ledger.clock.SYSTEM", kept.time.clock)
    states = [one.state for one in receipt.outcomes]
    if kept.where == "kubernetes":
        first = {"after a note": [State.DONE, State.UNKNOWN, State.SKIPPED]}
        assert states == first.get(when, [State.UNKNOWN, State.SKIPPED, State.SKIPPED]), receipt
        assert kept.writes() == []
        assert kept.read() == lost[0]
    else:
        assert State.UNKNOWN in states and states[-1] is State.SKIPPED, receipt  # it learns of it when it notes
        assert len(kept.writes()) <= 1
    assert set(kept.read().entries) == ({"iad/tenant/a"} if when == "after a note" else set())
    kept.lab.converge()
    assert kept.lab.plan().actions == ()
    assert sorted(kept.read().entries) == sorted(ADDRESSES)
    for kind in ("view", "tenant"):
        names = [row.get("path") or row["name"] for row in kept.lab.rows("iad", kind)]
        assert len(names) == len(set(names)), names


class _Died(Exception):
    """The end of a run."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("now", "verb"),
    [({}, Verb.RELEASE), ({"static_limits": {"max_reads_bw_mbps": 200}}, Verb.UPDATE), ({"tenant": "b"}, Verb.REPLACE)],
)
def test_what_a_run_made_that_was_cut_off_is_ours_still_when_the_next_one_is_too(
    kept: Kept, now: dict[str, Any], verb: Verb, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = {"tenant": "a", "static_limits": {"max_reads_bw_mbps": 100}}
    kept.lab.write({"tenants": {"a": {}, "b": {}}})
    kept.lab.converge()
    kept.lab.write({"tenants": {"a": {}, "b": {}}, "qos_policies": {"p": policy}})

    def gone(*_: Any) -> None:
        raise Lost("gone")

    def dies(*_: Any, **__: Any) -> Receipt:
        raise _Died

    with monkeypatch.context() as first:
        first.setattr(LedgerJournal, "owns", gone)
        assert [one.state for one in carry(kept, lambda _: None).outcomes] == [State.UNKNOWN]
    (made,) = (row for row in kept.lab.rows("iad", "qos_policy") if row["name"] == "p")
    kept.lab.write({"tenants": {"a": {}, "b": {}}, "qos_policies": {"p": {**policy, **now}}})
    plan = kept.lab.plan()
    assert [(str(one.address), one.verb, one.id) for one in plan.actions] == [
        ("iad/qos_policy/p", verb, str(made["id"]))
    ]
    for _ in range(2):
        with monkeypatch.context() as next_one:
            next_one.setattr("vastplan.app.applying.carry_out.apply_actions", dies)
            with pytest.raises(_Died):
                carry(kept, lambda _: None)
        again = kept.lab.plan(replace(EVERYTHING, adopt=False))
        assert [(one.verb, one.id, one.blocked) for one in again.actions] == [(verb, str(made["id"]), ())]
    kept.lab.converge(replace(EVERYTHING, adopt=False))
    assert kept.lab.plan().actions == () and not kept.read().intents
    assert [
        row["static_limits"]["max_reads_bw_mbps"] for row in kept.lab.rows("iad", "qos_policy") if row["name"] == "p"
    ] == [{**policy, **now}["static_limits"]["max_reads_bw_mbps"]]


def test_commands_use_a_ledger_that_a_simulated_site_holds(tmp_path: Path, vastplan: Run) -> None:
    """No world is served meanwhile: each command opens it once, for the site and for the ledger."""
    file = tmp_path / "doc.yaml"
    file.write_text(
        "version: 1\nname: doc\nsites: {iad: {sim: {systems: [vast, kubernetes]}}}\n"
        "ledger: {kubernetes: {namespace: vastplan, site: iad}}\ntenants: {a: {}}\nsecrets: {}\n"
    )
    applied = vastplan("apply", file, "--auto-approve")
    assert applied.code == 0, applied
    assert not (tmp_path / ".vastplan" / "ledger").exists()
    again = vastplan("plan", file, "--detailed-exitcode")
    assert again.code == 0, again
    listed = vastplan("ledger", "list", file)
    assert listed.code == 0 and "iad/tenant/a" in listed.out, listed
    assert "iad: not locked" in vastplan("ledger", "unlock", file, "iad").out
    assert vastplan("ledger", "forget", file, "iad/tenant/a").code == 0
    assert "the ledger is empty" in vastplan("ledger", "list", file).out


def test_unlock_says_who_held_it(kept: Kept, vastplan: Run) -> None:
    kept.lab.write(CHAIN)
    with kept.lab.workspace().ledger(writable=True) as backend:
        session = backend.open("iad", "somebody")
        refused = vastplan("ledger", "unlock", kept.lab.folder / "lab.yaml", "iad")
        assert refused.code == 1 and "somebody since 20" in refused.err, refused
        session.close()
    assert "iad: not locked" in vastplan("ledger", "unlock", kept.lab.folder / "lab.yaml", "iad").out
    if kept.where == "kubernetes":
        with kept.lab.workspace().ledger(writable=True) as backend:
            died = backend.open("iad", "somebody")
            assert isinstance(died, KubernetesSession) and died._renewal
            died._renewal.stop()
        broken = vastplan("ledger", "unlock", kept.lab.folder / "lab.yaml", "iad")
        assert broken.code == 0 and "iad: broke the lock of somebody since 2026-01-01T00:00:03" in broken.out, broken
        assert "held by somebody since" in broken.err and "not renewed for 60 s; it is free now" in broken.err, broken


def test_the_ledgers_secrets_are_nobodys_objects(kept: Kept) -> None:
    """A document that manages Secrets in the very cluster sees them as not to be touched."""
    secret = {"namespace": "csi", "data": {"endpoint": "vms.example.com"}}
    kept.lab.write({**CHAIN, "namespaces": {"csi": {}}, "secrets": {"mgmt": secret}})
    kept.lab.converge()
    from vastplan.app.drift import drifted

    assert [one for one in drifted(kept.lab.planned(), kept.lab.workspace()).unmanaged if one.kind == "secret"] == []
