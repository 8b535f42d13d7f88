"""A new file held against what was read beside an old one: what a round of an import learns of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.importing.small import HEAD, Objects, seen
from tests.importing.small import world as world_of
from vastplan.app.importing.verify import Line, VerifiedRound, verify
from vastplan.app.planning.request import PlanOptions
from vastplan.app.planning.source import RecordedSystems
from vastplan.app.workspace import open_workspace
from vastplan.importing.model import Degraded, EntryForm, LeftReason
from vastplan.importing.place import Placed
from vastplan.model.snapshot import RecordedSnapshot, SeenObject

QUOTA = "quotas: {a: {tenant: {existing: t}, path: /a, hard_limit: 1 TB}}"
LIMIT = 10**12


@dataclass(frozen=True, slots=True)
class Stood:
    """An entry on a line of the new file: what it stands for, on how many sites, and what it stands inside."""

    stands_for: tuple[str, ...]
    """`site/kind/id`."""
    sites: tuple[str, ...] = ("iad",)
    inside: str = ""
    last: int = 0


def held(
    folder: Path,
    new: str,
    entries: Mapping[int, Stood],
    snapshot: RecordedSnapshot,
    old: str = HEAD,
    *,
    degraded: Degraded | None = None,
    patient: bool = True,
) -> VerifiedRound:
    """A new file held against what was read; `entries` are by the lines of it that they stand on."""
    (folder / "old.yaml").write_text(old, encoding="utf-8")
    before = open_workspace([folder / "old.yaml"], None, snapshot)
    file = folder / "new.yaml"
    file.write_text(new, encoding="utf-8")
    paths = [folder / "old.yaml", file]
    types = before.registry.types
    lines = []
    for number, one in sorted(entries.items(), key=lambda item: -item[1].last):
        keys = tuple(_key(each) for each in one.stands_for)
        entry = Placed(types[keys[0][1]], "", {}, keys, one.sites)
        lines.append(Line(str(file), number, one.last or number, entry, one.inside))
    options = PlanOptions(sites=tuple(before.document.sites()), snapshot=snapshot)
    source = RecordedSystems(before, snapshot)
    kinds, systems = before.registry.kinds, before.systems()
    asked = [(site, name) for site in options.sites for name, kind in kinds.items() if kind.system in systems[site]]
    observed = source.observe(asked, source.ledger(options.sites), {})
    given = degraded or Degraded()
    return verify(paths, folder, before, None, snapshot, options, source, observed, lines, given, patient=patient)


def world(objects: Objects | None = None, *, there: Mapping[str, Objects] | None = None) -> RecordedSnapshot:
    """What was recorded, on each site beside a tenant `t`."""
    tenant = seen("9", "t", {"guid": "t"})
    by_site = there or {"iad": objects or {}}
    return world_of(
        there={site: {**found, "tenant": [*found.get("tenant", ()), tenant]} for site, found in by_site.items()}
    )


def _key(text: str) -> tuple[str, str, str]:
    site, kind, id_ = text.split("/")
    return site, kind, id_


def fell(found: VerifiedRound) -> dict[str, tuple[EntryForm, LeftReason]]:
    """How far each object fell, and why."""
    return {"/".join(key): (step, found.degraded.why[key][0]) for key, step in found.degraded.steps.items()}


def quota(id: str = "1", name: str = "a", path: str = "/a", **values: Any) -> SeenObject:
    return seen(id, name, **{"path": path, "tenant": 9, "hard_limit": LIMIT, **values})
