"""Tables of versions whose document is not public: what is taken away was there, and nothing else goes."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from vastplan.sim.older_versions import older
from vastplan.sim.tables import load_table

BASE: dict[str, Any] = {
    "source": {"version": "2"},
    "schemas": {"Thing": {"properties": {"id": {}, "new": {}, "inner": {"properties": {"new": {}}}}, "required": ["new"]}},
    "paths": {
        "/things/": {
            "GET": {"query": {"late": {}, "page": {}}, "responses": {"200": {"items": {"$ref": "#/schemas/Thing"}}}},
            "POST": {"query": {}, "body": {"$ref": "#/schemas/Thing"}, "responses": {"201": {"$ref": "#/schemas/Thing"}}},
        },
        "/things/later/": {"GET": {"query": {}, "responses": {}}},
    },
}  # fmt: skip
SOURCE = {"source": {"version": "1"}}


def test_what_is_named_goes_and_the_base_stays() -> None:
    before = copy.deepcopy(BASE)
    found = older(
        BASE, {**SOURCE, "paths": ["/things/later/"], "fields": {"/things/": ["new"]}, "query": {"/things/": ["late"]}}
    )
    assert found["paths"].keys() == {"/things/"}
    assert found["schemas"]["Thing"]["properties"].keys() == {"id", "inner"}
    assert found["schemas"]["Thing"]["required"] == []
    assert found["schemas"]["Thing"]["properties"]["inner"]["properties"].keys() == {"new"}
    assert found["paths"]["/things/"]["GET"]["query"].keys() == {"page"}
    assert before == BASE


def test_deep_reaches_what_is_inside() -> None:
    found = older(BASE, {**SOURCE, "deep": {"/things/": ["new"]}})
    assert found["schemas"]["Thing"]["properties"]["inner"]["properties"] == {}


def test_required_and_choices_stand_in_their_place() -> None:
    found = older(BASE, {**SOURCE, "required": {"POST /things/": ["id"]}, "choices": {"POST /things/": {"id": ["a"]}}})
    assert found["schemas"]["Thing"]["required"] == ["id"]
    assert found["schemas"]["Thing"]["properties"]["id"] == {"enum": ["a"]}


@pytest.mark.parametrize("difference", [{"paths": ["/none/"]}, {"fields": {"/things/": ["none"]}}])
def test_what_was_never_there_cannot_go(difference: dict[str, Any]) -> None:
    with pytest.raises(KeyError):
        older(BASE, {**SOURCE, **difference})


@pytest.mark.parametrize("name", ["runai-2.21"])
def test_the_differences_that_we_ship_fit(name: str) -> None:
    assert load_table(name).content["source"]["version"] == name.partition("-")[2]
