"""People whom a directory has, by the command line: what is set of them in a tenant, and how often they are asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Run
from tests.lab import Lab

POLICY = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "data/*"}]}
PEOPLE = {"users": {"carol": {"uid": 40001, "groups": ["research"]}}, "groups": {"research": {"gid": 50001}}}


def document(folder: Path, sim: dict[str, Any], **tenant: Any) -> Path:
    whole = {"version": 1, "name": "doc", "sites": {"iad": {"sim": sim}}, "tenants": {"team-a": tenant}}
    path = folder / "doc.yaml"
    path.write_text(yaml.safe_dump(whole, sort_keys=False))
    return path


RIGHTS: dict[str, Any] = {
    "s3_policies": {"read": {"policy": POLICY}},
    "user_rights": {"carol": {"allow_create_bucket": True, "s3_policies": ["read"]}},
    "group_rights": {"research": {"s3_policies": ["read"]}},
}


def test_rights_stand_inside_their_tenant_and_a_document_says_who_is_in_a_simulated_directory(
    tmp_path: Path, vastplan: Run
) -> None:
    path = document(tmp_path, {"directory": PEOPLE}, **RIGHTS)
    ran = vastplan("apply", path, "--auto-approve")
    assert ran.code == 0 and "create iad/user_right/carol: done" in ran.out + ran.err, ran
    assert vastplan("plan", path, "--detailed-exitcode").code == 0
    assert vastplan("drift", path).code == 0
    document(tmp_path, {"directory": PEOPLE}, s3_policies=RIGHTS["s3_policies"])
    ran = vastplan("plan", path)
    assert "- user_right carol" in ran.out and "a delete needs consent" in ran.out, ran
    assert vastplan("apply", path, "--auto-approve", "--allow-delete", "iad/*").code == 0
    assert vastplan("plan", path, "--detailed-exitcode").code == 0


def test_who_is_in_no_directory_is_told_where_his_rights_are_to_be_set(tmp_path: Path, vastplan: Run) -> None:
    path = document(tmp_path, {}, user_rights={"nobody": {"allow_create_bucket": True}})
    ran = vastplan("apply", path, "--auto-approve")
    assert ran.code == 4 and "iad/user_right/nobody: failed" in ran.out + ran.err, ran


def test_of_a_snapshot_only_those_are_known_who_were_asked_for(tmp_path: Path, vastplan: Run) -> None:
    path = document(tmp_path, {"directory": PEOPLE}, **RIGHTS)
    assert vastplan("apply", path, "--auto-approve").code == 0
    snapshot = tmp_path / "snapshot.json"
    assert vastplan("record", path, "--out", snapshot).code == 0
    assert vastplan("plan", path, "--snapshot", snapshot, "--detailed-exitcode").code == 0
    more = {**RIGHTS, "user_rights": {**RIGHTS["user_rights"], "dora": {"allow_create_bucket": True}}}
    document(tmp_path, {"directory": PEOPLE}, **more)
    ran = vastplan("plan", path, "--snapshot", snapshot)
    assert "nobody asked for team-a/dora" in ran.out and "+ user_right dora" not in ran.out, ran


@pytest.mark.parametrize("count", [0, 1, 5])
def test_requests_grow_with_the_entries_that_say_rights_alone(tmp_path: Path, count: int) -> None:
    people = {f"u{number}": {"uid": 40000 + number} for number in range(count)}
    with Lab(tmp_path, {"iad": ["vast"]}) as lab:
        lab.enrol("iad", users=people)
        rights = {name: {"tenant": "team-a", "allow_create_bucket": True} for name in people}
        lab.write({"tenants": {"team-a": {}}, **({"user_rights": rights} if rights else {})})
        lab.converge()
        lab.clear_calls()
        lab.plan()
        paths = [call.path for call in lab.all_calls()]
    assert sum(path.startswith("/api/v5/users/query/") for path in paths) == count
    # the collection, and its place once, whatever the number of those who have rights there
    assert sum(path.startswith("/api/v5/tenants/") for path in paths) == 1 + bool(count)
