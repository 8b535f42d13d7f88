"""A PUT replaces the whole object: nothing that its body may hold is forgotten, nothing that it may not is in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab import Lab, full_registry
from vastplan.engine.live.body import NEVER_SENT
from vastplan.model.plan import Verb
from vastplan.schema.endpoint import PerUnit, Update
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind
from vastplan.schema.versions import is_before
from vastplan.sim.tables import Table, TableOperation, load_table

KINDS = [kind for kind in full_registry().kinds.values() if kind.endpoint.update is Update.PUT]
TABLES = ["runai-2.20", "runai-2.22", "runai-2.23", "runai-2.24"]
KNOWN = [(kind, name) for kind in KINDS for name in TABLES]
PROJECTS, DEPARTMENTS, POOLS = "/api/v1/org-unit/projects", "/api/v1/org-unit/departments", "/api/v1/node-pools"


def operation(kind: Kind, table: Table) -> TableOperation:
    step = next(iter(kind.endpoint.shape.paths.values())) if isinstance(kind.endpoint.shape, PerUnit) else "some-id"
    matched = table.match(f"{kind.endpoint.path}/{step}")
    assert matched is not None, kind.endpoint.path
    found = table.operation("PUT", matched[0])
    assert found is not None
    return found


def properties(table: Table, schema: dict[str, Any]) -> dict[str, Any]:
    """The properties of an object schema, through references and the alternative to null."""
    while "$ref" in schema or "anyOf" in schema:
        if "$ref" in schema:
            schema = table.content["schemas"][schema["$ref"].rsplit("/", 1)[1]]
        else:
            schema = next(part for part in schema["anyOf"] if part.get("type") != "null")
    return dict(schema.get("properties") or {})


def forgotten(
    table: Table, kind: Kind, schema: dict[str, Any], product_version: str, path: tuple[str, ...] = ()
) -> Iterator[str]:
    """The paths of the body of a version that the kind neither declares nor keeps as they were read."""
    sent = {field.wire for field in kind.fields if not field.markers & NEVER_SENT}
    if isinstance(kind.endpoint.shape, PerUnit):  # which unit it is of goes along each time
        sent |= {field.wire for field in kind.fields} | {("meta", "clusterId")}
    sent |= {path for path, version in kind.endpoint.keep_before if is_before(product_version, version)}
    for name, inner in properties(table, schema).items():
        here = (*path, name)
        if here[0] in kind.endpoint.keep:
            continue
        if any(wire[: len(here)] == here and len(wire) > len(here) for wire in sent):
            yield from forgotten(table, kind, inner, product_version, here)
        elif here not in sent:
            yield ".".join(here)


def unknown(table: Table, fields: tuple[Field, ...], schema: dict[str, Any]) -> Iterator[str]:
    """The fields that the body has no place for."""
    for field in fields:
        if field.markers & NEVER_SENT:
            continue
        inner = schema
        for step in field.wire:
            known = properties(table, inner)
            if step not in known:
                yield field.name
                break
            inner = known[step]


@pytest.mark.parametrize(("kind", "name"), KNOWN, ids=lambda value: value if isinstance(value, str) else value.name)
def test_every_field_of_a_put_is_declared_or_kept(kind: Kind, name: str) -> None:
    table = load_table(name)
    body = operation(kind, table).body
    assert body is not None
    assert list(forgotten(table, kind, body, name.removeprefix("runai-"))) == []


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_put_holds_nothing_else(kind: Kind) -> None:
    table = load_table("runai-2.24")
    body = operation(kind, table).body
    assert body is not None
    assert list(unknown(table, kind.fields, body)) == []
    assert set(kind.endpoint.keep) <= set(properties(table, body))


def test_the_kinds_are_found() -> None:
    assert {kind.name for kind in KINDS} >= {"department", "project", "data_source"}
    assert {name for _, name in KNOWN} >= {"runai-2.22", "runai-2.24"}


@pytest.mark.parametrize(("section", "path"), [("projects", PROJECTS), ("departments", DEPARTMENTS)])
def test_what_the_document_does_not_speak_of_survives_a_put(tmp_path: Path, section: str, path: str) -> None:
    with Lab(tmp_path, {"iad": ["runai"]}) as lab:
        cluster = lab.by_hand("iad", "runai", "GET", "/api/v1/clusters")[0]["uuid"]
        more = {"name": "a100", "clusterId": cluster, "labelKey": "pool", "labelValue": "a100"}
        other = lab.by_hand("iad", "runai", "POST", POOLS, more)["id"]
        lab.write({section: {"a": {"gpus": {"default": 8}, "description": "one"}}})
        lab.converge()
        row = lab.rows("iad", section[:-1])[-1]
        pools = {entry["nodePool"]["name"]: entry["nodePool"]["id"] for entry in row["resources"]}
        theirs = {
            "nodePool": {"id": other},
            "gpu": {"deserved": 4, "limit": 9, "overQuotaWeight": 5},
            "cpu": {"deserved": 1000, "limit": None},
            "memory": {"deserved": 2, "limit": 3, "units": "GB"},
            "priority": "High",
        }
        ours = {"nodePool": {"id": pools["default"]}, "gpu": {"deserved": 8, "limit": 20}, "priority": "Low"}
        by_hand = {
            "description": "one",
            "nodeTypes": {"training": ["n1"], "workspace": ["n2"]},
            "schedulingRules": {"trainingJobTimeLimitSeconds": 3600},
            "defaultNodePools": ["a100"],
            "resources": [theirs, ours],
        }
        lab.by_hand("iad", "runai", "PUT", f"{path}/{row['id']}", by_hand)
        before = lab.by_hand("iad", "runai", "GET", f"{path}/{row['id']}")
        assert lab.plan().actions == ()
        lab.write({section: {"a": {"node_pools": {"default": {"gpu": {"deserved": 9}}}, "description": "two"}}})
        lab.clear_calls()
        assert [one.verb for one in lab.converge().actions] == [Verb.UPDATE]
        assert [call.method for call in lab.calls()] == ["PUT"]
        after = lab.by_hand("iad", "runai", "GET", f"{path}/{row['id']}")
        for name in ("nodeTypes", "schedulingRules", "defaultNodePools"):
            assert after[name] == before[name] is not None
        was, now = ({entry["nodePool"]["name"]: entry for entry in one["resources"]} for one in (before, after))
        assert now["a100"] == was["a100"]
        assert now["default"]["priority"] == "Low" and now["default"]["gpu"] == {**was["default"]["gpu"], "deserved": 9}
        assert after["description"] == "two"
