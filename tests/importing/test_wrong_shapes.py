"""Values of another form than the documented one, in a snapshot and over HTTP: that falls, and nothing that does not stand on it."""

from __future__ import annotations

import copy
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

import vastplan.kinds
from tests.conftest import Run
from tests.force import by_force
from tests.importing.recorded import HEAD, changed, documents, imported, taken_objects
from tests.importing.test_unread import KINDS
from vastplan.model.snapshot import RecordedSnapshot, SeenCollection, SeenObject
from vastplan.schema.discover import discover
from vastplan.sim.kubernetes import KubernetesPlane
from vastplan.sim.runai import RunaiPlane
from vastplan.sim.vast import VastPlane
from vastplan.sim.wire import Request, Response

WRONG: tuple[Any, ...] = (
    None, True, -1, 1.5, 10**30, "", "x", [], {}, [None], [[]], ["x"], {"a": 1}, {"a": {"b": "x"}}, [{"a": [1]}],
)  # fmt: skip
REGISTRY = discover(vastplan.kinds)
Path_ = tuple[str | int, ...]


def _places(value: Any, path: Path_ = ()) -> Iterator[Path_]:
    """Every place in a value, and one beside them in each mapping, which nobody knows."""
    if path:
        yield path
    if isinstance(value, dict):
        yield (*path, "made-up")
        for key in value:
            yield from _places(value[key], (*path, key))
    elif isinstance(value, list) and value:
        yield from _places(value[0], (*path, 0))


def _with(value: Any, path: Path_, wrong: Any) -> Any:
    if not path:
        return wrong
    changed = copy.copy(value)
    known = changed.get(path[0]) if isinstance(changed, dict) else changed[path[0]]
    changed[path[0]] = _with(known, path[1:], wrong)
    return changed


def _cases(collection: SeenCollection) -> list[tuple[str, Path_]]:
    """The id of an object and a place in it: of each place that any object of the kind has one, and each field that none has."""
    found: dict[Path_, str] = {}
    objects = sorted(collection.objects, key=lambda seen: str(seen.attributes.get("name")))  # ids come by chance
    for seen in objects:
        for path in _places(seen.values):
            found.setdefault(path, seen.id)
    fields = (field.name for field in REGISTRY.kinds[collection.kind].fields)
    for name in fields:
        found.setdefault((name,), objects[0].id)
    return [(id_, path) for path, id_ in found.items()]


def _struck(world: RecordedSnapshot, kind: str, id_: str, path: Path_, wrong: Any) -> RecordedSnapshot:
    def strike(seen: SeenObject) -> SeenObject:
        return replace(seen, values=_with(seen.values, path, wrong)) if seen.id == id_ else seen

    return changed(world, lambda each: replace(each, objects=tuple(map(strike, each.objects))), kind, "iad")


def _of(world: RecordedSnapshot, kind: str) -> SeenCollection:
    return next(each for each in world.collections if (each.site, each.kind) == ("iad", kind))


def _folder(folder: Path) -> Path:
    folder.mkdir()
    documents(folder, {"head.yaml": HEAD})
    return folder


CRASHED = [
    ("project", "team-a", ("node_pools",), {"made-up": "x"}),
    ("project", "team-a", ("node_pools",), 10**30),
    ("project", "team-a", ("node_pools", "default"), "x"),
    ("project", "team-a", ("node_pools", "default", "gpu"), "x"),
    ("project", "team-a", ("node_pools", "default", "gpu", "deserved"), "x"),
    ("qos_policy", "team-a", ("static_limits", "made-up"), "x"),
    ("qos_policy", "team-a", ("static_limits", "max_reads_bw_mbps"), {"a": 1}),
    ("qos_policy", "team-a", ("static_limits",), ["x"]),
    ("project", "team-a", ("node_pools", "default", "gpu", "over_quota_weight"), 10**30),
]


@pytest.mark.parametrize(("kind", "name", "path", "wrong"), CRASHED)
def test_sums_of_what_is_promised_take_no_value_of_another_form(
    kind: str, name: str, path: Path_, wrong: Any, factory: RecordedSnapshot, tmp_path: Path
) -> None:
    id_ = next(seen.id for seen in _of(factory, kind).objects if seen.attributes.get("name") == name)
    world = _struck(factory, kind, id_, path, wrong)
    done = imported(_folder(tmp_path / "struck"), world)
    taken = taken_objects(done, world)
    before = taken_objects(imported(_folder(tmp_path / "whole"), factory), factory)
    assert before - taken <= {("iad", kind, id_)}


@pytest.mark.slow
@pytest.mark.parametrize("kind", by_force([kind for kind in KINDS if kind != "secret"], "view"))
def test_no_field_of_any_form_takes_more_with_it_than_stands_on_it(
    kind: str, factory: RecordedSnapshot, tmp_path: Path
) -> None:
    """A sample for each kind: whatever place, whatever wrong. The other site is as it was, and nothing crashes."""
    chance = Random(kind)
    cases = _cases(_of(factory, kind))
    before = taken_objects(imported(_folder(tmp_path / "whole"), factory), factory)
    elsewhere = {key for key in before if key[0] == "pdx"}
    for number, (id_, path) in enumerate(chance.sample(cases, min(len(cases), 8))):
        wrong = chance.choice(WRONG)
        world = _struck(factory, kind, id_, path, wrong)
        done = imported(_folder(tmp_path / str(number)), world)
        assert elsewhere <= taken_objects(done, world), (path, wrong)


PLANES: dict[str, Any] = {"vast": VastPlane, "kubernetes": KubernetesPlane, "runai": RunaiPlane}
SPARED = {"id", "metadata", "name", "guid"}


@pytest.mark.slow
@pytest.mark.parametrize("system", by_force(PLANES, "runai"))
def test_rows_of_another_form_over_http(
    system: str, factory_folder: Path, tmp_path: Path, vastplan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every field of every row, what objects are told by spared, then that as well: the import ends, and says what it could not read."""
    shutil.copytree(factory_folder, folder := tmp_path / "live")
    plane = PLANES[system]
    handled = plane.handle
    wrongs: tuple[Any, ...] = ("x", {"a": 1}, [[]])
    for wrong in wrongs:
        for spared in (SPARED, set[str]()):

            def handle(self: Any, request: Request, wrong: Any = wrong, spared: set[str] = spared) -> Response:
                response: Response = handled(self, request)
                if request.method != "GET" or response.status != 200:
                    return response
                body = copy.deepcopy(response.body)
                lists = [body] if isinstance(body, list) else [
                    value for value in body.values() if isinstance(value, list)
                ] if isinstance(body, dict) else []  # fmt: skip
                for row in (row for rows in lists for row in rows if isinstance(row, dict)):
                    row.update({key: wrong for key in row if key not in spared})
                return replace(response, body=body)

            monkeypatch.setattr(plane, "handle", handle)
            ran = vastplan("import", folder, "--dry-run")
            assert ran.code in (0, 6), ran
            monkeypatch.undo()
