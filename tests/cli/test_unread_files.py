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
        assert ran.out.split("\n\n")[2].startswith(
            f"warning VP357: the folder of {folder}/factory.yaml has 2 more files of a document, not read here: policies.yaml, "
            "teams.yaml; this plan deletes objects that they may have "
            f"(to read them too: vastplan plan {folder})"
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


WHOLE = "version: 1\nname: doc\nsites: {iad: {sim: {systems: [vast]}}}\ntenants: {a: {}}\n"
MANIFEST = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME}\n"


def folder_of(tmp_path: Path, files: dict[str, str]) -> Path:
    folder = tmp_path / "doc"
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_manifests_in_the_folder_of_a_document_are_one_error(tmp_path: Path, vastplan: Run) -> None:
    manifests = {f"{name}.yaml": MANIFEST.replace("NAME", name) for name in ("a", "b", "z")}
    folder = folder_of(tmp_path, {"doc.yaml": WHOLE, "approvals.yaml": "approvals: []\n", **manifests})
    ran = vastplan("validate", folder)
    named = ", ".join(str(folder / name) for name in manifests)
    fix = "(keep such files in another folder, or give the files of the document)"
    assert ran.code == 1 and ran.err.splitlines() == [
        f"{folder}/a.yaml:1:1: error VP105: not a part of a document, but a Kubernetes manifest: {named} {fix}",
        f"{folder}/approvals.yaml:1:1: error VP105: not a part of a document, but approvals: {folder}/approvals.yaml {fix}",
    ]
    assert vastplan("validate", folder / "doc.yaml").code == 0


def test_subfolders_with_yaml_files_are_one_note(tmp_path: Path, vastplan: Run) -> None:
    below = {
        "more/b.yaml": "tenants: {b: {}}\n", "more/c.yaml": "tenants: {c: {}}\n", "charts/x.yml": "x: 1\n",
        ".hidden/h.yaml": "h: 1\n", "text/readme.md": "no YAML\n",
    }  # fmt: skip
    folder = folder_of(tmp_path, {"doc.yaml": WHOLE, **below})
    fix = "(if one belongs to the document, give it too, after its folder)"
    note = f"note VP117: subfolders are not read, and some have YAML files: {folder}/charts, {folder}/more {fix}"
    ran = vastplan("validate", folder)
    assert ran.code == 0 and ran.err.splitlines() == [note], ran
    assert note in vastplan("plan", folder).out.splitlines()
    ran = vastplan("validate", folder, folder / "more")
    assert ran.code == 0 and ran.err.splitlines() == [note.replace(f", {folder}/more", "")], ran
    assert "VP117" not in vastplan("validate", folder / "doc.yaml").err, "a file has no subfolders"
