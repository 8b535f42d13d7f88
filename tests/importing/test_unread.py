"""What cannot be read makes what stands on it unknown, never absent; the rest is as without it, and a later run adds the rest."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.force import by_force
from tests.importing.recorded import HEAD, Done, changed, documents, imported, taken_objects
from vastplan.model.snapshot import RecordedSnapshot
from vastplan.sim.vast import VastPlane
from vastplan.sim.wire import Request, Response

KINDS = (
    "access_rule", "admission_binding", "admission_policy", "data_source", "department", "namespace", "persistent_volume",
    "persistent_volume_claim", "project", "protected_path", "protection_policy", "qos_policy", "quota", "replication_peer", "role",
    "secret", "snapshot_class", "storage_class", "tenant", "view", "view_policy", "vip_pool",
)  # fmt: skip

_STATIC = {"persistent_volume", "persistent_volume_claim"}
_HIDES_STATIC = ("persistent_volume", "secret", "vip_pool")
"""Without these nothing says that a directory is a static volume's: it gets entries of its own, and the volume stays out."""
_QUICK = ("admission_policy", "project", "quota", "vip_pool", "view")
"""Of each sort one: what closes, what is referred to, what is a part, what hides others."""


def _first(folder: Path, world: RecordedSnapshot) -> Done:
    folder.mkdir()
    documents(folder, {"head.yaml": HEAD})
    return imported(folder, world)


@pytest.mark.parametrize(
    "kind", [kind if kind in _QUICK else pytest.param(kind, marks=pytest.mark.slow) for kind in KINDS]
)
def test_a_collection_cannot_be_read(kind: str, factory: RecordedSnapshot, tmp_path: Path) -> None:
    whole = _first(tmp_path / "whole", factory)
    world = changed(factory, lambda each: replace(each, objects=(), error="403 Forbidden"), kind)
    part = _first(tmp_path / "part", world)
    assert {(unread.site, unread.kind) for unread in part.imported.result.unread} == {("iad", kind), ("pdx", kind)}
    rest = imported(tmp_path / "part", factory)
    taken, added = taken_objects(part, world), taken_objects(rest, factory)
    assert taken & added == set()
    lost = taken_objects(whole, factory) - taken - added
    assert {kind for _, kind, _ in lost} == (_STATIC if kind in _HIDES_STATIC else set())
    assert part.reasons("FORM") == set() and rest.reasons("MEANING") == set()
    assert imported(tmp_path / "part", factory).imported.texts == ()


def test_of_one_site_only_is_unknown_what_is_unread_there(factory: RecordedSnapshot, tmp_path: Path) -> None:
    world = changed(factory, lambda each: replace(each, objects=(), error="timed out"), "view", "iad")
    part = _first(tmp_path / "part", world)
    assert {(unread.site, unread.kind) for unread in part.imported.result.unread} == {("iad", "view")}
    taken = taken_objects(part, world)
    views = {(each.site, one.id) for each in factory.collections if each.kind == "view" for one in each.objects}
    assert {site for site, kind, _ in taken if kind == "view"} == {"pdx"} and {site for site, _ in views} == {
        "iad",
        "pdx",
    }


def test_what_is_called_so_on_another_site_is_not_meant(factory: RecordedSnapshot, tmp_path: Path) -> None:
    world = changed(factory, lambda each: replace(each, objects=(), error="403 Forbidden"), "qos_policy", "pdx")
    part = _first(tmp_path / "part", world)
    left = part.left["pdx", "storage_class", "team-a"]
    assert (left.code, left.field) == ("UNREAD", "")
    assert ("iad", "storage_class", "team-a") not in part.left


def test_a_class_is_not_open_because_its_policy_could_not_be_read(factory: RecordedSnapshot, tmp_path: Path) -> None:
    world = changed(factory, lambda each: replace(each, objects=(), error="403 Forbidden"), "admission_policy")
    part = _first(tmp_path / "part", world)
    assert "storage_classes" not in part.text and "shared: true" not in part.text
    assert {kind for _, kind, _ in part.reasons("UNREAD")} == {"admission_binding", "storage_class"}
    assert part.left["iad", "storage_class", "team-a"].fix == "import again when it can be read"


@pytest.mark.parametrize("fault", by_force(["unreadable", "cut short", "of wrong shape"], "cut short"))
def test_a_live_import_with_a_collection_that_fails_writes_the_rest(
    fault: str, factory_folder: Path, tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(factory_folder, folder := tmp_path / "live")
    handled = VastPlane.handle

    def handle(self: VastPlane, request: Request) -> Response:
        response = handled(self, request)
        if request.method != "GET" or "/quotas" not in request.path:
            return response
        answers = {
            "unreadable": Response(403, {"detail": "no"}),
            "cut short": replace(response, body=response.encoded()[: len(response.encoded()) // 2]),
            "of wrong shape": Response(200, {"unexpected": 1}),
        }
        return answers[fault]

    monkeypatch.setattr(VastPlane, "handle", handle)
    ran = vastplan("import", folder)
    assert ran.code == 6, ran
    assert "quota" in ran.out and "could not be read" in ran.out
    assert (folder / "tenant-team-a.yaml").is_file()
    monkeypatch.undo()
    assert vastplan("import", folder).code == 0
