"""Snapshots of worlds that many tests import, each made once in a process: in memory, without a socket.

They are kept in a plain mapping, which a mutation run does not forget as it forgets what functions remember.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from tests.importing.factory import SITES, applied, desk_with_snapshot
from tests.importing.recorded import changed, second
from tests.importing.worlds import Brownfield, Yard
from vastplan.app.files import snapshot as snapshot_file
from vastplan.app.files.snapshot import sealed
from vastplan.model.site_ledger import Owned
from vastplan.model.snapshot import RecordedSnapshot, SeenCollection, SeenObject

_KEPT: dict[str, RecordedSnapshot] = {}


def factory_world() -> RecordedSnapshot:
    """The reference document as it is when it was applied, and nobody has it any more."""
    return _KEPT.get("factory") or _keep("factory", None)


def brownfield_world(seed: int) -> RecordedSnapshot:
    """What people made over years on two sites."""
    return _KEPT.get(f"brownfield-{seed}") or _keep(f"brownfield-{seed}", seed)


def odd_world() -> RecordedSnapshot:
    """The reference where one of each sort cannot be said as it is: values of a newer version, what nothing names, what cannot be read,
    what is withheld, what others own or the document has dropped, and twins."""
    world = factory_world()
    for site, kind, name, values in _ODD:
        world = changed(world, partial(_valued, name=name, values=values), kind, site)
    world = changed(
        world, partial(_valued, name="vast", values={"deletion_policy": "NEWER_9"}), "snapshot_class", "pdx"
    )
    world = changed(world, lambda each: replace(each, objects=(), error="403 Forbidden"), "qos_policy", "pdx")
    kept = {"withheld": (("parameters", "lb_strategy"), ("parameters", "new"))}
    for site, name, fields in (("pdx", "team-a-block", {"document": "theirs"}), ("iad", "team-b", kept)):
        world = changed(world, partial(_kept, name=name, fields=fields), "storage_class", site)
    world = _dropped(world, "snapshot_class", "vast-block")
    return second(world, "quota", "team-b-datasets", "team-b-datasets")


_ODD: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    ("iad", "view", "team-a-block", {"protocols": ["NFS", "NEWER_9"], "qos_policy": "4711"}),
    ("iad", "view_policy", "team-a", {"access_flavor": "NEWER_9"}),
    ("iad", "qos_policy", "team-b-checkpoints", {"tenant": 4711}),
    ("iad", "protection_policy", "daily", {"clone_type": "NEWER_9"}),
    ("iad", "vip_pool", "team-b", {"name": "R&D <b>"}),
    ("iad", "project", "team-b", {"department": "4711"}),
    ("iad", "persistent_volume", "team-a-team-a-checkpoints", {"reclaim_policy": "Delete"}),
    ("pdx", "access_rule", "grp-team-a", {"subject_type": "NEWER_9"}),
)  # fmt: skip


def _named(seen: SeenObject) -> Any:
    return seen.attributes.get("name") or seen.values.get("name") or seen.values.get("subject")


def _valued(collection: SeenCollection, name: str, values: dict[str, Any]) -> SeenCollection:
    objects = tuple(
        replace(seen, values={**seen.values, **values}) if _named(seen) == name else seen for seen in collection.objects
    )
    assert objects != collection.objects
    return replace(collection, objects=objects)


def _dropped(world: RecordedSnapshot, kind: str, name: str) -> RecordedSnapshot:
    """The ledger of the first site owns an object that the document has no more."""
    collection = next(each for each in world.collections if (each.site, each.kind) == ("iad", kind))
    owned = next(seen.id for seen in collection.objects if _named(seen) == name)
    first, *rest = world.sites
    ledger = replace(first.ledger, entries={f"iad/{kind}/dropped": Owned(owned, owned)})
    return sealed(replace(world, sites=(replace(first, ledger=ledger), *rest), id=""))


def _kept(collection: SeenCollection, name: str, fields: dict[str, Any]) -> SeenCollection:
    objects = tuple(replace(seen, **fields) if _named(seen) == name else seen for seen in collection.objects)
    assert objects != collection.objects
    return replace(collection, objects=objects)


def _keep(name: str, seed: int | None) -> RecordedSnapshot:
    with tempfile.TemporaryDirectory() as folder:
        yard = Yard(Path(folder) / "yard", SITES)
        with yard.running():
            if seed is None:
                applied(yard, Path(folder) / "old")
            else:
                Brownfield(yard, seed)
            _, file = desk_with_snapshot(yard, Path(folder))
        _KEPT[name] = snapshot_file.load(file)
    return _KEPT[name]
