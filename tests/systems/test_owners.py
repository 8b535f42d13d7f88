"""What a Kubernetes object says of who will see to it."""

from __future__ import annotations

from typing import Any

import pytest

from vastplan.systems.kubernetes.owners import owners_of

_ASKED: dict[str, Any] = {"f:spec": {"f:accessModes": {}, "f:resources": {"f:requests": {"f:storage": {}}}}}
_BOUND: dict[str, Any] = {
    "f:metadata": {"f:annotations": {"f:pv.kubernetes.io/bind-completed": {}}},
    "f:spec": {"f:volumeName": {}},
}


def managed(manager: str, fields: Any) -> dict[str, Any]:
    return {"manager": manager, "operation": "Update", "fieldsV1": fields}


def of(*entries: Any, owners: Any = None) -> tuple[str, ...]:
    return owners_of({"metadata": {"managedFields": list(entries), "ownerReferences": owners}})


def test_owner_references_in_order_and_once() -> None:
    web = {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web", "uid": "1", "controller": True}
    job = {"apiVersion": "batch/v1", "kind": "Job", "name": "train", "uid": "2"}
    assert of(owners=[web, job, web]) == ("Job train", "StatefulSet web")
    assert of(managed("kube-controller-manager", _ASKED), owners=[web]) == ("StatefulSet web",)


def test_a_claim_that_the_controller_manager_asked_for() -> None:
    assert of(managed("kube-controller-manager", {**_BOUND, **_ASKED})) == ("kube-controller-manager",)


@pytest.mark.parametrize(
    "entries",
    [
        (managed("kubectl-create", _ASKED), managed("kube-controller-manager", _BOUND)),  # it only bound it
        (managed("helm", _ASKED),),
        (managed("kube-controller-manager", {"f:status": {"f:phase": {}}}),),
        ("nonsense", managed("kube-controller-manager", "nonsense"), {"manager": "kube-controller-manager"}),
        (),
    ],
)
def test_what_somebody_asked_for_belongs_to_nobody(entries: tuple[Any, ...]) -> None:
    assert of(*entries) == of(*entries, owners=[]) == of(*entries, owners="nonsense") == ()


def test_an_object_without_metadata() -> None:
    assert owners_of({}) == owners_of({"metadata": None}) == ()
