"""A value that this version does not know, or a second object with the same identity: that falls, and nothing that does not stand on it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.importing.recorded import HEAD, Done, changed, copied, documents, imported, taken_objects
from vastplan.model.snapshot import RecordedSnapshot, SeenCollection, SeenObject

NEWER = "NEWER_9"
FALLS: dict[tuple[str, str, str], tuple[str, set[str]]] = {
    # kind, name, field: the reason, and what is not taken then; where nothing is not taken the field alone falls
    ("view", "team-a-block", "protocols"): ("VALUE", set()),
    ("view", "team-a-block", "s3_versioning"): ("VALUE", set()),
    ("view_policy", "team-a", "flavor"): ("VALUE", set()),
    ("view_policy", "team-a", "access_flavor"): ("VALUE", set()),
    ("qos_policy", "team-a", "limit_by"): ("VALUE", set()),
    ("protection_policy", "protected", "clone_type"): ("FORM", {"protection_policy", "protected_path"}),
    ("snapshot_class", "vast", "deletion_policy"): ("VALUE", {"snapshot_class"}),
    ("storage_class", "team-b", "driver"): ("VALUE", {"storage_class", "admission_policy", "admission_binding"}),
    ("access_rule", "grp-team-a", "subject_type"): ("VALUE", {"access_rule"}),
    ("admission_binding", "vastplan-team-b", "validation_actions"): (
        "FORM",
        {"storage_class", "admission_policy", "admission_binding"},
    ),
    ("persistent_volume", "team-b-team-b-checkpoints", "reclaim_policy"): (
        "FORM",
        {"persistent_volume", "persistent_volume_claim"},
    ),
}
_QUICK = ("view", "storage_class", "admission_binding")


def _named(seen: SeenObject) -> Any:
    return seen.attributes.get("name") or seen.values.get("name") or seen.values.get("subject")


def _first(folder: Path, world: RecordedSnapshot) -> Done:
    folder.mkdir()
    documents(folder, {"head.yaml": HEAD})
    return imported(folder, world)


@pytest.mark.parametrize(
    ("kind", "name", "field"),
    [key if key[0] in _QUICK else pytest.param(*key, marks=pytest.mark.slow) for key in FALLS],
)
def test_a_value_of_a_newer_version_falls_alone(
    kind: str, name: str, field: str, factory: RecordedSnapshot, tmp_path: Path
) -> None:
    def newer(collection: SeenCollection) -> SeenCollection:
        objects = []
        for seen in collection.objects:
            known = seen.values.get(field)
            value = [NEWER] if isinstance(known, list) else NEWER
            objects.append(replace(seen, values={**seen.values, field: value}) if _named(seen) == name else seen)
        assert tuple(objects) != collection.objects
        return replace(collection, objects=tuple(objects))

    world = changed(factory, newer, kind, "iad")
    done = _first(tmp_path / "newer", world)
    reason, gone = FALLS[kind, name, field]
    lost = taken_objects(_first(tmp_path / "whole", factory), factory) - taken_objects(done, world)
    assert {each for _, each, _ in lost} == gone and {site for site, _, _ in lost} <= {"iad"}
    assert NEWER not in done.text
    said = [
        left for left in done.imported.result.left if left.site == "iad" and left.kind == kind and left.code == reason
    ]
    assert [left for left in said if (left.field == field) is not (kind in gone)], said


TWINS = [
    ("vip_pool", "team-b"), ("qos_policy", "team-a"), ("quota", "team-b-datasets"), ("tenant", "team-b"), ("view", "team-a-block"),
    ("view_policy", "team-b"), ("protection_policy", "daily"), ("protected_path", "team-b-datasets"), ("project", "team-b"),
    ("department", "research"), ("data_source", "team-b-data"), ("access_rule", "grp-team-a"),
]  # fmt: skip
"""Kinds whose systems do not keep names apart for themselves; of Kubernetes no name is there twice."""


@pytest.mark.parametrize(
    ("kind", "name"),
    [pair if pair[0] in ("quota", "project") else pytest.param(*pair, marks=pytest.mark.slow) for pair in TWINS],
)
def test_twins_are_left_with_both_ids_and_nothing_guesses(
    kind: str, name: str, factory: RecordedSnapshot, tmp_path: Path
) -> None:
    def twice(collection: SeenCollection) -> SeenCollection:
        one = next(seen for seen in collection.objects if _named(seen) == name)
        twin = copied(one, "twin")
        same = {key: value for key, value in one.attributes.items() if key != "id"}
        twin = replace(twin, values=one.values, attributes={**twin.attributes, **same})
        return replace(collection, objects=(*collection.objects, twin))

    world = changed(factory, twice, kind, "iad")
    done = _first(tmp_path / "twins", world)
    taken_objects(done, world)
    twins = [left for left in done.imported.result.left if left.code == "TWINS" and left.kind == kind]
    assert len(twins) == 2 and all(left.id in twins[0].why for left in twins)
    before = taken_objects(_first(tmp_path / "whole", factory), factory)
    pdx = {key for key in before if key[0] == "pdx"}
    assert pdx <= taken_objects(done, world), "the other site's are as they were"
