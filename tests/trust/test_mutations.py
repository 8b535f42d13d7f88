"""A sample of `python -m tests.trust.mutations`, and that it notices what it is there for."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.force import by_force
from tests.trust.mutations import Attack, attack, carried_out
from tests.trust.stage import Stage

SAMPLE = 20


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with tempfile.TemporaryDirectory() as folder:
        yield Stage(Path(folder))


@pytest.mark.slow
@pytest.mark.parametrize("first", by_force(range(1, 20 * SAMPLE, SAMPLE)))
def test_no_change_of_a_file_of_ours_does_more_than_the_file(first: int, stage: Stage) -> None:
    with stage.at_work():
        broken = {number: carried_out(attack(number, stage), stage).broken for number in range(first, first + SAMPLE)}
    assert {number: texts for number, texts in broken.items() if texts} == {}


def test_a_file_that_nobody_changed_does_what_it_did(stage: Stage) -> None:
    for name, scene in stage.scenes.items():
        ended = carried_out(Attack(0, "plan", name, stage.plans[name], ()), stage)
        assert (ended.extent, ended.broken) == ("same", []), ended.ran
        assert scene.writes


def test_what_is_too_much_is_noticed(stage: Stage) -> None:
    """What the bold plan does, where only that of the cautious one may be done; a file elsewhere; other limits."""
    told = stage.attack(stage.scenes["bold"], stage.plans["bold"]).broken(stage.scenes["cautious"])
    assert any(
        text.startswith("wrote what the plan does not: iad.vast.sim DELETE /api/v5/viewpolicies/") for text in told
    )
    assert any(text.startswith("owns ") and text.endswith(" as iad/namespace/legacy") for text in told), told
    opened = stage.run("validate", str(stage.outside / "secret.yaml"))
    assert any(text == f"opened {stage.outside / 'secret.yaml'}" for text in opened.broken(stage.scenes["bold"]))
    raised = replace(opened, limits={"count": 10_000})
    assert "noted the limits {'count': 10000}" in raised.broken(stage.scenes["bold"])


def test_the_same_number_is_the_same_attack(stage: Stage) -> None:
    one, other = attack(7, stage), attack(7, stage)
    assert one == other and json.loads(one.content)
