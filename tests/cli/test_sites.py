"""Sites over time: one that leaves the document with something owned there, and one that is emptied first."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Run
from vastplan.app.workspace import open_workspace

DOCUMENT: dict[str, Any] = {
    "version": 1,
    "name": "doc",
    "sites": {"iad": {"sim": {"systems": ["vast", "kubernetes"]}}, "pdx": {"sim": {"systems": ["vast"]}}},
    "tenants": {"a": {}, "b": {"sites": ["pdx"]}},
    "vip_pools": {
        "p": {
            "tenant": "a",
            "subnet_cidr": 24,
            "per_site": {"iad": {"ip_ranges": ["10.0.0.1 - 10.0.0.9"]}, "pdx": {"ip_ranges": ["10.1.0.1 - 10.1.0.9"]}},
        }
    },
}
APPROVALS = {
    "version": 1,
    "approvals": [
        {"address": f"pdx/tenant/{name}", "reason": "the site closes", "until": "2999-01-01"} for name in "ab"
    ],
}


def without_pdx() -> dict[str, Any]:
    document = copy.deepcopy(DOCUMENT)
    del document["sites"]["pdx"], document["tenants"]["b"], document["vip_pools"]["p"]["per_site"]["pdx"]
    return document


def retired() -> dict[str, Any]:
    document = copy.deepcopy(DOCUMENT)
    document["sites"]["pdx"]["retire"] = True
    return document


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "doc.yaml"


def write(file: Path, document: dict[str, Any], **head: Any) -> None:
    file.write_text(yaml.safe_dump({**document, **head}, sort_keys=False))


IN_CLUSTER = {"kubernetes": {"namespace": "ledgers", "site": "iad"}}


@pytest.mark.slow
@pytest.mark.parametrize("head", [{}, {"ledger": IN_CLUSTER}], ids=["local", "kubernetes"])
def test_a_site_that_left_with_something_owned_is_an_error(head: dict[str, Any], file: Path, vastplan: Run) -> None:
    write(file, DOCUMENT, **head)
    assert vastplan("apply", file, "--auto-approve").code == 0
    write(file, without_pdx(), **head)
    says = "error VP310: site pdx is not in the document, and the ledger owns 3 objects there"
    for command in (("plan",), ("drift",), ("apply", "--auto-approve")):
        ran = vastplan(*command, file)
        assert ran.code == 1 and says in ran.out, ran
        assert "put pdx back under sites as it was, with retire: true" in ran.out
        assert f"vastplan ledger forget {file} --site pdx" in ran.out
    found = json.loads(vastplan("plan", file, "--format", "json").out)["findings"]
    assert [(one["code"], one["severity"]) for one in found] == [("VP310", "error")]


@pytest.mark.slow
def test_who_works_on_another_site_hears_of_it_and_goes_on(file: Path, vastplan: Run) -> None:
    write(file, DOCUMENT)
    vastplan("apply", file, "--auto-approve")
    write(file, {**without_pdx(), "tenants": {"a": {}, "c": {}}})
    assert vastplan("drift", file, "--site", "iad").code == 0
    ran = vastplan("apply", file, "--site", "iad", "--auto-approve")
    assert ran.code == 0 and "warning VP310: site pdx" in ran.out and "1 done" in ran.out
    assert vastplan("plan", file).code == 1


def test_a_site_that_left_with_nothing_owned_is_nothing(file: Path, vastplan: Run) -> None:
    write(file, {**DOCUMENT, "tenants": {"a": {"sites": ["iad"]}}, "vip_pools": {}})
    vastplan("apply", file, "--auto-approve")
    assert (file.parent / ".vastplan" / "ledger" / "pdx.json").is_file()
    write(file, {**without_pdx(), "vip_pools": {}})
    ran = vastplan("plan", file)
    assert ran.code == 0 and "VP31" not in ran.out


def test_an_interrupted_write_alone_keeps_a_site_in_sight(file: Path, vastplan: Run) -> None:
    write(file, DOCUMENT)
    vastplan("apply", file, "--auto-approve")
    part = file.parent / ".vastplan" / "ledger" / "pdx.json"
    content = json.loads(part.read_text())
    intent = {"verb": "create", "fields": {}, "id": "", "at": "2026-01-01T00:00:00+00:00"}
    part.write_text(json.dumps({**content, "entries": {}, "intents": {"pdx/tenant/a": intent}}, indent=1))
    write(file, without_pdx())
    ran = vastplan("plan", file)
    assert ran.code == 1 and "the ledger owns 0 objects and 1 write without a known outcome there" in ran.out


@pytest.mark.slow
def test_against_a_snapshot_a_site_that_leaves_is_an_error_too(file: Path, vastplan: Run) -> None:
    write(file, DOCUMENT)
    vastplan("apply", file, "--auto-approve")
    snapshot = file.parent / "seen.json"
    assert vastplan("record", file, "--out", snapshot).code == 0
    write(file, without_pdx())
    ran = vastplan("plan", file, "--snapshot", snapshot)
    assert ran.code == 1 and "error VP310: site pdx" in ran.out
    assert vastplan("record", file, "--out", snapshot).code == 0  # when it had left already
    ran = vastplan("plan", file, "--snapshot", snapshot)
    assert ran.code == 1 and "error VP310: site pdx" in ran.out
    write(file, retired())
    ran = vastplan("plan", file, "--snapshot", snapshot)
    assert "note VP312: site pdx is retired" in ran.out and ran.code == 6


@pytest.mark.slow
def test_a_retired_site_is_emptied_under_the_guards(file: Path, vastplan: Run) -> None:
    write(file, DOCUMENT)
    vastplan("apply", file, "--auto-approve")
    write(file, retired())
    assert vastplan("validate", file).code == 0
    snapshot = file.parent / "seen.json"
    vastplan("record", file, "--out", snapshot)
    for ran in (vastplan("plan", file), vastplan("plan", file, "--snapshot", snapshot)):
        assert (
            "note VP312: site pdx is retired: this plan deletes all that the ledger owns there (3 objects)" in ran.out
        ), ran
        assert "--allow-delete 'pdx/*' --max-changes 2" in ran.out
        assert ran.out.count("its site is retired") == 3
        assert "blocked (approval): a delete needs consent; to go on: --allow-delete pdx/vip_pool/p" in ran.out
        assert "Plan: 3 blocked. 2 objects in sync." in ran.out
    ran = vastplan("drift", file)
    assert ran.code == 0 and "note VP312: site pdx is retired" in ran.out
    (approvals := file.parent / "approvals.yaml").write_text(yaml.safe_dump(APPROVALS))
    consent = ("--allow-delete", "pdx/*", "--approvals", approvals, "--max-changes", 2)
    ran = vastplan("apply", file, *map(str, consent), "--auto-approve")
    assert ran.code == 0 and "Apply: 3 done" in ran.out, ran
    ran = vastplan("plan", file)
    assert ran.code == 0 and "2 objects in sync" in ran.out
    assert (
        "note VP312: site pdx is retired, and the ledger owns nothing there any more (remove pdx from the document)"
        in ran.out
    )
    write(file, without_pdx())
    ran = vastplan("plan", file)
    assert ran.code == 0 and "VP3" not in ran.out


def test_what_was_gone_already_is_let_go_of(file: Path, vastplan: Run) -> None:
    write(file, {**DOCUMENT, "tenants": {"a": {}}, "vip_pools": {}})
    vastplan("apply", file, "--auto-approve")
    part = file.parent / ".vastplan" / "ledger" / "pdx.json"
    content = json.loads(part.read_text())
    content["entries"]["pdx/tenant/a"] |= {"id": "999", "locator": "999"}
    part.write_text(json.dumps(content, indent=1))
    write(file, {**retired(), "tenants": {"a": {}}, "vip_pools": {}})
    assert "its site is retired, and already gone" in vastplan("plan", file).out


PEERS = {
    "vip_pools": {
        "r": {
            "role": "REPLICATION",
            "subnet_cidr": 24,
            "per_site": {"iad": {"ip_ranges": ["10.9.0.1 - 10.9.0.2"]}, "pdx": {"ip_ranges": ["10.9.1.1 - 10.9.1.2"]}},
        }
    },
    "replication_peers": {"link": {"between": {"iad": {"vip_pool": "r"}, "pdx": {"vip_pool": "r"}}}},
}


def test_what_joins_a_retired_site_with_another_is_an_error(file: Path, vastplan: Run) -> None:
    write(file, {**DOCUMENT, **PEERS})
    assert vastplan("validate", file).code == 0
    write(file, {**retired(), **PEERS})
    ran = vastplan("validate", file)
    assert ran.code == 1 and ran.err.count("VP217") == 1, ran
    assert "replication_peer link is also on site pdx, which is retired" in ran.err
    both = {**retired(), **PEERS}
    both["sites"]["iad"]["retire"] = True
    write(file, both)
    assert vastplan("validate", file).code == 0


def test_what_is_written_for_a_retired_site_is_still_checked(file: Path, vastplan: Run) -> None:
    document = retired()
    document["vip_pools"]["p"]["per_site"]["pdx"]["ip_rangs"] = []
    write(file, document)
    ran = vastplan("validate", file)
    assert ran.code == 1 and "ip_rangs" in ran.err


def test_a_site_put_back_to_be_retired_needs_nothing_that_was_taken_out_with_it(file: Path, vastplan: Run) -> None:
    write(file, DOCUMENT)
    vastplan("apply", file, "--auto-approve")
    document = {**without_pdx(), "sites": retired()["sites"]}
    document["views"] = {"v": {"tenant": "b", "path": "/v", "sites": ["pdx"]}}  # of a tenant that was only there
    document["quotas"] = {"q": {"path": "/q", "tenant": "a", "per_site": {"pdx": {"hard_limit": "1 TiB"}}}}
    write(file, document)
    ran = vastplan("plan", file)
    assert "VP2" not in ran.err + ran.out and ran.out.count("its site is retired") == 3, ran
    del document["sites"]["pdx"]["retire"]  # wanted again, it needs all of it
    write(file, document)
    ran = vastplan("validate", file)
    assert ran.code == 1 and "VP211: vip_pool p: ip_ranges is missing" in ran.err and "VP209: no tenant b" in ran.err


def test_what_is_said_of_a_site_that_left_is_accepted_when_it_is_done(file: Path, vastplan: Run) -> None:
    write(file, DOCUMENT)
    assert vastplan("apply", file, "--auto-approve").code == 0
    write(file, without_pdx())
    assert "put pdx back under sites as it was, with retire: true" in vastplan("plan", file).out
    write(file, retired())
    ran = vastplan("plan", file)
    assert ran.code == 0 and "VP310" not in ran.out and "its site is retired" in ran.out, ran


VOLUMES: dict[str, Any] = {
    "version": 1,
    "name": "doc",
    "sites": {"iad": {"sim": {}}, "pdx": {"sim": {}}},
    "namespaces": {"csi": {}},
    "secrets": {"login": {"namespace": "csi", "data": {"endpoint": "vms.example.com"}}},
    "departments": {"d": {"gpus": {"default": 1}}},
    "view_policies": {"p": {"tenant": "a", "flavor": "NFS"}},
    "vip_pools": DOCUMENT["vip_pools"],
    "projects": {"p": {"tenant": "a", "department": "d", "gpus": {"default": 1}}},
    "storage_classes": {"c": {"tenant": "a", "driver": "file", "storage_path": "/k8s", "secret": "login"}},
    "tenants": {"a": {}},
    "volumes": {
        "home": {"tenant": "a", "path": "/home", "size": "1 TiB", "secret": "login", "sites": ["iad"]},
        "data": {"tenant": "a", "storage_class": "c", "size": "1 TiB", "sites": ["pdx"]},
        "both": {"tenant": "a", "path": "/both", "size": "1 TiB", "secret": "login"},
    },
    "snapshots": {name: {"volume": name} for name in ("home", "data", "both")},
}


def test_a_declared_snapshot_is_where_its_volume_is(file: Path) -> None:
    write(file, VOLUMES)
    snapshots = [entry for entry in open_workspace([file]).composed().entries if "snapshot" in entry.address.kind]
    assert {str(entry.address) for entry in snapshots} == {
        "iad/snapshot/home", "pdx/claim_snapshot/data", "iad/snapshot/both", "pdx/snapshot/both",
    }  # fmt: skip


def test_one_that_names_another_site_is_refused_there(file: Path, vastplan: Run) -> None:
    snapshots = {"home": {"volume": "home", "sites": ["iad", "pdx"]}}
    write(file, {**VOLUMES, "snapshots": snapshots})
    ran = vastplan("validate", file)
    assert "volume home is on iad, not on pdx" in ran.err and "remove pdx from the sites of this entry" in ran.err, ran
