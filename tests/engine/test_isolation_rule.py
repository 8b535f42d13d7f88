"""The rule that closes a storage class, as vastplan writes it, against a cluster that enforces it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.force import by_force
from tests.lab import Lab
from vastplan.engine.live.consent import Consent
from vastplan.kinds.kubernetes.admission_binding import in_force
from vastplan.kinds.kubernetes.admission_policy import closing, without_inline_volumes
from vastplan.model.address import Address
from vastplan.model.plan import Step, Verb
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry

LEGACY = "volume.beta.kubernetes.io/storage-class"
MERGE = {"Content-Type": "application/merge-patch+json"}
POLICY = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/vastplan-gold"
CLASSES = {
    name: {"driver": "file", "storage_path": f"/{name}", "vip_pool_fqdn": "nfs.example.com"}
    for name in ("gold", "plain")
}


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    with Lab(tmp_path, {"iad": ["kubernetes"]}) as one:
        one.registry = one.registry.without_compositions(
            "storage_class"
        )  # the policies of these tests are written by hand
        yield one


def ref(kind: str, name: str) -> Ref:
    return Ref(Address("iad", kind, name))


def close(lab: Lab, *namespaces: str, open: bool = False) -> None:
    """The document: two classes, two namespaces, and the class `gold` for some of them."""
    lab.write({"storage_classes": CLASSES, "namespaces": {"team-a": {}, "team-b": {}}})
    allowed = [ref("namespace", name) for name in namespaces]
    policy, binding = Address("iad", "admission_policy", "gold"), Address("iad", "admission_binding", "gold")
    lab.extra = [
        Entry(policy, closing("vastplan-gold", ref("storage_class", "gold"), allowed, open=open)),
        Entry(binding, in_force("vastplan-gold", Ref(policy), ref("storage_class", "gold"))),
    ]
    lab.converge()


def send(lab: Lab, method: str, path: str, body: Any, **headers: str) -> requests.Response:
    server = lab.world.sites["iad"].servers["kubernetes"]
    headers = {**lab._authorisation("iad", "kubernetes"), **headers}
    return requests.request(
        method, server.url + path, json=body, headers=headers, verify=str(lab.world.folder / "ca.pem"), timeout=30
    )


def claim(
    lab: Lab, namespace: str, name: str, spec_class: str | None = None, legacy: str | None = None
) -> requests.Response:
    metadata = {"name": name, "annotations": {LEGACY: legacy} if legacy else {}}
    spec: dict[str, Any] = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}}
    if spec_class:
        spec["storageClassName"] = spec_class
    return send(
        lab, "POST", f"/api/v1/namespaces/{namespace}/persistentvolumeclaims", {"metadata": metadata, "spec": spec}
    )


def denied(response: requests.Response) -> str:
    body = response.json()
    assert (response.status_code, body.get("reason")) == (422, "Invalid"), body
    return str(body["message"])


def test_a_class_is_for_the_namespaces_that_are_listed(lab: Lab) -> None:
    close(lab, "team-a")
    assert claim(lab, "team-a", "one", "gold").status_code == 201
    message = denied(claim(lab, "team-b", "one", "gold"))
    assert "storage class gold is not open to namespace team-b" in message and "vastplan-gold" in message
    assert claim(lab, "team-b", "two", "plain").status_code == 201
    assert claim(lab, "team-b", "three").status_code == 201


def test_the_old_annotation_is_no_way_around(lab: Lab) -> None:
    close(lab, "team-a")
    denied(claim(lab, "team-b", "one", legacy="gold"))
    denied(claim(lab, "team-b", "two", "plain", legacy="gold"))
    denied(claim(lab, "team-b", "three", "gold", legacy="plain"))
    assert claim(lab, "team-a", "one", legacy="gold").status_code == 201
    assert claim(lab, "team-b", "four", legacy="plain").status_code == 201


def test_nobody_listed_is_nobody_and_open_is_everybody(lab: Lab) -> None:
    close(lab)
    denied(claim(lab, "team-a", "one", "gold"))
    close(lab, open=True)
    assert claim(lab, "team-a", "one", "gold").status_code == 201
    assert claim(lab, "team-b", "one", "gold").status_code == 201


def test_an_old_claim_lives_on_and_a_claim_does_not_get_the_class_later(lab: Lab) -> None:
    close(lab, "team-a", "team-b")
    assert claim(lab, "team-b", "old", "gold").status_code == 201
    assert claim(lab, "team-b", "bare").status_code == 201
    close(lab, "team-a")
    path = "/api/v1/namespaces/team-b/persistentvolumeclaims"
    assert send(lab, "PATCH", f"{path}/old", {"metadata": {"labels": {"a": "b"}}}, **MERGE).status_code == 200
    denied(send(lab, "PATCH", f"{path}/bare", {"spec": {"storageClassName": "gold"}}, **MERGE))
    denied(send(lab, "PATCH", f"{path}/bare", {"metadata": {"annotations": {LEGACY: "gold"}}}, **MERGE))
    denied(send(lab, "PATCH", f"{path}/bare/status", {"metadata": {"annotations": {LEGACY: "gold"}}}, **MERGE))
    assert send(lab, "DELETE", f"{path}/old", None).status_code == 200


def by_hand(part: str) -> dict[str, Any]:
    """A change that opens the class, one for each part of a policy."""
    match = {
        "resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}]
    }
    excluded = {"excludeResourceRules": match["resourceRules"]}
    wide = [
        {"name": "storageClass", "expression": '"gold"'},
        {"name": "namespaces", "expression": '["team-a", "team-b"]'},
        {"name": "open", "expression": "false"},
    ]
    changes: dict[str, dict[str, Any]] = {
        "failurePolicy": {"failurePolicy": "Ignore"},
        "matchConditions": {"matchConditions": [{"name": "never", "expression": "false"}]},
        "validations": {"validations": [{"expression": "true"}]},
        "resourceRules": {"matchConstraints": match},
        "excludeResourceRules": {"matchConstraints": excluded},
        "namespaceSelector": {"matchConstraints": {"namespaceSelector": {"matchLabels": {"a": "b"}}}},
        "objectSelector": {"matchConstraints": {"objectSelector": {"matchLabels": {"a": "b"}}}},
        "matchPolicy": {"matchConstraints": {"matchPolicy": "Exact"}},
        "auditAnnotations": {"auditAnnotations": [{"key": "a", "valueExpression": "'b'"}]},
        "namespaces": {"variables": wide},
        "open": {"variables": [wide[0], {**wide[1], "expression": "[]"}, {**wide[2], "expression": "true"}]},
        "not JSON": {"variables": [*wide[:2], {"name": "open", "expression": "1 == 1"}]},
        "one more": {"variables": [*wide, {"name": "more", "expression": "true"}]},
        "storageClass": {"variables": [{"name": "storageClass", "expression": '"plain"'}, *wide[1:]]},
    }  # fmt: skip
    return changes[part]


@pytest.mark.parametrize(
    "part",
    by_force(
        ["failurePolicy", "matchConditions", "validations", "resourceRules", "excludeResourceRules", "namespaceSelector",
         "objectSelector", "matchPolicy", "auditAnnotations", "namespaces", "open", "not JSON", "one more", "storageClass"],
        "validations", "namespaces", "open",
    ),
)  # fmt: skip
def test_every_part_is_watched_and_put_back(lab: Lab, part: str) -> None:
    close(lab, "team-a")
    before = send(lab, "GET", POLICY, None).json()["spec"]
    lab.by_hand("iad", "kubernetes", "PATCH", POLICY, {"spec": by_hand(part)}, **MERGE)
    action = next(one for one in lab.plan().actions if one.address.kind == "admission_policy")
    assert action.verb is Verb.UPDATE and "outside vastplan" in action.reason, action
    lab.converge()
    assert send(lab, "GET", POLICY, None).json()["spec"] == before
    assert lab.plan().actions == ()
    denied(claim(lab, "team-b", "one", "gold"))


def test_a_class_and_its_policy_go_in_the_order_that_never_opens_it(lab: Lab) -> None:
    close(lab, "team-a")
    kept = list(lab.extra)
    lab.extra = []
    blocked = {one.address.kind: one.blocked for one in lab.plan().actions}
    assert {block.guard for kind in ("admission_policy", "admission_binding") for block in blocked[kind]} >= {
        "opens-access"
    }
    lab.extra = kept
    lab.write({"storage_classes": {"plain": CLASSES["plain"]}, "namespaces": {"team-a": {}, "team-b": {}}})
    lab.extra = []
    plan = lab.plan()
    order = [one.address.kind for one in plan.operations if one.step is Step.DELETE]
    assert order.index("storage_class") < order.index("admission_binding") < order.index("admission_policy"), order
    lab.converge()
    assert lab.plan().actions == ()


def pod(lab: Lab, name: str, driver: str) -> requests.Response:
    volume = {"name": "data", "csi": {"driver": driver, "volumeAttributes": {"root_export": "/"}}}
    spec = {"containers": [{"name": "main", "image": "busybox"}], "volumes": [{"name": "tmp", "emptyDir": {}}, volume]}
    return send(lab, "POST", "/api/v1/namespaces/default/pods", {"metadata": {"name": name}, "spec": spec})


SERVERS: dict[str, dict[str, Any]] = {
    "nfs": {"server": "10.20.1.10", "path": "/a"},
    "hostPath": {"path": "/var/lib/kubelet"},
    "iscsi": {"targetPortal": "10.20.1.10", "iqn": "iqn.2001-04.com.example:a", "lun": 0},
    "flexVolume": {"driver": "example.com/nfs"},
}
LAWFUL: dict[str, dict[str, Any]] = {
    "emptyDir": {}, "configMap": {"name": "c"}, "persistentVolumeClaim": {"claimName": "d"},
    "ephemeral": {"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}}}},
}  # fmt: skip


def with_source(name: str, source: str, body: dict[str, Any]) -> dict[str, Any]:
    """A pod with one volume of a type."""
    spec = {"containers": [{"name": "main", "image": "busybox"}], "volumes": [{"name": "data", source: body}]}
    return {"metadata": {"name": name.lower()}, "spec": spec}


def test_pods_of_projects_reach_no_server_and_no_node_without_a_claim(lab: Lab) -> None:
    """Elsewhere, where the cluster's own pods run, they may; with each type that is left out of the policy it is open again."""
    lab.write({"namespaces": {"team-a": {"labels": {"runai/queue": "a"}}, "other": {}}})
    policy, values = Address("iad", "admission_policy", "pods"), without_inline_volumes("vastplan-pods")
    in_force_ = Entry(Address("iad", "admission_binding", "pods"), in_force("vastplan-pods", Ref(policy)))

    def tried(namespace: str, run: str) -> dict[str, bool]:
        path = f"/api/v1/namespaces/{namespace}/pods"
        return {
            source: send(lab, "POST", path, with_source(f"{run}-{source}", source, body)).status_code == 201
            for source, body in (SERVERS | LAWFUL).items()
        }

    lab.extra = [Entry(policy, values), in_force_]
    lab.converge()
    assert tried("team-a", "closed") == dict.fromkeys(SERVERS, False) | dict.fromkeys(LAWFUL, True)
    assert tried("other", "closed") == dict.fromkeys(SERVERS | LAWFUL, True)
    message = denied(send(lab, "POST", "/api/v1/namespaces/team-a/pods", with_source("told", "nfs", SERVERS["nfs"])))
    assert "volumes of type flexVolume, hostPath, iscsi, nfs are not allowed in the namespace of a project" in message
    for left_out in SERVERS:
        sources = sorted({*SERVERS} - {left_out})
        lab.extra = [Entry(policy, {**values, "sources": sources}), in_force_]
        lab.converge(Consent(allow_narrow=("*",)))
        assert tried("team-a", f"no-{left_out}") == dict.fromkeys(sources, False) | dict.fromkeys(
            (left_out, *LAWFUL), True
        )


def test_pods_bring_no_vast_volumes_of_their_own(lab: Lab) -> None:
    lab.write({})
    policy = Address("iad", "admission_policy", "pods")
    lab.extra = [
        Entry(policy, without_inline_volumes("vastplan-pods")),
        Entry(Address("iad", "admission_binding", "pods"), in_force("vastplan-pods", Ref(policy))),
    ]
    lab.converge()
    assert "inline volumes of CSI drivers that reach VAST are not allowed" in denied(
        pod(lab, "one", "csi.vastdata.com")
    )
    denied(pod(lab, "two", "block.csi.vastdata.com"))
    assert pod(lab, "three", "secrets.example.com").status_code == 201
    plain = {"metadata": {"name": "four"}, "spec": {"containers": [{"name": "main", "image": "busybox"}]}}
    assert send(lab, "POST", "/api/v1/namespaces/default/pods", plain).status_code == 201
