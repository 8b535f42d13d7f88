"""A change of where systems are, who vouches for them, or what opens them: the first line of every report, and an error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from tests.conftest import Ran, Run
from tests.lab import Lab
from tests.review.test_snapshot import sealed
from tests.test_schemas import published

VAST = {"url": "https://vms.example.com", "token": {"file": "vms.token"}, "ca_file": "vms.pem"}
HEAD = {"version": 1, "name": "lab"}
TENANTS = {"tenants": {"a": {"max_views": 3}}}


def document(file: Path, vast: dict[str, Any], **more: Any) -> Path:
    sites = {"iad": {"vast": vast}, **more.pop("sites", {})}
    file.write_text(yaml.safe_dump({**HEAD, "sites": sites, **TENANTS, **more}))
    return file


@pytest.fixture
def folder(tmp_path: Path, vastplan: Run) -> Path:
    """A snapshot of a site at an address, its base document, and no network to it."""
    with Lab(tmp_path, {"iad": ["vast"]}) as lab:
        lab.write(TENANTS)
        lab.converge()
        assert vastplan("record", tmp_path / "lab.yaml", "--out", tmp_path / "s.json").code == 0
    data = json.loads((tmp_path / "s.json").read_text())
    (site,) = data["sites"]
    site["systems"]["vast"], site["trust"] = VAST["url"], {"vast": "verified by vms.pem"}
    site["endpoints"]["vast"] = VAST["url"]
    (tmp_path / "s.json").write_bytes(sealed(data))
    document(tmp_path / "base.yaml", VAST)
    return tmp_path


def planned(folder: Path, vastplan: Run, *words: str | Path) -> Ran:
    return vastplan("plan", folder / "new.yaml", "--snapshot", folder / "s.json", *words)


CHANGED: dict[str, tuple[dict[str, Any], str, bool]] = {
    "another host": ({"url": "https://evil.example.com"}, "url is https://evil.example.com, and was https://vms.example.com", True),
    "nobody vouches": ({"insecure_skip_verify": True}, "insecure_skip_verify is true, and was not given", True),
    "another authority": ({"ca_file": "evil.pem"}, "ca_file is evil.pem, and was vms.pem", True),
    "another credential": ({"token": {"env": "RUNAI_SECRET"}}, 'token is {"env": "RUNAI_SECRET"}, and was {"file": "vms.token"}', False),
    "another tenant to log in to": ({"tenant": "x"}, "tenant is x, and was not given", False),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", CHANGED)
def test_it_is_said_first_and_is_an_error(name: str, folder: Path, vastplan: Run) -> None:
    change, says, in_snapshot = CHANGED[name]
    document(folder / "new.yaml", {**VAST, **change})
    reports = [folder / f"r{ending}" for ending in (".md", ".html", ".json", ".sarif", ".xml")]
    words = [word for file in reports for word in ("--report", file)]
    ran = planned(folder, vastplan, "--base", folder / "base.yaml", *words)
    assert ran.code == 1 and ran.out.splitlines()[0].startswith(f"error VP331: vast of iad: {says}"), ran
    md, page, data, sarif, junit = (file.read_text() for file in reports)
    assert "**1 endpoint changed: credentials would be sent elsewhere. " in md.splitlines()[3], md
    assert '<p class="verdict">1 endpoint changed' in page, page
    findings = json.loads(data)["findings"]
    assert [one["code"] for one in findings].count("VP331") == 1 and findings[0]["code"] == "VP331"
    assert json.loads(data)["base"]["findings"] >= 1
    assert json.loads(sarif)["runs"][0]["results"][0]["ruleId"] == "VP331"
    assert junit.index("VP331") < junit.index("</testcase>")
    # without a base the snapshot is enough for what it holds: a place, and who vouches for it
    ran = planned(folder, vastplan)
    assert (ran.code == 1 and "VP331: vast of iad: " in ran.out.splitlines()[0]) is in_snapshot, ran


@pytest.mark.slow
def test_what_is_as_it_was_is_no_finding(folder: Path, vastplan: Run) -> None:
    document(folder / "new.yaml", VAST)
    for words in ((), ("--base", folder / "base.yaml")):
        ran = planned(folder, vastplan, *words)
        assert ran.code == 0 and "VP331" not in ran.out, ran


@pytest.mark.slow
def test_a_new_site_or_system_gets_a_credential_too(folder: Path, vastplan: Run) -> None:
    runai = {
        "url": "https://evil.example.com",
        "cluster": "c",
        "client_id": "x",
        "client_secret": {"env": "VAST_TOKEN"},
    }
    document(folder / "new.yaml", VAST, sites={"pdx": {"runai": runai}})
    for words, origin in (((), "the snapshot"), (("--base", folder / "base.yaml"), "the base")):
        ran = planned(folder, vastplan, *words)
        assert ran.code == 1, ran
        assert (
            f"runai of pdx: its place is https://evil.example.com c, and {origin} has none" in ran.out.splitlines()[0]
        )
    # a simulator is given none
    document(folder / "new.yaml", VAST, sites={"pdx": {"sim": {"systems": ["vast"]}}})
    ran = planned(folder, vastplan, "--base", folder / "base.yaml")
    assert "VP331" not in ran.out and ran.code == 6, ran


@pytest.mark.slow
def test_a_real_site_that_becomes_a_simulated_one_and_a_ledger_that_moves(folder: Path, vastplan: Run) -> None:
    document(folder / "new.yaml", VAST)
    text = (folder / "new.yaml").read_text()
    whole = yaml.safe_load(text)
    whole["sites"]["iad"] = {"sim": {"systems": ["vast"]}}
    (folder / "new.yaml").write_text(yaml.safe_dump(whole))
    ran = planned(folder, vastplan)
    assert ran.code == 1 and "vast of iad: its place is simulated, and was https://vms.example.com" in ran.out, ran
    document(folder / "new.yaml", VAST, ledger={"local": "elsewhere"})
    for words in ((), ("--base", folder / "base.yaml")):
        ran = planned(folder, vastplan, *words)
        assert ran.code == 1 and ran.out.count("VP331") == 1, ran
        assert "VP331: the ledger: its place is elsewhere, and was beside the document" in ran.out.splitlines()[0]
    assert not (folder / "elsewhere").exists()


@pytest.mark.slow
def test_what_was_merged_and_not_recorded_yet_is_said_of_the_snapshot(folder: Path, vastplan: Run) -> None:
    moved = {**VAST, "url": "https://new.example.com"}
    document(folder / "base.yaml", moved)
    document(folder / "new.yaml", moved)
    ran = planned(folder, vastplan, "--base", folder / "base.yaml")
    assert ran.code == 1 and ran.out.count("VP331") == 1, ran
    assert "its place is https://new.example.com, and was https://vms.example.com in the snapshot" in ran.out


def test_a_live_plan_is_held_against_its_base(tmp_path: Path, vastplan: Run) -> None:
    with Lab(tmp_path, {"iad": ["vast"]}) as lab:
        lab.write(TENANTS)
        document(tmp_path / "base.yaml", VAST)
        ran = vastplan("plan", tmp_path / "lab.yaml", "--base", tmp_path / "base.yaml")
        found = ran.out.split("\n\n")
        assert ran.code == 1 and found[0].startswith("1 endpoint changed: credentials would be sent elsewhere."), ran
        assert found[1].startswith("error VP331: vast of iad: its place is simulated"), ran


def test_addresses_from_elsewhere_are_not_compared_with_what_a_document_may_not_say(
    folder: Path, vastplan: Run
) -> None:
    """With a connections file the document has no address, and one that it has is an error of its own."""
    connections = folder / "connections.yaml"
    connections.write_text(yaml.safe_dump({"version": 1, "sites": {"iad": {"vast": VAST}}}))
    (folder / "new.yaml").write_text(yaml.safe_dump({**HEAD, "sites": {"iad": {}}, **TENANTS}))
    ran = planned(folder, vastplan, "--connections", connections)
    assert ran.code == 0 and "VP331" not in ran.out, ran
    document(folder / "new.yaml", VAST)
    ran = planned(folder, vastplan, "--connections", connections)
    assert ran.code == 1 and "VP221" in ran.err, ran
    moved = {"version": 1, "sites": {"iad": {"vast": {**VAST, "url": "https://evil.example.com"}}}}
    connections.write_text(yaml.safe_dump(moved))
    (folder / "new.yaml").write_text(yaml.safe_dump({**HEAD, "sites": {"iad": {}}, **TENANTS}))
    ran = planned(folder, vastplan, "--connections", connections)
    assert ran.code == 1 and "VP331: vast of iad: its place is https://evil.example.com" in ran.out, ran


@pytest.mark.slow
def test_a_snapshot_says_who_vouches_and_one_of_before_does_not(folder: Path, vastplan: Run) -> None:
    data = json.loads((folder / "s.json").read_text())
    jsonschema.Draft202012Validator(published("snapshot")).validate(data)
    assert data["format_version"] == "1.2"
    data["format_version"] = "1.0"
    for site in data["sites"]:
        del site["trust"]
    (folder / "s.json").write_bytes(sealed(data))
    document(folder / "new.yaml", {**VAST, "ca_file": "evil.pem"})
    assert planned(folder, vastplan).code == 0


def test_an_apply_is_refused_where_a_system_is_not_where_it_was_reviewed(tmp_path: Path, vastplan: Run) -> None:
    with Lab(tmp_path, {"iad": ["vast"]}) as lab:
        lab.write(TENANTS)
        assert vastplan("record", tmp_path / "lab.yaml", "--out", tmp_path / "s.json").code == 0
        data = json.loads((tmp_path / "s.json").read_text())
        data["sites"][0]["endpoints"]["vast"] = "https://reviewed.example.com"
        (tmp_path / "s.json").write_bytes(sealed(data))
        words = ("--snapshot", tmp_path / "s.json", "--out", tmp_path / "plan.json")
        assert vastplan("plan", tmp_path / "lab.yaml", *words).code == 0
        lab.clear_calls()
        ran = vastplan("apply", tmp_path / "lab.yaml", "--reviewed", tmp_path / "plan.json", "--auto-approve")
        assert ran.code == 5 and lab.calls() == [], ran
        assert "the vast of iad is embedded simulator, and was https://reviewed.example.com" in ran.err, ran
