"""A static volume whose claim was deleted by hand is bound to the claim's successor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.lab import Lab
from vastplan.model.outcome import State
from vastplan.model.plan import Cause, Verb

CLAIM = "/api/v1/namespaces/team-a/persistentvolumeclaims/checkpoints"
VOLUME = "/api/v1/persistentvolumes/team-a-checkpoints"


def document() -> dict[str, Any]:
    volume = {
        "size": "1 TiB", "access_modes": ["ReadWriteMany"], "reclaim_policy": "Retain", "driver": "csi.vastdata.com",
        "volume_handle": "/team-a/checkpoints", "claim_namespace": "team-a", "claim_name": "checkpoints",
    }  # fmt: skip
    claim = {
        "namespace": "team-a", "storage_class": None, "volume": "team-a-checkpoints", "nominal_size": "1 TiB",
        "access_modes": ["ReadWriteMany"],
    }  # fmt: skip
    return {
        "namespaces": {"team-a": {}},
        "persistent_volumes": {"team-a-checkpoints": volume},
        "persistent_volume_claims": {"checkpoints": claim},
    }


def phase(lab: Lab, path: str) -> str:
    for _ in range(3):  # what a cluster does on its own, the simulated one does when it is looked at
        lab.rows("iad", "persistent_volume_claim")
        row = lab.by_hand("iad", "kubernetes", "GET", path)
    return str(row["status"]["phase"])


def test_the_volume_is_bound_again(tmp_path: Path) -> None:
    with Lab(tmp_path, {"iad": ["kubernetes"]}) as lab:
        lab.write(document())
        lab.converge()
        assert (phase(lab, CLAIM), phase(lab, VOLUME)) == ("Bound", "Bound")
        lab.by_hand("iad", "kubernetes", "DELETE", CLAIM)
        assert phase(lab, VOLUME) == "Released"
        plan = lab.converge()
        volume = next(one for one in plan.actions if one.address.kind == "persistent_volume")
        assert [(one.path, one.cause) for one in volume.changes] == [("claim_name", Cause.DEPENDENCY)]
        assert {one.address.kind: one.verb for one in plan.actions} == {
            "persistent_volume": Verb.UPDATE,
            "persistent_volume_claim": Verb.CREATE,
        }
        assert (phase(lab, CLAIM), phase(lab, VOLUME)) == ("Bound", "Bound")
        assert lab.plan().actions == ()


def test_a_volume_that_is_released_because_its_claim_goes_in_the_same_run_goes_too(tmp_path: Path) -> None:
    with Lab(tmp_path, {"iad": ["kubernetes"]}) as lab:
        lab.write(document())
        lab.converge()
        assert phase(lab, VOLUME) == "Bound"
        lab.write({"namespaces": {"team-a": {}}})
        gone = lab.consent_to_loss(
            "iad/persistent_volume/team-a-checkpoints", "iad/persistent_volume_claim/checkpoints"
        )
        assert [one.verb for one in lab.converge(gone).actions] == [Verb.DELETE] * 2
        assert lab.plan().actions == ()


def test_a_volume_that_was_released_between_plan_and_apply_goes_too(tmp_path: Path) -> None:
    """A cluster notices some time after a claim is gone that its volume is free: less in use than was planned with."""
    with Lab(tmp_path, {"iad": ["kubernetes"]}) as lab:
        lab.write(document())
        lab.converge()
        assert phase(lab, VOLUME) == "Bound"
        lab.write({"namespaces": {"team-a": {}}})
        addresses = ("iad/persistent_volume/team-a-checkpoints", "iad/persistent_volume_claim/checkpoints")
        plan = lab.plan(lab.consent_to_loss(*addresses))
        lab.by_hand("iad", "kubernetes", "DELETE", CLAIM)
        assert phase(lab, VOLUME) == "Released"
        assert {one.state for one in lab.apply(plan).outcomes} == {State.DONE}
        assert lab.plan().actions == ()
