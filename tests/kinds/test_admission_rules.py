"""The rules that are written as admission policies, each part of them: what they refuse, and what of a live policy differs."""

from __future__ import annotations

import copy
import json
from types import SimpleNamespace
from typing import Any, cast

import pytest

from vastplan.kinds.kubernetes import _rules
from vastplan.sim.kubernetes.admission.attempt import AdmissionRequest
from vastplan.sim.kubernetes.admission.policies import validate
from vastplan.sim.kubernetes.resources import BINDINGS, CLAIMS, NAMESPACES, PODS, POLICIES, Resource

LEGACY = "volume.beta.kubernetes.io/storage-class"
GOLD = _rules.closed_class("gold", ["team-a", "team-c", "team-a"], False)
INLINE = _rules.no_inline_volumes(["csi.vastdata.com", "block.csi.vastdata.com"], _rules.SOURCES)


def refused(
    spec: dict[str, Any],
    resource: Resource,
    body: dict[str, Any],
    namespace: str = "team-b",
    *,
    labels: dict[str, str] | None = None,
    old: dict[str, Any] | None = None,
    subresource: str = "",
) -> str:
    """The refusal of a write under one bound policy, "" if it may happen."""
    objects: dict[Any, dict[str, Any]] = {
        POLICIES: {"metadata": {"name": "p"}, "spec": spec}, NAMESPACES: {"metadata": {"name": namespace, **({"labels": labels} if labels else {})}},
    }  # fmt: skip
    binding = {"metadata": {"name": "b"}, "spec": {"policyName": "p", "validationActions": ["Deny"]}}
    cluster = SimpleNamespace(
        objects=lambda kind: [binding] if kind is BINDINGS else [], get=lambda kind, _, name: objects.get(kind)
    )
    operation = "UPDATE" if old is not None else "CREATE"
    attempt = AdmissionRequest(cast(Any, cluster), resource, operation, namespace, "x", body, old, subresource)
    try:
        validate(attempt)
    except Exception as problem:
        return str(problem)
    return ""


def claim(named: str | None = None, legacy: str | None = None, **more: Any) -> dict[str, Any]:
    metadata = {"name": "x", **({"annotations": {LEGACY: legacy}} if legacy is not None else {}), **more}
    return {"metadata": metadata, "spec": {"storageClassName": named} if named is not None else {}}


def pod(*volumes: dict[str, Any]) -> dict[str, Any]:
    return {
        "metadata": {"name": "x"},
        "spec": {"volumes": [{"name": "v", **volume} for volume in volumes]} if volumes else {},
    }


@pytest.mark.parametrize(
    ("body", "old", "says"),
    [
        (claim("gold"), None, "storage class gold is not open to namespace team-b"),
        (claim(legacy="gold"), None, "not open"),
        (claim("plain", legacy="gold"), None, "not open"),
        (claim("gold", legacy="plain"), None, "not open"),
        (claim("plain"), None, ""),
        (claim(), None, ""),
        (claim(annotations={}), None, ""),
        (claim("gold"), claim("gold", labels={"a": "b"}), ""),
        (claim("gold"), claim(), "not open"),
        (claim("gold", legacy="gold"), claim("gold"), "not open"),
        (claim("gold"), claim("plain"), "not open"),
        (claim("plain"), claim("gold"), ""),
    ],
)
def test_who_may_use_a_class(body: dict[str, Any], old: dict[str, Any] | None, says: str) -> None:
    found = refused(GOLD, CLAIMS, body, old=old)
    assert says in found and bool(found) is bool(says)
    if old is not None:
        assert refused(GOLD, CLAIMS, body, old=old, subresource="status") == found
    for namespace in ("team-a", "team-c"):
        assert not refused(GOLD, CLAIMS, body, namespace, old=old)
    assert not refused(_rules.closed_class("gold", [], True), CLAIMS, body, old=old)
    assert bool(refused(_rules.closed_class("gold", [], False), CLAIMS, body, "team-a", old=old)) is bool(says)


OF_PROJECT = {"runai/queue": "b"}


@pytest.mark.parametrize("source", _rules.SOURCES)
def test_what_pods_of_projects_may_not_bring(source: str) -> None:
    body = pod({"emptyDir": {}}, {source: {}})
    assert f"volumes of type {', '.join(_rules.SOURCES)} are not allowed in the namespace of a project; use" in refused(
        INLINE, PODS, body, labels=OF_PROJECT
    )
    assert not refused(INLINE, PODS, body) and not refused(INLINE, PODS, body, labels={"a": "b"})
    rest = _rules.no_inline_volumes([], [other for other in _rules.SOURCES if other != source])
    assert not refused(rest, PODS, body, labels=OF_PROJECT)
    assert refused(_rules.no_inline_volumes([], [source]), PODS, body, labels=OF_PROJECT)


def test_what_no_pod_may_bring_and_what_every_pod_may() -> None:
    of_vast, of_others = {"csi": {"driver": "csi.vastdata.com"}}, {"csi": {"driver": "secrets.example.com"}}
    for labels in (None, OF_PROJECT):
        assert "CSI drivers that reach VAST are not allowed; use a persistent volume claim" in refused(
            INLINE, PODS, pod(of_others, of_vast), labels=labels
        )
        for body in (
            pod(),
            pod(of_others),
            pod({"emptyDir": {}}, {"persistentVolumeClaim": {"claimName": "c"}}, {"ephemeral": {}}),
        ):
            assert not refused(INLINE, PODS, body, labels=labels)
        old = pod({"nfs": {}}, of_vast)
        assert not refused(INLINE, PODS, old, labels=labels, old=old), "who is at work stays"


def test_the_policy_of_before_refuses_what_it_refused() -> None:
    before = _rules.no_inline_volumes(["csi.vastdata.com"])
    assert "the VAST CSI drivers are not allowed" in refused(before, PODS, pod({"csi": {"driver": "csi.vastdata.com"}}))
    assert not refused(before, PODS, pod({"nfs": {}}), labels=OF_PROJECT)
    assert _rules.read(before) == {"drivers": ["csi.vastdata.com"], "rule": "as vastplan writes it"}


@pytest.mark.parametrize(
    ("spec", "variables"),
    [
        (GOLD, {"storageClass": "gold", "namespaces": ["team-a", "team-c"], "open": False}),
        (INLINE, {"drivers": ["block.csi.vastdata.com", "csi.vastdata.com"], "sources": ["flexVolume", "hostPath", "iscsi", "nfs"]}),
    ],
)  # fmt: skip
def test_a_live_policy_is_read_and_what_differs_is_named(spec: dict[str, Any], variables: dict[str, Any]) -> None:
    assert _rules.read(spec) == {**variables, "rule": _rules.AS_WRITTEN}
    served = {**copy.deepcopy(spec), "paramKind": None, "auditAnnotations": []}
    served["matchConstraints"] |= {"namespaceSelector": {}, "excludeResourceRules": []}
    assert _rules.read(served)["rule"] == _rules.AS_WRITTEN, "what is empty is as what is not there"
    for part, value in {
        "failurePolicy": "Ignore", "matchConditions": [], "validations": [{"expression": "true"}], "paramKind": {"kind": "ConfigMap"},
        "auditAnnotations": [{"key": "k"}],
    }.items():  # fmt: skip
        assert _rules.read({**spec, part: value})["rule"] == f"{part} changed"
    for part, value in {
        "resourceRules": [], "excludeResourceRules": [{}], "namespaceSelector": {"a": "b"}, "objectSelector": {"a": "b"}, "matchPolicy": "Exact",
    }.items():  # fmt: skip
        found = _rules.read(
            {**spec, "matchConstraints": {**spec["matchConstraints"], part: value}, "failurePolicy": "Ignore"}
        )
        assert found["rule"] == f"{', '.join(sorted(('failurePolicy', part)))} changed"
    assert _rules.read({**spec, "variables": spec["variables"][1:]})["rule"] == "variables changed"
    assert _rules.read({**spec, "variables": None})["rule"] == "variables changed"
    for wrong in ("5", "not JSON", "[5]", '"text"'):
        changed = [{**spec["variables"][0], "expression": wrong}, *spec["variables"][1:]]
        read = _rules.read({**spec, "variables": changed})
        assert read["rule"] != _rules.AS_WRITTEN
    odd = _rules.read({**spec, "variables": [*spec["variables"], {"expression": "1"}]})
    assert odd["None"] is None and odd["rule"] == "variables changed"


def test_types_that_nobody_knows_are_no_rule_of_ours() -> None:
    known = _rules.no_inline_volumes(["d"], ["nfs"])
    unknown = {**known, "variables": [known["variables"][0], {"name": "sources", "expression": '["nfs", "cephfs"]'}]}
    assert _rules.read(unknown)["rule"] == "variables changed"


@pytest.mark.parametrize(
    ("spec", "name", "expression"),
    [(INLINE, "more", '["nfs"]'), (INLINE, "sources", '"nfs"'), (INLINE, "drivers", "[5]"), (GOLD, "open", '"yes"'), (GOLD, "storageClass", "5"),
     (GOLD, "namespaces", "[5]"), (GOLD, "namespaces", '"team-a"'), (GOLD, "drivers", "[]"), (GOLD, "more", "true")],
)  # fmt: skip
def test_variables_of_another_type_or_too_many_are_no_rule_of_ours(
    spec: dict[str, Any], name: str, expression: str
) -> None:
    others = [each for each in spec["variables"] if each["name"] != name]
    read = _rules.read({**spec, "variables": [*others, {"name": name, "expression": expression}]})
    assert (read["rule"], read[name]) == ("variables changed", json.loads(expression))


def test_a_patch_removes_what_others_added() -> None:
    patch = _rules.over_live(GOLD)
    assert patch["paramKind"] is None and patch["auditAnnotations"] is None
    nothing = dict.fromkeys(("excludeResourceRules", "namespaceSelector", "objectSelector"))
    assert patch["matchConstraints"] == {**GOLD["matchConstraints"], **nothing}
    assert {name: value for name, value in patch.items() if name in GOLD and name != "matchConstraints"} == {
        name: value for name, value in GOLD.items() if name != "matchConstraints"
    }
