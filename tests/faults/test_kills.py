"""SIGKILL at events of an apply, thinned for an ordinary test run; `make kills` takes every event."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.faults import plays
from tests.faults.case import Theatre
from tests.faults.kills import events, kill


@pytest.fixture(scope="module")
def theatre(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Theatre]:
    folder = tmp_path_factory.mktemp("kills")
    one = Theatre(folder / "home", *plays.small(folder))
    yield one
    one.close()


@pytest.mark.parametrize("number", [0, 1])
def test_after_a_kill_the_next_run_converges(number: int, theatre: Theatre) -> None:
    scene = theatre.scenes[number]
    many = events(theatre, scene)
    killed = [kill(theatre, scene, many * part // 5) for part in range(5)]
    assert killed.count(True) >= 4
