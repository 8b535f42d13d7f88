"""A move of a project that is killed or struck somewhere, then gone on with or taken back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.force import by_force
from tests.moving.matrix import STRIKING, goes_on, killed, struck, taken_back
from tests.moving.together import EVENTS, WRITES, Both, both, busy
from vastplan.model.operation import Phase


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Both]:
    monkeypatch.setenv("CSI_PASSWORD", "of-the-csi-user")
    with both(tmp_path) as one:
        yield one


@pytest.mark.parametrize("deadly", by_force(list(range(EVENTS)), "3", "121", "190", "321"))
def test_one_that_is_killed_goes_on(scene: Both, deadly: int) -> None:
    judge = busy(scene)
    plan = scene.plan()
    assert killed(scene, plan, deadly) == deadly + 1
    goes_on(scene, plan, deadly)
    judge.moved()


@pytest.mark.parametrize("number", range(WRITES))
@pytest.mark.parametrize("fault", by_force(STRIKING, "500 after commit"))
def test_one_whose_call_is_struck_goes_on(scene: Both, fault: str, number: int) -> None:
    judge = busy(scene)
    assert struck(scene, scene.plan(), fault, number, writes=True).struck
    judge.moved()


@pytest.mark.parametrize("deadly", by_force(list(range(0, EVENTS, 5)), "150"))
def test_one_that_is_killed_is_taken_back_until_the_first_switch(scene: Both, deadly: int) -> None:
    judge = busy(scene)
    plan = scene.plan()
    killed(scene, plan, deadly)
    if taken_back(scene, plan, deadly):
        assert scene.roles_of_all() == {("SOURCE", "DESTINATION")}
        assert scene.workloads("iad")["train"] in ("Resuming", "Running") and scene.workloads("pdx") == {}
        judge.recorded(Phase.ABORTED)
        assert judge.most <= 1
        return
    goes_on(scene, plan, deadly)
    judge.moved()
