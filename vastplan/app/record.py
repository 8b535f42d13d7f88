"""`vastplan record`: read everything that a plan of this document, or of a change of it, may ask for; keep what is no secret."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import replace

from vastplan import __version__
from vastplan.app.clock import now
from vastplan.app.connect import connected
from vastplan.app.endpoints import endpoints, places
from vastplan.app.redact import digests_to_keep, seen_object
from vastplan.app.snapshot_file import sealed
from vastplan.app.workspace import Workspace, probe
from vastplan.document.instantiate import nearest
from vastplan.engine.observe import Observed, observe
from vastplan.model.address import Address
from vastplan.model.errors import VastplanError
from vastplan.model.site_ledger import Intent, Owned, SiteLedger
from vastplan.model.snapshot import SNAPSHOT_VERSION, SeenCollection, SeenSite, Snapshot
from vastplan.schema.kind import Field, Kind


def record(workspace: Workspace, sites: tuple[str, ...], without: Collection[str] = ()) -> Snapshot:
    """A snapshot of the sites: every kind that they can have, not only what the document has today. Sends nothing but reads.

    Raises `VastplanError` for a kind in `without` that there is none of.
    """
    kinds = workspace.registry.kinds
    for name in without:
        if name not in kinds:
            raise VastplanError(f"--without {name}: there is no such kind {nearest(name, kinds)}".rstrip())
    systems = {name: site.systems for name, site in workspace.document.sites().items()}
    taken = now()
    with workspace.ledger() as backend:
        ledger = {site: backend.read(site) for site in sites}
    with connected(workspace.document, sites=sites, writable=False) as providers:
        facts = probe(workspace, providers)
        wanted = [
            (site, kind)
            for site in sites
            for name, kind in sorted(kinds.items())
            if kind.system in systems[site] and name not in without
        ]
        observed = observe(wanted, providers, ledger)
        where = endpoints(providers, backend.describe())
    given = places(workspace.document)
    return sealed(
        Snapshot(
            format_version=SNAPSHOT_VERSION,
            document=workspace.name,
            taken=taken.isoformat(timespec="seconds"),
            vastplan=__version__,
            tables=tables(kinds),
            sites=tuple(
                SeenSite(site, given[site], where.get(site, {}), facts.get(site, {}), _part(ledger[site], kinds))
                for site in sorted(sites)
            ),
            collections=_collections(observed, ledger),
        )
    )


def _collections(observed: Observed, ledger: Mapping[str, SiteLedger]) -> tuple[SeenCollection, ...]:
    ours: dict[tuple[str, str, str], Owned] = {}
    for site, part in ledger.items():
        for text, one in part.entries.items():
            ours[site, Address.parse(text).kind, one.id] = one
    found = []
    for (site, kind), read in sorted(observed.collections.items()):
        objects = []
        for live in sorted(read.objects, key=lambda live: live.id):
            owned = ours.get((site, kind, live.id))
            objects.append(seen_object(live, owned.fields if owned else ()))
        found.append(SeenCollection(site, kind, tuple(objects), read.error))
    return tuple(found)


def _part(part: SiteLedger, kinds: Mapping[str, Kind]) -> SiteLedger:
    """A site's ledger without the digests of secrets, and without the plans that were applied."""

    def kept(text: str, one: Owned | Intent) -> dict[str, str]:
        kind = kinds.get(Address.parse(text).kind)
        return digests_to_keep(kind, one.fields) if kind else {}

    return replace(
        part,
        entries={text: replace(one, fields=kept(text, one)) for text, one in part.entries.items()},
        intents={text: replace(one, fields=kept(text, one)) for text, one in part.intents.items()},
        plans=(),
    )


def tables(kinds: Mapping[str, Kind]) -> str:
    """A digest of the field tables: what is read of an object, where, and how it is compared."""

    def rows(fields: tuple[Field, ...]) -> list[object]:
        return [
            [
                one.name,
                one.wire,
                one.shape.name,
                sorted(mark.value for mark in one.markers),
                one.unit,
                rows(one.fields),
            ]
            for one in fields
        ]

    known = {
        name: [kind.endpoint.path, kind.identity, [one.name for one in kind.facts], rows(kind.fields)]
        for name, kind in kinds.items()
    }
    return hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()[:32]
