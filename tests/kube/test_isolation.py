"""What closes a storage class, seen to close it by a real API server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import requests

from tests.engine.test_isolation_rule import CLASSES, LAWFUL, LEGACY, MERGE, SERVERS, close, denied, with_source
from tests.kube.conftest import Open
from tests.kube.lab import KubeLab
from vastplan.checks.proof._trials import TRIALS
from vastplan.kinds.kubernetes.admission_binding import in_force
from vastplan.kinds.kubernetes.admission_policy import without_inline_volumes
from vastplan.model.address import Address
from vastplan.model.plan import Verb
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry

PODS = "/api/v1/namespaces/default/pods"
GIVEN: dict[str, Any] = {"tenants": {"a": {}}, "view_policies": {"a": {"tenant": "a", "flavor": "NFS"}}}
GOLD = {**CLASSES["gold"], "tenant": "a", "view_policy": "a"}
POLICY = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/vastplan-gold"


@pytest.fixture
def lab(open_lab: Open, request: pytest.FixtureRequest) -> Iterator[KubeLab]:
    with open_lab(f"isolation.{request.node.name.removeprefix('test_')}", ["vast", "kubernetes"]) as one:
        yield one


@pytest.fixture
def by_hand(lab: KubeLab) -> KubeLab:
    """A laboratory where the policies of classes are written by the tests."""
    lab.registry = lab.registry.without_compositions("storage_class")
    return lab


def claims(namespace: str) -> str:
    return f"/api/v1/namespaces/{namespace}/persistentvolumeclaims"


def body(name: str, spec_class: str | None = None, legacy: str | None = None) -> dict[str, Any]:
    metadata = {"name": name, "annotations": {LEGACY: legacy} if legacy else {}}
    spec: dict[str, Any] = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}}
    return {"metadata": metadata, "spec": {**spec, **({"storageClassName": spec_class} if spec_class else {})}}


def claim(lab: KubeLab, namespace: str, *words: str | None, **more: str) -> requests.Response:
    return lab.send("POST", claims(namespace), body(*words, **more))  # type: ignore[arg-type]


def learned(lab: KubeLab, namespace: str, storage_class: str, status: int) -> None:
    """Wait until the server answers a claim so: it learns of policies by and by."""
    lab.until(claims(namespace), body("try", storage_class), status)


def test_a_foreign_namespace_is_refused_and_a_listed_one_is_not(by_hand: KubeLab) -> None:
    close(by_hand, "team-a")
    learned(by_hand, "team-b", "gold", 422)
    message = denied(claim(by_hand, "team-b", "one", "gold"))
    assert message == (
        "persistentvolumeclaims \"one\" is forbidden: ValidatingAdmissionPolicy 'vastplan-gold' with binding "
        "'vastplan-gold' denied request: storage class gold is not open to namespace team-b"
    )
    assert claim(by_hand, "team-a", "one", "gold").status_code == 201
    assert claim(by_hand, "team-b", "two", "plain").status_code == 201
    assert claim(by_hand, "team-b", "three").status_code == 201


def test_the_old_annotation_is_no_way_around(by_hand: KubeLab) -> None:
    close(by_hand, "team-a")
    learned(by_hand, "team-b", "gold", 422)
    denied(claim(by_hand, "team-b", "one", legacy="gold"))
    denied(claim(by_hand, "team-b", "two", "plain", legacy="gold"))
    denied(claim(by_hand, "team-b", "three", "gold", legacy="plain"))
    assert claim(by_hand, "team-a", "one", legacy="gold").status_code == 201
    assert claim(by_hand, "team-b", "four", legacy="plain").status_code == 201


def test_an_old_claim_lives_on_and_a_claim_does_not_get_the_class_later(by_hand: KubeLab) -> None:
    close(by_hand, "team-a", "team-b")
    assert claim(by_hand, "team-b", "old", "gold").status_code == 201
    assert claim(by_hand, "team-b", "bare").status_code == 201
    close(by_hand, "team-a")
    learned(by_hand, "team-b", "gold", 422)
    path = claims("team-b")
    assert by_hand.send("PATCH", f"{path}/old", {"metadata": {"labels": {"a": "b"}}}, **MERGE).status_code == 200
    denied(by_hand.send("PATCH", f"{path}/bare", {"spec": {"storageClassName": "gold"}}, **MERGE))
    denied(by_hand.send("PATCH", f"{path}/bare", {"metadata": {"annotations": {LEGACY: "gold"}}}, **MERGE))
    denied(by_hand.send("PATCH", f"{path}/bare/status", {"metadata": {"annotations": {LEGACY: "gold"}}}, **MERGE))
    assert by_hand.send("DELETE", f"{path}/old").status_code == 200


def test_open_is_everybody_and_closed_again_is_closed(by_hand: KubeLab) -> None:
    close(by_hand)
    learned(by_hand, "team-a", "gold", 422)
    close(by_hand, open=True)
    learned(by_hand, "team-a", "gold", 201)
    assert claim(by_hand, "team-a", "one", "gold").status_code == 201
    close(by_hand)
    learned(by_hand, "team-a", "gold", 422)
    denied(claim(by_hand, "team-a", "two", "gold"))


def test_a_class_that_no_project_lists_is_closed_to_all_and_shared_opens_it(lab: KubeLab) -> None:
    """The document alone, with all that it stands for."""
    document = {**GIVEN, "storage_classes": {"gold": GOLD}, "namespaces": {"team-a": {}}}
    lab.write(document)
    lab.converge()
    learned(lab, "team-a", "gold", 422)
    denied(claim(lab, "team-a", "one", "gold"))
    assert lab.plan().actions == ()
    lab.write({**document, "storage_classes": {"gold": {**GOLD, "shared": True}}})
    lab.converge()
    learned(lab, "team-a", "gold", 201)
    assert claim(lab, "team-a", "one", "gold").status_code == 201
    assert lab.plan().actions == ()


def test_a_policy_that_was_weakened_is_put_back(by_hand: KubeLab) -> None:
    close(by_hand, "team-a")
    before = by_hand.by_hand("iad", "kubernetes", "GET", POLICY)["spec"]
    selector = {"matchConstraints": {"namespaceSelector": {"matchLabels": {"a": "b"}}}}
    weakened = {"failurePolicy": "Ignore", "validations": [{"expression": "true"}], **selector}
    by_hand.by_hand("iad", "kubernetes", "PATCH", POLICY, {"spec": weakened}, **MERGE)
    action = next(one for one in by_hand.plan().actions if one.address.kind == "admission_policy")
    assert action.verb is Verb.UPDATE and "outside vastplan" in action.reason, action
    by_hand.converge()
    assert by_hand.by_hand("iad", "kubernetes", "GET", POLICY)["spec"] == before
    learned(by_hand, "team-b", "gold", 422)
    denied(claim(by_hand, "team-b", "one", "gold"))


def test_pods_bring_no_vast_volumes_of_their_own(lab: KubeLab) -> None:
    lab.write({})
    policy = Address("iad", "admission_policy", "pods")
    lab.extra = [
        Entry(policy, without_inline_volumes("vastplan-pods")),
        Entry(Address("iad", "admission_binding", "pods"), in_force("vastplan-pods", Ref(policy))),
    ]
    lab.converge()

    def pod(name: str, driver: str) -> dict[str, Any]:
        volume = {"name": "data", "csi": {"driver": driver, "volumeAttributes": {"root_export": "/"}}}
        containers = [{"name": "main", "image": "busybox"}]
        return {"metadata": {"name": name}, "spec": {"containers": containers, "volumes": [volume]}}

    lab.until(PODS, pod("try", "csi.vastdata.com"), 422)
    message = denied(lab.send("POST", PODS, pod("one", "csi.vastdata.com")))
    assert "inline volumes of CSI drivers that reach VAST are not allowed" in message
    denied(lab.send("POST", PODS, pod("two", "block.csi.vastdata.com")))
    assert lab.send("POST", PODS, pod("three", "secrets.example.com")).status_code == 201


def test_pods_of_projects_reach_no_server_and_no_node_without_a_claim(lab: KubeLab) -> None:
    lab.write({"namespaces": {"team-a": {"labels": {"runai/queue": "a"}}}})
    policy = Address("iad", "admission_policy", "pods")
    lab.extra = [
        Entry(policy, without_inline_volumes("vastplan-pods")),
        Entry(Address("iad", "admission_binding", "pods"), in_force("vastplan-pods", Ref(policy))),
    ]
    lab.converge()
    of_project = PODS.replace("default", "team-a")
    lab.until(of_project, with_source("try", "nfs", SERVERS["nfs"]), 422)
    for source, body in SERVERS.items():
        message = denied(lab.send("POST", of_project, with_source(f"no-{source}", source, body)))
        assert "are not allowed in the namespace of a project" in message
        assert lab.send("POST", PODS, with_source(f"other-{source}", source, body)).status_code == 201
    asked = f"{of_project}?dryRun=All"  # as `drift --isolation --try` asks
    for trial in TRIALS:
        for target in ("10.20.1.10",) if trial.to_server else trial.names:
            body = {**trial.body(target), "metadata": {"name": "try"}}  # a generated name is another one each time
            assert "vastplan-pods" in denied(lab.send("POST", asked, body))
    assert lab.send("GET", of_project).json()["items"] == []
    for source, body in LAWFUL.items():
        assert lab.send("POST", of_project, with_source(f"yes-{source}", source, body)).status_code == 201


def test_kubernetes_itself_gives_no_source_and_no_secret_of_another_namespace(lab: KubeLab) -> None:
    lab.write({"namespaces": {"team-a": {}, "team-b": {}}})
    lab.converge()
    cloned = body("copy", "gold")
    cloned["spec"]["dataSourceRef"] = {"kind": "PersistentVolumeClaim", "name": "theirs", "namespace": "team-a"}
    answer = lab.send("POST", claims("team-b"), cloned)
    assert answer.status_code == 201 and "team-a" not in str(answer.json()["spec"]), answer.text
    mounted = with_source("secret", "secret", {"secretName": "theirs", "namespace": "team-a"})
    answer = lab.send("POST", f"{PODS.replace('default', 'team-b')}?fieldValidation=Strict", mounted)
    assert answer.status_code == 400 and "unknown field" in answer.text, answer.text


def test_the_class_comes_after_what_closes_it(lab: KubeLab) -> None:
    lab.write({**GIVEN, "storage_classes": {"gold": GOLD}})
    lab.clear_calls()
    lab.converge()
    made = [call.path.rpartition("/")[2] for call in lab.calls()]
    assert made[-1] == "storageclasses" and "validatingadmissionpolicybindings" in made[:-1], made
