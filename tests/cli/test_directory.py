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


@pytest.mark.slow
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
    assert "was taken without reading team-a/dora" in ran.out and "+ user_right dora" not in ran.out, ran


def test_a_name_that_the_directory_does_not_have_is_refused_when_it_is_planned(tmp_path: Path, vastplan: Run) -> None:
    """Live, and against a snapshot that knows; what stands in its place is taken away from nobody."""
    own = {"local_provider": "a", "users": {"ann": {"uid": 1}}, "view_policy": {"flavor": "S3_NATIVE"}}
    more: dict[str, Any] = {"local_providers": {"a": {}}, "namespaces": {"jobs": {}}}

    def written(group: str, user: str) -> Path:
        bucket = {"size": "1 TiB", "owner": "ann", "read": [{"existing": group}]}
        key = {"user": {"existing": user}, "deliver": {"secret": "jobs/s3"}}
        path = document(tmp_path, {"directory": PEOPLE}, **own, buckets={"data": bucket}, s3_keys={"k": key})
        path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text()) | more))
        return path

    path = written("research", "carol")
    assert vastplan("apply", path, "--auto-approve").code == 0
    written("reserch", "carl")
    ran = vastplan("apply", path, "--auto-approve", "--allow-delete", "*")
    assert ran.code == 3 and "tenant team-a of iad has nobody named reserch" in ran.out + ran.err, ran
    assert "tenant team-a of iad has nobody named carl" in ran.out + ran.err, ran
    snapshot = tmp_path / "snapshot.json"
    assert vastplan("record", path, "--out", snapshot).code == 0
    ran = vastplan("plan", path, "--snapshot", snapshot, "--allow-delete", "*")
    assert "Plan: 3 blocked." in ran.out and "tenant team-a of iad has nobody named reserch" in ran.out, ran
    written("research", "carol")
    ran = vastplan("plan", path, "--detailed-exitcode")
    assert ran.code == 0, ran  # nothing was deleted, and nothing made


def test_rights_of_a_local_user_who_is_made_with_them(tmp_path: Path, vastplan: Run) -> None:
    path = document(tmp_path, {})
    assert vastplan("apply", path, "--auto-approve").code == 0
    local = {"users": {"ann": {"uid": 1}}, "groups": {"team": {"gid": 2}}, "local_provider": {"existing": "default"}}
    rights = {"user_rights": {"ann": {"s3_superuser": True}}, "group_rights": {"team": {"s3_policies": ["read"]}}}
    document(tmp_path, {}, **local, **rights, s3_policies=RIGHTS["s3_policies"])
    ran = vastplan("apply", path, "--auto-approve")
    assert ran.code == 0 and "create iad/user_right/ann: done" in ran.out + ran.err, ran
    assert vastplan("plan", path, "--detailed-exitcode").code == 0


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
