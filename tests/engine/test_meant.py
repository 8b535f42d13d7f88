"""Of several Secrets of one name a credential means that of its project's namespace, and stands in the way of no other."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab import Lab
from vastplan.engine.live.namesakes import referred_objects
from vastplan.engine.live.observe import Observed

LABELS = {"run.ai/resource": "access-key"}
TEAMS = ("one", "two")


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    with Lab(tmp_path, {"iad": ["kubernetes", "runai"]}) as made:
        made.write({"projects": {team: {"gpus": {"default": 8}} for team in TEAMS}, "namespaces": {"runai": {}}})
        made.converge()
        yield made


def of_team(team: str) -> dict[str, Any]:
    """A Secret that is called s3, in the namespace of a team."""
    return {"name": "s3", "namespace": {"existing": f"runai-{team}"}, "labels": LABELS, "data": {"a": "b"}}


def written(lab: Lab, *teams: str, secrets: dict[str, Any] | None = None) -> None:
    """The projects, and of these teams a Secret that is called s3 and the credential of it."""
    lab.write(
        {
            "projects": {team: {"gpus": {"default": 8}} for team in TEAMS},
            "namespaces": {"runai": {}},
            "secrets": {f"of-{team}": of_team(team) for team in teams} if secrets is None else secrets,
            "access_key_credentials": {
                f"s3-{team}": {"name": "s3", "project": team, "existing_secret": f"of-{team}"} for team in teams
            },
        }
    )


def in_use(lab: Lab) -> dict[str, str]:
    """What stands in the way of deletes."""
    return {
        str(action.address): block.message
        for action in lab.plan(lab.consent_to_loss(*[str(one.address) for one in lab.plan().actions])).actions
        for block in action.blocked
        if block.guard == "in-use"
    }


def by_hand(lab: Lab, scope: str, **of: Any) -> None:
    """A credential that somebody made, of a Secret called s3."""
    body = {"meta": {"name": "by-hand", "scope": scope, **of}, "spec": {"existingSecretName": "s3"}}
    lab.by_hand("iad", "runai", "POST", "/api/v1/asset/credentials/access-key", body)


def project_id(lab: Lab, name: str) -> int:
    """The id of a project."""
    return next(int(row["id"]) for row in lab.rows("iad", "project") if row["name"] == name)


@pytest.mark.parametrize("going", TEAMS)
def test_one_of_a_name_goes_while_the_other_is_used(lab: Lab, going: str) -> None:
    written(lab, *TEAMS)
    lab.converge()
    assert lab.plan().actions == ()
    written(lab, *(team for team in TEAMS if team != going))
    assert in_use(lab) == {}


@pytest.mark.parametrize("going", TEAMS)
def test_a_credential_that_nobody_wrote_holds_the_one_of_its_project(lab: Lab, going: str) -> None:
    written(lab, *TEAMS)
    lab.converge()
    by_hand(lab, "project", projectId=project_id(lab, going))
    written(lab)
    assert set(in_use(lab)) == {f"iad/secret/of-{going}"}


def test_a_credential_of_the_cluster_holds_the_one_that_is_in_no_project(lab: Lab) -> None:
    shared = {"name": "s3", "namespace": "runai", "labels": LABELS, "data": {"a": "b"}}
    written(lab, secrets={"of-one": of_team("one"), "shared": shared})
    lab.converge()
    by_hand(lab, "cluster", clusterId=lab.rows("iad", "project")[0]["clusterId"])
    written(lab)
    assert set(in_use(lab)) == {"iad/secret/shared"}


def test_where_the_project_is_not_known_any_of_the_name_may_be_meant(lab: Lab) -> None:
    written(lab, *TEAMS)
    lab.converge()
    observed = lab.planned().matches.observed
    (one,) = (live for live in observed.objects("iad", "access_key_credential") if live.attributes["name"] == "s3" and
              str(live.values["project"]) == str(project_id(lab, "one")))  # fmt: skip
    known = [live.locator for live in referred_objects(observed, one, "secret", "name", "s3")]
    without = Observed({key: read for key, read in observed.collections.items() if key[1] != "project"})
    assert known == ["runai-one/s3"]
    assert {live.locator for live in referred_objects(without, one, "secret", "name", "s3")} == {
        "runai-one/s3",
        "runai-two/s3",
    }
    assert referred_objects(observed, one, "secret", "name", "another") == []


@pytest.mark.parametrize("going", TEAMS)
def test_it_is_told_also_where_the_document_does_not_speak_of_the_projects(lab: Lab, going: str) -> None:
    shutil.rmtree(lab.folder / ".vastplan" / "ledger")  # they are another document's
    lab.write({"secrets": {f"of-{team}": of_team(team) for team in TEAMS}})
    lab.converge()
    by_hand(lab, "project", projectId=project_id(lab, going))
    lab.write({})
    assert set(in_use(lab)) == {f"iad/secret/of-{going}"}


def test_it_is_told_also_where_the_document_speaks_of_no_project_for_one_of_the_cluster(lab: Lab) -> None:
    shutil.rmtree(lab.folder / ".vastplan" / "ledger")
    shared = {"name": "s3", "namespace": {"existing": "runai"}, "labels": LABELS, "data": {"a": "b"}}
    lab.write({"secrets": {"of-one": of_team("one"), "shared": shared}})
    lab.converge()
    by_hand(lab, "cluster", clusterId=lab.rows("iad", "project")[0]["clusterId"])
    lab.write({})
    assert set(in_use(lab)) == {"iad/secret/shared"}


@pytest.mark.parametrize(("said", "where"), [({}, "runai-one"), ({"requestedNamespace": "runai-two"}, "runai-two")])
def test_a_project_that_has_no_namespace_yet_is_to_have_the_one_that_follows(
    lab: Lab, said: dict[str, Any], where: str
) -> None:
    written(lab, *TEAMS)
    lab.converge()
    observed = lab.planned().matches.observed
    project = observed.find("iad", "project", "name", "one")
    credential = next(live for live in observed.objects("iad", "access_key_credential")
                      if project is not None and str(live.values["project"]) == project.id)  # fmt: skip
    assert project is not None
    project.attributes["namespace"] = None
    project.values["namespace"] = said.get("requestedNamespace")
    assert [live.locator for live in referred_objects(observed, credential, "secret", "name", "s3")] == [f"{where}/s3"]
    project.values |= {"name": None, "namespace": None}
    assert {live.locator for live in referred_objects(observed, credential, "secret", "name", "s3")} == {
        "runai-one/s3",
        "runai-two/s3",
    }
