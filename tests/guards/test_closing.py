"""What is closed to those who use it: classes to namespaces with claims, and pods to volumes of their own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.guards.stage import Case, kinds, planned
from vastplan.engine.access.closing import ClosedRooms, may_close
from vastplan.engine.access.enforcement import EnforcedByPlan, keeps_closed_now
from vastplan.engine.deciding.staleness import overtaken
from vastplan.engine.guards.evidence_reads import second_read
from vastplan.engine.live.observe import Live
from vastplan.engine.matching.referrers import Referrer, Referrers
from vastplan.kinds.kubernetes import _rules
from vastplan.kinds.kubernetes.admission_policy import without_inline_volumes
from vastplan.model.address import Address
from vastplan.model.plan import Action, Cause, FieldChange, Plan, Step, Verb

POLICY, BINDING, CLASS = "admission_policy/c", "admission_binding/c", "storage_class/c"
CLASS_ROW = {"metadata": {"name": "c", "uid": "c1"}, "provisioner": "csi.vastdata.com"}
NAMESPACES = [{"metadata": {"name": name, "uid": name}} for name in ("team-a", "nlp-apps", "batch")]
FIX = "--allow-narrow iad/admission_policy/c, or open_to: [NAMESPACE] on the storage class"


def claim(namespace: str, name: str, of: str = "c", *, annotated: str = "", **spec: Any) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": name, "namespace": namespace, "uid": f"{namespace}-{name}"}
    if annotated:
        metadata["annotations"] = {"volume.beta.kubernetes.io/storage-class": annotated}
    return {"metadata": metadata, "spec": {"storageClassName": of, **spec}, "status": {"phase": "Pending"}}


CLAIMS = [
    claim("nlp-apps", "x"),
    claim("nlp-apps", "y"),
    claim("batch", "x"),
    claim("team-a", "x"),
    claim("batch", "o", "other"),
]


def policy(*namespaces: str, open: bool = False, uid: str = "p1") -> dict[str, Any]:
    return {"metadata": {"name": "c", "uid": uid}, "spec": _rules.closed_class("c", namespaces, open)}


def binding(actions: tuple[str, ...] = ("Deny",)) -> dict[str, Any]:
    note = {"vastplan.io/storage-class": "c"}
    return {
        "metadata": {"name": "c", "uid": "b1", "annotations": note},
        "spec": {"policyName": "c", "validationActions": list(actions)},
    }


def wanted(*namespaces: str, open: bool = False) -> dict[str, Any]:
    """The class with all that closes it, as the document has it."""
    rooms = [{"$existing": f"iad/namespace/{name}"} for name in sorted(namespaces)]
    of = {"$ref": "iad/storage_class/c"}
    return {
        CLASS: {"name": "c"},
        POLICY: {"name": "c", "storage_class": of, "namespaces": rooms, "open": open, "rule": _rules.AS_WRITTEN},
        BINDING: {"name": "c", "policy": {"$ref": "iad/admission_policy/c"}, "storage_class": of,
                  "validation_actions": ["Deny"], "only": None},
    }  # fmt: skip


def case(*namespaces: str, open: bool = False, **more: Any) -> Case:
    """A class that is live and ours, with claims in three namespaces; `rows` and the rest are laid over it."""
    rows = {
        "storage_class": [CLASS_ROW],
        "namespace": NAMESPACES,
        "persistent_volume_claim": CLAIMS,
        **more.pop("rows", {}),
    }
    owned = {CLASS: "c1", **more.pop("owned", {})}
    return {"rows": rows, "owned": owned, "desired": wanted(*namespaces, open=open), **more}


HELD: Case = {"rows": {"admission_policy": [policy("team-a", "nlp-apps")], "admission_binding": [binding()]},
        "owned": {POLICY: "p1", BINDING: "b1"}}  # fmt: skip


def blocks(plan: Plan) -> dict[str, list[str]]:
    return {
        f"{one.address.kind}/{one.address.name}": [b.message for b in one.blocked]
        for one in plan.actions
        if one.blocked
    }


def action(plan: Plan, name: str) -> Action:
    return next(one for one in plan.actions if f"{one.address.kind}/{one.address.name}" == name)


def test_a_class_that_is_there_was_open_to_all_until_it_is_closed() -> None:
    plan, _ = planned(case("team-a"))
    text = "storage_class c would close to 2 namespaces in use: batch: 1 claim, nlp-apps: 2 claims"
    assert blocks(plan) == {POLICY: [text], BINDING: ["waits for iad/admission_policy/c, which is blocked"]}
    found = action(plan, POLICY)
    assert [(one.guard, one.fix) for one in found.blocked] == [("narrows", FIX)]
    assert {one.name: one.value for one in found.evidence} == {"claims in batch": 1, "claims in nlp-apps": 2}


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"consent": {"allow_narrow": ["iad/admission_policy/c"]}}, id="allowed"),
        pytest.param({"rows": {"persistent_volume_claim": [claim("batch", "o", "other")]}}, id="nobody-uses-it"),
        pytest.param({"absent": ["persistent_volume_claim"]}, id="no-such-system"),
    ],
)
def test_what_closes_nobody_out_unasked_goes_on(more: dict[str, Any]) -> None:
    assert blocks(planned(case("team-a", **more))[0]) == {}


def test_what_is_listed_or_open_closes_nobody_out() -> None:
    assert blocks(planned(case("team-a", "nlp-apps", "batch"))[0]) == {}
    assert blocks(planned(case(open=True))[0]) == {}


def test_a_class_that_is_yet_to_be_made_kept_nobody_out() -> None:
    plan, _ = planned(case("team-a", rows={"storage_class": []}, owned={CLASS: "gone"}))
    assert blocks(plan) == {}


def test_the_class_that_the_cluster_goes_by_counts() -> None:
    claims = [claim("batch", "x", "other", annotated="c"), claim("nlp-apps", "x", "c", annotated="other")]
    plan, _ = planned(case("team-a", rows={"persistent_volume_claim": claims}))
    assert blocks(plan)[POLICY] == ["storage_class c would close to 1 namespace in use: batch: 1 claim"]


def test_a_namespace_that_is_dropped_loses_it_and_one_that_never_had_it_does_not() -> None:
    plan, _ = planned(case("team-a", **HELD))
    assert blocks(plan) == {POLICY: ["storage_class c would close to 1 namespace in use: nlp-apps: 2 claims"]}
    assert blocks(planned(case("team-a", "nlp-apps", **HELD))[0]) == {}
    assert blocks(planned(case("team-a", "nlp-apps", "batch", **HELD))[0]) == {}


def test_an_open_class_that_is_closed_again() -> None:
    opened = {**HELD, "rows": {**HELD["rows"], "admission_policy": [policy(open=True)]}}
    plan, _ = planned(case("team-a", "batch", **opened))
    assert blocks(plan) == {POLICY: ["storage_class c would close to 1 namespace in use: nlp-apps: 2 claims"]}


def test_a_rule_that_somebody_changed_did_not_hold() -> None:
    row = policy("team-a", "nlp-apps")
    row["spec"]["failurePolicy"] = "Ignore"
    plan, _ = planned(case("team-a", "nlp-apps", **{**HELD, "rows": {**HELD["rows"], "admission_policy": [row]}}))
    assert blocks(plan) == {POLICY: ["storage_class c would close to 1 namespace in use: batch: 1 claim"]}


@pytest.mark.parametrize("rows", [[], [binding(("Audit",))]], ids=["gone", "weak"])
def test_a_policy_that_nothing_enforced_closed_nobody_out(rows: list[Any]) -> None:
    """The policy is as it should be: what closes is its binding."""
    plan, _ = planned(case("team-a", "nlp-apps", **{**HELD, "rows": {**HELD["rows"], "admission_binding": rows}}))
    text = "storage_class c would close to 1 namespace in use: batch: 1 claim"
    assert blocks(plan) == {BINDING: [text]}
    assert action(plan, BINDING).blocked[0].fix == FIX.replace("policy", "binding")
    # with a change of the policy beside it that is where it is judged, for both
    both, _ = planned(case("team-a", **{**HELD, "rows": {**HELD["rows"], "admission_binding": rows}}))
    assert blocks(both)[POLICY] == [
        "storage_class c would close to 2 namespaces in use: batch: 1 claim, nlp-apps: 2 claims"
    ]


def test_a_policy_that_is_taken_over_as_it_is_leaves_the_judging_to_its_binding() -> None:
    """A ledger was lost, and somebody deleted the binding."""
    rows = {**HELD["rows"], "admission_binding": []}
    plan, _ = planned(case("team-a", "nlp-apps", rows=rows, consent={"adopt": True}))
    assert (action(plan, POLICY).verb, action(plan, POLICY).changes) == (Verb.ADOPT, ())
    assert blocks(plan) == {BINDING: ["storage_class c would close to 1 namespace in use: batch: 1 claim"]}


def test_a_binding_of_a_strangers_does_not_count_as_closed() -> None:
    stranger = {"metadata": {"name": "s", "uid": "s1"}, "spec": {"policyName": "c", "validationActions": ["Deny"]}}
    rows: Case = {"rows": {**HELD["rows"], "admission_binding": [stranger]}, "owned": {POLICY: "p1"}}
    assert BINDING in blocks(planned(case("team-a", "nlp-apps", **rows))[0])


def test_a_note_on_a_binding_closes_nothing() -> None:
    row = binding()
    row["metadata"]["annotations"] = {"vastplan.io/storage-class": "old"}
    plan, _ = planned(case("team-a", "nlp-apps", **{**HELD, "rows": {**HELD["rows"], "admission_binding": [row]}}))
    assert blocks(plan) == {} and action(plan, BINDING).changes


def test_claims_that_could_not_be_read_may_be_there() -> None:
    plan, _ = planned(case("team-a", unread={"persistent_volume_claim": "timed out"}))
    assert blocks(plan)[POLICY] == [
        "storage_class c would close; cannot determine whether there are claims in use: timed out"
    ]
    assert [(one.name, one.value) for one in action(plan, POLICY).evidence] == [("claims", "unknown: timed out")]


def test_a_class_that_could_not_be_read_may_be_there() -> None:
    plan, _ = planned({**case("team-a", unread={"storage_class": "timed out"}), "desired": {POLICY: {
        **wanted("team-a")[POLICY], "storage_class": {"$existing": "iad/storage_class/c"}}}})  # fmt: skip
    assert plan.actions == () and plan.unknown


def test_a_claim_that_goes_with_it_is_not_counted_and_holds_it_back_when_it_stays() -> None:
    owned = {**HELD["owned"], "persistent_volume_claim/x": "nlp-apps-x"}
    claims = [claim("nlp-apps", "x")]
    given: Case = {"rows": {**HELD["rows"], "persistent_volume_claim": claims}, "owned": owned}
    held, _ = planned(case("team-a", **given))
    assert blocks(held)[POLICY] == ["is applied together with iad/persistent_volume_claim/x, which is blocked"]
    assert action(held, POLICY).blocked[0].guard == "together"
    approved = {"approvals": [{"of": "persistent_volume_claim/x"}]}
    assert blocks(planned(case("team-a", **given, consent=approved))[0]) == {}


def test_claims_that_came_since_make_it_stale() -> None:
    consent = {"allow_narrow": ["*"]}
    plan, before = planned(case("team-a", consent=consent))
    assert overtaken(plan, before) == {}
    _, after = planned(case("team-a", rows={"persistent_volume_claim": [*CLAIMS, claim("nlp-apps", "z")]}))
    assert {str(one): text for one, text in overtaken(plan, after).items()} == {
        "iad/admission_policy/c": "claims in nlp-apps: 2 when the plan was made and 3 now; plan again"
    }
    _, elsewhere = planned(case("team-a", rows={"persistent_volume_claim": [claim("vision", "z")]}))
    assert list(overtaken(plan, elsewhere).values()) == [
        "claims in vision: 0 when the plan was made and 1 now; plan again"
    ]


# Together
def test_a_class_that_is_refused_is_not_closed() -> None:
    plan, _ = planned(case("team-a", "nlp-apps", "batch", owned={CLASS: "another"}))
    assert action(plan, CLASS).blocked[0].guard == "adopt"
    assert blocks(plan)[POLICY] == [f"waits for iad/{CLASS}, which is blocked"]
    assert BINDING in blocks(plan)


def test_what_would_close_a_class_that_is_not_made_waits_with_it() -> None:
    given = case("team-a", rows={"storage_class": []}, owned={CLASS: "gone"})
    given["desired"][CLASS] = {"name": "c", "vip_pool": {"$existing": "iad/vip_pool/none"}}
    plan, _ = planned(given)
    assert action(plan, CLASS).blocked[0].guard == "missing"
    assert {name: action(plan, name).blocked[0].guard for name in (POLICY, BINDING)} == {
        POLICY: "together",
        BINDING: "waits",
    }


def test_what_is_there_is_written_before_what_closes_it() -> None:
    given = case("team-a", "nlp-apps", "batch", owned={CLASS: "another"}, consent={"adopt": True})
    order = [one.address.kind for one in planned(given)[0].operations]
    assert order == ["storage_class", "admission_policy", "admission_binding"]


PROJECT: Case = {"project/p": {"name": "p"}}


def _projects(*names: str) -> dict[str, Any]:
    rows = [
        {
            "id": name,
            "name": name,
            "status": {"namespace": f"runai-{name}", "quotaStatus": {"allocated": {}}, "nodePoolQuotaStatuses": []},
        }
        for name in names
    ]
    return {
        "project": rows,
        "admission_policy": [policy(*(f"runai-{name}" for name in names))],
        "admission_binding": [binding()],
    }


def _without_q(consent: dict[str, Any], **rows: Any) -> Plan:
    owned = {POLICY: "p1", BINDING: "b1", "project/p": "p", "project/q": "q"}
    given = case(rows={**_projects("p", "q"), "persistent_volume_claim": [], **rows}, owned=owned, consent=consent)
    given["desired"] |= PROJECT
    given["desired"][POLICY]["namespaces"] = [{"$ref": "iad/project/p"}]
    return planned(given)[0]


@pytest.mark.parametrize("shown", [[], [{"metadata": {"name": "runai-q", "uid": "nq"}}]], ids=["project", "namespace"])
def test_a_project_that_stays_keeps_its_class(shown: list[Any]) -> None:
    """Whether its namespace is known by the project or by itself."""
    plan = _without_q({}, namespace=shown)
    assert action(plan, "project/q").blocked[0].guard == "approval"
    assert blocks(plan)[POLICY] == ["waits for iad/project/q, which is blocked"]


def test_a_project_goes_before_its_class_is_closed_to_it() -> None:
    plan = _without_q({"approvals": [{"of": "project/q"}]})
    assert blocks(plan) == {}
    order = [(one.address.kind, one.step) for one in plan.operations]
    assert order.index(("project", Step.DELETE)) < order.index(("admission_policy", Step.WRITE))


# Pods
INLINE, IN_FORCE = "admission_policy/i", "admission_binding/i"


def pod(namespace: str, name: str, *drivers: str, phase: str = "Running") -> dict[str, Any]:
    volumes = [{"name": f"v{number}", "csi": {"driver": driver}} for number, driver in enumerate(drivers)]
    more = [{"name": "tmp", "emptyDir": {}}, {"name": "data", "persistentVolumeClaim": {"claimName": "x"}}]
    metadata = {"name": name, "namespace": namespace, "uid": f"{namespace}-{name}"}
    return {"metadata": metadata, "spec": {"volumes": [*volumes, *more]}, "status": {"phase": phase}}


PODS = [
    pod("nlp-apps", "a", "csi.vastdata.com"), pod("nlp-apps", "b", "block.csi.vastdata.com", "csi.vastdata.com"),
    pod("batch", "c", "secrets.example.com"), pod("batch", "d"), pod("batch", "e", "csi.vastdata.com", phase="Succeeded"),
]  # fmt: skip


DRIVERS = "block.csi.vastdata.com, csi.vastdata.com, nfs.csi.k8s.io, smb.csi.k8s.io"


def inline_spec() -> dict[str, Any]:
    """The policy on inline volumes, as it is live."""
    values = without_inline_volumes("i")
    return _rules.no_inline_volumes(values["drivers"], values["sources"])


def _inline(**more: Any) -> Plan:
    wanted = {
        INLINE: without_inline_volumes("i"),
        IN_FORCE: {
            "name": "i",
            "policy": {"$ref": "iad/admission_policy/i"},
            "validation_actions": ["Deny"],
            "only": None,
        },
    }
    return planned({"rows": {"pod": PODS, **more.pop("rows", {})}, "desired": wanted, **more})[0]


def test_pods_that_bring_volumes_of_their_own_are_not_kept_out_unasked() -> None:
    text = f"{DRIVERS} would close to 1 namespace in use: nlp-apps: 2 pods (nlp-apps/a, nlp-apps/b)"
    plan = _inline()
    assert blocks(plan)[INLINE] == [text]
    assert action(plan, INLINE).blocked[0].fix == (
        "--allow-narrow iad/admission_policy/i, or isolation: audit on the site, or inline_volumes: {allow: true, reason: ...} there"
    )
    assert {one.name: one.value for one in action(plan, INLINE).evidence} == {"pods in nlp-apps": 2}
    assert blocks(_inline(consent={"allow_narrow": ["*/i"]})) == {}
    assert blocks(_inline(rows={"pod": PODS[2:]})) == {}


def of_a_project(namespace: str, name: str, *sources: str, phase: str = "Running") -> dict[str, Any]:
    row = pod(namespace, name, phase=phase)
    row["spec"]["volumes"] += [{"name": f"x{number}", source: {}} for number, source in enumerate(sources)]
    return row


OF_RUNAI = {"id": "4", "name": "p", "status": {"namespace": "runai-p"}}


def test_pods_of_projects_that_mount_a_server_or_their_node_are_not_kept_out_unasked() -> None:
    """What the nodes' own pods mount elsewhere in the cluster is none of the policy's business."""
    pods = [of_a_project("runai-p", "a", "nfs", "hostPath"), of_a_project("runai-p", "b", "iscsi", phase="Failed"),
            of_a_project("kube-system", "c", "hostPath"), pod("runai-p", "d")]  # fmt: skip
    plan = _inline(rows={"pod": pods, "project": [OF_RUNAI]})
    types = "flexVolume, hostPath, iscsi, nfs"
    assert blocks(plan)[INLINE] == [f"{types} would close to 1 namespace in use: runai-p: 1 pod (runai-p/a)"]
    assert blocks(_inline(rows={"pod": pods})) == {}, "no projects"
    assert blocks(_inline(rows={"pod": pods}, absent=["project"])) == {}
    unread = blocks(_inline(rows={"pod": pods}, unread={"project": "down"}))[INLINE]
    assert unread == [f"{types} would close; cannot determine whether there are pods in use: down"]
    unread = blocks(_inline(rows={"project": [OF_RUNAI]}, unread={"pod": "down"}))[INLINE]
    assert unread == [f"{DRIVERS} would close; cannot determine whether there are pods in use: down"]
    both = of_a_project("runai-p", "e", "nfs")
    both["spec"]["volumes"].append({"name": "c", "csi": {"driver": "csi.vastdata.com"}})
    plan = _inline(rows={"pod": [*pods, both, PODS[0]], "project": [OF_RUNAI]})
    assert blocks(plan)[INLINE] == [
        f"{DRIVERS}, {types} would close to 2 namespaces in use: nlp-apps: 1 pod, runai-p: 2 pods (nlp-apps/a, runai-p/a, runai-p/e)"
    ]


def test_a_policy_of_before_is_extended_and_says_whom_that_closes_out() -> None:
    """vastplan wrote it without types of volumes once: it is as vastplan wrote it, and now closes more."""
    row = {
        "metadata": {"name": "i", "uid": "i1"},
        "spec": _rules.no_inline_volumes(["block.csi.vastdata.com", "csi.vastdata.com"]),
    }
    bound = {"metadata": {"name": "i", "uid": "i2"}, "spec": {"policyName": "i", "validationActions": ["Deny"]}}
    rows = {
        "admission_policy": [row],
        "admission_binding": [bound],
        "pod": [*PODS, of_a_project("runai-p", "a", "nfs")],
        "project": [OF_RUNAI],
    }
    plan = _inline(rows=rows, owned={INLINE: "i1", IN_FORCE: "i2"})
    (policy,) = [one for one in plan.actions if one.address.kind == "admission_policy"]
    assert {change.path for change in policy.changes} == {"drivers", "sources"}
    assert "runai-p: 1 pod" in blocks(plan)[INLINE][0]


def test_a_binding_that_went_keeps_them_out_anew() -> None:
    row = {
        "metadata": {"name": "i", "uid": "i1"},
        "spec": inline_spec(),
    }
    plan = _inline(rows={"admission_policy": [row]}, owned={INLINE: "i1"})
    assert list(blocks(plan)) == [IN_FORCE]


# What is looked at
def test_a_policy_is_not_held_by_a_binding_of_a_strangers() -> None:
    stranger = {"metadata": {"name": "s", "uid": "s1"}, "spec": {"policyName": "c", "validationActions": ["Deny"]}}
    rows = {**HELD["rows"], "admission_binding": [stranger]}
    plan, _ = planned(case("team-a", rows=rows, owned={POLICY: "p1"}))
    text = "storage_class c would close to 2 namespaces in use: batch: 1 claim, nlp-apps: 2 claims"
    assert blocks(plan)[POLICY] == [text]


def test_a_binding_of_a_policy_that_is_not_in_the_document() -> None:
    given = case("team-a", "nlp-apps", rows={"admission_policy": [policy("team-a")]})
    del given["desired"][POLICY]
    given["desired"][BINDING] = {**given["desired"][BINDING], "policy": {"$existing": "iad/admission_policy/c"}}
    text = "storage_class c would close to 2 namespaces in use: batch: 1 claim, nlp-apps: 2 claims"
    assert blocks(planned(given)[0]) == {BINDING: [text]}
    given["rows"]["admission_policy"] = []
    assert [one.guard for one in action(planned(given)[0], BINDING).blocked] == ["missing"]


def test_a_namespace_that_is_not_there_is_nobody() -> None:
    plan, _ = planned(case("team-a", "nlp-apps", "batch", "none"))
    assert [one.guard for one in action(plan, POLICY).blocked] == ["missing"]


def test_two_classes_are_closed_each_to_its_own() -> None:
    given = case("team-a")
    other = {"metadata": {"name": "other", "uid": "c2"}, "provisioner": "csi.vastdata.com"}
    given["rows"]["storage_class"] = [CLASS_ROW, other]
    of = {"$existing": "iad/storage_class/other"}
    given["desired"]["admission_policy/o"] = {**given["desired"][POLICY], "name": "o", "storage_class": of}
    found = blocks(planned(given)[0])
    assert found["admission_policy/o"] == ["storage_class other would close to 1 namespace in use: batch: 1 claim"]
    assert len(found[POLICY]) == 1


def test_who_uses_it_is_read_only_where_something_closes() -> None:
    systems = {"iad": {"kubernetes"}}
    plan, _ = planned(case("team-a"))
    assert second_read(kinds(), plan.by_address(), systems) == {("iad", "persistent_volume_claim")}
    assert second_read(kinds(), plan.by_address(), {}) == set()
    assert second_read(kinds(), _inline().by_address(), systems) == {("iad", "pod"), ("iad", "project")}
    quiet, _ = planned(case("team-a", "nlp-apps", **HELD))
    assert second_read(kinds(), quiet.by_address(), systems) == set()
    rows = {**HELD["rows"], "admission_binding": []}
    bound, _ = planned(case("team-a", "nlp-apps", rows=rows, owned={POLICY: "p1"}))
    both = {("iad", "persistent_volume_claim"), ("iad", "pod"), ("iad", "project")}
    assert second_read(kinds(), bound.by_address(), systems) == both


def test_what_went_since_lets_nobody_in_any_more() -> None:
    pool = {
        "rows": {"vip_pool": [{"id": 7, "name": "v"}]},
        "owned": {"vip_pool/v": 7},
        "consent": {"allow_delete": ["*"]},
    }
    plan, _ = planned(pool)
    _, after = planned({**pool, "rows": {}})
    assert overtaken(plan, after) == {}


def test_a_room_is_known_by_the_name_that_the_system_has_for_it() -> None:
    rows = {"project": _projects("p")["project"], "persistent_volume_claim": [claim("runai-p", "x"), claim("p", "x")]}
    given = case(rows=rows, owned={"project/p": "p"})
    given["desired"] |= PROJECT
    given["desired"][POLICY]["namespaces"] = [{"$ref": "iad/project/p"}]
    plan, _ = planned(given)
    assert blocks(plan)[POLICY] == ["storage_class c would close to 1 namespace in use: p: 1 claim"]


def test_a_claim_that_is_changed_stays() -> None:
    row = {**CLAIMS[0], "spec": {"storageClassName": "c", "accessModes": ["ReadWriteOnce"]}}
    rows = {**HELD["rows"], "persistent_volume_claim": [row]}
    given = case("team-a", rows=rows, owned={**HELD["owned"], "persistent_volume_claim/x": "nlp-apps-x"})
    given["desired"]["persistent_volume_claim/x"] = {
        "name": "x", "namespace": {"$existing": "iad/namespace/nlp-apps"}, "labels": {"a": "b"},
        "storage_class": {"$ref": f"iad/{CLASS}"}, "access_modes": ["ReadWriteOnce"],
    }  # fmt: skip
    plan, _ = planned(given)
    assert action(plan, "persistent_volume_claim/x").verb is Verb.UPDATE
    assert blocks(plan)[POLICY] == ["storage_class c would close to 1 namespace in use: nlp-apps: 1 claim"]


def test_who_uses_it_does_not_matter_where_no_room_is_taken_off() -> None:
    given = case("team-a", "nlp-apps", **HELD, unread={"persistent_volume_claim": "timed out"})
    given["desired"][POLICY]["labels"] = {"a": "b"}
    plan, _ = planned(given)
    assert action(plan, POLICY).changes and blocks(plan) == {}


# What is in force
def _held_by(*bindings: dict[str, Any]) -> Case:
    return {"rows": {**HELD["rows"], "admission_binding": list(bindings)}, "owned": HELD["owned"]}


def test_a_binding_of_ours_counts_beside_one_of_a_strangers() -> None:
    stranger = {"metadata": {"name": "a", "uid": "a1"}, "spec": {"policyName": "c", "validationActions": ["Audit"]}}
    plan, _ = planned(case("team-a", **_held_by(stranger, binding())))
    assert blocks(plan) == {POLICY: ["storage_class c would close to 1 namespace in use: nlp-apps: 2 claims"]}


def test_a_binding_that_is_changed_elsewhere_was_in_force() -> None:
    row = binding()
    row["metadata"]["annotations"] = {"vastplan.io/storage-class": "old"}
    plan, _ = planned(case("team-a", **_held_by(row)))
    assert action(plan, BINDING).changes
    assert blocks(plan)[POLICY] == ["storage_class c would close to 1 namespace in use: nlp-apps: 2 claims"]


def test_only_what_enforces_it_holds_it_and_only_by_that_field() -> None:
    plan, matches = planned(case("team-a", "nlp-apps", **HELD))
    (held,), (bound,) = (matches.observed.objects("iad", f"admission_{kind}") for kind in ("policy", "binding"))

    def in_force(live: Live, field: str, *planned: Action) -> bool:
        referrer = Referrer(live, live.kind.field(field), field, blocks_delete=False, shields=False)
        referrers = Referrers({("iad", "admission_policy", held.id): (referrer,)})
        actions = {**plan.by_address(), **{action.address: action for action in planned}}
        return ClosedRooms(matches, actions, referrers).in_force(held)

    assert in_force(bound, "policy")
    assert in_force(bound, "storage_class") is False
    assert in_force(replace(bound, values={**bound.values, "validation_actions": [*SEEN]}), "policy") is False
    assert in_force(replace(bound, kind=replace(bound.kind, enforces=None)), "policy") is False
    enforcing = FieldChange("validation_actions", ["Audit"], ["Deny"], Cause.DOCUMENT)
    begun = Action(Address("iad", "admission_binding", "c"), Verb.UPDATE, "", changes=(enforcing,))
    assert in_force(bound, "policy", begun) is False


@pytest.mark.parametrize(("path", "closes"), [("only.a", True), ("only", True), ("labels.only", False)])
def test_a_part_of_what_puts_it_in_force_counts_as_that(path: str, closes: bool) -> None:
    change = FieldChange(path, {"a": "b"}, None, Cause.SYSTEM)
    bound = Action(Address("iad", "admission_binding", "c"), Verb.UPDATE, "", changes=(change,))
    assert may_close(bound, kinds()["admission_binding"], {}) is closes
    seen = replace(bound, desired={"validation_actions": [*SEEN]})
    assert may_close(seen, kinds()["admission_binding"], {}) is False


@pytest.mark.parametrize("unread", [{}, {"storage_class": "timed out"}], ids=["not-there", "unread"])
def test_a_class_that_may_be_there_is_closed_by_the_binding(unread: dict[str, str]) -> None:
    given = case("team-a", rows={"storage_class": [], "admission_policy": [policy("team-a")]}, unread=unread)
    given.update(owned={}, desired={BINDING: {
        "name": "c", "policy": {"$existing": f"iad/{POLICY}"}, "validation_actions": ["Deny"], "only": None,
    }})  # fmt: skip
    text = "storage_class c would close to 2 namespaces in use: batch: 1 claim, nlp-apps: 2 claims"
    assert blocks(planned(given)[0]) == ({BINDING: [text]} if unread else {})


# Seen, and not enforced
SEEN = ("Audit", "Warn")


def audited(given: Case) -> Case:
    given["desired"][BINDING]["validation_actions"] = [*SEEN]
    return given


def doors(plan: Plan, name: str) -> list[str]:
    return [one.door.value for one in action(plan, name).opens]


def test_what_is_only_seen_closes_nobody_out() -> None:
    plan, _ = planned(audited(case("team-a")))
    assert blocks(plan) == {} and {POLICY, BINDING} <= {f"{a.address.kind}/{a.address.name}" for a in plan.actions}
    assert not action(plan, POLICY).evidence and not action(plan, BINDING).opens
    # as little when it loses a namespace later
    plan, _ = planned(audited(case("team-a", **_held_by(binding(SEEN)))))
    assert blocks(plan) == {} and [one.path for one in action(plan, POLICY).changes] == ["namespaces"]


def test_what_was_seen_closes_when_it_is_enforced() -> None:
    plan, _ = planned(case("team-a", "nlp-apps", **_held_by(binding(SEEN))))
    text = "storage_class c would close to 1 namespace in use: batch: 1 claim"
    assert blocks(plan) == {BINDING: [text]}
    assert action(plan, BINDING).blocked[0].fix == FIX.replace("policy", "binding")
    assert {one.name: one.value for one in action(plan, BINDING).evidence} == {"claims in batch": 1}
    assert not [change for change in action(plan, BINDING).changes if change.admits]
    consent = {"allow_narrow": ["iad/admission_binding/c"]}
    assert blocks(planned(case("team-a", "nlp-apps", **_held_by(binding(SEEN)), consent=consent))[0]) == {}
    # that a namespace goes with it was open to that until now too
    both, _ = planned(case("team-a", **_held_by(binding(SEEN))))
    assert blocks(both)[POLICY] == [
        "storage_class c would close to 2 namespaces in use: batch: 1 claim, nlp-apps: 2 claims"
    ]


def test_what_was_enforced_opens_when_it_is_only_seen() -> None:
    plan, _ = planned(audited(case("team-a", **HELD)))
    assert blocks(plan) == {}, "it loses a namespace, and refuses nobody any more"
    (change,) = action(plan, BINDING).changes
    assert (change.path, bool(change.admits)) == ("validation_actions", True)


def test_a_strangers_binding_may_enforce_it_all_the_same() -> None:
    stranger = {"metadata": {"name": "s", "uid": "s1"}, "spec": {"policyName": "c", "validationActions": ["Deny"]}}
    plan, _ = planned(audited(case("team-a", **_held_by(binding(SEEN), stranger))))
    assert POLICY in blocks(plan)
    assert POLICY not in blocks(planned(audited(case("team-a", **_held_by(binding(SEEN)))))[0])


@pytest.mark.parametrize(("actions", "opens"), [(SEEN, False), (("Deny",), True)], ids=["seen", "enforced"])
def test_what_is_only_seen_opens_nothing_when_it_goes(actions: tuple[str, ...], opens: bool) -> None:
    given = case("team-a", **_held_by(binding(actions)), consent={"allow_delete": ["*"]})
    given["desired"] = {CLASS: given["desired"][CLASS]}
    plan, _ = planned(given)
    assert {action(plan, name).verb for name in (POLICY, BINDING)} == {Verb.DELETE}
    guards = {block.guard for name in (POLICY, BINDING) for block in action(plan, name).blocked}
    assert ("opens-access" in guards) is opens
    assert [doors(plan, name) for name in (POLICY, BINDING)] == [["gone"] if opens else []] * 2


def test_what_a_binding_does_not_say_may_be_enforced() -> None:
    row = binding()
    del row["spec"]["validationActions"]
    given = case("team-a", **_held_by(row), consent={"allow_delete": ["*"]})
    given["desired"] = {CLASS: given["desired"][CLASS]}
    assert doors(planned(given)[0], BINDING) == ["gone"]


def test_what_has_no_rule_of_that_kind_keeps_closed_what_it_says() -> None:
    _, matches = planned(case("team-a"))
    (live,) = matches.observed.objects("iad", "storage_class")
    assert keeps_closed_now(live, Referrers({})) is True


@pytest.mark.parametrize(("actions", "closed"), [(("Deny",), True), (SEEN, False)], ids=["enforced", "seen"])
def test_what_is_let_go_of_stays_as_it_is(actions: tuple[str, ...], closed: bool) -> None:
    _, matches = planned(case("team-a", **_held_by(binding(actions))))
    (held,), (bound,) = (matches.observed.objects("iad", f"admission_{kind}") for kind in ("policy", "binding"))
    referrer = Referrer(bound, bound.kind.field("policy"), "policy", blocks_delete=False, shields=False)
    referrers = Referrers({("iad", "admission_policy", held.id): (referrer,)})
    released = Action(Address("iad", "admission_binding", "c"), Verb.RELEASE, "")
    by_plan = EnforcedByPlan(matches, {released.address: released}, referrers)
    assert by_plan.after(Address("iad", "admission_policy", "c"), held) is closed
