"""What an export writes, word for word, and over what it writes."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Callable
from configparser import ConfigParser
from pathlib import Path

import pytest
import yaml

from tests.conftest import Ran, Run
from tests.skypilot.team import Team
from vastplan.ledger.file import write_atomically

Export = Callable[..., Ran]
TASK = """\
# What there is to mount. Add run, and under resources what it needs; the same task runs elsewhere with another infra.
resources:
  infra: k8s
file_mounts:
  /buckets/a-data:
    source: vastdata://a-data
    mode: MOUNT
  /checkpoints:
    source: vastdata://a-checkpoints
    mode: MOUNT_CACHED
    type: MODEL_CHECKPOINT_RW
    config:
      mount_cached:
        vfs_cache_max_size: 187G
volumes:
  /scratch: scratch
"""


@pytest.fixture
def team(tmp_path: Path) -> Team:
    return Team(tmp_path)


@pytest.fixture
def export(team: Team, vastplan: Run) -> Export:
    """Export the document as it is now to `sky`."""

    def run(*more: str | Path, code: int = 0) -> Ran:
        ran = vastplan("export", "skypilot", team.written(), "--out", team.out, *more)
        assert ran.code == code, ran
        return ran

    return run


def test_what_is_written(team: Team, export: Export) -> None:
    export()
    files = team.files()
    mine = {name.removeprefix("iad/team-a/"): text for name, text in files.items() if name.startswith("iad/")}
    assert sorted(mine) == [
        ".gitignore",
        "tasks/team-a.yaml",
        "vastdata.config",
        "vastdata.credentials.template",
        "volumes/checkpoints.yaml",
        "volumes/scratch.yaml",
    ]
    assert mine["tasks/team-a.yaml"] == TASK
    assert mine["vastdata.config"] == "[profile vastdata]\nendpoint_url = https://s3.iad.example.com\n"
    assert mine["vastdata.credentials.template"].splitlines()[1:] == [
        "[vastdata]",
        "aws_access_key_id = ${VAST_ACCESS_KEY_ID}",
        "aws_secret_access_key = ${VAST_SECRET_ACCESS_KEY}",
    ]
    assert yaml.safe_load(mine["volumes/scratch.yaml"]) == {
        "name": "scratch",
        "type": "k8s-pvc",
        "infra": "k8s",
        "use_existing": True,
        "config": {"namespace": "runai-team-a", "access_mode": "ReadWriteMany", "storage_class_name": "team-a"},
    }


def test_the_same_data_is_the_same_task_but_for_where_it_runs(team: Team, export: Export) -> None:
    team.tree["sites"]["pdx"] = {
        "vast": {"url": "https://vms.pdx.example.com", "token": {"env": "VAST"}},
        "kubernetes": {"context": "pdx-gpu"},
        "runai": {
            "url": "https://acme.run.ai",
            "cluster": "pdx",
            "client_id": "vastplan",
            "client_secret": {"env": "RUNAI"},
        },
        "capability": {"writes_bw_mbps": "1 GB/s"},
    }
    export()
    here, there = (team.files()[f"{site}/team-a/tasks/team-a.yaml"] for site in ("iad", "pdx"))
    assert here != there and here == there.replace("infra: k8s/pdx-gpu", "infra: k8s")


def test_git_keeps_no_key(team: Team, export: Export) -> None:
    export()
    (team.out / "iad" / "team-a" / "vastdata.credentials").write_text("a secret")
    subprocess.run(["git", "init", "-q", team.out], check=True)
    seen = subprocess.run(
        ["git", "-C", team.out, "ls-files", "--others", "--exclude-standard"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert "iad/team-a/vastdata.config" in seen
    assert not any(name.endswith("vastdata.credentials") for name in seen)


def test_again_changes_nothing(team: Team, export: Export) -> None:
    export()
    before = {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in team.out.rglob("*")}
    assert "0 files written, 12 as they were." in export().out
    assert {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in team.out.rglob("*")} == before


def test_it_is_a_function_of_the_document(team: Team, export: Export, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the folder it is written to, nor its order, nor the time decides what is in the files."""
    export()
    first = team.files()
    team.out = team.out.parent / "elsewhere"
    for key in ("views", "volumes"):
        team.team[key] = dict(reversed(team.team[key].items()))
    team.tree["sites"] = dict(reversed(team.tree["sites"].items()))
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    export()
    assert team.files() == first


@pytest.mark.slow
def test_a_snapshot_says_which_buckets_are_missing_and_changes_no_file(
    team: Team, export: Export, vastplan: Run
) -> None:
    export()
    first = team.files()
    del team.team["volumes"]["checkpoints"]
    assert vastplan("apply", team.written(), "--site", "iad", "--auto-approve").code == 0
    assert vastplan("record", team.path, "--site", "iad", "--out", "snapshot.json").code == 0
    team.__init__(team.path.parent)  # type: ignore[misc]
    ran = export("--snapshot", "snapshot.json", "--site", "iad")
    assert "warning SKY-06: iad/view/checkpoints: bucket a-checkpoints did not exist on" in ran.err
    assert "a-data was not there" not in ran.err
    assert team.files() == first


def test_somebodys_edit_is_not_written_over(team: Team, export: Export) -> None:
    export()
    task = team.out / "iad" / "team-a" / "tasks" / "team-a.yaml"
    task.write_text(TASK + "run: python train.py\n")
    team.team["views"]["data"]["bucket"] = "a-other"
    ran = export(code=1)
    assert "iad/team-a/tasks/team-a.yaml: written by somebody else, or edited since" in ran.err
    assert "--overwrite" in ran.err
    assert "a-other" not in "".join(team.files().values())
    export("--overwrite")
    assert "a-other" in task.read_text() and "run:" not in task.read_text()


def test_somebodys_own_file_is_not_written_over(team: Team, export: Export) -> None:
    place = team.out / "pdx" / "team-a" / "vastdata.config"
    place.parent.mkdir(parents=True)
    place.write_text("[profile vastdata]\nendpoint_url = https://mine.example.com\n")
    assert "pdx/team-a/vastdata.config: written by somebody else" in export(code=1).err
    assert list(team.files()) == ["pdx/team-a/vastdata.config"]


def test_what_is_ours_is_written_anew(team: Team, export: Export) -> None:
    export()
    team.team["vip_pool"]["per_site"]["iad"]["s3_endpoint"] = "https://new.example.com"
    ran = export()
    assert f"rewrote {team.out}/iad/team-a/vastdata.config" in ran.out and "1 file written, 11 as" in ran.out
    assert "new.example.com" in team.files()["iad/team-a/vastdata.config"]


WRITES = 5  # the note before, what changed (an endpoint, a task of each site), and the note after


@pytest.mark.parametrize("at", range(1, WRITES + 1))
def test_a_full_disk_is_taken_up_where_it_was(
    at: int, team: Team, export: Export, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever write fails: no file is half there, and the next export goes on, also when the document has changed since."""
    export()
    team.team["vip_pool"]["per_site"]["iad"]["s3_endpoint"] = "https://other.example.com"
    team.team["views"]["data"]["bucket"] = "a-other"
    with monkeypatch.context() as patched:
        _full_disk(patched, at)
        assert "No space left on device" in export(code=1).err
    changed = [text for text in team.files().values() if "a-other" in text or "//other" in text]
    assert len(changed) == min(max(at - 2, 0), 3)
    assert all(text.endswith("\n") for text in team.files().values())
    team.team["views"]["data"]["bucket"] = "a-third"
    assert "3 files written" in export().out or at > 2  # an endpoint that was written is as it was
    assert "a-third" in team.files()["pdx/team-a/tasks/team-a.yaml"]
    assert "other.example.com" in team.files()["iad/team-a/vastdata.config"]


def test_a_change_takes_so_many_writes(team: Team, export: Export, monkeypatch: pytest.MonkeyPatch) -> None:
    export()
    team.team["vip_pool"]["per_site"]["iad"]["s3_endpoint"] = "https://other.example.com"
    team.team["views"]["data"]["bucket"] = "a-other"
    count = _full_disk(monkeypatch, 0)
    export()
    assert count() == WRITES


def _full_disk(monkeypatch: pytest.MonkeyPatch, at: int) -> Callable[[], int]:
    count, really = 0, write_atomically

    def write(place: Path, content: bytes, mode: int | None = None) -> None:
        nonlocal count
        count += 1
        if count == at:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        really(place, content, mode)

    monkeypatch.setattr("vastplan.ledger.file.write_atomically", write)
    return lambda: count


def test_a_link_in_the_folder_is_not_written_through(team: Team, export: Export, tmp_path: Path) -> None:
    """Also where it is found at the last file: nothing is written before."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (team.out / "pdx" / "team-a").mkdir(parents=True)
    (team.out / "pdx" / "team-a" / "volumes").symlink_to(elsewhere)
    ran = export(code=1)
    assert (
        f"{team.out}/pdx/team-a/volumes is a link, and vastplan writes nothing through links: move it away" in ran.err
    )
    assert list(elsewhere.iterdir()) == [] and team.files() == {}


def test_a_link_in_the_place_of_a_file_is_somebodys(team: Team, export: Export, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("theirs")
    place = team.out / "iad" / "team-a" / "vastdata.config"
    place.parent.mkdir(parents=True)
    place.symlink_to(target)
    assert "iad/team-a/vastdata.config: written by somebody else" in export(code=1).err
    export("--overwrite")
    assert target.read_text() == "theirs" and not place.is_symlink()


def test_a_file_in_the_place_of_a_folder(team: Team, export: Export) -> None:
    team.out.mkdir()
    (team.out / "iad").write_text("theirs")
    assert f"{team.out}/iad is not a folder: move it away" in export(code=1).err


def test_what_is_exported_may_be_a_link_itself(team: Team, export: Export, tmp_path: Path) -> None:
    """Whoever typed `--out` chose it."""
    (tmp_path / "real").mkdir()
    team.out.symlink_to(tmp_path / "real")
    export()
    assert (tmp_path / "real" / "iad" / "team-a" / "vastdata.config").is_file()


@pytest.mark.parametrize(
    "note",
    [
        "no JSON",
        '{"files": {"../../victim": ["0"], "/etc/passwd": ["0"], "": ["0"], "a": "0", "b": [0]}}',
        '{"files": ["iad/team-a/vastdata.config"]}',
        "[]",
    ],
)
def test_a_note_that_somebody_wrote_makes_nothing_ours(note: str, team: Team, export: Export, tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("theirs")
    (team.out / "iad" / "team-a").mkdir(parents=True)
    (team.out / ".vastplan-export.json").write_text(note)
    (team.out / "iad" / "team-a" / "vastdata.config").write_text("theirs")
    ran = export(code=1)
    assert "iad/team-a/vastdata.config: written by somebody else" in ran.err
    ran = export("--overwrite")
    assert "earlier export" not in ran.out and (tmp_path / "victim").read_text() == "theirs"


def test_what_is_left_over_is_told_and_stays(team: Team, export: Export) -> None:
    export()
    team.team["project"] = None
    del team.team["project"], team.team["volumes"], team.team["s3_keys"], team.tree["sites"]["pdx"]
    del team.team["vip_pool"]["per_site"]["pdx"]
    ran = export()
    left = sorted(
        line.partition(" is from ")[0] for line in ran.out.splitlines() if "is from an earlier export" in line
    )
    names = [str(Path(line).relative_to(team.out)) for line in left]
    assert "pdx/team-a/vastdata.config" in names and "iad/team-a/volumes/scratch.yaml" in names
    assert not any("iad/team-a/vastdata" in name for name in names)
    assert all((team.out / name).exists() for name in names)
    (team.out / "pdx" / "team-a" / "vastdata.config").unlink()
    assert "pdx/team-a/vastdata.config" not in export().out


@pytest.mark.parametrize(
    "chosen", [("--site", "iad"), ("--project", "team-a"), ("--site", "iad", "--tenant", "team-a")]
)
def test_of_a_part_the_rest_is_not_left_over(chosen: tuple[str, ...], team: Team, export: Export) -> None:
    export()
    assert "earlier export" not in export(*chosen).out


def test_names_with_markup_are_values(team: Team, export: Export) -> None:
    """Whatever an owner or a context is called, the files say that and nothing else."""
    context = "a: {x: y} # <b>$(reboot)\"' \u202e"
    team.team["views"]["data"]["bucket_owner"] = "<b>[vastdata] \u202e aws_access_key_id = theirs"
    team.tree["sites"]["pdx"] = {
        "vast": {"url": "https://vms.pdx.example.com", "token": {"env": "VAST"}},
        "kubernetes": {"context": context},
        "capability": {"writes_bw_mbps": "1 GB/s"},
    }
    team.team["project"]["sites"] = team.team["volumes"]["checkpoints"]["sites"] = ["iad"]
    team.team["volumes"]["scratch"]["sites"] = team.team["s3_keys"]["trainer"]["sites"] = ["iad"]
    ran = export()
    assert yaml.safe_load(team.files()["pdx/team-a/tasks/team-a.yaml"])["resources"] == {"infra": f"k8s/{context}"}
    assert "\u202e" not in ran.out and all(text.isascii() for text in team.files().values())
    read = ConfigParser()
    read.read_string(team.files()["pdx/team-a/vastdata.credentials.template"])
    assert dict(read["vastdata"])["aws_access_key_id"] == "${VAST_ACCESS_KEY_ID}" and read.sections() == ["vastdata"]


@pytest.mark.parametrize("bucket", ["on", "1e3", "0o17", "1:30", "a: b", "Old_Bucket"])
def test_a_bucket_that_skypilot_knows_no_name_for_is_left_out(bucket: str, team: Team, export: Export) -> None:
    """Its claim is mounted instead, where it has one."""
    team.team["views"]["data"]["bucket"] = bucket
    team.team["volumes"]["checkpoints"]["bucket"] = f"{bucket}+c"
    ran = export("--site", "iad")
    task = yaml.safe_load(team.files()["iad/team-a/tasks/team-a.yaml"])
    assert task["volumes"] == {"/scratch": "scratch", "/checkpoints": "checkpoints"}
    if bucket in ("1e3", "0o17"):
        assert task["file_mounts"][f"/buckets/{bucket}"]["source"] == f"vastdata://{bucket}"
    else:
        assert "file_mounts" not in task
        assert "iad/view/data: SkyPilot does not accept" in ran.err


@pytest.mark.parametrize("name", ["../../up", "..", "a/b", "/etc/x", ".", "a\nb", ""])
def test_no_name_of_the_document_leads_out_of_the_folder(
    name: str, team: Team, export: Export, vastplan: Run, tmp_path: Path
) -> None:
    team.tree["tenants"] = {name: team.team}
    ran = vastplan("export", "skypilot", team.written(), "--out", team.out)
    assert ran.code == 1 and "error VP" in ran.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["csi-password", "team.yaml"]
