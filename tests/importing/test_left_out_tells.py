"""What an import leaves out because the system takes it anyway: as soon as it is another value, it is written or told."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

import pytest

from tests.importing.factory import SITES, applied, desk_with_snapshot
from tests.importing.worlds import Yard
from vastplan.app.files import snapshot as snapshot_file
from vastplan.app.importer import Imported, ImportOptions, import_live, write_import
from vastplan.app.workspace import Workspace, open_workspace
from vastplan.model.address import Address
from vastplan.model.snapshot import RecordedSnapshot, SeenObject
from vastplan.schema.defaults import is_witness, omittable_paths
from vastplan.schema.kind import Kind
from vastplan.schema.rows import Path as Steps
from vastplan.schema.rows import dig

SHARE = 1 if "VASTPLAN_EXAMPLES" in os.environ else 10
"""Every so many-th value is moved in an ordinary run."""


@dataclass(frozen=True, slots=True)
class Left:
    """A value that is left out of the entry of an object."""

    kind: Kind
    id: str
    address: str
    path: Steps
    value: Any


@dataclass(frozen=True, slots=True)
class World:
    """A folder with three lines, what its systems show, and what is left out of what is imported."""

    folder: Path
    snapshot: RecordedSnapshot
    left: tuple[Left, ...]


REQUIRED_ONLY = """\
departments: {research: {}}
projects: {cv: {department: research}}
snapshot_schedules: {daily: {frames: [{every: 1d, keep_local: 2d}]}}
tenants:
  nlp:
    qos_policies: {gold: {}}
    quotas: {limit: {path: /nlp/data}}
    views: {limit: {path: /nlp/data, protocols: [NFS]}}
    view_policies: {plain: {flavor: NFS}}
    vip_pools: {p: {ip_ranges: [10.1.0.1 - 10.1.0.9], subnet_cidr: 24}}
    storage_classes:
      # claims: none; without shared it is open to nobody
      fast: {driver: file, storage_path: /nlp/k8s, shared: true}
"""
"""Beside names and what stands for something: protocols and flavors, who is let in, and when snapshots are made."""


def opened(folder: Path, snapshot: RecordedSnapshot) -> Workspace:
    return open_workspace([folder], snapshot=snapshot)


def imported(folder: Path, snapshot: RecordedSnapshot) -> Imported:
    return import_live(opened(folder, snapshot), ImportOptions(SITES, snapshot=snapshot))


def entries(folder: Path, snapshot: RecordedSnapshot) -> Mapping[str, Mapping[str, Any]]:
    """What the document asks for, by address."""
    return {str(entry.address): entry.values for entry in opened(folder, snapshot).composed().entries}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("left")
    yard = Yard(folder / "yard", SITES)
    with yard.running():
        applied(yard, folder / "old")
        desk, file = desk_with_snapshot(yard, folder)
    snapshot = snapshot_file.load(file)
    write_import(imported(desk.folder, snapshot), desk.folder, "")
    kinds = opened(desk.folder, snapshot).registry.kinds
    asked = entries(desk.folder, snapshot)
    for new in desk.written():
        (desk.folder / new).unlink()
    return World(desk.folder, snapshot, tuple(_left(snapshot, kinds, asked)))


def _left(
    snapshot: RecordedSnapshot, kinds: Mapping[str, Kind], asked: Mapping[str, Mapping[str, Any]]
) -> Iterator[Left]:
    """One object of each kind for every value that is left out."""
    versions = {site.site: site.facts for site in snapshot.sites}
    seen: set[tuple[str, Steps]] = set()
    for collection in snapshot.collections:
        kind = kinds[collection.kind]
        witness = next((one.values for one in collection.objects if is_witness(kind, one.values)), None)
        version = str(versions[collection.site].get(f"{kind.system}_version", ""))
        for one in collection.objects:
            address = _address(collection.site, kind, one, asked)
            for path in sorted(omittable_paths(kind, one.values, witness, version)) if address else ():
                value = dig(one.values, path)
                if value is not None and (kind.name, path) not in seen and dig(asked[address], path) != value:
                    seen.add((kind.name, path))
                    yield Left(kind, one.id, address, path, value)


def _address(site: str, kind: Kind, one: SeenObject, asked: Mapping[str, Mapping[str, Any]]) -> str:
    """The address of an object whose entry has its name."""
    address = str(Address(site, kind.name, str(one.attributes.get("name"))))
    return address if address in asked and not (one.system_owned or one.controller) else ""


def other(left: Left) -> Any:
    """Another value of the same sort; of a choice another one of it."""
    info = left.kind.model.model_fields.get(left.path[-1]) if len(left.path) == 1 else None
    choices = [one for one in _choices(info.annotation) if one != left.value] if info is not None else []
    if choices:
        return choices[0]
    if isinstance(left.value, bool):
        return not left.value
    if isinstance(left.value, int):
        return left.value + 1
    return ["192.0.2.7"] if isinstance(left.value, list) else f"{left.value}-2"


def _choices(annotation: Any) -> Iterator[str]:
    for inner in get_args(annotation):
        if isinstance(inner, str):
            yield inner
        else:
            yield from _choices(inner)


def moved(world: World, left: Left, value: Any) -> RecordedSnapshot:
    """The snapshot of a world in which somebody has set that value."""
    return replace(
        world.snapshot,
        collections=tuple(
            replace(
                one,
                objects=tuple(
                    replace(each, values=_put(each.values, left.path, value))
                    if (one.kind, each.id, one.site) == (left.kind.name, left.id, left.address.partition("/")[0])
                    else each
                    for each in one.objects
                ),
            )
            for one in world.snapshot.collections
        ),
    )


def _put(values: Mapping[str, Any], path: Steps, value: Any) -> dict[str, Any]:
    if len(path) == 1:
        return {**values, path[0]: value}
    return {**values, path[0]: _put(values[path[0]], path[1:], value)}


@pytest.mark.slow
def test_what_is_left_out_is_written_when_it_moves(world: World) -> None:
    assert len(world.left) > 40
    silent, written = [], 0
    for left in world.left[::SHARE]:
        value = other(left)
        snapshot = moved(world, left, value)
        found = imported(world.folder, snapshot)
        told = [one for one in found.result.left if one.kind == left.kind.name and one.id == left.id]
        result = write_import(found, world.folder, "")
        try:
            values = entries(world.folder, snapshot).get(left.address, {})
        finally:
            for file in result.files:
                Path(file.path).unlink()
        if dig(values, left.path) == value:
            written += 1
        elif not any(one.field.split(".")[0] in ("", left.path[0]) for one in told):
            silent.append(f"{left.address} {'.'.join(left.path)}: {left.value!r} -> {value!r}")
    assert silent == [], "\n".join(silent)
    assert written > 0


def test_an_object_with_its_required_fields_only_is_written_with_those_only(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", ("iad",))

    def post(system: str, where: str, /, **body: Any) -> Any:
        answer = yard.by_hand("iad", system, "POST", where, body)
        assert answer.status < 400, answer.body
        return answer.body

    with yard.running():
        tenant = post("vast", "/api/v5/tenants/", name="nlp")["id"]
        policy = post("vast", "/api/v5/viewpolicies/", name="plain", tenant_id=tenant)["id"]
        post("vast", "/api/v5/views/", path="/nlp/data", tenant_id=tenant, policy_id=policy, create_dir=True)
        post("vast", "/api/v5/quotas/", path="/nlp/data", name="limit", tenant_id=tenant)
        post(
            "vast",
            "/api/v5/vippools/",
            name="p",
            tenant_id=tenant,
            subnet_cidr=24,
            ip_ranges=[["10.1.0.1", "10.1.0.9"]],
        )
        post("vast", "/api/v5/qospolicies/", name="gold", tenant_id=tenant)
        frames = [{"every": "1D", "keep-local": "2D"}]
        post("vast", "/api/v5/protectionpolicies/", name="daily", prefix="daily", clone_type="LOCAL", frames=frames)
        cluster = yard.by_hand("iad", "runai", "GET", "/api/v1/clusters").body[0]["uuid"]
        pool = yard.rows("iad", "runai", "node-pool")[0]["id"]
        shares = [{"nodePool": {"id": pool}, "gpu": {"deserved": 0, "limit": -1, "overQuotaWeight": 2}}]
        department = post(
            "runai", "/api/v1/org-unit/departments", name="research", clusterId=cluster, resources=shares
        )["id"]
        post("runai", "/api/v1/org-unit/projects", name="cv", clusterId=cluster, parentId=department, resources=shares)
        classes = "/apis/storage.k8s.io/v1/storageclasses"
        parameters = {"root_export": "/nlp/k8s", "view_policy": "plain", "vip_pool_name": "p"}
        post("kubernetes", classes, metadata={"name": "fast"}, provisioner="csi.vastdata.com", parameters=parameters)
        desk, file = desk_with_snapshot(yard, tmp_path)
        desk.imports("--snapshot", file)
    written = b"".join(text.partition(b"\n")[2] for text in desk.written().values()).decode()
    assert written == REQUIRED_ONLY
