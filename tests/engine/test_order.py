"""The order of work: what is referred to comes first and goes last; a blocked delete holds back only its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engine.library import Bench, at, entry, ref
from tests.lab import Lab
from tests.restoring.scene import SECTIONS
from vastplan.engine.live.consent import Approval, Consent
from vastplan.model.errors import Refused
from vastplan.model.outcome import State
from vastplan.model.plan import Verb
from vastplan.schema.entries import Entry
from vastplan.schema.kind import Kind
from vastplan.sim.runai import RunaiPlane

DOCUMENT: dict[str, Any] = {
    "quotas": {"home": {"tenant": "team-a", "path": "/home", "hard_limit": "1 TiB", "create_dir": True}},
    "views": {"home": {"tenant": "team-a", "path": "/home", "view_policy": "team-a", "create_dir": True}},
    "view_policies": {"team-a": {"tenant": "team-a", "flavor": "NFS", "vip_pools": ["team-a"]}},
    "vip_pools": {"team-a": {"tenant": "team-a", "subnet_cidr": 24, "ip_ranges": ["10.9.1.10 - 10.9.1.17"]}},
    "tenants": {"team-a": {}, "team-b": {}},
}
CHAIN = ["tenants", "vippools", "viewpolicies", "views"]  # each refers to the one before it
BEARING = ("iad/quota/home", "iad/view/home", "iad/tenant/team-a", "iad/tenant/team-b")


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    with Lab(tmp_path, {"iad": ["vast"]}) as one:
        one.write(DOCUMENT)
        yield one


def _paths(lab: Lab, method: str) -> list[str]:
    return [call.path.split("/")[3] for call in lab.calls() if call.method == method and call.status < 400]


def _consent(*addresses: str) -> Consent:
    approvals = tuple(Approval(one, "in a test", "2999-01-01", 2**62) for one in addresses)
    return Consent(("*",), True, approvals, 10_000)


def test_what_is_referred_to_is_made_first(lab: Lab) -> None:
    lab.converge()
    posts = _paths(lab, "POST")
    assert sorted(posts) == sorted([*CHAIN, "tenants", "quotas"])
    assert [name for name in dict.fromkeys(posts) if name in CHAIN] == CHAIN
    assert posts.index("tenants") < posts.index("quotas")


def test_what_is_referred_to_goes_last(lab: Lab) -> None:
    lab.converge()
    lab.write({})
    lab.clear_calls()
    lab.converge(_consent(*BEARING))
    deletes = _paths(lab, "DELETE")
    assert [name for name in deletes if name in CHAIN[1:]] == CHAIN[:0:-1]
    last = len(deletes) - 1 - deletes[::-1].index("tenants")
    assert {"vippools", "viewpolicies", "views", "quotas"} <= set(deletes[:last])
    assert deletes.index("views") < deletes.index("quotas")  # which limits what is in the view until then


@pytest.mark.parametrize(("begins", "state"), [("before the plan", State.SKIPPED), ("after it", State.STALE)])
def test_what_work_uses_is_refused_before_anything_else_of_a_volume_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, begins: str, state: State
) -> None:
    """A workload that somebody approved to lose, or that nobody knew of: neither quota nor protected path goes then."""
    monkeypatch.setenv("CSI_PASSWORD", "of-the-csi-user")
    with Lab(tmp_path, {"iad": ["vast", "kubernetes", "runai"]}) as one:
        one.write(SECTIONS)
        one.converge()
        tenant = SECTIONS["tenants"]["team"]
        left = {name: volume for name, volume in tenant["volumes"].items() if name != "home"}
        one.write({**SECTIONS, "tenants": {"team": {**tenant, "volumes": left}}})
        plane = one.world.sites["iad"].planes["runai"]
        assert isinstance(plane, RunaiPlane)
        plan = one.plan(one.consent_to_loss(*(str(action.address) for action in one.plan().actions)))
        with one.world.lock:
            job = plane.submit("team", "train", gpus=1, claim_names=["home"])
        if begins == "before the plan":
            plan = one.plan(one.consent_to_loss(*(str(action.address) for action in plan.actions)))
        states = {str(each.address): each.state for each in one.apply(plan).outcomes}
        assert {"iad/data_source/home", "iad/quota/home", "iad/protected_path/home", "iad/view/home"} <= set(states)
        assert set(states.values()) == {state}
        with one.world.lock:
            plane.end(job)
        one.converge(one.consent_to_loss(*(str(action.address) for action in plan.actions)))
        assert one.plan().actions == ()


def test_a_blocked_delete_holds_back_what_waits_for_it_and_nothing_else(lab: Lab) -> None:
    lab.converge()
    lab.write({})
    lab.clear_calls()
    plan = lab.plan(_consent(*(one for one in BEARING if one != "iad/view/home")))
    assert {action.verb for action in plan.actions} == {Verb.DELETE}
    blocked = {str(action.address): action.blocked[0].guard for action in plan.actions if action.blocked}
    assert blocked == {
        "iad/view/home": "approval",
        "iad/quota/home": "waits",  # the data keeps its limit
        "iad/view_policy/team-a": "waits",
        "iad/vip_pool/team-a": "waits",
        "iad/tenant/team-a": "waits",
    }
    receipt = lab.apply(plan)
    done = {outcome.address for outcome in receipt.outcomes if outcome.state is State.DONE}
    assert done == {"iad/tenant/team-b"}
    assert {outcome.address for outcome in receipt.outcomes if outcome.state is State.SKIPPED} == blocked.keys()
    assert _paths(lab, "DELETE") == ["tenants"]
    lab.converge(_consent(*BEARING))
    assert lab.plan().actions == ()


def _replaced_with_something_new(bench: Bench) -> tuple[Entry, ...]:
    """A book that has to be made anew on a shelf that is yet to be made."""
    bench.done(entry("shelf", "old"), entry("book", "emma", shelf=ref("shelf", "old"), pages=1))
    return entry("shelf", "old"), entry("shelf", "new"), entry("book", "emma", shelf=ref("shelf", "new"), pages=2)


def test_what_is_replaced_stands_until_what_its_new_form_refers_to_is_made() -> None:
    bench = Bench()
    wanted = _replaced_with_something_new(bench)

    def refuse(verb: str, kind: Kind) -> None:
        if (verb, kind.name) == ("create", "shelf"):
            raise Refused("no shelf any more")

    bench.library.before = refuse
    receipt = bench.apply(bench.plan(*wanted))
    states = {outcome.address: outcome.state for outcome in receipt.outcomes}
    assert states == {"iad/shelf/new": State.FAILED, "iad/book/emma": State.SKIPPED}
    assert bench.library.named("book", "emma")["pages"] == 1 and "iad/book/emma" in bench.part.entries


def test_where_one_cannot_be_made_before_the_other_has_gone_it_goes_first() -> None:
    bench = Bench()
    bench.done(entry("shelf", "a"), *(entry("book", name, shelf=ref("shelf", "a"), pages=1) for name in ("b", "c")))
    # another shelf of the same name, which is free once that of before is gone, and its books with it
    wanted = (
        Entry(at("shelf", "z"), {"name": "a"}),
        *(entry("book", name, shelf=ref("shelf", "z"), pages=2) for name in ("b", "c")),
    )
    steps = [(str(operation.address), operation.step.value) for operation in bench.plan(*wanted).operations]
    assert steps == [
        ("iad/book/b", "delete"), ("iad/book/c", "delete"), ("iad/shelf/a", "delete"),
        ("iad/shelf/z", "write"), ("iad/book/b", "write"), ("iad/book/c", "write"),
    ]  # fmt: skip
