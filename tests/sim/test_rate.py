"""A busy server: too many requests within a second are refused in the vendor's words, and whoever waits gets through."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.force import by_force
from tests.lab import Lab
from vastplan.sim.faults import Rate


def test_any_second_holds_so_many() -> None:
    now = [0.0]
    rate = Rate(2, lambda: now[0])
    assert [rate.admits() for _ in range(3)] == [True, True, False]
    now[0] = 0.9
    assert not rate.admits()
    now[0] = 1.0
    assert [rate.admits() for _ in range(3)] == [True, True, False]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "document", "says"),
    by_force(
        [
            ("vast", {"tenants": {"a": {}}}, "Request was throttled."),
            ("runai", {"departments": {"d": {"gpus": {"default": 1}}}}, "too many requests"),
            ("kubernetes", {"namespaces": {"n": {}}}, "TooManyRequests"),
        ],
        several=True,
    ),
)
def test_a_plan_waits_and_gets_through(system: str, document: dict[str, object], says: str, tmp_path: Path) -> None:
    with Lab(tmp_path, {"iad": [system]}) as lab:
        lab.write(document)
        server = lab.world.sites["iad"].servers[system]
        assert says in str(server.plane.busy().body)
        server.rate = Rate(2)
        plan = lab.plan()
        assert plan.unknown == () and len(plan.actions) == 1
        assert any(call.status == 429 for call in server.calls)
