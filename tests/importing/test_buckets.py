"""Buckets are put together again of their view, its parts, the policies, and who has those; what does not fit stays by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.histories.history import ran
from tests.importing.round_trip import Desk, round_trip
from tests.importing.worlds import Yard

DENY = {"policy": {"Statement": [{"Effect": "Deny", "Action": "s3:*", "Resource": "x/*"}]}}
TEAM: dict[str, Any] = {
    "local_provider": "people", "view_policy": {"flavor": "S3_NATIVE"}, "s3_policies": {"own": DENY},
    "users": {"alice": {"uid": 1}, "bob": {"uid": 2, "groups": ["readers"]}},
    "groups": {"readers": {"gid": 10}, "writers": {"gid": 11}, "others": {"gid": 12, "s3_policies": ["own"]}},
}  # fmt: skip
SETS = {
    "size": "40 TiB", "owner": "alice", "read": ["others", "readers"], "write": ["bob", "writers"], "snapshots": "daily",
    "lifecycle": [{"name": "tmp", "prefix": "tmp/", "expiration_days": 7}],
}  # fmt: skip


def imported(folder: Path, buckets: dict[str, Any]) -> dict[str, Any]:
    """What an import writes of a team with these buckets, which a plan then takes over and changes in nothing."""
    schedules = {"daily": {"frames": [{"every": "1d", "keep_local": "7d"}]}}
    whole = {
        "version": 1, "name": "lab", "sites": {"iad": {"sim": {}}}, "local_providers": {"people": {}}, "snapshot_schedules": schedules,
        "tenants": {"team-a": {**TEAM, "buckets": buckets}},
    }  # fmt: skip
    yard = Yard(folder / "yard", ("iad",))
    (folder / "theirs").mkdir()
    (folder / "theirs" / "lab.yaml").write_text(yaml.safe_dump(whole, sort_keys=False))
    with yard.running():
        done = ran("apply", folder / "theirs", "--auto-approve")
        assert done.code == 0, done.err + done.out
        desk = Desk.of(yard, folder / "lab", "lab")
        desk.imports()
        text = desk.written()["tenant-team-a.yaml"]
        round_trip(Desk.of(yard, folder / "again", "lab"))
    team: dict[str, Any] = yaml.safe_load(text)["tenants"]["team-a"]
    return team


@pytest.mark.slow
def test_a_bucket_its_readers_and_its_writers_come_back(tmp_path: Path) -> None:
    team = imported(tmp_path, {"sets": SETS, "more": {"size": "1 TiB", "owner": "alice"}})
    assert {
        name: sorted(value) if isinstance(value, list) and name in ("read", "write") else value
        for name, value in team["buckets"]["sets"].items()
    } == SETS
    assert team["buckets"]["more"] == {"size": "1 TiB", "owner": "alice"}
    assert team["s3_policies"] == {"own": DENY}
    assert team["groups"] == {
        "readers": {"gid": 10},
        "writers": {"gid": 11},
        "others": {"gid": 12, "s3_policies": ["own"]},
    }
    assert team["users"] == {"alice": {"uid": 1}, "bob": {"uid": 2, "groups": ["readers"]}}


@pytest.mark.parametrize("more", [{"bucket": "other-name"}, {"path": "/else/where"}])
def test_one_that_is_called_otherwise_or_lies_elsewhere_comes_back(more: dict[str, Any], tmp_path: Path) -> None:
    says = {"size": "1 TiB", "owner": "alice", **more}
    assert imported(tmp_path, {"sets": says})["buckets"]["sets"] == says


def test_a_policy_that_could_not_be_told_from_its_own_stays_one(tmp_path: Path) -> None:
    team = imported(
        tmp_path, {"sets": {"size": "1 TiB", "owner": "alice", "bucket": "other-name", "read": ["readers"]}}
    )
    assert team["buckets"] == {"sets": {"size": "1 TiB", "owner": "alice", "bucket": "other-name"}}
    assert sorted(team["s3_policies"]) == ["other-name-read", "own"]
    assert team["groups"]["readers"] == {"gid": 10, "s3_policies": ["other-name-read"]}
