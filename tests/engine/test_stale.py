"""Between plan and apply anything may move: what moved is refused with both values, what waits for it is skipped."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab import Lab
from vastplan.app.apply import apply_plan
from vastplan.engine.applying.apply import ProgressEvent
from vastplan.model.outcome import Outcome, Receipt, StaleField, State
from vastplan.model.plan import Plan, Verb

TIB = 2**40
MERGE = {"Content-Type": "application/merge-patch+json"}
POLICY = {"tenant": "a", "flavor": "NFS"}
VIEW = {"tenant": "a", "view_policy": "p", "create_dir": True, "protocols": ["NFS"]}


def document(limit: str = "10 TiB", **more: Any) -> dict[str, Any]:
    """A tenant, what stands on it, and a tenant that has nothing to do with it."""
    return {
        "tenants": {"a": {}, "b": {"capacity_rules": {"hard_limit": limit}}},
        "view_policies": {"p": POLICY},
        "views": {"v": {**VIEW, "path": "/v"}},
        "quotas": {"q": {"tenant": "a", "path": "/v", "hard_limit": limit}},
        **more,
    }


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    with Lab(tmp_path, {"iad": ["vast", "kubernetes"]}) as one:
        yield one


def row(lab: Lab, kind: str, name: str) -> dict[str, Any]:
    (found,) = [one for one in lab.rows("iad", kind) if name in (one.get("name"), one.get("path"))]
    return found


def outcomes(receipt: Receipt) -> dict[str, Outcome]:
    return {one.address: one for one in receipt.outcomes}


def during(lab: Lab, plan: Plan, act: Callable[[], Any], *, after: str) -> Receipt:
    """Apply, and act when the action of that address is done."""

    def progress(event: ProgressEvent) -> None:
        if event.state is State.DONE and str(event.action.address) == after:
            act()

    return apply_plan(lab.workspace(), plan, progress, threading.Event())


def test_a_changed_field_is_refused_with_both_values_and_the_rest_goes_on(lab: Lab) -> None:
    lab.write(document())
    lab.converge()
    lab.write(document("20 TiB"))
    plan = lab.plan()
    quota = row(lab, "quota", "/v")["id"]
    lab.by_hand("iad", "vast", "PATCH", f"/api/v5/quotas/{quota}/", {"hard_limit": 15 * TIB})
    ended = outcomes(lab.apply(plan))
    assert ended["iad/quota/q"].state is State.STALE
    assert "hard_limit was 10 TiB and is 15 TiB now; plan again" in ended["iad/quota/q"].message
    assert ended["iad/quota/q"].moved == (StaleField("hard_limit", 10 * TIB, 15 * TIB, "bytes"),)
    assert ended["iad/tenant/b"].state is State.DONE
    assert row(lab, "quota", "/v")["hard_limit"] == 15 * TIB
    lab.converge()
    assert lab.plan().actions == ()


def test_a_field_that_the_plan_leaves_alone_is_compared_too(lab: Lab) -> None:
    lab.write(document())
    lab.converge()
    lab.write(document(view_policies={"p": {**POLICY, "nfs_no_squash": ["10.0.0.0/24"]}}))
    plan = lab.plan()
    policy = row(lab, "view_policy", "p")["id"]
    lab.by_hand("iad", "vast", "PATCH", f"/api/v5/viewpolicies/{policy}/", {"flavor": "MIXED_LAST_WINS"})
    (ended,) = lab.apply(plan).outcomes
    assert ended.state is State.STALE
    assert ended.moved == (StaleField("flavor", "NFS", "MIXED_LAST_WINS"),)


def test_what_waits_for_a_stale_action_is_skipped(lab: Lab) -> None:
    lab.write(document())
    lab.converge()
    changed = document(view_policies={"p": {**POLICY, "nfs_no_squash": ["10.0.0.0/24"]}})
    changed["views"]["w"] = {**VIEW, "path": "/w"}
    lab.write(changed)
    plan = lab.plan()
    policy = row(lab, "view_policy", "p")["id"]
    lab.by_hand("iad", "vast", "PATCH", f"/api/v5/viewpolicies/{policy}/", {"nfs_no_squash": ["10.9.0.0/24"]})
    lab.clear_calls()
    ended = outcomes(lab.apply(plan))
    assert {address: one.state for address, one in ended.items()} == {
        "iad/view_policy/p": State.STALE,
        "iad/view/w": State.SKIPPED,
    }
    assert "waits for iad/view_policy/p, which is stale" in ended["iad/view/w"].message
    assert not [call for call in lab.calls() if "token" not in call.path]


def test_it_is_gone(lab: Lab) -> None:
    lab.write(document())
    lab.converge()
    lab.write(document("20 TiB"))
    plan = lab.plan()
    lab.by_hand("iad", "vast", "DELETE", f"/api/v5/quotas/{row(lab, 'quota', '/v')['id']}/")
    assert outcomes(lab.apply(plan))["iad/quota/q"].state is State.STALE


def test_it_goes_while_the_run_is_on_its_way(lab: Lab) -> None:
    """What was there when the run began is read again just before it is written."""
    lab.write(document())
    lab.converge()
    changed = document(view_policies={"p": {**POLICY, "nfs_no_squash": ["10.0.0.0/24"]}})
    changed["views"]["v"] |= {"protocols": ["NFS", "NFS4"]}
    lab.write(changed)
    plan, view = lab.plan(), row(lab, "view", "/v")["id"]

    def gone() -> None:
        lab.by_hand("iad", "vast", "DELETE", f"/api/v5/views/{view}/")

    ended = outcomes(during(lab, plan, gone, after="iad/view_policy/p"))
    assert ended["iad/view_policy/p"].state is State.DONE
    assert ended["iad/view/v"].state is State.STALE
    assert ended["iad/view/v"].message == "it is gone since the plan was made; plan again"


def test_it_fills_while_the_run_is_on_its_way(lab: Lab) -> None:
    """A limit is not lowered below what somebody has written since the run began."""
    lab.write(document())
    lab.converge()
    changed = document()
    changed["tenants"]["a"] = {"max_views": 9}
    changed["quotas"]["q"] |= {"hard_limit": "1 GiB"}
    lab.write(changed)
    plan, tenant = lab.plan(), row(lab, "tenant", "a")["id"]

    def filled() -> None:
        plane: Any = lab.world.sites["iad"].servers["vast"].plane
        plane.usage("/v", tenant, 2 * TIB, 10)

    ended = outcomes(during(lab, plan, filled, after="iad/tenant/a"))
    assert ended["iad/tenant/a"].state is State.DONE
    assert ended["iad/quota/q"].state is State.STALE and "plan again" in ended["iad/quota/q"].message
    assert row(lab, "quota", "/v")["hard_limit"] == 10 * TIB


@pytest.mark.parametrize("when", ["before the run", "during the run"])
def test_what_has_appeared_is_neither_made_twice_nor_taken_over(lab: Lab, when: str) -> None:
    lab.write({"tenants": {"a": {}}, "view_policies": {"p": POLICY}})
    plan = lab.plan()
    lab.by_hand("iad", "vast", "POST", "/api/v5/tenants/", {"name": "z"})

    def appears() -> None:
        tenant = row(lab, "tenant", "a")["id"]
        body = {"name": "p", "flavor": "NFS", "tenant_id": tenant}
        lab.by_hand("iad", "vast", "POST", "/api/v5/viewpolicies/", body)

    if when == "before the run":
        lab.by_hand("iad", "vast", "POST", "/api/v5/tenants/", {"name": "a"})
        ended = outcomes(lab.apply(plan))
        assert ended["iad/tenant/a"].state is State.STALE
        assert "it did not exist when the plan was made and exists now (id " in ended["iad/tenant/a"].message
        assert ended["iad/view_policy/p"].state is State.SKIPPED
        return
    ended = outcomes(during(lab, plan, appears, after="iad/tenant/a"))
    assert ended["iad/view_policy/p"].state is State.STALE
    assert "exists now" in ended["iad/view_policy/p"].message
    assert [one.verb for one in lab.plan().actions] == [Verb.ADOPT]


def test_a_delete_of_what_moved_is_refused_with_both_values(lab: Lab) -> None:
    lab.write(document())
    lab.converge()
    less = document()
    del less["quotas"]
    lab.write(less)
    plan = lab.plan(lab.consent_to_loss("iad/quota/q"))
    quota = row(lab, "quota", "/v")["id"]
    lab.by_hand("iad", "vast", "PATCH", f"/api/v5/quotas/{quota}/", {"hard_limit": 15 * TIB})
    (ended,) = lab.apply(plan).outcomes
    assert (ended.state, ended.moved) == (State.STALE, (StaleField("hard_limit", 10 * TIB, 15 * TIB, "bytes"),))
    assert row(lab, "quota", "/v")["id"] == quota
    lab.converge(lab.consent_to_loss("iad/quota/q"))
    assert lab.plan().actions == ()


def test_a_delete_of_what_another_has_taken_the_place_of(lab: Lab, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("canary")
    spaces: dict[str, Any] = {"namespaces": {"n": {}}}
    lab.write({**spaces, "secrets": {"s": {"namespace": "n", "data": {"token": {"file": "token"}}}}})
    lab.converge()
    lab.write(spaces)
    plan = lab.plan()
    where = "/api/v1/namespaces/n/secrets"
    was = lab.by_hand("iad", "kubernetes", "GET", f"{where}/s")["metadata"]["uid"]
    lab.by_hand("iad", "kubernetes", "DELETE", f"{where}/s")
    body = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}}
    now = lab.by_hand("iad", "kubernetes", "POST", where, body)["metadata"]["uid"]
    (ended,) = lab.apply(plan).outcomes
    assert ended.state is State.STALE
    assert f"it was id {was} and is id {now} now" in ended.message


def test_a_replacement_of_what_moved_is_refused_before_anything_is_deleted(lab: Lab) -> None:
    def classes(path: str) -> dict[str, Any]:
        spec = {
            "driver": "file",
            "vip_pool_fqdn": "nfs.example.com",
            "storage_path": path,
            "view_policy": "p",
            "annotations": {"team": "a"},
        }
        secret = {"namespace": "n", "data": {"token": {"file": "lab.yaml"}}}
        return {
            "namespaces": {"n": {}},
            "secrets": {"s": secret},
            "storage_classes": {"c": {**spec, "secret": "s", "shared": True}},
        }

    lab.write(document(**classes("/one")))
    lab.converge()
    lab.write(document(**classes("/two")))
    plan = lab.plan()
    assert [one.verb for one in plan.actions if one.address.kind == "storage_class"] == [Verb.REPLACE]
    path = "/apis/storage.k8s.io/v1/storageclasses/c"
    lab.by_hand("iad", "kubernetes", "PATCH", path, {"metadata": {"annotations": {"team": "\x1b[2Jb"}}}, **MERGE)
    ended = outcomes(lab.apply(plan))["iad/storage_class/c"]
    assert ended.state is State.STALE
    assert "annotations.team was a and is \\x1b[2Jb now" in ended.message and "\x1b" not in ended.message
    assert lab.by_hand("iad", "kubernetes", "GET", path)["metadata"]["annotations"]["team"] == "\x1b[2Jb"


def test_what_would_let_go_of_something_replaced_is_looked_at_first(lab: Lab) -> None:
    def gold(name: str) -> dict[str, Any]:
        policy = {"tenant": "a", "name": name, "static_limits": {"max_reads_bw_mbps": 1000}}
        return document(
            qos_policies={"gold": policy}, views={"v": {**VIEW, "path": "/v", "qos_policy": "gold", "name": "one"}}
        )

    lab.write(gold("gold"))
    lab.converge()
    lab.write(gold("gold-2"))
    plan = lab.plan()
    view = row(lab, "view", "/v")["id"]
    lab.by_hand("iad", "vast", "PATCH", f"/api/v5/views/{view}/", {"name": "two"})
    lab.clear_calls()
    ended = outcomes(lab.apply(plan))
    assert ended["iad/view/v"].moved == (StaleField("name", "one", "two"),)
    assert {one.state for one in ended.values()} == {State.STALE, State.SKIPPED}
    assert not [call for call in lab.calls() if "token" not in call.path]


def test_a_reference_that_was_pointed_elsewhere(lab: Lab) -> None:
    more: dict[str, Any] = {"view_policies": {"p": POLICY, "other": POLICY}}
    lab.write(document(**more))
    lab.converge()
    lab.write(document(**more, views={"v": {**VIEW, "path": "/v", "name": "new"}}))
    plan = lab.plan()
    other, view = row(lab, "view_policy", "other")["id"], row(lab, "view", "/v")["id"]
    lab.by_hand("iad", "vast", "PATCH", f"/api/v5/views/{view}/", {"policy_id": other})
    ended = outcomes(lab.apply(plan))["iad/view/v"]
    assert "view_policy was p and is other now" in ended.message


def test_a_secret_that_moved_is_never_shown(lab: Lab, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("canary-one")

    def secret(label: str) -> dict[str, Any]:
        spec = {"namespace": "n", "data": {"token": {"file": "token"}}, "labels": {"team": label}}
        return {"namespaces": {"n": {}}, "secrets": {"s": spec}}

    lab.write(secret("a"))
    lab.converge()
    lab.write(secret("b"))
    plan = lab.plan()
    body = {"metadata": {"labels": {"team": "c"}}, "data": {"token": "Y2FuYXJ5LXR3bw=="}}
    lab.by_hand("iad", "kubernetes", "PATCH", "/api/v1/namespaces/n/secrets/s", body, **MERGE)
    (ended,) = lab.apply(plan).outcomes
    assert ended.moved == (StaleField("labels.team", "a", "c"),)
    assert "canary" not in repr(ended) and "Y2Fu" not in repr(ended)


@pytest.mark.parametrize(("grown", "state"), [(1, State.DONE), (2 * TIB, State.STALE)])
def test_a_byte_written_does_not_make_a_plan_stale(lab: Lab, grown: int, state: State) -> None:
    lab.write(document())
    lab.converge()
    write(lab, "/v", TIB)
    less = document()
    del less["views"], less["quotas"]
    lab.write(less)
    plan = lab.plan(lab.consent_to_loss("iad/view/v", "iad/quota/q"))
    assert not any(one.blocked for one in plan.actions)
    write(lab, "/v", TIB + grown)
    ended = outcomes(lab.apply(plan))
    assert ended["iad/view/v"].state is state and ended["iad/quota/q"].state in (state, State.SKIPPED)
    if state is State.STALE:
        assert "used was 1 TiB and is 3 TiB now" in ended["iad/view/v"].message


def write(lab: Lab, path: str, size: int) -> None:
    """Somebody writes data."""
    tenant = row(lab, "tenant", "a")["id"]
    plane: Any = lab.world.sites["iad"].planes["vast"]
    plane.usage(path, tenant, size, 1)


def test_a_delete_of_what_refers_to_something_that_is_no_longer_looked_at(tmp_path: Path) -> None:
    """A role is found by name for another rule while planning; apply, which only deletes, has no need of roles."""
    with Lab(tmp_path, {"iad": ["runai"]}) as lab:
        sections: dict[str, Any] = {
            "departments": {"d": {"gpus": {"default": 8}, "access": {"Department administrator": ["grp-a", "grp-b"]}}}
        }
        lab.write(sections)
        lab.converge()
        sections["departments"]["d"]["access"] = {"Department administrator": ["grp-a"]}
        lab.write(sections)
        assert [one.verb for one in lab.converge().actions] == [Verb.DELETE]
