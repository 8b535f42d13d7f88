"""A class that nothing keeps closed any more is said to be open, and `--accept` says what a person writes instead."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab import Lab
from tests.restoring.scene import SECTIONS
from vastplan.app.drifting.accept import accept
from vastplan.app.drifting.derivation import drifted
from vastplan.model.drift import Drift
from vastplan.model.errors import VastplanError
from vastplan.report.drift import drift_text
from vastplan.report.style import Style

POLICIES = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/vastplan-team"
BINDINGS = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/vastplan-team"
MERGE = {"Content-Type": "application/merge-patch+json"}
CLASS, BINDING, POLICY = (
    "iad/storage_class/team",
    "iad/admission_binding/vastplan-team",
    "iad/admission_policy/vastplan-team",
)


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    monkeypatch.setenv("CSI_PASSWORD", "of-the-csi-user")
    with Lab(tmp_path, {"iad": ["vast", "kubernetes", "runai"]}) as lab:
        lab.write(SECTIONS)
        lab.converge()
        yield lab


def patch(lab: Lab, path: str, spec: dict[str, Any]) -> None:
    lab.by_hand("iad", "kubernetes", "PATCH", path, {"spec": spec}, **MERGE)


def drift(lab: Lab) -> Drift:
    return drifted(lab.planned(), lab.workspace())


def opened(lab: Lab) -> dict[str, str]:
    return {finding.address: finding.message for finding in drift(lab).findings if finding.code == "VP361"}


def refused(lab: Lab, *wanted: str) -> str:
    planned = lab.planned()
    found = drifted(planned, lab.workspace())
    with pytest.raises(VastplanError) as problem:
        accept([lab.folder / "lab.yaml"], None, planned, found, wanted)
    return str(problem.value)


def test_a_binding_that_only_audits(lab: Lab) -> None:
    assert opened(lab) == {}
    patch(lab, BINDINGS, {"validationActions": ["Audit"]})
    assert opened(lab) == {CLASS: f"it is open to every namespace: {BINDING} was changed outside vastplan"}
    assert "lacks Deny  [changed outside vastplan, lets somebody in]" in drift_text(drift(lab), Style(colour=False))
    assert "follows from iad/storage_class/team" in (text := refused(lab, BINDING))
    assert "(write isolation: audit on the site, which then refuses nobody; or vastplan apply" in text


def test_a_binding_that_refuses_and_logs_opens_nothing(lab: Lab) -> None:
    patch(lab, BINDINGS, {"validationActions": ["Deny", "Audit"]})
    assert opened(lab) == {} and [moved.address for moved in drift(lab).drift] == [BINDING]


def test_a_binding_that_is_gone(lab: Lab) -> None:
    lab.by_hand("iad", "kubernetes", "DELETE", BINDINGS)
    assert opened(lab) == {CLASS: f"it is open to every namespace: {BINDING} is gone"}
    assert "lets somebody in: what it kept closed is open" in drift_text(drift(lab), Style(colour=False))
    assert f"it is a part of {CLASS}, which the document has" in refused(lab, BINDING)


def test_a_policy_that_lets_everybody_in(lab: Lab) -> None:
    variables = lab.by_hand("iad", "kubernetes", "GET", POLICIES)["spec"]["variables"]
    named = {variable["name"]: variable for variable in variables}
    named["namespaces"]["expression"] = '["runai-team", "other"]'
    patch(lab, POLICIES, {"variables": variables})
    assert opened(lab) == {}  # one namespace more is not all
    assert "write open_to: [NAMESPACE] in the class, or the class in storage_classes" in refused(lab, POLICY)
    named["open"]["expression"] = "true"
    patch(lab, POLICIES, {"variables": variables})
    assert opened(lab) == {CLASS: f"it is open to every namespace: {POLICY} was changed outside vastplan"}
    assert "write shared: true in the class" in refused(lab, f"{POLICY}.open")


def test_a_shared_class_is_not_said_to_be_opened(lab: Lab) -> None:
    tenant = SECTIONS["tenants"]["team"]
    shared = {**tenant, "storage_class": {**tenant["storage_class"], "shared": True}}
    lab.write({**SECTIONS, "tenants": {"team": shared}})
    lab.converge()
    lab.by_hand("iad", "kubernetes", "DELETE", POLICIES)
    assert opened(lab) == {} and [moved.what for moved in drift(lab).drift] == ["gone"]
