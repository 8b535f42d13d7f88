"""The isolation proof's table of examples/ai-factory, held against a real API server: every namespace with every class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.engine.test_isolation_rule import denied
from tests.kube.conftest import Open
from tests.kube.lab import KubeLab
from tests.kube.test_isolation import claim, learned
from vastplan.app import checks
from vastplan.app.workspace import open_workspace
from vastplan.model.address import Address
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "ai-factory"
KINDS = ("admission_policy", "admission_binding", "storage_class", "namespace", "secret")
OTHERS = ("default", "vast-csi")  # namespaces of no project


@pytest.fixture
def lab(open_lab: Open) -> Iterator[KubeLab]:
    with open_lab("proof.ai_factory", ["kubernetes"]) as one:
        yield one


def test_the_server_answers_as_the_proof_says(lab: KubeLab) -> None:
    workspace = open_workspace([EXAMPLE])
    composed = workspace.composed()
    proof = checks.check_facts(workspace, composed).isolation["iad"]
    assert len(proof.classes) == 3 and proof.shared == ()
    lab.write({})
    chosen = [one for one in composed.entries if one.address.site == "iad" and one.address.kind in KINDS]
    lab.extra = [_in_namespaces(one, proof.namespaces) for one in chosen]
    for namespace in proof.namespaces.values():  # Run:AI makes them
        body = {"metadata": {"name": namespace}}
        assert lab.send("POST", "/api/v1/namespaces", body).status_code == 201
    lab.converge()
    namespaces = (*proof.namespaces.values(), *OTHERS)
    for of in proof.classes:
        learned(lab, "default", of, 422)
    answers = {}
    for namespace in namespaces:
        for of in proof.classes:
            answer = claim(lab, namespace, f"as-{of}", of)
            answers[namespace, of] = answer.status_code == 201
            if not answers[namespace, of]:
                assert f"storage class {of} is not open to namespace {namespace}" in denied(answer)
    assert answers == {
        (namespace, of): namespace in proof.classes[of] for namespace in namespaces for of in proof.classes
    }
    assert sum(answers.values()) == 3


def _in_namespaces(entry: Entry, namespaces: dict[str, str] | Any) -> Entry:
    """An entry with projects named by their namespaces, and a secret without what is in it: there is no Run:AI here."""
    values = dict(entry.values)
    if entry.address.kind == "secret":
        values.pop("data", None)
    if entry.address.kind == "storage_class":  # nor is there VAST: its things are known by name
        for name, value in values.items():
            if isinstance(value, Ref) and value.target.kind != "secret":
                values[name] = replace(value, managed=False)
    listed = values.get("namespaces")
    if listed is not None:
        values["namespaces"] = [
            Ref(Address("iad", "namespace", namespaces[one.target.name]), managed=False) for one in listed
        ]
    return replace(entry, values=values)
