"""The planned move, from the plan to the new protection."""

from __future__ import annotations

from tests.moving.theatre import Theatre
from vastplan.model.operation import Phase


def test_a_job_moves_and_nothing_that_it_wrote_is_missing(scene: Theatre) -> None:
    scene.start_job()
    scene.clock.sleep(130)
    crowds: set[tuple[str, ...]] = set()
    scene.clock.watchers.append(lambda: crowds.add(tuple(scene.writers())))
    plan = scene.plan()
    assert [stage.name for stage in plan.stages if stage.no_return] == ["switch"]
    assert [job["name"] for job in plan.jobs] == ["train"]
    before = scene.labels("iad")
    done = scene.run(plan)
    assert done.phase is Phase.DONE
    assert scene.roles() == ("DESTINATION", "SOURCE")
    assert set(before) <= set(scene.labels("pdx"))
    assert scene.labels("pdx") == scene.labels("iad")
    assert scene.workloads("iad") == {"train": "Stopped"}
    assert scene.workloads("pdx") == {f"train-m{done.id}": "Running"}
    assert crowds <= {("iad",), ("pdx",), ()} and ("pdx",) in crowds
