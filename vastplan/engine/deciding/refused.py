"""Fields that a system of a site has refused to change in place: as long as its version is the same, they replace the object. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from vastplan.engine.live.diff import Difference
from vastplan.model.escaping import inert
from vastplan.model.site_ledger import SiteLedger
from vastplan.schema.kind import Kind


def still_refused(part: SiteLedger, kinds: Mapping[str, Kind], probed: Mapping[str, Any]) -> SiteLedger:
    """The part without refusals of another version than the systems have now; a version that is not known changes nothing."""
    kept = {}
    for name, known in part.refused.items():
        kind = kinds.get(name.partition(".")[0])
        now = "" if kind is None else probed.get(f"{kind.system}_version")
        if not now or not known.version or str(now) == known.version:
            kept[name] = known
    return replace(part, refused=kept)


def with_refused(difference: Difference, kind: Kind, part: SiteLedger) -> tuple[Difference, str]:
    """The difference, with a replace for what the system has refused to change in place, and its answers for the reason."""
    if not part.refused:
        return difference, ""
    told: dict[str, None] = {}
    changes = []
    for change in difference.changes:
        known = part.refused.get(f"{kind.name}.{change.path.partition('.')[0]}")
        if known is not None and not change.replaces:
            told[f"; the system refused it on {known.at[:10]}: {inert(known.why, 300)}"] = None
            change = replace(change, replaces=True)
        changes.append(change)
    return replace(difference, changes=tuple(changes)), "".join(told)
