"""S3 keys by the command line: made, delivered, rotated, lost and found, and never in the open."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.lab import Lab
from tests.values.forms import forms
from tests.values.plant import MERGE, SECRET, Plant
from vastplan.sim.vast import VastPlane, keys


@pytest.fixture
def plant(tmp_path: Path, vastplan: Run) -> Iterator[Plant]:
    with Lab(tmp_path, {"iad": ["vast", "kubernetes"]}) as lab:
        yield Plant(lab, vastplan)


@pytest.fixture
def made(plant: Plant) -> Plant:
    """With a key that was made and delivered."""
    plant.write(generation=1)
    assert plant.run("apply", "--auto-approve").code == 0
    return plant


def later(monkeypatch: pytest.MonkeyPatch, by: timedelta) -> None:
    """It is so much later, as far as a plan can tell."""
    then = datetime.now().astimezone() + by
    for module in ("vastplan.app.planning.inputs", "vastplan.app.applying.prepare", "vastplan.app.apply"):
        monkeypatch.setattr(f"{module}.now", lambda: then)


@pytest.mark.slow
def test_the_search_for_secrets_would_find_one(made: Plant) -> None:
    (row,) = made.pairs()
    for form in forms(row[keys.SECRET]):
        (made.lab.folder / "leak").write_text(f"it is {form}")
        with pytest.raises(AssertionError, match="in the open"):
            made.run("validate")


def test_the_pair_is_in_the_secret_and_in_no_command_s_output_or_file(made: Plant, tmp_path: Path) -> None:
    (row,) = made.pairs()
    assert made.holds_the_pair_of(row)
    for words in (
        ("plan", "--format", "json"), ("plan", "--format", "html", "--out", tmp_path / "plan.json"), ("drift",),
        ("show", "iad/s3_key/trainer"), ("show", "iad/secret/team-a/s3"), ("ledger", "list"),
        ("record", "--out", tmp_path / "snapshot.json"), ("plan", "--snapshot", tmp_path / "snapshot.json"),
    ):  # fmt: skip
        command, *more = words
        ran = made._vastplan("ledger", "list", made.document) if command == "ledger" else made.run(str(command), *more)
        assert ran.code == 0, ran
    made.run("validate")
    ledger = json.loads((tmp_path / ".vastplan" / "ledger" / "iad.json").read_text())
    owned = ledger["entries"]["iad/s3_key/trainer"]
    assert owned["id"] == row["access_key"] and owned["delivered_at"]
    assert [*owned["delivered"]] == [
        "iad/secret/team-a/s3 AWS_ACCESS_KEY_ID", "iad/secret/team-a/s3 AWS_SECRET_ACCESS_KEY",
    ]  # fmt: skip
    snapshot = (tmp_path / "snapshot.json").read_text()
    assert not any(digest in snapshot for digest in owned["delivered"].values())


@pytest.mark.slow
def test_a_plan_says_where_it_goes_and_a_second_one_finds_nothing_to_do(plant: Plant) -> None:
    plant.write(generation=1)
    ran = plant.run("plan")
    assert "+ s3_key trainer" in ran.out, ran
    assert "access_key and secret_key: delivered to secret team-a/s3" in ran.out, ran
    assert plant.run("apply", "--auto-approve").code == 0
    assert plant.run("plan", "--detailed-exitcode").code == 0


@pytest.mark.slow
def test_another_generation_is_delivered_and_the_former_pair_works_for_a_day(
    made: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    (old,) = made.pairs()
    made.write(generation=2)
    ran = made.run("apply", "--auto-approve")
    assert ran.code == 0 and "the document asks for another generation" in ran.out, ran
    assert len(made.pairs()) == 2
    new = next(row for row in made.pairs() if row["id"] != old["id"])
    assert made.holds_the_pair_of(new)
    ran = made.run("plan", "--detailed-exitcode")
    assert ran.code == 0 and f"VP334: iad/s3_key/trainer#{old['access_key']}" in ran.out, ran
    assert made.run("drift").code == 0
    later(monkeypatch, timedelta(hours=25))
    ran = made.run("apply", "--auto-approve")
    assert ran.code == 0 and f"- s3_key trainer#{old['access_key']}" in ran.out, ran
    assert made.pairs() == [new] and made.run("plan", "--detailed-exitcode").code == 0


@pytest.mark.slow
def test_what_is_gone_from_the_secret_is_made_anew_and_nobody_s_pair_is_removed_unasked(made: Plant) -> None:
    (old,) = made.pairs()
    made.write(generation=1, overlap=0)
    made.lab.by_hand("iad", "kubernetes", "PATCH", SECRET, {"data": {"AWS_SECRET_ACCESS_KEY": None}}, **MERGE)
    ran = made.run("drift")
    assert ran.code == 2 and "undelivered iad/s3_key/trainer" in ran.out and "gone " not in ran.out, ran
    ran = made.run("drift", "--accept", "iad/s3_key/trainer")
    assert "its value is not where it was delivered, and there is none to accept" in ran.err, ran
    ran = made.run("apply", "--auto-approve")
    assert "its value is no longer at its destination: another is created" in ran.out, ran
    new = next(row for row in made.pairs() if row["id"] != old["id"])
    assert made.holds_the_pair_of(new) and old in made.pairs()
    former = f"iad/s3_key/trainer#{old['access_key']}"
    assert made.run("apply", "--auto-approve", "--allow-delete", former).code == 0
    assert made.pairs() == [new]


@pytest.mark.slow
def test_a_secret_that_somebody_deleted_comes_back_with_another_pair(made: Plant) -> None:
    (old,) = made.pairs()
    made.lab.by_hand("iad", "kubernetes", "DELETE", SECRET)
    lost = "iad/s3_key/trainer exists, but its value is missing where it was delivered"
    ran = made.run("plan")
    assert f"  {lost}\n" in ran.out and "iad/secret/team-a/s3 is gone" in ran.out, ran
    assert (
        "exists, but its value is missing where it was delivered, and another is created"
        in made.run("plan", "--format", "markdown").out
    )
    ran = made.run("apply", "--auto-approve", "--allow-delete", "iad/s3_key/*", "--believe-gone", "*")
    assert ran.code == 0, ran
    new = next(row for row in made.pairs() if row["id"] != old["id"])
    assert made.holds_the_pair_of(new)


@pytest.mark.slow
def test_a_lost_ledger_makes_and_deletes_nothing(made: Plant) -> None:
    (row,) = made.pairs()
    for file in (made.lab.folder / ".vastplan" / "ledger").glob("*.json"):
        file.unlink()
    ran = made.run("plan")
    assert "to create" not in ran.out.replace("0 to create", ""), ran
    assert made.run("apply", "--auto-approve", "--adopt").code == 0
    assert made.pairs() == [row] and made.holds_the_pair_of(row)
    assert made.run("plan", "--detailed-exitcode").code == 0


@pytest.mark.slow
def test_where_somebody_keeps_a_pair_none_is_delivered(plant: Plant) -> None:
    plant.write()
    assert plant.run("apply", "--auto-approve").code == 0
    theirs = {"metadata": {"name": "s3", "namespace": "team-a"}, "data": {"AWS_SECRET_ACCESS_KEY": "dGhlaXJz"}}
    plant.lab.by_hand("iad", "kubernetes", "POST", "/api/v1/namespaces/team-a/secrets", theirs)
    plant.write(generation=1)
    ran = plant.run("apply", "--auto-approve", "--adopt")
    assert "iad/secret/team-a/s3 has AWS_SECRET_ACCESS_KEY, which vastplan did not write" in ran.out, ran
    assert not plant.pairs() and plant.delivered() == {"AWS_SECRET_ACCESS_KEY": "theirs"}


@pytest.mark.slow
def test_an_old_key_is_told_by_plan_and_drift_from_what_the_cluster_says_or_else_the_ledger(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant.write(generation=1, max_age="90d")
    assert plant.run("apply", "--auto-approve").code == 0
    later(monkeypatch, timedelta(days=90))
    assert "IDN-09" not in plant.run("plan").out
    later(monkeypatch, timedelta(days=91))
    told = "IDN-09: iad/s3_key/trainer: was created on "
    for command in ("plan", "drift"):
        ran = plant.run(command)
        assert told in ran.out and "91 days ago, and its max_age is 90d (write generation: 2" in ran.out, ran
    plane = plant.lab.world.sites["iad"].planes["vast"]
    assert isinstance(plane, VastPlane)
    with plant.lab.world.lock:  # a VMS that tells no dates
        store = plane._cluster.store
        (key,) = store.rows(keys.NAME)
        store.put(keys.NAME, str(key["id"]), {**key, "creation_time": None})
    assert len(plant.pairs()) == 1 and plant.pairs()[0]["creation_time"] is None
    for command in ("plan", "drift"):
        ran = plant.run(command)
        assert told in ran.out and "91 days ago" in ran.out, ran
    later(monkeypatch, timedelta(days=90))
    assert "IDN-09" not in plant.run("plan").out


@pytest.mark.slow
def test_a_key_that_goes_takes_its_secret_along_when_that_is_asked_for(made: Plant) -> None:
    made.write()
    ran = made.run("apply", "--auto-approve")
    assert len(made.pairs()) == 1 and "--allow-delete iad/s3_key/trainer" in ran.out, ran
    ran = made.run("apply", "--auto-approve", "--allow-delete", "iad/s3_key/trainer", "--allow-delete", "iad/secret/*")
    assert ran.code == 0 and not made.pairs(), ran
