"""A table from a vendor's document: what is kept, what is named only, and what real documents leave out."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from vastplan.sim.derive import main
from vastplan.sim.tables import Table, load_table

DOCUMENT: dict[str, Any] = {
    "info": {"title": "t", "version": "1"},
    "components": {"schemas": {"View": {"properties": {"path": {"type": "string"}}, "description": "prose"}}},
    "paths": {
        "/views/": {
            "get": {"parameters": [{"schema": {"type": "string"}}, {"in": "query", "name": "page"}], "responses": None},
            "post": {
                "requestBody": {"content": {"*/*": {"schema": {"$ref": "#/components/schemas/View"}}}},
                "responses": {"201": {"description": "made"}},
            },
        },
        "/viewers/{id}/": {"patch": {"responses": {}}, "parameters": []},
    },
}


def derived(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any, *words: str) -> Table:
    (tmp_path / "document.json").write_text(json.dumps(DOCUMENT))
    monkeypatch.setattr(sys, "argv", ["derive", str(tmp_path / "document.json"), *words])
    main()
    return Table(json.loads(capsys.readouterr().out))


def test_what_is_not_kept_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    table = derived(tmp_path, monkeypatch, capsys, "--keep", "/views", "--name-rest")
    assert table.content["named"] == {"/viewers/{id}/": ["PATCH"]}
    assert table.match("/viewers/7") == ("/viewers/{id}/", ("7",))
    assert table.only_named("PATCH", "/viewers/{id}/") and not table.only_named("GET", "/viewers/{id}/")
    assert table.operation("PATCH", "/viewers/{id}/") is None
    assert "named" not in derived(tmp_path, monkeypatch, capsys, "--keep", "/views").content


def test_what_a_document_does_not_say_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    table = derived(tmp_path, monkeypatch, capsys, "--keep-vms")
    assert table.content["paths"]["/views/"]["GET"] == {"query": {"page": {}}, "responses": {}}
    assert table.fields(table.content["paths"]["/views/"]["POST"]["body"]) == {"path": {"type": "string"}}


def test_nothing_to_keep_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    with pytest.raises(SystemExit):
        derived(tmp_path, monkeypatch, capsys)
    assert "--keep-vms" in capsys.readouterr().err


def test_the_tables_of_vms_are_of_two_documents() -> None:
    old, new = load_table("vast-5.3"), load_table("vast-5.5")
    assert old.content["source"]["sha256"] != new.content["source"]["sha256"]
    needed = {name: table.operation("POST", "/users/") for name, table in (("old", old), ("new", new))}
    bodies = {name: operation.body or {} for name, operation in needed.items() if operation is not None}
    assert bodies["old"]["required"] == ["name"] and set(bodies["new"]["required"]) == {"local_provider_id", "name"}
    for table in (old, new):
        assert table.only_named("GET", "/alarms/") and table.operation("POST", "/snapshots/{id}/clone/") is not None
