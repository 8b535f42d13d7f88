"""Nothing in silence: what was read is taken or left, each object once, with a reason; and coverage is that of `drift`."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run
from tests.importing.recorded import (
    FACTORY,
    HEAD,
    TEAM_B,
    changed,
    copied,
    documents,
    imported,
    second,
    taken_objects,
)
from vastplan.app.drift import find_drift
from vastplan.app.files.snapshot import sealed
from vastplan.app.workspace import open_workspace
from vastplan.importing.model import LeftReason, Selection
from vastplan.model.site_ledger import Owned
from vastplan.model.snapshot import RecordedSnapshot, SeenCollection, SeenObject


def _one(
    kind: str, name: str, change: Callable[[SeenObject], SeenObject]
) -> Callable[[RecordedSnapshot], RecordedSnapshot]:
    """A world where the object of that name is otherwise, on the first site."""

    def in_collection(collection: SeenCollection) -> SeenCollection:
        return replace(
            collection,
            objects=tuple(
                change(each) if each.attributes.get("name", each.values.get("name")) == name else each
                for each in collection.objects
            ),
        )

    return lambda world: changed(world, in_collection, kind, "iad")


def _valued(**values: Any) -> Callable[[SeenObject], SeenObject]:
    return lambda seen: replace(seen, values={**seen.values, **values})


def _twin(world: RecordedSnapshot) -> RecordedSnapshot:
    def twice(collection: SeenCollection) -> SeenCollection:
        one = next(each for each in collection.objects if each.values["name"] == "team-b-datasets")
        return replace(collection, objects=(*collection.objects, replace(copied(one, "x"), values=one.values)))

    return changed(world, twice, "quota", "iad")


def _pending(world: RecordedSnapshot) -> RecordedSnapshot:
    pools = next(each for each in world.collections if (each.site, each.kind) == ("iad", "vip_pool"))
    id_ = next(each.id for each in pools.objects if each.values["name"] == "replication")
    first, *rest = world.sites
    ledger = replace(first.ledger, entries={"iad/vip_pool/dropped": Owned(id_, id_)})
    return sealed(replace(world, sites=(replace(first, ledger=ledger), *rest), id=""))


def _as_it_is(world: RecordedSnapshot) -> RecordedSnapshot:
    return world


HEAD_ONLY, WITH_B = {"head.yaml": HEAD}, {"factory.yaml": FACTORY, "b.yaml": TEAM_B}
CASES: dict[LeftReason, tuple[Callable[[RecordedSnapshot], RecordedSnapshot], dict[str, str], tuple[str, str]]] = {
    LeftReason.SYSTEM: (_as_it_is, HEAD_ONLY, ("view_policy", "default")),
    LeftReason.MADE: (_as_it_is, HEAD_ONLY, ("namespace", "runai-team-a")),
    LeftReason.MIRROR: (_as_it_is, HEAD_ONLY, ("replication_peer", "iad-pdx")),
    LeftReason.MANAGED: (_as_it_is, WITH_B, ("tenant", "team-b")),
    LeftReason.OTHER: (
        _one("storage_class", "team-b", lambda seen: replace(seen, document="theirs")),
        HEAD_ONLY,
        ("storage_class", "team-b"),
    ),
    LeftReason.PENDING: (_pending, HEAD_ONLY, ("vip_pool", "replication")),
    LeftReason.UNASKED: (_as_it_is, HEAD_ONLY, ("secret", "vast-csi/vast-mgmt")),
    LeftReason.UNSELECTED: (_as_it_is, HEAD_ONLY, ("department", "research")),
    LeftReason.FORM: (
        _one("persistent_volume", "team-b-team-b-checkpoints", _valued(reclaim_policy="Delete")),
        HEAD_ONLY,
        ("persistent_volume", "team-b-team-b-checkpoints"),
    ),
    LeftReason.VALUE: (_one("view", "team-a-block", _valued(path="block")), HEAD_ONLY, ("view", "team-a-block")),
    LeftReason.TWINS: (_twin, HEAD_ONLY, ("quota", "team-b-datasets")),
    LeftReason.REFERENCE: (_one("qos_policy", "team-a", _valued(tenant=9999)), HEAD_ONLY, ("qos_policy", "team-a")),
    LeftReason.MEANING: (
        lambda world: second(world, "vip_pool", "team-b", "team-b-2"),
        WITH_B,
        ("vip_pool", "team-b-2"),
    ),
    LeftReason.UNREAD: (
        lambda world: changed(world, lambda each: replace(each, objects=(), error="no"), "tenant"),
        HEAD_ONLY,
        ("view", "/team-b/datasets"),
    ),
}


def test_there_is_a_case_for_every_code() -> None:
    assert CASES.keys() == set(LeftReason)


@pytest.mark.parametrize("reason", CASES, ids=lambda reason: reason.value)
def test_every_object_is_taken_or_left_with_a_code(
    reason: LeftReason, factory: RecordedSnapshot, tmp_path: Path
) -> None:
    change, files, (kind, name) = CASES[reason]
    world = change(factory)
    documents(tmp_path, files)
    only = Selection(without=("*/department/*",)) if reason is LeftReason.UNSELECTED else None
    done = imported(tmp_path, world, only)
    assert taken_objects(done, world) or reason is LeftReason.MANAGED
    found = [
        left for left in done.imported.result.left if (left.kind, left.name, left.code) == (kind, name, reason.value)
    ]
    assert found, [left for left in done.imported.result.left if left.kind == kind]
    assert all(left.why and left.counts is reason.counts for left in found)


@pytest.mark.slow
def test_the_figure_is_that_of_drift_after_the_apply(factory_folder: Path, tmp_path: Path, vastplan: Run) -> None:
    shutil.copytree(factory_folder, folder := tmp_path / "live")
    told = vastplan(
        "import", folder, "--except", "iad/view/team-a-block", "--except", "pdx/qos_policy/team-a", "--format", "json"
    )
    assert told.code == 0, told
    result = json.loads(told.out)
    assert vastplan("apply", folder, "--adopt", "--auto-approve").code == 0
    drift = find_drift(open_workspace([folder]), None).drift
    managed, unmanaged = (sum(getattr(row, name) for row in drift.coverage) for name in ("managed", "unmanaged"))
    rows = result["coverage"]
    assert unmanaged > 2 and sum(row["left"] for row in rows) == unmanaged
    assert sum(row["managed"] + row["taken"] for row in rows) + len(result["creates"]) == managed
