"""Workloads as a move sees them: by the claim in their specification, of every type that can be submitted again."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.moving.theatre import Theatre
from vastplan.app.connect import connected
from vastplan.model.errors import Refused
from vastplan.model.operation import Phase
from vastplan.schema.replicated import Job
from vastplan.systems.runai.client import RunaiProvider
from vastplan.systems.runai.jobs import RunaiJobs


@contextlib.contextmanager
def jobs_at(scene: Theatre, site: str) -> Iterator[RunaiJobs]:
    with connected(scene.lab.workspace().document, sites=(site,), writable=True) as providers:
        provider = providers[site, "runai"]
        assert isinstance(provider, RunaiProvider)
        yield RunaiJobs(site, provider)


def project(scene: Theatre, site: str) -> str:
    rows = scene.lab.by_hand(site, "runai", "GET", "/api/v1/org-unit/projects")["projects"]
    return str(next(row["id"] for row in rows if row["name"] == "team"))


@pytest.mark.parametrize("kind", ["Training", "Workspace", "Distributed"])
def test_each_type_is_found_suspended_resumed_and_submitted_again(scene: Theatre, kind: str) -> None:
    with scene.lab.world.lock:
        scene.runai("iad").submit("team", "one", gpus=2, claim_names=["home", "other"], type=kind)
        scene.runai("iad").submit("team", "not-mine", gpus=1, claim_names=["other"], type=kind)
        scene.runai("iad").submit("team", "over", gpus=1, claim_names=["home"], type=kind, phase="Completed")
    with jobs_at(scene, "iad") as here, jobs_at(scene, "pdx") as there:
        (job,) = here.using(project(scene, "iad"), "home")
        assert (job.name, job.type, job.gpus, job.stopped) == ("one", kind, 2.0, False)
        here.suspend(job)
        assert [found.phase for _ in range(2) if (found := here.job(job.id))] == ["Stopping", "Stopped"]
        here.resume(job)
        asked = here.mapped(here.specification(job), {"home": "home-2"}, "vastplan.move=1a")
        assert "nodePools" in here.specification(job)["spec"] and "nodePools" not in asked["spec"]
        mounts = [(one["claimName"], one["path"]) for one in asked["spec"]["storage"]["pvc"]]
        assert mounts == [("home-2", "/home"), ("other", "/other")]
        assert asked["spec"]["labels"] == [{"name": "vastplan.move", "value": "1a"}]
        there.submit(kind, "one-m1a", project(scene, "pdx"), asked)
        found = there.named("one-m1a")
        assert isinstance(found, Job) and found.type == kind and there.specification(found) == asked
        with pytest.raises(Refused, match="400 The request is not valid"):
            there.submit(kind, "one-m1a", project(scene, "pdx"), asked)
        with scene.lab.world.lock:
            scene.runai("pdx").end(found.id)
        assert there.named("one-m1a") is None and there.job(found.id) is None
        assert there.job("00000000-0000-0000-0000-000000000000") is None


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
