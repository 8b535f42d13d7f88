"""Access that narrows, over HTTP: classes, pools and rules that somebody uses whom no document names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import requests
import yaml

from tests.engine.test_isolation_rule import claim, denied, send
from tests.lab import EVERYTHING, Lab
from vastplan.engine.live.consent import Consent
from vastplan.model.outcome import State
from vastplan.model.plan import Plan, Verb

CLASS, POLICY, BINDING = (
    "iad/storage_class/gold",
    "iad/admission_policy/vastplan-gold",
    "iad/admission_binding/vastplan-gold",
)
INLINE = "iad/admission_policy/vastplan-inline-volumes"
ADOPT = Consent(adopt=True)
GOLD: dict[str, Any] = {
    "driver": "file", "storage_path": "/gold", "view_policy": {"existing": "p"}, "vip_pool_fqdn": "nfs.example.com",
    "secret": {"existing": "vast-csi/mgmt"},
}  # fmt: skip


def live_class(secret: str = "mgmt") -> dict[str, Any]:
    purposes = ("provisioner", "controller-publish", "node-publish", "controller-expand")
    named = {f"csi.storage.k8s.io/{one}-secret-{part}": value for one in purposes
             for part, value in (("name", secret), ("namespace", "vast-csi"))}  # fmt: skip
    parameters = {"root_export": "/gold", "view_policy": "p", "vip_pool_fqdn": "nfs.example.com", **named}
    return {"metadata": {"name": "gold"}, "provisioner": "csi.vastdata.com", "parameters": parameters}


def post(lab: Lab, path: str, body: dict[str, Any]) -> None:
    lab.by_hand("iad", "kubernetes", "POST", path, body)


def namespace(lab: Lab, *names: str) -> None:
    for name in names:
        post(lab, "/api/v1/namespaces", {"metadata": {"name": name}})


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """A cluster with a class of somebody else's, and three claims of a namespace that no document names."""
    with Lab(tmp_path, {"iad": ["kubernetes", "runai"]}) as one:
        namespace(one, "vast-csi", "nlp-apps", "other")
        for secret in ("mgmt", "old"):
            post(one, "/api/v1/namespaces/vast-csi/secrets", {"metadata": {"name": secret}})
        yield one


def used(lab: Lab, secret: str = "mgmt") -> None:
    post(lab, "/apis/storage.k8s.io/v1/storageclasses", live_class(secret))
    for number in range(3):
        assert claim(lab, "nlp-apps", f"c{number}", "gold").status_code == 201


def blocks(plan: Plan, *of: str) -> dict[str, list[tuple[str, str]]]:
    return {
        str(one.address): [(block.guard, block.message) for block in one.blocked]
        for one in plan.actions
        if one.blocked and (not of or str(one.address) in of)
    }


def test_what_closes_a_class_goes_no_further_than_the_class(lab: Lab) -> None:
    """The class is refused, as its secret differs: it stays open to those who use it."""
    used(lab, "old")
    lab.write({"storage_classes": {"gold": GOLD}})
    plan = lab.plan(replace(ADOPT, allow_narrow=("*",)))
    assert blocks(plan, CLASS)[CLASS][0][0] == "adopt"
    assert blocks(plan, POLICY) == {POLICY: [("waits", f"waits for {CLASS}, which is blocked")]}
    lab.apply(plan)
    assert claim(lab, "nlp-apps", "c4", "gold").status_code == 201


def test_a_class_is_not_closed_to_a_namespace_with_claims_unless_it_is_listed(lab: Lab) -> None:
    used(lab)
    lab.write({"storage_classes": {"gold": GOLD}})
    plan = lab.plan(ADOPT)
    text = "storage_class gold would close to 1 namespace in use: nlp-apps: 3 claims"
    assert blocks(plan, CLASS, POLICY) == {POLICY: [("narrows", text)]}
    lab.apply(plan)
    assert claim(lab, "nlp-apps", "c4", "gold").status_code == 201
    lab.write({"storage_classes": {"gold": {**GOLD, "open_to": ["nlp-apps"]}}})
    listed = lab.converge(Consent())
    assert (
        "open to nlp-apps"
        in next(one for one in lab.workspace().composed().entries if str(one.address) == CLASS).chosen
    )
    assert POLICY in {str(one.address) for one in listed.actions}
    assert lab.plan(Consent()).actions == ()
    assert claim(lab, "nlp-apps", "c5", "gold").status_code == 201
    assert "not open to namespace other" in denied(claim(lab, "other", "c1", "gold"))


def test_claims_that_came_since_make_what_closes_stale(lab: Lab) -> None:
    used(lab)
    lab.write({"storage_classes": {"gold": GOLD}})
    plan = lab.plan(replace(ADOPT, allow_narrow=(POLICY,)))
    assert blocks(plan) == {}
    figures = {
        one.name: one.value for action in plan.actions if str(action.address) == POLICY for one in action.evidence
    }
    assert figures == {"claims in nlp-apps": 3}
    assert claim(lab, "other", "c1", "gold").status_code == 201
    outcomes = {one.address: one for one in lab.apply(plan).outcomes}
    assert (outcomes[POLICY].state, outcomes[POLICY].message) == (
        State.STALE, "claims in other: 0 when the plan was made and 1 now; plan again",
    )  # fmt: skip
    assert outcomes[BINDING].state is State.SKIPPED and outcomes[CLASS].state is State.DONE


def test_a_write_of_the_class_that_fails_closes_nothing(lab: Lab) -> None:
    post(lab, "/apis/storage.k8s.io/v1/storageclasses", live_class())
    lab.write({"storage_classes": {"gold": {**GOLD, "labels": {"a": "b"}}}})
    plan = lab.plan(ADOPT)
    assert blocks(plan) == {}
    path = "/apis/storage.k8s.io/v1/storageclasses/gold"
    lab.by_hand(
        "iad",
        "kubernetes",
        "PATCH",
        path,
        {"metadata": {"labels": {"a": "c"}}},
        **{"Content-Type": "application/merge-patch+json"},
    )
    outcomes = {one.address: one.state for one in lab.apply(plan).outcomes}
    assert (outcomes[CLASS], outcomes[POLICY], outcomes[BINDING]) == (State.STALE, State.SKIPPED, State.SKIPPED)
    assert claim(lab, "other", "c1", "gold").status_code == 201


def test_a_class_that_is_made_is_closed_first(lab: Lab) -> None:
    lab.write({"storage_classes": {"gold": GOLD}})
    order = [str(one.address) for one in lab.plan().operations]
    assert order.index(POLICY) < order.index(BINDING) < order.index(CLASS)
    assert order.index(INLINE) < order.index(CLASS)
    lab.converge()
    lab.write({"storage_classes": {"gold": {**GOLD, "storage_path": "/else", "open_to": ["other"]}}})
    plan = lab.plan()
    verbs = {str(one.address): one.verb for one in plan.actions}
    assert verbs == {CLASS: Verb.REPLACE, POLICY: Verb.UPDATE}
    held = lab.plan(Consent())
    assert blocks(held, POLICY) == {POLICY: [("together", f"is applied together with {CLASS}, which is blocked")]}
    lab.converge()
    assert lab.plan(Consent()).actions == ()


def test_a_project_that_may_not_go_keeps_its_class(lab: Lab) -> None:
    projects: dict[str, Any] = {"p1": {"storage_classes": ["gold"]}, "p2": {"storage_classes": ["gold"]}}
    lab.write({"storage_classes": {"gold": GOLD}, "projects": projects})
    lab.converge()
    assert claim(lab, "runai-p2", "one", "gold").status_code == 201
    lab.write({"storage_classes": {"gold": GOLD}, "projects": {"p1": projects["p1"]}})
    plan = lab.plan(replace(EVERYTHING, allow_narrow=()))
    found = blocks(plan)
    assert found["iad/project/p2"][0][0] == "approval"
    assert found[POLICY] == [("narrows", "storage_class gold would close to 1 namespace in use: runai-p2: 1 claim")]
    lab.apply(lab.plan(EVERYTHING))
    assert claim(lab, "runai-p2", "two", "gold").status_code == 201
    lab.converge(lab.consent_to_loss("iad/project/p2"))
    denied(claim(lab, "runai-p2", "three", "gold"))


def inline(lab: Lab, setting: dict[str, Any] | None) -> None:
    on_site(lab, {"storage_classes": {"gold": GOLD}}, {} if setting is None else {"inline_volumes": setting})


def on_site(lab: Lab, sections: dict[str, Any], settings: dict[str, Any]) -> None:
    """Make this the document, with these settings of its site."""
    lab.write(sections)
    file = lab.folder / "lab.yaml"
    whole = yaml.safe_load(file.read_text())
    whole["sites"]["iad"] |= settings
    file.write_text(yaml.safe_dump(whole))


def pod(lab: Lab, name: str) -> requests.Response:
    volume = {"name": "data", "csi": {"driver": "csi.vastdata.com", "volumeAttributes": {"root_export": "/"}}}
    body = {"metadata": {"name": name}, "spec": {"containers": [{"name": "main", "image": "b"}], "volumes": [volume]}}
    return send(lab, "POST", "/api/v1/namespaces/nlp-apps/pods", body)


def test_pods_keep_volumes_of_their_own_until_somebody_says_otherwise(lab: Lab) -> None:
    assert pod(lab, "one").status_code == 201
    inline(lab, None)
    text = "block.csi.vastdata.com, csi.vastdata.com, nfs.csi.k8s.io, smb.csi.k8s.io would close to 1 namespace in use: nlp-apps: 1 pod (nlp-apps/one)"
    assert blocks(lab.plan(Consent()), INLINE) == {INLINE: [("narrows", text)]}
    inline(lab, {"allow": True, "reason": "the old trainer until March"})
    plan = lab.converge(Consent())
    assert INLINE not in {str(one.address) for one in plan.actions}
    assert [one.message for one in plan.findings if one.code == "CSI-10"] == [
        "pods of iad may mount VAST without this class or any other: the old trainer until March"
    ]
    assert pod(lab, "two").status_code == 201
    inline(lab, None)
    lab.converge()
    denied(pod(lab, "three"))


def test_pods_are_read_only_where_they_would_be_kept_out(lab: Lab) -> None:
    inline(lab, None)
    lab.converge(Consent())
    lab.clear_calls()
    assert lab.plan(Consent()).actions == ()
    assert not [call for call in lab.all_calls() if call.path.startswith("/api/v1/pods")]


def test_a_pool_that_volumes_of_the_driver_mount_through_stays(tmp_path: Path) -> None:
    with Lab(tmp_path, {"iad": ["vast", "kubernetes"]}) as lab:
        pool = {"tenant": "t", "subnet_cidr": 24, "ip_ranges": ["10.0.0.1 - 10.0.0.9"]}
        lab.write({"tenants": {"t": {}}, "vip_pools": {"v": pool}})
        lab.converge()
        made_by = {"pv.kubernetes.io/provisioned-by": "csi.vastdata.com"}
        source = {"driver": "csi.vastdata.com", "volumeHandle": "pvc-1", "volumeAttributes": {"vip_pool_name": "v"}}
        spec = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteMany"], "csi": source,
                "claimRef": {"namespace": "default", "name": "x"}}  # fmt: skip
        post(lab, "/api/v1/persistentvolumes", {"metadata": {"name": "pvc-1", "annotations": made_by}, "spec": spec})
        bound = {
            "accessModes": ["ReadWriteMany"],
            "storageClassName": "",
            "volumeName": "pvc-1",
            "resources": {"requests": {"storage": "1Gi"}},
        }
        post(lab, "/api/v1/namespaces/default/persistentvolumeclaims", {"metadata": {"name": "x"}, "spec": bound})
        for kind in ("persistent_volume_claim", "persistent_volume"):  # each read is a turn of the controllers
            lab.rows("iad", kind)
        assert [row["status"]["phase"] for row in lab.rows("iad", "persistent_volume")] == ["Bound"]
        lab.write({"tenants": {"t": {}}})
        address, without = "iad/vip_pool/v", "without it nothing mounts through its addresses"
        plan = lab.plan(Consent(allow_delete=("*",)))
        text = f"in use through it: 1 persistent_volume, 1 persistent_volume_claim; {without}"
        assert blocks(plan) == {address: [("narrows", text)]}
        assert {one.name for one in plan.actions[0].evidence} >= {"persistent_volumes in use through it"}
        lab.apply(plan)
        assert lab.live(address) is not None
        lab.converge(Consent(allow_delete=("*",), allow_narrow=(address,)))


def test_a_listed_namespace_gets_no_zero_quota_whatever_the_document_calls_it(lab: Lab) -> None:
    listed = {**GOLD, "open_to": ["nlp-apps", "shelf-p2", "ours"]}
    projects = {"p1": {}, "p2": {"namespace": "shelf-p2"}, "p3": {"storage_classes": ["gold"]}}
    lab.write({"storage_classes": {"gold": listed}, "projects": projects, "namespaces": {"ours": {}, "theirs": {}}})
    entries = {str(one.address): one for one in lab.workspace().composed().entries}
    rooms = entries[POLICY].values["namespaces"]
    assert [(str(one.target), one.managed) for one in rooms] == [
        ("iad/namespace/nlp-apps", False), ("iad/namespace/ours", True), ("iad/project/p2", True), ("iad/project/p3", True),
    ]  # fmt: skip
    file = lab.folder / "lab.yaml"
    whole = yaml.safe_load(file.read_text())
    whole["sites"]["iad"]["isolation"] = "resource_quota"
    file.write_text(yaml.safe_dump(whole))
    quotas = {one.address.name for one in lab.workspace().composed().entries if one.address.kind == "resource_quota"}
    assert quotas == {"vastplan-gold-p1", "vastplan-gold-theirs"}


def test_who_would_be_refused_is_seen_and_then_denied(lab: Lab) -> None:
    used(lab)
    assert pod(lab, "one").status_code == 201
    gold = {"storage_classes": {"gold": {**GOLD, "open_to": ["other"]}}}
    on_site(lab, gold, {"isolation": "audit"})
    plan = lab.plan(ADOPT)
    assert blocks(plan) == {} and not [one for action in plan.actions for one in (*action.opens, *action.evidence)]
    assert [(one.address, one.message) for one in plan.findings if one.code == "CSI-11"] == [
        (CLASS, "every namespace of iad may use this class: isolation audit reports, and does not enforce")
    ]
    taken = next(one for one in plan.actions if str(one.address) == CLASS)
    assert (taken.verb, taken.changes) == (Verb.ADOPT, ())
    composed = next(one for one in lab.workspace().composed().entries if str(one.address) == CLASS)
    assert "open to everybody; reported, not enforced: other" in composed.chosen
    lab.apply(plan)
    assert lab.plan(Consent()).actions == ()
    # nobody is refused; whoever would be is told, and only they
    told = claim(lab, "nlp-apps", "told", "gold")
    assert told.status_code == 201 and "not open to namespace nlp-apps" in told.headers["Warning"]
    listed = claim(lab, "other", "listed", "gold")
    assert listed.status_code == 201 and "Warning" not in listed.headers
    inline_told = pod(lab, "two")
    assert (
        inline_told.status_code == 201
        and "inline volumes of CSI drivers that reach VAST" in inline_told.headers["Warning"]
    )
    # to enforce it is a narrowing of whoever uses it, class and pods alike
    on_site(lab, gold, {"isolation": "admission_policy"})
    plan = lab.plan(Consent())
    binding_of_inline = INLINE.replace("policy", "binding")
    assert blocks(plan) == {
        BINDING: [("narrows", "storage_class gold would close to 1 namespace in use: nlp-apps: 4 claims")],
        binding_of_inline: [
            (
                "narrows",
                "block.csi.vastdata.com, csi.vastdata.com, nfs.csi.k8s.io, smb.csi.k8s.io would close to 1 namespace in use: nlp-apps: 2 pods"
                " (nlp-apps/one, nlp-apps/two)",
            ),
        ],
    }
    assert not [change for action in plan.actions for change in action.changes if change.admits]
    lab.converge(Consent(allow_narrow=(BINDING, binding_of_inline)))
    denied(claim(lab, "nlp-apps", "refused", "gold"))
    denied(pod(lab, "three"))
    # and back: that opens, and is told as that
    on_site(lab, gold, {"isolation": "audit"})
    back = {
        str(one.address): [(change.path, bool(change.admits)) for change in one.changes] for one in lab.plan().actions
    }
    assert back == {address: [("validation_actions", True)] for address in (BINDING, binding_of_inline)}
    lab.converge(Consent())
    assert claim(lab, "nlp-apps", "again", "gold").status_code == 201
    # the class and what is only seen of it may go, or the site's classes be closed in the other way
    on_site(lab, gold, {"isolation": "resource_quota"})
    assert not {block.guard for one in lab.plan().actions for block in one.blocked} & {"opens-access"}
