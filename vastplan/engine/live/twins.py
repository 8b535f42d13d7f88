"""Objects that share one identity: vastplan cannot determine which of them an entry means. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from vastplan.engine.live.observe import Live, Observed
from vastplan.schema.kind import Kind

SiteId = tuple[str, str]  # site, id


def live_identity(live: Live) -> tuple[str, ...]:
    """What makes an object the same as another, in the order of `kind.identity`; references are still raw wire values."""
    fields = live.kind.fields.by_name
    return tuple(str(fields[name].meant(live.values.get(name))) for name in live.kind.identity)


def twins(observed: Observed, kind: Kind) -> Mapping[SiteId, tuple[str, ...]]:
    """The objects of a kind that are not alone with their identity on their site: each with the ids of all of them, in order.

    One pass over the kind's objects. A collection that could not be read has none: `Observed.error` says so.
    """
    by_object: dict[SiteId, tuple[str, ...]] = {}
    for site in observed.sites(kind.name):
        by_identity: dict[tuple[str, ...], list[str]] = {}
        for live in observed.objects(site, kind.name):
            by_identity.setdefault(live_identity(live), []).append(live.id)
        for ids in by_identity.values():
            if len(ids) > 1:
                together = tuple(sorted(ids))
                by_object.update({(site, each): together for each in ids})
    return MappingProxyType(by_object)
