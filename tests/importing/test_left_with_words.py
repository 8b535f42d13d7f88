"""What is left is left for what it is, in words that say which; and what the document's own defaults say is written over."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.importing.class_world import ClassWorld, team
from tests.importing.recorded import HEAD, SITES, changed, composed, documents, imported, second
from vastplan.app.importer import ImportOptions, import_live
from vastplan.app.workspace import open_workspace
from vastplan.importing.model import Detail
from vastplan.model.snapshot import RecordedSnapshot, SeenCollection
from vastplan.report.import_result import coverage_text


def _folder(folder: Path, head: str = HEAD) -> Path:
    folder.mkdir()
    documents(folder, {"head.yaml": head})
    return folder


def test_a_claim_of_no_project_is_not_asked_for(factory: RecordedSnapshot, tmp_path: Path) -> None:
    def moved(collection: SeenCollection) -> SeenCollection:
        one = next(seen for seen in collection.objects if seen.attributes["name"] == "team-a-data")
        away = replace(one, locator="monitoring/team-a-data", values={**one.values, "namespace": "monitoring"})
        return replace(collection, objects=tuple(away if seen is one else seen for seen in collection.objects))

    world = changed(second(factory, "namespace", "runai-team-b", "monitoring"), moved, "persistent_volume_claim", "iad")
    done = imported(_folder(tmp_path / "moved"), world)
    left = done.left["iad", "persistent_volume_claim", "monitoring/team-a-data"]
    assert left.code == "UNASKED" and "its namespace belongs to no project" in left.why
    hidden = changed(world, lambda each: replace(each, objects=(), error="403 Forbidden"), "project", "iad")
    done = imported(_folder(tmp_path / "hidden"), hidden)
    assert done.left["iad", "persistent_volume_claim", "monitoring/team-a-data"].code == "UNREAD"


def test_a_data_source_says_which_claim_is_not_there(factory: RecordedSnapshot, tmp_path: Path) -> None:
    def gone(collection: SeenCollection) -> SeenCollection:
        kept = tuple(seen for seen in collection.objects if seen.attributes["name"] != "team-a-data")
        assert len(kept) < len(collection.objects)
        return replace(collection, objects=kept)

    world = changed(factory, gone, "persistent_volume_claim", "iad")
    left = imported(_folder(tmp_path / "gone"), world).left["iad", "data_source", "team-a-data"]
    assert (left.code, left.why) == ("REFERENCE", "claim is 'team-a-data', which has no name here")


def test_of_nothing_that_could_be_read_nobody_says_how_much_is_covered(
    factory: RecordedSnapshot, tmp_path: Path
) -> None:
    world = changed(factory, lambda each: replace(each, objects=(), error="no answer"))
    result = imported(_folder(tmp_path / "nothing"), world).imported.result
    assert result.unread and "%" not in coverage_text(result) and "is unknown" in coverage_text(result)
    assert "100 %" in coverage_text(replace(result, unread=()))


@pytest.mark.parametrize("sites", ["[iad]", "[iad, pdx]", "[pdx]"])
def test_sites_in_the_documents_defaults_are_written_over(
    sites: str, factory: RecordedSnapshot, tmp_path: Path
) -> None:
    plain = imported(_folder(tmp_path / "plain"), factory)
    sections = "tenants", "views", "qos_policies", "departments", "snapshot_schedules", "vip_pools"
    given = ", ".join(f"{section}: {{sites: {sites}}}" for section in sections)
    done = imported(_folder(tmp_path / "given", f"{HEAD}defaults: {{{given}}}\n"), factory)
    assert composed(done.folder, factory).keys() == composed(plain.folder, factory).keys()


@pytest.mark.slow
def test_a_closed_class_stays_closed_where_only_classes_are_asked_for(tmp_path: Path, vastplan: Run) -> None:
    """Its policy and binding are what the class stands for, whatever kinds are chosen."""
    world = ClassWorld(tmp_path, vastplan)
    world.lost({"tenants": {"nlp": team("nlp", 1, shared=False)}}, policies=True)
    before = world.may()
    text, report = world.imported("--kind", "storage_class")
    assert "shared: true" not in text and "open_to: [runai-nlp]" in text, text
    assert not [one for one in report["left"] if one["kind"].startswith("admission")]
    world.run("apply", "--adopt", "--auto-approve")
    assert world.may() == before


def test_labels_of_parts_are_told_and_cost_nothing_else(factory: RecordedSnapshot, tmp_path: Path) -> None:
    """What somebody asks for in addition takes nothing away."""

    def labelled(collection: SeenCollection) -> SeenCollection:
        objects = [
            replace(seen, values={**seen.values, "labels": {"team": "x"}}, withheld=())
            if not seen.system_owned and not seen.controller
            else seen
            for seen in collection.objects
        ]
        return replace(collection, objects=tuple(objects))

    parts = ("persistent_volume", "persistent_volume_claim", "admission_policy", "storage_class")
    world = factory
    for kind in parts:
        world = changed(world, labelled, kind, "iad")
    folder = _folder(tmp_path / "labelled")
    options = ImportOptions(SITES, world, detail=Detail(labels=("team",)))
    result = import_live(open_workspace([folder], None, world), options).result
    plain = imported(_folder(tmp_path / "plain"), factory).imported.result
    assert result.adopts == plain.adopts
    told = {(one.kind, one.name) for one in result.left if one.field == "labels" and one.site == "iad"}
    assert {kind for kind, _ in told} == {"persistent_volume", "persistent_volume_claim", "admission_policy"}
    assert ("persistent_volume_claim", "runai-team-a/team-a-data") in told
