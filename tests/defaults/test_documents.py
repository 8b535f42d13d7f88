"""What the kinds say is in a vendor's schema is in that of every version, and what a schema says the kinds say too."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from typing import Any

import pytest

from tests.defaults.marks import KINDS, ONE, leaf_fields
from vastplan.schema.codec import decode_row
from vastplan.schema.field import Field
from vastplan.schema.kind import Kind
from vastplan.schema.markers import DefaultEvidence
from vastplan.schema.rows import ABSENT, Path, dig, put
from vastplan.schema.versions import at_least, parse_version
from vastplan.sim.tables import Table, load_table

TABLES = sorted(
    entry.name.removesuffix(".json")
    for entry in (resources.files("vastplan.sim") / "tables").iterdir()
    if entry.name.endswith(".json")
)
# Said by the schema of some versions only: no better than a witness.
NOT_OF_EVERY_VERSION = {("quota", "enable_alarms")}
CONTRADICTED = {("host_path_data_source", "read_only")}  # the schema's default is true, and its text says false


def create_body(table: Table, kind: Kind) -> dict[str, Any]:
    """The schema of what a create sends; raises `KeyError` for a kind that nobody creates."""
    for path, operations in table.content["paths"].items():
        place = path.replace("/namespaces/{namespace}", "")
        if place.rstrip("/") == kind.endpoint.path.rstrip("/") and "POST" in operations:
            return table.behind(operations["POST"]["body"])
    raise KeyError(kind.name)


def of_defaults(table: Table, schema: dict[str, Any], seen: tuple[str, ...] = ()) -> Any:
    """The object that the defaults in a schema make, with one item in each list of objects; `ABSENT` for none."""
    reference = schema.get("$ref", "")
    if reference in seen:
        return ABSENT
    seen = (*seen, reference) if reference else seen
    schema = table.behind(schema)
    if "default" in schema:
        return schema["default"]
    for part in schema.get("anyOf", ()):
        if (made := of_defaults(table, part, seen)) is not ABSENT:
            return made
    if "items" in schema and table.fields(schema["items"]):
        item = of_defaults(table, schema["items"], seen)
        return ABSENT if item is ABSENT else [item]
    made = {name: of_defaults(table, part, seen) for name, part in schema.get("properties", {}).items()}
    made = {name: value for name, value in made.items() if value is not ABSENT}
    return made or ABSENT


def documented(name: str, kind: Kind) -> dict[Path, Any]:
    """What the document of a version says of the leaves of a kind, in the values of the kind."""
    table = load_table(name)
    made = of_defaults(table, create_body(table, kind))
    row = {} if made is ABSENT else made
    for field in kind.fields:
        for item in dig(row, field.wire) if field.key and dig(row, field.wire) is not ABSENT else ():
            put(item, field.key, ONE)
    values, nothing = decode_row(kind, row), decode_row(kind, {})
    found = ((path, dig(values, path)) for path, _ in leaf_fields(kind.fields))
    return {path: value for path, value in found if value is not ABSENT and value != dig(nothing, path)}


def versions(system: str) -> Iterator[tuple[str, str]]:
    return ((name, name.partition("-")[2]) for name in TABLES if name.partition("-")[0] == system)


def of_schema(kind: Kind) -> Iterator[tuple[Path, Field]]:
    for path, field in leaf_fields(kind.fields):
        if field.server_default is not None and field.server_default.evidence is DefaultEvidence.SCHEMA:
            yield path, field


def reached(version: str, since: str) -> bool:
    has, least = parse_version(version), parse_version(since or "0")
    assert has is not None and least is not None
    return at_least(has, least)


WITH_SCHEMA = sorted(name for name, kind in KINDS.items() if any(of_schema(kind)))


@pytest.mark.parametrize("name", WITH_SCHEMA)
def test_a_default_of_the_schema_is_in_that_of_every_version(name: str) -> None:
    kind = KINDS[name]
    wrong = []
    for table, version in versions(kind.system):
        said = documented(table, kind)
        for path, field in of_schema(kind):
            default = field.server_default
            assert default is not None
            there = all(reached(version, one.version) for one in kind.field(path[0]).versions if not one.values)
            found = said.get(path, ABSENT)
            if found != default.value and (found is not ABSENT or (there and reached(version, default.since))):
                wrong.append(f"{table}: {'.'.join(path)} is {'not said' if found is ABSENT else found}")
    assert wrong == []


def test_there_are_such_defaults_of_several_versions() -> None:
    assert {
        "qos_policy", "s3_lifecycle_rule", "tenant", "vip_pool", "department", "project", "data_source", "data_volume",
        "nfs_data_source",
    } == set(WITH_SCHEMA)  # fmt: skip
    assert {system: len(list(versions(system))) for system in ("vast", "runai")} == {"vast": 2, "runai": 5}


@pytest.mark.parametrize("system", ["vast", "runai"])
def test_what_a_schema_says_the_kinds_say_too(system: str) -> None:
    missed = []
    for name, kind in KINDS.items():
        if kind.system != system:
            continue
        for table, _ in versions(system):
            try:
                said = documented(table, kind)
            except KeyError:
                continue  # only read
            for path, field in leaf_fields(kind.fields):
                info = kind.model.model_fields[path[0]]
                if (
                    path not in said
                    or (name, ".".join(path)) in NOT_OF_EVERY_VERSION | CONTRADICTED
                    or info.default is True
                ):
                    continue
                default = field.server_default
                if default is None or default.evidence is not DefaultEvidence.SCHEMA or default.value != said[path]:
                    missed.append(f"{table}: {name} {'.'.join(path)} is {said[path]}")
    assert missed == []


def test_what_only_some_versions_say_is_no_more_than_a_witness() -> None:
    for name, field in NOT_OF_EVERY_VERSION:
        kind, path = KINDS[name], (field,)
        said = {documented(table, kind).get(path) for table, _ in versions(kind.system)}
        default = kind.field(field).server_default
        assert default is not None
        assert (said, default.evidence) == ({None, default.value}, DefaultEvidence.WITNESS)
