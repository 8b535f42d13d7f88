"""Objects that somebody deleted and that stay until something lets go of them: seen by every command, and written into by none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run
from tests.lab import Lab
from vastplan.app.drift import find_drift
from vastplan.app.show import describe
from vastplan.cli.commands.drift import _conditions
from vastplan.model import errors
from vastplan.model.address import Address
from vastplan.model.live_state import Condition, ObjectState
from vastplan.model.outcome import State
from vastplan.model.plan import Plan
from vastplan.report.drift import drift_text, object_text
from vastplan.report.json_report import object_report
from vastplan.report.style import Style
from vastplan.report.text import plan_text
from vastplan.sim.agenda import Agenda

PLAIN = Style(colour=False)
CLAIM = "iad/persistent_volume_claim/data"
HELD = "example.com/held"


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    with Lab(tmp_path, {"iad": ["kubernetes"]}) as one:
        yield one


def static(**of_the_claim: Any) -> dict[str, Any]:
    """A namespace with a volume of its own and the claim that binds it."""
    return {
        "namespaces": {"tools": {}},
        "persistent_volumes": {
            "disk": {
                "size": 2**30, "access_modes": ["ReadWriteMany"], "driver": "csi.vastdata.com", "volume_handle": "/disk",
                "storage_class_name": None, "claim_namespace": "tools", "claim_name": "data",
            }
        },
        "persistent_volume_claims": {
            "data": {
                "namespace": "tools", "storage_class": None, "volume": "disk", "nominal_size": 2**30,
                "access_modes": ["ReadWriteMany"], **of_the_claim,
            }
        },
    }  # fmt: skip


def mounts(lab: Lab) -> None:
    """A pod that runs mounts the claim."""
    volumes = [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]
    pod = {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "trainer", "namespace": "tools"},
        "spec": {"containers": [{"name": "c", "image": "busybox"}], "volumes": volumes},
    }  # fmt: skip
    lab.by_hand("iad", "kubernetes", "POST", "/api/v1/namespaces/tools/pods", pod)


def delete(lab: Lab, path: str) -> None:
    lab.by_hand("iad", "kubernetes", "DELETE", path)


def hold(lab: Lab, path: str) -> None:
    """Somebody's controller keeps the object until it has done its own work."""
    body = {"metadata": {"finalizers": [HELD]}}
    lab.by_hand("iad", "kubernetes", "PATCH", path, body, **{"Content-Type": "application/merge-patch+json"})


def states(plan: Plan) -> dict[str, ObjectState]:
    return {row.address: row for row in plan.states if row.state.condition is Condition.GOING_AWAY}


def blocks(plan: Plan) -> dict[str, str]:
    return {
        str(one.address): block.message for one in plan.actions for block in one.blocked if block.guard == "going-away"
    }


def test_a_claim_that_a_pod_holds_is_reported_and_not_written_into(lab: Lab) -> None:
    lab.write(static())
    lab.converge()
    mounts(lab)
    delete(lab, "/api/v1/namespaces/tools/persistentvolumeclaims/data")
    plan = lab.plan()
    row = states(plan)[CLAIM]
    assert row.state.held_by == ("kubernetes.io/pvc-protection",) and row.state.since
    assert row.users == ("pod tools/trainer",)
    since = f"being deleted since {row.state.since}, held by kubernetes.io/pvc-protection"
    assert f"{CLAIM}: it is {since}; used by pod tools/trainer (copy what you need" in plan_text(plan, PLAIN)
    assert not plan.actions

    drift = find_drift(lab.workspace(), None).drift
    assert _conditions(drift) == {errors.CHANGES}
    text = drift_text(drift, PLAIN)
    assert since in text and text.endswith("Drift: 1 object being deleted.\n")
    assert not any(stranger.kind == "pod" for stranger in drift.unmanaged)

    shown = describe(lab.workspace(), Address.parse(CLAIM))
    assert f"  live: {since}; used by pod tools/trainer\n" in object_text(shown, PLAIN)
    assert object_report(shown).states == (row,)

    lab.write(static(labels={"team": "a"}))
    changed = lab.plan()
    assert blocks(changed) == {CLAIM: f"it is {since}"}
    delete(lab, "/api/v1/namespaces/tools/pods/trainer")
    assert not lab.plan().states or CLAIM not in states(lab.plan())


def test_what_somebody_else_deletes_is_drift_and_no_change_of_a_plan(lab: Lab, vastplan: Run) -> None:
    """The exit codes that docs/guides/when-something-broke.md promises to a nightly job."""
    lab.write({"namespaces": {"tools": {}}, "secrets": {"s": {"namespace": "tools", "data": {"a": "b"}}}})
    lab.converge()
    hold(lab, "/api/v1/namespaces/tools/secrets/s")
    delete(lab, "/api/v1/namespaces/tools/secrets/s")
    document = lab.folder / "lab.yaml"
    ran = vastplan("plan", document, "--detailed-exitcode")
    assert ran.code == errors.OK and "warning VP354: iad/secret/s: it is being deleted since" in ran.out, ran
    assert ran.out.splitlines()[-1] == "Plan: no changes. 2 objects in sync. 1 object being deleted.", ran
    ran = vastplan("drift", document)
    assert ran.code == errors.CHANGES and ran.out.rstrip().endswith("Drift: 1 object being deleted."), ran
    page = (Path(__file__).parents[2] / "docs" / "guides" / "when-something-broke.md").read_text()
    assert "--detailed-exitcode` is 0, as Terraform's is; its first and last lines say it. `drift` is 2 for it" in page


def test_a_volume_and_a_namespace_are_seen_like_a_claim(lab: Lab) -> None:
    lab.write(static())
    lab.converge()
    mounts(lab)
    delete(lab, "/api/v1/persistentvolumes/disk")
    assert states(lab.plan())["iad/persistent_volume/disk"].state.held_by == ("kubernetes.io/pv-protection",)
    hold(lab, "/api/v1/namespaces/tools/pods/trainer")
    delete(lab, "/api/v1/namespaces/tools")
    gone = states(lab.plan())
    assert {"iad/namespace/tools", "iad/persistent_volume/disk"} <= gone.keys()
    assert gone["iad/namespace/tools"].state.held_by == ("kubernetes",)


def test_nothing_is_created_in_a_namespace_that_is_being_deleted(lab: Lab) -> None:
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "tools"}}
    lab.by_hand("iad", "kubernetes", "POST", "/api/v1/namespaces", namespace)
    config = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x", "finalizers": [HELD]}}
    lab.by_hand("iad", "kubernetes", "POST", "/api/v1/namespaces/tools/secrets", config)
    lab.write({"secrets": {"s": {"namespace": {"existing": "tools"}, "data": {"a": "b"}}}})
    assert not blocks(lab.plan())
    delete(lab, "/api/v1/namespaces/tools")
    plan = lab.plan()
    assert blocks(plan)["iad/secret/s"].startswith("namespace tools is being deleted since ")
    assert [row.managed for row in plan.states] == [False]
    with pytest.raises(AssertionError, match=r"403.*because it is being terminated"):
        lab.by_hand(
            "iad", "kubernetes", "POST", "/api/v1/namespaces/tools/secrets", {**config, "metadata": {"name": "y"}}
        )


def test_what_is_deleted_between_plan_and_apply_is_stale(lab: Lab) -> None:
    lab.write(static())
    lab.converge()
    mounts(lab)
    lab.write(static(labels={"team": "a"}))
    plan = lab.plan()
    delete(lab, "/api/v1/namespaces/tools/persistentvolumeclaims/data")
    lab.clear_calls()
    (outcome,) = lab.apply(plan).outcomes
    assert outcome.state in (State.STALE, State.SKIPPED) and "being deleted since" in outcome.message
    assert [call for call in lab.calls() if call.method == "PATCH" and "persistentvolumeclaims" in call.path] == []


def phase(lab: Lab, phase: str) -> None:
    """The controllers of the cluster say this of the claim."""
    body = {"status": {"phase": phase}}
    path = "/api/v1/namespaces/tools/persistentvolumeclaims/data/status"
    lab.by_hand("iad", "kubernetes", "PATCH", path, body, **{"Content-Type": "application/merge-patch+json"})


def test_a_claim_that_lost_its_volume_is_in_sync_and_reported(lab: Lab) -> None:
    lab.write(static())
    lab.converge()
    volume, merge = "/api/v1/persistentvolumes/disk", {"Content-Type": "application/merge-patch+json"}
    lab.by_hand("iad", "kubernetes", "PATCH", volume, {"metadata": {"finalizers": None}}, **merge)
    delete(lab, volume)
    phase(lab, "Lost")
    plan = lab.plan()
    assert [str(action.address) for action in plan.actions] == ["iad/persistent_volume/disk"]
    text = "it is not well: Lost (mend it at iad: its fields are compared as usual, and no apply changes its state)"
    assert f"{CLAIM}: {text}\n" in plan_text(plan, PLAIN)
    drift = find_drift(lab.workspace(), None).drift
    assert _conditions(drift) == {errors.CHANGES}
    assert drift_text(drift, PLAIN).endswith("Drift: 1 object changed outside vastplan. 1 object not well.\n")
    assert "  live: not well: Lost\n" in object_text(describe(lab.workspace(), Address.parse(CLAIM)), PLAIN)


def test_a_claim_that_is_not_bound_yet_is_a_note_of_drift(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    lab.write(static())
    lab.converge()
    monkeypatch.setattr(Agenda, "add", lambda *_: None)  # no controller acts
    phase(lab, "Pending")
    drift = find_drift(lab.workspace(), None).drift
    assert _conditions(drift) == set()
    assert "note VP356: iad/persistent_volume_claim/data: it is not ready yet: Pending" in drift_text(drift, PLAIN)
