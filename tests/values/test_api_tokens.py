"""API tokens by the command line: delivered, rotated with an overlap, revoked; and a manager comes in with one."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Ran, Run
from tests.lab import Lab
from tests.values.forms import forms
from vastplan.sim.store import Row
from vastplan.sim.vast import VastPlane, apitokens
from vastplan.sim.wire import Request

ALL = ("--auto-approve", "--allow-delete", "*", "--max-changes", "100")


class Site:
    """One site with a manager and a token."""

    def __init__(self, lab: Lab, vastplan: Run) -> None:
        self.lab, self._vastplan = lab, vastplan
        self.document = lab.folder / "doc.yaml"

    def write(self, *, token: dict[str, Any] | None, manager: bool = True) -> None:
        """The document; without a token, or without both."""
        deliver = {"secret": "team-a/vms"}
        tokens = {} if token is None else {"api_tokens": {"t": {"owner": "m", "deliver": deliver, **token}}}
        managers = {"managers": {"m": {"roles": ["look"], "deliver": {"secret": "team-a/m"}}}} if manager else {}
        role = {"roles": {"look": {"permissions_list": ["view_logical"]}}}
        whole = {
            "version": 1,
            "name": "doc",
            "sites": {"iad": {"sim": {"systems": ["vast", "kubernetes"]}}},
            "namespaces": {"team-a": {}},
            "tenants": {"team-a": {**role, **managers, **tokens}},
        }
        self.document.write_text(yaml.safe_dump(whole, sort_keys=False))

    def run(self, word: str, *more: str) -> Ran:
        """A command, after which no token is in what it printed or wrote."""
        ran = self._vastplan(word, self.document, *more)
        files = [file for file in self.lab.folder.rglob("*") if file.is_file() and "sim" not in file.parts]
        texts = [ran.out, ran.err, *(file.read_text(encoding="utf-8") for file in files)]
        for row in self.tokens():
            assert not any(form in text for text in texts for form in forms(row[apitokens.TOKEN])), ran
        return ran

    def tokens(self) -> list[Row]:
        """All tokens that were ever made, those that were revoked too."""
        with self.lab.world.lock:
            return [dict(row) for row in self._plane._cluster.store.rows(apitokens.NAME)]

    @property
    def _plane(self) -> VastPlane:
        plane = self.lab.world.sites["iad"].planes["vast"]
        assert isinstance(plane, VastPlane)
        return plane

    def delivered(self) -> dict[str, str]:
        """What is in the Secret."""
        path = "/api/v1/namespaces/team-a/secrets/vms"
        data = self.lab.by_hand("iad", "kubernetes", "GET", path).get("data") or {}
        return {key: base64.b64decode(value).decode() for key, value in data.items()}

    def asked_with(self, token: str, path: str = "/api/v5/views/") -> int:
        """What a call with a token is answered."""
        headers = {"authorization": f"Api-Token {token}", "x-tenant-name": "team-a"}
        with self.lab.world.lock:
            return self._plane.handle(Request("GET", path, {}, headers, b"", "")).status


@pytest.fixture
def site(tmp_path: Path, vastplan: Run) -> Iterator[Site]:
    with Lab(tmp_path, {"iad": ["vast", "kubernetes"]}) as lab:
        made = Site(lab, vastplan)
        made.write(token={})
        assert made.run("apply", "--auto-approve").code == 0
        yield made


def later(monkeypatch: pytest.MonkeyPatch, by: timedelta) -> None:
    then = datetime.now().astimezone() + by
    for module in ("vastplan.app.planning.inputs", "vastplan.app.applying.prepare", "vastplan.app.apply"):
        monkeypatch.setattr(f"{module}.now", lambda: then)


def test_its_owner_comes_in_with_it_and_may_what_his_role_says(site: Site) -> None:
    (row,) = site.tokens()
    assert site.delivered() == {"token": row[apitokens.TOKEN], "token_id": row["id"]}
    assert site.asked_with(row[apitokens.TOKEN]) == 200
    assert site.asked_with(row[apitokens.TOKEN], "/api/v5/roles/") == 403
    assert site.asked_with("another") == 401
    assert site.run("plan", "--detailed-exitcode").code == 0


@pytest.mark.slow
def test_another_generation_is_another_token_and_the_former_one_is_revoked_later(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.write(token={"generation": 2, "overlap": "2h"})
    assert site.run("apply", "--auto-approve").code == 0
    old, new = site.tokens()
    assert site.delivered()["token"] == new[apitokens.TOKEN]
    assert not old["revoked"] and site.asked_with(old[apitokens.TOKEN]) == 200
    later(monkeypatch, timedelta(hours=3))
    assert site.run("apply", "--auto-approve").code == 0
    old, new = site.tokens()
    assert (old["revoked"], new["revoked"]) == (True, False)
    assert site.asked_with(old[apitokens.TOKEN]) == 401
    ran = site.run("plan", "--detailed-exitcode")
    assert ran.code == 0 and "VP337" not in ran.out, ran


@pytest.mark.slow
def test_one_that_goes_is_revoked_and_before_its_owner(site: Site) -> None:
    (row,) = site.tokens()
    site.write(token=None, manager=False)
    assert site.run("apply", *ALL).code == 0
    assert site.tokens()[0]["revoked"] and site.asked_with(row[apitokens.TOKEN]) == 401
    assert site.run("plan", "--detailed-exitcode").code == 0


@pytest.mark.slow
def test_one_that_somebody_revoked_is_gone(site: Site) -> None:
    (row,) = site.tokens()
    site.lab.by_hand("iad", "vast", "PATCH", f"/api/v5/apitokens/{row['id']}/revoke/")
    assert site.run("apply", "--auto-approve").code == 0
    old, new = site.tokens()
    assert old["revoked"] and site.delivered()["token"] == new[apitokens.TOKEN]
    assert "VP337" not in site.run("plan").out


@pytest.mark.slow
def test_more_than_the_cluster_lets_a_manager_have(site: Site) -> None:
    for number in range(4):
        site.lab.by_hand("iad", "vast", "POST", "/api/v5/apitokens/", {"owner": "m", "name": f"by-hand-{number}"})
    site.write(token={"generation": 2})
    ran = site.run("apply", "--auto-approve")
    assert ran.code == 4 and "Max allowed API tokens reached" in ran.err, ran
    assert len(site.tokens()) == 5 and site.delivered()["token"] == site.tokens()[0][apitokens.TOKEN]


def test_of_as_many_as_there_may_be_former_ones_make_room(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(2, 6):
        site.write(token={"generation": number, "overlap": "12h"})
        assert site.run("apply", "--auto-approve").code == 0
    site.write(token={"generation": 6, "overlap": "12h"})
    ran = site.run("apply", "--auto-approve")
    said = "Max allowed API tokens reached: write a shorter overlap"
    assert ran.code == 4 and said in ran.err and len(site.tokens()) == 5, ran
    site.write(token={"generation": 6, "overlap": "1s"})
    later(monkeypatch, timedelta(minutes=1))
    ran = site.run("apply", "--auto-approve")
    assert ran.code == 0, ran
    later(monkeypatch, timedelta(minutes=2))
    assert site.run("apply", "--auto-approve").code == 0
    assert [row["revoked"] for row in site.tokens()] == [True] * 5 + [False]
    assert site.delivered()["token"] == site.tokens()[-1][apitokens.TOKEN]
    assert site.run("plan", "--detailed-exitcode").code == 0
