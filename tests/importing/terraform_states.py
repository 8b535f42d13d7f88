"""Terraform states as tests write them: rows of a `terraform.tfstate`, and the same as `terraform show -json` prints it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import vastplan.kinds
from vastplan.engine.live.observe import Live, Observed, ObservedCollection
from vastplan.importing.terraform.address import ResourceAddress, parse_module
from vastplan.schema.discover import discover

KINDS = discover(vastplan.kinds).kinds
CANARY = "canary-7f3a"
HOSTILE_KEYS = (
    "a b",
    "q\"'`$x${y}%{z}\n\r\t\\n\\",
    "$${x} %%{y} $ % {",
    "'; rm -rf ~; '",
    "\u0430dmin\u202e\u200b\x07\x1b[31m",
    "\U0001f600 \U000e0041 ü 日本",
    "##vso[task.setvariable]#[x]",
    "::add-mask::x",
    "\\u0041",
    "",
)


def resource(
    type_: str, name: str, *instances: Mapping[str, Any], module: str = "", mode: str = "managed"
) -> dict[str, Any]:
    """A row of `resources`."""
    row = {"mode": mode, "type": type_, "name": name, "provider": f'provider["{CANARY}"]', "instances": list(instances)}
    return row | ({"module": module} if module else {})


def instance(key: int | str | None = None, depends: Iterable[str] = (), **attributes: Any) -> dict[str, Any]:
    """An instance, with secrets wherever a state may have some."""
    secrets = {
        "password": CANARY,
        "values": {"name": CANARY, "id": CANARY},
        "tags": [{"name": CANARY, "path": CANARY}],
        "resources": [CANARY],
        "version": CANARY,
    }
    row: dict[str, Any] = {
        "schema_version": 0,
        "attributes": secrets | attributes,
        "sensitive_attributes": [],
        "private": CANARY,
    }
    return (
        row | ({} if key is None else {"index_key": key}) | ({"dependencies": list(depends)} if list(depends) else {})
    )


def kubernetes(name: str, namespace: str | None = None, key: str | None = None, **attributes: Any) -> dict[str, Any]:
    """An instance of Kubernetes' provider."""
    id_ = f"{namespace}/{name}" if namespace else name
    metadata = [{"name": name, "namespace": namespace, "annotations": {"name": CANARY}, "uid": CANARY}]
    return instance(key, id=id_, metadata=metadata, data={"name": CANARY}, **attributes)


def tfstate(*resources: Mapping[str, Any]) -> bytes:
    """A `terraform.tfstate`."""
    outputs = {"name": {"value": CANARY, "type": "string"}}
    return _text(
        {
            "version": 4,
            "terraform_version": "1.11.4",
            "serial": 3,
            "lineage": CANARY,
            "outputs": outputs,
            "resources": list(resources),
            "check_results": None,
        }
    )


def shown(state: bytes) -> bytes:
    """The same as `terraform show -json` prints it: modules in modules, one row an instance."""
    root: dict[str, Any] = {}
    modules = {"": root}
    for row in json.loads(state)["resources"]:
        steps, parent = parse_module(row.get("module", "")), root
        for count in range(1, len(steps) + 1):
            address = str(ResourceAddress(steps[:count], "t", "n")).removesuffix(".t.n")
            if address not in modules:
                modules[address] = {"address": address}
                parent.setdefault("child_modules", []).append(modules[address])
            parent = modules[address]
        for each in row["instances"]:
            parent.setdefault("resources", []).append(_shown(row, each))
    return _text(
        {
            "format_version": "1.0",
            "terraform_version": "1.11.4",
            "values": {"outputs": {"name": {"value": CANARY}}, "root_module": root},
        }
    )


def _shown(row: Mapping[str, Any], each: Mapping[str, Any]) -> dict[str, Any]:
    moved = {"index_key": "index", "deposed": "deposed_key", "attributes": "values", "dependencies": "depends_on"}
    said = {moved[key]: value for key, value in each.items() if key in moved}
    names = {key: row[key] for key in ("mode", "type", "name")}
    return {**names, "address": CANARY, "provider_name": CANARY, "sensitive_values": {"name": CANARY}, **said}


def _text(data: Mapping[str, Any]) -> bytes:
    return json.dumps(data).encode()


def live(kind: str, id: str, site: str = "iad", guid: str = "", **values: Any) -> Live:
    """A live object."""
    table = KINDS[kind]
    namespace = values.get("namespace")
    path = f"{namespace}/{values['name']}" if namespace else values.get("name")
    locator = str(path) if table.system == "kubernetes" else id
    attributes = {"name": values.get("name"), "path": locator} | ({"guid": guid} if guid else {})
    return Live(site, table, id, locator, values, attributes, {})


def observed(
    *objects: Live, unread: Mapping[tuple[str, str], str] | None = None, asked: Iterable[str] = ()
) -> Observed:
    """What was read: these, of two sites, and why some kinds could not be; of those the objects that were `asked` for."""
    collections = {(site, kind): ObservedCollection() for site in ("iad", "pdx") for kind in KINDS}
    for each in objects:
        collections[each.site, each.kind.name].objects.append(each)
    for key, error in (unread or {}).items():
        collections[key] = ObservedCollection(error=error, asked=frozenset(asked))
    return Observed(collections)
