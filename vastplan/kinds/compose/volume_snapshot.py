"""Declared snapshots: what was in a volume at one moment, such as before an upgrade, made once and kept until it expires."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from vastplan.kinds.compose._source import tenant_of
from vastplan.kinds.vast._moments import Moment
from vastplan.model.value import Ref
from vastplan.schema.entries import Composition, Entry, Scope, composite
from vastplan.schema.markers import NAMED, Refers
from vastplan.schema.types import MISSING, Name, ReferenceName, Spec


class VolumeSnapshot(Spec):
    """A snapshot of the directory of a volume: made once, by the first apply that has it, and not again when it has expired.

    `name` is that of the snapshot, where it is another than the entry's.
    """

    name: Annotated[Name | MISSING, NAMED] = MISSING
    volume: Annotated[ReferenceName, Refers("volume")]
    expires: Moment | None | MISSING = MISSING
    """When VAST removes it; without it, or with null, it stays."""


def _compose(entry: Entry, scope: Scope) -> Iterable[Entry]:
    of = entry.values["volume"]
    volume = scope.get(of.target) if of.managed else None
    if volume is None or "path" not in volume.values:
        text = f"{of} is no volume of this document that has a path"
        scope.refuse(entry, "VP294", text, "volume: one with a path")
        return
    tenant = tenant_of(volume, scope)
    if not isinstance(tenant, Ref):  # the volume itself is refused
        return
    values = {
        "name": entry.called,
        "tenant": tenant,
        "path": volume.values["path"],
        **{name: entry.values[name] for name in ("expires",) if name in entry.values},
    }
    view = volume.address._replace(kind="view")
    yield entry.part("snapshot", entry.address.name, values, after=(view,))


ENTRY = composite(
    VolumeSnapshot, name="volume_snapshot", section="snapshots", systems=lambda _: frozenset({"vast", "kubernetes"})
)
COMPOSITION = Composition("volume_snapshot", _compose, makes=frozenset({"snapshot"}))
