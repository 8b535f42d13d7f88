"""The options of an import, on one world: two tenants with all that a team has, made by vastplan, whose ledger is lost."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import Ran, Run
from tests.lab import Lab

SECTIONS: dict[str, Any] = {
    "secrets": {"vast-mgmt": {"namespace": "vast-csi", "data": {"username": "csi", "password": {"file": "password"}}}},
    "namespaces": {"vast-csi": {"labels": {"team": "storage"}}},
    "departments": {"research": {"gpus": {"default": 64}}},
    "snapshot_schedules": {"daily": {"frames": [{"every": "1d", "keep_local": "7d"}]}},
    "tenants": {
        name: {
            "capacity_rules": {"hard_limit": "100 TiB"},
            "vip_pool": {"subnet_cidr": 24, "ip_ranges": [f"10.20.{number}.10 - 10.20.{number}.25"]},
            "view_policy": {"flavor": "NFS", "nfs_no_squash": [f"10.12.{number}.0/24"]},
            "storage_class": {"driver": "file", "storage_path": f"/{name}/k8s", "secret": "vast-mgmt",
                              "labels": {"team": name}},
            "project": {"department": "research", "gpus": {"default": 8}, "access": {"ML engineer": [f"grp-{name}"]}},
            "views": {f"{name}-home": {"path": f"/{name}/home", "create_dir": True, "quota": {"hard_limit": "1 TiB"},
                                       "snapshots": "daily"}},
            "volumes": {
                f"{name}-data": {"storage_class": name, "size": "2 TiB", "mount": "/data"},
                f"{name}-checkpoints": {"path": f"/{name}/checkpoints", "size": "4 TiB", "mount": "/checkpoints"},
            },
        }
        for number, name in enumerate(("nlp", "vision"), start=1)
    },
}  # fmt: skip


class World:
    """The world, the document that says nothing of it yet, and a snapshot of it."""

    def __init__(self, lab: Lab, folder: Path) -> None:
        self.lab, self.folder, self.snapshot = lab, folder, folder.parent / "snapshot.json"
        self.ran: dict[tuple[str, ...], Ran] = {}

    def text(self, ran: Ran) -> str:
        """What was printed of the files."""
        assert ran.code == 0, ran
        return ran.out.partition("\nwould write")[0]

    def sections(self, ran: Ran) -> dict[str, Any]:
        """The files that were printed, read together."""
        merged: dict[str, Any] = {}
        for part in self.text(ran).split("# yaml-language-server")[1:]:
            for section, entries in (yaml.safe_load(part.partition("\n")[2]) or {}).items():
                merged.setdefault(section, {}).update(entries)
        return merged


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("options") / "site"
    folder.mkdir()
    with Lab(folder, {"iad": ["vast", "kubernetes", "runai"]}) as lab:
        (folder / "password").write_text("correct horse")
        lab.by_hand("iad", "vast", "POST", "/api/v5/dns/", {"name": "main", "vip": "10.9.9.9"})
        lab.write(SECTIONS)
        lab.converge()
        shutil.rmtree(folder / ".vastplan" / "ledger")
        (folder / "password").unlink()
        lab.write({})
        yield World(lab, folder)


@pytest.fixture
def dry(world: World, vastplan: Run) -> Any:
    """An import that prints, from a snapshot that the first of these tests takes; the same words are run once."""

    def run(*words: str) -> Ran:
        if not world.snapshot.exists():
            assert vastplan("record", world.folder, "--out", world.snapshot).code == 0
        if words not in world.ran:
            world.ran[words] = vastplan("import", world.folder, "--dry-run", "--snapshot", world.snapshot, *words)
        return world.ran[words]

    return run


def report(ran: Ran) -> Any:
    assert ran.code == 0, ran
    return json.loads(ran.out)


@pytest.mark.slow
def test_without_options_composites_come_back(world: World, dry: Any) -> None:
    found = world.sections(dry())
    assert set(found["tenants"]) == {"nlp", "vision"}
    nlp = found["tenants"]["nlp"]
    assert set(nlp["volumes"]) == {"nlp-data", "nlp-checkpoints"}
    assert nlp["views"]["nlp-home"]["snapshots"] == "daily"
    assert "labels" not in json.dumps(found)


def test_a_tenant_comes_with_all_that_is_placed_in_it_and_what_is_outside_is_what_exists(
    world: World, dry: Any
) -> None:
    ran = dry("--tenant", "nl?")
    found = world.sections(ran)
    assert list(found) == ["tenants"] and list(found["tenants"]) == ["nlp"]
    whole, nlp = world.sections(dry())["tenants"]["nlp"], found["tenants"]["nlp"]
    assert nlp["views"]["nlp-home"].pop("snapshots") == {"existing": "daily"}
    assert nlp["project"].pop("department") == {"existing": "research"}
    del whole["views"]["nlp-home"]["snapshots"], whole["project"]["department"]
    assert nlp == whole
    assert "Left, UNSELECTED" in ran.out and "vision" not in ran.out


def test_what_there_is_none_of_is_said(dry: Any) -> None:
    ran = dry(
        "--tenant", "nlpp*", "--except", "*/view/nowhere", "--take", "iad/secret/no?e", "--take", "*/secret/vast-*"
    )
    assert ran.code == 0 and "Nothing new: no file was written." in ran.out
    said = [line for line in ran.out.splitlines() if line.endswith("matches nothing here.")]
    assert [line.removesuffix(" matches nothing here.") for line in said] == [
        "--tenant nlpp*",
        "--take iad/secret/no?e",
        "--except */view/nowhere",
    ]


@pytest.mark.parametrize("words", [("--tenant", "nlpp"), ("--except", "iad/view/zzz"), ("--take", "iad/secret/none")])
def test_a_name_that_nothing_has_is_a_mistake(words: tuple[str, str], dry: Any) -> None:
    ran = dry(*words)
    assert ran.code == 1 and f"error: {words[0]} {words[1]}: nothing has that name" in ran.err


def test_kinds_are_chosen_and_left_out_by_name_and_by_pattern(world: World, dry: Any) -> None:
    assert set(world.sections(dry("--kind", "view_policy", "--kind", "vip_*"))) == {"vip_pools", "view_policies"}
    without = world.sections(dry("--except", "iad/*/*vision*"))
    assert list(without["tenants"]) == ["nlp"] and "vision" not in json.dumps(without)


@pytest.mark.parametrize("option", ["--kind", "--full"])
def test_a_kind_that_there_is_none_of_is_an_error_before_anything_is_read(option: str, dry: Any) -> None:
    ran = dry(option, "view_polcy")
    assert ran.code == 1 and not ran.out
    assert f"{option} view_polcy: no kind matches; did you mean view_policy?" in ran.err


def test_a_full_import_writes_what_was_left_to_defaults_and_nothing_else_changes(world: World, dry: Any) -> None:
    short, full = (world.sections(dry(*words))["tenants"]["nlp"] for words in ((), ("--full",)))
    assert "nfs_posix_acl" not in short["view_policy"] and full["view_policy"]["nfs_posix_acl"] is False
    assert set(short) <= set(full) and short["volumes"].keys() == full["volumes"].keys()
    for part in ("view_policy", "vip_pool", "project"):
        assert all(full[part][name] == value for name, value in short[part].items() if name in full[part])
        assert len(full[part]) > len(short[part])


def test_a_full_import_of_one_kind_leaves_the_others_as_they_are(world: World, dry: Any) -> None:
    short, full = (world.sections(dry(*words))["tenants"]["nlp"] for words in ((), ("--full=view_policy",)))
    assert len(full.pop("view_policy")) > len(short.pop("view_policy"))
    assert full == short


def test_what_is_left_to_defaults_is_counted_and_a_full_import_leaves_nothing(dry: Any) -> None:
    short, full = (report(dry("--format", "json", *words))["values"] for words in ((), ("--full",)))
    assert short["unconfirmed"] > 0 and short["defaults"] > 0
    assert full["unconfirmed"] < short["unconfirmed"] and full["defaults"] < short["defaults"]
    assert sum(full.values()) == sum(short.values())


@pytest.mark.slow
def test_one_file_or_one_for_each_tenant(dry: Any) -> None:
    def names(*words: str) -> list[str]:
        return [file["path"] for file in report(dry("--format", "json", *words))["files"]]

    assert names() == ["shared.yaml", "tenant-nlp.yaml", "tenant-vision.yaml"]
    assert names("--layout", "single") == ["imported.yaml"]


@pytest.mark.slow
def test_exit_codes_say_whether_there_is_something_new(world: World, dry: Any, vastplan: Run, tmp_path: Path) -> None:
    assert dry("--detailed-exitcode").code == 2
    assert dry("--detailed-exitcode", "--tenant", "nobody*").code == 0
    site = tmp_path / "site"
    shutil.copytree(world.folder, site, ignore=shutil.ignore_patterns("sim"))
    words = ("import", site, "--snapshot", world.snapshot)
    assert vastplan(*words, "--detailed-exitcode").code == 2
    written = sorted(file.name for file in site.glob("*.yaml"))
    assert written == ["lab.yaml", "shared.yaml", "tenant-nlp.yaml", "tenant-vision.yaml"]
    again = vastplan(*words, "--detailed-exitcode")
    assert again.code == 0 and "Nothing new: no file was written." in again.out
    assert sorted(file.name for file in site.glob("*.yaml")) == written


def test_a_path_behind_full_was_meant_to_be_the_document(world: World, vastplan: Run) -> None:
    ran = vastplan("import", "--full", world.folder)
    assert ran.code == 1 and "is a path, not a kind: type --full last, or --full=KIND" in ran.err


# What only the systems themselves can answer


def live(world: World, vastplan: Run, *words: str) -> Ran:
    return vastplan("import", world.folder, "--dry-run", *words)


@pytest.mark.slow
def test_labels_are_taken_by_key_and_never_those_of_what_holds_secrets(world: World, vastplan: Run) -> None:
    by_hand = world.lab.by_hand
    applied = {"kubectl.kubernetes.io/last-applied-configuration": "{canary}", "team/owner": "ana"}
    merge = {"Content-Type": "application/merge-patch+json"}
    by_hand("iad", "kubernetes", "PATCH", "/apis/storage.k8s.io/v1/storageclasses/nlp", {"metadata": {"annotations": applied}}, **merge)  # fmt: skip
    secret = {"metadata": {"annotations": {**applied, "team/key": "canary"}, "labels": {"team": "canary"}}}
    by_hand("iad", "kubernetes", "PATCH", "/api/v1/namespaces/vast-csi/secrets/vast-mgmt", secret, **merge)
    taken = ("--take", "*/secret/*", "--take", "*/namespace/*")
    assert "labels" not in world.text(live(world, vastplan, *taken))
    ran = live(
        world, vastplan, *taken, "--labels", "tea*", "--labels", "kubectl*", "--format", "json", "--report", "r.md"
    )
    assert "canary" not in ran.out + ran.err + Path("r.md").read_text()
    found = world.sections(live(world, vastplan, *taken, "--labels", "tea*", "--labels", "kubectl*"))
    assert found["tenants"]["nlp"]["storage_class"]["labels"] == {"team": "nlp"}
    assert found["tenants"]["nlp"]["storage_class"]["annotations"] == {"team/owner": "ana"}
    assert found["namespaces"]["vast-csi"]["labels"] == {"team": "storage"}
    assert found["secrets"] == {"vast-csi-vast-mgmt": {"namespace": "vast-csi", "name": "vast-mgmt"}}


def test_a_snapshot_has_no_labels_and_that_is_said(dry: Any) -> None:
    assert "A snapshot holds the labels that vastplan wrote and no others" in dry("--labels", "*").out


@pytest.mark.slow
def test_a_census_counts_what_has_no_kind(world: World, vastplan: Run) -> None:
    listed = report(live(world, vastplan, "--format", "json"))["beyond"]
    assert {row["system"] for row in listed} == {"vast", "kubernetes", "runai"}
    assert {(row["objects"], row["error"]) for row in listed} == {(None, "")}
    rows = report(live(world, vastplan, "--census", "--format", "json"))["beyond"]
    assert [(row["system"], row["name"]) for row in rows] == [(row["system"], row["name"]) for row in listed]
    told = {row["name"]: row["objects"] for row in rows if row["objects"] is not None}
    assert told["csidrivers"] == 0 and told["dns"] == 1
    assert {row["error"] for row in rows if row["name"] == "environments"} == {"no request counts them"}
    text = live(world, vastplan, "--census").out
    assert "iad vast: " in text and "dns 1" in text and "--census counts" not in text


def test_a_census_of_a_snapshot_is_refused(dry: Any) -> None:
    ran = dry("--census")
    assert ran.code == 1 and "--census reads the systems and --snapshot does not" in ran.err


def test_progress_is_told_beside_the_result(world: World, vastplan: Run) -> None:
    ran = live(world, vastplan, "--format", "json")
    json.loads(ran.out)
    assert ran.err.startswith("reading ") and "round 1: planning " in ran.err


@pytest.mark.slow
def test_defaults_are_said_once_where_that_saves_something(tmp_path: Path, vastplan: Run) -> None:
    site = tmp_path / "many"
    site.mkdir()
    policy = {"flavor": "NFS", "nfs_no_squash": ["10.12.0.0/24"], "nfs_posix_acl": True}
    tenants = {f"t{number}": {"view_policy": policy, "max_views": number} for number in range(1, 7)}
    with Lab(site, {"iad": ["vast"]}) as lab:
        lab.write({"tenants": tenants})
        lab.converge()
        shutil.rmtree(site / ".vastplan" / "ledger")
        lab.write({})
        whole = vastplan("import", site, "--dry-run", "--layout", "single")
        ran = vastplan("import", site, "--defaults", "--layout", "single")
        assert ran.code == 0, ran
        written = yaml.safe_load((site / "imported.yaml").read_text())
        assert written["defaults"] == {"view_policies": {**whole_policy(whole)}}
        assert [tenant["view_policy"] for tenant in written["tenants"].values()] == [{}] * 6
        planned = vastplan("plan", site, "--adopt")
        assert " 12 to adopt" in planned.out and "to update" not in planned.out
        # There is a section of policies in the document now, under whose entries new defaults would lie, too.
        for number in range(7, 13):
            made = lab.by_hand("iad", "vast", "POST", "/api/v5/tenants/", {"name": f"t{number}"})
            body = {"name": f"t{number}", "tenant_id": made["id"], **policy}
            lab.by_hand("iad", "vast", "POST", "/api/v5/viewpolicies/", body)
        again = vastplan("import", site, "--defaults", "--layout", "single", "--dry-run")
        text = again.out.partition("would write")[0]
        assert "t12:" in text and "nfs_posix_acl: true" in text and "defaults:" not in text


def whole_policy(ran: Ran) -> dict[str, Any]:
    """The first view policy of what was printed."""
    text = ran.out.partition("# yaml-language-server")[2].partition("\n")[2].partition("\nwould write")[0]
    return dict(yaml.safe_load(text)["tenants"]["t1"]["view_policy"])
