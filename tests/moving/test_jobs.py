"""Workloads as a move sees them: by the claim in their specification, of every type that can be submitted again."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, cast

import pytest

from tests.moving.forking import declared, fork
from tests.moving.theatre import Theatre
from vastplan.app.connect import connected
from vastplan.model.errors import Refused, VastplanError
from vastplan.model.move_plan import MovePlan
from vastplan.model.operation import Phase
from vastplan.operations.modes.rehearsal.stages import CAME
from vastplan.schema.checkpoint import CHECKPOINT
from vastplan.schema.ports.workloads import Job, Resumption
from vastplan.systems.runai.client import RunaiProvider
from vastplan.systems.runai.jobs import RunaiJobs
from vastplan.systems.runai.workload_types import NEVER_SUSPENDED, PATHS


@contextlib.contextmanager
def jobs_at(scene: Theatre, site: str) -> Iterator[RunaiJobs]:
    with connected(scene.lab.workspace().document, sites=(site,), writable=True) as providers:
        provider = providers[site, "runai"]
        assert isinstance(provider, RunaiProvider)
        yield RunaiJobs(site, provider)


def project(scene: Theatre, site: str) -> str:
    rows = scene.lab.by_hand(site, "runai", "GET", "/api/v1/org-unit/projects")["projects"]
    return str(next(row["id"] for row in rows if row["name"] == "team"))


def part_of(specification: Mapping[str, Any]) -> dict[str, Any]:
    """The part that describes pods."""
    spec: dict[str, Any] = specification["spec"]
    part: dict[str, Any] = spec.get("leader", spec)
    return part


@pytest.mark.parametrize("kind", PATHS)
def test_each_type_is_found_suspended_resumed_and_submitted_again(scene: Theatre, kind: str) -> None:
    with scene.lab.world.lock:
        scene.runai("iad").submit("team", "one", gpus=2, claim_names=["home", "other"], type=kind)
        scene.runai("iad").submit("team", "not-mine", gpus=1, claim_names=["other"], type=kind)
        scene.runai("iad").submit("team", "over", gpus=1, claim_names=["home"], type=kind, phase="Completed")
    with jobs_at(scene, "iad") as here, jobs_at(scene, "pdx") as there:
        (job,) = here.using(project(scene, "iad"), "home")
        assert (job.name, job.type, job.gpus, job.stopped) == ("one", kind, 2.0, False)
        assert job.suspends is ("Inference" not in kind)
        if job.suspends:
            here.suspend(job)
            assert [found.phase for _ in range(2) if (found := here.job(job.id))] == ["Stopping", "Stopped"]
            here.resume(job)
        asked = here.mapped(here.specification(job), {"home": "home-2"}, "vastplan.move=1a")
        assert "nodePools" in here.specification(job)["spec"] and "nodePools" not in asked["spec"]
        mounts = [(one["claimName"], one["path"]) for one in part_of(asked)["storage"]["pvc"]]
        assert mounts == [("home-2", "/home"), ("other", "/other")]
        assert part_of(asked)["labels"] == [{"name": "vastplan.move", "value": "1a"}]
        there.submit(kind, "one-m1a", project(scene, "pdx"), asked)
        found = there.named("one-m1a")
        assert isinstance(found, Job) and found.type == kind and there.specification(found) == asked
        with pytest.raises(Refused, match="400 The request is not valid"):
            there.submit(kind, "one-m1a", project(scene, "pdx"), asked)
        with scene.lab.world.lock:
            scene.runai("pdx").end(found.id)
        assert there.named("one-m1a") is None and there.job(found.id) is None
        assert there.job("00000000-0000-0000-0000-000000000000") is None


@pytest.mark.parametrize("kind", PATHS)
def test_each_type_is_known_by_its_label_and_deleted(scene: Theatre, kind: str) -> None:
    with scene.lab.world.lock:
        theirs = scene.runai("pdx").submit("team", "try", gpus=1, type=kind)
    with jobs_at(scene, "pdx") as jobs:
        of = project(scene, "pdx")
        asked: dict[str, Any] = {"spec": {"image": "i", "compute": {"gpuDevicesRequest": 1}}}
        if kind == "Distributed":
            asked["spec"]["numWorkers"] = 1
        if kind == "DistributedInference":
            asked = {"spec": {"workers": 1, "leader": asked["spec"], "worker": asked["spec"]}}
        assert jobs.submitted(of, "try", "vastplan.move=1a") is None
        jobs.submit(kind, "try-2", of, jobs.mapped(asked, {}, "vastplan.move=1a"))
        found = jobs.submitted(of, "try-2", "vastplan.move=1a")
        assert found is not None and found.type == kind
        for label in ("vastplan.move=1b", "vastplan.move", "other=1a"):
            assert jobs.submitted(of, "try-2", label) is None
        assert jobs.submitted("another", "try-2", "vastplan.move=1a") is None
        jobs.remove(found)
        phases = [one.phase for _ in range(3) if (one := jobs.job(found.id))]
        assert phases and set(phases) == {"Deleting"} and jobs.submitted(of, "try-2", "vastplan.move=1a") is None
        jobs.remove(found)  # what is gone is fine
        assert jobs.job(theirs) is not None


def test_what_is_made_small() -> None:
    jobs = RunaiJobs("iad", cast(RunaiProvider, None))
    spec = {"compute": {"gpuDevicesRequest": 8, "cpuCoreRequest": 4}, "parallelism": 3, "completions": 9, "args": "a"}
    assert jobs.small({"spec": spec}) == {
        "spec": {"compute": {"gpuDevicesRequest": 1, "cpuCoreRequest": 4}, "args": "a"}
    }
    part = {"compute": {"gpuDevicesRequest": 1, "gpuPortionRequest": 0.5, "gpuRequestType": "portion"}}
    assert jobs.small({"spec": part, "masterSpecSameAsWorker": True}) == {"spec": part, "masterSpecSameAsWorker": True}
    none = {"compute": {"gpuDevicesRequest": 0}, "image": "i"}
    assert jobs.small({"spec": none, "masterSpec": None}) == {"spec": none, "masterSpec": None}
    many = {"numWorkers": 16, "minReplicas": 4, "maxReplicas": 16, "compute": {"gpuDevicesRequest": 8}}
    assert jobs.small({"spec": many}) == {"spec": {"numWorkers": 1, "compute": {"gpuDevicesRequest": 1}}}
    served = {"autoscaling": {"minReplicas": 3, "maxReplicas": 9}, "servingPort": {"container": 8000}}
    assert jobs.small({"spec": served}) == {"spec": {"servingPort": {"container": 8000}}}


def test_the_parts_of_a_distributed_inference_are_in_its_spec() -> None:
    jobs = RunaiJobs("iad", cast(RunaiProvider, None))
    part: dict[str, Any] = {
        "args": "-x", "compute": {"gpuDevicesRequest": 8}, "nodeType": "h100", "labels": [{"name": "a", "value": "b"}],
        "storage": {"pvc": [{"existingPvc": True, "claimName": "home", "path": "/home"}]},
    }  # fmt: skip
    worker = {**part, "environmentVariables": [{"name": "HF_TOKEN", "value": "hf"}], "storage": None}
    port = {"port": 8000, "exposedUrl": "https://serve.iad.example.com"}
    share = {"workers": 4, "replicas": 3, "nodePools": ["iad"], "servingPort": port}
    asked = {"spec": {**share, "leader": part, "worker": worker}}
    small = jobs.small(asked)["spec"]
    assert {name: small[name] for name in small if name not in ("leader", "worker")} == {
        "workers": 1, "nodePools": ["iad"], "servingPort": port,
    }  # fmt: skip
    assert [small[name] for name in ("leader", "worker")] == [
        {**one, "compute": {"gpuDevicesRequest": 1}} for one in (part, worker)
    ]
    assert jobs.small({"spec": {"workers": 0, "leader": {}, "worker": None}}) == {
        "spec": {"workers": 0, "leader": {}, "worker": None}
    }
    assert jobs.secrets(asked) == ("variable HF_TOKEN",)
    label = {"name": "vastplan.move", "value": "1a"}
    labels = [{"name": "a", "value": "b"}, label]
    mounts = {"pvc": [{"existingPvc": True, "claimName": "home-2", "path": "/home"}]}
    of_part = {"args": "-x", "compute": {"gpuDevicesRequest": 8}, "labels": labels}
    assert jobs.mapped(asked, {"home": "home-2"}, "vastplan.move=1a")["spec"] == {
        "workers": 4, "replicas": 3, "servingPort": {"port": 8000},
        "leader": {**of_part, "storage": mounts},
        "worker": {**of_part, "environmentVariables": worker["environmentVariables"]},
    }  # fmt: skip
    resume = Resumption({}, args=f"--from {CHECKPOINT}", claim="home", checkpoint="step-1")
    resumed = jobs.resumed(asked, resume)["spec"]
    assert [resumed[name]["args"] for name in ("leader", "worker")] == ["-x --from /home/step-1"] * 2
    assert {name: resumed[name] for name in share} == share and "args" not in resumed


def test_a_distributed_inference_holds_the_gpus_of_all_its_sets(scene: Theatre) -> None:
    part = {"image": "i", "compute": {"gpuDevicesRequest": 2}}
    spec = {"leader": {"image": "i", "compute": {"gpuDevicesRequest": 1}}, "worker": part, "workers": 2}
    with jobs_at(scene, "pdx") as jobs:
        for name, more, gpus in (("one", {}, 5.0), ("two", {"replicas": 2}, 10.0), ("none", {"replicas": 0}, 0.0)):
            jobs.submit("DistributedInference", name, project(scene, "pdx"), {"spec": {**spec, **more}})
            found = jobs.named(name)
            assert found is not None and found.gpus == gpus


def serve(scene: Theatre, type_: str = "Inference") -> None:
    with scene.lab.world.lock:
        scene.runai("iad").submit("team", "serve", gpus=2, claim_names=["home"], type=type_)


@pytest.mark.parametrize("type_", NEVER_SUSPENDED)
@pytest.mark.parametrize("mode", ["planned", "fork"])
def test_what_cannot_be_suspended_holds_a_move_that_has_to_stop_the_writes(
    scene: Theatre, mode: str, type_: str
) -> None:
    serve(scene, type_)
    if mode == "fork":
        declared(scene)
    plan: Callable[[], MovePlan] = (lambda: fork(scene)) if mode == "fork" else scene.plan
    with pytest.raises(
        VastplanError, match=rf"{type_} serve mounts it, and a workload of this type cannot be suspended"
    ):
        plan()
    assert scene.workloads("iad") == {"serve": "Running"} and scene.workloads("pdx") == {}


@pytest.mark.parametrize("type_", NEVER_SUSPENDED)
def test_what_cannot_be_suspended_is_submitted_at_the_other_site_when_its_own_is_given_up(
    scene: Theatre, type_: str
) -> None:
    scene.start_job()
    serve(scene, type_)
    scene.clock.sleep(3700)
    scene.lab.world.lose("iad", systems=["vast"], links=True)
    scene.clock.sleep(60)
    plan = scene.plan(mode="unplanned")
    assert {job["name"]: job.get("suspends") for job in plan.jobs} == {"train": None, "serve": False}
    shown = {fact.name: fact.value for fact in plan.evidence}
    assert "cannot be suspended" in shown["workload serve"] and "cannot be" not in shown["workload train"]
    done = scene.run(plan)
    assert scene.workloads("iad") == {"train": "Stopped", "serve": "Running"}
    assert done.facts["fenced"] == "the workloads at iad have stopped, except serve, which cannot be suspended"
    assert scene.workloads("pdx") == dict.fromkeys((f"train-m{done.id}", f"serve-m{done.id}"), "Running")


@pytest.mark.parametrize("type_", NEVER_SUSPENDED)
def test_what_cannot_be_suspended_is_rehearsed(scene: Theatre, type_: str) -> None:
    serve(scene, type_)
    scene.clock.sleep(3700)
    done = scene.run(scene.plan(mode="rehearse"))
    assert {job["name"]: job["phase"] for job in done.facts[CAME].values()} == {f"serve-r{done.id}": "Running"}
    assert scene.workloads("iad") == {"serve": "Running"} and scene.workloads("pdx") == {}


def test_a_new_source_that_does_not_replicate_by_itself_is_enabled(scene: Theatre) -> None:
    for site in ("iad", "pdx"):
        cluster = scene.vast(site)._cluster
        cluster.assumed = replace(cluster.assumed, enabled_after_failover=False)
    done = scene.run(scene.plan())
    assert done.phase is Phase.DONE and [one.call for one in done.of("open")] == ["enable"]
    assert scene.path("pdx")["enabled"] is True


def test_a_pod_that_mounts_the_claim_holds_the_freeze(scene: Theatre) -> None:
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "shell", "namespace": "runai-team"},
        "spec": {
            "containers": [{"name": "c", "image": "i"}],
            "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "home"}}],
        },
    }
    scene.lab.by_hand("iad", "kubernetes", "POST", "/api/v1/namespaces/runai-team/pods", pod)
    plan = scene.plan()
    assert ("pod that mounts it", "runai-team/shell") in [(fact.name, fact.value) for fact in plan.evidence]
    deleted: list[str] = []

    def tidy() -> None:
        if any("pod runai-team/shell mounts it" in text for text in scene.told) and not deleted:
            deleted.append("shell")
            scene.lab.by_hand("iad", "kubernetes", "DELETE", "/api/v1/namespaces/runai-team/pods/shell")

    scene.clock.watchers.append(tidy)
    assert scene.run(plan).phase is Phase.DONE and deleted == ["shell"]
