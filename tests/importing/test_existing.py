"""What a document has already: not a byte of it changes, nor what a line of it means."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.force import by_force
from tests.importing.recorded import FACTORY, HEAD, TEAM_A, TEAM_B, Done, composed, documents, imported, second
from vastplan.model.snapshot import RecordedSnapshot

WHOLE: dict[str, Any] = {
    **yaml.safe_load(FACTORY),
    "tenants": {**yaml.safe_load(TEAM_A)["tenants"], **yaml.safe_load(TEAM_B)["tenants"]},
}
PARTS = [
    ("snapshot_classes", "vast"),
    ("tenants", "team-a"),
    ("tenants", "team-a", "volumes", "team-a-checkpoints"),
    ("tenants", "team-a", "volumes", "team-a-data"),
    ("tenants", "team-b", "views", "team-b-datasets"),
    ("tenants", "team-b", "volumes"),
]
ODD = """\
#   team-a, as somebody left it

"tenants":
   team-a :   # theirs
        capacity_rules: {soft_limit:   450 TiB,
             hard_limit: 500 TiB}     # both
        'client_ip_ranges':
        - 10.12.0.1 - 10.12.0.200   # no dash
"""


def _import(folder: Path, files: dict[str, str], world: RecordedSnapshot) -> Done:
    """Import beside some files; none of them changes, nor what they stand for, and a second run has nothing to add."""
    documents(folder, files)
    old = composed(folder, world)
    done = imported(folder, world)
    assert {name: (folder / name).read_bytes() for name in done.before} == done.before
    new = composed(folder, world)
    assert {address: new.get(address) for address in old} == old
    again = imported(folder, world)
    assert again.imported.texts == ()
    assert again.imported.result.covered == done.imported.result.covered
    return done


@pytest.mark.parametrize(
    "files",
    by_force(
        [
            {"head.yaml": HEAD},
            {"factory.yaml": FACTORY},
            {"factory.yaml": FACTORY, "b.yaml": TEAM_B},
            {"factory.yaml": FACTORY, "a.yaml": TEAM_A},
            {"factory.yaml": FACTORY, "odd.yaml": ODD},
            {"factory.yaml": FACTORY, "odd.yaml": ODD, "b.yaml": TEAM_B},
            {"factory.yaml": FACTORY, "a.yaml": TEAM_A, "b.yaml": TEAM_B},
        ]
    ),
    ids=lambda files: "+".join(files),
)
def test_half_a_world_is_there_and_the_other_half_comes(
    files: dict[str, str], factory: RecordedSnapshot, tmp_path: Path
) -> None:
    done = _import(tmp_path, files, factory)
    (whole := tmp_path / "whole").mkdir()
    documents(whole, {"f.yaml": FACTORY, "a.yaml": TEAM_A, "b.yaml": TEAM_B})
    secrets = {"secret", "namespace"}
    assert {one for one in composed(whole, factory) if one.kind not in secrets} == {
        one for one in composed(tmp_path, factory) if one.kind not in secrets
    }
    assert done.reasons("FORM") | done.reasons("MEANING") == set()


@pytest.mark.parametrize("part", by_force(PARTS, *map(str, PARTS[:2])), ids="/".join)
def test_a_part_that_is_missing_comes_back_as_it_was(
    part: tuple[str, ...], factory: RecordedSnapshot, tmp_path: Path
) -> None:
    document = deepcopy(WHOLE)
    holder = document
    for step in part[:-1]:
        holder = holder[step]
    del holder[part[-1]]
    done = _import(tmp_path, {"all.yaml": yaml.safe_dump(document)}, factory)
    (whole := tmp_path / "whole").mkdir()
    documents(whole, {"all.yaml": yaml.safe_dump(WHOLE)})
    want, have = composed(whole, factory), composed(tmp_path, factory)
    assert want.keys() == have.keys()
    assert done.left == {}


def test_a_part_of_a_tenant_that_a_file_has_says_so(factory: RecordedSnapshot, tmp_path: Path) -> None:
    document = deepcopy(WHOLE)
    del document["tenants"]["team-a"]["volumes"]["team-a-data"]
    done = _import(tmp_path, {"all.yaml": yaml.safe_dump(document)}, factory)
    line = "volumes: {team-a-data: {tenant: team-a, size: 50 TiB, storage_class: team-a, mount: /data}}"
    assert line in done.text.splitlines()


def _kept(done: Done, kind: str, name: str) -> Iterator[str]:
    """Why an object is left on each site, and what is to be written."""
    for site in ("iad", "pdx"):
        left = done.left[site, kind, name]
        assert left.code == "MEANING", left
        yield f"{left.why} ({left.fix.removeprefix(str(done.folder) + '/')})"


@pytest.mark.parametrize("kind", ["view_policy", "vip_pool"])
def test_a_second_one_of_a_tenant_whose_lines_leave_it_out_is_left(
    kind: str, factory: RecordedSnapshot, tmp_path: Path
) -> None:
    world = second(factory, kind, "team-b", "team-b-2")
    done = _import(tmp_path, {"factory.yaml": FACTORY, "b.yaml": TEAM_B}, world)
    line = TEAM_B.splitlines().index(next(each for each in TEAM_B.splitlines() if "storage_class:" in each)) + 1
    assert list(_kept(done, kind, "team-b-2")) == [
        f"one more {kind} would change the meaning of {site}/storage_class/team-b (b.yaml:{line}: write {kind}: team-b)"
        for site in ("iad", "pdx")
    ]
    assert "iad/tenant/team-a" in done.taken, "only that is left"


def test_with_the_old_lines_completed_the_second_one_is_taken(factory: RecordedSnapshot, tmp_path: Path) -> None:
    world = second(factory, "vip_pool", "team-b", "team-b-2")
    document = deepcopy(WHOLE)
    tenant = document["tenants"]["team-b"]
    for entry in (tenant["storage_class"], tenant["volumes"]["team-b-checkpoints"]):
        entry["vip_pool"] = "team-b"
    done = _import(tmp_path, {"all.yaml": yaml.safe_dump(document)}, world)
    assert {"iad/vip_pool/team-b-2", "pdx/vip_pool/team-b-2"} <= done.taken


def test_a_project_that_would_open_a_class_is_left(factory: RecordedSnapshot, tmp_path: Path) -> None:
    document = deepcopy(WHOLE)
    del document["tenants"]["team-a"]["project"], document["tenants"]["team-a"]["volumes"]
    done = _import(tmp_path, {"all.yaml": yaml.safe_dump(document)}, factory)
    for said in _kept(done, "project", "team-a"):
        assert " would change the meaning of " in said
        assert "/storage_class/team-a (write the entry yourself if that is intended; see /" in said


def test_a_project_that_would_get_the_quota_of_a_class_is_left(factory: RecordedSnapshot, tmp_path: Path) -> None:
    document = deepcopy(WHOLE)
    del document["tenants"]["team-b"]
    document["sites"] = {site: {"sim": {}, "isolation": "resource_quota"} for site in document["sites"]}
    done = _import(tmp_path, {"all.yaml": yaml.safe_dump(document)}, factory)
    assert len(list(_kept(done, "project", "team-b"))) == 2
    assert "iad/view/team-b-datasets" in done.taken


def test_several_that_change_what_a_line_means_are_all_left(factory: RecordedSnapshot, tmp_path: Path) -> None:
    world = factory
    for number in range(2, 6):
        world = second(
            world, "vip_pool", "team-b", f"team-b-{number}", ip_ranges=[f"10.99.{number}.1 - 10.99.{number}.9"]
        )
        world = second(world, "vip_pool", "replication", f"other-{number}")
    done = _import(tmp_path, {"factory.yaml": FACTORY, "b.yaml": TEAM_B}, world)
    assert done.reasons("MEANING") == {
        (site, "vip_pool", f"team-b-{number}") for site in ("iad", "pdx") for number in range(2, 6)
    }
    assert {f"iad/vip_pool/other-{number}" for number in range(2, 6)} <= done.taken


def test_defaults_lie_under_new_entries_and_change_nothing(factory: RecordedSnapshot, tmp_path: Path) -> None:
    document = deepcopy(WHOLE)
    del document["tenants"]["team-b"]
    document["defaults"] = {
        "tenants": {"max_views": 9, "capacity_rules": {"soft_limit": "1 TiB", "hard_limit": "200 TiB"}},
        "views": {"qos_policy": {"existing": "theirs"}},
        "view_policies": {"apple_sid": True, "flavor": "SMB"},
        "vip_pools": {"vlan": 7, "subnet_cidr": 24},
        "storage_classes": {"vip_pool": "team-a", "mount_options": ["ro"]},
    }
    done = _import(tmp_path, {"all.yaml": yaml.safe_dump(document)}, factory)
    assert done.left == {}
    new = yaml.safe_load(done.text)["tenants"]["team-b"]
    assert new["max_views"] == 0 and new["capacity_rules"] == {"hard_limit": "200 TiB", "soft_limit": None}
    assert new["views"]["team-b-datasets"]["qos_policy"] is None
    assert new["view_policy"]["apple_sid"] is False and new["vip_pool"]["vlan"] == 0
    assert new["storage_class"]["vip_pool"] == "team-b"


def test_a_switch_that_is_off_is_said_over_a_default(factory: RecordedSnapshot, tmp_path: Path) -> None:
    document = deepcopy(WHOLE)
    del document["tenants"]["team-b"]
    document["defaults"] = {"storage_classes": {"default": True}}
    done = _import(tmp_path, {"all.yaml": yaml.safe_dump(document)}, factory)
    assert yaml.safe_load(done.text)["tenants"]["team-b"]["storage_class"]["default"] is False
    assert done.left == {}
    assert {"iad/tenant/team-b", "iad/view/team-b-datasets", "iad/project/team-b"} <= done.taken
