"""The lines to write into the document for a copy, so that the next apply creates a volume on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vastplan.app.restoring.place import Place
from vastplan.document.emit import EntryText, emit
from vastplan.model.units import BYTES, written
from vastplan.model.value import Ref

_CARRIED = (
    "tenant", "project", "size", "access_modes", "view_policy", "vip_pool", "secret", "snapshots", "max_inodes", "mount_options",
    "qos_policy",
)  # fmt: skip
_OF_VIEW = ("tenant", "view_policy")
"""The fields that a copy takes over from its origin. Its mount point and bucket are its own, and whether to replicate it is a decision."""


def lines_of(place: Place, name: str, directory: str) -> str:
    """The YAML of the copy: a volume if the origin is one, else a view."""
    if place.written is None:
        return emit([EntryText("views", name, _carried(place, place.entry.values, directory, _OF_VIEW))], ()).text
    found: Mapping[str, Any] = place.written.values
    values = _carried(place, found, directory, _CARRIED)
    if "mount" in found:
        values["mount"] = f"/{name}"
    return emit([EntryText("volumes", name, values)], ()).text


def _carried(place: Place, found: Mapping[str, Any], directory: str, names: tuple[str, ...]) -> dict[str, Any]:
    values = {field: _typed(found[field], field) for field in names if field in found}
    return {**values, "sites": [place.site], "path": directory}


def _typed(value: Any, field: str) -> Any:
    if isinstance(value, Ref):
        return value.target.name if value.managed else {"existing": value.target.name}
    return (written(value, BYTES) or value) if field == "size" else value
