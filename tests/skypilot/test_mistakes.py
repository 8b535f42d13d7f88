"""What people get wrong with `vastplan export skypilot`: each message says what to type instead, and nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Run
from tests.skypilot.team import Team

TASKS: dict[str, Any] = {
    "task.yaml": {"run": "true"},
    "other/task.yaml": {"run": "true"},
    "my task.yaml": {"run": "true"},
    "nearly.yaml": {"file_mounts": {"/d": {"source": "vastdata://a-dat"}}, "run": "true"},
    "mode.yaml": {"file_mounts": {"/d": {"source": "vastdata://a-data", "mode": "MOUNTED"}}},
    "key.yaml": {"envs": {"AWS_SECRET_ACCESS_KEY": "never-to-be-told"}, "run": "true"},
    "part.yaml": {"file_mounts": {"/d": {"source": "vastdata://a-data/part"}}},
}
TYPED = {
    "no folder to write to": (["--out", "not/there"], "mkdir -p not"),
    "a file to write to": (["--out", "team.yaml"], "team.yaml is a file: give a folder"),
    "a site that is not there": (["--site", "lad"], "no site lad (known: iad, pdx)"),
    "a tenant nearly": (["--tenant", "team_a"], "--tenant team_a: the document has no such name; did you mean team-a?"),
    "an address for a tenant": (["--tenant", "x/y"], "the document has no such name; it has team-a"),
    "a project that is another": (["--project", "nlp"], "the document has no such name; it has team-a"),
    "no key of the document": (["--with-credentials"], "give the tenant an entry of s3_keys and apply it, or give --secret NAMESPACE/NAME"),
    "a secret and no credentials": (["--secret", "a/b"], "--secret says where --with-credentials finds the key: give both"),
    "a secret without a namespace": (["--with-credentials", "--secret", "s3"], "--secret s3: write NAMESPACE/NAME"),
    "a secret that is not there": (["--with-credentials", "--secret", "a/s3"], "Secret a/s3 does not exist; give --secret the one with the key"),
    "a snapshot and credentials": (["--with-credentials", "--snapshot", "x"], "give one of the two"),
    "a snapshot that is not there": (["--snapshot", "x"], "the snapshot x cannot be read: No such file or directory"),
    "a snapshot that is a document": (["--snapshot", "team.yaml"], "is not"),
    "an old SkyPilot": (["--skypilot", "0.11.2"], 'pip install "skypilot[vastdata]>=0.12"'),
    "a word for a version": (["--skypilot", "latest"], "write what `sky --version` says: 0.14.1"),
    "a task that is not there": (["--task", "x.yaml"], "cannot read x.yaml"),
    "a folder of tasks": (["--task", "other"], "cannot read other: Is a directory"),
    "a document for a task": (["--task", "team.yaml"], "team.yaml is not a SkyPilot task: it has no run, setup, file_mounts or resources"),
    "a task with a blank": (["--task", "my task.yaml"], "its copies need a name of letters, digits, ., _ and -"),
    "two tasks of one name": (["--task", "task.yaml", "--task", "other/task.yaml"], "another task has the same file name"),
    "a mode that there is not": (["--task", "mode.yaml"], "mode is 'MOUNTED', and SkyPilot knows MOUNT, MOUNT_CACHED, COPY"),
    "a key in a task": (["--task", "key.yaml"], "the key belongs in ~/.vastdata/vastdata.credentials"),
    "a part of a bucket": (["--task", "part.yaml"], "mount the bucket and use the path below it, or write mode: COPY"),
}  # fmt: skip


@pytest.fixture
def team(tmp_path: Path) -> Team:
    team = Team(tmp_path)
    del team.team["s3_keys"]
    (tmp_path / "other").mkdir()
    for name, tree in TASKS.items():
        (tmp_path / name).write_text(yaml.safe_dump(tree))
    return team


@pytest.mark.parametrize("typed", TYPED)
def test_what_was_typed(typed: str, team: Team, vastplan: Run) -> None:
    words, says = TYPED[typed]
    out = [] if "--out" in words else ["--out", str(team.out)]
    ran = vastplan("export", "skypilot", team.written(), *out, *words)
    assert ran.code in (1, 3) and says in ran.err, ran
    assert "never-to-be-told" not in ran.err + ran.out and ran.out == ""
    assert not team.out.exists() and not (team.out.parent / "not").exists()


def _endpoint(url: str) -> Callable[[dict[str, Any]], None]:
    def change(team: dict[str, Any]) -> None:
        team["vip_pool"]["per_site"]["iad"]["s3_endpoint"] = url

    return change


def _without_endpoint(team: dict[str, Any]) -> None:
    del team["vip_pool"]["per_site"]["iad"]["s3_endpoint"]


def _nothing(team: dict[str, Any]) -> None:
    del team["views"], team["volumes"]


def _two_keys(team: dict[str, Any]) -> None:
    team["s3_keys"] = {
        name: {"user": "alice", "deliver": {"secret": f"runai-team-a/{name}"}} for name in ("one", "two")
    }


def _a_key(team: dict[str, Any]) -> None:
    team["s3_keys"] = {"one": {"user": "alice", "deliver": {"secret": "runai-team-a/one"}}}


def _shell(team: dict[str, Any]) -> None:
    team["volumes"]["scratch"]["mount"] = "/scratch; reboot"


def _system(team: dict[str, Any]) -> None:
    team["volumes"]["scratch"]["mount"] = "/etc"


def _same(team: dict[str, Any]) -> None:
    team["volumes"]["scratch"]["mount"] = "/checkpoints"


WRITTEN: Mapping[str, tuple[Callable[[dict[str, Any]], None], list[str], str]] = {
    "an endpoint without a scheme": (_endpoint("s3.example.com"), [], "write https://HOST or https://HOST:PORT"),
    "an endpoint with a bucket": (_endpoint("https://s3.example.com/a-data"), [], "without a path: buckets are below it"),
    "no endpoint": (_without_endpoint, [], "write s3_endpoint: https://HOST in the VIP pool that S3 clients use"),
    "nothing to mount": (_nothing, ["--site", "iad"], "nothing to export of site iad: no bucket and no volume with a mount. Write mo"),
    "two keys": (_two_keys, ["--with-credentials"], "give one of --secret runai-team-a/one (s3_key one), --secret runai-team-a/two (s3_key two)"),
    "not applied yet": (_a_key, ["--with-credentials"], "Secret runai-team-a/one does not exist; vastplan apply delivers the key"),
    "a mount with a shell in it": (_shell, [], "letters, digits, ., _ and - between the slashes of a path"),
    "a mount on the system": (_system, [], "mount it elsewhere, for example at /data"),
    "one place twice": (_same, [], "give one of them another mount"),
}  # fmt: skip


@pytest.mark.parametrize("written", WRITTEN)
def test_what_was_written(written: str, team: Team, vastplan: Run) -> None:
    change, words, says = WRITTEN[written]
    change(team.team)
    ran = vastplan("export", "skypilot", team.written(), "--out", team.out, *words)
    assert ran.code in (1, 3) and says in ran.err, ran
    assert ran.out == "" and not team.out.exists()


def test_a_bucket_nearly(team: Team, vastplan: Run) -> None:
    """A warning: it may be somebody's that the document does not know. What is told is the task that was given."""
    ran = vastplan("export", "skypilot", team.written(), "--out", team.out, "--task", "nearly.yaml", "--site", "iad")
    assert (
        ran.code == 0 and "bucket 'a-dat' is not in the document (did you mean a-data? Otherwise declare it" in ran.err
    )
    assert "  /d: bucket a-dat, MOUNT (task nearly)" in ran.out and "(task team-a)" not in ran.out


@pytest.mark.slow
def test_a_snapshot_of_another_document(team: Team, vastplan: Run) -> None:
    team.tree["name"] = "other"
    assert vastplan("record", team.written(), "--out", "snapshot.json").code == 0
    team.tree["name"] = "team"
    ran = vastplan("export", "skypilot", team.written(), "--out", team.out, "--snapshot", "snapshot.json")
    assert ran.code == 1 and "the snapshot is of the document other, not of team" in ran.err
    assert not team.out.exists()
