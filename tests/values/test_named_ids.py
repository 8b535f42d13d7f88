"""Former objects that somebody names by their ids: one that is there is never said to be nowhere, and one that is not is an error."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.lab import Lab
from tests.values.plant import Plant
from vastplan.model.shell import word
from vastplan.sim.faults import Effect, Fault

KEY = "iad/s3_key/trainer"


@pytest.fixture
def plant(tmp_path: Path, vastplan: Run) -> Iterator[Plant]:
    """With a key that was made and delivered, and is to be another one."""
    with Lab(tmp_path, {"iad": ["vast", "kubernetes"]}) as lab:
        one = Plant(lab, vastplan)
        one.write(generation=1)
        assert one.run("apply", "--auto-approve").code == 0
        yield one


def said(plant: Plant, *words: str) -> list[str]:
    """What a plan says of what was named, and that it fails for an error alone."""
    ran = plant.run("plan", *words)
    found = [line.strip() for line in ran.out.splitlines() if "VP303" in line or "VP317" in line]
    assert (ran.code == 1) == any("error VP303" in line for line in found), ran
    return found


@pytest.mark.parametrize("option", ["--allow-delete", "--allow-narrow", "--believe-gone"])
def test_an_id_that_nothing_has_is_an_error_and_one_that_is_there_is_not(plant: Plant, option: str) -> None:
    (old,) = plant.pairs()
    former, unknown = f"{KEY}#{old['access_key']}", f"{KEY}#AKNOBODY"
    text = f"error VP303: {option} {unknown}: no former object has that id"
    assert said(plant, option, unknown) == [f"{text} ({KEY} has no former object now)"]
    plant.write(generation=2)
    assert said(plant, option, former, option, "iad/*#*") == []  # it is not a former one in the ledger before an apply
    assert said(plant, option, unknown) == [f"{text} ({KEY} has: {former})"]
    assert plant.run("apply", "--auto-approve").code == 0
    assert said(plant, option, former) == []
    assert said(plant, option, unknown) == [f"{text} ({KEY} has: {former})"]


def test_a_target_beside_another_one_is_an_error_too_and_a_pattern_is_a_warning(plant: Plant) -> None:
    assert said(plant, "--target", KEY, "--target", "iad/s3_key/trainr#1") == [
        f"error VP303: --target iad/s3_key/trainr#1: no former object has that id (did you mean {KEY}?)"
    ]
    assert said(plant, "--allow-delete", "iad/role/x#1")[0].endswith("(an address is site/kind/name)")
    assert [line.split(":")[0] for line in said(plant, "--target", KEY, "--target", "iad/s3_key/trainer#*")] == [
        "warning VP317"
    ]
    for no_address in ("x#1", "iad//x#1"):
        assert said(plant, "--allow-delete", no_address) == [
            f"error VP303: --allow-delete {word(no_address)} matches nothing here (an address is site/kind/name)"
        ]


def test_where_keys_cannot_be_read_nothing_is_said_of_an_id(plant: Plant) -> None:
    fault = Fault(Effect.STATUS, path="/access_keys|/users", times=500, status=500)
    plant.lab.world.sites["iad"].servers["vast"].faults.arm(fault)
    ran = plant.run("plan", "--allow-delete", f"{KEY}#AKNOBODY", "--format", "json")
    found = json.loads(ran.out)
    assert "s3_key" in {one["kind"] for one in found["unknown"]}, ran
    assert not {"VP303", "VP317"} & {one["code"] for one in found["findings"]}
