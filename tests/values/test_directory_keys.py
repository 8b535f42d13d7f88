"""S3 keys of users whom a directory has: delivered and rotated as others are, and those of two users are never mixed up."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run
from tests.lab import Lab
from tests.values.plant import Plant
from tests.values.test_s3_keys import later
from vastplan.kinds.vast.directory_key import KIND
from vastplan.model.errors import Refused, Unreachable
from vastplan.schema.endpoint import AskedMembers
from vastplan.sim.vast import keys
from vastplan.systems.vast import unlisted_rights


@pytest.fixture
def plant(tmp_path: Path, vastplan: Run) -> Iterator[Plant]:
    with Lab(tmp_path, {"iad": ["vast", "kubernetes"]}) as lab:
        one = Plant(lab, vastplan)
        one.enrol(carol=40001, dora=40002)
        yield one


CAROL = {"user": {"existing": "carol"}}


def whose(plant: Plant) -> dict[str, str]:
    return {row["access_key"]: row["_somebody"] for row in plant.pairs()}


@pytest.mark.slow
def test_his_key_is_made_without_making_him_and_delivered(plant: Plant) -> None:
    plant.write(**CAROL)
    ran = plant.run("plan")
    assert "+ directory_key trainer" in ran.out and "delivered to secret team-a/s3" in ran.out, ran
    assert plant.run("apply", "--auto-approve").code == 0
    (row,) = plant.pairs()
    assert row["_somebody"] == "directory:carol" and plant.holds_the_pair_of(row)
    assert plant.run("plan", "--detailed-exitcode").code == 0
    assert plant.run("drift").code == 0
    plant.write()
    assert plant.run("apply", "--auto-approve", "--allow-delete", "iad/*").code == 0
    assert plant.pairs() == []


def test_a_local_user_is_not_taken_for_one_of_the_directory_and_his_key_stays(plant: Plant) -> None:
    plant.write(generation=1)
    plant.run("apply", "--auto-approve")
    (old,) = plant.pairs()
    plant.write(user={"existing": "alice"})
    text, users = plant.document.read_text(), "    users:\n      alice:\n        uid: 30109\n"
    assert users in text
    plant.document.write_text(text.replace(users, ""))
    for words in ((), ("--adopt", "--allow-delete", "*")):
        ran = plant.run("plan", *words)
        assert ran.code != 0 and "alice is a local user: write the user in users" in ran.out + ran.err, ran
        plant.run("apply", "--auto-approve", *words)
        assert plant.pairs() == [old] and plant.holds_the_pair_of(old)


@pytest.mark.slow
def test_another_generation_leaves_the_former_pair_for_a_day(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    plant.write(**CAROL, generation=1)
    plant.run("apply", "--auto-approve")
    (old,) = plant.pairs()
    plant.write(**CAROL, generation=2)
    assert plant.run("apply", "--auto-approve").code == 0
    new = next(row for row in plant.pairs() if row != old)
    assert plant.holds_the_pair_of(new) and old in plant.pairs()
    later(monkeypatch, timedelta(hours=25))
    ran = plant.run("apply", "--auto-approve")
    assert ran.code == 0 and f"- directory_key trainer#{old['access_key']}" in ran.out, ran
    assert plant.pairs() == [new]


@pytest.mark.slow
def test_a_key_that_another_user_has_is_none_of_ours(plant: Plant) -> None:
    plant.write(**CAROL, overlap=0)
    plant.run("apply", "--auto-approve")
    (of_carol,) = plant.pairs()
    plant.write(user={"existing": "dora"}, overlap=0)
    consent = ("--allow-delete", "iad/directory_key/*")
    ran = plant.run("apply", "--auto-approve", *consent)
    assert ran.code == 0, ran
    (of_dora,) = plant.pairs()
    assert of_dora["_somebody"] == "directory:dora" and of_dora["access_key"] != of_carol["access_key"]
    assert plant.holds_the_pair_of(of_dora)
    assert plant.run("plan", "--detailed-exitcode").code == 0


@pytest.mark.slow
def test_who_is_in_no_directory_gets_no_key(plant: Plant) -> None:
    plant.write(user={"existing": "nobody"})
    ran = plant.run("apply", "--auto-approve")
    assert ran.code != 0 and plant.pairs() == [], ran


def rows(*shown: Any) -> list[dict[str, Any]]:
    shape = KIND.endpoint.shape
    assert isinstance(shape, AskedMembers)
    return unlisted_rights.key_rows(
        KIND.endpoint, shape, "team-a/carol/", {"name": "carol", "access_keys": list(shown)}
    )


def test_each_release_shows_keys_in_a_form_of_its_own() -> None:
    newest = {"access_key": "AK1", "enabled": False, "remote": False}
    older, oldest = {"key": "AK1", "status": "disabled"}, ["AK1", "disabled"]
    for form in (newest, older, oldest):
        (row,) = rows(form)
        assert {row[name] for name in ("tenant",)} == {"team-a"}
        assert (row["access_key"], row["enabled"], row["user"]) == ("AK1", False, "carol")
    assert rows({"key": "AK2", "status": "enabled"})[0]["enabled"] is True
    assert rows({**newest, "remote": True}) == []


def test_what_cannot_be_read_is_not_none() -> None:
    with pytest.raises(Unreachable, match="access_keys of carol is not a list of objects"):
        rows("AK1")
    shape = KIND.endpoint.shape
    assert isinstance(shape, AskedMembers)
    assert unlisted_rights.known_by(shape, 7, {"uid": None, "sid": "S-1-5-7"}) == {"sid": "S-1-5-7", "tenant_id": 7}
    with pytest.raises(Refused, match="has none of uid, sid"):
        unlisted_rights.known_by(shape, 7, {"name": "carol"})
    assert keys.OF_DIRECTORY != keys.NAME
