"""Plans and ledgers that somebody changed: no value goes elsewhere than the document says, and none is made for that."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run
from tests.lab import Lab
from tests.trust.mutations import rewritten
from tests.values.plant import Plant

THEIRS = "/api/v1/namespaces/team-b/secrets/s3"
KEY = "iad/s3_key/trainer"


@pytest.fixture
def plant(tmp_path: Path, vastplan: Run) -> Iterator[Plant]:
    with Lab(tmp_path, {"iad": ["vast", "kubernetes"]}) as lab:
        plant = Plant(lab, vastplan)
        lab.by_hand("iad", "kubernetes", "POST", "/api/v1/namespaces", {"metadata": {"name": "team-b"}})
        theirs = {"metadata": {"name": "s3", "namespace": "team-b"}, "data": {"OTHER": "dGhlaXJz"}}
        lab.by_hand("iad", "kubernetes", "POST", "/api/v1/namespaces/team-b/secrets", theirs)
        yield plant


def elsewhere(key: dict[str, Any]) -> None:
    """To a stranger's Secret."""
    key["desired"]["deliver"]["secret"] = {"$existing": "iad/secret/team-b/s3"}


def to_theirs(key: dict[str, Any]) -> None:
    """The same, as if that were ours."""
    key["desired"]["deliver"]["secret"] = {"$ref": "iad/secret/team-b/s3"}


def under_another_key(key: dict[str, Any]) -> None:
    """To where nobody looks."""
    key["desired"]["deliver"]["keys"]["secret_key"] = "ELSEWHERE"


def of_another_kind(key: dict[str, Any]) -> None:
    """To what everybody reads."""
    key["desired"]["deliver"]["secret"] = {"$ref": "iad/namespace/team-a"}


@pytest.mark.slow
@pytest.mark.parametrize("change", [elsewhere, to_theirs, under_another_key, of_another_kind])
def test_a_plan_that_says_another_destination_makes_no_key(
    change: Callable[[dict[str, Any]], None], plant: Plant
) -> None:
    plant.write()
    assert plant.run("apply", "--auto-approve").code == 0
    plant.write(generation=1)
    saved = plant.lab.folder / "plan.json"
    plant.run("plan", "--out", saved)
    whole = json.loads(saved.read_text())
    (key,) = (one for one in whole["actions"] if one["address"] == KEY)
    change(key)
    saved.write_bytes(rewritten("plan", whole))
    ran = plant._vastplan("apply", saved)
    assert ran.code == 5, ran
    assert not plant.pairs() and "Traceback" not in ran.err
    assert plant.lab.by_hand("iad", "kubernetes", "GET", THEIRS)["data"] == {"OTHER": "dGhlaXJz"}


@pytest.mark.slow
def test_a_plan_that_has_a_key_make_room_at_another_s_place_in_the_ledger_moves_nothing_there(plant: Plant) -> None:
    plant.write(generation=1)
    assert plant.run("apply", "--auto-approve").code == 0
    (old,) = plant.pairs()
    plant.write(generation=2)
    saved = plant.lab.folder / "plan.json"
    plant.run("plan", "--out", saved)
    whole = json.loads(saved.read_text())
    (key,) = (one for one in whole["actions"] if one["address"] == KEY)
    assert key["supersedes"] == f"{KEY}#{old['access_key']}"
    key["supersedes"] = "iad/user/alice"
    saved.write_bytes(rewritten("plan", whole))
    file = plant.lab.folder / ".vastplan" / "ledger" / "iad.json"
    before = json.loads(file.read_text())["entries"]
    plant._vastplan("apply", saved)
    after = json.loads(file.read_text())["entries"]
    assert after["iad/user/alice"] == before["iad/user/alice"]
    assert {one["id"] for one in after.values()} >= {row["access_key"] for row in plant.pairs()}


def test_a_ledger_that_takes_a_stranger_s_secret_for_ours_delivers_nothing_into_it(plant: Plant) -> None:
    plant.write(generation=1)
    assert plant.run("apply", "--auto-approve").code == 0
    (old,) = plant.pairs()
    theirs = plant.lab.by_hand("iad", "kubernetes", "GET", THEIRS)
    file = plant.lab.folder / ".vastplan" / "ledger" / "iad.json"
    ledger = json.loads(file.read_text())
    ledger["entries"]["iad/secret/team-a/s3"] |= {"id": theirs["metadata"]["uid"], "locator": "team-b/s3"}
    file.write_text(json.dumps(ledger))
    plant.write(generation=2)
    plant.run("apply", "--auto-approve", "--allow-delete", "iad/s3_key/*")
    assert plant.lab.by_hand("iad", "kubernetes", "GET", THEIRS)["data"] == {"OTHER": "dGhlaXJz"}
    assert plant.pairs() == [old] and plant.holds_the_pair_of(old)


@pytest.mark.slow
@pytest.mark.parametrize("what", ["delivered", "delivered_at", "fields"])
def test_a_ledger_that_says_something_else_of_a_delivery_takes_no_working_key_away(what: str, plant: Plant) -> None:
    plant.write(generation=1)
    assert plant.run("apply", "--auto-approve").code == 0
    (old,) = plant.pairs()
    file = plant.lab.folder / ".vastplan" / "ledger" / "iad.json"
    ledger = json.loads(file.read_text())
    changed = {"delivered": {"iad/secret/team-b/s3 OTHER": "00" * 8}, "delivered_at": "", "fields": {}}
    ledger["entries"][KEY][what] = changed[what]
    file.write_text(json.dumps(ledger))
    plant.write(generation=1)
    ran = plant.run("apply", "--auto-approve")
    assert "Traceback" not in ran.err and old in plant.pairs(), ran
    assert plant.lab.by_hand("iad", "kubernetes", "GET", THEIRS)["data"] == {"OTHER": "dGhlaXJz"}
