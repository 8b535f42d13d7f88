"""Who owns buckets is not made anew under another name, nor removed while he does; a number goes to another when it is free."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Run
from tests.lab import Lab

TENANT: dict[str, Any] = {
    "local_provider": "team-a",
    "view_policies": {"objects": {"flavor": "S3_NATIVE"}},
    "users": {"alice": {"uid": 1}, "bob": {"uid": 2}},
    "buckets": {"sets": {"size": "1 TiB", "owner": "alice"}},
}
OTHER = {"local_provider": "team-b", "users": {"alice-b": {"name": "alice", "uid": 1}}}


def document(folder: Path, **tenant: Any) -> Path:
    """The document, of two tenants with a provider each."""
    whole = {
        "version": 1,
        "name": "doc",
        "sites": {"iad": {"sim": {"systems": ["vast"]}}},
        "local_providers": {"team-a": {}, "team-b": {}},
        "tenants": {"team-a": {**TENANT, **tenant}, "team-b": OTHER},
    }
    path = folder / "doc.yaml"
    path.write_text(yaml.safe_dump(whole, sort_keys=False))
    return path


def users(**changed: Any) -> dict[str, Any]:
    """The users, of whom some are others."""
    return {name: value for name, value in {**TENANT["users"], **changed}.items() if value is not None}


def test_an_owner_under_another_name_is_told_what_keeps_it(tmp_path: Path, vastplan: Run) -> None:
    path = document(tmp_path)
    assert vastplan("apply", path, "--auto-approve").code == 0
    renamed = users(alice=None, alicia={"uid": 1, "renamed_from": "alice"})
    document(tmp_path, users=renamed, buckets={"sets": {"size": "1 TiB", "owner": "alicia"}})
    ran = vastplan("plan", path)
    assert "blocked (in-use): 1 object still refers to it: iad/view/sets" in ran.out, ran
    assert "to keep the live object instead: `name: alice` in iad/user/alicia" in ran.out, ran
    consent = ("--allow-delete", "*", "--allow-narrow", "*", "--max-changes", "50")
    assert vastplan("apply", path, "--auto-approve", *consent).code == 3
    assert vastplan("plan", path).out == ran.out, "something was done by halves"
    renamed["alicia"]["name"] = "alice"
    document(tmp_path, users=renamed, buckets={"sets": {"size": "1 TiB", "owner": "alicia"}})
    assert vastplan("apply", path, "--auto-approve").code == 0
    assert vastplan("plan", path, "--detailed-exitcode").code == 0


def test_an_owner_goes_when_the_bucket_is_another_s(tmp_path: Path, vastplan: Run) -> None:
    path = document(tmp_path)
    assert vastplan("apply", path, "--auto-approve").code == 0
    document(tmp_path, users=users(alice=None), buckets={"sets": {"size": "1 TiB", "owner": "bob"}})
    consent = ("--allow-delete", "iad/user/alice", "--allow-narrow", "iad/view/sets")
    ran = vastplan("apply", path, "--auto-approve", *consent)
    assert ran.code == 0, ran
    assert vastplan("plan", path, "--detailed-exitcode").code == 0


def test_who_is_called_so_in_another_provider_goes(tmp_path: Path, vastplan: Run) -> None:
    path = document(tmp_path)
    assert vastplan("apply", path, "--auto-approve").code == 0
    whole = yaml.safe_load(path.read_text())
    del whole["tenants"]["team-b"]["users"]
    path.write_text(yaml.safe_dump(whole))
    ran = vastplan("apply", path, "--auto-approve", "--allow-delete", "iad/user/alice-b")
    assert ran.code == 0, ran


def test_a_bucket_that_somebody_made_keeps_its_owner(tmp_path: Path, vastplan: Run) -> None:
    with Lab(tmp_path, {"iad": ["vast"]}) as lab:
        path = document(tmp_path, buckets={})
        assert vastplan("apply", path, "--auto-approve").code == 0
        ids = {row["name"]: row["id"] for row in _rows(lab, "tenants")}
        policies = {row["name"]: row["id"] for row in _rows(lab, "viewpolicies")}
        body = {"path": "/by-hand", "bucket": "by-hand", "bucket_owner": "alice", "protocols": ["S3"], "create_dir": True,
                "policy_id": policies["objects"], "tenant_id": ids["team-a"]}  # fmt: skip
        lab.by_hand("iad", "vast", "POST", "/api/v5/views/", body)
        document(tmp_path, users=users(alice=None), buckets={})
        ran = vastplan("apply", path, "--auto-approve", "--allow-delete", "iad/user/alice")
        assert ran.code == 3 and "still refers to it: view" in ran.out and "(not in the ledger)" in ran.out, ran


@pytest.mark.parametrize("consent", [True, False])
def test_a_number_goes_to_another_when_it_is_free(tmp_path: Path, vastplan: Run, consent: bool) -> None:
    path = document(tmp_path)
    assert vastplan("apply", path, "--auto-approve").code == 0
    document(tmp_path, users=users(bob=None, carol={"uid": 2}))
    ran = vastplan("apply", path, "--auto-approve", *(("--allow-delete", "iad/user/bob") if consent else ()))
    assert ran.code == (0 if consent else 3), ran
    if not consent:
        assert "waits for iad/user/bob, which is blocked" in ran.out, ran
    document(tmp_path, users=users(dora={"uid": 1}))
    ran = vastplan("plan", path)
    assert "VP230" in ran.out + ran.err, ran


def _rows(lab: Lab, of: str) -> list[dict[str, Any]]:
    rows = lab.by_hand("iad", "vast", "GET", f"/api/v5/{of}/")
    return list(rows["results"] if isinstance(rows, dict) else rows)
