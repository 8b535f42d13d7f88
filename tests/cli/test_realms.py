"""Permissions of a role speak of realms by name: one that is not there is told before anything is done, and one that is spoken of stays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from tests.conftest import Run

ROLE = {"watch": {"tenant": "team-a", "permissions_list": ["view_logical", "view_csi-writes"]}}
REALMS = {"csi-writes": {"tenant": "team-a", "object_types": ["quota"]}}


def document(folder: Path, realms: dict[str, Any], roles: dict[str, Any], **more: Any) -> Path:
    """The document."""
    whole = {"version": 1, "name": "doc", "sites": {"iad": {"sim": {"systems": ["vast"]}}}, "tenants": {"team-a": {}}}
    whole |= {"realms": realms, "roles": roles, **more}
    path = folder / "doc.yaml"
    path.write_text(yaml.safe_dump(whole, sort_keys=False))
    return path


def test_a_realm_that_a_role_speaks_of_stays(tmp_path: Path, vastplan: Run) -> None:
    path = document(tmp_path, REALMS, ROLE)
    assert vastplan("apply", path, "--auto-approve").code == 0
    assert vastplan("plan", path, "--detailed-exitcode").code == 0
    document(tmp_path, {}, ROLE)
    ran = vastplan("apply", path, "--auto-approve", "--allow-delete", "iad/realm/csi-writes")
    assert ran.code == 3 and "blocked (in-use): iad/manager_role/watch refers to it as existing" in ran.out, ran
    document(tmp_path, {}, {"watch": {**ROLE["watch"], "permissions_list": ["view_logical"]}})
    consents = ("--allow-delete", "iad/realm/csi-writes", "--allow-narrow", "iad/manager_role/watch")
    ran = vastplan("apply", path, "--auto-approve", *consents)
    assert ran.code == 0, ran
    assert vastplan("plan", path, "--detailed-exitcode").code == 0


def test_a_permission_of_no_realm_is_told_when_it_is_planned(tmp_path: Path, vastplan: Run) -> None:
    wrong = {"watch": {"tenant": "team-a", "permissions_list": ["view_logicals"]}}
    password = {"file": "password"}
    (tmp_path / "password").write_text("Aa1#aaaaaaaa")
    manager = {"m": {"tenant": "team-a", "roles": ["watch"], "permissions_list": ["edit_qotas"], "password": password}}
    path = document(tmp_path, REALMS, wrong, managers=manager)
    ran = vastplan("plan", path)
    for of, realm in (("manager_role/watch", "logicals"), ("manager/m", "qotas")):
        text = f"warning VP304: iad/{of}: permissions_list names realm {realm}, and iad does not list it"
        assert text in ran.out + ran.err, ran
