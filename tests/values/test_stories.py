"""What people do with a document that has keys, over time; after each story there is one live key for each entry, where it belongs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.lab import Lab
from tests.values.plant import SECRET, Plant
from tests.values.test_s3_keys import later
from vastplan.sim.store import Row


@pytest.fixture
def plant(tmp_path: Path, vastplan: Run) -> Iterator[Plant]:
    with Lab(tmp_path, {"iad": ["vast", "kubernetes"]}) as lab:
        plant = Plant(lab, vastplan)
        plant.write(generation=1)
        assert plant.run("apply", "--auto-approve").code == 0
        yield plant


def by_hand(plant: Plant, method: str, key: Row, **more: object) -> None:
    """Somebody does something to a key of the user."""
    body = {"access_key": key["access_key"], "tenant_id": key["tenant_id"], **more}
    plant.lab.by_hand("iad", "vast", method, f"/api/v5/users/{key['user_id']}/access_keys/", body)


def at_rest(plant: Plant, *more: str) -> Row:
    """Apply until nothing is left to do; the one key that there is then."""
    ran = plant.run("apply", "--auto-approve", *more)
    assert ran.code == 0 and plant.run("plan", "--detailed-exitcode").code == 0, ran
    (key,) = plant.pairs()
    assert plant.holds_the_pair_of(key)
    return key


@pytest.mark.slow
def test_a_key_that_somebody_deleted_is_made_again_and_delivered(plant: Plant) -> None:
    (old,) = plant.pairs()
    by_hand(plant, "DELETE", old)
    ran = plant.run("plan")
    assert "deleted outside vastplan" in ran.out, ran
    assert at_rest(plant, "--believe-gone", "*")["access_key"] != old["access_key"]


@pytest.mark.slow
def test_a_key_that_somebody_disabled_works_again_and_is_the_same(plant: Plant) -> None:
    plant.write(generation=2, overlap=0, enabled=True)
    old = at_rest(plant)
    by_hand(plant, "PATCH", old, enabled=False)
    ran = plant.run("drift", "--format", "json")
    assert ran.code == 2 and "enabled" in ran.out, ran
    assert at_rest(plant) == old


@pytest.mark.slow
def test_a_key_that_somebody_made_beside_it_is_nobody_s_of_ours(plant: Plant) -> None:
    (old,) = plant.pairs()
    path = f"/api/v5/users/{old['user_id']}/access_keys/"
    plant.lab.by_hand("iad", "vast", "POST", path, {"tenant_id": old["tenant_id"]})
    ran = plant.run("plan", "--detailed-exitcode")
    assert ran.code == 0, ran
    (note,) = [line for line in ran.out.splitlines() if "VP337" in line]
    assert "iad/s3_key/trainer: tenant team-a, user alice: 1 s3_key more than the ledger has" in note
    (hand,) = [pair for pair in plant.pairs() if pair != old]
    assert f"s3_key {hand['access_key']}" in plant.run("drift").out  # which the note sends people to
    plant.write(generation=2)
    assert plant.run("apply", "--auto-approve").code == 0 and len(plant.pairs()) == 3
    assert "1 s3_key more than the ledger has" in plant.run("plan").out  # the one in its overlap is known
    plant.write(generation=2, overlap=0)
    assert plant.run("apply", "--auto-approve").code == 0
    assert len(plant.pairs()) == 2 and old not in plant.pairs()
    by_hand(plant, "DELETE", hand)
    assert "VP337" not in plant.run("plan").out


def test_an_old_version_from_git_asks_for_no_other_key_and_is_told_the_number(plant: Plant) -> None:
    plant.write(generation=2, overlap=0)
    key = at_rest(plant)
    for old in ({"generation": 1}, {}):  # also where somebody leaves it out
        plant.write(**old, overlap=0)
        ran = plant.run("apply", "--auto-approve")
        assert ran.code == 1 and plant.pairs() == [key], ran
        assert "VP336: iad/s3_key/trainer: generation 1" in ran.out and "is lower than 2 in the ledger" in ran.out, ran
        assert "generation: 2 to leave it as it is, generation: 3 for another value" in ran.out, ran
    plant.write(generation=2, overlap=0)
    assert at_rest(plant) == key
    plant.write(generation=3, overlap=0)
    assert "the document asks for another generation: 3 after 2" in plant.run("plan").out
    assert at_rest(plant) != key


@pytest.mark.slow
def test_another_destination_gets_another_key_and_the_former_one_goes_when_that_is_asked_for(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    (old,) = plant.pairs()
    plant.write(generation=1, deliver={"secret": "team-a/elsewhere"})
    ran = plant.run("apply", "--auto-approve", "--allow-delete", "iad/secret/team-a/s3")
    assert "it is delivered elsewhere now, and the system never returns its value again" in ran.out, ran
    assert old in plant.pairs() and len(plant.pairs()) == 2
    monkeypatch.setattr("tests.values.plant.SECRET", SECRET.replace("/s3", "/elsewhere"))
    later(monkeypatch, timedelta(hours=25))
    ran = plant.run("apply", "--auto-approve")
    assert f"--allow-delete 'iad/s3_key/trainer#{old['access_key']}'" in ran.out and old in plant.pairs(), ran
    assert at_rest(plant, "--allow-delete", f"iad/s3_key/trainer#{old['access_key']}") != old


@pytest.mark.slow
def test_an_entry_that_is_renamed_keeps_its_key(plant: Plant) -> None:
    (old,) = plant.pairs()
    text = plant.document.read_text()
    plant.document.write_text(text.replace("trainer:", "loader:\n        renamed_from: trainer", 1))
    assert "renamed_from" in plant.document.read_text()
    assert at_rest(plant) == old


def test_a_user_who_goes_takes_his_former_keys_along_and_nobody_asks_for_more_than_the_user(plant: Plant) -> None:
    plant.write(generation=2)
    assert plant.run("apply", "--auto-approve").code == 0
    former = {row["access_key"] for row in plant.pairs()} - {plant.delivered()["AWS_ACCESS_KEY_ID"]}
    text = plant.document.read_text()
    plant.document.write_text(text.replace("uid: 30109", "uid: 30110").replace("alice", "bob"))
    replaced = ("--allow-delete", "iad/s3_key/trainer")  # a key is one user's
    ran = plant.run("apply", "--auto-approve", *replaced)
    assert "--allow-delete iad/user/alice" in ran.out and "what it belongs to is deleted: iad/user/alice" in ran.out, (
        ran
    )
    assert former <= {row["access_key"] for row in plant.pairs()}
    key = at_rest(plant, *replaced, "--allow-delete", "iad/user/alice")
    assert {key["access_key"]}.isdisjoint(former)


@pytest.mark.slow
def test_a_user_who_is_renamed_keeps_his_key(plant: Plant) -> None:
    (old,) = plant.pairs()
    text = plant.document.read_text().replace("alice:\n", "bob:\n        name: alice\n        renamed_from: alice\n")
    plant.document.write_text(text.replace("user: alice", "user: bob"))
    assert "renamed_from" in plant.document.read_text()
    assert at_rest(plant) == old


def test_two_documents_do_not_write_over_each_other_s_values(plant: Plant, vastplan: Run) -> None:
    (old,) = plant.pairs()
    other = plant.lab.folder / "other"
    other.mkdir()
    text = plant.document.read_text().replace("name: doc", "name: other")
    (other / "doc.yaml").write_text(text)
    (other / ".vastplan").symlink_to(plant.lab.folder / ".vastplan", target_is_directory=True)
    ran = vastplan("apply", other / "doc.yaml", "--auto-approve")
    assert ran.code != 0, ran
    assert plant.pairs() == [old] and plant.holds_the_pair_of(old)
    assert plant.run("plan", "--detailed-exitcode").code == 0
