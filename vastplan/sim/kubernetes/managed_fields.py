"""`metadata.managedFields`: one entry per manager, operation and subresource."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vastplan.sim.kubernetes.fields import Leaves, Path, decode_paths, encode

Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Writer:
    """The writer that identifies an entry, and the time."""

    manager: str
    operation: str
    api_version: str
    time: str
    subresource: str = ""

    def owns(self, entry: Entry) -> bool:
        """Whether the entry belongs to this writer."""
        return (entry["manager"], entry["operation"], entry["apiVersion"], entry.get("subresource", "")) == (
            self.manager, self.operation, self.api_version, self.subresource,
        )  # fmt: skip

    def entry(self, paths: set[Path]) -> Entry:
        """A new entry with these paths."""
        entry = {
            "manager": self.manager,
            "operation": self.operation,
            "apiVersion": self.api_version,
            "time": self.time,
            "fieldsType": "FieldsV1",
            "fieldsV1": encode(paths),
        }
        return entry | ({"subresource": self.subresource} if self.subresource else {})


def entry_paths(entry: Entry) -> set[Path]:
    """The paths of an entry."""
    return decode_paths(entry.get("fieldsV1", {}))


def changed(before: dict[Path, Any], after: dict[Path, Any]) -> tuple[set[Path], set[Path]]:
    """The paths set or changed, and those removed."""
    return {path for path, value in after.items() if path not in before or before[path] != value}, set(before) - set(
        after
    )


def lost(entry: Entry, gone: set[Path]) -> Entry | None:
    """The entry without some paths, `None` if nothing is left; its time does not change."""
    kept = entry_paths(entry)
    if not kept & gone:
        return entry
    return {**entry, "fieldsV1": encode(kept - gone)} if kept - gone else None


def after_update(leaves: Leaves, writer: Writer, old: dict[str, Any] | None, new: dict[str, Any]) -> list[Entry]:
    """The entries after a create or an update: what the writer changed belongs to the writer alone."""
    written, removed = changed(leaves.of(old or {}), leaves.of(new))
    entries: list[Entry] = (old or {}).get("metadata", {}).get("managedFields", [])
    if (not written and not removed) or (old is not None and not entries):
        return entries  # if the managers were cleared, no entry is added until the next apply
    managed: set[Path] = set()
    others = []
    for entry in entries:
        if writer.owns(entry):
            managed = entry_paths(entry)
        elif (kept := lost(entry, written | removed)) is not None:
            others.append(kept)
    owned = (managed - removed) | written
    return [*others, writer.entry(owned)] if owned else others
