"""`--with-credentials`, from nothing to a file, with the simulators over HTTP: the pair that the cluster told, and nobody else told of it."""

from __future__ import annotations

import base64
import errno
import os
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Ran, Run
from tests.lab import Lab
from tests.skypilot.team import Team
from tests.values.forms import forms
from tests.values.plant import MERGE
from vastplan.sim.vast import VastPlane, keys

ALL = ["vast", "kubernetes", "runai"]
SECRET = "/api/v1/namespaces/runai-team-a/secrets/s3"
CREDENTIALS = "vastdata.credentials"


class Cluster:
    """A team on simulated systems that listen, and all that was printed."""

    def __init__(self, folder: Path, lab: Lab, vastplan: Run) -> None:
        self.team, self.lab, self._vastplan = Team(folder), lab, vastplan
        self.printed = ""

    def run(self, *words: str | Path) -> Ran:
        ran = self._vastplan(*words)
        self.printed += ran.out + ran.err
        return ran

    def apply(self) -> None:
        ran = self.run("apply", self.team.written(), "--auto-approve", "--allow-delete", "*")
        assert ran.code == 0, ran

    def export(self, *more: str | Path, code: int = 0) -> Ran:
        ran = self.run("export", "skypilot", self.team.written(), "--out", self.team.out, *more)
        assert ran.code == code, ran
        return ran

    def place(self, site: str) -> Path:
        return self.team.out / site / "team-a" / CREDENTIALS

    def pair(self, site: str) -> tuple[str, str]:
        """What an S3 client reads from the exported file."""
        read = ConfigParser()
        read.read_string(self.place(site).read_text())
        assert read.sections() == ["vastdata"] and len(read["vastdata"]) == 2
        return read["vastdata"]["aws_access_key_id"], read["vastdata"]["aws_secret_access_key"]

    def told(self, site: str) -> list[tuple[str, str]]:
        """The pairs that the site's cluster has, each with the secret that it told."""
        plane = self.lab.world.sites[site].planes["vast"]
        assert isinstance(plane, VastPlane)
        with self.lab.world.lock:
            return [(row["access_key"], row[keys.SECRET]) for row in plane._cluster.store.rows(keys.NAME)]

    def say(self, site: str, data: dict[str, str | None]) -> None:
        """Somebody changes the Secret."""
        encoded = {
            name: None if text is None else base64.b64encode(text.encode()).decode() for name, text in data.items()
        }
        self.lab.by_hand(site, "kubernetes", "PATCH", SECRET, {"data": encoded}, **MERGE)

    def open_places(self) -> Iterator[str]:
        """All that anybody may see: what was printed, and every file but the simulators' and those that hold the key."""
        yield self.printed
        for file in self.team.path.parent.rglob("*"):
            if file.is_file() and "sim" not in file.parts and file.name != CREDENTIALS:
                yield file.read_text(encoding="utf-8")


@pytest.fixture
def cluster(tmp_path: Path, vastplan: Run) -> Iterator[Cluster]:
    """After the test nothing but the exported file and the Secret held a secret."""
    with Lab(tmp_path, {"iad": ALL, "pdx": ALL}) as lab:
        found = Cluster(tmp_path, lab, vastplan)
        found.apply()
        yield found
        secrets = [secret for site in ("iad", "pdx") for _, secret in found.told(site)]
        assert secrets
        for text in found.open_places():
            assert not any(form in text for secret in secrets for form in forms(secret))


@pytest.mark.slow
def test_the_file_holds_the_pair_that_was_told(cluster: Cluster) -> None:
    cluster.export("--with-credentials")
    for site in ("iad", "pdx"):
        assert [cluster.pair(site)] == cluster.told(site)
        assert cluster.place(site).stat().st_mode & 0o777 == 0o600
    assert cluster.pair("iad") != cluster.pair("pdx")


@pytest.mark.slow
def test_of_one_site_only_that_ones_kubernetes_is_read(cluster: Cluster) -> None:
    cluster.lab.clear_calls()
    cluster.export("--with-credentials", "--site", "iad")
    servers = cluster.lab.world.sites["iad"].servers
    asked = cluster.lab.all_calls()
    assert asked and asked == servers["kubernetes"].calls and cluster.lab.calls() == []
    assert SECRET in {call.path for call in asked}
    assert not cluster.place("pdx").exists()


@pytest.mark.slow
def test_without_it_no_system_is_asked(cluster: Cluster) -> None:
    cluster.lab.clear_calls()
    cluster.export()
    assert cluster.lab.all_calls() == [] and not cluster.place("iad").exists()


@pytest.mark.slow
def test_again_changes_nothing_and_says_nothing_of_the_other_form(cluster: Cluster) -> None:
    cluster.export("--with-credentials")
    before = (cluster.place("iad").read_bytes(), cluster.place("iad").stat().st_ino)
    assert "0 files written" in cluster.export("--with-credentials").out
    assert (cluster.place("iad").read_bytes(), cluster.place("iad").stat().st_ino) == before
    assert "earlier export" not in cluster.export().out  # the template is there, too, and the key is good
    assert cluster.place("iad").read_bytes() == before[0]


@pytest.mark.slow
def test_a_file_that_others_can_read_is_closed(cluster: Cluster) -> None:
    cluster.export("--with-credentials")
    cluster.place("iad").chmod(0o644)
    cluster.export("--with-credentials")
    assert cluster.place("iad").stat().st_mode & 0o777 == 0o600


@pytest.mark.slow
def test_the_umask_opens_nothing(cluster: Cluster) -> None:
    mask = os.umask(0)
    try:
        cluster.export("--with-credentials")
    finally:
        os.umask(mask)
    assert cluster.place("iad").stat().st_mode & 0o777 == 0o600


@pytest.mark.slow
def test_a_next_generation_is_in_the_next_export(cluster: Cluster) -> None:
    cluster.export("--with-credentials")
    first = cluster.pair("iad")
    cluster.team.team["s3_keys"]["trainer"]["generation"] = 2
    cluster.apply()
    assert "2 files written" in cluster.export("--with-credentials").out
    assert cluster.pair("iad") != first and set(cluster.told("iad")) == {first, cluster.pair("iad")}


def test_somebodys_own_key_stays(cluster: Cluster) -> None:
    cluster.export("--with-credentials")
    cluster.place("iad").write_text("[vastdata]\naws_access_key_id = MINE\naws_secret_access_key = mine\n")
    assert f"iad/team-a/{CREDENTIALS}: written by somebody else" in cluster.export("--with-credentials", code=1).err
    assert cluster.pair("iad") == ("MINE", "mine")


@pytest.mark.slow
def test_a_full_disk_leaves_no_half_of_a_key(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    really = os.fsync

    def full(descriptor: int) -> None:
        if CREDENTIALS in os.readlink(f"/proc/self/fd/{descriptor}"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        really(descriptor)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        assert "No space left on device" in cluster.export("--with-credentials", code=1).err
    left = [path for path in cluster.team.out.rglob("*") if path.is_file() and CREDENTIALS in path.name]
    assert left == []
    cluster.export("--with-credentials")
    assert [cluster.pair("iad")] == cluster.told("iad")


@pytest.mark.slow
def test_other_names_of_the_pair(cluster: Cluster) -> None:
    cluster.team.team["s3_keys"]["trainer"]["deliver"]["keys"] = {"access_key": "id", "secret_key": "key"}
    cluster.team.team["s3_keys"]["trainer"]["deliver"]["secret"] = "runai-team-a/other"
    cluster.apply()
    cluster.export("--with-credentials")
    assert cluster.pair("iad") in cluster.told("iad")


@pytest.mark.slow
def test_the_key_that_a_bucket_delivers(tmp_path: Path, vastplan: Run) -> None:
    """By the names that Run:AI looks for; two buckets in one Secret have one key between them."""
    with Lab(tmp_path, {"iad": ALL, "pdx": ALL}) as lab:
        cluster = Cluster(tmp_path, lab, vastplan)
        team = cluster.team.team
        del team["s3_keys"], team["views"], team["volumes"], team["storage_class"], cluster.team.tree["secrets"]
        team["view_policy"] = {"flavor": "S3_NATIVE"}
        of = {"size": "1 TiB", "owner": "alice", "deliver": {"secret": "runai-team-a/buckets"}}
        team["buckets"] = {name: {**of, "bucket": f"a-{name}", "mount": f"/{name}"} for name in ("sets", "results")}
        cluster.apply()
        cluster.export("--with-credentials")
        assert [cluster.pair("iad")] == cluster.told("iad")
        cluster.place("iad").unlink()
        cluster.export("--with-credentials", "--secret", "runai-team-a/buckets")
        assert [cluster.pair("iad")] == cluster.told("iad")
        task = yaml.safe_load((cluster.team.out / "iad" / "team-a" / "tasks" / "team-a.yaml").read_text())
        assert {path: said["source"] for path, said in task["file_mounts"].items()} == {
            "/results": "vastdata://a-results",
            "/sets": "vastdata://a-sets",
        }


def test_the_key_of_a_user_of_a_directory(tmp_path: Path, vastplan: Run) -> None:
    """The one that the document delivers, or `--secret` names, whatever the names of its pair are."""
    with Lab(tmp_path, {"iad": ALL, "pdx": ALL}) as lab:
        lab.enrol("iad", users={"carol": {"uid": 40001}})
        cluster = Cluster(tmp_path, lab, vastplan)
        team = cluster.team.team
        keys_of_pair = {"access_key": "id", "secret_key": "key"}
        team["s3_keys"] = {"carol": {"sites": ["iad"], "user": {"existing": "carol"},
                                     "deliver": {"secret": "runai-team-a/carol", "keys": keys_of_pair}}}  # fmt: skip
        cluster.apply()
        for words in ((), ("--secret", "runai-team-a/carol")):
            cluster.export("--with-credentials", "--site", "iad", *words)
            secret = lab.by_hand("iad", "kubernetes", "GET", SECRET.replace("s3", "carol"))["data"]
            assert cluster.pair("iad") == tuple(base64.b64decode(secret[name]).decode() for name in ("id", "key"))
            cluster.place("iad").unlink()


@pytest.mark.slow
def test_a_secret_that_somebody_else_filled(cluster: Cluster) -> None:
    """`--secret` takes any pair, by the names of AWS in either case."""
    cluster.say("iad", {"AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None})
    cluster.say("iad", {"aws_access_key_id": "AKTHEIRS", "aws_secret_access_key": "theirs/and+nobodys"})
    cluster.export("--with-credentials", "--site", "iad", "--secret", "runai-team-a/s3")
    assert cluster.pair("iad") == ("AKTHEIRS", "theirs/and+nobodys")
    assert "theirs/and+nobodys" not in cluster.printed


@pytest.mark.slow
@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({"AWS_SECRET_ACCESS_KEY": None}, "Secret runai-team-a/s3 has no AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"),
        ({"AWS_SECRET_ACCESS_KEY": "two\nlines-of-it"}, "is not a key: a key is one word without blanks"),
        ({"AWS_SECRET_ACCESS_KEY": "with blanks"}, "is not a key: a key is one word without blanks"),
        ({"AWS_SECRET_ACCESS_KEY": ""}, "is not a key: a key is one word without blanks"),
        ({"AWS_ACCESS_KEY_ID": "x]\n[default"}, "is not a key: a key is one word without blanks"),
    ],
)
def test_what_is_no_key_is_not_written(data: dict[str, Any], says: str, cluster: Cluster) -> None:
    cluster.say("iad", data)
    ran = cluster.export("--with-credentials", code=1)
    assert says in ran.err and "runai-team-a/s3" in ran.err
    assert not cluster.team.out.exists()
    for text in data.values():
        assert not text or text not in ran.err + ran.out


@pytest.mark.slow
def test_a_key_that_is_not_delivered_yet(cluster: Cluster) -> None:
    cluster.team.team["s3_keys"]["trainer"]["deliver"]["secret"] = "runai-team-a/not-yet"
    ran = cluster.export("--with-credentials", code=1)
    assert "Secret runai-team-a/not-yet does not exist" in ran.err and "vastplan apply" in ran.err
    assert not cluster.team.out.exists()
