"""A file that is one part of a folder's document, given alone: what only the other parts have would be deleted."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.conftest import Run

HEAD = {"version": 1, "name": "doc", "sites": {"iad": {"sim": {"systems": ["vast"]}}}}


@pytest.fixture
def folder(tmp_path: Path, vastplan: Run) -> Path:
    """A document of three files that was applied."""
    folder = tmp_path / "storage"
    folder.mkdir()
    for name, content in {
        "factory": HEAD,
        "teams": {"tenants": {"team-a": {}, "team-b": {}}},
        "policies": {"view_policies": {"p": {"tenant": "team-a", "flavor": "NFS"}}},
    }.items():
        (folder / f"{name}.yaml").write_text(yaml.safe_dump(content))
    assert vastplan("apply", folder, "--auto-approve").code == 0
    return folder


def test_a_plan_that_deletes_names_the_files_that_were_not_read(folder: Path, vastplan: Run) -> None:
    for command in ("plan", "apply"):
        ran = vastplan(command, folder / "factory.yaml")
        assert ran.out.startswith(
            f"warning VP357: the folder of {folder}/factory.yaml has 2 more files of a document, not read here: policies.yaml, "
            "teams.yaml; this plan deletes objects that they may have "
            f"(to read them too: vastplan plan {folder})\n"
        ), ran
    assert "no changes" in vastplan("plan", folder).out


def test_what_to_type_leaves_out_a_file_that_is_no_part(folder: Path, vastplan: Run) -> None:
    (folder / "pod.yaml").write_text("apiVersion: v1\nkind: Pod\n")
    (folder / "task.yaml").write_text("resources: {cpus: 4}\nrun: ls\n")
    files = [folder / f"{name}.yaml" for name in ("factory", "policies", "teams")]
    ran = vastplan("plan", files[0])
    assert "2 more files of a document, not read here: policies.yaml, teams.yaml" in ran.out, ran
    assert f"(to read them too: vastplan plan {' '.join(map(str, files))})" in ran.out, ran
    assert "no changes" in vastplan("plan", *files).out


def test_without_a_deletion_or_a_part_nothing_is_said(folder: Path, vastplan: Run) -> None:
    teams = folder / "teams.yaml"
    (folder / "factory.yaml").write_text(yaml.safe_dump({**HEAD, **yaml.safe_load(teams.read_text())}))
    teams.unlink()
    (folder / "policies.yaml").rename(folder / "policies.txt")
    ran = vastplan("plan", folder / "factory.yaml")
    assert "- view_policy p" in ran.out and "VP357" not in ran.out, ran
    (folder / "policies.txt").rename(folder / "policies.yaml")
    content = yaml.safe_load((folder / "policies.yaml").read_text())
    (folder / "factory.yaml").write_text(
        yaml.safe_dump({**yaml.safe_load((folder / "factory.yaml").read_text()), **content})
    )
    ran = vastplan("plan", folder / "factory.yaml")
    assert "no changes" in ran.out and "VP357" not in ran.out, ran
