"""A field that replaces its object is none that the vendor's documents change in place, in any version, unless data says why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

import pytest
import yaml

from tests.documented import used
from tests.documented.facts import FILES, FOLDER, Facts, Place, facts
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind
from vastplan.schema.markers import Marker

HERE = Path(__file__).parent


def _immutable(table: Iterable[Field], place: Place = (), name: str = "") -> Iterator[tuple[str, Place]]:
    """The fields that a change replaces the object for, each with its place on the wire."""
    for field in table:
        here, called = (*place, *field.wire), f"{name}.{field.name}" if name else field.name
        if field.has(Marker.IMMUTABLE) and not field.has(Marker.DOCUMENT):
            yield called, here
        yield from _immutable(field.fields, here, called)


def _takes(known: Facts, kind: Kind, place: Place) -> bool:
    """Whether the document's update of one object has the place."""
    path = used.item(kind)
    methods = known.operations.get(path, {}).keys() & {"PATCH", "PUT"}
    return any(known.known(method, path, place) == place for method in methods)


@lru_cache
def changeable(system: str) -> dict[str, list[str]]:
    """The immutable fields that a document changes in place, each with the versions that do."""
    versions = {
        file.stem.partition("-")[2]: facts(system, file.stem.partition("-")[2])
        for file in FOLDER.glob(f"{system}-*.yaml")
    }
    older = {
        file.stem.partition("-")[2]: yaml.safe_load(file.read_text(encoding="utf-8"))
        for file in (HERE / "updates").glob(f"{system}-*.yaml")
    }
    found: dict[str, list[str]] = {}
    for kind in used.kinds():
        if kind.system != system or kind.name in used.READ_ONLY:
            continue
        for name, place in _immutable(kind.fields):
            taking = [version for version, known in versions.items() if place and _takes(known, kind, place)]
            taking += [
                version for version, names in older.items() if place[:1] and place[0] in names.get(used.item(kind), ())
            ]
            if taking:
                found[f"{kind.name}.{name}"] = sorted(taking)
    return found


@pytest.mark.parametrize("system", FILES)
def test_an_immutable_field_is_none_that_a_document_changes_in_place(system: str) -> None:
    reasons = yaml.safe_load((HERE / "immutable.yaml").read_text(encoding="utf-8"))[system]
    of_all = {name.removeprefix("*.") for name in reasons if name.startswith("*.")}
    taken = {name: versions for name, versions in changeable(system).items() if name.partition(".")[2] not in of_all}
    given = {name for name in reasons if not name.startswith("*.")}
    assert {name: taken[name] for name in taken.keys() - given} == {}, (
        "update it, or write the reason into immutable.yaml"
    )
    assert given - taken.keys() == set(), "a reason that nothing needs"
    assert all(any(name.endswith(f".{each}") for name in changeable(system)) for each in of_all)
    assert all(len(reason) > 10 for reason in reasons.values())


def test_every_version_is_compared() -> None:
    """The field of a role came with VMS 5.5, those of credentials went with Run:AI 2.22."""
    assert changeable("vast")["manager_role.name"] == ["5.5"]
    assert changeable("vast")["view.bucket"] == ["5.3", "5.5"]
    assert changeable("runai")["password_credential.name"] == ["2.20"]
