"""Server-side apply: merging an intent, finding conflicts, and removing what its manager no longer sets."""

from __future__ import annotations

import copy
from typing import Any

from vastplan.sim.json_copy import json_copy
from vastplan.sim.kubernetes.fields import Leaves, Path, field_path_text, item_key, resolve
from vastplan.sim.kubernetes.managed_fields import Entry, Writer, changed, entry_paths, lost
from vastplan.sim.kubernetes.resources import Resource
from vastplan.sim.kubernetes.status import StatusError
from vastplan.sim.tables import Table

BEFORE_FIRST = "before-first-apply"


def server_side_apply(
    table: Table, resource: Resource, live: dict[str, Any] | None, intent: dict[str, Any], writer: Writer, force: bool
) -> tuple[dict[str, Any], list[Entry]]:
    """The object after the apply and its managedFields; raises `StatusError` (409 with causes) on a conflict."""
    leaves = Leaves(table, resource)
    wanted = set(leaves.of(intent, containers=False))
    if live is None:
        return json_copy(intent), [writer.entry(wanted)]
    entries = live["metadata"].get("managedFields") or _before_first(leaves, writer, live)
    schema = resource.schema(table)
    merged = _merged(table, schema, live, intent)
    before = leaves.of(live)
    written = changed(before, leaves.of(merged))[0] & wanted
    others = [entry for entry in entries if not writer.owns(entry)]
    managed = next((entry_paths(entry) for entry in entries if writer.owns(entry)), set())
    conflicts = [(entry, sorted(entry_paths(entry) & written)) for entry in others]
    conflicts = [(entry, conflicting) for entry, conflicting in conflicts if conflicting]
    if conflicts and not force:
        raise _conflict(conflicts)
    owned: set[Path] = set().union(*(entry_paths(entry) for entry in others)) if others else set()
    for path in sorted(managed - wanted - owned, key=len, reverse=True):
        _remove(table, schema, merged, path)
    kept = [entry for entry in (lost(entry, written) for entry in others) if entry is not None]
    unchanged = merged == live and managed == wanted
    if unchanged:
        return merged, entries
    return merged, [*kept, *([writer.entry(wanted)] if wanted else [])]


def _before_first(leaves: Leaves, writer: Writer, live: dict[str, Any]) -> list[Entry]:
    past = Writer(BEFORE_FIRST, "Update", writer.api_version, writer.time)
    return [past.entry(set(leaves.of(live)))]


def _merged(table: Table, schema: dict[str, Any], live: Any, intent: Any) -> Any:
    schema = resolve(table, schema)
    if isinstance(live, dict) and isinstance(intent, dict) and schema.get("x-kubernetes-map-type") != "atomic":
        merged = dict(live)
        extra = schema.get("additionalProperties")
        for key, value in intent.items():
            inner = schema.get("properties", {}).get(key, extra if isinstance(extra, dict) else {})
            merged[key] = _merged(table, inner, live[key], value) if key in live else json_copy(value)
        return merged
    if isinstance(live, list) and isinstance(intent, list) and schema.get("x-kubernetes-list-type") in ("map", "set"):
        items = list(live)
        places = {item_key(schema, item): index for index, item in enumerate(items)}
        for item in intent:
            index = places.get(item_key(schema, item))
            if index is None:
                items.append(json_copy(item))
            else:
                items[index] = _merged(table, schema["items"], items[index], item)
        return items
    return json_copy(intent)


def _remove(table: Table, schema: dict[str, Any], node: Any, path: Path) -> None:
    schema = resolve(table, schema)
    element, inner_path = path[0], path[1:]
    if isinstance(node, dict) and element.startswith("f:"):
        key = element[2:]
        if key not in node:
            return
        if not inner_path:
            del node[key]
            return
        node[key] = copy.copy(node[key])
        extra = schema.get("additionalProperties")
        inner = schema.get("properties", {}).get(key, extra if isinstance(extra, dict) else {})
        _remove(table, inner, node[key], inner_path)
        if node[key] in ({}, []):
            del node[key]
    elif isinstance(node, list):
        for index, item in enumerate(node):
            if item_key(schema, item) == element:
                if inner_path in ((), (".",)):
                    del node[index]
                else:
                    node[index] = copy.copy(item)
                    _remove(table, schema["items"], node[index], inner_path)
                return


def _conflict(conflicting_entries: list[tuple[Entry, list[Path]]]) -> StatusError:
    def manager(entry: Entry) -> str:
        using = f" using {entry['apiVersion']}" if entry["operation"] == "Update" else ""
        subresource = f' with subresource "{entry["subresource"]}"' if entry.get("subresource") else ""
        return f'"{entry["manager"]}"{subresource}{using}'

    conflicting_entries.sort(key=lambda fight: manager(fight[0]))
    causes = [
        {"reason": "FieldManagerConflict", "message": f"conflict with {manager(entry)}", "field": field_path_text(path)}
        for entry, conflicting in conflicting_entries
        for path in conflicting
    ]
    if len(causes) == 1:
        conflicts = f"{causes[0]['message']}: {causes[0]['field']}"
    else:
        conflicts = "\n".join(
            f"conflicts with {manager(entry)}:\n" + "\n".join(f"- {field_path_text(path)}" for path in conflicting)
            for entry, conflicting in conflicting_entries
        )
    plural = "" if len(causes) == 1 else "s"
    return StatusError(
        409, "Conflict", f"Apply failed with {len(causes)} conflict{plural}: {conflicts}", {"causes": causes}
    )
